"""Searches of engines behind drivers: who is blamed where one dies, hangs or talks nonsense in mid-history."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tck_driver.errors import DriverCrashedError, DriverTimeoutError, EngineTimeoutError
from tck_kit.engine_choice import EngineChoice, choose
from tck_kit.faults import DriverFault, UsageFault
from tck_kit.fuzz.search import Asked, Outcome, search

from .drivers import SANE, SEND, driver
from .watching import watching

AT_AN_ISSUE = '        if params["type"] == "issue.opened":\n            SIN\n' + SEND
REST = '        return {"idle": True, "pending": []}'


def searched(folder: Path, choice: EngineChoice, *, tries: float = 30, examples: int = 3) -> Outcome:
    made = Asked(
        engine="node driver.js",
        choice=choice,
        seed=1,
        examples=examples,
        steps=5,
        seconds=600,
        shrink_seconds=tries,
        output=folder / "found",
    )
    return search(made, watching)


def test_an_engine_that_does_nothing_is_at_fault(tmp_path: Path) -> None:
    outcome = searched(tmp_path, driver(tmp_path))

    finding = outcome.result.finding
    assert finding is not None
    assert finding.blames_engine
    assert finding.requirements == ("RESUME-13",)
    assert outcome.shows_again
    assert "Feature: A history that idle does not get right" in outcome.text
    assert "#   engine: idle 1.0.0 (python), through " in outcome.text
    assert "--engine 'node driver.js' --feature" in outcome.text


@pytest.mark.parametrize(
    ("sin", "fault", "words"),
    [
        ("os._exit(7)", DriverCrashedError, "the driver ended with exit code 7"),
        ("time.sleep(600)", DriverTimeoutError, "the driver did not answer within"),
        ("return {'nonsense': 1}", Exception, "does not fit its schema"),
        ("sys.stdout.write('debug\\\\n')", Exception, "debug"),
    ],
    ids=["dies", "hangs", "answers nonsense", "talks in between"],
)
def test_a_driver_that_sins_in_the_middle_is_at_fault_and_the_history_is_kept(
    tmp_path: Path, sin: str, fault: type[Exception], words: str
) -> None:
    choice = replace(driver(tmp_path, SEND, AT_AN_ISSUE.replace("SIN", sin)), timeout_scale=0.2)
    outcome = searched(tmp_path, choice, tries=10)

    finding = outcome.result.finding
    assert finding is not None
    assert isinstance(finding.fault, fault)
    assert (finding.judged.blame, finding.blames_engine) == ("driver", False)
    assert words in str(finding.fault)
    assert outcome.path is not None
    assert "Scenario: the driver is at fault: " in outcome.path.read_text(encoding="utf-8")
    # A project and an issue; one that breaks down is started anew for each try.
    assert len(finding.events) == 2
    assert outcome.shows_again


def test_an_engine_that_never_comes_to_rest_is_at_fault(tmp_path: Path) -> None:
    choice = replace(driver(tmp_path, REST, REST.replace("True", "False")), timeout_scale=0.1)
    outcome = searched(tmp_path, choice, tries=5)

    finding = outcome.result.finding
    assert finding is not None
    assert isinstance(finding.fault, EngineTimeoutError)
    assert finding.blames_engine
    # No requirement is about that; every run needs a request.
    assert "  @resume-1\n" in outcome.text
    assert not any(line.startswith("RESUME-1") for line in outcome.lines(_any_asked(tmp_path, choice)))


def _any_asked(folder: Path, choice: EngineChoice) -> Asked:
    return Asked(None, choice, 1, 1, 1, 1, None, folder)


def test_a_driver_that_cannot_be_started_is_the_drivers_fault(tmp_path: Path) -> None:
    with pytest.raises(DriverFault, match="no-such-driver"):
        searched(tmp_path, choose("no-such-driver", tmp_path))
    assert not (tmp_path / "found").exists()


def test_an_engine_that_declines_what_a_history_needs_is_not_searched(tmp_path: Path) -> None:
    line = '            "capabilities": {name: "supported" for name in params["capabilities"]},'
    assert line in SANE
    choice = driver(tmp_path, line, line.replace('"supported"', '"unsupported" if "run.due" in name else "supported"'))

    with pytest.raises(UsageFault, match=r"the engine does not support stimulus\.run\.due"):
        searched(tmp_path, choice)


def test_what_an_engine_declines_is_left_out_and_told(tmp_path: Path) -> None:
    line = '            "capabilities": {name: "supported" for name in params["capabilities"]},'
    declined = '{"control.kill", "adapter.codex", "stimulus.issue.blocked"}'
    choice = driver(
        tmp_path, line, line.replace('"supported"', f'"unsupported" if name in {declined} else "supported"')
    )
    outcome = searched(tmp_path, choice)

    assert {"control.kill", "adapter.codex", "stimulus.issue.blocked"} <= {*outcome.left_out}
    assert "codex" not in outcome.text
    told = list(outcome.lines(_any_asked(tmp_path, choice)))
    assert any(line.startswith("not drawn, as it is not supported: adapter.codex, ") for line in told)


def test_the_simulator_behind_a_driver_goes_through_the_same_histories_as_in_process(tmp_path: Path) -> None:
    outcomes = [searched(tmp_path / way, choose(way, tmp_path)) for way in ("sim", "sim+stdio")]

    assert [one.result.finding for one in outcomes] == [None, None]
    first, second = (one.result.tally for one in outcomes)
    assert first.kinds == second.kinds

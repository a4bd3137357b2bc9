"""A hunt tells a killed fault from one that survives, and both from a mistake of the kit."""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tck_kit.faults import SuiteFault
from tck_kit.judging import ScenarioTimeoutError
from tck_kit.mutants import hunters
from tck_kit.mutants.hunter import Hunter, hunt, limited
from tck_kit.mutants.hunters import Hunters
from tck_kit.mutants.unit import Hunted, Unit, hunting_order
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord

from . import made_up
from .made_up import ENDED, NAMED, PUSHED

SITE = """\
import sys
sys.path.insert(0, {folder!r})
import tck_fakes.faulty as faulty
import made_up
faulty.FAULTS = made_up.FAULTS
"""


@pytest.fixture(autouse=True)
def made_up_faults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let there be no faults but those, here and in the processes that are started."""
    monkeypatch.setattr("tck_fakes.faulty.FAULTS", made_up.FAULTS)
    text = SITE.format(folder=str(Path(made_up.__file__).parent))
    (tmp_path / "sitecustomize.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def unit(*faults: str, full: bool = False, patience: float = 20.0) -> Unit:
    return Unit(faults, (PUSHED, NAMED, ENDED), 1, full, patience)


def _told(hunted: Hunted) -> list[tuple[str, Outcome, str | None]]:
    return [(one.scenario.rpartition("::")[2], one.outcome, one.blame) for one in hunted.meetings]


def test_a_fault_is_hunted_until_the_first_scenario_that_kills_it() -> None:
    hunted = hunt(unit("reversed"))

    assert _told(hunted) == [("Pushed", Outcome.PASSED, None), ("Named", Outcome.FAILED, "engine")]
    assert hunted.faults == ("reversed",)
    assert hunted.meetings[-1].kills
    assert hunted.meetings[-1].way == "assertion"


def test_in_full_a_fault_meets_every_scenario() -> None:
    assert [told[1] for told in _told(hunt(unit("reversed", full=True)))] == [
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.PASSED,
    ]


def test_a_fault_that_nothing_notices_has_met_everything_and_no_killer() -> None:
    assert [told[1] for told in _told(hunt(unit("harmless")))] == [Outcome.PASSED] * 3


def test_a_fault_that_is_itself_wrong_is_no_kill_and_the_hunt_goes_on() -> None:
    hunted = hunt(unit("unsound"))

    assert [(told[1], told[2]) for told in _told(hunted)] == [(Outcome.ERROR, "kit")] * 3
    assert not any(meeting.kills for meeting in hunted.meetings)
    assert all(meeting.erred for meeting in hunted.meetings)
    assert "the fault itself is wrong" in str(hunted.meetings[0].reason)


def test_an_engine_that_breaks_off_is_killed_and_it_says_in_which_way() -> None:
    (meeting,) = hunt(unit("crashing")).meetings

    assert meeting.kills
    assert meeting.way == "crashed"


def test_a_scenario_that_a_fault_lets_hang_is_cut_and_judged_as_any_that_is_late() -> None:
    (meeting,) = hunt(unit("for-ever", patience=0.5)).meetings

    assert (meeting.outcome, meeting.blame, meeting.way) == (Outcome.FAILED, "engine", "timeout")


def test_it_is_cut_in_any_thread_whatsoever_and_nothing_is_raised_there_afterwards() -> None:
    gave: list[Hunted] = []

    def work() -> None:
        gave.append(hunt(unit("for-ever", patience=0.5)))
        gave.append(hunt(unit("reversed")))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert [meeting.way for meeting in gave[0].meetings] == ["timeout"]
    assert [meeting.kills for meeting in gave[1].meetings] == [False, True]


def test_what_is_not_late_hears_nothing_in_a_thread_either() -> None:
    heard: list[str] = []

    def work() -> None:
        try:
            with limited(60):
                heard.append("within")
            heard.append("after")
        except ScenarioTimeoutError:
            heard.append("late")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert heard == ["within", "after"]


def test_after_a_fault_the_simulator_is_right_again(tmp_path: Path) -> None:
    with Hunter(tmp_path) as hunter:
        first = [meeting.outcome for meeting in hunter.meetings(unit("emptied"))]
        then = [meeting.outcome for meeting in hunter.meetings(unit("harmless"))]

    assert (first[-1], then) == (Outcome.FAILED, [Outcome.PASSED] * 3)


def test_two_hunts_of_one_unit_come_to_the_same_wherever_they_are_done() -> None:
    sent: Unit = pickle.loads(pickle.dumps(unit("reversed", full=True)))  # noqa: S301 -- what stands there

    assert hunt(sent) == hunt(unit("reversed", full=True)) == pickle.loads(pickle.dumps(hunt(sent)))  # noqa: S301 -- the same


def test_a_kit_that_passes_everything_kills_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def perform(scenario: object, _laboratory: object) -> CheckRecord:
        assert scenario in {PUSHED, NAMED, ENDED}
        return CheckRecord("x.feature::Named", "Named", "x.feature:3", ("NAME-1",), Outcome.PASSED)

    monkeypatch.setattr("tck_kit.mutants.hunter.perform", perform)

    assert not any(meeting.kills for meeting in hunt(unit("reversed")).meetings)


def test_each_outline_has_its_first_row_tried_before_any_its_second_and_short_scenarios_come_first() -> None:
    rows = [replace(NAMED, id=f"x.feature::Named[{row}]", row_line=row) for row in (1, 2)]
    longer = replace(PUSHED, id="x.feature::Longer", line=20, steps=(*PUSHED.steps, PUSHED.steps[-1]))
    shared = replace(PUSHED, id="x.feature::Shared", line=30, tags=("name-1", "name-2"))

    order = hunting_order([ENDED, shared, longer, *rows], {"NAME-1"})

    assert [one.id.rpartition("::")[2] for one in order] == ["Named[1]", "Longer", "Shared", "Named[2]"]


# Several hunters at once


def _hunt(tmp_path: Path, units: Sequence[Unit], count: int = 2) -> tuple[dict[str, Hunted], list[str], str | None]:
    heard: list[str] = []
    with Hunters(count, tmp_path) as pool:
        done, cut_short = pool.hunt(units, time.monotonic() + 300, lambda one: heard.append(one.faults[0]))
    return {one.faults[0]: one for one in done}, sorted(heard), cut_short


def test_several_hunters_come_to_what_one_comes_to(tmp_path: Path) -> None:
    units = [unit(name) for name in ("reversed", "harmless", "unsound", "crashing")]

    done, heard, cut_short = _hunt(tmp_path, units)

    assert done == {one.faults[0]: hunt(one) for one in units}
    assert heard == sorted(done)
    assert cut_short is None


def test_a_fault_whose_process_dies_is_named_and_meets_the_rest_in_another(tmp_path: Path) -> None:
    done, heard, _ = _hunt(tmp_path, [unit("gone"), unit("reversed")])

    assert heard == ["gone", "reversed"]
    assert [told[1] for told in _told(done["gone"])] == [Outcome.ERROR] * 3
    assert "exit code 3" in str(done["gone"].meetings[0].reason)
    assert not any(meeting.kills for meeting in done["gone"].meetings)
    assert done["reversed"].meetings[-1].kills


def test_a_fault_that_does_not_hear_that_it_is_late_is_ended_with_its_process_and_counts_as_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hunters, "GRACE", 0.5)

    done, _, _ = _hunt(tmp_path, [unit("deaf", patience=4.0)], 1)

    (meeting,) = done["deaf"].meetings
    assert (meeting.outcome, meeting.blame, meeting.way) == (Outcome.FAILED, "engine", "timeout")


def test_an_interrupt_keeps_what_was_done_and_leaves_no_process(tmp_path: Path) -> None:
    def heard(_hunted: Hunted) -> None:
        raise KeyboardInterrupt

    with Hunters(2, tmp_path) as pool:
        mine = [hunter.process.pid for hunter in pool._all]
        done, cut_short = pool.hunt([unit("reversed"), unit("harmless")], time.monotonic() + 300, heard)

    assert cut_short == "interrupted"
    assert done
    assert len(mine) == 2
    assert not [pid for pid in mine if _alive(pid)]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_end_of_the_time_limit_cuts_a_hunt_short(tmp_path: Path) -> None:
    with Hunters(1, tmp_path) as pool:
        done, cut_short = pool.hunt([unit("reversed")], time.monotonic() - 1, lambda _: None)

    assert (done, cut_short) == ((), "the time limit was reached")


def test_hunters_that_cannot_even_begin_are_the_kits_own_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nos._exit(7)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    with Hunters(1, tmp_path / "pool") as pool, pytest.raises(SuiteFault, match="exit code 7"):
        pool.hunt([unit("reversed")], time.monotonic() + 300, lambda _: None)

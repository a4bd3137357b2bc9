"""The check of drivers: sane ones have no problem, and one that is bad in one way has exactly that one."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tck_driver.connection import About
from tck_driver.process import Command, DriverProcess
from tck_kit.driver_check import CHECKS, Finding, check_driver
from tck_kit.driver_commands import driver_group
from tck_kit.engine_choice import SERVED, EngineChoice, choose
from tck_kit.faults import UsageFault
from tck_kit.skeleton import LANGUAGES, write_skeleton

from .drivers import BAD, CAPABILITIES, INITIALIZE, LAST, driver
from .needs import PROGRAMS, need

ABOUT = About("0.1.0", "small", "0.1.0", "00")
NEEDS_ENGINE = {"scenario", "views", "stimuli", "rest", "clock", "kill"}


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """The folder of a driver; the kit's own is beside it."""
    (tmp_path / "kit").mkdir()
    (tmp_path / "driver").mkdir()
    return tmp_path / "driver"


def _checked(choice: EngineChoice, box: Path) -> dict[str, Finding]:
    findings = {one.check: one for one in check_driver(choice, ABOUT, box.parent / "kit")}
    assert list(findings) == [name for name, _ in CHECKS]
    return findings


def _in(state: str, findings: dict[str, Finding]) -> set[str]:
    return {name for name, one in findings.items() if one.state == state}


def test_a_sane_driver_has_no_problem_and_every_check_applies(box: Path) -> None:
    findings = _checked(driver(box), box)

    assert _in("ok", findings) == {name for name, _ in CHECKS}
    assert "counters 1" in findings["views"].what


@pytest.mark.parametrize("kind", ["sim+stdio", "sim+http"])
def test_the_simulator_behind_a_driver_is_sane(box: Path, kind: str) -> None:
    findings = _checked(EngineChoice("sim+stdio" if kind == "sim+stdio" else "sim+http"), box)

    assert _in("problem", findings) == set()
    assert _in("not applicable", findings) == ({"end of input"} if kind == "sim+http" else set())


def test_a_driver_that_listens_already_is_sane_and_is_not_started_again(box: Path) -> None:
    process = DriverProcess(Command((*SERVED, "http"), str(box)))
    try:
        url = process.read().decode("ascii").strip()
        findings = _checked(EngineChoice("url", urls=(url,)), box)
    finally:
        process.kill()

    assert _in("problem", findings) <= NEEDS_ENGINE  # it was not started beside the kit's desk
    assert _in("not applicable", findings) >= {"restart", "end of input"}
    assert findings["shutdown"].state == "ok"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fresh_skeleton_is_sane_and_nothing_of_an_engine_applies(box: Path, language: str) -> None:
    need(*PROGRAMS[language])
    write_skeleton(language, box)
    command = tomllib.loads((box / "session-tck.toml").read_text(encoding="utf-8"))["engine"]["command"]
    choice = choose(command, box)

    findings = _checked(choice, box)

    assert _in("problem", findings) == set()
    assert _in("not applicable", findings) == NEEDS_ENGINE


@pytest.mark.parametrize("what", BAD)
def test_a_driver_that_is_bad_in_one_way_has_that_one_problem(box: Path, what: str) -> None:
    old, new, check, words = BAD[what]

    findings = _checked(driver(box, old, new), box)

    assert _in("problem", findings) == {check}, findings
    assert words in findings[check].what
    assert findings[check].cure


def test_every_check_finds_something() -> None:
    assert {check for _, _, check, _ in BAD.values()} == {name for name, _ in CHECKS}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (INITIALIZE, INITIALIZE + "        time.sleep(3600)\n", "did not answer initialize within 2 s"),
        (LAST, "time.sleep(3600)\n", "did not answer initialize within 2 s"),
        (LAST, 'os.write(1, b"x" * 2_000_000)\n', "more than 1 MiB"),
        (LAST, 'while True: print("Please wait")\n', "'Please wait' instead"),
        (LAST, "os.close(0)\nos.close(1)\nsys.stdout = None\ntime.sleep(3600)\n", "closed its standard"),
    ],
)
def test_a_driver_that_cannot_be_talked_to_leaves_nothing_to_be_checked(
    box: Path, old: str, new: str, words: str
) -> None:
    findings = _checked(driver(box, old, new, timeout_scale=0.1), box)

    assert _in("problem", findings) == {"start"}
    assert _in("not applicable", findings) == {name for name, _ in CHECKS} - {"start"}
    assert words in findings["start"].what


def test_a_driver_that_is_not_there_is_a_problem_at_its_start(box: Path) -> None:
    findings = _checked(EngineChoice("command", words=("./nowhere",), directory=str(box)), box)

    assert _in("problem", findings) == {"start"}
    assert "No such file" in findings["start"].what


def test_two_mistakes_are_both_found(box: Path) -> None:
    choice = driver(box, "-32601", "-32603")
    source = box / "driver.py"
    source.write_text(source.read_text(encoding="utf-8").replace('"virtual"', '"wall"'), encoding="utf-8")

    assert _in("problem", _checked(choice, box)) == {"unknown method", "clock kind"}


def test_an_undeclared_capability_is_named_and_is_no_problem(box: Path) -> None:
    choice = driver(box, CAPABILITIES, CAPABILITIES.replace("}", ' if name != "view.details"}'))
    findings = _checked(choice, box)

    assert _in("problem", findings) == set()
    assert "view.details" in findings["capabilities"].what
    assert "details" not in findings["views"].what


def test_what_is_written_to_standard_error_is_no_problem(box: Path) -> None:
    choice = driver(box, LAST, f'print("x" * 1_000_000, file=sys.stderr)\n{LAST}')

    assert _in("problem", _checked(choice, box)) == set()


def _check(*arguments: str) -> Result:
    return CliRunner().invoke(driver_group, ["check", *arguments], standalone_mode=False)


def test_the_command_tells_line_by_line_and_ends_with_0_for_a_sane_driver(box: Path) -> None:
    done = _check("--engine", shlex.join((sys.executable, str(_written(box)))))

    assert done.return_value == 0
    assert [line[:14].rstrip() for line in done.output.splitlines()[1:-1]] == ["ok"] * len(CHECKS)
    assert done.output.splitlines()[-1].startswith("sane: ")


def test_the_command_ends_with_1_for_problems_and_says_what_to_do(box: Path) -> None:
    done = _check("--engine", shlex.join((sys.executable, str(_written(box, "-32601", "-32603")))), "--format", "json")
    told = json.loads(done.output)

    assert done.return_value == 1
    assert told["sane"] is False
    assert [one for one in told["checks"] if one["state"] == "problem"] == [
        {
            "check": "unknown method",
            "state": "problem",
            "what": "an unknown method was answered with error -32603: no such method",
            "cure": "answer with error -32601",
        }
    ]


@pytest.mark.parametrize("engine", ["", "sim", "sim+smoke", "ftp://127.0.0.1", "'"])
def test_an_engine_that_has_no_driver_is_a_mistake_of_usage(engine: str) -> None:
    assert isinstance(_check("--engine", engine).exception, UsageFault)


def test_the_command_finds_the_driver_of_a_fresh_skeleton(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skeleton("python", box)
    monkeypatch.chdir(box)

    assert _check().return_value == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no driver is named"),
        ("", "no driver is named"),
        ('[engine]\nname = "sim"\n', "no driver is named"),
        ("[engine]\ncommand = 7\n", "engine.command"),
        ("engine = ", "session-tck.toml"),
    ],
)
def test_a_folder_that_names_no_driver_is_a_mistake_of_usage(
    box: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, words: str
) -> None:
    monkeypatch.chdir(box)
    if text is not None:
        (box / "session-tck.toml").write_text(text, encoding="utf-8")
    fault = _check().exception

    assert isinstance(fault, UsageFault)
    assert words in str(fault)


def test_the_driver_of_the_project_file_has_its_folder_its_environment_and_its_patience(
    box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver(box, INITIALIZE, INITIALIZE + '        print(os.environ["BADGE"], flush=True)\n        time.sleep(3600)\n')
    (box / "session-tck.toml").write_text(
        f"""
        [engine]
        command = ["{sys.executable}", "driver.py"]
        environment.BADGE = "blue badge"
        [run]
        timeout_scale = 0.1
        """,
        encoding="utf-8",
    )
    (box / "below").mkdir()
    monkeypatch.chdir(box / "below")

    assert "did not answer initialize within 2 s, and said 'blue badge' instead" in _check().output


def _written(box: Path, old: str = "", new: str = "") -> Path:
    driver(box, old, new)
    return box / "driver.py"

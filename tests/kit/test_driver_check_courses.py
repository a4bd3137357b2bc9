"""The check of drivers whose engine plays courses: one course is played, and nothing of mailboxes is looked at."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tck_driver.connection import About
from tck_kit.driver_check import CHECKS, COURSE_CHECKS, Finding, check_driver
from tck_kit.engine_choice import EngineChoice

ABOUT = About("0.1.0", "small", "0.1.0", "00")
ROOT = Path(__file__).parents[2]
TALKER = ("-m", "tests.driver.course_engine", "tidy")


def _checked(place: Path, *words: str) -> dict[str, Finding]:
    choice = EngineChoice("command", words=(sys.executable, *words), directory=str(ROOT))
    return {one.check: one for one in check_driver(choice, ABOUT, place)}


def _problems(findings: dict[str, Finding]) -> dict[str, str]:
    return {name: one.what for name, one in findings.items() if one.state == "problem"}


def test_the_simulator_of_turns_behind_a_driver_is_sane(tmp_path: Path) -> None:
    findings = _checked(tmp_path, "-m", "tck_fakes.served_turns", "reuse")

    assert list(findings) == [name for name, _ in COURSE_CHECKS]
    assert {one.state for one in findings.values()} == {"ok"}
    assert "profile.continuity, profile.reuse" in findings["capabilities"].what
    assert findings["course"].what == "two turns were played (done and done), with 2 starts of a CLI"


def test_a_driver_of_courses_that_starts_its_clis_itself_is_sane(tmp_path: Path) -> None:
    findings = _checked(tmp_path, *TALKER, "starts")

    assert {one.state for one in findings.values()} == {"ok"}
    assert findings["course"].what == "two turns were played (done and done), with 2 starts of a CLI"


@pytest.mark.parametrize(
    ("words", "check", "what"),
    [
        ((), "course", "two turns were played, and no start of a CLI was seen"),
        (("strangers",), "course", "of 2 starts of a CLI none was told to be for the scope of the turns"),
        (
            ("starts", "-adapter.claude-code", "+adapter.codex"),
            "course",
            "the driver casts claude-code, and does not declare adapter.claude-code as supported",
        ),
        (
            ("starts", "-profile.continuity", "-profile.reuse"),
            "capabilities",
            "it declares a policy, and no profile is declared as supported",
        ),
        (
            ("starts", "+act.switch", "switchless"),
            "capabilities",
            "act.switch is declared as supported, and the policy names no switch",
        ),
    ],
)
def test_a_driver_of_courses_that_is_bad_in_one_way_has_that_one_problem(
    words: tuple[str, ...], check: str, what: str, tmp_path: Path
) -> None:
    findings = _checked(tmp_path, *TALKER, *words)

    assert _problems(findings) == {check: what}
    assert findings[check].cure


def test_what_is_left_under_way_after_a_course_is_a_problem(tmp_path: Path) -> None:
    findings = _checked(tmp_path, *TALKER[:2], "starts")

    assert _problems(findings) == {"course": "it left something under way: a child"}


def test_a_driver_that_was_written_for_another_engine_says_so_at_its_start(tmp_path: Path) -> None:
    findings = _checked(tmp_path, *TALKER, "moved")

    (said,) = _problems(findings).values()
    assert said.endswith("incompatible: there is no runner.start in 2.0.0")
    assert {one.state for name, one in findings.items() if name != "start"} == {"not applicable"}


def test_a_driver_of_courses_is_held_to_the_same_manners_as_any_other() -> None:
    of_mailboxes = {"scenario", "views", "stimuli", "rest", "clock", "kill"}
    assert {name for name, _ in COURSE_CHECKS} == {name for name, _ in CHECKS} - of_mailboxes | {"course"}

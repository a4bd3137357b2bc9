"""Whole runs of engines that play courses: what a failure says of itself, and whose it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tck_reports.reading import read

from .conftest import Command

TALKER = Path(__file__).parent.parent / "driver" / "course_engine.py"
#: The driver of an engine that plays courses, whose `play` does something else.
SINFUL = """\
import os, runpy, sys
talker = runpy.run_path({talker!r})
def play(self):
    {sin}
talker["CourseTalker"].play = play
sys.argv[1:] = ["tidy", "+act.switch"]
talker["main"]()
"""


def run(command: Command, folder: Path, engine: str) -> tuple[int, dict[str, Any]]:
    """Run the one scenario of `CONTINUITY-13`; give the exit code and its check."""
    asked = ("--profile", "continuity", "--requirement", "CONTINUITY-13", "--seed", "1", "--workers", "1")
    done = command("run", "--engine", engine, *asked, "--report-dir", "report")
    path = folder / "report" / "report.json"
    assert path.exists(), done.stderr
    (check,) = [dict(one) for one in read(path)["checks"] if one["outcome"] != "not_run"]
    return done.returncode, check


def test_a_scenario_that_went_on_says_in_which_sentence_it_failed(command: Command, tmp_path: Path) -> None:
    _, check = run(command, tmp_path, "mutant:dead-id-for-ever")

    failed_in = "Then no id that the CLI did not find was asked for more than 3 times"
    assert (check["failed_for"], check["failed_step"]) == (["CONTINUITY-7"], failed_in)
    assert check["steps"].index(failed_in) < len(check["steps"]) - 1
    assert [one["step"] for one in check["expectations"] if not one["held"]] == [failed_in]


@pytest.mark.parametrize(
    ("sin", "told"),
    [
        ("os._exit(3)", "course/play: the driver ended with exit code 3"),
        (
            'raise talker["UnsupportedError"]("act.restart")',
            "the driver refuses a course of which it has declared every act: act.restart is declared as supported",
        ),
    ],
    ids=["ends", "refuses"],
)
def test_a_driver_of_courses_that_breaks_off_is_an_error_and_no_failure_of_its_engine(
    command: Command, tmp_path: Path, sin: str, told: str
) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(SINFUL.format(talker=str(TALKER), sin=sin), encoding="utf-8")
    code, check = run(command, tmp_path, f"{sys.executable} -P {driver}")

    assert (code, check["outcome"], check["blame"]) == (4, "error", "driver")
    assert check["reason"].startswith(told)

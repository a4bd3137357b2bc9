"""`session-tck render`: the formats of a report that exists already."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from tests.reports.full import full_report
from tests.reports.test_earlier import first, written

from tck_kit.faults import UsageFault
from tck_kit.publish.render_command import render
from tck_reports import files
from tck_reports.errors import ReportReadError, ReportWriteError
from tck_reports.formats import junit, markdown
from tck_reports.formats import table as formats
from tck_reports.reading import read
from tck_reports.report import encode


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "run" / "report.json"
    path.parent.mkdir()
    path.write_bytes(encode(full_report()))
    return path


def rendering(*arguments: str | Path) -> Result:
    return CliRunner().invoke(render, [str(one) for one in arguments], standalone_mode=False, catch_exceptions=False)


def test_all_formats_go_into_a_folder_and_are_named(report: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    done = rendering(report, "-o", out)
    assert done.output.splitlines() == [str(out / one.file) for one in formats.ALL]
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files.rendered(read(report))


def test_a_folder_is_taken_for_the_report_in_it_which_stays_as_it_is(report: Path) -> None:
    before = report.read_bytes()
    rendering(report.parent, "-o", report.parent)
    assert report.read_bytes() == before
    assert {path.name for path in report.parent.iterdir()} == {*files.FORMATS, "report.json"}


def test_one_format_goes_to_standard_output(report: Path) -> None:
    assert rendering(report, "--format", "junit").output == junit.render(read(report))


@pytest.mark.parametrize("names", [["junit", "badge-svg"], ["junit.xml", "badge.svg"], ["junit", "badge.svg", "junit"]])
def test_formats_are_chosen_by_name_or_file(report: Path, tmp_path: Path, names: list[str]) -> None:
    rendering(report, "-o", tmp_path / "out", *(word for name in names for word in ("--format", name)))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"junit.xml", "badge.svg"}


def test_a_report_that_is_not_there_is_said_before_anything_about_formats(tmp_path: Path) -> None:
    with pytest.raises(ReportReadError, match="cannot be read: No such file"):
        rendering(tmp_path / "nothere")


def test_the_list_names_every_format_and_its_file() -> None:
    lines = rendering("--list").output.splitlines()
    assert [line.split()[:2] for line in lines] == [[one.name, one.file] for one in formats.ALL]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "10 formats do not fit into one standard output"),
        (["--format", "junit", "--format", "badge"], "2 formats do not fit into one standard output"),
        (["--format", "pdf"], "--format pdf: there is no such format; name one of html, junit, markdown"),
    ],
)
def test_what_cannot_be_meant_is_a_mistake_of_the_user(report: Path, options: list[str], told: str) -> None:
    with pytest.raises(UsageFault, match=told.replace("(", "\\(")):
        rendering(report, *options)


def test_what_is_no_report_or_was_edited_is_said(report: Path, tmp_path: Path) -> None:
    edited = json.loads(report.read_text())
    edited["implementation"]["name"] = "another"
    report.write_text(json.dumps(edited))
    with pytest.raises(ReportReadError, match="was changed after it was written"):
        rendering(report, "--format", "junit")
    with pytest.raises(ReportReadError, match="No such file"):
        rendering(tmp_path / "nowhere", "--format", "junit")


def test_a_folder_that_cannot_be_written_is_said_and_left(report: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ReportWriteError, match="a file stands in its way"):
        rendering(report, "-o", tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_shell_gets_the_bytes_and_exit_code_2_for_a_mistake(report: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        words = [sys.executable, "-P", "-m", "tck_kit.command_line", "render", str(report), *arguments]
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        return subprocess.run(words, capture_output=True, check=False, timeout=60, env=environment)

    done = run("--format", "junit")
    assert done.returncode == 0
    assert ET.fromstring(done.stdout).tag == "testsuites"  # noqa: S314 -- ours
    report.write_bytes(report.read_bytes()[:1000])
    broken = run("--format", "junit")
    assert (broken.returncode, broken.stdout) == (2, b"")
    assert broken.stderr.startswith(f"session-tck: {report}: is no JSON".encode())
    assert b"Traceback" not in broken.stderr


def test_a_report_of_the_former_schema_is_rendered(tmp_path: Path) -> None:
    path = written(first("session-tck", "run"), tmp_path)
    assert rendering(path, "--format", "markdown").output == markdown.render(read(path))

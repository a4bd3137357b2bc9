"""`session-tck diff`: two reports in, and out of it a text, a comment or JSON, with an exit code for CI."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reports.samples import broke, check, entry, graded, report_of

from tck_kit.command_line import COMMANDS, cli
from tck_reports.errors import ReportReadError, ReportWriteError
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord
from tck_reports.report import content_digest, encode

from ..conftest import Command  # noqa: TID252 -- the fixtures of the room that this one is in

PASSES = check("a", "RESUME-1"), check("b", "RESUME-2")
FAILS = check("a", "RESUME-1", outcome=Outcome.FAILED, expectations=[broke()]), check("b", "RESUME-2")
Diff = Callable[..., int]


def put(folder: Path, name: str, checks: tuple[CheckRecord, ...], cut_short: str | None = None) -> Path:
    """Write a report folder."""
    suite = {one.id: one.requirements for one in PASSES}
    grading = graded([entry("RESUME-1"), entry("RESUME-2")], checks, suite, cut_short=cut_short)
    (folder / name).mkdir()
    (folder / name / "report.json").write_bytes(encode(report_of(grading)))
    return folder / name


@pytest.fixture
def diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Diff:
    """Compare reports in a folder that has `old` and `new`, which is worse."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "old", PASSES)
    put(tmp_path, "new", FAILS)

    def run(*arguments: str) -> int:
        code = cli.main(["diff", *arguments], standalone_mode=False)
        assert isinstance(code, int)
        return code

    return run


def test_the_command_is_in_the_table() -> None:
    assert COMMANDS["diff"] == "tck_kit.publish.diff_command:diff"


def test_exit_codes_are_for_ci(diff: Diff, tmp_path: Path) -> None:
    put(tmp_path, "half", PASSES[:1], cut_short="interrupted")
    assert diff("old", "new") == 1
    assert diff("new", "old") == 0
    assert diff("old", "old") == 0
    assert diff("old", "half") == 3
    assert diff("half", "old") == 3
    assert diff("half", "new") == 1


def test_folders_and_files_are_the_same(diff: Diff, capsys: pytest.CaptureFixture[str]) -> None:
    diff("old", "new")
    folders = capsys.readouterr().out
    diff("old/report.json", "new/report.json")
    assert capsys.readouterr().out == folders
    assert folders.endswith("\n1 regression\n")


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("markdown", "<!-- session-tck diff: simulator -->\n### ❌ 1 regression\n"), ("json", '{\n  "schema": "urn:')],
)
def test_a_file_holds_what_the_terminal_would_show(
    diff: Diff, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, beginning: str
) -> None:
    diff("old", "new", "--format", form)
    shown = capsys.readouterr().out
    assert diff("old", "new", "--format", form, "-o", "out") == 1
    assert (tmp_path / "out").read_text(encoding="utf-8") == shown
    assert shown.startswith(beginning)
    assert capsys.readouterr().out == "1 regression (out)\n"


def test_a_name_tells_one_comment_from_another(diff: Diff, capsys: pytest.CaptureFixture[str]) -> None:
    diff("old", "new", "--format", "markdown", "--name", "node 20")
    assert capsys.readouterr().out.startswith("<!-- session-tck diff: node 20 -->\n")


def test_one_engine_under_two_names_can_be_compared(diff: Diff, tmp_path: Path) -> None:
    _edit(tmp_path / "new", lambda report: report["implementation"].update(name="renamed"))
    assert (diff("old", "new"), diff("old", "new", "--one-engine")) == (3, 1)


def _edit(folder: Path, change: Callable[[dict[str, Any]], object], *, sign: bool = True) -> None:
    path = folder / "report.json"
    report = json.loads(path.read_bytes())
    change(report)
    if sign:
        report["digest"] = content_digest(report)
    path.write_text(json.dumps(report), encoding="utf-8")


def test_a_report_that_was_edited_is_refused_and_nothing_is_written(diff: Diff, tmp_path: Path) -> None:
    _edit(tmp_path / "new", lambda report: report["checks"][0].update(outcome="passed"), sign=False)
    with pytest.raises(ReportReadError, match=r"new/report\.json: was changed after it was written"):
        diff("old", "new", "-o", "out")
    assert not (tmp_path / "out").exists()


def test_a_file_that_cannot_be_written_is_a_named_error_and_leaves_nothing(diff: Diff, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    with pytest.raises(ReportWriteError, match="nowhere/out"):
        diff("old", "new", "-o", "nowhere/out")
    assert set(tmp_path.rglob("*")) == before


WRONG: list[tuple[str, bytes | None, str]] = [
    ("nothing", None, "cannot be read: No such file or directory"),
    ("no JSON", b"{", "is no JSON"),
    ("half a report", b'{"schema": "urn:session-tck:schemas/report-2.json", "digest": ', "is no JSON"),
    ("another schema", b'{"schema": "urn:session-tck:schemas/report-9.json"}', "not a report of a schema"),
    ("no report", b'{"schema": "urn:session-tck:schemas/report-2.json"}', "does not fit its schema"),
    ("no UTF-8", b"\xff\xfe", "is no JSON"),
]


@pytest.mark.parametrize(("content", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_no_report_is_named(diff: Diff, tmp_path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "wrong.json").write_bytes(content)
    with pytest.raises(ReportReadError, match=words) as caught:
        diff("old", "wrong.json")
    assert str(caught.value).startswith("wrong.json: ")


def test_a_mistake_of_the_user_is_one_line_and_exit_code_2(command: Command, tmp_path: Path) -> None:
    done = command("diff", "old", "new", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("session-tck: old: cannot be read: ")

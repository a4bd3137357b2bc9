"""Every file named like a report is read as one, wherever it lies, and nothing is read twice or without end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tck_reports.errors import ReportReadError
from tck_reports.matrix.publishing import MARKER
from tck_reports.matrix.sources import NO_REPORTS, Source, content, found


def names(folder: Path) -> list[str]:
    return [one.name for one in found(folder)]


def files(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("{}")


def test_every_json_below_the_folder_is_found_in_one_order(tmp_path: Path) -> None:
    files(tmp_path, "b/report.json", "a/1.0/report.json", "a-1.2.json", "A/Report.JSON", "b/report.html", "notes.md")
    assert names(tmp_path) == ["A/Report.JSON", "a-1.2.json", "a/1.0/report.json", "b/report.json"]


def test_what_the_kit_itself_writes_beside_reports_is_left_aside(tmp_path: Path) -> None:
    files(tmp_path, "report.json", "campaign.json", "kill-matrix.json", *NO_REPORTS)
    assert names(tmp_path) == ["report.json"]
    assert {"badge.json", "campaign.json", "ctrf.json", "kill-matrix.json"} <= NO_REPORTS
    assert "report.json" not in NO_REPORTS


def test_any_other_json_has_to_be_a_report(tmp_path: Path) -> None:
    files(tmp_path, "package.json")
    assert names(tmp_path) == ["package.json"]


def test_what_is_hidden_and_what_is_a_site_is_left_aside(tmp_path: Path) -> None:
    files(tmp_path, "a.json", ".git/b.json", ".report.json.1a2b", ".c.json", "site/data/matrix.json", f"site/{MARKER}")
    assert names(tmp_path) == ["a.json"]


def test_a_link_to_what_is_read_anyway_is_not_followed(tmp_path: Path) -> None:
    files(tmp_path, "1.0/report.json")
    (tmp_path / "latest").symlink_to("1.0")
    (tmp_path / "latest.json").symlink_to("1.0/report.json")
    (tmp_path / "1.0" / "up").symlink_to("..")
    (tmp_path / "self").symlink_to(".")
    assert names(tmp_path) == ["1.0/report.json"]


def test_what_lies_elsewhere_is_followed_once(tmp_path: Path) -> None:
    files(tmp_path, "elsewhere/report.json", "reports/a.json")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "reports")
    (tmp_path / "elsewhere" / "around").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "reports" / "here").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "reports" / "there").symlink_to(tmp_path / "elsewhere")
    assert names(tmp_path / "reports") == ["a.json", "here/report.json"]


def test_a_link_that_leads_nowhere_or_around_is_a_report_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "gone.json").symlink_to("nowhere")
    (tmp_path / "round.json").symlink_to("round.json")
    assert names(tmp_path) == ["gone.json", "round.json"]
    for one in found(tmp_path):
        with pytest.raises(ReportReadError, match="cannot be read"):
            content(one, 100)


def test_a_folder_that_is_reached_through_a_link_is_walked(tmp_path: Path) -> None:
    files(tmp_path, "reports/a.json")
    (tmp_path / "link").symlink_to("reports")
    assert names(tmp_path / "link") == ["a.json"]


@pytest.mark.parametrize("name", ["nowhere", "a.json", "bad\0name", "x" * 300])
def test_what_is_no_folder_is_one_clear_error(tmp_path: Path, name: str) -> None:
    files(tmp_path, "a.json")
    with pytest.raises(ReportReadError, match="name the folder"):
        found(tmp_path / name)


def test_folders_without_end_are_one_clear_error(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(70):
        deep /= "d"
        deep.mkdir()
    with pytest.raises(ReportReadError, match="deeper than 64 folders"):
        found(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_one_clear_error(tmp_path: Path) -> None:
    files(tmp_path, "closed/a.json")
    (tmp_path / "closed").chmod(0)
    try:
        with pytest.raises(ReportReadError, match="Permission denied"):
            found(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_a_name_that_is_no_text_is_shown_as_one(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/\xff\x1b[31m")  # noqa: PTH102 -- bytes
    files(tmp_path, "\udcff\x1b[31m/a.json")
    (one,) = found(tmp_path)
    assert one.name == "\\udcff\\x1b[31m/a.json"
    assert content(one, 100) == b"{}"


def test_a_name_of_two_lines_is_shown_on_one(tmp_path: Path) -> None:
    files(tmp_path, "a.json: fine\n  b.json")
    assert names(tmp_path) == ["a.json: fine\\n  b.json"]


def test_a_pipe_and_a_folder_of_that_name_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    assert names(tmp_path) == ["pipe.json"]
    with pytest.raises(ReportReadError, match="is not a file"):
        content(found(tmp_path)[0], 100)


def test_a_file_that_is_gone_or_too_large_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ReportReadError, match="No such file"):
        content(Source(str(tmp_path / "a.json"), "a.json"), 100)
    (tmp_path / "a.json").write_bytes(b"x" * 101)
    with pytest.raises(ReportReadError, match="is larger than"):
        content(Source(str(tmp_path / "a.json"), "a.json"), 100)

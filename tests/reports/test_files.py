"""A report folder holds whole files of one run, or an error says why it does not."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tck_reports import files
from tck_reports.errors import ReportWriteError
from tck_reports.files import write_all, write_whole
from tck_reports.report import read

from .samples import check, entry, graded, large_run, mixed_report, report_of

NAMES = ["junit.xml", "report.html", "report.json", "summary.md"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_formats_are_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "report"
    paths = write_all(mixed_report(), folder)
    assert names(folder) == NAMES
    assert paths[-1] == folder / "report.json"
    assert read(folder / "report.json") == mixed_report()


def test_an_older_report_is_replaced(tmp_path: Path) -> None:
    write_all(mixed_report(), tmp_path)
    newer = report_of(graded([entry("RESUME-1")], [check("a", "RESUME-1")]))
    write_all(newer, tmp_path)
    assert names(tmp_path) == NAMES
    assert read(tmp_path / "report.json") == newer


def test_a_file_in_place_of_the_folder_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("mine")
    with pytest.raises(ReportWriteError, match="a file stands in its way"):
        write_all(mixed_report(), tmp_path / "report")
    with pytest.raises(ReportWriteError, match="a file stands in its way"):
        write_all(mixed_report(), tmp_path / "report" / "below")
    assert (tmp_path / "report").read_text() == "mine"


def test_a_folder_in_place_of_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(ReportWriteError, match="folder that bears the name of a report file"):
        write_all(mixed_report(), tmp_path)
    assert names(tmp_path) == ["report.html"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is read-only for everybody on Linux alone")
def test_a_read_only_place_is_one_clear_error() -> None:
    with pytest.raises(ReportWriteError) as caught:
        write_all(mixed_report(), Path("/proc/session-tck"))
    assert caught.value.where == "/proc/session-tck"
    assert caught.value.cure
    with pytest.raises(ReportWriteError):
        write_all(mixed_report(), Path("/proc"))


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_an_impossible_name_is_one_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(ReportWriteError, match="the report cannot be written"):
        write_all(mixed_report(), tmp_path / name)


@pytest.mark.parametrize("place", ["write", "fsync"])
def test_a_full_disk_leaves_the_older_file_whole_and_no_report_json(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(mixed_report(), tmp_path)
    before = (tmp_path / "report.html").read_bytes()

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, place, full)
    with pytest.raises(ReportWriteError, match="No space left on device; free some space"):
        write_all(report_of(graded([], [])), tmp_path)
    monkeypatch.undo()
    assert (tmp_path / "report.html").read_bytes() == before
    assert names(tmp_path) == ["junit.xml", "report.html", "summary.md"]


def test_a_disk_that_fills_up_in_the_middle_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    left = 30_000

    def nearly_full(descriptor: int, content: bytes) -> int:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real(descriptor, content[: min(left, 1000)])
        left -= written
        return written

    monkeypatch.setattr(os, "write", nearly_full)
    with pytest.raises(ReportWriteError):
        write_all(mixed_report(), tmp_path)
    monkeypatch.undo()
    assert all(path.read_text().endswith("\n") or path.suffix == ".html" for path in tmp_path.iterdir())
    assert not list(tmp_path.glob(".*"))
    assert not (tmp_path / "report.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a process's files")
def test_a_real_limit_on_the_size_of_files_is_one_clear_error(tmp_path: Path) -> None:
    program = (
        "import resource, signal, sys; from pathlib import Path; from tck_reports.files import write_whole\n"
        "from tck_reports.errors import ReportWriteError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_whole(Path(sys.argv[1]) / 'x', b'x' * 5000)\n"
        "except ReportWriteError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "File too large; name a folder on a disk that takes larger files" in done.stdout
    assert names(tmp_path) == []


def test_a_write_goes_on_after_a_partial_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: real(descriptor, content[:7]))
    assert write_whole(tmp_path / "x", b"0123456789" * 10).read_bytes() == b"0123456789" * 10


def test_a_format_that_cannot_be_rendered_changes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(mixed_report(), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def broken(_: object) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr(files, "FORMATS", {**files.FORMATS, "summary.md": broken})
    with pytest.raises(RuntimeError):
        write_all(report_of(graded([], [])), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_run_of_full_size_is_written_within_a_second(tmp_path: Path) -> None:
    grading = large_run()
    started = time.process_time()
    write_all(report_of(grading), tmp_path)
    assert time.process_time() - started < 1.0


def test_importing_the_files_module_loads_neither_rich_nor_jinja_nor_jsonschema() -> None:
    program = (
        "import sys, tck_reports.files, tck_reports.terminal\n"
        "print([name for name in ('rich', 'jinja2', 'jsonschema') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

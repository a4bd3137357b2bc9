"""A report folder holds whole files of one run, or an error says why it does not."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tck_reports import files
from tck_reports.errors import ReportWriteError
from tck_reports.files import write_all, write_whole
from tck_reports.reading import read

from .samples import check, entry, graded, mixed_report, report_of

NAMES = sorted([*files.FORMATS, "report.json"])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


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
def test_a_full_disk_leaves_everything_as_it_was(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(mixed_report(), tmp_path)
    before = contents(tmp_path)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, place, full)
    with pytest.raises(ReportWriteError, match="No space left on device; free some space"):
        write_all(report_of(graded([], [])), tmp_path)
    monkeypatch.undo()
    assert contents(tmp_path) == before


def test_a_disk_that_fills_up_in_the_middle_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(report_of(graded([], [])), tmp_path)
    before = contents(tmp_path)
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
    assert left == 0
    assert contents(tmp_path) == before


def test_a_failure_while_the_files_are_put_in_their_places_leaves_no_report_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(report_of(graded([], [])), tmp_path)
    real = Path.replace

    def unwilling(self: Path, target: Path) -> Path:
        if target.name == "ctrf.json":
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", unwilling)
    with pytest.raises(ReportWriteError, match="Input/output error; name another folder"):
        write_all(mixed_report(), tmp_path)
    monkeypatch.undo()
    assert names(tmp_path) == [one for one in NAMES if one != "report.json"]


def test_what_a_killed_process_left_beside_the_files_is_swept(tmp_path: Path) -> None:
    for name in (".report.html.0123abcd", ".junit.xml.deadbeef", ".report.html.note", ".other.0123abcd"):
        (tmp_path / name).write_text("half")
    write_all(mixed_report(), tmp_path)
    assert names(tmp_path) == sorted([*NAMES, ".report.html.note", ".other.0123abcd"])


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
    assert "File too large; name a file on a disk that takes larger files" in done.stdout
    assert names(tmp_path) == []


def test_a_write_goes_on_after_a_partial_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: real(descriptor, content[:7]))
    assert write_whole(tmp_path / "x", b"0123456789" * 10).read_bytes() == b"0123456789" * 10


def test_a_format_that_cannot_be_rendered_changes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(mixed_report(), tmp_path)
    before = contents(tmp_path)

    def broken(_: object) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr(files, "FORMATS", {**files.FORMATS, "summary.md": broken})
    with pytest.raises(RuntimeError):
        write_all(report_of(graded([], [])), tmp_path)
    assert contents(tmp_path) == before


def test_importing_the_files_module_loads_no_writer_and_neither_rich_nor_jinja_nor_jsonschema() -> None:
    program = (
        "import sys, tck_reports.files, tck_reports.terminal\n"
        "late = ('rich', 'jinja2', 'jsonschema', 'tck_reports.formats.cucumber')\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_link_stays_a_link_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    for name, target in (("link", "there/file"), ("new", "there/other")):
        (tmp_path / name).symlink_to(target)
        write_whole(tmp_path / name, b"new")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / target).read_bytes() == b"new"
    assert names(tmp_path / "there") == ["file", "other"]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(tmp_path / "pipe", b"all of it")
        assert os.read(reader, 100) == b"all of it"
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == ["pipe"]


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root may make a device")
def test_a_device_stays_a_device(tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.mknod(tmp_path / "full", stat.S_IFCHR | 0o666, os.makedev(1, 7))
        os.close(os.open(tmp_path / "null", os.O_WRONLY))
    except OSError as error:
        pytest.skip(f"no device can be made here: {error}")
    (tmp_path / "link").symlink_to("null")
    write_whole(tmp_path / "null", b"gone")
    write_whole(tmp_path / "link", b"gone")
    with pytest.raises(ReportWriteError, match="this file cannot be written: No space left"):
        write_whole(tmp_path / "full", b"gone")
    assert (tmp_path / "null").is_char_device()
    assert (tmp_path / "full").is_char_device()
    assert names(tmp_path) == ["full", "link", "null"]


def test_what_is_no_file_is_one_clear_error_about_the_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for name, why in (
        (".", "name a file; this is a folder"),
        ("none/file", "make its folder first"),
        ("loop", "the link leads to itself"),
    ):
        with pytest.raises(ReportWriteError, match="this file cannot be written") as caught:
            write_whole(tmp_path / name, b"x")
        assert why in caught.value.cure
    assert names(tmp_path) == ["loop"]


def test_another_file_of_the_report_is_put_in_its_place_with_it_or_taken_away_with_the_old_one(tmp_path: Path) -> None:
    with files.waiting(tmp_path / "trace.ndjson") as waiting:
        waiting.write_text("trace")
        write_all(mixed_report(), tmp_path, {"trace.ndjson": waiting})
    assert (tmp_path / "trace.ndjson").read_text() == "trace"
    assert names(tmp_path) == sorted([*NAMES, "trace.ndjson"])
    write_all(mixed_report(), tmp_path, {"trace.ndjson": None})
    assert names(tmp_path) == NAMES


@pytest.mark.parametrize("new", [True, False])
def test_where_the_report_has_no_room_the_former_trace_stays(
    new: bool,  # noqa: FBT001 -- a parameter of the test
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_all(mixed_report(), tmp_path)
    (tmp_path / "trace.ndjson").write_text("old")
    before = contents(tmp_path)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with files.waiting(tmp_path / "trace.ndjson") as waiting:
        waiting.write_text("new")
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(ReportWriteError):
            write_all(mixed_report(), tmp_path, {"trace.ndjson": waiting if new else None})
        monkeypatch.undo()
    assert contents(tmp_path) == before

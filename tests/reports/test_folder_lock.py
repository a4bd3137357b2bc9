"""One process writes into a folder; another is told so, and one that has died holds nobody up."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tck_reports.errors import ReportWriteError
from tck_reports.files import kept, write_all
from tck_reports.folder_lock import NAME, locked

from .samples import mixed_report

HOLDER = (
    "import sys; from pathlib import Path; from tck_reports.folder_lock import locked\n"
    "with locked(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
)


@contextmanager
def held_by_another(folder: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


def test_a_second_writer_is_told_and_changes_nothing(tmp_path: Path) -> None:
    write_all(mixed_report(), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with held_by_another(tmp_path):
        with pytest.raises(ReportWriteError) as caught:
            write_all(mixed_report(), tmp_path)
        with pytest.raises(ReportWriteError, match="another run is writing here"), kept(tmp_path):
            pytest.fail("not reached")
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != NAME} == before
    assert str(caught.value) == (
        f"{tmp_path}: another run is writing here; wait until it has ended, or name another folder"
    )


def test_once_it_has_ended_the_folder_is_free_and_clean(tmp_path: Path) -> None:
    with held_by_another(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
    with locked(tmp_path):
        assert (tmp_path / NAME).exists()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_process_that_was_killed_is_taken_over(tmp_path: Path) -> None:
    with held_by_another(tmp_path) as process:
        process.kill()
        process.wait()
    assert (tmp_path / NAME).exists()
    write_all(mixed_report(), tmp_path)
    assert not (tmp_path / NAME).exists()


def test_a_file_that_was_left_behind_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("1\n")
    with locked(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_whoever_holds_a_folder_may_write_into_it(tmp_path: Path) -> None:
    with kept(tmp_path):
        write_all(mixed_report(), tmp_path)
        assert (tmp_path / NAME).exists()
    assert (tmp_path / "report.json").exists()
    assert not (tmp_path / NAME).exists()


def test_a_forked_child_does_not_hold_what_its_parent_holds(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from tck_reports.folder_lock import locked\n"
        "folder = Path(sys.argv[1])\n"
        "with locked(folder):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            with locked(folder): os._exit(0)\n"
        "        except Exception: os._exit(7)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "7\n"


def test_a_lock_can_be_elsewhere_for_a_folder_that_is_swapped(tmp_path: Path) -> None:
    folder, lock = tmp_path / "site", tmp_path / ".site.lock"
    with locked(folder, lock):
        assert lock.exists()
        assert not folder.exists()
    assert not lock.exists()


def test_a_lock_that_was_removed_while_it_was_opened_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, opened = os.open, list[Path]()

    def open_and_lose(path: Path, flags: int, mode: int) -> int:
        descriptor = real(path, flags, mode)
        opened.append(path)
        if len(opened) == 1:
            path.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose)
    with locked(tmp_path):
        monkeypatch.undo()
        assert (tmp_path / NAME).exists()
    assert len(opened) == 2


def test_a_file_system_without_locks_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", without)
    write_all(mixed_report(), tmp_path)
    assert (tmp_path / "report.json").exists()
    assert not (tmp_path / NAME).exists()

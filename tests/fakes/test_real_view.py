"""The file system of this process, as a stand-in that is a program of its own sees it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tck_fakes.real_view import RealView

VIEW = RealView()


def test_what_is_appended_to_a_line_that_was_cut_off_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b.jsonl"
    VIEW.append(str(file), b"one\n", 0o600)
    file.write_bytes(b"one\ntw")
    VIEW.append(str(file), b"three\n")
    assert file.read_bytes() == b"one\ntw\nthree\n"
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_is_written_replaces_what_was_there(tmp_path: Path) -> None:
    VIEW.write(str(tmp_path / "f"), b"long before")
    VIEW.write(str(tmp_path / "f"), b"now")
    assert VIEW.read(str(tmp_path / "f")) == b"now"


@pytest.mark.parametrize(("kind", "number"), [("pipe", errno.EACCES), ("folder", errno.EISDIR), ("no", errno.ENOENT)])
def test_what_is_no_regular_file_is_neither_read_nor_waited_for(tmp_path: Path, kind: str, number: int) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=kind) as caught:
        VIEW.read(str(tmp_path / kind))
    assert caught.value.errno == number


def test_a_pipe_in_the_way_is_not_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"):
        VIEW.append(str(tmp_path / "pipe"), b"x")


def test_a_file_may_be_made_where_the_nearest_folder_may_be_written_in(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert VIEW.may_write(str(tmp_path / "new" / "deep" / "f"))
    assert VIEW.may_write(str(tmp_path / "file"))
    assert not VIEW.may_write(str(tmp_path / "file" / "below" / "f"))


def test_each_folder_is_looked_into_once_whatever_links_to_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f").touch()
    (tmp_path / "a" / "round").symlink_to(tmp_path)
    assert VIEW.files(str(tmp_path)) == [f"{tmp_path}/a/f"]


def test_a_link_takes_the_place_of_whatever_is_there(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    VIEW.link(str(tmp_path / "folder"), "/nowhere")
    VIEW.link(str(tmp_path / "folder"), "/elsewhere")
    assert (tmp_path / "folder").readlink() == Path("/elsewhere")


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    place = str(tmp_path / "locks" / "one.lock")
    assert VIEW.hold(place)
    assert not VIEW.hold(place)
    assert VIEW.hold(str(tmp_path / "locks" / "two.lock"))


def test_where_no_lock_can_be_made_nobody_is_kept_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert VIEW.hold(str(tmp_path / "file" / "one.lock"))

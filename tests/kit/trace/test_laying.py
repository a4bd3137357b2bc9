from __future__ import annotations

import base64
import os
import stat
import zlib
from pathlib import Path
from typing import Any

import pytest

from tck_kit.trace.disk import MOST_BYTES, Disk, held, short
from tck_kit.trace.laying import Layer, RefusedError
from tck_kit.trace.watching import watch


def _file(path: str, text: str = "text") -> dict[str, Any]:
    return {"path": path, "is": "file", "mode": "600", "time": 1_700_000_000_000_000_000, "text": text}


def _dir(path: str, mode: str = "755") -> dict[str, Any]:
    return {"path": path, "is": "dir", "mode": mode, "time": 1_700_000_000_000_000_000}


@pytest.mark.parametrize(
    "path",
    ["../out", "a/../../out", "/etc/out", "", ".", "a/./out", "a//out", "containers/x", "a/..", "nul\0"],
)
def test_a_path_that_is_not_below_the_folder_is_refused(path: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "a").mkdir(parents=True)
    layer = Layer(place)

    with pytest.raises(RefusedError):
        layer.lay([_file(path)])
    layer.close()

    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "place"]


@pytest.mark.parametrize("change", [_file("link/out"), {"path": "link/kept", "is": "gone"}, _dir("link/out")])
def test_nothing_is_laid_or_removed_through_a_link(change: dict[str, Any], tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept", encoding="utf-8")
    place = tmp_path / "place"
    place.mkdir()
    layer = Layer(place)
    layer.lay([{"path": "link", "is": "link", "to": str(outside)}])

    with pytest.raises(RefusedError, match="link"):
        layer.lay([change])
    layer.close()

    assert [path.name for path in outside.iterdir()] == ["kept"]


def test_a_file_in_the_place_of_a_link_does_not_touch_what_that_led_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("kept", encoding="utf-8")
    place = tmp_path / "place"
    place.mkdir()
    (place / "file").symlink_to(outside)
    layer = Layer(place)

    layer.lay([_file("file", "laid")])
    layer.close()

    assert outside.read_text(encoding="utf-8") == "kept"
    assert (place / "file").read_text(encoding="utf-8") == "laid"


def test_a_tree_that_is_laid_is_the_one_that_was_held(tmp_path: Path) -> None:
    was, now = tmp_path / "was", tmp_path / "now"
    was.mkdir()
    now.mkdir()
    disk = Disk(was)
    state = was / "base" / "state"
    state.mkdir(parents=True)
    (state / "text.jsonl").write_text("{}\n", encoding="utf-8")
    (state / "rows.db").write_bytes(b"SQLite\0\xff" * 10)
    (state / "link").symlink_to("../elsewhere")
    os.mkfifo(state / "pipe")
    (state / "text.jsonl").chmod(0o640)
    os.utime(state / "rows.db", ns=(5, 1_600_000_000_000_000_001))
    state.chmod(0o500)
    layer = Layer(now)

    layer.lay(held(disk.changes(to_the_time=True)))
    layer.close()

    laid = now / "base" / "state"
    assert (laid / "text.jsonl").read_text(encoding="utf-8") == "{}\n"
    assert (laid / "rows.db").read_bytes() == b"SQLite\0\xff" * 10
    assert (laid / "link").readlink() == Path("../elsewhere")
    assert stat.S_ISFIFO((laid / "pipe").lstat().st_mode)
    assert [stat.S_IMODE((laid / name).stat().st_mode) for name in (".", "text.jsonl")] == [0o500, 0o640]
    for name in (".", "text.jsonl", "rows.db"):
        assert (laid / name).stat().st_mtime_ns == (state / name).stat().st_mtime_ns


def test_what_is_gone_is_taken_away_even_where_its_directory_is_read_only(tmp_path: Path) -> None:
    layer = Layer(tmp_path)
    layer.lay([_dir("base"), _dir("base/closed", "500"), _file("base/closed/one"), _file("base/closed/two")])

    layer.lay([{"path": "base/closed/one", "is": "gone"}])
    assert [path.name for path in (tmp_path / "base" / "closed").iterdir()] == ["two"]
    assert stat.S_IMODE((tmp_path / "base" / "closed").stat().st_mode) == 0o500

    layer.lay([{"path": "base/closed", "is": "gone"}, {"path": "base/closed/two", "is": "gone"}])
    layer.close()
    assert [path.name for path in (tmp_path / "base").iterdir()] == []


def test_a_file_that_unpacks_to_more_than_a_file_may_have_is_refused(tmp_path: Path) -> None:
    bomb = base64.b64encode(zlib.compress(b"\0" * (MOST_BYTES + 1))).decode("ascii")
    layer = Layer(tmp_path)

    with pytest.raises(RefusedError, match="more than"):
        layer.lay([{"path": "bomb", "is": "file", "mode": "600", "packed": bomb}])
    layer.close()


@pytest.mark.parametrize(
    "change",
    [
        {"path": "one", "is": "file", "mode": "600", "packed": "!!!"},
        {"path": "one", "is": "file", "mode": "600", "size": 1 << 62, "digest": "x"},
        {"path": "one", "is": "file", "text": "no mode"},
        {"path": "one", "is": "file", "mode": "600", "text": "\udc80"},
        {"path": "one", "is": "link"},
        {"path": "n" * 300, "is": "dir", "mode": "755"},
        {"path": "a/" * 3 + "one", "is": "link", "to": ""},
    ],
)
def test_what_cannot_be_laid_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    layer = Layer(tmp_path)

    with pytest.raises(RefusedError):
        layer.lay([change])
    layer.close()


def test_a_large_file_is_held_by_its_digest_and_laid_without_its_content(tmp_path: Path) -> None:
    was, now = tmp_path / "was", tmp_path / "now"
    was.mkdir()
    now.mkdir()
    disk = Disk(was)
    (was / "large").write_bytes(b"x" * (MOST_BYTES + 1))
    (change,) = held(disk.changes(to_the_time=True))
    layer = Layer(now)

    layer.lay([change])
    layer.close()

    assert change["size"] == MOST_BYTES + 1
    assert len(change["digest"]) == 64
    assert (now / "large").stat().st_size == MOST_BYTES + 1
    assert list(layer.hollow) == [f"{now}/large"]


def test_a_file_that_was_written_again_within_a_tick_of_the_clock_is_another_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("one", encoding="utf-8")
    before = (tmp_path / "file").stat()
    disk = Disk(tmp_path)

    (tmp_path / "file").write_text("two", encoding="utf-8")
    os.utime(tmp_path / "file", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert list(short(disk.changes(to_the_time=False), bytes)) == ["file"]


def test_layers_of_stand_in_containers_are_not_looked_at(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    (tmp_path / "containers" / "1").mkdir(parents=True)
    (tmp_path / "base").mkdir()

    assert list(disk.changes(to_the_time=False)) == ["base"]


def test_somebody_is_told_what_is_written_and_what_is_read(tmp_path: Path) -> None:
    told: list[tuple[str | None, bool]] = []
    watch(lambda path, writes: told.append((path, writes)))
    try:
        (tmp_path / "made").mkdir()
        (tmp_path / "file").write_text("x", encoding="utf-8")
        (tmp_path / "file").read_text(encoding="utf-8")
        (tmp_path / "link").symlink_to("file")
        (tmp_path / "file").rename(tmp_path / "moved")
        (tmp_path / "moved").unlink()
    finally:
        watch(None)
    (tmp_path / "unheard").mkdir()

    assert told == [
        (f"{tmp_path}/made", True),
        (f"{tmp_path}/file", True),
        (f"{tmp_path}/file", False),
        (f"{tmp_path}/link", True),
        (f"{tmp_path}/file", True),
        (f"{tmp_path}/moved", True),
        (f"{tmp_path}/moved", True),
    ]

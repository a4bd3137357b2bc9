"""A site takes the place of the former one as a whole, or not at all, and nobody else's files with it."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
import textwrap
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tck_reports.errors import ReportWriteError
from tck_reports.matrix import publishing
from tck_reports.matrix.publishing import MARKER, replacing, write


def publish(place: Path, **files: str) -> None:
    with replacing(place) as beside:
        write(((name, content.encode()) for name, content in files.items()), beside)


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MARKER
    }


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["exchanged", "renamed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Go both ways: one step of the kernel, and two renames where it has none."""
    if request.param == "renamed":
        monkeypatch.setattr(publishing, "_swapped", lambda *_: False)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_a_site_is_made_and_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "site"
    publish(place, **{"index.html": "one", "a/b/old.html": "old"})
    assert tree(place) == {"index.html": "one", "a/b/old.html": "old"}
    publish(place, **{"index.html": "two"})
    assert tree(place) == {"index.html": "two"}
    assert names(place) == [MARKER, "index.html"]
    assert names(place.parent) == ["site"]


def test_an_empty_folder_becomes_a_site(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir(mode=0o750)
    publish(tmp_path / "site", index="one")
    assert tree(tmp_path / "site") == {"index": "one"}
    assert stat.S_IMODE((tmp_path / "site").stat().st_mode) == 0o750


def test_a_folder_of_somebody_elses_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.txt").write_text("mine")
    with pytest.raises(ReportWriteError, match="holds files that are no site"):
        publish(tmp_path / "site", index="one")
    assert tree(tmp_path / "site") == {"thesis.txt": "mine"}
    assert names(tmp_path) == ["site"]


@pytest.mark.parametrize("foreign", [".git/config", "CNAME", "engines/mine.html"])
def test_what_was_not_written_with_a_site_is_named_and_neither_it_nor_the_site_is_touched(
    tmp_path: Path, foreign: str
) -> None:
    publish(tmp_path / "site", **{"index": "one", "engines/a.html": "a"})
    (tmp_path / "site" / foreign).parent.mkdir(exist_ok=True)
    (tmp_path / "site" / foreign).write_text("mine")
    before = tree(tmp_path / "site")
    named = foreign.replace("config", "")
    with pytest.raises(ReportWriteError, match=f"did not write, and would take away: {named}"):
        publish(tmp_path / "site", index="two")
    assert tree(tmp_path / "site") == before
    assert names(tmp_path) == ["site"]


def test_a_link_to_a_folder_in_a_site_is_not_taken_away_and_litter_is(tmp_path: Path) -> None:
    publish(tmp_path / "site", index="one")
    (tmp_path / "site" / ".DS_Store").write_text("")
    publish(tmp_path / "site", index="two")
    assert names(tmp_path / "site") == [MARKER, "index"]
    (tmp_path / "site" / "link").symlink_to(tmp_path)
    with pytest.raises(ReportWriteError, match="would take away: link"):
        publish(tmp_path / "site", index="three")


def test_a_file_in_the_place_or_above_it_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    for place in (tmp_path / "site", tmp_path / "site" / "below"):
        with pytest.raises(ReportWriteError, match="a file stands in its way"):
            publish(place, index="one")
    assert (tmp_path / "site").read_text() == "mine"


def test_the_root_and_a_name_that_is_none_are_no_places() -> None:
    with pytest.raises(ReportWriteError, match="is no place for a site"):
        publish(Path("/"), index="one")
    with pytest.raises(ReportWriteError, match="null byte"):
        publish(Path("bad\0name"), index="one")


def test_a_link_stays_a_link_to_the_site(tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    (tmp_path / "site").symlink_to("www")
    publish(tmp_path / "site", index="one")
    publish(tmp_path / "site", index="two")
    assert (tmp_path / "site").is_symlink()
    assert tree(tmp_path / "www") == {"index": "two"}


@pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out", ""])
def test_no_file_is_written_outside(tmp_path: Path, path: str) -> None:
    publish(tmp_path / "site", index="one")
    with pytest.raises(ValueError, match="no path below a site"), replacing(tmp_path / "site") as beside:
        write([(path, b"x")], beside)
    assert tree(tmp_path / "site") == {"index": "one"}
    assert names(tmp_path) == ["site"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt(), ReportWriteError("a", "b", "c")])
@pytest.mark.usefixtures("way")
def test_whatever_ends_the_writing_the_former_site_stays(tmp_path: Path, error: BaseException) -> None:
    publish(tmp_path / "site", index="one")

    def broken() -> Iterator[tuple[str, bytes]]:
        yield "index", b"two"
        raise error

    with pytest.raises((ReportWriteError, KeyboardInterrupt)), replacing(tmp_path / "site") as beside:
        write(broken(), beside)
    assert tree(tmp_path / "site") == {"index": "one"}
    assert names(tmp_path) == ["site"]


def test_a_full_disk_is_one_clear_error(tmp_path: Path) -> None:
    publish(tmp_path / "site", index="one")
    with (
        pytest.raises(ReportWriteError, match="takes larger files"),
        replacing(tmp_path / "site") as beside,
        _files_of_at_most(4096),
    ):
        write([("small", b"x"), ("large", b"x" * 100_000)], beside)
    assert tree(tmp_path / "site") == {"index": "one"}
    assert names(tmp_path) == ["site"]


@contextmanager
def _files_of_at_most(count: int) -> Generator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_where_the_second_rename_fails_the_first_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path / "site", index="one")
    monkeypatch.setattr(publishing, "_swapped", lambda *_: False)
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name.endswith(".new"):
            raise OSError(errno.ENOSPC, "full")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(ReportWriteError, match="free some space"):
        publish(tmp_path / "site", index="two")
    assert tree(tmp_path / "site") == {"index": "one"}
    assert names(tmp_path) == ["site"]


def test_a_site_whose_writer_was_killed_between_two_renames_comes_back(tmp_path: Path) -> None:
    publish(tmp_path / "site", index="one")
    (tmp_path / "site").rename(tmp_path / ".site.0a1b2c3d.old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "site"):
        raise KeyboardInterrupt
    assert tree(tmp_path / "site") == {"index": "one"}


def test_what_a_killed_writer_left_is_swept_away_and_nothing_else(tmp_path: Path) -> None:
    for name in (
        ".site.0a1b2c3d.new",
        ".site.0a1b2c3e.old",
        ".other.0a1b2c3d.new",
        ".site.mine.new",
        "site.0a1b2c3d.new",
    ):
        (tmp_path / name).mkdir()
    publish(tmp_path / "site", index="one")
    assert names(tmp_path) == [".other.0a1b2c3d.new", ".site.mine.new", "site", "site.0a1b2c3d.new"]


def test_two_writers_at_once_are_an_error_of_the_second(tmp_path: Path) -> None:
    publish(tmp_path / "site", index="one")
    program = """
        import sys
        from pathlib import Path
        from tck_reports.errors import ReportWriteError
        from tck_reports.matrix.publishing import replacing
        try:
            with replacing(Path(sys.argv[1])):
                print("written")
        except ReportWriteError as error:
            print(error)
    """
    words = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "site")]
    with replacing(tmp_path / "site") as beside:
        write([("index", b"two")], beside)
        second = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "another run is writing here" in second.stdout
    assert tree(tmp_path / "site") == {"index": "two"}
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "written\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_may_not_be_written_is_one_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ReportWriteError, match="that you may write"):
            publish(tmp_path / "site", index="one")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is read-only for everybody on Linux alone")
def test_a_read_only_place_is_one_clear_error() -> None:
    with pytest.raises(ReportWriteError):
        publish(Path("/proc/site"), index="one")

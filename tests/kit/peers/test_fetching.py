from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tck_kit.faults import UsageFault
from tck_kit.peers.fetching import fetch
from tck_kit.peers.places import STAMP, look, stamp_in

from .made import of_repository, repository, wheel


def _left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("form", ["{}", "file://{}"], ids=["a folder", "a URL"])
def test_the_source_of_the_pinned_commit_is_laid_down(form: str, tmp_path: Path) -> None:
    peer = of_repository(repository(tmp_path / "origin"))
    stamp = fetch(peer, tmp_path / "there", form.format(tmp_path / "origin"))

    assert (tmp_path / "there" / "program.txt").read_text(encoding="utf-8") == "one\n"
    assert (tmp_path / "there" / "empty" / "kept").is_file()
    assert not (tmp_path / "there" / ".git").exists()
    assert stamp == stamp_in(tmp_path / "there")
    assert (stamp.pin, stamp.lacking) == (peer.pin, ())
    assert look(peer, tmp_path / "there").state == "source only"


def test_what_others_may_read_of_it_they_can_get_to(tmp_path: Path) -> None:
    fetch(of_repository(repository(tmp_path / "origin")), tmp_path / "there", str(tmp_path / "origin"))
    assert (tmp_path / "there").stat().st_mode & 0o055 == 0o055


def test_what_is_there_already_is_not_fetched_again(tmp_path: Path) -> None:
    peer = of_repository(repository(tmp_path / "origin"))
    first = fetch(peer, tmp_path / "there", str(tmp_path / "origin"))
    shutil.rmtree(tmp_path / "origin")

    assert fetch(peer, tmp_path / "there", str(tmp_path / "origin")) == first


def test_files_that_a_copy_of_the_repository_lacks_are_told(tmp_path: Path) -> None:
    peer = of_repository(repository(tmp_path / "origin"))
    blobs = [path for path in (tmp_path / "origin" / ".git" / "objects").glob("??/*") if path.stat().st_size < 30]
    assert blobs
    for path in blobs:
        path.unlink()

    stamp = fetch(peer, tmp_path / "there", str(tmp_path / "origin"))

    assert stamp.lacking
    assert all(not (tmp_path / "there" / name).exists() for name in stamp.lacking)


@pytest.mark.parametrize(
    ("origin", "pin", "told"),
    [
        ("nowhere", None, "git could not do it"),
        ("origin", "0" * 40, "name a newer copy with --from"),
        ("empty", None, "name a git repository"),
    ],
)
def test_nothing_is_left_of_what_could_not_be_had(origin: str, pin: str | None, told: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    commit = repository(tmp_path / "origin")
    (tmp_path / "cache").mkdir()

    with pytest.raises(UsageFault, match=told):
        fetch(of_repository(pin or commit), tmp_path / "cache" / "there", str(tmp_path / origin))
    assert _left(tmp_path / "cache") == []


def test_nothing_is_put_over_what_lies_there(tmp_path: Path) -> None:
    peer = of_repository(repository(tmp_path / "origin"))
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("", encoding="utf-8")

    with pytest.raises(UsageFault, match="something else is there"):
        fetch(peer, tmp_path / "there", str(tmp_path / "origin"))
    assert _left(tmp_path / "there") == ["mine"]


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let pip know a folder of wheels and no registry."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    # Somebody's own settings must not lead it elsewhere.
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "elsewhere"))
    return tmp_path / "wheels"


def test_a_package_is_installed_below_its_folder(offline: Path, tmp_path: Path) -> None:
    peer = wheel(offline)
    stamp = fetch(peer, tmp_path / "cache" / "there")

    assert (tmp_path / "cache" / "there" / "site" / "peer" / "program.txt").read_text(encoding="utf-8") == "one\n"
    assert stamp.digest == f"sha256 {peer.digests['any']}"
    assert _left(tmp_path / "cache" / "there") == [STAMP, "site"]
    assert look(peer, tmp_path / "cache" / "there").state == "yes"
    assert not (tmp_path / "elsewhere").exists()


def test_a_package_of_another_digest_is_refused(offline: Path, tmp_path: Path) -> None:
    peer = replace(wheel(offline), digests={"any": "0" * 64})

    with pytest.raises(UsageFault, match="it is not what was pinned"):
        fetch(peer, tmp_path / "cache" / "there")
    assert _left(tmp_path / "cache") == []


def test_a_package_that_is_not_there_is_told_with_its_platforms(offline: Path, tmp_path: Path) -> None:
    peer = replace(wheel(offline), pin="9.9.9")

    with pytest.raises(UsageFault, match="it is there for any; look at the network and at pip's settings"):
        fetch(peer, tmp_path / "cache" / "there")


def test_a_package_has_no_repository_to_take_it_from(offline: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="--from x: it is no repository but a package"):
        fetch(wheel(offline), tmp_path / "there", "x")

"""A package is installed below its folder and nowhere else, with whatever there is that can install it."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
from pathlib import Path
from unittest.mock import Mock

import pytest

from tck_kit.faults import UsageFault
from tck_kit.peers import fetching
from tck_kit.peers.fetching import fetch
from tck_kit.peers.packages import install
from tck_kit.peers.places import STAMP, look, stamp_in
from tck_kit.peers.table import Peer

from .made import wheel


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    """Let pip know a folder of wheels and no registry."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return wheel(tmp_path / "wheels")


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "there"


def _pip_that_says(text: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put another pip before our own."""
    (place / "pip").mkdir(parents=True)
    (place / "pip" / "__init__.py").write_text("", encoding="utf-8")
    (place / "pip" / "__main__.py").write_text(f"raise SystemExit({text!r})\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(place))


def _program(name: str, text: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.mkdir()
    (place / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")


def test_no_variable_of_the_callers_leads_pip_elsewhere(
    peer: Peer, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ROOT", "PREFIX", "REPORT", "CONSTRAINT", "SRC"):
        monkeypatch.setenv(f"PIP_{name}", "elsewhere")
    for name in ("DRY_RUN", "REQUIRE_VIRTUALENV", "USER"):
        monkeypatch.setenv(f"PIP_{name}", "1")
    monkeypatch.setenv("PIP_PYTHON", "/bin/false")
    monkeypatch.setenv("PIP_NO_BINARY", ":all:")
    fetch(peer, there)
    assert look(peer, there).state == "yes"
    assert not (tmp_path / "elsewhere").exists()


def test_what_settings_have_led_elsewhere_is_never_stamped(
    peer: Peer, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.conf").write_text("[install]\ndry-run = true\n", encoding="utf-8")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))

    with pytest.raises(UsageFault, match=r"there is no site/peer/program.txt; look at the settings"):
        fetch(peer, there)
    assert list(there.parent.iterdir()) == []


def test_a_package_that_is_not_whole_any_more_is_fetched_again(peer: Peer, there: Path) -> None:
    fetch(peer, there)
    shutil.rmtree(there / "site")
    found = look(peer, there)
    assert (found.state, "get it: session-tck peers fetch ours" in found.why) == ("no", True)

    fetch(peer, there)

    assert look(peer, there).state == "yes"
    assert [path.name for path in there.parent.iterdir()] == ["there"]


def test_what_somebody_has_put_beside_a_broken_package_stays(peer: Peer, there: Path) -> None:
    fetch(peer, there)
    shutil.rmtree(there / "site")
    (there / "mine").write_text("", encoding="utf-8")

    with pytest.raises(UsageFault, match="something else is there"):
        fetch(peer, there)
    assert (there / "mine").exists()


@pytest.mark.parametrize("when", ["meanwhile", "with a failure of our own"])
def test_what_somebody_else_has_fetched_meanwhile_is_there(
    when: str, peer: Peer, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = install

    def slow(peer: Peer, place: Path) -> str:
        monkeypatch.setattr(fetching, "install", ours)
        fetch(peer, there)
        if when == "meanwhile":
            return ours(peer, place)
        raise UsageFault("the network is gone", "here", "wait")

    monkeypatch.setattr(fetching, "install", slow)

    assert fetch(peer, there) == stamp_in(there)
    assert [path.name for path in there.parent.iterdir()] == ["there"]


def test_uv_installs_it_where_there_is_no_pip(
    peer: Peer, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pip_that_says("python: No module named pip", tmp_path / "python", monkeypatch)
    uv = (
        'printf "%s\\n" "$@" > "$UV_SEEN"; while [ "$1" != --target ]; do shift; done\n'
        'mkdir -p "$2/peer"; echo one > "$2/peer/program.txt"'
    )
    _program("uv", uv, tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("UV_SEEN", str(tmp_path / "seen"))

    stamp = fetch(peer, there)

    words = (tmp_path / "seen").read_text(encoding="utf-8").split("\n")
    assert words[:2] == ["pip", "install"]
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:", "--python"} <= {*words}
    assert stamp.digest == f"sha256 {peer.digests['any']}"
    assert look(peer, there).state == "yes"


@pytest.mark.skipif(importlib.util.find_spec("ensurepip") is None, reason="this Python can make no pip")
def test_a_pip_is_made_for_the_occasion_where_there_is_none(
    peer: Peer, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pip_that_says("python: No module named pip", tmp_path / "python", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))

    fetch(peer, there)

    assert look(peer, there).state == "yes"
    assert sorted(path.name for path in there.iterdir()) == [STAMP, "site"]


def test_a_python_that_can_make_no_pip_is_told_with_what_helps(
    peer: Peer, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program("python", "echo 'No module named pip' >&2; exit 1", tmp_path / "bin", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("tck_kit.peers.packages.sys.executable", str(tmp_path / "bin" / "python"))

    with pytest.raises(UsageFault, match="it has no pip, and can make none: No module named pip; install uv, or"):
        fetch(peer, there)
    assert list(there.parent.iterdir()) == []


@pytest.mark.parametrize("said", ["ERROR: [Errno 28] No space left on device", "OSError: [Errno 28]"])
def test_a_full_disk_is_told_with_what_helps(
    said: str, peer: Peer, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pip_that_says(said, tmp_path / "python", monkeypatch)
    with pytest.raises(UsageFault, match=r"Errno 28.*; make room on the disk"):
        fetch(peer, there)


def test_a_disk_that_is_full_for_us_is_told_as_well(peer: Peer, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(fetching, "install", Mock(side_effect=full))
    with pytest.raises(UsageFault, match="it cannot be written: No space left on device; make room on the disk"):
        fetch(peer, there)
    assert list(there.parent.iterdir()) == []


def test_a_pip_that_does_not_say_what_it_took_is_a_clear_error(
    peer: Peer, there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pip_that_says("", tmp_path / "python", monkeypatch)
    (tmp_path / "python" / "pip" / "__main__.py").write_text("", encoding="utf-8")
    with pytest.raises(UsageFault, match="pip does not say what it installed"):
        fetch(peer, there)


def test_others_may_read_a_package_whatever_who_fetches_it_keeps_to_itself(peer: Peer, there: Path) -> None:
    before = os.umask(0o077)
    try:
        fetch(peer, there)
    finally:
        os.umask(before)
    modes = {path.relative_to(there).as_posix(): path.stat().st_mode & 0o055 for path in there.glob("site/peer/**/*")}
    assert modes == {"site/peer/program.txt": 0o044}
    assert (there / "site" / "peer").stat().st_mode & 0o055 == 0o055

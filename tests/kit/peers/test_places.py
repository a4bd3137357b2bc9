from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from tck_kit.faults import UsageFault
from tck_kit.peers.places import STAMP, Stamp, default_folder, folder_of, look, stamp_in

from .made import of_repository, repository

PIN = "0123456789" * 4
PEER = of_repository(PIN)
HELD = Stamp(PEER.name, PIN, "git tree 1", "2026-01-01T00:00:00+00:00", ("a.gif",))


def _fill(folder: Path, stamp: Stamp | None, *names: str) -> Path:
    folder.mkdir()
    if stamp is not None:
        (folder / STAMP).write_bytes(stamp.encode())
    for name in names:
        (folder / name).write_text("", encoding="utf-8")
    return folder


def test_a_peer_lies_in_the_users_cache_unless_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder_of(PEER, None) == tmp_path / "session-tck" / "peers" / "ours"
    assert folder_of(PEER, tmp_path / "x") == tmp_path / "x"


@pytest.mark.parametrize("value", ["", "relative/cache"])
def test_a_cache_that_is_no_absolute_path_is_ignored(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "session-tck" / "peers"


def test_a_stamp_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert stamp_in(_fill(tmp_path / "a", HELD)) == HELD


@pytest.mark.parametrize("text", ["", "[]", "{}", "\0", json.dumps({"peer": 1, "pin": 2, "digest": 3, "fetched": 4})])
def test_what_is_no_stamp_says_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / STAMP).write_text(text, encoding="utf-8")
    assert stamp_in(tmp_path) is None


def test_a_stamp_with_a_number_for_a_name_says_nothing(tmp_path: Path) -> None:
    told: dict[str, object] = {"peer": "ours", "pin": 7, "digest": "d", "fetched": "f", "lacking": []}
    (tmp_path / STAMP).write_text(json.dumps(told), encoding="utf-8")
    assert stamp_in(tmp_path) is None


def test_what_is_not_there_can_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = look(PEER, None)
    assert (found.state, "session-tck peers fetch ours" in found.why) == ("no", True)


def test_a_folder_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="there is no such folder"):
        look(PEER, tmp_path / "nowhere")


def test_source_that_is_not_built_is_not_there_to_be_run(tmp_path: Path) -> None:
    found = look(PEER, _fill(tmp_path / "a", HELD))
    assert found.state == "source only"
    assert "built.txt is not there; build it as its own documentation says" in found.why


def test_what_is_built_can_be_run(tmp_path: Path) -> None:
    assert look(PEER, _fill(tmp_path / "a", HELD, "built.txt")).state == "yes"


def test_what_somebody_has_built_without_a_stamp_is_left_to_the_driver(tmp_path: Path) -> None:
    assert look(PEER, _fill(tmp_path / "a", None, "built.txt")).state == "yes"


def test_a_program_that_it_runs_with_is_named_where_it_is_not_there(tmp_path: Path) -> None:
    found = look(replace(PEER, needs=("no-such-program",)), _fill(tmp_path / "a", HELD, "built.txt"))
    assert (found.state, "there is no no-such-program on PATH" in found.why) == ("yes", True)
    with pytest.raises(UsageFault, match="no-such-program: it is not on PATH, and ours runs with it; install"):
        found.refuse_without_tool()


def test_what_nobody_may_look_at_is_a_clear_error(tmp_path: Path) -> None:
    # A name that is too long is refused to every user, which a folder without permissions is not.
    with pytest.raises(UsageFault, match="it cannot be looked at: File name too long; let this user read it, or"):
        look(PEER, tmp_path / ("a" * 300))


def test_a_file_in_the_place_of_a_folder_is_called_that(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("", encoding="utf-8")
    with pytest.raises(UsageFault, match="it is no folder"):
        look(PEER, tmp_path / "a")


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError))
    with pytest.raises(UsageFault, match="set HOME or XDG_CACHE_HOME"):
        folder_of(PEER, None)


@pytest.mark.parametrize("stamp", [replace(HELD, pin="9" * 40), replace(HELD, peer="theirs")])
def test_another_version_or_peer_in_its_folder_is_never_taken_for_it(stamp: Stamp, tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=f"and ours is pinned to {PIN}"):
        look(PEER, _fill(tmp_path / "a", stamp, "built.txt"))


def test_a_clone_of_ones_own_is_known_by_its_commit(tmp_path: Path) -> None:
    pin = repository(tmp_path / "clone")
    (tmp_path / "clone" / "built.txt").write_text("", encoding="utf-8")

    assert look(of_repository(pin), tmp_path / "clone").state == "yes"
    with pytest.raises(UsageFault, match=f"it holds {pin}, and ours is pinned to {PIN}"):
        look(PEER, tmp_path / "clone")

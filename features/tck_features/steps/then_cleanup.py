"""What is left on the host's disk, and what a removal must not touch."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tck_driver.vocabulary import AdapterId
from tck_features.checks import plain
from tck_features.sentences import given, then, when
from tck_features.world import World


@then("the state directory of {party} is kept")
def kept(world: World, party: str) -> None:
    """Check that the directory is there and holds something."""
    state = world.state_dir(party)
    files = [path.name for path in state.rglob("*") if path.is_file()] if state.is_dir() else []
    world.checks.expect(
        f"{state.parent.name}/{state.name} holds files", expected=True, actual=bool(files), rests_on="witnessed"
    )


@then("the state of {adapter} is kept for {party}")
def kept_of(world: World, adapter: AdapterId, party: str) -> None:
    """Check that the directory of one adapter is there."""
    state = world.state_dir(party, adapter)
    world.checks.expect(f"{state} is there", expected=True, actual=state.is_dir(), rests_on="witnessed")


@then("nothing of the state of {party} is left")
def removed(world: World, party: str) -> None:
    """Check that the whole session directory is gone, adapters and all."""
    folder = world.state_dir(party).parent
    world.checks.expect(f"{folder.name} is there", expected=False, actual=os.path.lexists(folder), rests_on="witnessed")


@then("no session directory was ever made")
def none_made(world: World) -> None:
    """Check that `{base}/.agent-sessions` holds nothing."""
    found = [path.name for path in world.state_paths()]
    world.checks.expect("session directories", expected=[], actual=found, rests_on="witnessed")


@given("a session directory {string} of no issue")
def stray_directory(world: World, name: str) -> None:
    """Leave a directory that belongs to no mailbox."""
    world.open()
    folder = world.bench.base / ".agent-sessions" / name / "codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rollout.jsonl").write_text("{}", encoding="utf-8")


@then("the session directory {string} is gone")
def stray_gone(world: World, name: str) -> None:
    """Check that a directory of no mailbox was removed."""
    folder = world.bench.base / ".agent-sessions" / name
    world.checks.expect(f"{name} is there", expected=False, actual=os.path.lexists(folder), rests_on="witnessed")


@given("a directory of the host that is none of the engine's business")
def canary(world: World) -> None:
    """Leave files outside `{base}` which nothing may touch."""
    folder = _canary(world)
    folder.mkdir()
    (folder / "precious").write_text("keep me", encoding="utf-8")


@given("a link to it stands in the state directory of {party}")
def link_inside(world: World, party: str) -> None:
    """Plant a link among the session files."""
    (world.standing(party) / "link").symlink_to(_canary(world))


@given("a link to it stands in place of the state directory of {party}")
def link_in_place(world: World, party: str) -> None:
    """Replace the state directory by a link."""
    state = world.standing(party)
    _clear(state)
    state.symlink_to(_canary(world))


@given("a link to it stands in place of the whole session directory of {party}")
def link_in_place_of_all(world: World, party: str) -> None:
    """Replace the mailbox's session directory by a link."""
    folder = world.standing(party).parent
    _clear(folder)
    folder.symlink_to(_canary(world))


@given("a link to the state directory of the other issue stands in place of the one of the issue")
def link_to_other(world: World) -> None:
    """Replace the state directory by a link to another mailbox's."""
    state = world.standing("the issue")
    _clear(state)
    state.symlink_to(world.standing("the other issue"))


def _clear(path: Path) -> None:
    for folder, folders, files in os.walk(path, topdown=False):
        for name in files:
            (Path(folder) / name).unlink()
        for name in folders:
            (Path(folder) / name).rmdir()
    path.rmdir()


@then("that directory is as it was")
def canary_untouched(world: World) -> None:
    """Check that nothing outside was removed or written."""
    folder = _canary(world)
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} if folder.is_dir() else {}
    world.checks.expect("files of the directory", expected={"precious": "keep me"}, actual=found, rests_on="witnessed")


def _canary(world: World) -> Path:
    return world.bench.base.parent / "not-the-engine's"


@given("the state directory of {party} cannot be removed")
def protected(world: World, party: str) -> None:
    """Let a removal fail with permission denied."""
    world.bench.protect(world.standing(party).parent)


@given("the state directory of {party} could be removed again")
@when("the state directory of {party} can be removed again")
def unprotected(world: World, party: str) -> None:
    """Let a removal succeed again."""
    world.bench.unprotect(world.state_dir(party).parent)


@given("the files of {party} are noted")
def note_files(world: World, party: str) -> None:
    """Note names and content of every file of a state directory."""
    world.notes[f"files of {party}"] = plain(_files(world, party))


def _files(world: World, party: str) -> dict[str, str]:
    folder = world.state_dir(party).parent
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }

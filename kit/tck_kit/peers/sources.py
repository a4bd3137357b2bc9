"""The source of a peer: the files of its pinned commit, from where it is published or from any copy of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from tck_kit.faults import UsageFault
from tck_kit.peers.objects import objects_of
from tck_kit.peers.programs import cure, done, end
from tck_kit.peers.table import Peer


def lay_down(peer: Peer, place: Path, origin: str) -> tuple[str, tuple[str, ...]]:
    """Lay down the files of the pinned commit; give the digest of its tree, and the files that a copy lacks.

    Raises `UsageFault` where one of them is not what was pinned, or one that comes from elsewhere did not come.
    """
    local, where = Path(origin), f"{origin} {peer.pin}"
    repository = place / ".git"

    def git(*words: str) -> tuple[int, str]:
        return done(("git", "-C", str(place), *words), "git")

    # A template of the caller's may have hooks and settings.
    made = git("init", "--quiet", "--template=", "--object-format=sha1")
    _sure(made, str(place), "look at the folder, and try again")
    if local.is_dir():
        _borrow(local, repository)
    else:
        settings = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules")
        fetched = git("fetch", *settings, "--", origin, peer.pin)
        _sure(fetched, where, "look at the network, or name a copy of the repository with --from")
    with objects_of(repository, where) as objects:
        tree = objects.tree_of(peer.pin)
        lacking = objects.lay_down(tree, place)
    if lacking and not local.is_dir():
        raise UsageFault(f"{len(lacking)} of its files did not come, {lacking[0]} among them", where, "try again")
    # What was borrowed may go, and nothing that is built asks for the history.
    shutil.rmtree(repository, ignore_errors=True)
    return f"git tree {tree}", lacking


def refuse_option(origin: str) -> None:
    """Raise `UsageFault` for what git would take for an option, which could run anything, or for nothing."""
    if not origin or origin.startswith("-"):
        raise UsageFault("this is no repository", f"--from {origin!r}", "give the URL or the folder of one")


def _borrow(local: Path, repository: Path) -> None:
    """Let git find the objects of a repository on this machine, which may be a copy without some of them."""
    found = done(("git", "-C", str(local), "rev-parse", "--path-format=absolute", "--git-path", "objects"), "git")
    _sure(found, str(local), "name a git repository")
    info = repository / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(found[1].strip() + "\n", encoding="utf-8")


def _sure(ended: tuple[int, str], where: str, otherwise: str) -> None:
    code, said = ended
    if code:
        raise UsageFault(f"git could not do it: {end(said)}", where, cure(said, otherwise))

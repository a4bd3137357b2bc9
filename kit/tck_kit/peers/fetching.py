"""Fetching a peer: what is published under its pin, verified, whole or not at all.

A package is installed by pip from a wheel of a known digest. Of a repository the source of the pinned commit is laid
down; building it is its own documentation's matter, and what it takes is up to whoever wants that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tck_kit.faults import UsageFault
from tck_kit.peers.places import STAMP, Stamp, stamp_in
from tck_kit.peers.table import Peer

#: Where a package is installed, below a peer's folder.
SITE: Final = "site"
#: Seconds that pip or git may take.
PATIENCE: Final = 900.0
#: How much of what pip or git wrote stands in a message.
_LONGEST: Final = 300
#: Variables that would make pip or git act elsewhere than in the folder that they are told.
_ASTRAY: Final = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "PIP_TARGET", "PIP_USER", "PIP_PREFIX"}
)
#: Whatever somebody has set up for their own work, files are to be as they were committed.
_AS_COMMITTED: Final = (
    "-c",
    "core.autocrlf=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "filter.lfs.smudge=cat",
    "-c",
    "filter.lfs.process=",
    "-c",
    "filter.lfs.required=false",
)


def fetch(peer: Peer, folder: Path, origin: str | None = None) -> Stamp:
    """Bring a peer into a folder, from `origin` in the place of where it is published; what is there already stays.

    Raises `UsageFault` where that cannot be done; nothing is left then.
    """
    if origin is not None and peer.kind == "pip":
        raise UsageFault("it is no repository but a package", f"--from {origin}", "leave it out; pip has its settings")
    there = stamp_in(folder)
    if there is not None and (there.peer, there.pin) == (peer.name, peer.pin):
        return there
    with _beside(folder) as place:
        lacking: tuple[str, ...] = ()
        if peer.kind == "pip":
            digest = _install(peer, place)
        else:
            digest, lacking = _lay_down(peer, place, origin or peer.source)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        stamp = Stamp(peer.name, peer.pin, digest, now, lacking)
        (place / STAMP).write_bytes(stamp.encode())
        try:
            place.rename(folder)
        except OSError as fault:
            raise UsageFault(
                f"it cannot be put there: {fault.strerror}", str(folder), "name a folder that is new or empty"
            ) from fault
    return stamp


@contextmanager
def _beside(folder: Path) -> Generator[Path]:
    """Make a folder beside the one that is to be, on the same file system; what is left of it goes."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageFault("something else is there", str(folder), "move it away, or name another with --folder")
        place = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        # Whoever runs it is somebody else than who has fetched it.
        place.chmod(0o755)
    except OSError as fault:
        raise UsageFault(
            f"nothing can be put there: {fault.strerror}", str(folder.parent), "name another with --folder"
        ) from fault
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


# Packages


def _install(peer: Peer, place: Path) -> str:
    """Have pip install it; give the digest of the wheel that it took."""
    hashes = " ".join(f"--hash=sha256:{digest}" for digest in peer.digests.values())
    wanted, told = place / "wanted.txt", place / "told.json"
    wanted.write_text(f"{peer.source}=={peer.pin} {hashes}\n", encoding="utf-8")
    words = (
        *(sys.executable, "-P", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary=:all:", "--require-hashes", "--no-compile", "--report", str(told)),
        *("--target", str(place / SITE), "--requirement", str(wanted)),
    )
    code, said = _done(words, "pip")
    wanted.unlink()
    if code:
        raise UsageFault(
            f"pip could not install it: {_end(said)}", f"{peer.source}=={peer.pin}", _cure_of_pip(peer, said)
        )
    taken: str = json.loads(told.read_text(encoding="utf-8"))["install"][0]["download_info"]["archive_info"]["hash"]
    told.unlink()
    return taken.replace("=", " ")


def _cure_of_pip(peer: Peer, said: str) -> str:
    if "No module named pip" in said:
        return f"give {sys.executable} a pip: {sys.executable} -m ensurepip"
    if "THESE PACKAGES DO NOT MATCH" in said or "HASHES" in said:
        return "it is not what was pinned: look at the registry that pip is set up with"
    return f"it is there for {', '.join(peer.digests)}; look at the network and at pip's settings, and try again"


# Repositories


def _lay_down(peer: Peer, place: Path, origin: str) -> tuple[str, tuple[str, ...]]:
    """Lay down the files of the pinned commit; give the digest of its tree, and the files that a copy lacks."""
    local = Path(origin)
    where = f"{origin} {peer.pin}"

    def git(*words: str) -> tuple[int, str]:
        return _done(("git", *_AS_COMMITTED, "-C", str(place), *words), "git")

    _sure(git("init", "--quiet"), str(place), "look at the folder, and try again")
    if local.is_dir():
        _borrow(local, place)
    else:
        fetched = git("fetch", "--quiet", "--depth=1", "--no-tags", origin, peer.pin)
        _sure(fetched, where, "look at the network, or name a copy of the repository with --from")
    _sure(git("read-tree", peer.pin), where, "it is not in there: name a newer copy with --from")
    git("checkout-index", "--all", "--force", "--quiet")
    # Every file is read again for this, and what is not as it was committed is listed.
    git("update-index", "-q", "--refresh")
    code, listed = git("diff-files", "--name-only")
    _sure((code, listed), where, "look at the room on the disk, and try again")
    lacking = tuple(line for line in listed.splitlines() if line)
    if lacking and not local.is_dir():
        raise UsageFault(f"{len(lacking)} of its files did not come, {lacking[0]} among them", where, "try again")
    code, tree = git("rev-parse", f"{peer.pin}^{{tree}}")
    _sure((code, tree), where, "name another copy with --from")
    # What was borrowed may go, and nothing that is built asks for the history.
    shutil.rmtree(place / ".git", ignore_errors=True)
    return f"git tree {tree.strip()}", lacking


def _borrow(local: Path, place: Path) -> None:
    """Let git find the objects of a repository on this machine, which may be a copy without some of them."""
    found = _done(("git", "-C", str(local), "rev-parse", "--path-format=absolute", "--git-path", "objects"), "git")
    _sure(found, str(local), "name a git repository")
    (place / ".git" / "objects" / "info" / "alternates").write_text(found[1].strip() + "\n", encoding="utf-8")


def _sure(done: tuple[int, str], where: str, cure: str) -> None:
    code, said = done
    if code:
        raise UsageFault(f"git could not do it: {_end(said)}", where, cure)


def _end(said: str) -> str:
    """Give what a message has room for; what matters is said last."""
    return said if len(said) <= _LONGEST else f"…{said[-_LONGEST:]}"


def _done(words: Sequence[str], program: str) -> tuple[int, str]:
    """Run a program to its end; give its exit code, and what it wrote, or of what it complained."""
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            env=_environment(),
            check=False,
        )
    except FileNotFoundError as fault:
        raise UsageFault(f"there is no {program}", program, f"install {program}") from fault
    except subprocess.TimeoutExpired as fault:
        raise UsageFault(f"{program} took longer than {PATIENCE:g} s", program, "try again") from fault
    if done.returncode == 0:
        return 0, done.stdout
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return done.returncode, " ".join(lines) or f"exit code {done.returncode}"


def _environment() -> Mapping[str, str]:
    """Give the caller's environment, in which git and pip ask nobody anything and act on no repository around us."""
    kept = {name: value for name, value in os.environ.items() if name not in _ASTRAY}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}

"""Where peers lie on this machine, and what is there: a folder for each, with a stamp that says what was fetched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from tck_kit.faults import UsageFault
from tck_kit.peers.table import Peer

#: What says what a folder holds.
STAMP: Final = ".session-tck-peer.json"
#: A larger file is no stamp.
_MOST_BYTES: Final = 1024 * 1024
State = Literal["yes", "source only", "no"]


@dataclass(frozen=True, slots=True)
class Stamp:
    """What was fetched into a folder: of which peer, which pin, the digest of it all, and when (ISO 8601)."""

    peer: str
    pin: str
    digest: str
    fetched: str
    #: Files that its source did not have.
    lacking: tuple[str, ...] = ()

    def encode(self) -> bytes:
        """Give it as it is written."""
        return (json.dumps(asdict(self), indent=1) + "\n").encode()

    def is_of(self, peer: Peer) -> bool:
        """Tell whether it is of this peer, in the version that it is pinned to."""
        return (self.peer, self.pin) == (peer.name, peer.pin)


@dataclass(frozen=True, slots=True)
class Found:
    """What there is of a peer, and, where it cannot be run, why not and what to do.

    `tool` is a program that it runs with and that is not there: the peer was obtained, and yet cannot be run here.
    """

    peer: Peer
    folder: Path
    state: State
    why: str = ""
    tool: str = ""

    def refuse_without_tool(self) -> None:
        """Raise `UsageFault` where a program is missing that it runs with."""
        if self.tool:
            raise UsageFault(
                f"it is not on PATH, and {self.peer.name} runs with it",
                self.tool,
                f"install {self.tool}, and run again",
            )


def default_folder() -> Path:
    """Give the folder that holds a folder for each peer, unless one is named."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    # A path that is not absolute is to be ignored, as the specification of these folders has it.
    home = Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache"
    return home / "session-tck" / "peers"


def folder_of(peer: Peer, named: Path | None) -> Path:
    """Give the folder of a peer. Raises `UsageFault` where nobody's cache is known."""
    if named is not None:
        return named.absolute()
    try:
        return default_folder() / peer.name
    except RuntimeError as fault:
        raise UsageFault("this user has no home", "~", "set HOME or XDG_CACHE_HOME, or give --folder") from fault


def stamp_in(folder: Path) -> Stamp | None:
    """Read a folder's stamp; None where there is none that can be read."""
    path = folder / STAMP
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        told: Any = json.loads(path.read_text(encoding="utf-8"))
        stamp = Stamp(told["peer"], told["pin"], told["digest"], told["fetched"], tuple(told["lacking"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    texts = (stamp.peer, stamp.pin, stamp.digest, stamp.fetched, *stamp.lacking)
    return stamp if all(isinstance(one, str) for one in texts) else None  # pyright: ignore[reportUnnecessaryIsInstance] -- JSON says what it likes


def commit_in(folder: Path) -> str | None:
    """Give the commit that a folder's repository has checked out; None where it is none, or there is no git."""
    if not (folder / ".git").exists():
        return None
    words = ("git", "-c", "safe.directory=*", "-C", str(folder), "rev-parse", "HEAD")
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def look(peer: Peer, named: Path | None) -> Found:
    """See what there is of a peer in its folder.

    Raises `UsageFault` where something else lies there, or where nobody may see what does.
    """
    folder = folder_of(peer, named)
    try:
        return _seen(peer, folder, named)
    except OSError as fault:
        where = "XDG_CACHE_HOME" if named is None else "--folder"
        raise UsageFault(
            f"it cannot be looked at: {fault.strerror}",
            str(folder),
            f"let this user read it, or name another with {where}",
        ) from fault


def _seen(peer: Peer, folder: Path, named: Path | None) -> Found:
    if not folder.is_dir():
        if folder.exists():
            raise UsageFault("it is no folder", str(folder), "move it away, or name another with --folder")
        if named is not None:
            raise UsageFault("there is no such folder", str(named), f"name the folder that {peer.name} was built in")
        return Found(peer, folder, "no", f"get it: {peer.how}")
    stamp = stamp_in(folder)
    pin = commit_in(folder) if stamp is None else stamp.pin
    if pin not in {None, peer.pin} or (stamp is not None and stamp.peer != peer.name):
        held = pin if stamp is None else f"{stamp.peer} {stamp.pin}"
        raise UsageFault(
            f"it holds {held}, and {peer.name} is pinned to {peer.pin}",
            str(folder),
            "name another folder, or move it away and fetch again",
        )
    absent = peer.absent_from(folder)
    if absent is not None:
        what = f"{folder / absent} is not there"
        if stamp is None or peer.kind == "pip":
            return Found(peer, folder, "no", f"{what}; get it: {peer.how}")
        return Found(peer, folder, "source only", f"{what}; build it as its own documentation says ({peer.homepage})")
    lack = next((program for program in peer.needs if shutil.which(program) is None), None)
    if lack is not None:
        return Found(peer, folder, "yes", f"there is no {lack} on PATH, which it runs with; install {lack}", lack)
    return Found(peer, folder, "yes")

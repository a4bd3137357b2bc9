"""The place that a peer's driver runs in: its own user, HOME and environment, and no network but loopback.

The driver starts the engine, and that the stand-in programs; all of them are in there, without a variable of the
caller's environment. Homes, temporary folders and the sockets of the machine's services are hidden, apart from the
run's own folder, the engine's, and what they are made of. The rest of the machine's files is there as any user sees it.
Specification: §30.4 to §30.7.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tck_kit.engine_choice import Confined, EngineChoice
from tck_kit.faults import UsageFault
from tck_kit.peers.table import Peer
from tck_kit.probe.sealed import Seal

#: The user whom every system has for what is nobody's. Engines ask for the name of their user.
NOBODY: Final = 65534
#: What a driver is told of its engine by: its name, the folder that it lies in, and its version.
NAME, FOLDER, VERSION = "TCK_PEER", "TCK_PEER_FOLDER", "TCK_PEER_VERSION"
#: Where a system has its own programs.
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
#: The program that enters tells what hinders it on a descriptor of its own, which here leads to standard error.
_REPORT: Final = 3
#: The largest peer that is copied to where everybody gets, bytes: that may well be in memory.
MOST_STAGED: Final = 200 * 1024 * 1024
_CURE: Final = "let everybody read it (chmod -R a+rX), or have it with --folder in a folder that everybody gets into"
_UNREADABLE: Final = 3
#: Looks for the driver's library, and into each folder and file that is named.
_LOOK: Final = f"""
import os, sys, tck_driver
for one in sys.argv[1:]:
    try:
        os.listdir(one) if os.path.isdir(one) else open(one, "rb").close()
    except OSError as fault:
        print(f"{{fault.strerror}}: {{one}}", file=sys.stderr)
        sys.exit({_UNREADABLE})
"""
_SHELL: Final = ("/bin/sh", "-c", f'exec {_REPORT}>&2; unset PWD; exec "$@"', "sh")


@contextmanager
def confined(peer: Peer, folder: Path, place: Path, timeout_scale: float) -> Generator[EngineChoice]:
    """Give the driver of a peer that lies in `folder`, for a run that works in `place`.

    Raises `UsageFault` where no program of ours can be started in there, or can read the peer: that would be nobody's
    driver's fault.
    """
    # The other user has to get to what is in there.
    place.chmod(0o711)
    home = place / "home"
    home.mkdir()
    keep = [(place, True), *((path, False) for path in (folder, *_python(), *_tools(peer)))]
    with Seal(keep, doomed=place, ordinary=NOBODY) as seal:
        seal.own(home)

        def words(*python: str) -> tuple[str, ...]:
            return (*_SHELL, *seal.words(_REPORT, home, (sys.executable, "-P", *python)))

        unread = _unread(peer, folder, words, tuple(_environment(peer, folder, home)), seal)
        if unread:
            folder = _staged(peer, folder, place, f"{seal.runs_as} cannot read it: {unread}", seal)
            unread = _unread(peer, folder, words, tuple(_environment(peer, folder, home)), seal)
            if unread:
                raise UsageFault(f"{seal.runs_as} cannot read it: {unread}", str(folder), _CURE)
        yield EngineChoice(
            "command",
            words=words("-m", peer.module),
            directory=str(place),
            environment=tuple(_environment(peer, folder, home)),
            timeout_scale=timeout_scale,
            peer=peer.name,
            confined=_limits(seal),
        )


def _limits(seal: Seal) -> Confined:
    """Say whom the driver runs as, and what it is not cut off from."""
    closure = seal.closure
    network = "" if closure.network else closure.closed
    files = closure.hidden if closure.hidden.startswith("not hidden") else ""
    # The kernel lets a user into its own processes, unless they are in another user's namespace than its own.
    seen = network if seal.user == os.geteuid() else ""
    return Confined(seal.user, seal.group, network, network or files, seen)


def _unread(
    peer: Peer,
    folder: Path,
    words: Callable[..., tuple[str, ...]],
    environment: tuple[tuple[str, str], ...],
    seal: Seal,
) -> str:
    """Start Python in the place, and give what of the peer cannot be read there; nothing where all of it can.

    Raises `UsageFault` where Python cannot be started, or finds no driver's library.
    """
    looked_at = (folder, *(folder / one for one in peer.built if (folder / one).exists()))
    done = subprocess.run(
        words("-c", _LOOK, *(str(one) for one in looked_at)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=dict(environment),
        check=False,
    )
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    if done.returncode == _UNREADABLE:
        return said[0]
    raise UsageFault(
        f"{seal.runs_as} cannot start it: {said[0]}",
        sys.executable,
        f"let everybody read it, use a Python that everybody can, or run the kit as an ordinary user "
        f"(network: {seal.closed})",
    )


def _staged(peer: Peer, folder: Path, place: Path, why: str, seal: Seal) -> Path:
    """Copy a peer to where everybody gets, for the time of the run. Raises `UsageFault` for one that is large."""
    if seal.user == os.geteuid() or peer.kind != "pip" or _size(folder) > MOST_STAGED:
        raise UsageFault(why, str(folder), _CURE)
    staged = place / "peer"
    try:
        shutil.copytree(folder, staged, symlinks=True)
        for path in (staged, *staged.rglob("*")):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(mode | (0o555 if path.is_dir() or mode & 0o100 else 0o444))
    except (OSError, shutil.Error) as fault:
        raise UsageFault(f"{why}; and it cannot be copied to {staged}: {fault}", str(folder), _CURE) from fault
    return staged


def _size(folder: Path) -> int:
    """Give how many bytes the files of a folder have."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _environment(peer: Peer, folder: Path, home: Path) -> Iterator[tuple[str, str]]:
    yield "PATH", os.pathsep.join(dict.fromkeys((*(str(one.parent) for one in _programs(peer)), _SYSTEM_PATH)))
    yield "HOME", str(home)
    yield "LANG", "C.UTF-8"
    yield NAME, peer.name
    yield FOLDER, str(folder)
    yield VERSION, peer.version


def _python() -> Iterator[Path]:
    """Give what the driver's own interpreter is made of, and the folders of its packages."""
    yield Path(sys.prefix)
    yield Path(sys.base_prefix)
    for entry in sys.path:
        if entry and Path(entry).exists():
            yield Path(entry)


def _programs(peer: Peer) -> Iterator[Path]:
    """Give the programs that a peer runs with, where the search path has others than the system's."""
    for name in peer.needs:
        found = shutil.which(name)
        if found is not None and found != shutil.which(name, path=_SYSTEM_PATH):
            yield Path(found).resolve()


def _tools(peer: Peer) -> Iterator[Path]:
    """Give the folders of these programs: each has its libraries beside the folder that it lies in."""
    for program in _programs(peer):
        yield program.parent
        yield program.parent.parent

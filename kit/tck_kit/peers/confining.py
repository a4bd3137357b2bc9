"""The place that a peer's driver runs in: its own user, HOME and environment, and no network but loopback.

The driver starts the engine, and that the stand-in programs; all of them are in there. They see the run's own folder,
the engine's, and what they are made of; the caller's files, the sockets of the machine's services and every variable of
the caller's environment are not there. Specification: §30.4 to §30.7.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tck_kit.engine_choice import Confined, EngineChoice
from tck_kit.faults import UsageFault
from tck_kit.peers.table import Peer
from tck_kit.probe.sealed import CLOSED, Seal

#: The user whom every system has for what is nobody's. Engines ask for the name of their user.
NOBODY: Final = 65534
#: What a driver is told of its engine by: its name, the folder that it lies in, and its version.
NAME, FOLDER, VERSION = "TCK_PEER", "TCK_PEER_FOLDER", "TCK_PEER_VERSION"
#: Where a system has its own programs.
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
#: The program that enters tells what hinders it on a descriptor of its own, which here leads to standard error.
_REPORT: Final = 3
_SHELL: Final = ("/bin/sh", "-c", f'exec {_REPORT}>&2; unset PWD; exec "$@"', "sh")


@contextmanager
def confined(peer: Peer, folder: Path, place: Path, timeout_scale: float) -> Generator[EngineChoice]:
    """Give the driver of a peer that lies in `folder`, for a run that works in `place`.

    Raises `UsageFault` where no program of ours can be started in there: that would be nobody's driver's fault.
    """
    # The other user has to get to what is in there.
    place.chmod(0o711)
    home = place / "home"
    home.mkdir()
    keep = [(place, True), *((path, False) for path in (folder, *_python(), *_tools(peer)))]
    with Seal(keep, ordinary=NOBODY) as seal:
        seal.own(home)
        environment = tuple(_environment(peer, folder, home))

        def words(*python: str) -> tuple[str, ...]:
            return (*_SHELL, *seal.words(_REPORT, home, (sys.executable, "-P", *python)))

        _sure(words("-c", "import tck_driver"), environment, seal)
        yield EngineChoice(
            "command",
            words=words("-m", peer.module),
            directory=str(place),
            environment=environment,
            timeout_scale=timeout_scale,
            peer=peer.name,
            confined=Confined(seal.user, seal.group, "" if seal.closed == CLOSED else seal.closed),
        )


def _sure(words: tuple[str, ...], environment: tuple[tuple[str, str], ...], seal: Seal) -> None:
    """Raise `UsageFault` where Python cannot be started in the place, or finds no driver's library there."""
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=dict(environment),
        check=False,
    )
    if done.returncode == 0:
        return
    said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    raise UsageFault(
        f"{seal.runs_as} cannot start it: {said[0]}",
        sys.executable,
        f"let everybody read it, or run the kit as an ordinary user (network: {seal.closed})",
    )


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

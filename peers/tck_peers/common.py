"""What all drivers of peers have in common: what they claim, where they play, and the service that the kit talks to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tck_driver.capabilities import Support
from tck_driver.course_server import CourseServer
from tck_driver.courses import Cast, Course, Played, Policy, capabilities_of
from tck_driver.engine import Declaration, Leaks
from tck_driver.errors import DriverError, DriverIncompatibleError, UnsupportedError
from tck_driver.server import serve_stdio
from tck_peers.orphans import keep_orphans
from tck_peers.processes import GRACE_SECONDS, end_all, left_over

#: The environment variable that names the folder in which the peer lies, as it was obtained.
FOLDER = "TCK_PEER_FOLDER"
#: The environment variable that names the peer, where one driver is of several.
NAME = "TCK_PEER"
#: The version of all drivers here.
VERSION = "1"


@dataclass(frozen=True, slots=True)
class Claims:
    """Who a peer is, what it claims, and by which policy it resumes. `version` is its pin, never a branch."""

    name: str
    version: str
    language: str
    homepage: str
    policy: Policy
    #: The profiles, acts and adapters that it claims.
    capabilities: frozenset[str]

    def declaration(self, asked: Sequence[str]) -> Declaration:
        """Give the declaration; what is not claimed is declared unsupported."""
        support: dict[str, Support] = {
            name: "supported" if name in self.capabilities else "unsupported" for name in asked
        }
        return Declaration(self.name, self.version, self.language, self.homepage, support, self.policy)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where one course is played: a folder of its own, a home in it, and the stand-in CLIs on the search path."""

    workdir: Path
    programs: Path

    @property
    def home(self) -> Path:
        """The peer's HOME, by which its processes are known."""
        return self.workdir / "home"

    def folder(self, *names: str) -> Path:
        """Make a folder in the course's own, and give it."""
        path = self.workdir.joinpath(*names)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def environment(self, **more: str) -> dict[str, str]:
        """Give the whole environment of a process of the peer: nothing of this one's but the search path."""
        path = f"{self.programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return {"HOME": str(self.folder("home")), "PATH": path, "LANG": "C.UTF-8", **more}


class Peer(Protocol):
    """An engine that somebody publishes, as its driver here plays courses on it.

    Any call may raise `EngineError` and `UnsupportedError`. `check` raises `DriverIncompatibleError` where something
    is missing or has moved that the driver leans on.
    """

    @property
    def claims(self) -> Claims:
        """Who it is and what it claims."""
        ...

    def check(self) -> None:
        """Look whether the peer is there, in the version that the driver was written for."""
        ...

    def cast(self, course: Course, stage: Stage) -> Cast:
        """Prepare an empty engine for this course, and say whose starts of a CLI will come."""
        ...

    def play(self) -> Played:
        """Play the course to its end."""
        ...

    def stop(self) -> None:
        """End what still runs, in the peer's own way."""
        ...


class PeerDriver:
    """Implements `CourseEngine` for a peer. What is left of its processes when it has stopped is ended, and told."""

    def __init__(self, peer: Peer, patience: float = GRACE_SECONDS, root: int | None = None) -> None:
        """Keep the peer, of which nothing runs yet.

        `patience` in seconds is what its processes have to end; `root` is a process whose descendants are the peer's,
        this one apart.
        """
        self._peer = peer
        self._patience = patience
        self._root = root
        self._stage: Stage | None = None
        self._playing = False

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        """Say who it is, once it is certain that it is."""
        self._peer.check()
        return self._peer.claims.declaration(capabilities)

    def prepare(self, workdir: str, endpoints: Mapping[str, str]) -> None:
        """Take in the scenario's folder and the stand-ins of the CLIs."""
        if "path" not in endpoints:
            raise DriverError("the kit has given no folder of stand-in CLIs")
        self._stage = Stage(Path(workdir), Path(endpoints["path"]))

    def cast(self, course: Course) -> Cast:
        """Prepare an empty engine; raises `UnsupportedError` for a course of which something is not claimed."""
        for name in capabilities_of(course):
            if name not in self._peer.claims.capabilities:
                raise UnsupportedError(name)
        if self._stage is None:
            raise DriverError("prepare comes before cast")
        self._playing = True
        return self._peer.cast(course, self._stage)

    def play(self) -> Played:
        """Play the course."""
        return self._peer.play()

    def close(self) -> Leaks:
        """Stop the peer, and say which of its processes had to be ended."""
        if self._stage is None or not self._playing:
            return Leaks()
        self._playing = False
        try:
            self._peer.stop()
            return Leaks(tuple(one.command for one in left_over(self._stage.home, self._patience, self._root)))
        finally:
            end_all(self._stage.home, self._root)


def peer_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Give the folder of the peer; raises `DriverIncompatibleError` where there is none."""
    given = environment.get(FOLDER, "")
    if not given:
        raise DriverIncompatibleError(f"{FOLDER} names no folder; run the driver from `session-tck peers run`")
    folder = Path(given)
    try:
        there = folder.is_dir()
    except OSError as error:
        raise DriverIncompatibleError(f"{folder} cannot be looked into: {error.strerror}") from None
    if not there:
        raise DriverIncompatibleError(f"there is no folder {folder}; `session-tck peers fetch` obtains it")
    return folder


def serve(make: Callable[[], Peer], name: str) -> None:
    """Answer the kit on standard input and output until it says the end."""
    root = keep_orphans()
    said = f"session-tck's driver of {name}"
    serve_stdio(CourseServer(lambda _directory: PeerDriver(make(), root=root), said, VERSION))

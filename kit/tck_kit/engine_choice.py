"""Which engine a run is about, and how it is reached."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from tck_fakes.observed_mapping import SessionMapping
from tck_kit.faults import UsageFault
from tck_kit.probe.network import PR_SET_DUMPABLE, called

if TYPE_CHECKING:
    from tck_kit.project_file import ProjectFile

Kind = Literal["sim", "sim+stdio", "sim+http", "turns", "mutant", "command", "url"]
#: The names under which the simulator is chosen.
SIMULATORS: tuple[Kind, ...] = ("sim", "sim+stdio", "sim+http")
#: What the name of a simulator that plays courses begins with; the name of a profile follows.
TURNS = "sim:"
#: What the name of a simulator that is wrong on purpose begins with.
MUTANT = "mutant:"
#: What the name of somebody else's engine begins with, for which the kit has a driver.
PEER = "peer:"
#: How the simulator is started as a driver.
SERVED = (sys.executable, "-P", "-m", "tck_fakes.served")


@dataclass(frozen=True, slots=True)
class Observed:
    """The engine's own database: its URL, which may hold `{directory}` and `{workdir}`, and where its rows are."""

    url: str
    mapping: SessionMapping = field(default_factory=SessionMapping)


@dataclass(frozen=True, slots=True)
class Confined:
    """A driver that has nothing of the kit's environment, and runs as a user who may write where it is told to only.

    What it was not cut off from is said by three reasons, each of them empty where it was: why more than loopback can
    be reached over the `network`, why the caller's `files` can be seen, and why the caller's `processes` can.
    """

    user: int
    group: int
    network: str = ""
    files: str = ""
    processes: str = ""

    @property
    def open_to(self) -> Mapping[str, str]:
        """What it was not cut off from, each with the reason."""
        told = {"network": self.network, "files": self.files, "processes": self.processes}
        return {name: why for name, why in told.items() if why}

    def guard(self) -> None:
        """Keep this process's own environment and memory from it, where it can see our processes."""
        if self.processes:
            with contextlib.suppress(OSError):
                called("prctl", PR_SET_DUMPABLE, ctypes.c_ulong(0), 0, 0, 0)

    def hand_over(self, folder: Path) -> None:
        """Give a folder to that user, where it is not ours anyway."""
        if self.user != os.geteuid():
            os.chown(folder, self.user, self.group)


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine: the simulator in process, a driver that the kit starts, or drivers that listen already."""

    kind: Kind = "sim"
    words: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    directory: str = "."
    environment: tuple[tuple[str, str], ...] = ()
    observed: Observed | None = None
    timeout_scale: float = 1.0
    #: In which way the simulator is to be wrong: the name of a fault, or of several with `+` between them.
    faulty: str | None = None
    #: The profile under whose policy the simulator plays courses; None where it has mailboxes.
    policy: str | None = None
    #: Which engine of somebody else's it is, where the driver is the kit's own.
    peer: str | None = None
    confined: Confined | None = None

    @property
    def in_process(self) -> bool:
        """Whether no driver is needed."""
        return self.kind in {"sim", "turns", "mutant"}

    @property
    def simulated(self) -> bool:
        """Whether it is the kit's own simulator, whichever way it is reached."""
        return self.kind in {*SIMULATORS, "turns", "mutant"}

    @property
    def transport(self) -> str:
        """What stands in a report."""
        if self.in_process:
            return "in process"
        return "http" if self.kind in {"sim+http", "url"} else "stdio"

    @property
    def shown(self) -> str:
        """What a person is told."""
        if self.peer is not None:
            return f"{PEER}{self.peer}"
        if self.kind == "command":
            return shlex.join(self.words)
        if self.kind == "mutant":
            return f"{MUTANT}{self.faulty}"
        if self.kind == "turns":
            return f"{TURNS}{self.policy}"
        return " ".join(self.urls) if self.kind == "url" else self.kind


def choose(text: str, directory: Path) -> EngineChoice:
    """Read what `--engine` says: the simulator's name, a URL, or a command. Raises `UsageFault`."""
    said = text.strip()
    for name in SIMULATORS:
        if said == name:
            return EngineChoice(name)
    if said.startswith(MUTANT):
        faulty = _fault(said)
        return EngineChoice("mutant", faulty=faulty, policy=_policy_of(faulty))
    if said.startswith(TURNS):
        return EngineChoice("turns", policy=_policy(said))
    _refuse_other_ways(said)
    if "://" in said.partition(" ")[0]:
        urls = tuple(_url(one) for one in said.split())
        if len({*urls}) < len(urls):
            raise UsageFault("the same URL stands there twice", f"--engine {said}", "one driver serves one worker")
        return EngineChoice("url", urls=urls)
    try:
        words = tuple(shlex.split(said))
    except ValueError as fault:
        raise UsageFault(f"this is no command: {fault}", f"--engine {said}", "quote it as in a shell") from fault
    if not words or not words[0]:
        raise UsageFault("no engine is named", "--engine", "give sim, a URL, or the command of a driver")
    return EngineChoice("command", words=words, directory=str(directory))


def _refuse_other_ways(said: str) -> None:
    if said.startswith(PEER):
        name = said.removeprefix(PEER)
        raise UsageFault("it is run in a place of its own", f"--engine {said}", f"use `session-tck peers run {name}`")
    if said.startswith("sim+"):
        raise UsageFault("there is no such way to the simulator", f"--engine {said}", "use sim, sim+stdio or sim+http")


def _policy(said: str) -> str:
    from tck_simulator.turns.kinds import KINDS  # noqa: PLC0415 -- seldom asked for

    name = said.removeprefix(TURNS)
    if name not in KINDS:
        known = ", ".join(f"{TURNS}{one}" for one in KINDS)
        raise UsageFault("the simulator has no such policy", f"--engine {said}", f"use {known}")
    return name


def _fault(said: str) -> str:
    from tck_fakes.faults import FAULTS  # noqa: PLC0415 -- they are many, and seldom asked for
    from tck_fakes.faulty import CONTROLS, TURN_CONTROLS, unknown_fault  # noqa: PLC0415 -- the same

    name = said.removeprefix(MUTANT)
    unknown = unknown_fault(name)
    if unknown is not None:
        near = get_close_matches(unknown, (*CONTROLS, *TURN_CONTROLS, *FAULTS), 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageFault("there is no such fault", f"--engine {said}", f"{hint}session-tck mutants --list names them")
    try:
        _policy_of(name)
    except ValueError as fault:
        raise UsageFault(str(fault), f"--engine {said}", "give faults of one kind of engine") from fault
    return name


def _policy_of(faulty: str) -> str | None:
    from tck_fakes.faulty import policy_of  # noqa: PLC0415 -- the same

    return policy_of(faulty)


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        fit = parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fit = False
    if not fit:
        raise UsageFault("this is no URL of a driver", f"--engine {text}", "give one such as http://127.0.0.1:8700")
    return text


def chosen_by(project: ProjectFile) -> EngineChoice:
    """Give the engine that a project file names; the simulator where it names none."""
    scale = project.timeout_scale or 1.0
    if project.command is not None:
        directory = str(project.directory or project.folder)
        return EngineChoice("command", project.command, (), directory, project.environment, timeout_scale=scale)
    if project.urls is not None:
        return EngineChoice("url", urls=project.urls, timeout_scale=scale)
    return replace(choose(project.name or "sim", project.folder), timeout_scale=scale)

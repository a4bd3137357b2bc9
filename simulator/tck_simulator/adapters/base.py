"""What every adapter of a local agent declares and does.

An adapter knows one CLI: its arguments, where it keeps sessions, how it names them, and by which shapes it says that it
cannot resume. It decides nothing; the run sequence does. Specification: §16.2, §16.3, §16.5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters.verified import VERIFIED
from tck_simulator.ports import ContainerState
from tck_simulator.versions import Version

WORKDIR = "/workspace"
HOME = "/home/agent"

#: As claude, codex and copilot write their ids (§16.5.1).
UUID_PATTERN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?", re.ASCII)
_VERSION_OUTPUT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Capability:
    """What an adapter declares about sessions (CAPABILITY-1): the path is None exactly where the first is false."""

    resumable_sessions: bool
    session_state_path: str | None


def declared(adapter: AdapterId) -> Capability:
    """Give what an adapter may declare: what a version of its CLI was seen to do, and nothing else."""
    seen = VERIFIED[adapter]
    return Capability(resumable_sessions=seen.since is not None, session_state_path=seen.state)


@dataclass(frozen=True, slots=True)
class Call:
    """What an adapter needs to build an argument vector.

    `label` is the session's name and `fresh_id` an id that the engine chose, both for CLIs that take one; None where
    the run has no session, and then the vector is what it would be without the feature. `state_files` names what stands
    directly in the state directory.
    """

    prompt: str
    read_only: bool
    model: str
    label: str | None = None
    fresh_id: str | None = None
    version: Version | None = None
    state_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """An argument vector and what it needs in its environment."""

    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What an adapter reads from a CLI's output, before anything is decided.

    `reported` holds the ids that name the session which really ran, in order, each once; an echo of the id that was
    asked for is not among them. `turn` says whether the model put out anything. `cannot_resume` says that the output
    has a shape by which this CLI refuses a resume. `ok` is a usable answer with exit code 0 (§13.4).
    """

    ok: bool
    reported: tuple[str, ...]
    turn: bool
    cannot_resume: bool
    text: str


class Adapter(Protocol):
    """One local agent."""

    @property
    def id(self) -> AdapterId:
        """The adapter's id, which names its state directory."""
        ...

    @property
    def capability(self) -> Capability:
        """What it declares, before detection lowers it (CAPABILITY-1)."""
        ...

    @property
    def id_pattern(self) -> re.Pattern[str]:
        """What its native ids look like in full; nothing else reaches an argument vector (ISOLATE-10)."""
        ...

    @property
    def rotates(self) -> bool:
        """Whether this CLI may answer a resume under one new id (RESUME-11)."""
        ...

    @property
    def verified_from(self) -> Version | None:
        """The oldest version verified to resume without interaction (CAPABILITY-2)."""
        ...

    def version_command(self) -> tuple[str, ...]:
        """Give the command whose output says the version."""
        ...

    def plain(self, call: Call) -> Invocation:
        """Build the vector of a run without a session."""
        ...

    def fresh(self, call: Call) -> Invocation:
        """Build the vector of a fresh session."""
        ...

    def resume(self, call: Call, native_id: str) -> Invocation:
        """Build the vector that resumes exactly this session, by id (RESUME-10)."""
        ...

    def read(self, state: ContainerState) -> Reading:
        """Read what the CLI put out, complete or cut off."""
        ...


def events(stdout: str) -> Iterator[Mapping[str, object]]:
    """Give the JSON objects of a JSON-lines output; lines that are none are passed over, as a cut-off last line is."""
    for line in stdout.splitlines():
        if not line.startswith("{"):
            continue
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value  # pyright: ignore[reportUnknownVariableType] -- JSON objects have string keys


def text_of(event: Mapping[str, object], *keys: str) -> str:
    """Give the string at a path of keys, or the empty string."""
    value: object = event
    for key in keys:
        if not isinstance(value, Mapping):
            return ""
        value = value.get(key)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- JSON
    return value if isinstance(value, str) else ""


def once(ids: Iterator[str]) -> tuple[str, ...]:
    """Give each id once, in the order of its first appearance."""
    return tuple(dict.fromkeys(ids))


def read_version(stdout: str) -> Version | None:
    """Find the version in what a version command printed: the first that stands in it (§16.6)."""
    found = _VERSION.search(stdout[:_VERSION_OUTPUT])
    return Version.parse(found[0].rstrip(".")) if found else None

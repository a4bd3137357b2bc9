"""What an engine of turns knows: its scopes and their sessions, in memory and on disk, and still after a restart."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from cattrs import Converter

from tck_driver.vocabulary import AdapterId
from tck_simulator.turns.continuation import Continuation, Due, digest_of
from tck_simulator.turns.log import Log

_CONVERTER = Converter()


@dataclass(frozen=True, slots=True)
class Session:
    """One session of the tracker: what is kept of it, when that was last touched, and whether it is still there."""

    number: int
    kept: Continuation | None = None
    touched: int = 0
    live: bool = True


@dataclass(slots=True)
class Scope:
    """One scope: by whom and where its turns are, how many there were, and what is kept of it.

    `record` is what is kept for the issue as a whole, beyond the lives of its sessions. `broken` says that its work has
    failed for good.
    """

    name: str
    provider: AdapterId
    directory: str
    instructions: str
    generation: int = 0
    sessions: list[Session] = field(default_factory=lambda: [Session(1)])
    record: Continuation | None = None
    broken: bool = False

    @property
    def present(self) -> Session:
        """The session that its turns are in."""
        return self.sessions[-1]

    def due(self) -> Due:
        """Give the turn that is due."""
        digest = digest_of(self.instructions)
        return Due(self.name, self.present.number, self.generation, self.provider, self.directory, digest)

    def put(self, session: Session) -> None:
        """Put a session in the place of the one of its number."""
        self.sessions = [session if one.number == session.number else one for one in self.sessions]


@dataclass(slots=True)
class Memory:
    """All scopes, and the two switches. `touches` counts what was kept so far, which orders it in time."""

    on: bool
    taking_up: bool = False
    touches: int = 0
    scopes: dict[str, Scope] = field(default_factory=dict[str, Scope])

    def keep(self, kept: Continuation) -> None:
        """Keep a continuation for its session, and as the record of its issue."""
        self.touches += 1
        scope = self.scopes[kept.scope]
        held = next(one for one in scope.sessions if one.number == kept.session)
        scope.put(replace(held, kept=kept, touched=self.touches))
        scope.record = kept

    def drop(self, scope: str, native_id: str) -> None:
        """Forget an id, wherever it is kept for this scope."""
        held = self.scopes[scope]
        held.sessions = [
            replace(one, kept=None) if one.kept is not None and one.kept.native_id == native_id else one
            for one in held.sessions
        ]
        if held.record is not None and held.record.native_id == native_id:
            held.record = None

    def clear(self, due: Due) -> None:
        """Forget whatever is kept for the session of a turn, and the record with it."""
        scope = self.scopes[due.scope]
        held = next(one for one in scope.sessions if one.number == due.session)
        scope.put(replace(held, kept=None))
        scope.record = None


class Notebook:
    """The file that a memory is written down in, whole. Raises `OSError` where it cannot be written."""

    def __init__(self, path: Path) -> None:
        """Use this path; there is nothing yet."""
        self._path = path

    def write(self, memory: Memory) -> None:
        """Write everything down; whoever is killed meanwhile leaves what stood there before."""
        aside = self._path.with_suffix(".new")
        aside.write_text(json.dumps(_CONVERTER.unstructure(memory)), "utf-8")
        aside.replace(self._path)

    def read(self) -> Memory:
        """Read what was written last."""
        return _CONVERTER.structure(json.loads(self._path.read_text("utf-8")), Memory)


def restore(notebook: Notebook, log: Log, *, proven: bool) -> Memory:
    """Read everything again after a restart; where proof is asked for, forget what the log does not prove (REUSE-7)."""
    memory = notebook.read()
    if not proven:
        return memory
    for scope in memory.scopes.values():
        last = log.last(scope.name)
        for session in scope.sessions:
            if session.kept is not None and (last is None or not last.proves(session.kept)):
                memory.drop(scope.name, session.kept.native_id)
    return memory

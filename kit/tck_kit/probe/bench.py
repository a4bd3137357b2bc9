"""What a case works with: homes of one CLI, a session that was made beforehand, and starts that are looked at closely.

Every case begins in a fresh home that holds the session's state and nothing else of an earlier run, which is what a
disposable container gives a CLI.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.plain import Plain
from tck_kit.probe.record import Fact
from tck_kit.probe.run_of_cli import Ended, Start
from tck_kit.probe.seen import Asking, Seen
from tck_kit.probe.words import Outcome
from tck_simulator.adapters import Adapter, Call, Invocation
from tck_simulator.outcomes import judge
from tck_simulator.ports import ContainerState
from tck_simulator.versions import Version

if TYPE_CHECKING:
    from tck_kit.probe.arena import Arena
    from tck_kit.probe.configured import Configuration

LABEL: Final = "issue-7-session-tck"
#: Seconds for one start that is expected to end; a busy machine must not make it look as if it hung.
LIMIT = 180.0
RETRYING = 240.0
#: What a container runtime says of one that was killed.
_KILLED = 137
#: Files that are searched for a prompt or a key; a CLI's state is far smaller.
_MOST_FILES, _MOST_BYTES = 2_000, 64 * 1024 * 1024
_COPIED = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)

_ASTRAY: Final = "the session's state is not where it was, or a link leads away from it"

Came = tuple[Outcome, dict[str, Fact]]


class Unreached(Exception):  # noqa: N818 -- an outcome of a case, not a fault
    """What a case needs did not come about, so nothing can be said."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session as an engine knows it, and the state that was kept of it."""

    id: str
    heard: tuple[str, ...]
    state: Path


@dataclass(frozen=True, slots=True)
class Bench:
    """One CLI and what is needed to try a case with it. `session` has heard two prompts, one of them on a resume."""

    adapter: Adapter
    configuration: Configuration
    version: Version | None
    base: Arena
    case: str
    session: Session | None = None
    #: Seconds for a CLI that may well never end: far more than a start that goes well takes here and now.
    patience: float = LIMIT
    #: Seconds for one that asks a model again and again: some do so for three minutes, and one of them for ever.
    retrying: float = RETRYING
    #: Seconds that a start takes which goes well, here and now.
    usual: float = 0.0
    _made: list[str] = field(default_factory=list[str])

    def home(self, *, elsewhere: bool = False) -> Home:
        """Give a home without any session; `elsewhere` gives it another working directory, too."""
        self._made.append("")
        name = f"{self.case}-{len(self._made)}"
        work = self.base.place(f"elsewhere-{name}") if elsewhere else None
        return Home(self, name, self.base.another(name, work))

    @contextmanager
    def apart(self) -> Generator[Home]:
        """Give a home with a model server of its own, which can be told to be slow without anybody else noticing."""
        self._made.append("")
        name = f"{self.case}-{len(self._made)}"
        with self.base.apart(name) as arena:
            yield Home(self, name, arena)

    def with_session(self, *, elsewhere: bool = False) -> tuple[Home, Session]:
        """Give a home that holds the session's state and nothing else."""
        if self.session is None:
            raise Unreached("no session could be made and resumed")
        home = self.home(elsewhere=elsewhere)
        home.keep(self.session)
        return home, self.session

    def chosen_id(self, number: int = 1) -> str:
        """Give an id that a caller may choose: a UUID of version 4, and always the same."""
        digest = hashlib.sha256(f"{self.case}:{number}".encode()).digest()
        return str(uuid.UUID(bytes=digest[:16], version=4))

    def unknown_id(self) -> str:
        """Give an id that has the right form and that nobody has ever heard of."""
        if self.adapter.id is not AdapterId.OPENCODE:
            return self.chosen_id(999)
        if self.session is None:
            raise Unreached("no session could be made and resumed")
        return f"{self.session.id[:-4]}ZZZZ"


class Home:
    """One home of a CLI during one case."""

    def __init__(self, bench: Bench, name: str, arena: Arena) -> None:
        self.bench = bench
        self.arena = arena
        self._name = name
        self._starts = 0
        self.plain = Plain(
            {
                str(arena.home): "<home>",
                str(arena.work): "<work>",
                re.sub(r"[^A-Za-z0-9]", "-", str(arena.work)): "<slug>",
                str(arena.home.parent.parent): "<folder>",
                **{word: "<program>" for word in arena.subject.words if word.startswith("/")},
                str(bench.version or ""): "<version>",
                LABEL: "<name>",
            }
        )

    @property
    def state(self) -> Path:
        """Where the session's state lies."""
        return self.arena.state

    @property
    def in_place(self) -> bool:
        """Whether the state is a real directory, with no link on the way to it."""
        try:
            return self.state.is_dir() and os.path.realpath(self.state) == str(self.state)
        except OSError:
            return False

    def check(self) -> None:
        """See that the state is in place: a CLI that put a link there must not have us read or change what is ours.

        Raises `Unreached` where it is not.
        """
        if not self.in_place:
            raise Unreached(_ASTRAY)

    def keep(self, session: Session) -> None:
        """Put a session's state here, as a mount would."""
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(session.state, self.state, symlinks=True)
        self.arena.own(self.state)

    def kept(self, name: str) -> Path:
        """Put the state that is here aside, for other homes; what is no file, folder or link is left out."""
        self.check()
        # The copy is ours, with the modes that the CLI gave it: nobody else may come near it.
        place = self.arena.home.parent.parent / "kept"
        place.mkdir(mode=0o700, exist_ok=True)
        aside = place / f"{self._name}-{name}"
        try:
            shutil.copytree(self.state, aside, symlinks=True, ignore=_special)
        except OSError as fault:
            raise Unreached("the session's state could not be put aside") from fault
        return aside

    def files(self) -> tuple[Path, ...]:
        """Give the regular files in the state, those of a session first come first; none where it is not in place."""
        return tuple(regular(self.state)) if self.in_place else ()

    def names(self) -> tuple[str, ...]:
        """Give the names of the files in the state, without what is volatile in them."""
        return tuple(dict.fromkeys(self.name(path) for path in self.files()))

    def name(self, path: Path) -> str:
        """Give the name of a file in the state, without what is volatile in it."""
        return self.plain.file(path.relative_to(self.state))

    def transcripts(self) -> tuple[Path, ...]:
        """Give the files in which the session's turns stand."""
        held = [path for path in self.files() if path.suffix == ".jsonl" or ".db" in path.name]
        return tuple(path for path in held if not path.name.endswith("-shm"))

    def prompt(self, words: str = "Remember {mark} and say what you have heard.") -> tuple[str, str]:
        """Give the next prompt of this home, and the mark by which it is found again."""
        self._starts += 1
        name = f"{self._name}:{self._starts}"
        mark = f"tck-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        return words.format(mark=mark), mark

    def call(self, prompt: str, *, label: str | None = None, chosen: str | None = None) -> Call:
        """Give what the adapter needs for its vector."""
        names = tuple(sorted(one.name for one in self.files() if one.parent == self.state))
        return Call(
            prompt=prompt,
            read_only=False,
            model=self.bench.configuration.model,
            label=label,
            fresh_id=chosen,
            version=self.bench.version,
            state_files=names,
        )

    def fresh(
        self,
        *,
        words: str = "Remember {mark} and say what you have heard.",
        label: str | None = LABEL,
        chosen: str | None = None,
        earlier: tuple[str, ...] = (),
        limit: float = LIMIT,
        kill: bool = False,
    ) -> Seen:
        """Start a session, under an id that the caller chose where this CLI takes one."""
        prompt, mark = self.prompt(words)
        chosen = chosen or self.bench.chosen_id()
        vector = self.bench.adapter.fresh(self.call(prompt, label=label, chosen=chosen))
        return self.start(vector, prompt, Asking(mark, None, chosen, earlier), limit=limit, kill=kill)

    def resume(
        self,
        session: Session,
        *,
        native_id: str | None = None,
        words: str = "Remember {mark} and say what you have heard.",
        limit: float = LIMIT,
        kill: bool = False,
    ) -> Seen:
        """Resume a session by its id, or by another one."""
        prompt, mark = self.prompt(words)
        asked = session.id if native_id is None else native_id
        vector = self.bench.adapter.resume(self.call(prompt), asked)
        return self.start(vector, prompt, Asking(mark, asked, None, session.heard), limit=limit, kill=kill)

    def start(
        self, vector: Invocation, prompt: str, asking: Asking, *, limit: float = LIMIT, kill: bool = False
    ) -> Seen:
        """Start the CLI with a vector, and look at what came of it."""
        start = Start(vector.argv, environment=dict(vector.environment), limit=limit, kill_when_asked=kill)
        return self.seen(self.arena.run(start), prompt, asking)

    def seen(self, ended: Ended, prompt: str, asking: Asking) -> Seen:
        """Look at what came of a start."""
        code = _KILLED if ended.exit_code is None else ended.exit_code
        adapter = self.bench.adapter
        reading = adapter.read(ContainerState(code, ended.stdout, ended.stderr))
        ids = tuple(one for one in reading.reported if adapter.id_pattern.fullmatch(one))
        heard = {
            text.strip() for one in ended.asked if one.purpose == "turn" for text in one.prompts if asking.mark in text
        }
        return Seen(
            asking,
            ended,
            reading,
            ids,
            judge(reading, asking.resume_id, adapter.id_pattern, rotates=adapter.rotates),
            saved=holds(self.files(), asking.mark),
            said=self.plain.said(ended.stdout, ended.stderr),
            exact=prompt in heard if heard else None,
        )

    def session(self, seen: Seen, name: str, earlier: tuple[str, ...] = ()) -> Session:
        """Give the session that a start left, with its state put aside."""
        native_id = seen.native_id
        if native_id is None:
            raise Unreached("no id was reported")
        return Session(native_id, (*earlier, seen.asking.mark), self.kept(name))


def _special(folder: str, names: list[str]) -> set[str]:
    """Give the names of pipes, sockets and devices: none of them can be copied."""
    modes = {name: Path(folder, name).lstat().st_mode for name in names}
    return {name for name, mode in modes.items() if not any(kind(mode) for kind in _COPIED)}


def regular(folder: Path, most: int = _MOST_FILES, *, whole: bool = False) -> Iterator[Path]:
    """Give the regular files below a folder, links not followed, in the order of their names.

    So many are looked at; where that has to be all of them, more raise `Unreached`.
    """
    found = 0
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(here, name)
            found += 1
            if found > most:
                if whole:
                    raise Unreached(f"there are more than {most} files to be searched")
                return
            try:
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path
            except OSError:
                continue


def holds(paths: tuple[Path, ...], text: str) -> bool:
    """Say whether a text stands in one of the files."""
    return any(text.encode() in content(path) for path in paths)


def content(path: Path) -> bytes:
    """Read a file, as much as can be searched; one that cannot be read holds nothing."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def following(session: Session, seen: Seen, state: Path) -> Session:
    """Give the session as it is after another turn."""
    return replace(session, heard=(*session.heard, seen.asking.mark), state=state)


Doing = Callable[[Bench], Came]

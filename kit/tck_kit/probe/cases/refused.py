"""What a CLI does when the session that it is asked for is not there, not whole, or not to be touched."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from tck_kit.probe.bench import Bench, Came, Doing, Home, Session, Unreached, content, following, regular

#: What is done to the state of a home before its session is asked for.
Damage = Callable[[Home, Session], None]


def id_of(give: Callable[[Bench, Session], str]) -> Doing:
    """Give the case that asks for another id than the session's, beside a session that is in order."""

    def does(bench: Bench) -> Came:
        home, session = bench.with_session()
        seen = home.resume(session, native_id=give(bench, session), limit=bench.patience)
        return seen.outcome, seen.facts

    return does


def after(damage: Damage) -> Doing:
    """Give the case that asks for a session whose state was damaged."""

    def does(bench: Bench) -> Came:
        home, session = bench.with_session()
        damage(home, session)
        home.arena.own(home.arena.home)
        seen = home.resume(session, limit=bench.patience)
        return seen.outcome, seen.facts

    return does


def forbidden(damage: Damage) -> Doing:
    """Give the case that asks for a session whose state may not be read or written; then all may be done again.

    A turn that could not be saved is missing from the next one, and what was there before must not be.
    """

    def does(bench: Bench) -> Came:
        home, session = bench.with_session()
        damage(home, session)
        try:
            seen = home.resume(session, limit=bench.patience)
        finally:
            allow(home)
        saved = home.seen(seen.ended, "", seen.asking).saved
        other = bench.home()
        other.keep(Session(session.id, session.heard, home.kept("forbidden")))
        then = other.resume(following(session, seen, home.state) if saved else session)
        # How far it got before it noticed, and what it said of that in events, is a matter of chance.
        told = tuple(line for line in seen.said if not line.startswith("event: "))
        facts = {name: fact for name, fact in seen.facts.items() if name != "events"}
        facts |= {"said": told, "saved": "yes" if saved else "no", "then": then.outcome.value}
        return seen.outcome, facts

    return does


def fresh_in_forbidden(bench: Bench) -> Came:
    """Start a fresh session where nothing can be saved."""
    home = bench.home()
    home.state.mkdir(parents=True, exist_ok=True)
    home.arena.own(home.arena.home)
    home.state.chmod(0o500)
    try:
        seen = home.fresh(limit=bench.patience)
    finally:
        allow(home)
    return seen.outcome, seen.facts


def gone(home: Home, session: Session) -> None:
    """Take the whole directory away."""
    del session
    shutil.rmtree(home.state)


def nothing_in_it(home: Home, session: Session) -> None:
    """Leave the directory, and nothing in it."""
    gone(home, session)
    home.state.mkdir()


def no_transcript(home: Home, session: Session) -> None:
    """Take the transcript away and leave whatever else there is."""
    del session
    for path in _transcripts(home):
        path.unlink()


def empty(home: Home, session: Session) -> None:
    """Leave a transcript of no bytes."""
    del session
    for path in _transcripts(home):
        path.write_bytes(b"")


def cut_in_the_head(home: Home, session: Session) -> None:
    """Leave the first twentieth of the transcript, which ends within its first turn."""
    del session
    for path in _transcripts(home):
        held = content(path)
        path.write_bytes(held[: len(held) // 20])


def cut_in_the_tail(home: Home, session: Session) -> None:
    """Cut the transcript in the middle of the first line with the last prompt."""
    for path in _transcripts(home):
        held = content(path)
        at = held.find(session.heard[-1].encode())
        path.write_bytes(held[: at if at > 0 else len(held) * 3 // 5])


def line_destroyed(home: Home, session: Session) -> None:
    """Make the line with the last prompt unreadable and leave all others."""
    for path in _transcripts(home):
        lines = content(path).splitlines(keepends=True)
        mark = session.heard[-1].encode()
        path.write_bytes(b"".join(b"#" * (len(line) - 1) + b"\n" if mark in line else line for line in lines))


def garbage(home: Home, session: Session) -> None:
    """Put bytes in its place that are no text."""
    del session
    drawn = random.Random(20_260)  # noqa: S311 -- the same bytes in every probe
    for path in _transcripts(home):
        path.write_bytes(b"\xff\xfe" + drawn.randbytes(4_000))


def directory(home: Home, session: Session) -> None:
    """Put a directory in its place."""
    del session
    for path in _transcripts(home):
        path.unlink()
        path.mkdir()


def read_only_state(home: Home, session: Session) -> None:
    """Let nobody write anything in the state, directories or files."""
    del session
    for path in (home.state, *_below(home.state)):
        path.chmod(0o500 if path.is_dir() else 0o400)


def read_only_transcript(home: Home, session: Session) -> None:
    """Let nobody write to the transcript, while the directories around it can be written."""
    del session
    for path in _transcripts(home):
        path.chmod(0o400)


def unreadable_transcript(home: Home, session: Session) -> None:
    """Let nobody read the transcript."""
    del session
    for path in _transcripts(home):
        path.chmod(0)


def unreadable_state(home: Home, session: Session) -> None:
    """Let nobody enter the directory."""
    del session
    home.state.chmod(0)


def allow(home: Home) -> None:
    """Take back what was forbidden. Raises `Unreached` where a link leads away: what lies there is not ours."""
    home.check()
    home.state.chmod(0o700)
    for path in _below(home.state):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _below(folder: Path) -> tuple[Path, ...]:
    return tuple(path for path in sorted(folder.rglob("*")) if not path.is_symlink())


def _transcripts(home: Home) -> tuple[Path, ...]:
    found = home.transcripts()
    if not found:
        raise Unreached("the session's state has no transcript that this case knows")
    for path in regular(home.state):
        if path.name.endswith("-shm"):
            path.unlink()
    return found

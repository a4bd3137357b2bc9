"""What has to be kept from run to run so that a session goes on, and what must never be among it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.bench import Bench, Came, Home, Unreached, content, holds, regular
from tck_kit.probe.cases.basics import yes
from tck_kit.probe.configured import KEY
from tck_kit.probe.record import Fact
from tck_kit.probe.words import Outcome

#: A key as a log-in would leave it; like the other one, it opens nothing.
PLANTED: Final = "session-tck-planted-key-that-opens-nothing"
#: Adapter → what a log-in with an account of another provider leaves, as far as its form is public.
_LOGINS: Final[Mapping[AdapterId, Mapping[str, str]]] = {
    AdapterId.CLAUDE_CODE: {
        ".claude/settings.json": json.dumps({"env": {"SESSION_TCK_PLANTED": PLANTED}}),
    },
    AdapterId.CODEX: {
        ".codex/auth.json": json.dumps({"OPENAI_API_KEY": PLANTED, "tokens": None, "last_refresh": None}),
    },
    AdapterId.OPENCODE: {
        ".local/share/opencode/auth.json": json.dumps({"session-tck-other": {"type": "api", "key": PLANTED}}),
    },
    AdapterId.COPILOT: {
        ".copilot/mcp-config.json": json.dumps({"mcpServers": {}, "session_tck_planted": PLANTED}),
    },
}
#: Names by which settings and credentials are known, wherever they lie.
_TELLING = ("auth.json", "config.json", "config.toml", "settings.json", ".credentials.json", "opencode.json", "hooks")
#: Files around the state that are searched for a key.
_MOST_AROUND = 20_000
_TABLES = ("account", "credential", "secret", "token")


def smallest(bench: Bench) -> Came:
    """Take the files of a session away one after the other, and see without which of them a resume fails."""
    home, session = bench.with_session()
    needed = list(regular(session.state))
    whole = home.resume(session)
    if whole.outcome not in {Outcome.RESUMED, Outcome.RENAMED}:
        return whole.outcome, whole.facts
    for path in tuple(needed):
        without = [one for one in needed if one != path]
        trial = bench.home()
        trial.keep(session)
        for one in regular(trial.state):
            if session.state / one.relative_to(trial.state) not in without:
                one.unlink()
        if without and trial.resume(session).outcome is whole.outcome:
            needed = without
    names = tuple(home.plain.file(path.relative_to(session.state)) for path in needed)
    return Outcome.YES, {"needs": names}


def apart(bench: Bench) -> Came:
    """Log in, run and resume; then look for keys, settings and credentials in what is kept from run to run."""
    home = bench.home()
    planted = _LOGINS.get(bench.adapter.id, {})
    for name, text in planted.items():
        path = home.arena.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    home.arena.own(home.arena.home)
    first = home.fresh()
    if first.outcome is not Outcome.FRESH:
        raise Unreached("no session could be made beside a log-in")
    session = home.session(first, "first")
    if home.resume(session).outcome not in {Outcome.RESUMED, Outcome.RENAMED}:
        raise Unreached("the session could not be resumed beside a log-in")
    home.check()
    given = {home.arena.home / name for name in (*planted, *_configured(home))}
    # What is kept is searched by itself: there may be more beside it than can be looked at.
    inside = [path for path in regular(home.state, whole=True) if path not in given and _keyed(path)]
    around = regular(home.arena.home, _MOST_AROUND, whole=True)
    beside = (path for path in around if path not in given and not path.is_relative_to(home.state))
    lands = [*(path for path in beside if ".tmp" not in path.name and _keyed(path)), *inside]
    held = tuple(_held(home))
    tables = tuple(_tables(home))
    full = tuple(f"{table} of {name}" for table, name, rows in tables if rows)
    facts: dict[str, Fact] = {
        "holds": (*(home.name(path) for path in inside), *held, *full),
        "could_hold": tuple(dict.fromkeys(table for table, _, rows in tables if not rows)),
        "lands": tuple(dict.fromkeys(home.plain.file(path.relative_to(home.arena.home)) for path in sorted(lands))),
        "beside": _beside(home),
    }
    return yes(not facts["holds"]), facts


def _keyed(path: Path) -> bool:
    """Say whether one of the keys stands in a file."""
    return holds((path,), KEY) or holds((path,), PLANTED)


def _configured(home: Home) -> tuple[str, ...]:
    """Give the files in which the kit itself has put the key."""
    from tck_kit.probe.configured import Place  # noqa: PLC0415 -- only this case needs it

    return tuple(home.bench.configuration.files(Place(home.arena.home, home.arena.model.url, home.arena.home)))


def _held(home: Home) -> Iterator[str]:
    """Give settings and credentials, by their names, that lie in what is kept."""
    for path in home.files():
        if any(part in _TELLING for part in path.relative_to(home.state).parts):
            yield home.name(path)


def _tables(home: Home) -> Iterator[tuple[str, str, int]]:
    """Give the tables for credentials in the databases that are kept, and how many rows each has."""
    for path in home.files():
        if not content(path).startswith(b"SQLite format 3"):
            continue
        try:
            for name, rows in _counted(path):
                yield name, home.name(path), rows
        except (OSError, sqlite3.Error) as fault:
            raise Unreached(f"a database cannot be read: {home.name(path)}") from fault


def _counted(path: Path) -> list[tuple[str, int]]:
    """Count the rows of the tables for credentials in a database.

    It is read as a copy: what SQLite opens beside a database may be a link that the CLI has put there.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        for end in ("", "-wal"):
            one = path.with_name(f"{path.name}{end}")
            if one.exists() and not one.is_symlink() and one.is_file():
                shutil.copyfile(one, copy.with_name(f"{copy.name}{end}"))
        with closing(sqlite3.connect(copy)) as database:
            rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            names = [name for (name,) in rows if any(word in name.lower() for word in _TABLES)]
            quoted = {name: name.replace('"', '""') for name in names}
            counts = {name: database.execute(f'SELECT count(*) FROM "{quoted[name]}"') for name in names}  # noqa: S608 -- its own name
            return [(name, held.fetchone()[0]) for name, held in counts.items()]


def _beside(home: Home) -> tuple[str, ...]:
    """Give what stands in the folder around the state, after a run; what belongs to a database is not named twice."""
    around = (one for one in sorted(home.state.parent.iterdir()) if not one.name.endswith(("-wal", "-shm")))
    names = (f"{one.name}/" if one.is_dir() else one.name for one in around if one != home.state)
    return tuple(dict.fromkeys(home.plain.file(Path(name)) + ("/" if name.endswith("/") else "") for name in names))

"""The stand-in for opencode 1.18.33: one SQLite database for all sessions, each bound to its directory.

File: `$OPENCODE_DB`, or `opencode.db` in `$XDG_DATA_HOME/opencode` (`~/.local/share/opencode`). A session asked for
from another directory, without `--dir`, calls the model and then hangs without a word. Not imitated: the quotes that
the real CLI puts around a prompt with spaces, and the `-wal` file. Specification: §16.5.
"""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import Err, Invocation, Line, Out, Request, Session, Stop
from tck_fakes.standins.shapes import FAULTS, NOT_FOUND_TEXT
from tck_fakes.standins.words import Words, options, read_words

_OPTIONS = options(
    {
        "-s,--session": "one",
        "-c,--continue": "none",
        "--fork": "none",
        "--title": "one",
        "--format": "one",
        "--dir": "one",
        "-m,--model": "one",
        "--agent": "one",
        "--variant": "one",
        "--command": "one",
        "-f,--file": "many",
        "--share": "none",
        "--attach": "one",
        "--port": "one",
        "--thinking": "none",
        "--print-logs": "none",
        "--log-level": "one",
        "--pure": "none",
        "--dangerously-skip-permissions": "none",
    }
)

_USAGE = """opencode run [message..]

run opencode with a message

Positionals:
  message  message to send                                                     [array] [default: []]

Options:
  -h, --help         show help                                                             [boolean]
  -s, --session      session id to continue                                                 [string]"""

#: Real databases also have the tables for credentials, which is why this one has them.
_SCHEMA = """
create table project (id text primary key, worktree text) without rowid;
create table session (id text primary key, project_id text, directory text, title text, time_updated real)
    without rowid;
create table message (id integer primary key, session_id text, role text, content text);
create table account (id text primary key, access_token text, refresh_token text) without rowid;
create table credential (id text primary key, value text) without rowid;
create table session_share (session_id text primary key, secret text) without rowid;
"""

_FIND = {
    "id": "select id, directory from session where id = ?",
    "directory": "select id, directory from session where directory = ? order by time_updated desc",
}
_PROMPTS = "select content from message where session_id = ? and role = 'user' order by id"

_FAULT_TEXTS: dict[Shape, str] = {
    "rate_limited": "Rate limit exceeded",
    "unauthorized": "invalid credentials",
    "server_error": "internal server error",
    "bad_request": "messages.3: tool_use ids were found without tool_result blocks",
    "prompt_too_long": "prompt is too long: 214302 tokens > 200000 maximum",
    "not_found_text": NOT_FOUND_TEXT,
}
_RETRYABLE = (429, 500)


class _CannotOpenError(Exception):
    """The database cannot be used; the text is what opencode says."""


def _error(text: str) -> Stop:
    return Stop((Err(f"\x1b[91m\x1b[1mError: \x1b[0m{text}"),), 1)


def _unexpected(text: str) -> Stop:
    return _error(f"Unexpected error\n\n{text}")


def _usage(code: int, why: str) -> Stop:
    return Stop((Err(_USAGE),), code, why)


_NOT_FOUND = _error("Session not found")

#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "refuse_silent": Stop((), 0),
    "damaged": _unexpected("database disk image is malformed"),
    "usage_error": _usage(1, "scripted"),
    "generic_error": _unexpected("an unknown error occurred"),
    "no_output": Stop((), 1),
}


def _help_for_value(argv: Sequence[str], words: Words) -> bool:
    """Tell whether an option lacks its value because `--help` stands there, which prints the usage."""
    return words.missing is not None and argv[argv.index(words.missing) + 1 :][:1] in (("--help",), ("-h",))


def _fault(argv: Sequence[str], words: Words) -> str | None:
    """Give what is wrong with arguments that opencode answers with its usage, None where nothing is."""
    style = words.values.get("--format", "default")
    if tuple(argv[:1]) != ("run",):
        return "no `run`: the terminal interface was asked for"
    if words.missing is not None:
        return f"not enough arguments following: {words.missing}"
    if words.unknown is not None:
        return f"unknown argument: {words.unknown}"
    return None if style in ("default", "json") else f"invalid value for --format: {style}"


class Opencode:
    """opencode 1.18.33."""

    adapter = AdapterId.OPENCODE
    program = "opencode"

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments as yargs does; the usage goes to stderr in every case."""
        words = read_words(call.argv[1:], _OPTIONS)
        if words.help or _help_for_value(call.argv, words) or call.argv[:1] in (("--help",), ("-h",)):
            return _usage(0, "the arguments ask for the usage")
        values = words.values
        fault = _fault(call.argv, words)
        if fault is not None:
            return _usage(1, fault)
        prompt = " ".join(words.positionals) or call.stdin
        if not prompt:
            text = "You must provide a message or a command"
            return Stop(_error(text).lines, 1, text)
        asked = values.get("--session") or None
        return Request(
            prompt=prompt,
            workdir=values.get("--dir") or call.workdir,
            asked_id=asked,
            label=values.get("--title") or None,
            # Which of the two wins was not measured; nobody may have to find out.
            loosely=words.flag("--continue"),
            options={name: value or "" for name, value in values.items()},
        )

    def new(self, call: Invocation, asked: Request, session_id: str | None = None) -> Session:
        """Begin a session; nobody can choose its id."""
        del asked
        return Session(session_id or call.ids.ses(call.now), (), _place(call), new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Look the session up in the database, which is made where there is none."""
        if not call.view.is_dir(asked.workdir):
            return _error(f"Failed to change directory to {asked.workdir}")
        try:
            with _database(call) as database:
                return self._look_up(call, asked, database)
        except (_CannotOpenError, sqlite3.Error) as error:
            return _unexpected(str(error))

    def _look_up(self, call: Invocation, asked: Request, database: sqlite3.Connection) -> Session | Stop:
        if not asked.resumes:
            return self.new(call, asked)
        column, value = ("directory", asked.workdir) if asked.asked_id is None else ("id", asked.asked_id)
        found = database.execute(_FIND[column], (value,)).fetchone()
        if found is None:
            return self.new(call, asked) if asked.asked_id is None else _NOT_FOUND
        session_id, directory = str(found[0]), str(found[1])
        if not call.view.is_dir(directory):
            failure = {"name": "UnknownError", "data": {"message": "Unexpected server error. Check server logs."}}
            return Stop((_event("error", session_id, {"error": failure}),), 1)
        history = tuple(str(row[0]) for row in database.execute(_PROMPTS, (session_id,)))
        if "--fork" in asked.options:
            return Session(call.ids.ses(call.now), history, _place(call), new=True)
        return Session(session_id, history, _place(call), new=False, stalls=directory != asked.workdir)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Write the prompt, and the session where it is new."""
        earlier = session.history if session.new else ()
        try:
            with _database(call) as database:
                if session.new:
                    database.execute(
                        "insert into session values (?, 'global', ?, ?, ?)",
                        (session.id, asked.workdir, asked.label or asked.prompt, call.now.timestamp()),
                    )
                else:
                    database.execute(
                        "update session set time_updated = ? where id = ?", (call.now.timestamp(), session.id)
                    )
                database.executemany(
                    "insert into message (session_id, role, content) values (?, 'user', ?)",
                    [(session.id, prompt) for prompt in (*earlier, asked.prompt)],
                )
        except (_CannotOpenError, sqlite3.Error) as error:
            return _unexpected(str(error))
        return True

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Write the answer."""
        try:
            with _database(call) as database:
                database.execute(
                    "insert into message (session_id, role, content) values (?, 'assistant', ?)", (session.id, answer)
                )
        except (_CannotOpenError, sqlite3.Error):
            return False
        return True

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give opencode's words for each way to refuse; exit code 0 is how versions up to 1.3 did."""
        del call
        if shape == "refuse_exit_zero":
            text = f'NotFoundError: NotFoundError\n data: {{\n  message: "Session not found: {asked.asked_id}",\n}},'
            return Stop((Err(text),), 0)
        return _REFUSALS.get(shape, _NOT_FOUND)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give nothing: the first event comes once the model has answered."""
        del call, asked, names
        return ()

    def midway(self, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give the first step's event, which names the session."""
        return (_event("step_start", names[0] if names else None, {}),) if _json(asked) else ()

    def closing(self, asked: Request, names: Sequence[str], answer: str, *, saved: bool) -> tuple[Line, ...]:
        """Give one step with its text; every event names the session."""
        del saved
        if not _json(asked):
            return (Out(answer),)
        first, last = (names[0], names[-1]) if names else (None, None)
        said = {"text": answer, "part": {"type": "text", "text": answer}}
        return (_event("step_start", first, {}), _event("text", first, said), _event("step_finish", last, {}))

    def fault(self, asked: Request, names: Sequence[str], shape: Shape) -> tuple[Line, ...]:
        """Give an error event that names the session."""
        status = FAULTS[shape]
        data = {"message": _FAULT_TEXTS[shape], "statusCode": status, "isRetryable": status in _RETRYABLE}
        if not _json(asked):
            return _error(_FAULT_TEXTS[shape]).lines
        return (_event("error", names[-1] if names else None, {"error": {"name": "APIError", "data": data}}),)

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session in the same database, newer than this one."""
        del session, empty
        other = call.ids.ses(call.now)
        row = (other, call.workdir, "Something else entirely.", call.now.timestamp() + 1)
        try:
            with _database(call) as database:
                database.execute("insert into session values (?, 'global', ?, ?, ?)", row)
                database.execute(
                    "insert into message (session_id, role, content) values (?, 'user', ?)", (other, row[2])
                )
        except (_CannotOpenError, sqlite3.Error):
            return


def _json(asked: Request) -> bool:
    return asked.options.get("--format") == "json"


def _event(kind: str, session_id: str | None, more: transcript.Entry) -> Out:
    line = {"type": kind} | ({} if session_id is None else {"sessionID": session_id}) | dict(more)
    return Out(transcript.compact(line), session_id)


def _data(call: Invocation) -> str:
    return f"{call.environment.get('XDG_DATA_HOME') or f'{call.home}/.local/share'}/opencode"


def _place(call: Invocation) -> str:
    named = call.environment.get("OPENCODE_DB")
    if not named:
        return f"{_data(call)}/opencode.db"
    return named if named.startswith("/") else f"{_data(call)}/{named}"


@functools.cache
def _empty() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.executescript(_SCHEMA)
        image = database.serialize()
    database.close()
    return image


def _ready(call: Invocation) -> str:
    """Give the host path of the database file, made where it is missing; say what opencode says where it cannot be."""
    data, place, view = _data(call), _place(call), call.view
    log = f"{data}/log/opencode.log"
    try:
        view.names(data)
    except FileNotFoundError:
        pass
    except OSError:
        raise _CannotOpenError(f"EACCES: permission denied, mkdir '{data}/repos'") from None
    if not view.may_write(f"{data}/log"):
        raise _CannotOpenError(f"PermissionDenied: FileSystem.open ({log})")
    try:
        if view.is_file(place):
            head = view.read(place)
            if not head:
                view.write(place, _empty())
        elif view.exists(place):
            raise _CannotOpenError("unable to open database file")
        else:
            view.write(place, _empty())
        host = view.resolve(place)
    except OSError:
        raise _CannotOpenError("unable to open database file") from None
    if not view.may_write(place):
        raise _CannotOpenError('Failed query: insert into "project" ("id", "worktree") values (?, ?)')
    return host


@contextmanager
def _database(call: Invocation) -> Generator[sqlite3.Connection]:
    """Open the database for one transaction. Raises `_CannotOpenError` and `sqlite3.Error`."""
    host = _ready(call)
    database = sqlite3.connect(host, isolation_level=None)
    try:
        # Nothing here outlives a power cut, and no second process has the file open.
        database.execute("pragma synchronous = off")
        database.execute("pragma journal_mode = memory")
        database.execute("begin immediate")
        database.execute("insert or replace into project values ('global', '/')")
        yield database
        database.execute("commit")
    finally:
        database.close()

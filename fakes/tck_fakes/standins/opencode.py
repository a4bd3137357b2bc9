"""The stand-in for opencode 1.18.33: one SQLite database for all sessions, each bound to its directory.

File: `$OPENCODE_DB`, or `opencode.db` in `$XDG_DATA_HOME/opencode` (`~/.local/share/opencode`). A session asked for
from another directory, without `--dir`, calls the model and then hangs without a word. Not imitated in process: the
quotes that the real CLI puts around a prompt with spaces, and the `-wal` file. Specification: §16.5.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import Err, Failure, Invocation, Line, Out, Request, Session, Spoken, Stop
from tck_fakes.standins.opencode_database import CannotOpenError, opened, place_of
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


_FIND = {
    "id": "select id, directory from session where id = ?",
    "directory": "select id, directory from session where directory = ? order by time_updated desc",
}
_TURNS = "select role, content from message where session_id = ? order by id"
_ADD = "insert into message (session_id, role, content) values (?, ?, ?)"

_CUT = (
    "Cannot connect to API: The socket connection was closed unexpectedly. For more information, pass `verbose: true` "
    "in the second argument to fetch()"
)
_HEADING = "\x1b[0m\n> build · {}\n\x1b[0m"
_SNAPSHOT = "0" * 40
_TOKENS = {"total": 10, "input": 5, "output": 5, "reasoning": 0, "cache": {"write": 0, "read": 0}}
_DOWN = "Cannot connect to API: Unable to connect. Is the computer able to access the url?"
#: What is tried again before opencode gives up.
_RETRYABLE = (429, 500, 502, 503, 504, 529)
_SERVER_ERROR = {"name": "UnknownError", "data": {"message": "Unexpected server error. Check server logs for details."}}


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
    outlasts = False
    unsaved_code = 0

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments as yargs does; the usage goes to stderr in every case."""
        words = read_words(call.argv[1:], _OPTIONS)
        if words.help or _help_for_value(call.argv, words) or call.argv[:1] in (("--help",), ("-h",)):
            return _usage(0, "the arguments ask for the usage")
        values = words.values
        fault = _fault(call.argv, words)
        if fault is not None:
            return _usage(1, fault)
        said = map(_quoted, words.positionals) if call.alone else words.positionals
        prompt = " ".join(said) or call.stdin
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
        return Session(session_id or call.ids.ses(call.now), (), place_of(call), new=True, titled=asked.label is None)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Look the session up in the database, which is made where there is none."""
        if not call.view.is_dir(asked.workdir):
            return _error(f"Failed to change directory to {asked.workdir}")
        try:
            with opened(call) as database:
                return self._look_up(call, asked, database)
        except (CannotOpenError, sqlite3.Error) as error:
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
            return Stop((_event(call, "error", session_id, {"error": _SERVER_ERROR}),), 1)
        turns = database.execute(_TURNS, (session_id,))
        spoken = tuple(Spoken("user" if role == "user" else "assistant", str(text)) for role, text in turns)
        if "--fork" in asked.options:
            return Session(call.ids.ses(call.now), spoken, place_of(call), new=True)
        return Session(session_id, spoken, place_of(call), new=False, stalls=directory != asked.workdir)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Write the prompt, and the session where it is new."""
        earlier = session.spoken if session.new else ()
        try:
            with opened(call) as database:
                if session.new:
                    database.execute(
                        "insert into session values (?, 'global', ?, ?, ?)",
                        (session.id, asked.workdir, asked.label or asked.prompt, call.now.timestamp()),
                    )
                else:
                    database.execute(
                        "update session set time_updated = ? where id = ?", (call.now.timestamp(), session.id)
                    )
                turns = (*earlier, Spoken("user", asked.prompt))
                database.executemany(_ADD, [(session.id, turn.role, turn.text) for turn in turns])
        except (CannotOpenError, sqlite3.Error) as error:
            return _unexpected(str(error))
        return True

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Write the answer."""
        try:
            with opened(call) as database:
                database.execute(_ADD, (session.id, "assistant", answer))
        except (CannotOpenError, sqlite3.Error):
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

    def midway(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give the first step's event, which names the session."""
        return (_part(call, "step_start", names[0] if names else None, {}),) if _json(asked) else ()

    def closing(
        self, call: Invocation, asked: Request, names: Sequence[str], answer: str, *, saved: bool
    ) -> tuple[Line, ...]:
        """Give one step with its text; every event names the session."""
        del saved
        if not _json(asked):
            return (*_heading(call), Out(answer))
        first, last = (names[0], names[-1]) if names else (None, None)
        ended = {"reason": "stop", "tokens": _TOKENS, "cost": 0}
        return (
            _part(call, "step_start", first, {}),
            _part(call, "text", first, {"text": answer, "time": {"start": 0, "end": 1}}),
            _part(call, "step_finish", last, ended),
        )

    def retried(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give nothing: only the log tells of it."""
        del call, asked, names, failure
        return ()

    def failed(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give an error event that names the session."""
        error = _failure(failure)
        if not _json(asked):
            return (*_heading(call), *_error(str(transcript.inner(error, "data", "message"))).lines)
        named = names[-1] if names else None
        told = _event(call, "error", named, {"error": error})
        if failure.kind == "cut":
            return (_part(call, "step_start", named, {}), told)
        # Where the history is too long, it says so before it tries to make it shorter, and again when that has failed.
        return (told, told) if failure.kind == "overflow" else (told,)

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session in the same database, newer than this one."""
        del session, empty
        other = call.ids.ses(call.now)
        row = (other, call.workdir, "Something else entirely.", call.now.timestamp() + 1)
        try:
            with opened(call) as database:
                database.execute("insert into session values (?, 'global', ?, ?, ?)", row)
                database.execute(_ADD, (other, "user", row[2]))
        except (CannotOpenError, sqlite3.Error):
            return


def _heading(call: Invocation) -> tuple[Line, ...]:
    """Give what stands above an answer that is no JSON."""
    return tuple(Err(line) for line in _HEADING.format(call.model or "model").splitlines())


def _failure(failure: Failure) -> transcript.Entry:
    if failure.kind == "unready":
        return _SERVER_ERROR
    if failure.kind in ("down", "cut"):
        message = _DOWN if failure.kind == "down" else _CUT
        return {"name": "APIError", "data": {"message": message, "isRetryable": True}}
    if failure.kind == "overflow":
        return {"name": "ContextOverflowError", "data": {"message": failure.message, "responseBody": failure.body}}
    retryable = failure.status in _RETRYABLE
    data: dict[str, object] = {"message": failure.message, "statusCode": failure.status, "isRetryable": retryable}
    data |= {"responseBody": failure.body, "metadata": {"url": f"{failure.at}/chat/completions"}} if failure.at else {}
    return {"name": "APIError", "data": data}


def _quoted(word: str) -> str:
    """Give a word of the prompt as the model is sent it: one with a space in it gets quotes."""
    if " " not in word:
        return word
    return '"' + word.replace('"', '\\"') + '"'


def _json(asked: Request) -> bool:
    return asked.options.get("--format") == "json"


def _event(call: Invocation, kind: str, session_id: str | None, more: transcript.Entry) -> Out:
    named = {} if session_id is None else {"sessionID": session_id}
    line = {"type": kind, "timestamp": int(call.now.timestamp() * 1000), **named, **more}
    return Out(transcript.compact(line), session_id)


def _part(call: Invocation, kind: str, session_id: str | None, more: transcript.Entry) -> Out:
    """Give an event that holds a part of a message; the part names the session once more."""
    named = {} if session_id is None else {"sessionID": session_id}
    part = {"id": "prt_1", "messageID": "msg_1", "snapshot": _SNAPSHOT, **named, "type": kind.replace("_", "-"), **more}
    return _event(call, kind, session_id, {"part": part})

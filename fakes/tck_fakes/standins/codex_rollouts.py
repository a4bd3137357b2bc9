"""Where codex keeps sessions, how it finds one, and what it says where it does not."""

from __future__ import annotations

from collections.abc import Sequence

from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Err,
    Invocation,
    Request,
    Session,
    Spoken,
    Stop,
)

STORE = "thread-store internal error"
DENIED = "Permission denied (os error 13)"
#: How deep folders are looked into; a link that leads around in a circle ends there too.
_DEPTH = 8


def failed(text: str) -> Stop:
    """Give what is said of it, with exit code 1."""
    return Stop((Err(text),), 1)


def not_resumed(reason: str, code: int) -> Stop:
    """Refuse to resume, for a reason and with its code."""
    return failed(f"Error: thread/resume: thread/resume failed: {reason} (code {code})")


def bad_metadata(place: str, reason: str) -> Stop:
    """Give what is said of a rollout that cannot be read."""
    store = "failed to read thread: thread-store internal error: failed to read session metadata"
    return not_resumed(f"{store} {place}: {reason}", -32603)


def uncreated(call: Invocation, reason: str, *, busy: bool = False) -> Stop:
    """Give what is said of a session that was found and cannot be gone on with."""
    moment = transcript.stamp(call.now)
    fatal = f"error resuming thread: Fatal error: Failed to initialize session: {reason}"
    said = not_resumed(reason.removeprefix("thread-store conflict: "), -32600) if busy else not_resumed(fatal, -32603)
    return Stop(
        (
            Err(f"{moment} ERROR codex_core::session::session: failed to initialize thread persistence: {reason}"),
            Err(f"{moment} ERROR codex_core::session: Failed to create session: {reason}"),
            *said.lines,
        ),
        1,
    )


def _busy(call: Invocation, session_id: str) -> Stop:
    return uncreated(call, f"thread-store conflict: thread {session_id} already has an active writer", busy=True)


def no_rollout(session_id: str) -> Stop:
    """Refuse an id that has no rollout."""
    return not_resumed(f"no rollout found for thread id {session_id}", -32600)


def _home(call: Invocation) -> str:
    return call.environment.get("CODEX_HOME") or f"{call.home}/.codex"


def sessions(call: Invocation) -> str:
    """Give the folder that holds all rollouts."""
    return f"{_home(call)}/sessions"


def _locked(call: Invocation, session_id: str) -> bool:
    """Make this process the one that writes the session; the lock lies outside of what is kept from run to run."""
    return call.view.hold(f"{_home(call)}/thread-writer-locks/{session_id}.lock")


def _file(place: str) -> str:
    """Give a file's name, by which rollouts are in order: they begin with their time."""
    return place.rpartition("/")[2]


def _named(call: Invocation, folder: str, depth: int = 0) -> list[str]:
    """Give whatever is named as a rollout, a directory too. Raises `PermissionError` where it may not be looked for."""
    try:
        names = call.view.names(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    found: list[str] = []
    for name in names:
        place = f"{folder}/{name}"
        if name.startswith("rollout-") and name.endswith(".jsonl"):
            found.append(place)
        elif depth < _DEPTH and call.view.is_dir(place):
            found += _named(call, place, depth + 1)
    return found


def _rollouts(call: Invocation) -> list[str]:
    """Give all rollouts, oldest first."""
    try:
        return sorted(filter(call.view.is_file, _named(call, sessions(call))), key=_file)
    except PermissionError:
        return []


def by_id(call: Invocation, wanted: str) -> Session | Stop:
    """Give the session of an id, or what is said where it cannot be had."""
    try:
        places = [place for place in _named(call, sessions(call)) if place.endswith(f"-{wanted}.jsonl")]
    except PermissionError:
        return not_resumed(f"failed to locate thread id {wanted}: {DENIED}", -32600)
    if not places:
        return no_rollout(wanted)
    return _load(call, max(places, key=_file), wanted) if _locked(call, wanted) else _busy(call, wanted)


def by_prompt(call: Invocation, asked: Request) -> Session | None:
    """Find a session of this directory by its first prompt, or its newest one for `--last`."""
    found: list[Session] = []
    for place in _rollouts(call):
        try:
            lines = transcript.entries(call.view.read(place))
        except OSError:
            continue
        meta = [line for line in lines if line.get("type") == "session_meta"]
        if not meta or ("--all" not in asked.options and transcript.inner(meta[0], "payload", "cwd") != asked.workdir):
            continue
        session = Session(str(transcript.inner(meta[0], "payload", "id")), _spoken(lines), place, new=False)
        if asked.asked_id is None or session.history[:1] == (asked.asked_id,):
            found.append(session)
    return max(found, key=lambda session: call.view.modified(session.place), default=None)


def _load(call: Invocation, place: str, session_id: str) -> Session | Stop:
    try:
        data = call.view.read(place)
    except IsADirectoryError:
        return bad_metadata(place, "Is a directory (os error 21)")
    except OSError:
        return bad_metadata(place, DENIED)
    try:
        data.decode()
    except UnicodeDecodeError:
        return bad_metadata(place, "stream did not contain valid UTF-8")
    lines = transcript.entries(data)
    if not lines:
        return bad_metadata(place, f"rollout at {place} is empty")
    if lines[0].get("type") != "session_meta":
        return bad_metadata(place, f"rollout at {place} does not start with session metadata")
    return Session(session_id, _spoken(lines), place, new=False)


def _spoken(lines: Sequence[transcript.Entry]) -> tuple[Spoken, ...]:
    turns: list[Spoken] = []
    for line in lines:
        role = transcript.inner(line, "payload", "role")
        if line.get("type") == "response_item" and role in ("user", "assistant"):
            text = transcript.texts(transcript.inner(line, "payload", "content"))
            turns.append(Spoken("user" if role == "user" else "assistant", text))
    return tuple(turns)

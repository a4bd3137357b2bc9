"""Where claude keeps sessions, how it finds one, and what it says where it does not."""

from __future__ import annotations

import re

from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Err,
    Invocation,
    Request,
    Session,
    Spoken,
    Stop,
)
from tck_fakes.standins.claude_lines import (
    unfound_line,
)

UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_SLUG_LIMIT = 200
A_DIRECTORY = "Failed to resume session: EISDIR: illegal operation on a directory, read"
_NEEDS_ID = (
    "Error: --resume requires a valid session ID or session title when used with --print."
    " Usage: claude -p --resume <session-id|title>"
)


def slug(workdir: str) -> str:
    """Give the name of the folder that holds the sessions of a working directory."""
    name = re.sub(r"[^A-Za-z0-9]", "-", workdir)
    if len(name) <= _SLUG_LIMIT:
        return name
    # Few paths are so long, and the import takes as long as a whole stand-in otherwise does.
    import hashlib  # noqa: PLC0415 -- see above

    return f"{name[:_SLUG_LIMIT]}-{hashlib.sha256(workdir.encode()).hexdigest()[:8]}"


def failed(text: str, usage: str | None = None) -> Stop:
    """Give what is said of it, with exit code 1."""
    return Stop((Err(text),), 1, usage)


def not_found(asked: Request, session_id: str) -> Stop:
    """Refuse an id that has no session."""
    return refused(asked, f"No conversation found with session ID: {session_id}", session_id)


def refused(asked: Request, text: str, session_id: str | None = None) -> Stop:
    """Refuse a session; `stream-json` is told of it by a line of its own, with an id that no session has."""
    if asked.options.get("--output-format") != "stream-json":
        return failed(text)
    return Stop((unfound_line(session_id or transcript.made_id(5), text), Err(text)), 1)


def folder_of(call: Invocation, workdir: str) -> str:
    """Give the folder that holds the sessions of a working directory."""
    config = call.environment.get("CLAUDE_CONFIG_DIR") or f"{call.home}/.claude"
    return f"{config}/projects/{slug(workdir)}"


def _folders(call: Invocation, workdir: str) -> list[str]:
    """Give the folders that claude looks into: the working directory's, and those of the same repository."""
    own = folder_of(call, workdir)
    at = workdir.rstrip("/")
    while at and not call.view.exists(f"{at}/.git"):
        at = at.rpartition("/")[0]
    if not at:
        return [own]
    projects, root = own.rpartition("/")[0], slug(at)
    try:
        names = call.view.names(projects)
    except OSError:
        names = []
    return [own, *(f"{projects}/{name}" for name in names if name == root or name.startswith(f"{root}-"))]


def find(call: Invocation, asked: Request) -> Session | Stop:
    """Give the session that is asked for, or what is said where it cannot be had."""
    wanted = asked.asked_id
    if wanted is None:
        return _newest(call, asked)
    if not wanted:
        return refused(asked, _NEEDS_ID)
    if UUID.fullmatch(wanted):
        places = [f"{folder}/{wanted}.jsonl" for folder in _folders(call, asked.workdir)]
        place = next((place for place in places if call.view.exists(place)), places[0])
        return _load(call, asked, place)
    if wanted.endswith(".jsonl"):
        return _load(call, asked, wanted)
    return _by_title(call, asked, wanted)


def _by_title(call: Invocation, asked: Request, wanted: str) -> Session | Stop:
    titled = _titled(call, asked.workdir, wanted)
    if not titled:
        reason = f'Provided value "{wanted}" is not a UUID and does not match any session title.'
        return refused(asked, f"{_NEEDS_ID}. {reason}")
    if len(titled) > 1:
        shown = "".join(f"\n  {_id_of(place)}" for place in titled)
        return refused(
            asked,
            f'Error: --resume "{wanted}" matches {len(titled)} sessions. '
            f"Pass one of these session IDs to disambiguate:{shown}",
        )
    return _load(call, asked, titled[0])


def _id_of(place: str) -> str:
    return place.rpartition("/")[2].removesuffix(".jsonl")


def _transcripts(call: Invocation, workdir: str) -> list[str]:
    folder = folder_of(call, workdir)
    try:
        names = call.view.names(folder)
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if name.endswith(".jsonl") and call.view.is_file(f"{folder}/{name}")]


def _newest(call: Invocation, asked: Request) -> Session | Stop:
    places = _transcripts(call, asked.workdir)
    if not places:
        return failed("No conversation found to continue")
    return _load(call, asked, max(places, key=call.view.modified))


def _titled(call: Invocation, workdir: str, title: str) -> list[str]:
    found: list[str] = []
    for place in _transcripts(call, workdir):
        try:
            lines = transcript.entries(call.view.read(place))
        except OSError:
            continue
        titles = [line.get("customTitle") for line in lines if line.get("type") == "custom-title"]
        if titles and str(titles[-1]).lower() == title.lower():
            found.append(place)
    return found


def _load(call: Invocation, asked: Request, place: str) -> Session | Stop:
    session_id = _id_of(place)
    try:
        data = call.view.read(place)
    except IsADirectoryError:
        return refused(asked, A_DIRECTORY)
    except OSError:
        return not_found(asked, session_id)
    spoken = tuple(turn for line in transcript.entries(data) if (turn := _spoken(line)) is not None)
    if not any(turn.role == "user" for turn in spoken):
        return not_found(asked, session_id)
    return Session(session_id, spoken, place, new=False)


def _spoken(line: transcript.Entry) -> Spoken | None:
    if line.get("type") == "user":
        return Spoken("user", str(transcript.inner(line, "message", "content")))
    if line.get("type") == "assistant":
        return Spoken("assistant", transcript.texts(transcript.inner(line, "message", "content")))
    return None

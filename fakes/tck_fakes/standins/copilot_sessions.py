"""Where copilot keeps sessions, how it finds one, and what it says where it does not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import cast

from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Err,
    Invocation,
    Line,
    Request,
    Session,
    Spoken,
    Stop,
)

_PREFIX = re.compile(r"[0-9a-f]{7}[0-9a-f-]*")
_YAML_LINE = re.compile(r"([a-z_]+): ?(.*)")
MODE = 0o600
_ADVICE = """

To resume by session or task ID:  copilot --resume=<id>
To resume by name:                copilot --resume=<name>
To name a new session:            copilot --name=<name>
To pick from existing sessions:   copilot --resume
To start a new session with ID:   copilot --session-id=<valid-uuid>"""


def failed(text: str, usage: str | None = None) -> Stop:
    """Give what is said of it, with exit code 1."""
    return Stop((Err(text),), 1, usage)


def not_matched(wanted: str) -> Stop:
    """Refuse what no session goes by."""
    return failed(f"Error: No session, task, or name matched '{wanted}'.{_ADVICE}")


def corrupted(session_id: str, reason: str) -> Stop:
    """Give what is said of a session that was found and cannot be loaded."""
    return failed(
        f"Error: Session '{session_id}' was found but could not be loaded.\n"
        f"Error: Session file is corrupted (line 1: {reason})"
    )


#: Stands for the instructions that follow the first prompt; they are as long, so a file that is cut early still has it.
SYSTEM = "You are the stand-in for an agent. " * 600
#: What copilot says, in some broken states, about what is wrong.
NOTHING = Stop((), 1)


def root_of(call: Invocation) -> str:
    """Give the folder that holds all sessions."""
    return f"{call.environment.get('COPILOT_HOME') or f'{call.home}/.copilot'}/session-state"


def furnish(call: Invocation, session: Session) -> None:
    """Leave what else the real one keeps in its state; nothing of it is needed by a resume."""
    folder = session.place.rpartition("/")[0]
    call.view.write(f"{root_of(call)}/.session-operation-locks/{session.id}.lock", b"")
    call.view.write(f"{folder}/.workspace-fork.lock", b"")
    call.view.write(f"{folder}/checkpoints/index.md", b"# Checkpoint History\n")
    call.view.write(f"{folder}/rewind-file-snapshots/tracking.json", b'{"schema":1,"tracking":true}')
    for name in ("files", "research"):
        call.view.make_dirs(f"{folder}/{name}", 0o700)


def is_session(call: Invocation, folder: str) -> bool:
    """Tell whether a folder holds a session that copilot takes for one: events that can be read and are not empty."""
    if "/" in folder or folder in ("", ".", ".."):
        return False
    try:
        return bool(call.view.read(f"{root_of(call)}/{folder}/events.jsonl"))
    except OSError:
        return False


def _workspace(call: Invocation, folder: str) -> dict[str, str] | None:
    """Read a workspace.yaml: empty where there is none, None where it is broken."""
    try:
        text = call.view.read(f"{root_of(call)}/{folder}/workspace.yaml").decode()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError):
        return None
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _YAML_LINE.fullmatch(line)
        if match is None:
            return None
        found[match[1]] = match[2]
    return found or None


def newest_of(call: Invocation, folders: Sequence[str]) -> list[str]:
    """Give the session that was last written to, if there is any."""
    places = {folder: f"{root_of(call)}/{folder}/events.jsonl" for folder in folders if is_session(call, folder)}
    return [max(places, key=lambda folder: call.view.modified(places[folder]))] if places else []


def matching(call: Invocation, folders: Sequence[str], wanted: str) -> list[str]:
    """Give the sessions that go by an id, the first digits of one, or a name."""
    if wanted in folders and is_session(call, wanted):
        return [wanted]
    usable = [folder for folder in folders if is_session(call, folder)]
    if _PREFIX.fullmatch(wanted):
        matches = [folder for folder in usable if folder.startswith(wanted)]
        if matches:
            return matches
    named: list[str] = []
    for folder in usable:
        name = (_workspace(call, folder) or {}).get("name")
        if name is not None and wanted and _unquoted(name).lower() == wanted.lower():
            named.append(folder)
    return named


def _unquoted(value: str) -> str:
    try:
        return str(cast("object", json.loads(value)))
    except ValueError:
        return value


def load(call: Invocation, asked: Request, session_id: str) -> Session | Stop:
    """Load a session, or say why not."""
    place = f"{root_of(call)}/{session_id}/events.jsonl"
    workspace = _workspace(call, session_id)
    if workspace is None:
        return NOTHING
    try:
        data = call.view.read(place)
    except OSError:
        return not_matched(session_id)
    if not transcript.entries(data.splitlines()[0] if data.strip() else b""):
        return corrupted(session_id, "EOF while parsing an object at line 1 column 1")
    spoken = tuple(turn for line in transcript.entries(data) if (turn := _spoken(line)) is not None)
    stored = workspace.get("cwd")
    notes: tuple[Line, ...] = ()
    if _follows(asked) and stored is not None and not call.view.is_dir(stored):
        warning = f"warning: resume-auto-cd: ignoring persisted cwd '{stored}': missing or not a directory"
        notes = (Err(warning),)
    return Session(session_id, spoken, place, new=False, notes=notes)


def _follows(asked: Request) -> bool:
    """Tell whether copilot would change into the directory that the session was last in."""
    return asked.asked_id is not None and "-C" not in asked.options


def goes_on_in(call: Invocation, asked: Request, session_id: str) -> str:
    """Give the directory that a resumed session really goes on in."""
    stored = (_workspace(call, session_id) or {}).get("cwd") if _follows(asked) else None
    return asked.workdir if stored is None or not call.view.is_dir(stored) else stored


def _spoken(line: transcript.Entry) -> Spoken | None:
    content = transcript.inner(line, "data", "content")
    if line.get("type") == "user.message":
        return Spoken("user", str(content))
    return Spoken("assistant", str(content)) if line.get("type") == "assistant.message" else None

"""The stand-in for copilot 1.0.102: one folder per session, and an id that is named only at the very end.

Files: `~/.copilot/session-state/<id>/events.jsonl` and `workspace.yaml`. `--session-id` resumes or creates; together
with `--name` it creates only. `--resume` changes into the session's stored directory. Specification: §16.5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import cast

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import Err, Invocation, Line, Out, Request, Session, Stop
from tck_fakes.standins.shapes import FAULTS, NOT_FOUND_TEXT
from tck_fakes.standins.words import Words, every, options, read_words

#: A UUID that copilot makes a session of: versions 1 to 8 and the usual variant, any case.
_UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[1-8][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}")
_PREFIX = re.compile(r"[0-9a-f]{7}[0-9a-f-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_YAML_LINE = re.compile(r"([a-z_]+): ?(.*)")
_NAME_LIMIT = 100
_MODE = 0o600

# fmt: off
_OPTIONS = options(
    every(
        "none",
        "--continue", "--allow-all", "--yolo", "--allow-all-tools", "--allow-all-paths", "--allow-all-urls",
        "--autopilot", "--no-ask-user", "--no-auto-update", "--no-color", "--no-custom-instructions",
        "--disable-builtin-mcps", "-s,--silent",
    )
    | every(
        "one",
        "-p,--prompt", "--session-id", "-n,--name", "--output-format", "-C", "--add-dir", "--model",
        "--effort,--reasoning-effort", "--agent", "--additional-mcp-config", "--log-dir", "--log-level", "--stream",
    )
    | every("maybe", "-r,--resume")
    | every("many", "--allow-tool", "--deny-tool")
)
# fmt: on

_USAGE = """Usage: copilot [OPTIONS] [COMMAND]

GitHub Copilot CLI - An AI-powered coding assistant.

Options:
  -r, --resume [<value>]  Resume a session by id, id prefix or name
      --session-id <id>   Resume the session with this id, or create it"""

_ADVICE = """

To resume by session or task ID:  copilot --resume=<id>
To resume by name:                copilot --resume=<name>
To name a new session:            copilot --name=<name>
To pick from existing sessions:   copilot --resume
To start a new session with ID:   copilot --session-id=<valid-uuid>"""

_HINT = "\n\nFor more information, try '--help'."

_BAD_FORMAT = """error: Invalid command format.

It looks like your prompt was not quoted, so the extra words were treated as separate arguments.
Wrap the prompt in quotes, for example: copilot -p "your prompt here"

Try 'copilot --help' for more information."""

_NAME_TAKEN = """error: option '-n, --name <name>' cannot be used with option '--session-id <id>' when it resolves to \
an existing or remote session or task.
--name only names a brand-new session created by --session-id=<new-uuid>; the resolved session was not renamed."""

_DENIED = "Permission denied (os error 13)"

#: Shape → the session error's type and text.
_FAULT_TEXTS: dict[Shape, tuple[str, str]] = {
    "rate_limited": ("rate_limit", "Failed to get response from the AI model; retried 5 times. Last error: 429"),
    "unauthorized": ("authentication", "Authentication failed with provider (HTTP 401)."),
    "server_error": ("query", "Failed to get response from the AI model; retried 5 times. Last error: 500"),
    "bad_request": ("query", "400 No tool output found for function call"),
    "prompt_too_long": ("context_limit", "400 prompt token count of 214302 exceeds the limit of 200000"),
    "not_found_text": ("query", NOT_FOUND_TEXT),
}


def _error(text: str, usage: str | None = None) -> Stop:
    return Stop((Err(text),), 1, usage)


def _not_matched(wanted: str) -> Stop:
    return _error(f"Error: No session, task, or name matched '{wanted}'.{_ADVICE}")


def _corrupted(session_id: str, reason: str) -> Stop:
    return _error(
        f"Error: Session '{session_id}' was found but could not be loaded.\n"
        f"Error: Session file is corrupted (line 1: {reason})"
    )


#: What copilot says, in some broken states, about what is wrong.
_NOTHING = Stop((), 1)

#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "id_in_use": _error(_NAME_TAKEN),
    "usage_error": _error(_BAD_FORMAT),
    "generic_error": _error("Error: An unexpected error occurred."),
    "no_output": _NOTHING,
}


class Copilot:
    """copilot 1.0.102."""

    adapter = AdapterId.COPILOT
    program = "copilot"

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments as clap does, with exit code 1 and copilot's own words for stray ones."""
        words = read_words(call.argv, _OPTIONS)
        if words.help:
            return Stop((Out(_USAGE),), 0, "the arguments ask for the usage")
        values = words.values
        prompt = values.get("--prompt") or call.stdin
        fault = _fault(call.argv, words, prompt)
        if fault is not None:
            return _error(fault, fault.partition("\n")[0])
        resumes = words.flag("--resume") or words.flag("--continue")
        asked, name = values.get("--resume"), values.get("--name")
        return Request(
            prompt=prompt,
            workdir=values.get("-C") or call.workdir,
            asked_id=asked,
            chosen_id=values.get("--session-id"),
            label=None if name is None else name.strip(),
            loosely=resumes and (asked is None or not _UUID.fullmatch(asked)),
            options={option: value or "" for option, value in values.items()},
        )

    def new(self, call: Invocation, asked: Request, session_id: str | None = None) -> Session:
        """Begin a session in a folder of its own."""
        del asked
        own = session_id or call.ids.v4()
        return Session(own, (), f"{_root(call)}/{own}/events.jsonl", new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Find the session by id, id prefix or name; a chosen id is resumed where it exists."""
        root = _root(call)
        try:
            folders = call.view.names(root) if call.view.exists(root) else []
        except OSError:
            return _NOTHING
        if asked.chosen_id is not None:
            return self._chosen(call, asked, asked.chosen_id)
        if not asked.resumes:
            return self.new(call, asked)
        matches = _newest(call, folders) if asked.asked_id is None else _matches(call, folders, asked.asked_id)
        if len(matches) == 1:
            return _load(call, asked, matches[0])
        if not matches:
            return _not_matched(asked.asked_id or "")
        shown = "".join(f"\n  {folder}" for folder in matches)
        return _error(
            f"Error: Multiple sessions match the name '{asked.asked_id}'.\n\nMatching sessions:{shown}\n\n"
            "Specify the session ID directly: copilot --resume=<id>"
        )

    def _chosen(self, call: Invocation, asked: Request, chosen: str) -> Session | Stop:
        if _usable(call, chosen):
            return _error(_NAME_TAKEN) if asked.label is not None else _load(call, asked, chosen)
        if not _UUID.fullmatch(chosen):
            return _error(
                f"Error: No session or task matched '{chosen}'.\n"
                "The value is not a valid UUID, so a new session cannot be created."
            )
        return self.new(call, asked, chosen)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Append the prompt; a place that cannot be written ends the run, with or without a word."""
        folder = session.place.rpartition("/")[0]
        if not call.view.may_write(session.place):
            if session.new:
                return _NOTHING
            said = f"Error executing prompt: Error: session save failed: Failed to append to {session.place}: {_DENIED}"
            return Stop((*self.opening(call, asked, ()), Err(said)), 1)
        lines: list[transcript.Entry] = []
        try:
            if session.new:
                lines.append({"type": "session.start", "data": {"sessionId": session.id, "cwd": asked.workdir}})
                named = "" if asked.label is None else f"name: {json.dumps(asked.label)}\n"
                yaml = f"id: {session.id}\ncwd: {asked.workdir}\n{named}"
                call.view.write(f"{folder}/workspace.yaml", yaml.encode(), _MODE)
            lines.append({"type": "user.message", "data": {"content": asked.prompt}})
            transcript.append(call.view, session.place, lines, _MODE)
        except OSError:
            return _NOTHING
        return True

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Append the answer."""
        line = {"type": "assistant.message", "data": {"content": answer}}
        try:
            transcript.append(call.view, session.place, [line], _MODE)
        except OSError:
            return False
        return True

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give copilot's words for each way to refuse."""
        del call
        wanted = asked.asked_id or ""
        if shape == "damaged":
            return _corrupted(wanted, "EOF while parsing an object at line 1 column 1")
        return _REFUSALS.get(shape) or _not_matched(wanted)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give a first event, which names no session."""
        del call, names
        return (Out('{"type":"session.skills_loaded","data":{"skills":[]}}'),) if _json(asked) else ()

    def midway(self, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give nothing: no event before the last names the session."""
        del asked, names
        return ()

    def closing(self, asked: Request, names: Sequence[str], answer: str, *, saved: bool) -> tuple[Line, ...]:
        """Give the answer and the result, the one event that names the session."""
        del saved
        if not _json(asked):
            return (Out(answer),)
        said = Out(transcript.compact({"type": "assistant.message", "data": {"content": answer}}))
        return (said, *(_result(name, 0) for name in names))

    def fault(self, asked: Request, names: Sequence[str], shape: Shape) -> tuple[Line, ...]:
        """Give the session's error and a result with exit code 1."""
        kind, text = _FAULT_TEXTS[shape]
        if not _json(asked):
            return (Err(f"Error: {text}"),)
        line = {"type": "session.error", "errorType": kind, "statusCode": FAULTS[shape], "message": text}
        return (Out(transcript.compact(line)), *(_result(name, 1) for name in names))

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session's folder beside this one, newer or empty."""
        other = call.ids.v4()
        folder = session.place.rpartition("/")[0].replace(session.id, other)
        if empty:
            call.view.make_dirs(folder)
            return
        line = {"type": "user.message", "data": {"content": "Something else entirely."}}
        call.view.write(f"{folder}/workspace.yaml", f"id: {other}\ncwd: {call.workdir}\n".encode(), _MODE)
        transcript.append(call.view, f"{folder}/events.jsonl", [line], _MODE)
        call.view.touch(f"{folder}/events.jsonl", 1_000_000_000)


def _json(asked: Request) -> bool:
    return asked.options.get("--output-format") == "json"


def _fault(argv: Sequence[str], words: Words, prompt: str) -> str | None:
    """Give what copilot says of arguments that it does not take, None where it takes them."""
    values = words.values
    resumes = words.flag("--resume") or words.flag("--continue")
    clash = next((name for name in ("--session-id", "--name") if resumes and words.flag(name)), None)
    if words.missing is not None and not _dash_word_follows(argv, words.missing):
        return f"error: a value is required for '{words.missing} <value>' but none was supplied{_HINT}"
    if words.missing is not None or words.unknown is not None or words.positionals:
        return _BAD_FORMAT
    if clash is not None:
        return f"error: the argument '{clash}' cannot be used with '--resume [<value>]'{_HINT}"
    if not prompt:
        return "error: no prompt was given, and there is no terminal to ask for one"
    return _name_fault(values.get("--name"))


def _dash_word_follows(argv: Sequence[str], option: str) -> bool:
    """Tell a prompt or name that looks like an option, for which copilot has other words, from a missing value."""
    following = argv[argv.index(option) + 1 :][:1]
    return option in ("-p", "--prompt", "-n", "--name") and bool(following) and following[0] not in ("-h", "--help")


def _name_fault(name: str | None) -> str | None:
    if name is None:
        return None
    if not name.strip():
        return "Session name cannot be empty."
    if len(name.strip()) > _NAME_LIMIT:
        return f"Session name must be {_NAME_LIMIT} characters or less."
    if _CONTROL.search(name):
        return "Session name must not contain control characters."
    return None


def _result(session_id: str, exit_code: int) -> Out:
    return Out(transcript.compact({"type": "result", "sessionId": session_id, "exitCode": exit_code}), session_id)


def _root(call: Invocation) -> str:
    return f"{call.environment.get('COPILOT_HOME') or f'{call.home}/.copilot'}/session-state"


def _usable(call: Invocation, folder: str) -> bool:
    """Tell whether a folder holds a session that copilot takes for one: events that can be read and are not empty."""
    if "/" in folder or folder in ("", ".", ".."):
        return False
    try:
        return bool(call.view.read(f"{_root(call)}/{folder}/events.jsonl"))
    except OSError:
        return False


def _workspace(call: Invocation, folder: str) -> dict[str, str] | None:
    """Read a workspace.yaml: empty where there is none, None where it is broken."""
    try:
        text = call.view.read(f"{_root(call)}/{folder}/workspace.yaml").decode()
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


def _newest(call: Invocation, folders: Sequence[str]) -> list[str]:
    places = {folder: f"{_root(call)}/{folder}/events.jsonl" for folder in folders if _usable(call, folder)}
    return [max(places, key=lambda folder: call.view.modified(places[folder]))] if places else []


def _matches(call: Invocation, folders: Sequence[str], wanted: str) -> list[str]:
    if wanted in folders and _usable(call, wanted):
        return [wanted]
    usable = [folder for folder in folders if _usable(call, folder)]
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


def _load(call: Invocation, asked: Request, session_id: str) -> Session | Stop:
    place = f"{_root(call)}/{session_id}/events.jsonl"
    workspace = _workspace(call, session_id)
    if workspace is None:
        return _NOTHING
    try:
        data = call.view.read(place)
    except OSError:
        return _not_matched(session_id)
    if not transcript.entries(data.splitlines()[0] if data.strip() else b""):
        return _corrupted(session_id, "EOF while parsing an object at line 1 column 1")
    history = tuple(
        str(transcript.inner(line, "data", "content"))
        for line in transcript.entries(data)
        if line.get("type") == "user.message"
    )
    stored = workspace.get("cwd")
    notes: tuple[Line, ...] = ()
    if asked.asked_id is not None and "-C" not in asked.options and stored is not None:
        if call.view.is_dir(stored):
            event = {"type": "session.resume", "data": {"cwd": stored}}
            notes = (Out(transcript.compact(event)),) if _json(asked) else ()
        else:
            warning = f"warning: resume-auto-cd: ignoring persisted cwd '{stored}': missing or not a directory"
            notes = (Err(warning),)
    return Session(session_id, history, place, new=False, notes=notes)

"""The stand-in for claude 2.1.197: one transcript per session, found from its own working directory only.

Files: `~/.claude/projects/<slug>/<id>.jsonl`, where the slug is the working directory with every character that is no
letter or digit made `-`. Specification: §16.5.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import Err, Invocation, Line, Out, Request, Session, Stop
from tck_fakes.standins.shapes import FAULTS, NOT_FOUND_TEXT
from tck_fakes.standins.words import Words, every, options, read_words

_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_SLUG_LIMIT = 200
_FORMATS = ("text", "json", "stream-json")
_MODE = 0o600

# fmt: off
_OPTIONS = options(
    every(
        "none",
        "-p,--print", "-c,--continue", "--fork-session", "--no-session-persistence", "--verbose",
        "--include-partial-messages", "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions",
        "--strict-mcp-config",
    )
    | every(
        "one",
        "--session-id", "-n,--name", "--output-format", "--input-format", "--model", "--fallback-model", "--effort",
        "--max-turns", "--max-budget-usd", "--permission-mode", "--settings", "--setting-sources", "--system-prompt",
        "--append-system-prompt", "--json-schema", "--agents", "--agent",
    )
    | every("maybe", "-r,--resume", "-d,--debug")
    | every(
        "many",
        "--allowed-tools,--allowedTools", "--disallowed-tools,--disallowedTools", "--tools", "--add-dir",
        "--mcp-config",
    )
)
# fmt: on

_USAGE = """Usage: claude [options] [command] [prompt]

Claude Code - starts an interactive session by default, use -p/--print for
non-interactive output

Options:
  -r, --resume [value]  Resume a conversation by session ID
  --session-id <uuid>   Use a specific session ID for the conversation"""

_NEEDS_ID = (
    "Error: --resume requires a valid session ID or session title when used with --print."
    " Usage: claude -p --resume <session-id|title>"
)

#: Shape → the result's text, where the text does not follow from the status.
_FAULT_TEXTS: dict[Shape, str] = {
    "rate_limited": "API Error: Request rejected (429) · this request would exceed the rate limit",
    "unauthorized": "Failed to authenticate. API Error: 401 invalid credentials",
    "server_error": "API Error: 500 internal error. This is a server-side issue, usually temporary — try again in a "
    "moment.",
    "bad_request": "API Error: 400 messages.3: `tool_use` ids were found without `tool_result` blocks",
    "prompt_too_long": "Prompt is too long",
    "not_found_text": f"API Error: {NOT_FOUND_TEXT}",
}


def slug(workdir: str) -> str:
    """Give the name of the folder that holds the sessions of a working directory."""
    name = re.sub(r"[^A-Za-z0-9]", "-", workdir)
    if len(name) <= _SLUG_LIMIT:
        return name
    return f"{name[:_SLUG_LIMIT]}-{hashlib.sha256(workdir.encode()).hexdigest()[:8]}"


def _error(text: str, usage: str | None = None) -> Stop:
    return Stop((Err(text),), 1, usage)


def _not_found(asked: Request, session_id: str) -> Stop:
    text = f"No conversation found with session ID: {session_id}"
    if asked.options.get("--output-format") != "stream-json":
        return _error(text)
    return Stop((_result(session_id, None, subtype="error_during_execution", errors=[text]), Err(text)), 1)


def _result(
    session_id: str | None,
    answer: str | None,
    *,
    subtype: str = "success",
    error: bool = False,
    status: int | None = None,
    errors: Sequence[str] = (),
) -> Out:
    line: dict[str, object] = {"type": "result", "subtype": subtype, "is_error": error or bool(errors)}
    if answer is not None:
        line |= {"api_error_status": status, "num_turns": 1, "result": answer}
    if session_id is not None:
        line["session_id"] = session_id
    if errors:
        line["errors"] = list(errors)
    else:
        line |= {"terminal_reason": "completed", "usage": {"input_tokens": 5, "output_tokens": 5}}
    return Out(transcript.compact(line), session_id)


#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "damaged": _error("Failed to resume session: EISDIR: illegal operation on a directory, read"),
    "usage_error": _error("error: unknown option '--output-format'"),
    "generic_error": _error("Error: An unexpected error occurred."),
    "no_output": Stop((), 1),
}


class Claude:
    """claude 2.1.197."""

    adapter = AdapterId.CLAUDE_CODE
    program = "claude"

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments as commander does: an option that needs a value takes any next word."""
        words = read_words(call.argv, _OPTIONS, dash_values=True)
        if words.help:
            return Stop((Out(_USAGE),), 0, "the arguments ask for the usage")
        values = words.values
        prompt = " ".join(words.positionals) or call.stdin
        fault = _fault(words, prompt)
        if fault is not None:
            return _error(fault, fault)
        resumes = words.flag("--resume") or words.flag("--continue")
        asked = values.get("--resume")
        return Request(
            prompt=prompt,
            workdir=call.workdir,
            asked_id=(asked or "") if words.flag("--resume") else None,
            chosen_id=values.get("--session-id") or None,
            label=(values.get("--name") or "").strip() or None,
            loosely=resumes and (asked is None or not _UUID.fullmatch(asked)),
            options={name: value or "" for name, value in values.items()},
        )

    def new(self, call: Invocation, asked: Request, session_id: str | None = None) -> Session:
        """Begin a session in the folder of the working directory."""
        own = session_id or call.ids.v4()
        return Session(own, (), f"{_folder(call, asked.workdir)}/{own}.jsonl", new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Look the session up in the folder of the working directory, and nowhere else."""
        if not asked.resumes:
            session = self.new(call, asked, asked.chosen_id)
            if call.view.exists(session.place):
                return _in_use(session.id)
            return session
        found = _find(call, asked)
        if isinstance(found, Stop) or "--fork-session" not in asked.options:
            return found
        return replace(self.new(call, asked, asked.chosen_id), history=found.history)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Append the prompt; a place that cannot be written loses it without a word."""
        if "--no-session-persistence" in asked.options or not call.view.may_write(session.place):
            return False
        common = {
            "sessionId": session.id,
            "cwd": asked.workdir,
            "timestamp": call.now.isoformat(),
            "version": "2.1.197",
        }
        lines: list[transcript.Entry] = []
        if session.new and session.history:
            lines += [_user(prompt, common) for prompt in session.history]
        if asked.label is not None:
            lines.append({"type": "custom-title", "customTitle": asked.label, "sessionId": session.id})
        lines.append(_user(asked.prompt, common))
        return _save(call, session, lines)

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Append the answer."""
        message = {"role": "assistant", "content": [{"type": "text", "text": answer}]}
        return _save(call, session, [{"type": "assistant", "sessionId": session.id, "message": message}])

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give claude's words for each way to refuse."""
        wanted = asked.asked_id or ""
        text = f"No conversation found with session ID: {wanted}"
        if shape == "refuse_decoy":
            decoy = call.ids.v4()
            shown = (_result(decoy, None, subtype="error_during_execution", errors=[text]), Err(text))
            return Stop((*self.opening(call, asked, (decoy,)), *shown), 1)
        if shape == "refuse_exit_zero":
            return Stop((_result(wanted, None, subtype="error_during_execution", errors=[text]),), 0)
        if shape == "id_in_use":
            return _in_use(asked.chosen_id or "")
        return _REFUSALS.get(shape) or _not_found(asked, wanted)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give the init line, which `stream-json` alone has."""
        if asked.options.get("--output-format") != "stream-json":
            return ()
        line: dict[str, object] = {"type": "system", "subtype": "init", "cwd": call.workdir, "tools": []}
        named = names[0] if names else None
        if named is not None:
            line["session_id"] = named
        return (Out(transcript.compact(line), named),)

    def midway(self, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give nothing: claude's steps add no id."""
        del asked, names
        return ()

    def closing(self, asked: Request, names: Sequence[str], answer: str, *, saved: bool) -> tuple[Line, ...]:
        """Give the result; whether anything was saved does not show."""
        del saved
        style = asked.options.get("--output-format", "text")
        if style == "text":
            return (Out(answer),)
        if style == "stream-json":
            last = names[-1] if names else None
            message = {"role": "assistant", "content": [{"type": "text", "text": answer}]}
            said = transcript.compact(
                {"type": "assistant", "message": message} | ({"session_id": last} if last else {})
            )
            return (Out(said), _result(last, answer))
        return tuple(_result(name, answer) for name in names) or (_result(None, answer),)

    def fault(self, asked: Request, names: Sequence[str], shape: Shape) -> tuple[Line, ...]:
        """Give a result whose subtype says success and whose `is_error` says the truth."""
        text = _FAULT_TEXTS[shape]
        if asked.options.get("--output-format", "text") == "text":
            return (Out(text),)
        shown = names if asked.options.get("--output-format") == "json" else names[-1:]
        return tuple(_result(name, text, error=True, status=FAULTS[shape]) for name in shown or (None,))

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session's transcript, or its folder with nothing in it, beside this one."""
        folder = session.place.rpartition("/")[0]
        other = call.ids.v4()
        if empty:
            call.view.make_dirs(f"{folder}/{other}")
            return
        place = f"{folder}/{other}.jsonl"
        line = _user("Something else entirely.", {"sessionId": other, "cwd": call.workdir})
        transcript.append(call.view, place, [line], _MODE)
        call.view.touch(place, 1_000_000_000)


def _fault(words: Words, prompt: str) -> str | None:
    """Give what claude says of arguments that it does not take, None where it takes them."""
    values = words.values
    style, chosen = values.get("--output-format", "text"), values.get("--session-id") or None
    resumes = words.flag("--resume") or words.flag("--continue")
    text: str | None = None
    if words.unknown is not None:
        text = f"error: unknown option '{words.unknown}'"
    elif words.missing is not None:
        text = f"error: option '{words.missing}' argument missing"
    elif style not in _FORMATS:
        allowed = ", ".join(_FORMATS)
        text = f"error: option '--output-format <format>' argument '{style}' is invalid. Allowed choices are {allowed}."
    elif chosen is not None and not _UUID.fullmatch(chosen):
        text = "Error: Invalid session ID. Must be a valid UUID."
    elif chosen is not None and resumes and not words.flag("--fork-session"):
        text = "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified."
    elif not prompt or not words.flag("--print"):
        text = "Error: Input must be provided either through stdin or as a prompt argument when using --print"
    return text


def _folder(call: Invocation, workdir: str) -> str:
    config = call.environment.get("CLAUDE_CONFIG_DIR") or f"{call.home}/.claude"
    return f"{config}/projects/{slug(workdir)}"


def _folders(call: Invocation, workdir: str) -> list[str]:
    """Give the folders that claude looks into: the working directory's, and those of the same repository."""
    own = _folder(call, workdir)
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


def _find(call: Invocation, asked: Request) -> Session | Stop:
    wanted = asked.asked_id
    if wanted is None:
        return _newest(call, asked)
    if not wanted:
        return _error(_NEEDS_ID)
    if _UUID.fullmatch(wanted):
        places = [f"{folder}/{wanted}.jsonl" for folder in _folders(call, asked.workdir)]
        place = next((place for place in places if call.view.exists(place)), places[0])
        return _load(call, asked, place)
    if wanted.endswith(".jsonl"):
        return _load(call, asked, wanted)
    return _by_title(call, asked, wanted)


def _by_title(call: Invocation, asked: Request, wanted: str) -> Session | Stop:
    titled = _titled(call, asked.workdir, wanted)
    if not titled:
        return _error(f'{_NEEDS_ID}. Provided value "{wanted}" is not a UUID and does not match any session title.')
    if len(titled) > 1:
        shown = "".join(f"\n  {_id_of(place)}" for place in titled)
        return _error(
            f'Error: --resume "{wanted}" matches {len(titled)} sessions. '
            f"Pass one of these session IDs to disambiguate:{shown}"
        )
    return _load(call, asked, titled[0])


def _id_of(place: str) -> str:
    return place.rpartition("/")[2].removesuffix(".jsonl")


def _transcripts(call: Invocation, workdir: str) -> list[str]:
    folder = _folder(call, workdir)
    try:
        names = call.view.names(folder)
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if name.endswith(".jsonl") and call.view.is_file(f"{folder}/{name}")]


def _newest(call: Invocation, asked: Request) -> Session | Stop:
    places = _transcripts(call, asked.workdir)
    if not places:
        return _error("No conversation found to continue")
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
        return _error("Failed to resume session: EISDIR: illegal operation on a directory, read")
    except OSError:
        return _not_found(asked, session_id)
    history = tuple(
        str(transcript.inner(line, "message", "content"))
        for line in transcript.entries(data)
        if line.get("type") == "user"
    )
    if not history:
        return _not_found(asked, session_id)
    return Session(session_id, history, place, new=False)


def _user(prompt: str, common: transcript.Entry) -> transcript.Entry:
    return {"type": "user", **common, "message": {"role": "user", "content": prompt}}


def _save(call: Invocation, session: Session, lines: Sequence[transcript.Entry]) -> bool:
    try:
        transcript.append(call.view, session.place, lines, _MODE)
    except OSError:
        return False
    return True


def _in_use(session_id: str) -> Stop:
    return _error(f"Error: Session ID {session_id} is already in use.")

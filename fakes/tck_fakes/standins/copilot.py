"""The stand-in for copilot 1.0.102: one folder per session, and an id that is named only at the very end.

Files: `~/.copilot/session-state/<id>/events.jsonl` and `workspace.yaml`. `--session-id` resumes or creates; together
with `--name` it creates only. `--resume` changes into the session's stored directory. Specification: §16.5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Err,
    Failure,
    Invocation,
    Line,
    Out,
    Request,
    Session,
    Stop,
)
from tck_fakes.standins.copilot_events import (
    INTERRUPTED,
    MESSAGE,
    MODEL,
    RATE_LIMIT,
    TRANSIENT,
    TURN,
    Told,
    call_broken,
    call_finished,
    call_result,
    call_start,
    event_lines,
    failure_text,
    how_it_ended,
    message_begun,
    prompt_events,
    result_line,
    summary_lines,
)
from tck_fakes.standins.copilot_sessions import (
    MODE,
    NOTHING,
    SYSTEM,
    corrupted,
    failed,
    furnish,
    goes_on_in,
    is_session,
    load,
    matching,
    newest_of,
    not_matched,
    root_of,
)
from tck_fakes.standins.words import Words, every, options, read_words

#: A UUID that copilot makes a session of: versions 1 to 8 and the usual variant, any case.
_UUID = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[1-8][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NAME_LIMIT = 100

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


_HINT = "\n\nFor more information, try '--help'."

_BAD_FORMAT = """error: Invalid command format.

It looks like your prompt was not quoted, so the extra words were treated as separate arguments.
Wrap the prompt in quotes, for example: copilot -p "your prompt here"

Try 'copilot --help' for more information."""

_NAME_TAKEN = """error: option '-n, --name <name>' cannot be used with option '--session-id <id>' when it resolves to \
an existing or remote session or task.
--name only names a brand-new session created by --session-id=<new-uuid>; the resolved session was not renamed."""

_DENIED = "Permission denied (os error 13)"


def _failed_append(place: str) -> str:
    return f"GenericFailure, Failed to append to JSONL file {place}: I/O error: {_DENIED}"


def _unsaved(reason: str, place: str) -> tuple[Line, ...]:
    """Give what is said of a session that cannot be written, once for the prompt and once for all of it."""
    return (
        Err(f"Error executing prompt: Error: Request session.send failed with message: {reason}"),
        Err(f"Error executing prompt: Error: session save failed: {_failed_append(place)}"),
    )


#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "id_in_use": failed(_NAME_TAKEN),
    "usage_error": failed(_BAD_FORMAT),
    "generic_error": failed("Error: An unexpected error occurred."),
    "no_output": NOTHING,
}


class Copilot:
    """copilot 1.0.102."""

    adapter = AdapterId.COPILOT
    program = "copilot"
    outlasts = False
    unsaved_code = 1

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments as clap does, with exit code 1 and copilot's own words for stray ones."""
        words = read_words(call.argv, _OPTIONS)
        if words.help:
            return Stop((Out(_USAGE),), 0, "the arguments ask for the usage")
        values = words.values
        prompt = values.get("--prompt") or call.stdin
        fault = _fault(call.argv, words, prompt)
        if fault is not None:
            return failed(fault, fault.partition("\n")[0])
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
        return Session(own, (), f"{root_of(call)}/{own}/events.jsonl", new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Find the session by id, id prefix or name; a chosen id is resumed where it exists."""
        root = root_of(call)
        try:
            folders = call.view.names(root) if call.view.exists(root) else []
        except OSError:
            return NOTHING
        if asked.chosen_id is not None:
            return self._chosen(call, asked, asked.chosen_id)
        if not asked.resumes:
            return self.new(call, asked)
        matches = newest_of(call, folders) if asked.asked_id is None else matching(call, folders, asked.asked_id)
        if len(matches) == 1:
            return load(call, asked, matches[0])
        if not matches:
            return not_matched(asked.asked_id or "")
        shown = "".join(f"\n  {folder}" for folder in matches)
        return failed(
            f"Error: Multiple sessions match the name '{asked.asked_id}'.\n\nMatching sessions:{shown}\n\n"
            "Specify the session ID directly: copilot --resume=<id>"
        )

    def _chosen(self, call: Invocation, asked: Request, chosen: str) -> Session | Stop:
        if is_session(call, chosen):
            return failed(_NAME_TAKEN) if asked.label is not None else load(call, asked, chosen)
        if not _UUID.fullmatch(chosen):
            return failed(
                f"Error: No session or task matched '{chosen}'.\n"
                "The value is not a valid UUID, so a new session cannot be created."
            )
        return self.new(call, asked, chosen)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Append the prompt; a place that cannot be written ends the run, with or without a word."""
        if call.unready:
            return failed(call.unready)
        folder = session.place.rpartition("/")[0]
        if not call.view.may_write(session.place):
            if session.new:
                return NOTHING
            if call.view.may_write(f"{folder}/.workspace-fork.lock"):
                return False
            shown = event_lines(call, prompt_events(call, asked)[:1]) if _json(asked) else ()
            return Stop((*shown, *_unsaved(_DENIED, session.place)), 1)
        lines: list[transcript.Entry] = []
        try:
            if session.new:
                call.view.make_dirs(folder, 0o700)
                lines.append({"type": "session.start", "data": {"sessionId": session.id, "cwd": asked.workdir}})
                named = "" if asked.label is None else f"name: {json.dumps(asked.label)}\n"
                yaml = f"id: {session.id}\ncwd: {asked.workdir}\n{named}"
                call.view.write(f"{folder}/workspace.yaml", yaml.encode(), MODE)
            else:
                lines.append({"type": "session.resume", "data": {"cwd": goes_on_in(call, asked, session.id)}})
            lines.append({"type": "user.message", "data": {"content": asked.prompt}})
            if session.new and call.alone:
                lines.append({"type": "system.message", "data": {"role": "system", "content": SYSTEM}})
            transcript.append(call.view, session.place, lines, MODE)
            if call.alone and session.new:
                furnish(call, session)
        except OSError:
            return NOTHING
        return True

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Append the answer."""
        line = {"type": "assistant.message", "data": {"content": answer}}
        try:
            transcript.append(call.view, session.place, [line], MODE)
        except OSError:
            return False
        return True

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give copilot's words for each way to refuse."""
        del call
        wanted = asked.asked_id or ""
        if shape == "damaged":
            return corrupted(wanted, "EOF while parsing an object at line 1 column 1")
        return _REFUSALS.get(shape) or not_matched(wanted)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give the events up to the model's call, none of which names the session."""
        del names
        return event_lines(call, prompt_events(call, asked)) if _json(asked) else ()

    def midway(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give nothing: no event before the last names the session."""
        del call, asked, names
        return ()

    def closing(
        self, call: Invocation, asked: Request, names: Sequence[str], answer: str, *, saved: bool
    ) -> tuple[Line, ...]:
        """Give the answer and the result, the one event that names the session; there is none where it is not saved."""
        place = "" if saved else self.new(call, asked, names[0] if names else None).place
        unsaved = () if saved else _unsaved(_failed_append(place), place)
        if not _json(asked):
            return (Out(answer), *(unsaved or summary_lines(names)))
        message: dict[str, object] = {"messageId": MESSAGE, "model": call.model or MODEL, "content": answer}
        message |= {"originatingMessageId": transcript.made_id(1), "toolRequests": [], "apiCallId": "chatcmpl_1"}
        message |= {**TURN, "rte": False}
        ended: list[Told] = [
            *message_begun(answer),
            ("model.call_finished", call_finished("success")),
            ("assistant.message", message),
            ("model.call_final_result", call_result(call, "success")),
            ("assistant.turn_end", {"turnId": "0"}),
            ("assistant.idle", {}),
        ]
        if not saved:
            told = f"Failed to persist session events: {_failed_append(place)}"
            ended.insert(0, ("session.error", {"errorType": "persistence", "message": told}))
            return (*event_lines(call, ended), *unsaved)
        return (*event_lines(call, ended), *(result_line(call, name, 0) for name in names))

    def retried(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give a word on every time that the model is called again."""
        del names
        if not _json(asked):
            return ()
        one: list[Told] = [
            *call_broken(call, failure),
            ("assistant.turn_retry", {"turnId": "0", "model": call.model or MODEL, "reason": "streaming_error"}),
        ]
        if failure.status != RATE_LIMIT:
            text = INTERRUPTED if failure.status is None else TRANSIENT
            one.append(("session.info", {"infoType": "model_retry", "message": text}))
        one.append(call_start(call))
        return event_lines(call, one) * (failure.tries - 1)

    def failed(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give the session's error and a result with exit code 1."""
        kind, text = failure_text(failure, call.model or MODEL)
        if not _json(asked):
            return (Err(f"\n{text}"), *summary_lines(names))
        status = {} if failure.status is None else {"statusCode": failure.status}
        ended: list[Told] = [
            *call_broken(call, failure),
            ("model.call_final_result", call_result(call, how_it_ended(failure))),
            ("assistant.turn_end", {"turnId": "0"}),
            (
                "session.error",
                {"errorType": kind, "message": text, **status, "originatingMessageId": transcript.made_id(1)},
            ),
            ("assistant.idle", {}),
        ]
        return (*event_lines(call, ended), *(result_line(call, name, 1) for name in names))

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session's folder beside this one, newer or empty."""
        other = call.ids.v4()
        folder = session.place.rpartition("/")[0].replace(session.id, other)
        if empty:
            call.view.make_dirs(folder)
            return
        line = {"type": "user.message", "data": {"content": "Something else entirely."}}
        call.view.write(f"{folder}/workspace.yaml", f"id: {other}\ncwd: {call.workdir}\n".encode(), MODE)
        transcript.append(call.view, f"{folder}/events.jsonl", [line], MODE)
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

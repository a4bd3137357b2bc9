"""The stand-in for codex 0.171.0: one rollout per session, and a silent new session for what is no UUID.

Files: `~/.codex/sessions/Y/M/D/rollout-<time>-<id>.jsonl`, found by their name anywhere below `sessions/`, from every
working directory. Specification: §16.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import Err, Invocation, Line, Out, Request, Session, Stop
from tck_fakes.standins.shapes import NOT_FOUND_TEXT
from tck_fakes.standins.words import Words, options, read_words

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MODE = 0o644
_UNSAVED = (
    "Failed to save the conversation transcript; Codex will continue retrying. Error: thread-store internal error:"
)

_TOP = options(
    {
        "-c,--config": "one",
        "-m,--model": "one",
        "-p,--profile": "one",
        "-s,--sandbox": "one",
        "-a,--ask-for-approval": "one",
        "-C,--cd": "one",
        "--add-dir": "one",
        "--enable": "one",
        "--disable": "one",
        "--full-auto": "none",
        "--yolo,--dangerously-bypass-approvals-and-sandbox": "none",
        "--search": "none",
        "--oss": "none",
    }
)
_EXEC = options(
    {
        "-c,--config": "one",
        "-m,--model": "one",
        "-p,--profile": "one",
        "-s,--sandbox": "one",
        "-C,--cd": "one",
        "-i,--image": "one",
        "-o,--output-last-message": "one",
        "--output-schema": "one",
        "--add-dir": "one",
        "--color": "one",
        "--enable": "one",
        "--disable": "one",
        "--full-auto": "none",
        "--yolo,--dangerously-bypass-approvals-and-sandbox": "none",
        "--skip-git-repo-check": "none",
        "--ephemeral": "none",
        "--oss": "none",
        "--experimental-json,--json": "none",
    }
)
#: `exec resume` takes fewer options than `exec`: a sandbox or a directory must stand before it.
_RESUME = options(
    {
        "-c,--config": "one",
        "-m,--model": "one",
        "-i,--image": "one",
        "-o,--output-last-message": "one",
        "--output-schema": "one",
        "--enable": "one",
        "--disable": "one",
        "--last": "none",
        "--all": "none",
        "--full-auto": "none",
        "--yolo,--dangerously-bypass-approvals-and-sandbox": "none",
        "--skip-git-repo-check": "none",
        "--ephemeral": "none",
        "--experimental-json,--json": "none",
    }
)

_TOP_USAGE = "Usage: codex [OPTIONS] [PROMPT]\n       codex [OPTIONS] <COMMAND> [ARGS]"
_EXEC_USAGE = "Usage: codex exec [OPTIONS] [PROMPT]\n       codex exec [OPTIONS] <COMMAND> [ARGS]"
_RESUME_USAGE = "Usage: codex exec resume [OPTIONS] [SESSION_ID] [PROMPT]"

_FAULT_TEXTS: dict[Shape, str] = {
    "rate_limited": "exceeded retry limit, last status: 429 Too Many Requests",
    "unauthorized": "unexpected status 401 Unauthorized: invalid credentials",
    "server_error": "We’re currently experiencing high demand, which may cause temporary errors.",  # noqa: RUF001 - its spelling
    "bad_request": '{"type":"error","error":{"type":"invalid_request_error","message":"No tool output found"}}',
    "prompt_too_long": "Codex ran out of room in the model's context window. Start a new thread or clear earlier "
    "history before retrying.",
    "not_found_text": f"unexpected status 404 Not Found: {NOT_FOUND_TEXT}",
}
#: Faults that codex tries again five times before it gives up.
_RETRIED = ("rate_limited", "unauthorized", "server_error", "not_found_text")


def _error(text: str) -> Stop:
    return Stop((Err(text),), 1)


def _failed(reason: str, code: int) -> Stop:
    return _error(f"Error: thread/resume: thread/resume failed: {reason} (code {code})")


def _bad_metadata(place: str, reason: str) -> Stop:
    store = "failed to read thread: thread-store internal error: failed to read session metadata"
    return _failed(f"{store} {place}: {reason}", -32603)


def _no_rollout(session_id: str) -> Stop:
    return _failed(f"no rollout found for thread id {session_id}", -32600)


def _wrong_usage(text: str, tip: str, usage: str) -> Stop:
    return Stop((Err(f"{text}{tip}\n\n{usage}\n\nFor more information, try '--help'."),), 2, text)


def _unexpected(word: str, usage: str) -> Stop:
    tip = f"\n\n  tip: to pass '{word}' as a value, use '-- {word}'" if word.startswith("-") else ""
    return _wrong_usage(f"error: unexpected argument '{word}' found", tip, usage)


def _usage(words: Words, usage: str) -> Stop | None:
    if words.help:
        return Stop((Out(usage),), 0, "the arguments ask for the usage")
    if words.unknown is not None:
        return _unexpected(words.unknown.partition("=")[0], usage)
    if words.missing is not None:
        return _wrong_usage(f"error: a value is required for '{words.missing}' but none was supplied", "", usage)
    return None


#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "usage_error": _unexpected("--json", _RESUME_USAGE),
    "generic_error": _error("Error: internal error; agent loop died unexpectedly"),
    "no_output": Stop((), 1),
}


class Codex:
    """codex 0.171.0."""

    adapter = AdapterId.CODEX
    program = "codex"

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments as clap does, level by level."""
        top = read_words(call.argv, _TOP, subcommands=("exec", "e"))
        words = read_words(top.rest, _EXEC, subcommands=("resume",))
        resume = read_words(words.rest, _RESUME)
        stop = _usage(top, _TOP_USAGE) or _usage(words, _EXEC_USAGE) or _usage(resume, _RESUME_USAGE)
        if stop is not None:
            return stop
        if top.subcommand is None:
            return Stop((Err("Error: stdin is not a terminal"),), 1, "no `exec`: the terminal interface was asked for")
        resumes = words.subcommand is not None
        positionals = resume.positionals if resumes else words.positionals
        if len(positionals) > (2 if resumes else 1):
            return _unexpected(positionals[-1], _RESUME_USAGE if resumes else _EXEC_USAGE)
        values = top.values | words.values | resume.values
        with_id = resumes and bool(positionals) and not (resume.flag("--last") and len(positionals) == 1)
        asked = positionals[0] if with_id else None
        prompt = "".join(positionals[1:] if with_id else positionals) or "-"
        prompt = call.stdin if prompt == "-" else prompt
        if not prompt:
            text = "No prompt provided. Either specify one as an argument or pipe the prompt into stdin."
            return Stop((Err(text),), 1, text)
        return Request(
            prompt=prompt,
            workdir=values.get("--cd") or call.workdir,
            asked_id=asked,
            loosely=resumes and (asked is None or not _UUID.fullmatch(asked)),
            options={name: value or "" for name, value in values.items()},
        )

    def new(self, call: Invocation, asked: Request, session_id: str | None = None) -> Session:
        """Begin a session; nobody can choose its id."""
        del asked
        own = session_id or call.ids.v7(call.now)
        place = f"{_sessions(call)}/{call.now:%Y/%m/%d}/rollout-{call.now:%Y-%m-%dT%H-%M-%S}-{own}.jsonl"
        return Session(own, (), place, new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Find the rollout by its name; what is no UUID and no first prompt gives a new session without a word."""
        home = call.environment.get("CODEX_HOME")
        if home and not call.view.is_dir(home):
            text = f'CODEX_HOME points to "{home}", but that path does not exist'
            return Stop((Err(f"Error finding codex home: {text}"),), 1)
        if "--skip-git-repo-check" not in asked.options and not _in_repository(call, asked.workdir):
            return _error("Not inside a trusted directory and --skip-git-repo-check was not specified.")
        if not asked.resumes:
            return self.new(call, asked)
        if asked.asked_id is not None and _UUID.fullmatch(asked.asked_id):
            wanted = asked.asked_id.lower()
            places = [place for place in _rollouts(call) if place.endswith(f"-{wanted}.jsonl")]
            return _load(call, places[-1], wanted) if places else _no_rollout(wanted)
        return _by_prompt(call, asked) or self.new(call, asked)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Append the prompt. A resume that cannot be saved is refused, a fresh run that cannot be saved goes on."""
        if "--ephemeral" in asked.options:
            return False
        moment = call.now.isoformat()
        lines: list[transcript.Entry] = []
        if session.new:
            meta = {"id": session.id, "cwd": asked.workdir, "originator": "codex_exec", "cli_version": "0.171.0"}
            lines.append({"timestamp": moment, "type": "session_meta", "payload": meta})
        lines.append(_message("user", asked.prompt))
        if _save(call, session, lines):
            return True
        if session.new:
            return False
        reason = "thread-store internal error: failed to resume local thread recorder: Permission denied (os error 13)"
        return Stop(
            (
                Err(f"{moment} ERROR codex_core::session: Failed to create session: {reason}"),
                *_failed(f"error resuming thread: Fatal error: Failed to initialize session: {reason}", -32603).lines,
            ),
            1,
        )

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Append the answer."""
        return _save(call, session, [_message("assistant", answer)])

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give codex's words for each way to refuse."""
        wanted = asked.asked_id or ""
        if shape == "refuse_decoy":
            shown = self.opening(call, asked, (call.ids.v7(call.now),))
            return Stop((*shown, *_failed(f"thread not loaded: {wanted}", -32600).lines), 1)
        if shape == "damaged":
            place = self.new(call, asked, wanted).place
            return _bad_metadata(place, f"rollout at {place} is empty")
        return _REFUSALS.get(shape) or _no_rollout(wanted)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Name the session at once, before the model is called."""
        del call
        named = names[0] if names else None
        if "--json" not in asked.options:
            return (Err(f"session id: {named}"),) if named else ()
        hint = () if asked.resumes else (Err("Reading additional input from stdin..."),)
        return (*hint, *_started(names[:1]), Out('{"type":"turn.started"}'))

    def midway(self, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Name what has not been named at once; mostly that is nothing."""
        return _started(names[1:]) if "--json" in asked.options else ()

    def closing(self, asked: Request, names: Sequence[str], answer: str, *, saved: bool) -> tuple[Line, ...]:
        """Give the answer, and an item of its own where the transcript could not be saved."""
        if "--json" not in asked.options:
            return (Out(answer),)
        lines = [*_started(names[1:]), Out(_item(1, {"type": "agent_message", "text": answer}))]
        if not saved and "--ephemeral" not in asked.options:
            reason = f"{_UNSAVED} Permission denied (os error 13)"
            lines.append(Out(_item(2, {"type": "error", "message": reason})))
        usage = {"input_tokens": 5, "cached_input_tokens": 0, "output_tokens": 5, "reasoning_output_tokens": 0}
        lines.append(Out(transcript.compact({"type": "turn.completed", "usage": usage})))
        return tuple(lines)

    def fault(self, asked: Request, names: Sequence[str], shape: Shape) -> tuple[Line, ...]:
        """Give the error, after a word on retries, and a failed turn."""
        text = _FAULT_TEXTS[shape]
        if "--json" not in asked.options:
            return (Err(f"ERROR: {text}"),)
        tries = [f"Reconnecting... 1/5 ({text})"] if shape in _RETRIED else []
        errors = [Out(transcript.compact({"type": "error", "message": message})) for message in (*tries, text)]
        return (
            *_started(names[1:]),
            *errors,
            Out(transcript.compact({"type": "turn.failed", "error": {"message": text}})),
        )

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session's rollout beside this one."""
        del empty
        other = call.ids.v7(call.now)
        place = session.place.replace(session.id, other)
        meta = {"id": other, "cwd": call.workdir, "originator": "codex_exec", "cli_version": "0.171.0"}
        lines = ({"type": "session_meta", "payload": meta}, _message("user", "Something else entirely."))
        transcript.append(call.view, place, lines, _MODE)
        call.view.touch(place, 1_000_000_000)


def _sessions(call: Invocation) -> str:
    return f"{call.environment.get('CODEX_HOME') or f'{call.home}/.codex'}/sessions"


def _rollouts(call: Invocation) -> list[str]:
    """Give all rollouts, oldest first: their names begin with their time."""
    found = [place for place in call.view.files(_sessions(call)) if place.endswith(".jsonl")]
    found = [place for place in found if place.rpartition("/")[2].startswith("rollout-")]
    return sorted(found, key=lambda place: place.rpartition("/")[2])


def _in_repository(call: Invocation, workdir: str) -> bool:
    at = workdir.rstrip("/")
    while at:
        if call.view.exists(f"{at}/.git"):
            return True
        at = at.rpartition("/")[0]
    return False


def _by_prompt(call: Invocation, asked: Request) -> Session | None:
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
        history = _history(lines)
        if asked.asked_id is None or history[:1] == (asked.asked_id,):
            found.append(Session(str(transcript.inner(meta[0], "payload", "id")), history, place, new=False))
    return max(found, key=lambda session: call.view.modified(session.place), default=None)


def _load(call: Invocation, place: str, session_id: str) -> Session | Stop:
    try:
        data = call.view.read(place)
    except OSError:
        return _bad_metadata(place, "Permission denied (os error 13)")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _bad_metadata(place, "stream did not contain valid UTF-8")
    if not text.strip():
        return _bad_metadata(place, f"rollout at {place} is empty")
    lines = transcript.entries(data)
    if not lines or lines[0].get("type") != "session_meta":
        return _bad_metadata(place, f"rollout at {place} does not start with session metadata")
    return Session(session_id, _history(lines), place, new=False)


def _history(lines: Sequence[transcript.Entry]) -> tuple[str, ...]:
    prompts: list[str] = []
    for line in lines:
        if line.get("type") != "response_item" or transcript.inner(line, "payload", "role") != "user":
            continue
        content = transcript.inner(line, "payload", "content")
        parts = cast("list[object]", content) if isinstance(content, list) else []
        prompts.extend(str(cast("transcript.Entry", part).get("text")) for part in parts if isinstance(part, dict))
    return tuple(prompts)


def _message(role: str, text: str) -> transcript.Entry:
    part = {"type": "input_text" if role == "user" else "output_text", "text": text}
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": [part]}}


def _save(call: Invocation, session: Session, lines: Sequence[transcript.Entry]) -> bool:
    if not call.view.may_write(session.place):
        return False
    try:
        transcript.append(call.view, session.place, lines, _MODE)
    except OSError:
        return False
    return True


def _started(names: Sequence[str]) -> tuple[Out, ...]:
    return tuple(Out(transcript.compact({"type": "thread.started", "thread_id": name}), name) for name in names)


def _item(number: int, item: transcript.Entry) -> str:
    return transcript.compact({"type": "item.completed", "item": {"id": f"item_{number}", **item}})

"""The stand-in for codex 0.171.0: one rollout per session, and a silent new session for what is no UUID.

Files: `~/.codex/sessions/Y/M/D/rollout-<time>-<id>.jsonl`, found by their name anywhere below `sessions/`, from every
working directory. Specification: §16.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import (
    Err,
    Failure,
    FailureKind,
    Invocation,
    Line,
    Out,
    Request,
    Session,
    Spoken,
    Stop,
)
from tck_fakes.standins.codex_rollouts import (
    DENIED,
    STORE,
    bad_metadata,
    by_id,
    by_prompt,
    failed,
    no_rollout,
    not_resumed,
    sessions,
    uncreated,
)
from tck_fakes.standins.codex_words import (
    EXEC,
    EXEC_USAGE,
    RESUME,
    RESUME_USAGE,
    TOP,
    TOP_USAGE,
    unexpected_word,
    wrong_words,
)
from tck_fakes.standins.words import read_words

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MODE = 0o644
_UNSAVED = (
    "Failed to save the conversation transcript; Codex will continue retrying. Error: thread-store internal error:"
)


#: Status → what codex says of it, where that is another than `unexpected status <status>: <message>`.
_STATUS_TEXTS = {
    400: "{body}",
    429: "exceeded retry limit, last status: 429 Too Many Requests",
    500: "We’re currently experiencing high demand, which may cause temporary errors.",  # noqa: RUF001 - its spelling
}
_KIND_TEXTS: dict[FailureKind, str] = {
    "overflow": "Codex ran out of room in the model's context window. Start a new thread or clear earlier history "
    "before retrying.",
    "no_model": "{message}",
    "down": "waiting for network (Connection failed: error sending request)",
    "cut": "stream disconnected before completion: Transport error: network error: error decoding response body",
    "unready": "{message}",
}
_PHRASES = {401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 502: "Bad Gateway", 503: "Service Unavailable"}
#: What codex tries again before it gives up, and how often it says so; down is for ever.
_RETRIES = 5


_UNKNOWN_MODEL = (
    "Model metadata for `{}` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."
)
_BANNER = """OpenAI Codex v0.171.0
--------
workdir: {workdir}
model: {model}
provider: {provider}
approval: never
sandbox: {sandbox}
reasoning effort: none
reasoning summaries: none
session id: {session}
--------
user
{prompt}"""


#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "usage_error": unexpected_word("--json", RESUME_USAGE),
    "generic_error": failed("Error: internal error; agent loop died unexpectedly"),
    "no_output": Stop((), 1),
}


class Codex:
    """codex 0.171.0."""

    adapter = AdapterId.CODEX
    program = "codex"
    outlasts = True
    unsaved_code = 0

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments as clap does, level by level."""
        top = read_words(call.argv, TOP, subcommands=("exec", "e"))
        words = read_words(top.rest, EXEC, subcommands=("resume",))
        resume = read_words(words.rest, RESUME)
        for level, usage in ((top, TOP_USAGE), (words, EXEC_USAGE), (resume, RESUME_USAGE)):
            stop = wrong_words(level, usage, advertised=call.advertised)
            if stop is not None:
                return stop
        if top.subcommand is None:
            return Stop((Err("Error: stdin is not a terminal"),), 1, "no `exec`: the terminal interface was asked for")
        resumes = words.subcommand is not None
        positionals = resume.positionals if resumes else words.positionals
        values = top.values | words.values | resume.values
        # What cannot be taken as it stands asks for a session, and for none by its id.
        amiss = Request(" ".join(positionals), values.get("--cd") or call.workdir, loosely=True) if resumes else None
        if len(positionals) > (2 if resumes else 1):
            stop = unexpected_word(positionals[-1], RESUME_USAGE if resumes else EXEC_USAGE)
            return replace(stop, meant=amiss)
        with_id = resumes and bool(positionals) and not (resume.flag("--last") and len(positionals) == 1)
        asked = positionals[0] if with_id else None
        prompt = "".join(positionals[1:] if with_id else positionals) or "-"
        prompt = call.stdin if prompt == "-" else prompt
        if not prompt:
            text = "No prompt provided. Either specify one as an argument or pipe the prompt into stdin."
            return Stop((Err(text),), 1, text, amiss)
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
        place = f"{sessions(call)}/{call.now:%Y/%m/%d}/rollout-{call.now:%Y-%m-%dT%H-%M-%S}-{own}.jsonl"
        return Session(own, (), place, new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Find the rollout by its name; what is no UUID and no first prompt gives a new session without a word."""
        home = call.environment.get("CODEX_HOME")
        if home and not call.view.is_dir(home):
            text = f'CODEX_HOME points to "{home}", but that path does not exist'
            return Stop((Err(f"Error finding codex home: {text}"),), 1)
        if "--skip-git-repo-check" not in asked.options and not _in_repository(call, asked.workdir):
            return failed("Not inside a trusted directory and --skip-git-repo-check was not specified.")
        if not asked.resumes:
            return self.new(call, asked)
        if asked.asked_id is not None and _UUID.fullmatch(asked.asked_id):
            return by_id(call, asked.asked_id.lower())
        return by_prompt(call, asked) or self.new(call, asked)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Append the prompt. A resume that cannot be saved is refused, a fresh run that cannot be saved goes on."""
        if "--ephemeral" in asked.options:
            return False
        moment = call.now.isoformat()
        lines: list[transcript.Entry] = []
        if session.new:
            meta = {"id": session.id, "cwd": asked.workdir, "originator": "codex_exec", "cli_version": "0.171.0"}
            lines.append({"timestamp": moment, "type": "session_meta", "payload": meta})
        lines.append(_message(Spoken("user", asked.prompt)))
        if _save(call, session, lines):
            return True
        if session.new:
            return False
        return uncreated(call, f"thread-store internal error: failed to resume local thread recorder: {DENIED}")

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Append the answer."""
        return _save(call, session, [_message(Spoken("assistant", answer))])

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give codex's words for each way to refuse."""
        wanted = asked.asked_id or ""
        if shape == "refuse_decoy":
            shown = self.opening(call, asked, (call.ids.v7(call.now),))
            return Stop((*shown, *not_resumed(f"thread not loaded: {wanted}", -32600).lines), 1)
        if shape == "damaged":
            place = self.new(call, asked, wanted).place
            return bad_metadata(place, f"rollout at {place} is empty")
        return _REFUSALS.get(shape) or no_rollout(wanted)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Name the session at once, before the model is called."""
        hint = () if asked.resumes else (Err("Reading additional input from stdin..."),)
        # It knows the models of its vendor, and none that somebody else's settings name.
        warning = _UNKNOWN_MODEL.format(call.model) if call.alone else None
        if "--json" not in asked.options:
            banner = _BANNER.format(
                workdir=asked.workdir,
                model=call.model or "gpt-5",
                provider=call.provider or "openai",
                sandbox=asked.options.get("--sandbox", "read-only"),
                session=names[0] if names else "",
                prompt=asked.prompt,
            )
            warned = () if warning is None else (Err(f"warning: {warning}"),)
            return (*hint, *(Err(line) for line in banner.splitlines()), *warned)
        error = () if warning is None else (Out(_item(0, {"type": "error", "message": warning})),)
        return (*hint, *_started(names[:1]), *error, Out('{"type":"turn.started"}'))

    def midway(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Name what has not been named at once; mostly that is nothing."""
        del call
        return _started(names[1:]) if "--json" in asked.options else ()

    def closing(
        self, call: Invocation, asked: Request, names: Sequence[str], answer: str, *, saved: bool
    ) -> tuple[Line, ...]:
        """Give the answer, and an item of its own where the transcript could not be saved."""
        if "--json" not in asked.options:
            return (Err("codex"), Err(answer), Err("tokens used"), Err("10"), Out(answer))
        first = 1 if call.alone else 0
        lines: list[Line] = [*_started(names[1:]), Out(_item(first, {"type": "agent_message", "text": answer}))]
        if not saved and "--ephemeral" not in asked.options:
            lines += [Err(line) for line in self._unwritten(call, asked, names)]
            lines.append(Out(_item(first + 1, {"type": "error", "message": f"{_UNSAVED} {DENIED}"})))
        usage = {
            "input_tokens": 5,
            "cached_input_tokens": 0,
            "cache_write_input_tokens": 0,
            "output_tokens": 5,
            "reasoning_output_tokens": 0,
        }
        lines.append(Out(transcript.compact({"type": "turn.completed", "usage": usage})))
        return tuple(lines)

    def _unwritten(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[str, str]:
        """Give what the log says of a rollout that cannot be written."""
        place, moment = self.new(call, asked, names[0] if names else None).place, transcript.stamp(call.now)
        retried = f"rollout writer failed for {place}; buffered rollout items will be retried: {DENIED}"
        return (
            f"{moment} ERROR codex_rollout::recorder: {retried}; error_kind=PermissionDenied; raw_os_error=Some(13)",
            f"{moment} ERROR codex_core::session: failed to record rollout items: {STORE}: {DENIED}",
        )

    def retried(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give a word on every time that the model is called again; a request that is wrong is not sent again."""
        del call, names
        if failure.kind != "down" and failure.tries == 1:
            return ()
        text = _failure_text(failure)
        if failure.kind == "down":
            # It says so again and again, for as long as it is let; this often is enough to be noticed.
            texts = [f"Reconnecting... {text}"] * (_RETRIES + 1)
        else:
            texts = [f"Reconnecting... {number}/{_RETRIES} ({text})" for number in range(1, _RETRIES + 1)]
        if "--json" not in asked.options:
            return tuple(Err(f"ERROR: {text}") for text in texts)
        return tuple(_told(text) for text in texts)

    def failed(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give the error, and a failed turn."""
        del call
        text = _failure_text(failure)
        if "--json" not in asked.options:
            return (Err(f"ERROR: {text}"),) * 2
        failed = Out(transcript.compact({"type": "turn.failed", "error": {"message": text}}))
        return (*_started(names[1:]), _told(text), failed)

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session's rollout beside this one."""
        del empty
        other = call.ids.v7(call.now)
        place = session.place.replace(session.id, other)
        meta = {"id": other, "cwd": call.workdir, "originator": "codex_exec", "cli_version": "0.171.0"}
        lines = ({"type": "session_meta", "payload": meta}, _message(Spoken("user", "Something else entirely.")))
        transcript.append(call.view, place, lines, _MODE)
        call.view.touch(place, 1_000_000_000)


def _failure_text(failure: Failure) -> str:
    status = failure.status or 0
    form = _KIND_TEXTS.get(failure.kind) or _STATUS_TEXTS.get(status)
    if form is None:
        at = f", url: {failure.at}/responses" if failure.at else ""
        form = f"unexpected status {status} {_PHRASES.get(status, '<unknown status code>')}: {{message}}{at}"
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": failure.message}}
    return form.format(message=failure.message, body=failure.body or transcript.compact(error))


def _told(message: str) -> Out:
    return Out(transcript.compact({"type": "error", "message": message}))


def _in_repository(call: Invocation, workdir: str) -> bool:
    at = workdir.rstrip("/")
    while at:
        if call.view.exists(f"{at}/.git"):
            return True
        at = at.rpartition("/")[0]
    return False


def _message(turn: Spoken) -> transcript.Entry:
    part = {"type": "input_text" if turn.role == "user" else "output_text", "text": turn.text}
    return {"type": "response_item", "payload": {"type": "message", "role": turn.role, "content": [part]}}


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

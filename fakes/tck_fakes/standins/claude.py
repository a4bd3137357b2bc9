"""The stand-in for claude 2.1.197: one transcript per session, found from its own working directory only.

Files: `~/.claude/projects/<slug>/<id>.jsonl`, where the slug is the working directory with every character that is no
letter or digit made `-`. Specification: §16.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import claude_words, transcript
from tck_fakes.standins.base import (
    Err,
    Failure,
    Invocation,
    Line,
    Out,
    Request,
    Session,
    Spoken,
    Stop,
)
from tck_fakes.standins.claude_dialogue import changed, replayed
from tck_fakes.standins.claude_lines import (
    MODEL,
    RETRIED,
    failure_text,
    result_line,
    retry_line,
    said_line,
    unfound_line,
    with_id,
)
from tck_fakes.standins.claude_sessions import A_DIRECTORY, UUID, failed, find, folder_of, not_found, refused
from tck_fakes.standins.claude_words import STREAMED

_MODE = 0o600

#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "usage_error": failed("error: unknown option '--output-format'"),
    "generic_error": failed("Error: An unexpected error occurred."),
    "no_output": Stop((), 1),
}


class Claude:
    """claude 2.1.197."""

    adapter = AdapterId.CLAUDE_CODE
    program = "claude"
    outlasts = False
    unsaved_code = 0

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments, and the prompt where it does not come later, in a dialogue."""
        words = claude_words.read(call.argv)
        if words.help:
            return Stop((Out(claude_words.usage(advertised=call.advertised)),), 0, "the arguments ask for the usage")
        values = words.values
        converses = values.get("--input-format") == STREAMED
        prompt = "" if converses else " ".join(words.positionals) or call.stdin
        fault = claude_words.fault(words, prompt)
        resumes = words.flag("--resume") or words.flag("--continue")
        asked = values.get("--resume")
        request = Request(
            prompt=prompt,
            workdir=call.workdir,
            asked_id=(asked or "") if words.flag("--resume") else None,
            chosen_id=values.get("--session-id") or None,
            label=(values.get("--name") or "").strip() or None,
            loosely=resumes and (asked is None or not UUID.fullmatch(asked)),
            options={name: value or "" for name, value in values.items()},
            converses=converses,
        )
        if fault is None:
            return request
        readable = resumes and words.unknown is None and words.missing is None
        return replace(failed(fault, fault), meant=request if readable else None)

    def new(self, call: Invocation, asked: Request, session_id: str | None = None) -> Session:
        """Begin a session in the folder of the working directory."""
        own = session_id or call.ids.v4()
        return Session(own, (), f"{folder_of(call, asked.workdir)}/{own}.jsonl", new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Look the session up in the folder of the working directory, and nowhere else."""
        if not asked.resumes:
            session = self.new(call, asked, asked.chosen_id)
            if call.view.exists(session.place):
                return _in_use(session.id)
            return session
        found = find(call, asked)
        if isinstance(found, Stop) or "--fork-session" not in asked.options:
            return found
        return replace(self.new(call, asked, asked.chosen_id), spoken=found.spoken)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Append the prompt; a place that cannot be written loses it without a word, but for the name of a new one."""
        if "--no-session-persistence" in asked.options:
            return False
        if not call.view.may_write(session.place):
            return _unnamed(call, session) if session.new and asked.label is not None else False
        common = {
            "sessionId": session.id,
            "cwd": asked.workdir,
            "timestamp": call.now.isoformat(),
            "version": "2.1.197",
        }
        lines: list[transcript.Entry] = []
        if session.new:
            lines += [_turn(turn, common) for turn in session.spoken]
        if asked.label is not None:
            lines.append({"type": "custom-title", "customTitle": asked.label, "sessionId": session.id})
        lines.append(_turn(Spoken("user", asked.prompt), common))
        return _save(call, session, lines)

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Append the answer."""
        return _save(call, session, [_turn(Spoken("assistant", answer), {"sessionId": session.id})])

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give claude's words for each way to refuse."""
        wanted = asked.asked_id or ""
        text = f"No conversation found with session ID: {wanted}"
        if shape == "refuse_decoy":
            decoy = call.ids.v4()
            shown = (unfound_line(decoy, text), Err(text))
            return Stop((*self.opening(call, asked, (decoy,)), *shown), 1)
        if shape == "refuse_exit_zero":
            return Stop((unfound_line(wanted, text),), 0)
        if shape == "damaged":
            return refused(asked, A_DIRECTORY)
        if shape == "id_in_use":
            return _in_use(asked.chosen_id or "")
        return _REFUSALS.get(shape) or not_found(asked, wanted)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give the init line, which `stream-json` alone has."""
        if asked.options.get("--output-format") != STREAMED:
            return ()
        named = names[0] if names else None
        line: dict[str, object] = {
            "type": "system",
            "subtype": "init",
            "cwd": call.workdir,
            **with_id(named),
            "tools": ["Bash", "Edit", "Write"],
            "mcp_servers": [],
            "model": call.model or MODEL,
            "permissionMode": asked.options.get("--permission-mode", "default"),
            "slash_commands": ["clear", "compact"],
            "apiKeySource": "ANTHROPIC_API_KEY",
            "claude_code_version": "2.1.197",
            "output_style": "default",
            "agents": ["general-purpose"],
            "skills": [],
            "plugins": [],
            "analytics_disabled": True,
            "product_feedback_disabled": True,
            "uuid": transcript.made_id(0),
            "memory_paths": {"auto": f"{folder_of(call, call.workdir)}/memory/"},
            "fast_mode_state": "off",
        }
        shown = (
            (replayed(asked.prompt, named),) if "--replay-user-messages" in asked.options and asked.converses else ()
        )
        return (*changed(call, asked, "running", named), Out(transcript.compact(line), named), *shown)

    def midway(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give nothing: claude's steps add no id."""
        del call, asked, names
        return ()

    def closing(
        self, call: Invocation, asked: Request, names: Sequence[str], answer: str, *, saved: bool
    ) -> tuple[Line, ...]:
        """Give the result; whether anything was saved does not show."""
        del saved
        style = asked.options.get("--output-format", "text")
        if style == "text":
            return (Out(answer),)
        if style == STREAMED:
            last = names[-1] if names else None
            return (said_line(last, answer), result_line(last, answer), *changed(call, asked, "idle", last))
        return tuple(result_line(name, answer) for name in names) or (result_line(None, answer),)

    def retried(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Tell `stream-json` that the model is called again, or that the history was to be made shorter."""
        del call
        if asked.options.get("--output-format") != STREAMED:
            return ()
        told: list[dict[str, object]] = []
        if failure.kind == "overflow":
            told = [
                {"subtype": "status", "status": "compacting"},
                {"subtype": "status", "status": None, "compact_result": "failed", "compact_error": "exhausted"},
            ]
        elif failure.kind == "down" or failure.status in RETRIED:
            told = [retry_line(number, failure) for number in range(1, failure.tries)]
        number, named = transcript.made_id(4), with_id(names[0] if names else None)
        return tuple(Out(transcript.compact({"type": "system", **one, **named, "uuid": number})) for one in told)

    def failed(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give a result whose subtype says success and whose `is_error` says the truth."""
        text = failure_text(failure, call.model or MODEL)
        style = asked.options.get("--output-format", "text")
        if style == "text":
            return (Out(text),)
        shown = names if style == "json" else names[-1:]
        said = (said_line(names[-1] if names else None, text, failure),) if style == STREAMED else ()
        results = (result_line(name, text, failure) for name in shown or (None,))
        return (*said, *results, *changed(call, asked, "idle", names[-1] if names else None))

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session's transcript, or its folder with nothing in it, beside this one."""
        folder = session.place.rpartition("/")[0]
        other = call.ids.v4()
        if empty:
            call.view.make_dirs(f"{folder}/{other}")
            return
        place = f"{folder}/{other}.jsonl"
        line = _turn(Spoken("user", "Something else entirely."), {"sessionId": other, "cwd": call.workdir})
        transcript.append(call.view, place, [line], _MODE)
        call.view.touch(place, 1_000_000_000)


def _turn(turn: Spoken, common: transcript.Entry) -> transcript.Entry:
    content = turn.text if turn.role == "user" else [{"type": "text", "text": turn.text}]
    return {"type": turn.role, **common, "message": {"role": turn.role, "content": content}}


def _unnamed(call: Invocation, session: Session) -> Stop:
    """Give what is said where the name, which is written first of all, cannot be."""
    folder = session.place.rpartition("/")[0]
    there = call.view.is_dir(folder)
    what = f"open '{session.place}'" if there else f"mkdir '{folder}'"
    return Stop((unfound_line(session.id, f"EACCES: permission denied, {what}"),), 1)


def _save(call: Invocation, session: Session, lines: Sequence[transcript.Entry]) -> bool:
    try:
        transcript.append(call.view, session.place, lines, _MODE)
    except OSError:
        return False
    return True


def _in_use(session_id: str) -> Stop:
    return failed(f"Error: Session ID {session_id} is already in use.")

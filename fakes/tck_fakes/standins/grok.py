"""The stand-in for grok-build 0.1.0, of which little is known: one JSON file per session, resume by id.

File: `~/.grok/sessions/<id>.json`. Nothing of it was measured; it keeps to what the specification assumes, which is why
that adapter is not verified (CAPABILITY-3). Specification: §16.5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId
from tck_fakes.standins import transcript
from tck_fakes.standins.base import Err, Failure, Invocation, Line, Out, Request, Session, Spoken, Stop
from tck_fakes.standins.words import options, read_words

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MODE = 0o600
_USAGE_CODE = 2
_USAGE = "Usage: grok -p <PROMPT> [--output <FORMAT>] [--resume <ID>]"

_OPTIONS = options(
    {
        "-p,--prompt": "one",
        "--output": "one",
        "-r,--resume": "one",
        "--continue": "none",
        "-m,--model": "one",
        "--yolo": "none",
    }
)

_PHRASES = {400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests", 500: "Internal Server Error"}


def _error(text: str) -> Stop:
    return Stop((Err(f"Error: {text}"),), 1)


def _not_found(wanted: str) -> Stop:
    return _error(f"session not found: {wanted}")


#: Refusals that say the same whatever was asked.
_REFUSALS: dict[Shape, Stop] = {
    "refuse_silent": Stop((), 0),
    "usage_error": Stop((Err(f"error: unexpected argument\n\n{_USAGE}"),), _USAGE_CODE),
    "generic_error": _error("something went wrong"),
    "no_output": Stop((), 1),
}


class Grok:
    """grok-build 0.1.0."""

    adapter = AdapterId.GROK_BUILD
    program = "grok"
    outlasts = False
    unsaved_code = 0

    def read(self, call: Invocation) -> Request | Stop:
        """Read the arguments."""
        words = read_words(call.argv, _OPTIONS, dash_values=True)
        if words.help:
            return Stop((Out(_USAGE),), 0, "the arguments ask for the usage")
        wrong = words.unknown or words.missing or next(iter(words.positionals), None)
        if wrong is not None:
            text = f"error: unexpected or incomplete argument '{wrong}'"
            return Stop((Err(f"{text}\n\n{_USAGE}"),), _USAGE_CODE, text)
        values = words.values
        prompt = values.get("--prompt") or call.stdin
        if not prompt:
            return Stop((Err(f"error: no prompt\n\n{_USAGE}"),), _USAGE_CODE, "error: no prompt")
        asked = values.get("--resume")
        return Request(
            prompt=prompt,
            workdir=call.workdir,
            asked_id=asked,
            loosely=words.flag("--continue") or (asked is not None and not _UUID.fullmatch(asked)),
            options={name: value or "" for name, value in values.items()},
        )

    def new(self, call: Invocation, asked: Request, session_id: str | None = None) -> Session:
        """Begin a session; nobody can choose its id."""
        del asked
        own = session_id or call.ids.v4()
        return Session(own, (), f"{_folder(call)}/{own}.json", new=True)

    def open(self, call: Invocation, asked: Request) -> Session | Stop:
        """Read the session's file."""
        if not asked.resumes:
            return self.new(call, asked)
        wanted = asked.asked_id
        if wanted is None:
            places = [place for place in call.view.files(_folder(call)) if place.endswith(".json")]
            if not places:
                return _not_found("")
            wanted = max(places, key=call.view.modified).rpartition("/")[2].removesuffix(".json")
        if not wanted or "/" in wanted:
            return _not_found(wanted)
        place = f"{_folder(call)}/{wanted}.json"
        try:
            prompts = _prompts(call.view.read(place))
        except OSError:
            return _not_found(wanted)
        except ValueError:
            return _error(f"session {wanted} could not be loaded")
        return Session(wanted, tuple(Spoken("user", prompt) for prompt in prompts), place, new=False)

    def begin(self, call: Invocation, asked: Request, session: Session) -> bool | Stop:
        """Write the file anew with the prompt in it."""
        return _save(call, session, (*session.history, asked.prompt))

    def finish(self, call: Invocation, session: Session, answer: str) -> bool:
        """Do nothing: answers are not kept."""
        del answer
        return call.view.is_file(session.place)

    def refusal(self, call: Invocation, asked: Request, shape: Shape) -> Stop:
        """Give plain words for each way to refuse."""
        wanted = asked.asked_id or ""
        if shape == "refuse_decoy":
            return Stop((*_report((call.ids.v4(),), None), *_not_found(wanted).lines), 1)
        if shape == "refuse_exit_zero":
            return Stop(_not_found(wanted).lines, 0)
        if shape == "damaged":
            return _error(f"session {wanted} could not be loaded")
        return _REFUSALS.get(shape) or _not_found(wanted)

    def opening(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Give nothing."""
        del call, asked, names
        return ()

    def midway(self, call: Invocation, asked: Request, names: Sequence[str]) -> tuple[Line, ...]:
        """Name the session at the model's first step."""
        del call
        return _report(names[:1], None) if _json(asked) else ()

    def closing(
        self, call: Invocation, asked: Request, names: Sequence[str], answer: str, *, saved: bool
    ) -> tuple[Line, ...]:
        """Give the answer, and each id on a line of its own."""
        del call, saved
        return _report(names, answer) if _json(asked) else (Out(answer),)

    def retried(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Give nothing."""
        del call, asked, names, failure
        return ()

    def failed(self, call: Invocation, asked: Request, names: Sequence[str], failure: Failure) -> tuple[Line, ...]:
        """Name the session and give the provider's error."""
        del call
        text = f"{failure.status} {_PHRASES.get(failure.status or 0, '')}: {failure.message}"
        if not _json(asked):
            return (Err(f"Error: {text}"),)
        line: dict[str, object] = {"error": text, "status": failure.status}
        named = names[-1] if names else None
        if named is not None:
            line["session_id"] = named
        return (Out(transcript.compact(line), named),)

    def beside(self, call: Invocation, session: Session, *, empty: bool) -> None:
        """Leave another session's file beside this one, newer than it."""
        del empty
        other = call.ids.v4()
        place = session.place.replace(session.id, other)
        foreign = Session(other, (), place, new=True)
        if _save(call, foreign, ("Something else entirely.",)):
            call.view.touch(place, 1_000_000_000)


def _json(asked: Request) -> bool:
    return asked.options.get("--output") == "json"


def _folder(call: Invocation) -> str:
    return f"{call.home}/.grok/sessions"


def _report(names: Sequence[str], answer: str | None) -> tuple[Out, ...]:
    said = {} if answer is None else {"text": answer}
    if not names:
        return (Out(transcript.compact(said)),)
    return tuple(Out(transcript.compact({"session_id": name, **said}), name) for name in names)


def _prompts(data: bytes) -> tuple[str, ...]:
    value = cast("object", json.loads(data))
    prompts = cast("Mapping[str, object]", value).get("prompts") if isinstance(value, dict) else None
    if not isinstance(prompts, list) or not prompts:
        raise ValueError("no prompts")
    return tuple(str(prompt) for prompt in cast("list[object]", prompts))


def _save(call: Invocation, session: Session, prompts: Sequence[str]) -> bool:
    if not call.view.may_write(session.place):
        return False
    value = {"session_id": session.id, "prompts": list(prompts)}
    try:
        call.view.write(session.place, transcript.compact(value).encode(), _MODE)
    except OSError:
        return False
    return True

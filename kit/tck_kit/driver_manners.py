"""Checks of a driver's manners: what it says of itself, and what it does with messages that no run would send."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from tck_driver.capabilities import ASKED, CAPABILITIES
from tck_driver.connection import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, START
from tck_driver.courses import COURSE_FEATURES
from tck_driver.messages import PROTOCOL, Json
from tck_driver.transport import GRACE, quote
from tck_kit.driver_examination import Declared, Examination, ProblemError, as_object, fits, is_branch
from tck_kit.driver_talk import Talk, encode

#: Ids as a driver might not expect them; each is text, and nothing else.
IDS: tuple[str, ...] = (" ", "0", "null", "1e3", "Grüße 日本 \U0001f600", 'a"\\/b\t<&>', "x" * 200)
_MOST_NAMES = 5
#: How long a request is to be at work when it is cancelled, milliseconds.
_LONG_MS = 60_000
_SOON: Mapping[str, str] = {"deadline_ms": "soon"}


def begins(exam: Examination) -> str:
    """See that it starts, and answers `initialize` in time."""
    answer = exam.ask_who(exam.fresh())
    if "result" not in answer:
        raise ProblemError(
            f"initialize was answered with {_told(answer)}", "answer initialize with a result; it is the first request"
        )
    exam.said = answer["result"]
    return "it started, and answered initialize"


def introduces_itself(exam: Examination) -> str:
    """See that the answer to `initialize` fits its schema."""
    misfit = fits("initialize", {}, exam.said)
    if misfit is not None:
        raise ProblemError(f"the answer to initialize does not fit its schema: {misfit}", "give what the schema names")
    who = exam.said["implementation"]
    return f"{who['name']} {who['version']} ({who['language']}), clock {exam.said['clock']}"


def speaks_protocol(exam: Examination) -> str:
    """See that it speaks the kit's protocol."""
    spoken = _member(exam.said, "protocol")
    if spoken != PROTOCOL:
        raise ProblemError(
            f"it speaks protocol {json.dumps(spoken)}", f"answer initialize with protocol {PROTOCOL}, the kit's own"
        )
    return f"protocol {PROTOCOL}"


def has_versions(exam: Examination) -> str:
    """See that its versions say what was built."""
    for who in ("driver", "implementation"):
        version = _member(_member(exam.said, who), "version")
        if is_branch(version):
            raise ProblemError(
                f"the version {version!r} of the {who} names a branch", "say what was built, such as 1.4.0 or a commit"
            )
    return "no version is the name of a branch"


def answers_for_what_was_asked(exam: Examination) -> str:
    """See that the capabilities answered for are among those that were asked."""
    answered = as_object(_member(exam.said, "capabilities"))
    strange = sorted(set(answered) - set(ASKED))
    if strange:
        raise ProblemError(
            f"it answers for capabilities that nobody asked about: {_named(strange)}",
            "answer for the names in params.capabilities, and no others",
        )
    if exam.declared.plays_courses:
        return _claims(exam.declared)
    supported = sum(exam.declared.supports(name) for name in CAPABILITIES)
    undeclared = [name for name in CAPABILITIES if name not in answered]
    rest = f"; undeclared, so untestable: {_named(undeclared)}" if undeclared else ""
    return f"{supported} of {len(CAPABILITIES)} are supported{rest}"


def _claims(declared: Declared) -> str:
    """See that an engine that plays courses can be asked to play any, and say what it claims."""
    profiles = [name for name in COURSE_FEATURES if name.startswith("profile.") and declared.supports(name)]
    if not profiles or declared.adapter is None:
        lacking = "no profile" if not profiles else "no adapter"
        raise ProblemError(
            f"it declares a policy, and {lacking} is declared as supported",
            "answer supported for each profile that the engine is to meet, and for each CLI that it can start",
        )
    if declared.supports("act.switch") and not declared.switch:
        raise ProblemError(
            "act.switch is declared as supported, and the policy names no switch",
            "name in policy.switch what turns resuming on and off, or decline act.switch",
        )
    acts = [name for name in COURSE_FEATURES if name.startswith("act.")]
    count = sum(declared.supports(name) for name in acts)
    return f"it plays courses for {', '.join(profiles)}, with {count} of {len(acts)} kinds of acts"


def has_a_clock_to_set(exam: Examination) -> str:
    """See that a clock can be set that is declared as one to set."""
    if exam.declared.supports("control.clock") and exam.declared.clock == "wall":
        raise ProblemError(
            "control.clock is declared as supported, and the clock as the machine's own",
            'answer initialize with clock "virtual", or decline control.clock',
        )
    return "clock and control.clock agree"


def refuses_unknown_methods(exam: Examination) -> str:
    """See that an unknown method is answered with -32601."""
    _expect((METHOD_NOT_FOUND,), exam.begun().ask("no/such/method", {}, exam.seconds()), "an unknown method")
    return "an unknown method is refused with -32601"


def refuses_params(exam: Examination) -> str:
    """See that params that do not fit are answered with -32602."""
    # What comes out of turn may be refused for that, so the first is sent as the first of all.
    out_of_turn = () if exam.started_by_us else (INVALID_REQUEST,)
    answer = exam.fresh().ask("initialize", {}, exam.seconds(START))
    _expect((INVALID_PARAMS, *out_of_turn), answer, "initialize with the params {}")
    exam.drop()
    wrong: Json
    # An engine that plays courses has no rest to be asked for.
    method, wrong = ("course/cast", {"ref": 7}) if exam.declared.plays_courses else ("barrier/quiesce", dict(_SOON))
    answer = exam.begun().ask(method, wrong, exam.seconds())
    _expect((INVALID_PARAMS, INVALID_REQUEST), answer, f"{method} with the params {json.dumps(wrong)}")
    return "params that do not fit are refused with -32602"


def refuses_what_is_no_json(exam: Examination) -> str:
    """See that a line that is no JSON is answered with -32700."""
    answer = _said(exam, exam.begun(), b"{no json")
    _expect((PARSE_ERROR,), answer, "a line that is no JSON")
    if answer.get("id") is not None:
        raise ProblemError(
            f"a line that is no JSON was answered with the id {answer['id']!r}", "answer with id null: it has none"
        )
    return "a line that is no JSON is refused with -32700"


def refuses_what_is_no_request(exam: Examination) -> str:
    """See that JSON that is no request is answered with -32600."""
    talk = exam.begun()
    batch = b"[" + encode({"jsonrpc": "2.0", "id": "batch", "method": "barrier/quiesce", "params": {}}) + b"]"
    for message in (b'{"jsonrpc":"2.0","id":"none"}', batch):
        _expect((INVALID_REQUEST,), _said(exam, talk, message), f"{message.decode()}, which is no request,")
    return "a message without a method, and a batch, are refused with -32600"


def leaves_notifications_unanswered(exam: Examination) -> str:
    """See that a notification has no answer."""
    talk = exam.begun()
    talk.wire.say(encode({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": "long ago"}}))
    talk.wire.say(_rest_request("after it", 0))
    answer = talk.answer(None, exam.seconds())
    if answer is None:
        raise talk.too_late("the request after a notification", exam.seconds())
    # Over HTTP the two answers may come in any order.
    second = talk.answer(None, GRACE) if exam.over_http else None
    for one in (answer, second):
        if one is not None and one.get("id") is None:
            raise ProblemError(
                f"the notification $/cancel was answered with {_told(one)}", "answer nothing that has no id"
            )
    return "a notification is not answered"


def gives_ids_back(exam: Examination) -> str:
    """See that ids come back as they were."""
    talk = exam.begun()
    for name in IDS:
        talk.wire.say(_rest_request(name, 0))
        answer = talk.answer(name, exam.seconds())
        if answer is None:
            raise talk.too_late(f"a request with the id {name!r}", exam.seconds())
    if exam.noise.ids:
        sent, came = exam.noise.ids[0]
        raise ProblemError(
            f"the id {_short(sent)} came back as {_short(came)}", "keep the id as the text that it is, and give it back"
        )
    return "ids come back as they were"


def survives_a_cancellation(exam: Examination) -> str:
    """See that a request that is cancelled is answered, and the next one too."""
    talk = exam.begun()
    talk.wire.say(_rest_request("cancelled", _LONG_MS))
    talk.wire.say(encode({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": "cancelled"}}))
    _await(exam, talk, "a request that was cancelled")
    talk.wire.say(_rest_request("next", 0))
    _await(exam, talk, "the request after one that was cancelled")
    return "a request that is cancelled is answered, and the next one too"


def _await(exam: Examination, talk: Talk, what: str) -> None:
    """Wait for an answer, past one to the notification, which is another check's matter."""
    until = time.monotonic() + exam.seconds()
    while (answer := talk.answer(None, max(0.0, until - time.monotonic()))) is not None:
        if answer.get("id") is not None:
            return
    raise talk.too_late(what, exam.seconds())


def _rest_request(name: str, deadline: int) -> bytes:
    return encode({"jsonrpc": "2.0", "id": name, "method": "barrier/quiesce", "params": {"deadline_ms": deadline}})


def _said(exam: Examination, talk: Talk, message: bytes) -> Json:
    talk.wire.say(message)
    answer = talk.answer(None, exam.seconds())
    if answer is None:
        raise ProblemError(f"{message.decode()} was not answered", "answer with an error, and go on reading")
    return answer


def _expect(codes: tuple[int, ...], answer: Json, what: str) -> None:
    """Hold an answer against the codes that will do, the right one first."""
    if _member(answer.get("error"), "code") not in codes:
        raise ProblemError(f"{what} was answered with {_told(answer)}", f"answer with error {codes[0]}")


def _told(answer: Json) -> str:
    """Give an answer in short."""
    if "error" in answer:
        return f"error {_member(answer['error'], 'code')}: {_member(answer['error'], 'message')}"
    return f"the result {quote(encode({'': answer.get('result')})[4:-1])}"


def _member(value: object, name: str) -> object:
    return as_object(value).get(name)


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _short(value: object) -> str:
    return quote(json.dumps(value, ensure_ascii=False).encode())

"""Checks of how a driver ends, and of what it leaves; and of what it said all the while that was out of place."""

from __future__ import annotations

import json

from tck_driver.connection import CONTROL
from tck_driver.messages import Json
from tck_driver.stdio import status_words
from tck_driver.transport import quote
from tck_kit.driver_examination import Examination, MootError, ProblemError, as_object, fits
from tck_kit.driver_talk import Ending

#: Seconds that a driver has to end by itself.
_LAST = 2.0


def says_the_same_again(exam: Examination) -> str:
    """See that after a SIGKILL it starts again, and introduces itself as before."""
    if not exam.started_by_us:
        raise MootError("the kit did not start the driver, and cannot start it again")
    exam.begun().kill()
    again = exam.ask_who(exam.fresh()).get("result")
    if again != exam.said:
        raise ProblemError(
            f"after a kill and a new start it answers initialize differently: {_difference(exam.said, again)}",
            "answer from what the engine is, and not from the moment",
        )
    return "killed and started again, it introduced itself as before"


def ends_after_shutdown(exam: Examination) -> str:
    """See that `shutdown` is answered, and that it ends in time, with exit code 0, leaving no process."""
    talk = exam.begun()
    answer = talk.ask("shutdown", {}, exam.seconds(CONTROL))
    misfit = fits("shutdown", {}, answer["result"]) if "result" in answer else json.dumps(answer.get("error"))
    ending = talk.finish(exam.seconds(_LAST))
    exam.drop()
    if misfit is not None:
        raise ProblemError(f"shutdown was answered wrongly: {misfit}", "answer shutdown with the result {}")
    if not exam.started_by_us:
        return "shutdown was answered"
    _ended(exam, ending, "after shutdown")
    if ending.status:
        raise ProblemError(f"it ended with {status_words(ending.status)} after shutdown", "end with exit code 0")
    return "it answered shutdown, and ended with exit code 0"


def ends_with_its_input(exam: Examination) -> str:
    """See that it ends when standard input ends, leaving no process."""
    if exam.over_http:
        raise MootError("it is spoken to over HTTP")
    ending = exam.begun().finish(exam.seconds(_LAST))
    exam.drop()
    _ended(exam, ending, "after the end of its standard input")
    return "it ended when its standard input did"


def says_nothing_else(exam: Examination) -> str:
    """See that nothing but messages was heard in all these checks."""
    chatter = exam.noise.chatter
    if chatter:
        more = f" and {len(chatter) - 1} more" if len(chatter) > 1 else ""
        raise ProblemError(
            f"standard output carried something that is no message: {quote(chatter[0])}{more}",
            "write it to standard error, which is free",
        )
    return "nothing but messages was heard"


def keeps_the_frame(exam: Examination) -> str:
    """See that every answer in all these checks was one of JSON-RPC 2.0."""
    frames = exam.noise.frames
    if frames:
        raise ProblemError(
            f"an answer is none of JSON-RPC 2.0: {frames[0]}",
            'answer with jsonrpc "2.0", the id, and either result or error, and nothing else',
        )
    return "every answer had the frame of JSON-RPC 2.0"


def _ended(exam: Examination, ending: Ending, when: str) -> None:
    if ending.status is None:
        raise ProblemError(
            f"it did not end within {exam.seconds(_LAST):g} s {when}, and was killed", "end as soon as that happens"
        )
    if ending.left:
        raise ProblemError(
            f"it left processes running {when}: {', '.join(ending.left)}", "end what was started before it ends itself"
        )


def _difference(first: object, again: object) -> str:
    """Give the first place in which two answers differ."""
    before, now = _flat(as_object(first)), _flat(as_object(again))
    name = next((one for one in {**before, **now} if before.get(one) != now.get(one)), "")
    return f"{name} was {before.get(name, 'left out')}, and is {now.get(name, 'left out')}"


def _flat(value: Json) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, member in value.items():
        inner = _flat(as_object(member))
        found |= {f"{name}.{below}": said for below, said in inner.items()}
        if not inner:
            found[name] = json.dumps(member, ensure_ascii=False)
    return found

"""What one start came to, read off the requests that it made."""

from __future__ import annotations

import pytest

from tck_fakes.modelserver.asked import Asked, Purpose, Turn
from tck_kit.probe.run_of_cli import Ended
from tck_kit.probe.seen import Asking, Seen
from tck_kit.probe.words import Outcome
from tck_simulator.adapters import Reading
from tck_simulator.outcomes import Judgement, Verdict

OLD, MIDDLE, OTHER, OWN = (f"tck-{number:08x}" for number in range(4))
ID = "one"


def asked(*marks: str, purpose: Purpose = "turn") -> Asked:
    turns = tuple(Turn("user", mark) for mark in marks)
    return Asked(1, "messages", "/v1/messages", "m", streaming=False, turns=turns, credential="none", purpose=purpose)


def seen(*requests: Asked, verdict: Verdict = Verdict.DONE, code: int = 0, ids: tuple[str, ...] = (ID,)) -> Seen:
    ended = Ended(code, "{}", "", 1.0, requests, cut=False)
    judgement = Judgement(verdict, ID, resumed=True)
    reading = Reading(code == 0, ids, turn=bool(requests), cannot_resume=verdict is Verdict.REFUSED, text="")
    return Seen(Asking(OWN, ID, None, (OLD, MIDDLE)), ended, reading, ids, judgement, saved=True, said=())


@pytest.mark.parametrize(
    ("requests", "outcome"),
    [
        ((asked(OLD, MIDDLE, OWN),), Outcome.RESUMED),
        ((asked(OLD, OWN),), Outcome.IN_PART),
        ((asked(OWN), asked(OLD, MIDDLE, OWN, purpose="title")), Outcome.FORGOT),
        ((asked(OLD, MIDDLE, OWN, purpose="summary"),), Outcome.IDLE),
        ((asked(OTHER, OLD, MIDDLE, OWN),), Outcome.MIXED),
        ((asked(OLD, OTHER, MIDDLE, OWN),), Outcome.MIXED),
        ((asked(OTHER, OWN),), Outcome.MIXED),
        # The other one of two that resume one session at once, as each of them sees it.
        ((asked(OLD, MIDDLE, OTHER, OWN),), Outcome.RESUMED),
        ((asked(OLD, MIDDLE, OWN, OTHER),), Outcome.RESUMED),
    ],
)
def test_only_turns_prove_what_is_remembered_and_nothing_of_others_may_be_among_it(
    requests: tuple[Asked, ...], outcome: Outcome
) -> None:
    assert seen(*requests).outcome is outcome


@pytest.mark.parametrize(
    ("requests", "ids", "outcome"),
    [
        ((), (), Outcome.REFUSED),
        ((), (ID,), Outcome.FAILED),
        ((asked(OLD, MIDDLE, OWN),), (), Outcome.FAILED_NAMELESS),
    ],
)
def test_a_refusal_is_one_only_where_the_model_was_not_asked_and_the_id_not_confirmed(
    requests: tuple[Asked, ...], ids: tuple[str, ...], outcome: Outcome
) -> None:
    assert seen(*requests, verdict=Verdict.REFUSED, code=1, ids=ids).outcome is outcome

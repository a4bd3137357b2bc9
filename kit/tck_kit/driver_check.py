"""Says whether a driver is sane, apart from what its engine is worth: nothing here is a verdict on an engine.

The checks go from the wire inwards, so that the first problem is the one to look at first. Each has a driver that runs,
and a fresh one after a problem; a driver that cannot be started leaves nothing to be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from tck_driver.connection import About
from tck_driver.errors import (
    DriverCrashedError,
    DriverError,
    DriverIncompatibleError,
    DriverTimeoutError,
    EngineError,
    FalseAdvertisingError,
    KitError,
    UnsupportedError,
    UntestableError,
)
from tck_fakes.outside import Outside
from tck_kit import driver_abilities as abilities
from tck_kit import driver_ends as ends
from tck_kit import driver_manners as manners
from tck_kit.driver_courses import plays_a_course
from tck_kit.driver_examination import Examination, MootError, ProblemError
from tck_kit.engine_choice import EngineChoice
from tck_kit.faults import SuiteFault

State = Literal["ok", "problem", "not applicable"]

#: The checks, in their order. A driver that the kit did not start can be shut down but once, so that comes last.
CHECKS: tuple[tuple[str, Callable[[Examination], str]], ...] = (
    ("start", manners.begins),
    ("introduction", manners.introduces_itself),
    ("protocol", manners.speaks_protocol),
    ("version", manners.has_versions),
    ("capabilities", manners.answers_for_what_was_asked),
    ("clock kind", manners.has_a_clock_to_set),
    ("unknown method", manners.refuses_unknown_methods),
    ("params", manners.refuses_params),
    ("no JSON", manners.refuses_what_is_no_json),
    ("no request", manners.refuses_what_is_no_request),
    ("notification", manners.leaves_notifications_unanswered),
    ("ids", manners.gives_ids_back),
    ("cancellation", manners.survives_a_cancellation),
    ("scenario", abilities.opens_and_closes),
    ("views", abilities.shows_views),
    ("stimuli", abilities.takes_stimuli),
    ("rest", abilities.comes_to_rest),
    ("clock", abilities.lets_time_pass),
    ("kill", abilities.is_killed_and_started),
    ("restart", ends.says_the_same_again),
    ("end of input", ends.ends_with_its_input),
    ("shutdown", ends.ends_after_shutdown),
    ("frame", ends.keeps_the_frame),
    ("output", ends.says_nothing_else),
)
#: Checks of what an engine of mailboxes can do, and what takes their place for one that plays courses.
_OF_MAILBOXES = frozenset({"scenario", "views", "stimuli", "rest", "clock", "kill"})
COURSE_CHECKS: tuple[tuple[str, Callable[[Examination], str]], ...] = tuple(
    ("course", plays_a_course) if name == "scenario" else (name, check)
    for name, check in CHECKS
    if name == "scenario" or name not in _OF_MAILBOXES
)
#: What to do where a driver broke down, by how it did.
_CURES: tuple[tuple[type[DriverError], str], ...] = (
    (DriverCrashedError, "see its standard error; it must go on until shutdown or the end of its input"),
    (DriverTimeoutError, "answer every request, in time"),
    (DriverIncompatibleError, "have it drive the engine that it was written for"),
    (DriverError, "see docs/driver-protocol.md"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check came to; `cure` is what to do about a problem."""

    check: str
    state: State
    what: str
    cure: str = ""

    def fields(self) -> dict[str, str]:
        """Give it as JSON has it."""
        return asdict(self)


def check_driver(choice: EngineChoice, about: About, folder: Path) -> Iterator[Finding]:
    """Give finding after finding. `folder` must be there, and may be thrown away afterwards.

    Raises `SuiteFault` where the kit's own fakes went wrong.
    """
    with Outside(folder / "outside") as outside:
        place = folder / "examination"
        place.mkdir()
        exam = Examination(choice, about, place, outside)
        try:
            first, begins = CHECKS[0]
            finding = _look(exam, first, begins)
            yield finding
            if finding.state == "problem":
                yield from _nothing_to_look_at()
                return
            for name, check in (COURSE_CHECKS if exam.declared.plays_courses else CHECKS)[1:]:
                finding = _look(exam, name, check)
                yield finding
                if finding.state == "problem" and check is abilities.opens_and_closes:
                    exam.no_scenario = True
        finally:
            exam.drop()


def _nothing_to_look_at() -> Iterator[Finding]:
    for name, _ in CHECKS[1:]:
        yield Finding(name, "not applicable", "there is no driver to look at")


def _look(exam: Examination, name: str, check: Callable[[Examination], str]) -> Finding:
    try:
        return Finding(name, "ok", check(exam))
    except (MootError, UnsupportedError, UntestableError) as reason:
        exam.drop()
        return Finding(name, "not applicable", _line(str(reason)))
    except ProblemError as problem:
        what, cure = str(problem), problem.cure
    except DriverError as fault:
        what = str(fault) + _last_words(exam)
        cure = next(cure for kind, cure in _CURES if isinstance(fault, kind))
    except FalseAdvertisingError as fault:
        what, cure = str(fault), abilities.DECLINE
    except EngineError as fault:
        what, cure = f"the engine failed: {fault}", "see whether engine or driver is at fault; nothing was asked of it"
    except KitError as fault:
        raise SuiteFault(f"the kit's own fakes went wrong in the check {name!r}: {fault}") from fault
    exam.drop()
    return Finding(name, "problem", _line(what), cure)


def _last_words(exam: Examination) -> str:
    words = exam.words().splitlines()
    return f"; its standard error ends with: {words[-1]}" if words else ""


def _line(text: str) -> str:
    return " ".join(text.split())

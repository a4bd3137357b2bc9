"""What the HTML page shows of a check, a requirement and a cause: everything chosen, cut and marked beforehand.

A page stays readable only if it is bounded. What failed is shown first and in full; what passed gives way where a
report is so large that not everything has room, and the page says so.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tck_reports.explain import FAILED, areas, broken, findings, reproduce
from tck_reports.formats.causes import Cause, causes
from tck_reports.formats.sides import Sides, beside, brief
from tck_reports.formats.story import Went, went
from tck_reports.outcomes import MEANINGS, PRECEDENCE, Outcome
from tck_reports.shape import CheckPart, ExpectationPart, Report, RequirementPart
from tck_reports.spared import outcome_for

#: Which of four looks an outcome has; each look has its own sign, so that nothing rests on colour alone.
LOOKS: Final[Mapping[str, str]] = {
    outcome: "good"
    if outcome is Outcome.PASSED
    else "bad"
    if outcome in FAILED
    else "open"
    if MEANINGS[outcome].counted
    else "none"
    for outcome in Outcome
}
#: Characters of details on one page; a run of the whole suite takes less than half.
ROOM: Final = 3_000_000
#: Items of any list that are shown.
MOST: Final = 60
_BRIEF_COST: Final = 400
#: Markup and labels around one expectation or step.
_AROUND: Final = 60
#: No more of one text is shown than this, however long it is.
_MAX_TEXT: Final = 2_000
#: So few causes are all open; of more, only the first is, or they would bury what comes below.
_OPENED: Final = 3
#: How a step is shown, by what became of it.
_STATES: Final[Mapping[Went, str]] = {"held": "done", "broke": "failed", "unreached": "left"}


@dataclass(frozen=True, slots=True)
class Broken:
    """An expectation that did not hold."""

    part: ExpectationPart
    sides: Sides


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a scenario; `state` is done, failed, or left (after the one that failed)."""

    text: str
    state: str


@dataclass(frozen=True, slots=True)
class CheckView:
    """One check; `full` is false where there was no room for more than its name."""

    part: CheckPart
    anchor: str
    look: str
    full: bool
    #: The sentence of the scenario, and the row of its examples; empty where it has none.
    sentence: str
    example: str
    broken: tuple[Broken, ...]
    held: tuple[ExpectationPart, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class RequirementView:
    """One requirement with its checks: its own, and those that an earlier requirement of the page shows already."""

    part: RequirementPart
    look: str
    own: tuple[CheckView, ...]
    elsewhere: tuple[CheckView, ...]
    left_out: int
    passed: int
    command: str


@dataclass(frozen=True, slots=True)
class AreaView:
    """One area: its requirements, and how many have each outcome."""

    name: str
    requirements: tuple[RequirementView, ...]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CauseView:
    """Failures that look alike, with the one that is shown for all of them."""

    cause: Cause
    anchor: str
    look: str
    opened: bool
    example: CheckView | None
    others: tuple[CheckView, ...]
    expected: str | None
    actual: str | None
    command: str


@dataclass(slots=True)
class Room:
    """How much of a page is left."""

    left: int = ROOM
    squeezed: int = field(default=0)

    def takes(self, cost: int) -> bool:
        """Take so much, or say that it is not there."""
        if cost <= self.left:
            self.left -= cost
            return True
        self.squeezed += 1
        return False


@dataclass(frozen=True, slots=True)
class Parts:
    """All that the page shows of its report's requirements."""

    areas: tuple[AreaView, ...]
    causes: tuple[CauseView, ...]
    #: Checks that are shown by name alone, or not at all.
    squeezed: int


def parts(report: Report) -> Parts:
    """Choose what the page shows."""
    room = Room()
    views = {one.part["id"]: one for one in _checks(report["checks"], room)}
    seen: set[str] = set()
    shown = tuple(_area(report, name, rows, views, seen) for name, rows in areas(report).items())
    found = causes(findings(report))
    reasons = tuple(_cause(report, place, one, views, len(found)) for place, one in enumerate(found))
    return Parts(shown, reasons, room.squeezed)


def anchor(check: str) -> str:
    """Return the name by which a link leads to a check: the same in every report, whatever stands in the id."""
    return f"check-{hashlib.sha256(check.encode(errors='backslashreplace')).hexdigest()[:10]}"


def _checks(checks: Iterable[CheckPart], room: Room) -> Iterator[CheckView]:
    """Yield checks, those first that did not pass, as long as there is room for their names."""
    for check in sorted(checks, key=_rank):
        full = room.takes(_cost(check))
        if full or room.takes(_BRIEF_COST):
            yield _check(check, full=full)


def _rank(check: CheckPart) -> int:
    return PRECEDENCE.index(Outcome(check["outcome"]))


def _cost(check: CheckPart) -> int:
    """Return about how many characters a check takes; texts are counted as they are cut."""
    texts = [one["statement"] for one in check["expectations"][:MOST]] + check["steps"][:MOST]
    logs = [item for one in check["expectations"] if not one["held"] for item in one["evidence"][:MOST]]
    return _BRIEF_COST + sum(min(len(one), _MAX_TEXT) + _AROUND for one in (*texts, *logs))


def _check(check: CheckPart, *, full: bool) -> CheckView:
    expectations = check["expectations"]
    wrong = [one for one in expectations if not one["held"]][:MOST]
    sentence, bracket, example = check["scenario"].partition("[")
    if not example.endswith("]"):
        sentence, example = f"{sentence}{bracket}{example}", ""
    return CheckView(
        part=check,
        anchor=anchor(check["id"]),
        look=LOOKS[check["outcome"]],
        full=full,
        sentence=sentence,
        example=example.removesuffix("]"),
        broken=tuple(Broken(one, beside(one["expected"], one["actual"])) for one in wrong) if full else (),
        held=tuple(one for one in expectations if one["held"])[:MOST] if full else (),
        steps=tuple(_steps(check)) if full and check["outcome"] != Outcome.PASSED else (),
    )


def _steps(check: CheckPart) -> Iterator[Step]:
    told = went(check, check["outcome"], check["failed_step"]) if check["failed_step"] in check["steps"] else []
    for place, step in enumerate(check["steps"][:MOST]):
        yield Step(step, _STATES[told[place]] if told else "")


def _area(
    report: Report, name: str, rows: Sequence[RequirementPart], views: Mapping[str, CheckView], seen: set[str]
) -> AreaView:
    counts = {str(outcome): sum(one["outcome"] == outcome for one in rows) for outcome in Outcome}
    return AreaView(name, tuple(_requirement(report, one, views, seen) for one in rows), counts)


def _requirement(
    report: Report, part: RequirementPart, views: Mapping[str, CheckView], seen: set[str]
) -> RequirementView:
    all_of_it = sorted((views[one] for one in part["checks"] if one in views), key=lambda one: _rank(one.part))
    own = tuple(one for one in all_of_it if one.part["id"] not in seen)
    seen |= {one.part["id"] for one in own}
    return RequirementView(
        part=part,
        look=LOOKS[part["outcome"]],
        own=own,
        elsewhere=tuple(one for one in all_of_it if one not in own),
        left_out=len(part["checks"]) - len(all_of_it),
        passed=sum(outcome_for(one.part, part["id"]) == Outcome.PASSED for one in all_of_it),
        command=reproduce(report, part["id"]) if part["checks"] else "",
    )


def _cause(report: Report, place: int, cause: Cause, views: Mapping[str, CheckView], count: int) -> CauseView:
    views_of_it = [views[one["id"]] for one in cause.checks if one["id"] in views]
    one = broken(cause.checks[0]) if cause.checks else None
    ran = next((part for part in cause.requirements if part["checks"]), None)
    return CauseView(
        cause=cause,
        anchor=f"failure-{place + 1}",
        look=LOOKS[cause.outcome],
        opened=place == 0 or count <= _OPENED,
        example=views_of_it[0] if views_of_it else None,
        others=tuple(views_of_it[1:]),
        expected=None if one is None else brief(one["expected"]),
        actual=None if one is None else brief(one["actual"]),
        command=reproduce(report, ran["id"]) if ran else "",
    )

"""What a newer kit judges otherwise in the same trace, and why: nothing of the engine has changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tck_reports.shape import CheckPart, ExpectationPart, Report, RequirementPart, VerdictPart

#: How a change came about.
#: held: the trace does not hold what is asked now; scenario: its sentences or tags; expectation: what it expects;
#: definition: the requirement's words, level, status or profile; checks: what its scenarios gave; baseline: what is
#: excused; kit: nothing of these, so the kit's own steps or grading; new, gone: on one side only.
Cause = Literal["held", "scenario", "expectation", "definition", "checks", "baseline", "kit", "new", "gone"]
#: How the reason of a scenario begins that asks what the trace does not hold.
NOT_HELD: Final = "the trace does not hold it"
_DEFINITION: Final = ("text", "level", "status", "profile")
_SHOWN: Final = 160
#: The folder of a scenario, which is another one each time.
_PLACE: Final = re.compile(r"/[^\s'\"]*?/worker-\d+/(?:scenarios|controls)/[^\s/'\"]+")


@dataclass(frozen=True, slots=True)
class Change:
    """A verdict, requirement or check that came out otherwise; None for a side that has it not."""

    kind: Literal["verdict", "requirement", "check"]
    id: str
    old: str | None
    new: str | None
    cause: Cause
    why: str


@dataclass(frozen=True, slots=True)
class Changes:
    """All that came out otherwise, worst of all first the profiles; and checks that now look at something else."""

    changed: tuple[Change, ...]
    #: Checks of the same outcome whose expectations are others, by what is another.
    looked: Mapping[str, str]

    def of(self, kind: str) -> tuple[Change, ...]:
        """Give those of one kind."""
        return tuple(one for one in self.changed if one.kind == kind)


def changes(old: Report, new: Report) -> Changes:
    """Hold the report of a run against that of its trace."""
    checks = tuple(_checks(old, new))
    requirements = tuple(_requirements(old, new, {one.id: one for one in checks}))
    verdicts = tuple(_verdicts(old, new, requirements))
    return Changes((*verdicts, *requirements, *checks), dict(_looked(old, new)))


def _verdicts(old: Report, new: Report, requirements: Sequence[Change]) -> Iterator[Change]:
    for profile in dict.fromkeys((*old["verdict"], *new["verdict"])):
        was, now = (_said(one["verdict"].get(profile)) for one in (old, new))
        if was == now:
            continue
        if was is None or now is None:
            side = "this run" if now is None else "the run before"
            yield Change("verdict", profile, was, now, "new" if was is None else "gone", f"{side} was not asked for it")
        elif requirements:
            names = ", ".join(one.id for one in requirements[:8])
            more = f" and {len(requirements) - 8} more" if len(requirements) > 8 else ""  # noqa: PLR2004 -- as many as fit a line
            yield Change("verdict", profile, was, now, "checks", f"its requirements came out otherwise: {names}{more}")
        else:
            why = new["verdict"][profile]["why"] if profile in new["verdict"] else ""
            yield Change("verdict", profile, was, now, "kit", f"the same requirements are concluded otherwise: {why}")


def _said(verdict: VerdictPart | None) -> str | None:
    if verdict is None:
        return None
    return f"{verdict['result']} {verdict['numerator']}/{verdict['denominator']}"


def _requirements(old: Report, new: Report, moved: Mapping[str, Change]) -> Iterator[Change]:
    were, are = ({one["id"]: one for one in report["requirements"]} for report in (old, new))
    for name in dict.fromkeys((*were, *are)):
        was, now = were.get(name), are.get(name)
        if was is None or now is None:
            here = was or now
            if here is not None:
                yield _alone("requirement", name, here["outcome"], new=was is None)
        elif was["outcome"] != now["outcome"]:
            cause, why = _requirement_cause(was, now, moved)
            yield Change("requirement", name, was["outcome"], now["outcome"], cause, why)


def _alone(kind: Literal["requirement", "check"], name: str, outcome: str, *, new: bool) -> Change:
    if new:
        return Change(kind, name, None, outcome, "new", "it is new in this kit")
    return Change(kind, name, outcome, None, "gone", "this kit has it no more")


def _requirement_cause(was: RequirementPart, now: RequirementPart, moved: Mapping[str, Change]) -> tuple[Cause, str]:
    other = [name for name in _DEFINITION if was[name] != now[name]]
    theirs = [moved[one] for one in dict.fromkeys((*now["checks"], *was["checks"])) if one in moved]
    redefined = f"; its {' and '.join(other)} changed, too" if other else ""
    if theirs:
        first = theirs[0]
        more = f", and {len(theirs) - 1} more" if len(theirs) > 1 else ""
        return "checks", f"{first.id}{more}: {first.why}{redefined}"
    if other:
        return "definition", f"its {' and '.join(other)} changed"
    if {*was["checks"]} != {*now["checks"]}:
        return "checks", "other scenarios speak on it"
    return "kit", f"its scenarios gave the same, and are graded otherwise: {now['reason'] or now['outcome']}"


def _checks(old: Report, new: Report) -> Iterator[Change]:
    were, are = ({one["id"]: one for one in report["checks"]} for report in (old, new))
    for name in dict.fromkeys((*were, *are)):
        was, now = were.get(name), are.get(name)
        if was is None or now is None:
            here = was or now
            if here is not None:
                yield _alone("check", name, here["outcome"], new=was is None)
        elif was["outcome"] != now["outcome"]:
            cause, why = _check_cause(was, now)
            yield Change("check", name, was["outcome"], now["outcome"], cause, why)


def _check_cause(was: CheckPart, now: CheckPart) -> tuple[Cause, str]:
    sentences = _sentences(was, now)
    if (now["reason"] or "").startswith(NOT_HELD):
        return "held", f"{now['reason']}{f'; {sentences}' if sentences else ''}"
    expectation = _expectation(was, now)
    if sentences:
        return "scenario", f"{sentences}{f'; {expectation}' if expectation else ''}"
    if expectation:
        return "expectation", expectation
    if (was["excused"] is None) != (now["excused"] is None):
        return "baseline", "the baseline excuses it" if was["excused"] is None else "no baseline excuses it any more"
    return (
        "kit",
        f"the kit judges the same otherwise: {was['reason'] or was['outcome']}, now {now['reason'] or now['outcome']}",
    )


def _sentences(was: CheckPart, now: CheckPart) -> str:
    """Say what of a scenario's own words is another, if anything."""
    if was["steps"] and now["steps"] and was["steps"] != now["steps"]:
        gone = next((one for one in was["steps"] if one not in now["steps"]), None)
        come = next((one for one in now["steps"] if one not in was["steps"]), None)
        told = [f"was {gone!r}" if gone else "", f"is {come!r}" if come else ""]
        return f"its sentences changed: {', '.join(one for one in told if one) or 'another order'}"
    if {*was["requirements"]} != {*now["requirements"]}:
        return "its tags changed"
    return ""


def _expectation(was: CheckPart, now: CheckPart) -> str:
    """Say which expectation is another, the one first that decided."""
    for mine, others, side in ((now, was, "is new"), (was, now, "is no more")):
        broken = next((one for one in mine["expectations"] if not one["held"]), None)
        if broken is None:
            continue
        statement = _placeless(broken["statement"])
        before = [_placeless(one["statement"]) for one in mine["expectations"][: mine["expectations"].index(broken)]]
        same = [one for one in others["expectations"] if _placeless(one["statement"]) == statement]
        place = before.count(statement)
        if len(same) <= place:
            values = f"expected {_short(broken['expected'])}, actual {_short(broken['actual'])}"
            return f"the expectation {_short(statement)!r} {side}, with {values}"
        old, new = (same[place], broken) if mine is now else (broken, same[place])
        return _other(old, new)
    return ""


def _other(old: ExpectationPart, new: ExpectationPart) -> str:
    statement = f"{_short(_placeless(new['statement']))!r}"
    if _placeless(old["expected"]) != _placeless(new["expected"]):
        values = f"expects {_short(new['expected'])} in place of {_short(old['expected'])}"
        return f"{statement} {values}; actual {_short(new['actual'])}"
    if _placeless(old["actual"]) != _placeless(new["actual"]):
        values = f"looks at {_short(new['actual'])} in place of {_short(old['actual'])}"
        return f"{statement} {values}; expected {_short(new['expected'])}"
    return ""


def _looked(old: Report, new: Report) -> Iterator[tuple[str, str]]:
    were = {one["id"]: one for one in old["checks"]}
    for check in new["checks"]:
        was = were.get(check["id"])
        if was is None or was["outcome"] != check["outcome"]:
            continue
        before, after = (
            [(_placeless(one["statement"]), one["held"]) for one in side["expectations"]] for side in (was, check)
        )
        if sentences := _sentences(was, check):
            yield check["id"], sentences
        elif before != after:
            lost, come = ([_short(one[0]) for one in a if one not in b] for a, b in ((before, after), (after, before)))
            told = [f"no more: {lost[0]!r}" if lost else "", f"new: {come[0]!r}" if come else ""]
            yield check["id"], f"it expects otherwise ({'; '.join(one for one in told if one) or 'another order'})"


def _placeless(value: object) -> str:
    """Give a value as text, without the folder that its scenario happened to have."""
    return _PLACE.sub("{place}", value if isinstance(value, str) else json.dumps(value))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

"""What has changed between two reports: outcomes, what they rest on, and what they were judged by.

A difference is told of the engine only where both sides were judged by the same words and the same scenario; where they
were not, it says so in place of that.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from tck_reports.difference.caveats import caveats
from tck_reports.difference.kinds import fails, kind_of, passes
from tck_reports.difference.values import (
    Difference,
    Evidence,
    Judged,
    Judgement,
    Move,
    Origin,
    Present,
    Reasoned,
    Redefined,
    Standing,
)
from tck_reports.explain import broken, value_text
from tck_reports.outcomes import Outcome, worst
from tck_reports.shape import CheckPart, Report, RequirementPart
from tck_reports.spared import check_for, outcome_for

__all__ = ["Difference", "Move", "compare", "why"]

#: An engine names its runs as it likes, and may do otherwise each time.
_RUN: Final = re.compile(r"\brun \S+")
#: Characters of a value that is told.
_VALUE: Final = 200
#: How much a pass can rest on: nothing, the engine's word, what the kit saw.
_WEIGHTS: Final[Mapping[str | None, int]] = {None: 0, "reported": 1, "witnessed": 2}


def compare(old: Report, new: Report, *, one_engine: bool = False) -> Difference:
    """Compare two reports, of whatever engine, kit or specification; what that takes away is among the caveats.

    `one_engine` says that both are of the same engine, whatever it is called on either side.
    """
    old, new = _ordered(old), _ordered(new)
    checks = _checks(old, new)
    were = {one["id"]: one for one in old["requirements"]}
    are = {one["id"]: one for one in new["requirements"]}
    both = [(were[name], one) for name, one in are.items() if name in were]
    return Difference(
        old=_origin(old),
        new=_origin(new),
        caveats=caveats(old, new, one_engine=one_engine),
        verdicts=tuple(_verdicts(old, new)),
        totals=_totals(old, new),
        requirements=tuple(_requirement_moves(both, {one.id: one for one in checks}, old, new)),
        checks=checks,
        new_requirements=_only(are.values(), were),
        gone_requirements=_only(were.values(), are),
        new_checks=_only(new["checks"], {one["id"] for one in old["checks"]}),
        gone_checks=_only(old["checks"], {one["id"] for one in new["checks"]}),
        evidence=tuple(_evidence(both, old, new)),
        redefined=tuple(_redefined(both)),
        reasons=tuple(_reasons(old, new)),
    )


def _ordered(report: Report) -> Report:
    """Return the report with its checks by id; a run tells them in the order in which they ended."""
    ordered = report.copy()
    ordered["checks"] = sorted(report["checks"], key=lambda check: check["id"])
    return ordered


def _origin(report: Report) -> Origin:
    spec = report["spec"]
    return Origin(
        digest=report["digest"],
        engine=report["implementation"]["name"],
        version=report["implementation"]["version"],
        specification=f"{spec['id']} {spec['version']}",
        set_digest=spec["set_digest"],
        kit=report["kit"]["version"],
        suite_digest=report["kit"]["suite_digest"],
        seed=report["run"]["seed"],
        started=report["run"]["started"],
        exit_code=report["exit_code"],
    )


def _verdicts(old: Report, new: Report) -> Iterator[Judgement]:
    for profile in dict.fromkeys((*new["verdict"], *old["verdict"])):
        asked = profile in old["run"]["asked"] or profile in new["run"]["asked"]
        yield Judgement(profile, _standing(old, profile), _standing(new, profile), asked)


def _standing(report: Report, profile: str) -> Standing | None:
    one = report["verdict"].get(profile)
    return None if one is None else Standing(one["result"], one["numerator"], one["denominator"], one["witnessed"])


def _totals(old: Report, new: Report) -> Mapping[Outcome, tuple[int, int]]:
    before, after = (Counter(Outcome(one["outcome"]) for one in report["checks"]) for report in (old, new))
    return {one: (before[one], after[one]) for one in Outcome if before[one] or after[one]}


def _checks(old: Report, new: Report) -> tuple[Move, ...]:
    were = {one["id"]: one for one in old["checks"]}
    words = {one["id"]: one["text_digest"] for one in old["requirements"]}
    reworded = {one["id"] for one in new["requirements"] if words.get(one["id"], "") not in {"", one["text_digest"]}}
    found: list[Move] = []
    for check in new["checks"]:
        before = were.get(check["id"])
        if before is None or before["outcome"] == check["outcome"]:
            continue
        judged: Judged | None = None
        if _scenario(before) != _scenario(check):
            judged = "other scenarios"
        elif not reworded.isdisjoint(check["requirements"]):
            judged = "other words"
        move = _move(before, check, tuple(check["requirements"]), judged)
        found.append(replace(move, broke=_broke(check if fails(move.new) else before)))
    return tuple(found)


def _scenario(check: CheckPart) -> tuple[list[str], list[str]]:
    """Return what a check was: its sentences, and the requirements that it speaks on.

    A scenario that was not run has no sentences in some reports; that makes it no other one.
    """
    return sorted(check["requirements"]), check["steps"]


def _move(
    old: RequirementPart | CheckPart,
    new: RequirementPart | CheckPart,
    requirements: tuple[str, ...],
    judged: Judged | None,
) -> Move:
    before, after = Outcome(old["outcome"]), Outcome(new["outcome"])
    kind = kind_of(before, after)
    return Move(new["id"], before, after, kind, old["reason"], new["reason"], requirements, judged)


def _really(requirement: RequirementPart, checks: Mapping[str, CheckPart]) -> Outcome:
    """Return the outcome without what is wrong with a baseline alone: a stale check outranks some that fail."""
    outcome = Outcome(requirement["outcome"])
    if outcome is not Outcome.STALE:
        return outcome
    rest = {outcome_for(checks[name], requirement["id"]) for name in requirement["checks"] if name in checks}
    failing = {one for one in rest if fails(one) or one is Outcome.NOT_RUN}
    return worst(failing) if failing else outcome


def _requirement_moves(
    both: Iterable[tuple[RequirementPart, RequirementPart]], moved: Mapping[str, Move], old: Report, new: Report
) -> Iterator[Move]:
    were = {one["id"]: one for one in old["checks"]}
    are = {one["id"]: one for one in new["checks"]}
    for before, after in both:
        if before["outcome"] == after["outcome"]:
            continue
        judged: Judged | None = None
        real = _really(before, were), _really(after, are)
        if before["text_digest"] != after["text_digest"]:
            judged = "other words"
        elif _other_scenarios(before, after, real, moved, (were, are)):
            judged = "other scenarios"
        kind = kind_of(*real)
        yield replace(
            _move(before, after, (after["id"],), judged),
            kind="sideways" if kind == "same" else kind,
            broke=_first_broken(after, are) if fails(real[1]) else _first_broken(before, were),
        )


def _other_scenarios(
    old: RequirementPart,
    new: RequirementPart,
    real: tuple[Outcome, Outcome],
    moved: Mapping[str, Move],
    checks: tuple[Mapping[str, CheckPart], Mapping[str, CheckPart]],
) -> bool:
    """Whether everything that fails on the failing side is found on that side alone, or was another scenario there.

    Where nothing fails, the same is asked of what is declined.
    """
    were, are = checks
    before, after = real
    bad = fails if fails(before) or fails(after) else _declined
    if not (bad(before) or bad(after)):
        return False
    left = bad(before) and (not bad(after) or worst({before, after}) is before)
    here, there, failing = (were, are, old) if left else (are, were, new)
    guilty = [name for name in failing["checks"] if name in here and bad(outcome_for(here[name], failing["id"]))]
    return bool(guilty) and all(
        name not in there or (name in moved and moved[name].judged == "other scenarios") for name in guilty
    )


def _declined(outcome: Outcome) -> bool:
    return outcome is Outcome.UNSUPPORTED


def _only(rows: Iterable[RequirementPart] | Iterable[CheckPart], others: Iterable[str]) -> tuple[Present, ...]:
    known = set(others)
    return tuple(Present(one["id"], Outcome(one["outcome"]), one["reason"]) for one in rows if one["id"] not in known)


def _evidence(both: Iterable[tuple[RequirementPart, RequirementPart]], old: Report, new: Report) -> Iterator[Evidence]:
    were = {one["id"]: one for one in old["checks"]}
    are = {one["id"]: one for one in new["checks"]}
    for before, after in both:
        was, now = before["evidence"], after["evidence"]
        if was == now:
            continue
        outcome = Outcome(after["outcome"])
        weaker = passes(Outcome(before["outcome"])) and passes(outcome) and _WEIGHTS[now] < _WEIGHTS[was]
        judged: Judged | None = None
        if weaker and before["text_digest"] != after["text_digest"]:
            judged = "other words"
        elif weaker and _scenarios(before, were) != _scenarios(after, are):
            judged = "other scenarios"
        yield Evidence(after["id"], after["profile"], outcome, was, now, weaker, judged)


def _scenarios(requirement: RequirementPart, checks: Mapping[str, CheckPart]) -> dict[str, tuple[list[str], list[str]]]:
    return {name: _scenario(checks[name]) for name in requirement["checks"] if name in checks}


def _redefined(both: Iterable[tuple[RequirementPart, RequirementPart]]) -> Iterator[Redefined]:
    for before, after in both:
        if before["text_digest"] != after["text_digest"]:
            yield Redefined(after["id"], "text", before["text"], after["text"])
        for what, was, now in (
            ("level", before["level"], after["level"]),
            ("status", before["status"], after["status"]),
            ("profile", before["profile"], after["profile"]),
        ):
            if was != now:
                yield Redefined(after["id"], what, was, now)


def _reasons(old: Report, new: Report) -> Iterator[Reasoned]:
    were = {one["id"]: one for one in old["checks"]}
    for check in new["checks"]:
        before = were.get(check["id"])
        if before is None or not (fails(Outcome(before["outcome"])) and fails(Outcome(check["outcome"]))):
            continue
        was, now = why(before), why(check)
        if was != now:
            yield Reasoned(check["id"], tuple(check["requirements"]), was, now)


def _first_broken(requirement: RequirementPart, checks: Mapping[str, CheckPart]) -> str | None:
    asked = requirement["id"]
    own = [check_for(checks[name], asked) for name in requirement["checks"] if name in checks]
    return next((told for one in own if fails(outcome_for(one, asked)) and (told := _broke(one))), None)


def _broke(check: CheckPart) -> str | None:
    """Say in one line what did not hold."""
    one = broken(check)
    if one is None:
        return None
    expected, actual = (_short(value_text(value)) for value in (one["expected"], one["actual"]))
    return f"{_short(one['statement'])}: expected {expected}, actual {actual}"


def _short(text: str) -> str:
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}…"


def why(check: CheckPart) -> str:
    """Say why a check failed, in words that are the same for the same failure in another run."""
    expectation = broken(check)
    if expectation is None:
        return (check["reason"] or check["outcome"]).partition(":")[0]
    return _RUN.sub("run …", expectation["statement"])

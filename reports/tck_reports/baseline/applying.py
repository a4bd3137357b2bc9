"""The baseline: failures that are known, each with reason, owner and date; it excuses those, and never hides a change.

An engine could hide behind a list of known failures in more ways than one, so an entry excuses an expectation that did
not hold, and nothing that might be any fault at all: no crash, no scenario that did not get as far as its question, no
mistake of the driver or the kit, nothing that was kept from being looked at. What has several requirements is excused
by a requirement only where each of those that it breaks is known to fail, and what went on after something did not hold
is excused only where all is known that did not.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from tck_reports.baseline.entries import Baseline, Known, matches
from tck_reports.outcomes import Outcome
from tck_reports.records import BaselineEntry, CheckRecord, EntryState, Excuse, Expectation, UsedBaseline, UsedEntry

#: The way of failing of a check that was kept from looking further after something had not held.
STOPPED: Final = "stopped"
#: Ways of failing that no entry excuses, and why.
NEVER_EXCUSED: Final[Mapping[str, str]] = {
    "crashed": "a crash may be any fault at all",
    STOPPED: "what came after it could not be looked at",
}
#: Ways of failing that an entry excuses without naming them.
USUAL: Final = frozenset({"assertion", "false_advertising"})
#: Outcomes of a check that has answered its question, and those of one that was put to the engine.
_PASSED: Final = frozenset({Outcome.PASSED, Outcome.STALE})
_ASIDE: Final = frozenset({Outcome.UNSUPPORTED, Outcome.NOT_APPLICABLE, Outcome.EXCLUDED})


@dataclass(frozen=True, slots=True)
class Ground:
    """What a baseline can speak of: the checks of a run with their requirements, and what else there is."""

    checks: Mapping[str, Collection[str]]
    requirements: Collection[str]
    #: Ids of checks that only a thorough run has.
    left_out: Collection[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Baselined:
    """Checks after the baseline was held against them, what became of it, and what is out of date in it."""

    checks: tuple[CheckRecord, ...]
    used: UsedBaseline
    stale: tuple[str, ...]


def apply_baseline(checks: Iterable[CheckRecord], baseline: Baseline, ground: Ground) -> Baselined:
    """Turn known failures into `expected_failure`, and listed checks that passed into `stale`.

    A requirement whose checks have all passed leaves them as they are, and its entry is named as stale: the same checks
    may be about others.
    """
    in_force = [one for one in baseline.entries if not expired(one.entry, baseline.today)]
    graded = tuple(_against(check, baseline, in_force) for check in checks)
    used = states([one.entry for one in baseline.entries], graded, ground, baseline.today)
    narrowed = tuple(
        replace(one, statement=known.statement, fails=known.fails, step=known.step)
        for one, known in zip(used, baseline.entries, strict=True)
    )
    return Baselined(graded, UsedBaseline(baseline.digest, narrowed), outdated(used))


def knows(check: CheckRecord, baseline: Baseline) -> bool:
    """Whether this failure is a known one, which need not be tried again."""
    in_force = [one for one in baseline.entries if not expired(one.entry, baseline.today)]
    held = _against(check, baseline, in_force)
    return check.outcome is Outcome.FAILED and held.outcome is Outcome.EXPECTED_FAILURE


def expired(entry: BaselineEntry, today: date) -> bool:
    """Whether its last day is over."""
    return entry.until is not None and date.fromisoformat(entry.until) < today


def states(
    entries: Sequence[BaselineEntry], checks: Sequence[CheckRecord], ground: Ground, today: date
) -> tuple[UsedEntry, ...]:
    """Say what became of each entry, told from the checks as they came out in the end.

    Whoever joins the reports of several parts asks for it again: what none of them knew alone, that no check of a
    requirement fails any more, follows from all of their checks.
    """
    records = {check.id: check for check in checks}
    kinds = {entry.name: entry.kind for entry in entries}
    used: list[UsedEntry] = []
    for entry in entries:
        covered = _covered(entry, ground)
        ran = [one for name in covered if (one := records.get(name)) and one.outcome is not Outcome.NOT_RUN]
        spared = [one for one in ran if entry.target == "requirement" and one.spares(entry.name)]
        excused = tuple(
            one.id for one in ran if one.excused and kinds.get(one.excused.name) == entry.kind and one not in spared
        )
        outcomes = {Outcome.PASSED if one in spared else one.outcome for one in ran}
        whole = len(ran) == len(covered) and _all_passed(outcomes)
        state: EntryState = "unused"
        if not covered and not _exists(entry, ground):
            state = "unknown"
        elif excused:
            state = "used"
        elif entry.kind == "failure" and whole:
            state = "stale"
        elif expired(entry, today):
            state = "expired"
        used.append(UsedEntry(entry, state, excused))
    return tuple(used)


def outdated(used: Iterable[UsedEntry]) -> tuple[str, ...]:
    """Name the entries that are out of date and that no check shows; a check that is stale shows it itself."""
    found: list[str] = []
    for one in used:
        if one.state == "unknown":
            found.append(f"{one.entry.name}: there is no such {one.entry.target}")
        elif one.state == "stale" and one.entry.target == "requirement":
            found.append(f"{one.entry.name}: none of its checks fails any more")
    return tuple(sorted(found))


def unexcusable(check: CheckRecord) -> str | None:
    """Say why no entry at all excuses this failure; None where one could."""
    word = way(check.reason)
    if word in NEVER_EXCUSED:
        return NEVER_EXCUSED[word]
    if check.blame in {"driver", "kit"}:
        return f"it is the {check.blame}'s"
    if (check.failed_step or "").startswith("Given "):
        return "it did not get as far as its question"
    return None


def way(reason: str | None) -> str:
    """Return in which way something failed: the word that its reason begins with."""
    return (reason or "").partition(":")[0].partition(";")[0]


def _all_passed(outcomes: set[Outcome]) -> bool:
    return bool(outcomes & _PASSED) and outcomes <= _PASSED | _ASIDE


def _covered(entry: BaselineEntry, ground: Ground) -> tuple[str, ...]:
    if entry.target == "check":
        return (entry.name,) if entry.name in ground.checks else ()
    return tuple(name for name, requirements in ground.checks.items() if entry.name in requirements)


def _exists(entry: BaselineEntry, ground: Ground) -> bool:
    return entry.name in (ground.left_out if entry.target == "check" else ground.requirements)


def _against(check: CheckRecord, baseline: Baseline, in_force: Sequence[Known]) -> CheckRecord:
    """Hold one check against the entries that are in force."""
    entries = [one for one in baseline.entries if _about(one.entry, check)]
    if not entries:
        return check
    alive = [one for one in in_force if one in entries]
    failures = [one for one in alive if one.entry.kind == "failure"]
    if check.outcome is Outcome.PASSED:
        listed = next((one.entry for one in entries if one.entry.kind == "failure" and _is_check(one)), None)
        if listed is None:
            return check
        return replace(
            check, outcome=Outcome.STALE, reason=f"passed, but the baseline expects a failure: {listed.reason}"
        )
    if check.outcome is Outcome.FAILED:
        return _excused(check, failures) or _refused(check, next(_refusals(check, entries, alive), None))
    if check.outcome is Outcome.FLAKY:
        flaky = [one for one in alive if one.entry.kind == "flaky"]
        return _excused(check, flaky) or _refused(check, next(_refusals(check, entries, alive), None))
    return check


def _excused(check: CheckRecord, entries: Sequence[Known]) -> CheckRecord | None:
    """Return the check as an expected failure, if entries excuse it: for all that broke in it, or all that it breaks.

    Entries for the check together have to mean everything that did not hold; those for requirements have to name each
    one that it has failed for.
    """
    if unexcusable(check) is not None or any(way(one.reason) in NEVER_EXCUSED for one in check.attempts):
        return None
    fitting = [one for one in entries if _fits(one, check)]
    own = [one for one in fitting if _is_check(one)]
    others = [one for one in fitting if not _is_check(one)]
    if own and _unmeant(own, check) is None:
        entry = own[0].entry
    elif others and {one.entry.name for one in others}.issuperset(check.breaks):
        entry = others[0].entry
    else:
        return None
    return replace(
        check,
        outcome=Outcome.EXPECTED_FAILURE,
        reason=f"{check.reason or 'failed'}; known: {entry.reason}",
        excused=Excuse(entry.name, entry.reason, entry.owner, entry.since),
    )


def _fits(known: Known, check: CheckRecord) -> bool:
    """Whether a failure is of the kind that the entry means, and something in it is what it means."""
    if check.outcome is Outcome.FLAKY:
        return True
    if way(check.reason) not in ({known.fails} if known.fails else USUAL):
        return False
    broken = [one for one in check.expectations if not one.held]
    if not broken:
        return known.statement is None and known.step in {None, check.failed_step}
    return any(_means(known, one, check) for one in broken)


def _means(known: Known, broken: Expectation, check: CheckRecord) -> bool:
    """Whether an entry is about this expectation of a check, which did not hold."""
    if known.step not in {None, broken.step or check.failed_step}:
        return False
    return known.statement is None or matches(known.statement, broken.statement)


def _unmeant(entries: Sequence[Known], check: CheckRecord) -> Expectation | None:
    """Return the first expectation that did not hold and that no entry is about; what is flaky may fail in any way."""
    if check.outcome is Outcome.FLAKY:
        return None
    broken = (one for one in check.expectations if not one.held)
    return next((one for one in broken if not any(_means(known, one, check) for known in entries)), None)


def _refused(check: CheckRecord, why: str | None) -> CheckRecord:
    return check if why is None else replace(check, reason=f"{check.reason or check.outcome}; not excused: {why}")


def _refusals(check: CheckRecord, entries: Sequence[Known], alive: Sequence[Known]) -> Iterator[str]:
    """Yield why entries that speak of a check do not excuse it, the most telling first."""
    never = unexcusable(check) or next(
        (NEVER_EXCUSED[way(one.reason)] for one in check.attempts if way(one.reason) in NEVER_EXCUSED), None
    )
    if never is not None:
        yield never
    if not alive:
        yield f"the entry was good until {max(one.entry.until or '' for one in entries)}"
    if check.outcome is Outcome.FLAKY:
        if not any(one.entry.kind == "flaky" for one in alive):
            yield "it passes at times, which is for a [[flaky]] entry"
    elif not any(one.entry.kind == "failure" for one in alive):
        yield "it is known to be flaky, and passed on no try"
    for one in alive:
        if not _fits(one, check):
            yield _otherwise(one, check)
    own = [one for one in alive if _is_check(one)]
    if own and (new := _unmeant(own, check)) is not None:
        yield f"no entry is about another statement that did not hold, {new.statement!r}"
    named = {one.entry.name for one in alive}
    others = [one for one in check.breaks if one not in named]
    yield f"it is about {', '.join(others)} as well, which no entry names; an entry for the check would do"


def _otherwise(known: Known, check: CheckRecord) -> str:
    """Say how a failure is another one than the entry means."""
    word = way(check.reason) or "failed"
    if known.fails is not None and known.fails != word:
        return f"the entry is about {known.fails}, and not about {word}"
    if known.fails is None and word not in USUAL:
        return f'an entry is about {word} only where it says fails = "{word}"'
    steps = {one.step or check.failed_step for one in check.expectations if not one.held} or {check.failed_step}
    if known.step is not None and known.step not in steps:
        return f"the entry is about another step, {known.step!r}"
    return f"the entry is about another statement, {known.statement!r}"


def _about(entry: BaselineEntry, check: CheckRecord) -> bool:
    return entry.name == check.id if entry.target == "check" else entry.name in check.requirements


def _is_check(known: Known) -> bool:
    return known.entry.target == "check"

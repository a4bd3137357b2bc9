"""Grading: every requirement of the frozen set gets exactly one outcome from the checks that a run gave.

Everything that other kits let pass is refused here: a check that looked at nothing, one that was expected and never
came, one that came twice, one for a requirement that does not exist, a requirement without a scenario. None of these
can end as `passed`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tck_reports.outcomes import MEANINGS, Outcome, worst
from tck_reports.records import CheckRecord, EvidenceClass, RequirementEntry

#: The reason of `not_run` where a check is in another part of a run that is shared out over jobs.
SHARD: Final = "shard"
#: Reasons of `not_run` by which the user asked for less; every other one means that the run was cut short.
BY_CHOICE: Final = frozenset({"filter", "profile", SHARD})
_NOTHING: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """One requirement with its outcome and what that rests on."""

    entry: RequirementEntry
    outcome: Outcome
    reason: str | None
    evidence: EvidenceClass | None
    #: Ids of the checks that were emitted for it.
    checks: tuple[str, ...]
    #: Ids of the checks that were expected for it and never came.
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grading:
    """All results of a run, in the order of the requirement set, and what is wrong with the run itself."""

    requirements: tuple[RequirementResult, ...]
    #: The checks as graded: vacuous, contradictory and doubled ones are no longer what they claimed to be.
    checks: tuple[CheckRecord, ...]
    profiles: tuple[str, ...]
    missing: tuple[str, ...] = ()
    #: Faults of the run itself, such as a doubled check id; each makes every verdict impossible.
    faults: tuple[str, ...] = ()
    #: Why less than everything was asked for, if so.
    filtered: str | None = None
    #: Why the run ended before everything that was asked for had run, if so.
    cut_short: str | None = None

    @property
    def incomplete_reasons(self) -> tuple[str, ...]:
        """Why not all of the selected profiles ran, empty for a complete run."""
        return tuple(reason for reason in (self.cut_short, self.filtered) if reason is not None)


def grade(
    entries: Sequence[RequirementEntry],
    checks: Iterable[CheckRecord],
    expected: Mapping[str, Collection[str]],
    *,
    profiles: Collection[str],
    only: Collection[str] | None = None,
    excluded: Mapping[str, str] = _NOTHING,
    not_applicable: Mapping[str, str] = _NOTHING,
    cut_short: str | None = None,
    faults: Sequence[str] = (),
) -> Grading:
    """Grade a run.

    `expected` maps the id of every check of the suite to the ids of its requirements. `profiles` are those that were
    run; `only` holds the ids of the requirements that a filter left, null without a filter. `excluded` and
    `not_applicable` map requirement ids to reasons. `cut_short` says why the run ended early: then an absent check is
    `not_run`, otherwise it is an error. `faults` are of the run itself; each makes every verdict impossible.
    """
    known = {entry.id: entry for entry in entries}
    selected = {entry.id for entry in entries if entry.profile in profiles and (only is None or entry.id in only)}
    given = tuple(checks)
    wrong = (*faults, *_faults(entries, given, expected))
    graded = tuple(_sound(record, known) for record in _once(given))
    cut = cut_short or _cut(record for record in graded if selected & {*record.requirements})
    missing = {
        check: requirements
        for check, requirements in expected.items()
        if check not in {record.id for record in graded} and selected & {*requirements}
    }
    by_requirement: dict[str, list[CheckRecord]] = {entry.id: [] for entry in entries}
    for record in graded:
        for requirement in {*record.requirements, *expected.get(record.id, ())} & known.keys():
            by_requirement[requirement].append(record)
    results = tuple(
        _result(
            entry,
            by_requirement[entry.id],
            tuple(sorted(check for check, requirements in missing.items() if entry.id in requirements)),
            expected=any(entry.id in requirements for requirements in expected.values()),
            left_out=_left_out(entry, profiles, only),
            set_aside=_set_aside(entry.id, excluded, not_applicable),
            cut_short=cut is not None,
        )
        for entry in entries
    )
    in_profiles = {entry.id for entry in entries if entry.profile in profiles}
    return Grading(
        results,
        graded,
        tuple(profiles),
        tuple(sorted(missing)),
        wrong,
        _filtered(graded, selected, in_profiles, narrowed=only is not None),
        cut,
    )


def _filtered(
    graded: Sequence[CheckRecord], selected: set[str], in_profiles: set[str], *, narrowed: bool
) -> str | None:
    """Return how less than everything was asked for: by a choice of requirements, by one part of several, or both."""
    left = {one.reason for one in graded if one.outcome is Outcome.NOT_RUN and in_profiles & {*one.requirements}}
    told: list[str] = []
    if narrowed or left & (BY_CHOICE - {SHARD}):
        told.append(f"filter: {len(selected)} of {len(in_profiles)} requirements were selected")
    if SHARD in left:
        others = sum(one.outcome is Outcome.NOT_RUN and one.reason == SHARD for one in graded)
        told.append(f"shard: {others} scenarios are of other parts of the run")
    return "; ".join(told) or None


def _cut(records: Iterable[CheckRecord]) -> str | None:
    """Return why the run was cut short, told from the checks that it left out against the user's choice."""
    left = [record for record in records if record.outcome is Outcome.NOT_RUN and record.reason not in BY_CHOICE]
    if not left:
        return None
    return f"cut short: {left[0].reason or 'no reason given'} (checks not run: {len(left)})"


def _faults(
    entries: Sequence[RequirementEntry], checks: Sequence[CheckRecord], expected: Mapping[str, Collection[str]]
) -> Iterable[str]:
    """Yield what is wrong with the run or the suite as a whole."""
    known = {entry.id for entry in entries}
    for requirement, times in Counter(entry.id for entry in entries).items():
        if times > 1:
            yield f"requirement {requirement} stands {times} times in the requirement set"
    for check, times in Counter(record.id for record in checks).items():
        if times > 1:
            yield f"check {check} was emitted {times} times"
    for check, requirements in expected.items():
        for stranger in sorted({*requirements} - known):
            yield f"check {check} of the suite names the unknown requirement {stranger}"
    for record in checks:
        yield from _record_faults(record, known, expected)


def _record_faults(record: CheckRecord, known: set[str], expected: Mapping[str, Collection[str]]) -> Iterable[str]:
    if not record.requirements:
        yield f"check {record.id} names no requirement"
    for stranger in sorted({*record.requirements} - known):
        yield f"check {record.id} names the unknown requirement {stranger}"
    if record.id not in expected:
        yield f"check {record.id} was emitted, but the suite does not know it"
    elif {*record.requirements} != {*expected[record.id]}:
        yield f"check {record.id} names other requirements than the suite says"


def _once(checks: Sequence[CheckRecord]) -> Iterable[CheckRecord]:
    """Merge records of one id into one error: which of them is right cannot be told."""
    times = Counter(record.id for record in checks)
    seen: set[str] = set()
    for record in checks:
        if record.id in seen:
            continue
        seen.add(record.id)
        if times[record.id] > 1:
            yield _error(record, f"emitted {times[record.id]} times")
        else:
            yield record


def _sound(record: CheckRecord, known: Mapping[str, RequirementEntry]) -> CheckRecord:
    """Return the record, or the error or failure that it really is."""
    if strangers := sorted({*record.requirements} - known.keys()):
        return _error(record, f"unknown requirement {', '.join(strangers)}")
    if record.outcome in {Outcome.PASSED, Outcome.STALE} and not record.expectations:
        return _error(record, "vacuous")
    if record.outcome in {Outcome.PASSED, Outcome.STALE} and record.broken is not None:
        return replace(record, outcome=Outcome.FAILED, reason="assertion", blame=record.blame or "engine")
    if record.outcome is Outcome.EXCLUDED and not (record.reason or "").strip():
        return _error(record, "excluded without a reason")
    return record


def _error(record: CheckRecord, reason: str) -> CheckRecord:
    return replace(record, outcome=Outcome.ERROR, reason=reason, blame="kit")


def _left_out(entry: RequirementEntry, profiles: Collection[str], only: Collection[str] | None) -> str | None:
    if entry.profile not in profiles:
        return "profile"
    return "filter" if only is not None and entry.id not in only else None


def _set_aside(
    requirement: str, excluded: Mapping[str, str], not_applicable: Mapping[str, str]
) -> tuple[Outcome, str] | None:
    if requirement in excluded:
        if not excluded[requirement].strip():
            return Outcome.ERROR, "excluded without a reason"
        return Outcome.EXCLUDED, excluded[requirement]
    if requirement in not_applicable:
        return Outcome.NOT_APPLICABLE, not_applicable[requirement]
    return None


def _result(
    entry: RequirementEntry,
    records: Sequence[CheckRecord],
    missing: tuple[str, ...],
    *,
    expected: bool,
    left_out: str | None,
    set_aside: tuple[Outcome, str] | None,
    cut_short: bool,
) -> RequirementResult:
    """Collect everything that speaks on this requirement, and let the worst of it decide."""
    # What an engine declines as a feature says nothing of the rest: a requirement is declined only as a whole.
    declined = [record for record in records if record.outcome is Outcome.UNSUPPORTED]
    speaking = records if len(declined) == len(records) else [one for one in records if one not in declined]
    voices: list[tuple[Outcome, str | None]] = [
        (Outcome.PASSED, None) if record.spares(entry.id) else (record.outcome, record.reason) for record in speaking
    ]
    if left_out is not None:
        # A scenario that names several requirements speaks on one that nobody asked for only where something is wrong.
        voices = [one for one in voices if one[0] in {Outcome.ERROR, Outcome.FAILED}]
        voices.append((Outcome.NOT_RUN, left_out))
    elif set_aside is not None:
        voices.append(set_aside)
    elif not expected:
        voices.append((Outcome.ERROR, "no scenario"))
    elif missing:
        absent = f"no record of {', '.join(missing)}"
        voices.append((Outcome.NOT_RUN, absent) if cut_short else (Outcome.ERROR, absent))
    if not voices:
        voices.append((Outcome.ERROR, "no record"))
    outcome = worst({what for what, _ in voices})
    reason = next((why for what, why in voices if what is outcome and why), MEANINGS[outcome].explanation)
    classes = {record.evidence_class for record in records} - {None}
    evidence: EvidenceClass | None = "reported" if "reported" in classes else "witnessed" if classes else None
    return RequirementResult(
        entry,
        outcome,
        _passed_without(declined, records) if outcome is Outcome.PASSED else reason,
        evidence,
        tuple(record.id for record in records),
        missing,
    )


def _passed_without(declined: Sequence[CheckRecord], records: Sequence[CheckRecord]) -> str | None:
    """Say which part of a requirement that passed the engine declines."""
    if not declined:
        return None
    why = sorted({record.reason or "declared unsupported" for record in declined})
    return f"{len(declined)} of {len(records)} scenarios left out: {', '.join(why)}"

"""The one place where a verdict and an exit code come from.

Exit codes, the first that applies:

====  ==================================================================================================================
4     an error of kit or driver, a fault of the run, or a control that gave something else than it had to
3     the run was cut short: whatever else it says, it is not whole
1     something failed, was untestable, or passed only on a second try
3     a filter left something out, or there is nothing to judge by (so a filtered run gives 1 or 3, never 0)
5     the baseline expects a failure that did not come, or names a check or requirement that does not exist
0     otherwise: conformant, or nonconformant by nothing but what the baseline excuses
====  ==================================================================================================================

Only the profiles that were asked for bear on the exit code; what is proposed never decides `core`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tck_reports.grading import BY_CHOICE, Grading, RequirementResult
from tck_reports.outcomes import MEANINGS, ExitCode, Outcome
from tck_reports.records import Control

Result = Literal["conformant", "nonconformant", "indeterminate"]

#: Where a driver's word is not enough for `conformant (witnessed)`: whole areas, and single requirements.
WITNESS_AREAS: Final = frozenset({"ISOLATE"})
WITNESS_REQUIREMENTS: Final = frozenset({"FALLBACK-8", "FALLBACK-9", "FALLBACK-10", "FALLBACK-11"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said of one profile; `numerator` passed of `denominator` in the frozen set of requirements."""

    result: Result
    #: Whether every pass rests on what the kit itself saw.
    witnessed: bool
    numerator: int
    denominator: int
    counts: Mapping[Outcome, int]
    #: One line: what decided it.
    why: str


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a run comes to."""

    verdicts: Mapping[str, Verdict]
    exit_code: ExitCode
    #: One line: what decided the exit code.
    why: str
    asked: tuple[str, ...]
    stale_entries: tuple[str, ...] = ()


def conclude(
    grading: Grading,
    *,
    asked: Collection[str] | None = None,
    controls: Sequence[Control] = (),
    stale_entries: Collection[str] = (),
) -> Conclusion:
    """Judge a graded run.

    `asked` are the profiles that decide the exit code (all that ran, unless given); `stale_entries` say which
    entries of the baseline are out of date, beyond those that a stale check shows.
    """
    invalid = (
        *grading.faults,
        *(
            f"control {one.name} gave {one.observed}, not {one.expected}"
            for one in controls
            if one.observed != one.expected
        ),
    )
    deciding = grading.profiles if asked is None else tuple(asked)
    verdicts = {
        profile: _verdict([one for one in grading.requirements if one.entry.profile == profile], grading, invalid)
        for profile in dict.fromkeys((*grading.profiles, *deciding))
    }
    rows = [one for one in grading.requirements if one.entry.profile in deciding]
    demands = _demands(rows, grading, invalid, [verdicts[one] for one in deciding], stale_entries)
    rank, why = min(demands, key=lambda demand: demand[0], default=(None, nothing_else(_known(rows, grading))))
    code = ExitCode.CONFORMANT if rank is None else _RANKS[rank]
    return Conclusion(verdicts, code, why, deciding, tuple(sorted(stale_entries)))


def nothing_else(known: int) -> str:
    """Say why an exit code is 0, with so many failures that the baseline excuses."""
    if not known:
        return "nothing speaks against it"
    return f"nothing failed that the baseline does not excuse ({known} known failure{'s' if known > 1 else ''})"


def _known(rows: Sequence[RequirementResult], grading: Grading) -> int:
    """Count the checks of these requirements that fail as the baseline says."""
    names = {name for row in rows for name in row.checks}
    return sum(one.outcome is Outcome.EXPECTED_FAILURE and one.id in names for one in grading.checks)


#: Exit codes in the order in which they win.
_RANKS: Final = (
    ExitCode.FAULT,
    ExitCode.INCOMPLETE,  # cut short
    ExitCode.NONCONFORMANT,
    ExitCode.INCOMPLETE,  # filtered, or nothing to judge by
    ExitCode.STALE_BASELINE,
)
_FAULT, _CUT, _FAILED, _PARTIAL, _STALE = range(len(_RANKS))
#: The rank of what a requirement's own outcome asks for; being cut short is a matter of the run.
_RANK_OF: Final[Mapping[ExitCode, int]] = {
    ExitCode.FAULT: _FAULT,
    ExitCode.NONCONFORMANT: _FAILED,
    ExitCode.INCOMPLETE: _PARTIAL,
    ExitCode.STALE_BASELINE: _STALE,
}


def _demands(
    rows: Sequence[RequirementResult],
    grading: Grading,
    invalid: Sequence[str],
    verdicts: Sequence[Verdict],
    stale_entries: Collection[str],
) -> Iterable[tuple[int, str]]:
    """Yield everything that asks for an exit code other than 0, as (rank, why)."""
    for row in rows:
        code = MEANINGS[row.outcome].exit_code
        by_choice = row.outcome is Outcome.NOT_RUN and grading.filtered is not None and row.reason in BY_CHOICE
        if code is not ExitCode.CONFORMANT and not by_choice:
            yield _RANK_OF[code], f"{row.entry.id}: {row.outcome}{f' ({row.reason})' if row.reason else ''}"
    if stale_entries:
        yield _STALE, f"the baseline is out of date: {'; '.join(sorted(stale_entries))}"
    for verdict in verdicts:
        if verdict.result == "indeterminate":
            yield _PARTIAL, verdict.why
    if grading.filtered is not None:
        yield _PARTIAL, grading.filtered
    if grading.cut_short is not None:
        yield _CUT, grading.cut_short
    for fault in invalid:
        yield _FAULT, fault


def _verdict(rows: Sequence[RequirementResult], grading: Grading, invalid: Sequence[str]) -> Verdict:
    counts = Counter(row.outcome for row in rows)
    numerator = counts[Outcome.PASSED]
    denominator = sum(times for outcome, times in counts.items() if MEANINGS[outcome].counted)
    obstacle = next(_obstacles(rows, grading, invalid, denominator), None)
    if obstacle is not None:
        result: Result = "indeterminate"
        why = obstacle
    elif numerator < denominator:
        result, why = "nonconformant", f"{denominator - numerator} of {denominator} requirements did not pass"
    else:
        result, why = "conformant", "every requirement passed"
    return Verdict(result, _witnessed(rows), numerator, denominator, dict(counts), why)


def _obstacles(
    rows: Sequence[RequirementResult], grading: Grading, invalid: Sequence[str], denominator: int
) -> Iterator[str]:
    """Yield what makes a verdict impossible, the most telling first."""
    yield from invalid
    for row in rows:
        if row.outcome is Outcome.ERROR:
            yield f"{row.entry.id}: error ({row.reason})"
    blocked = {
        requirement
        for record in grading.checks
        if record.outcome is Outcome.NOT_RUN
        for requirement in record.requirements
    }
    unseen = [row for row in rows if row.outcome is Outcome.NOT_RUN or row.entry.id in blocked or row.missing]
    if unseen:
        yield f"{len(unseen)} of {len(rows)} requirements were not run, or not wholly"
    if grading.filtered is not None:
        yield grading.filtered
    declined = sum(row.outcome is Outcome.UNSUPPORTED for row in rows)
    if declined > denominator:
        # Otherwise an engine could conform by declining whatever it does not do.
        yield f"the engine declines {declined} of {len(rows)} requirements"
    if denominator == 0:
        yield "no requirement is left to judge by"
    if not any(row.evidence for row in rows):
        yield "there is no evidence at all"


def _witnessed(rows: Sequence[RequirementResult]) -> bool:
    """Whether all passes are witnessed, and each requirement that must be witnessed is such a pass."""
    passes = [row for row in rows if row.outcome is Outcome.PASSED]
    demanding = [row for row in rows if row.entry.area in WITNESS_AREAS or row.entry.id in WITNESS_REQUIREMENTS]
    return bool(passes) and all(
        row.outcome is Outcome.PASSED and row.evidence == "witnessed" for row in (*passes, *demanding)
    )

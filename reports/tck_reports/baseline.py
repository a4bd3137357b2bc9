"""The baseline: failures that are known, by check and with a reason each; it excuses, and never hides a change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord

#: Ways of failing that no entry excuses: a crash may be any fault at all, not the one that is known.
NEVER_EXCUSED: Final = frozenset({"crashed"})


@dataclass(frozen=True, slots=True)
class Baselined:
    """Checks after the baseline was held against them, and the entries that name no check of the suite."""

    checks: tuple[CheckRecord, ...]
    unknown: tuple[str, ...]


def apply_baseline(
    checks: Iterable[CheckRecord], baseline: Mapping[str, str], known_checks: Iterable[str]
) -> Baselined:
    """Turn known failures into `expected_failure`, and listed checks that passed into `stale`.

    `baseline` maps check ids to reasons. What was not run, erred, or crashed stays as it is. An entry for a check that
    is not among `known_checks` is returned as unknown: the baseline is out of date there, too.
    """
    graded = tuple(_against(check, baseline[check.id]) if check.id in baseline else check for check in checks)
    return Baselined(graded, tuple(sorted(set(baseline) - set(known_checks))))


def _against(check: CheckRecord, why: str) -> CheckRecord:
    if check.outcome is Outcome.PASSED:
        return replace(check, outcome=Outcome.STALE, reason=f"passed, but the baseline expects a failure: {why}")
    if check.outcome is Outcome.FAILED and (check.reason or "").partition(":")[0] not in NEVER_EXCUSED:
        return replace(check, outcome=Outcome.EXPECTED_FAILURE, reason=f"{check.reason or 'failed'}; known: {why}")
    return check

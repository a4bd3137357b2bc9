"""A first baseline, made of the failures of a report: what somebody adopts the kit with, and takes entries out of.

Each entry is for one check and names the expectation that did not hold, and the step that asked for it, so it excuses
that and nothing later; a check that went on has one for each that did not. A statement alone would not do: of what a
scenario looks at after its failure a report says nothing, and a later step may look at the same.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from tck_reports.baseline.applying import USUAL, unexcusable, way
from tck_reports.baseline.entries import WAYS, encodable, pattern_of
from tck_reports.outcomes import Outcome
from tck_reports.records import Attempt, CheckRecord
from tck_reports.shape import CheckPart, Report

_FAILURES: Final = frozenset({Outcome.FAILED, Outcome.EXPECTED_FAILURE, Outcome.FLAKY})
#: What a baseline says nothing of, as nothing failed.
_FINE: Final = frozenset(
    {Outcome.PASSED, Outcome.STALE, Outcome.UNSUPPORTED, Outcome.NOT_APPLICABLE, Outcome.EXCLUDED, Outcome.NOT_RUN}
)


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a baseline, how many entries it has, and each check that no entry can excuse, with the reason."""

    text: str
    entries: int
    left_out: tuple[tuple[str, str], ...]


def first_baseline(report: Report, *, owner: str, reason: str, since: date, until: date) -> Written:
    """Write a baseline for what failed in a report; what a baseline excused there keeps its reason, owner and day.

    `until` is the last day for what is flaky.
    """
    left_out: list[tuple[str, str]] = []
    entries: list[str] = []
    lasts = {one["name"]: one["until"] for one in (report["baseline"] or {"entries": []})["entries"]}
    for check in report["checks"]:
        outcome = Outcome(check["outcome"])
        if outcome in _FINE:
            continue
        why = _refusal(check)
        if why is not None:
            left_out.append((check["id"], why))
            continue
        excuse = check["excused"] or {"name": "", "reason": reason, "owner": owner, "since": str(since)}
        last = lasts.get(excuse["name"]) or (str(until) if _flaky(check) else None)
        head = [f"[[{'flaky' if _flaky(check) else 'failure'}]]", f"check = {_quoted(check['id'])}"]
        dated = tuple(_dated(excuse["reason"], excuse["owner"], excuse["since"], last))
        entries += ["\n".join([*head, *pins, *dated]) for pins in dict.fromkeys(_pins(check))]
    engine = report["implementation"]
    title = " ".join(f"{engine['name']} {engine['version']}".split())
    heading = f"# What {_plain(title)} is known to fail. An entry that excuses nothing any more fails the run.\n"
    return Written("\n\n".join([heading.rstrip("\n"), *entries]) + "\n", len(entries), tuple(left_out))


def _flaky(check: CheckPart) -> bool:
    """Whether it passed in the end: what was flaky stays so where a baseline excuses it."""
    return check["outcome"] == Outcome.FLAKY or (
        check["outcome"] == Outcome.EXPECTED_FAILURE and (check["reason"] or "").startswith("passed on try")
    )


def _refusal(check: CheckPart) -> str | None:
    """Say why no entry can excuse a check; None where one can."""
    outcome = Outcome(check["outcome"])
    if outcome not in _FAILURES:
        return f"{outcome}: {check['reason'] or 'no reason given'}"
    record = CheckRecord(
        check["id"],
        check["scenario"],
        check["feature"],
        tuple(check["requirements"]),
        outcome,
        reason=check["reason"],
        failed_step=check["failed_step"],
        attempts=tuple(Attempt(Outcome(one["outcome"]), one["reason"]) for one in check["attempts"]),
    )
    if check["blame"] in {"driver", "kit"}:
        return f"it is the {check['blame']}'s"
    tries = [one for one in record.attempts if way(one.reason) == "crashed"] if _flaky(check) else []
    return "a crash may be any fault at all" if tries else unexcusable(record)


def _pins(check: CheckPart) -> Iterator[tuple[str, ...]]:
    """Yield for each entry of a check what narrows it down to this failure."""
    if _flaky(check):
        yield ()
        return
    word = way(check["reason"])
    fails = (f"fails = {_quoted(word)}",) if word in WAYS and word not in USUAL else ()
    broken = [one for one in check["expectations"] if not one["held"]]
    for one in broken:
        statement = f"statement = {_quoted(pattern_of(one['statement']))}"
        yield (statement, *_step(one.get("step", check["failed_step"])), *fails)
    if not broken:
        yield (*_step(check["failed_step"]), *fails)


def _step(step: str | None) -> tuple[str, ...]:
    return (f"step = {_quoted(step)}",) if step else ()


def _dated(reason: str, owner: str, since: str, until: str | None) -> Iterator[str]:
    yield f"reason = {_quoted(reason)}"
    yield f"owner = {_quoted(owner)}"
    yield f"since = {since}"
    if until is not None:
        yield f"until = {until}"


def _quoted(text: str) -> str:
    """Return a text as TOML has it."""
    return json.dumps(encodable(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in text)

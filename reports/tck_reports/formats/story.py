"""What every format says about one check in the same words: in one line, as a whole story, and what was put up with."""

from collections.abc import Mapping
from typing import Final, Literal

from tck_reports.explain import FAULT_WORDS, broken, short, value_text
from tck_reports.outcomes import Outcome
from tck_reports.plain import MAX_TEXT
from tck_reports.shape import BaselineEntryPart, CheckPart, Report, RequirementPart
from tck_reports.spared import broken_for

#: A check that claims more requirements than this is not told apart from one that claims them all.
_MOST_REQUIREMENTS: Final = 20
#: Characters of a value that is told in one line with others.
_LINE: Final = 1_000
#: No feature file has lines of higher numbers.
_MOST_DIGITS: Final = 9
#: All steps of these were run and held; what is wrong is that they did.
_ALL_HELD: Final = frozenset({Outcome.FLAKY, Outcome.STALE})

#: What became of one step in a try.
Went = Literal["held", "broke", "unreached"]


def message(outcome: str, reason: str | None, check: CheckPart | None = None) -> str:
    """Return the one line of a failure: what was expected and what came, or else the reason."""
    if outcome == Outcome.NOT_RUN:
        return outcome
    expectation = None if check is None else broken(check)
    if expectation is not None:
        expected, actual = (short(value_text(expectation[which]), _LINE) for which in ("expected", "actual"))
        return f"{expectation['statement']}: expected {expected}, got {actual}"
    return f"{outcome}: {reason}" if reason else outcome


def kind(outcome: str, reason: str | None) -> str:
    """Return the kind of a failure in one word: its reason where that is one word, its outcome otherwise."""
    return reason if outcome == Outcome.FAILED and reason and reason.isidentifier() else outcome


def story(check: CheckPart, requirements: Mapping[str, RequirementPart]) -> str:
    """Return the lines from the requirement to whose fault it is."""
    lines = [
        f"{one}: {requirements[one]['text'] if one in requirements else 'unknown'}"
        for one in broken_for(check)[:_MOST_REQUIREMENTS]
    ]
    lines.append(f"scenario: {check['scenario']} ({check['feature']})")
    if check["failed_step"]:
        lines.append(f"step: {check['failed_step']}")
    lines += looked_at(check)
    lines.append(f"outcome: {check['outcome']}" + (f" ({check['reason']})" if check["reason"] else ""))
    lines += [f"earlier try: {one}" for one in tries(check)]
    lines += [f"known failure: {one}" for one in excuses(check)]
    if check["blame"]:
        lines.append(f"fault: {FAULT_WORDS[check['blame']]}")
    return "\n".join(lines)


def place(check: CheckPart) -> tuple[str, int | None]:
    """Return the feature file of a check and the line in it, None where the report says none."""
    path, _, line = check["feature"].rpartition(":")
    known = path and line.isascii() and line.isdecimal() and len(line) <= _MOST_DIGITS and int(line) > 0
    return (path, int(line)) if known else (check["feature"], None)


def went(check: CheckPart, outcome: str, failed_step: str | None) -> list[Went]:
    """Return how far each sentence of a try came; none of them broke where the outcome is not a step's.

    One that went on after something did not hold may have several that broke; where it spares requirements, it has
    come to its end.
    """
    steps, passed = check["steps"], outcome == Outcome.PASSED
    if failed_step in steps and not passed:
        named = [failed_step, *(one.get("step") for one in check["expectations"] if not one["held"])]
        broken = {steps.index(step) for step in named if step in steps}
        last = len(steps) if check.get("failed_for") else max(broken)
        return ["broke" if at in broken else "held" if at < last else "unreached" for at in range(len(steps))]
    return ["held" if passed or outcome in _ALL_HELD else "unreached"] * len(steps)


def looked_at(check: CheckPart) -> list[str]:
    """Return, for each expectation that did not hold, what it expected, what came, and the evidence."""
    lines: list[str] = []
    for one in check["expectations"]:
        if not one["held"]:
            lines.append(f"expected: {one['statement']}: {short(value_text(one['expected']), MAX_TEXT)}")
            lines.append(f"actual: {short(value_text(one['actual']), MAX_TEXT)}")
            lines += [f"evidence ({one['evidence_class']}): {item}" for item in one["evidence"]]
    return lines


def tries(check: CheckPart) -> list[str]:
    """Return what each earlier try gave, the first one first."""
    return [f"{one['outcome']} ({one['reason']})" if one["reason"] else one["outcome"] for one in check["attempts"]]


def excuses(check: CheckPart) -> list[str]:
    """Return what the baseline says of the check: one line, or none."""
    excuse = check["excused"]
    if excuse is None:
        return []
    return [f"{excuse['name']}: {excuse['reason']} ({excuse['owner']}, since {excuse['since']})"]


def entries(report: Report) -> list[BaselineEntryPart]:
    """Return the entries of the baseline, none where there was no baseline."""
    return [] if report["baseline"] is None else report["baseline"]["entries"]


def entry_line(entry: BaselineEntryPart) -> str:
    """Return one entry of the baseline: what it excuses, why, who owns it, how long, and what became of it."""
    known = "known failure" if entry["kind"] == "failure" else "known to be flaky"
    until = f" until {entry['until']}" if entry["until"] else ""
    why = f"{entry['reason']} ({entry['owner']}, since {entry['since']}{until})"
    return f"{entry['target']} {entry['name']}, {known}: {why}; {entry['state']}"

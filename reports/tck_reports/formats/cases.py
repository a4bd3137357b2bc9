"""The report as test cases, for formats that know nothing else: one per check, and one for all that no check shows.

A requirement whose outcome is none of its checks' (no scenario, a check that never came, declared unsupported though
mandatory) is a case of the suite `requirements`; what is wrong with the run as a whole is one of the suite `run`, so
that no consumer takes a broken run for a clean one. What is excluded is no case.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tck_reports.explain import control_name
from tck_reports.formats.story import kind, message, story
from tck_reports.outcomes import MEANINGS, JUnitForm, Outcome
from tck_reports.shape import CheckPart, Report, RequirementPart


@dataclass(frozen=True, slots=True)
class Case:
    """One test case, with its texts as the report has them: each format makes them safe in its own way."""

    suite: str
    #: What it is counted under in a dotted name: an area, or `run`.
    group: str
    #: Unique in a sound report.
    name: str
    outcome: str
    form: JUnitForm
    #: One line.
    message: str
    #: One word.
    kind: str
    story: str
    check: CheckPart | None = None


def cases(report: Report) -> Iterator[Case]:
    """Yield those of the run, then those of the checks, then those of the requirements."""
    yield from _of_run(report)
    requirements = {one["id"]: one for one in report["requirements"]}
    for check in report["checks"]:
        case = _of_check(check, requirements)
        if case.form != "absent":
            yield case
    for requirement in unshown(report):
        case = _of_requirement(requirement)
        if case.form != "absent":
            yield case


def unshown(report: Report) -> Iterator[RequirementPart]:
    """Yield the requirements of the selected profiles whose outcome no check of theirs has."""
    outcomes = {check["id"]: check["outcome"] for check in report["checks"]}
    for requirement in report["requirements"]:
        shown = {outcomes.get(check) for check in requirement["checks"]}
        if requirement["profile"] in report["verdict"] and requirement["outcome"] not in shown:
            yield requirement


def _of_run(report: Report) -> Iterator[Case]:
    for item in report["faults"]:
        yield _run_case(f"fault: {item}", Outcome.ERROR, item, "fault")
    for item in report["incomplete_reasons"]:
        yield _run_case(f"complete: {item}", Outcome.NOT_RUN, item, "complete")
    for item in report["stale_entries"]:
        yield _run_case(f"baseline: {item}", Outcome.STALE, item, "baseline")
    for control in report["controls"]:
        right = control["expected"] == control["observed"]
        told = f"expected {control['expected']}, observed {control['observed']}"
        yield _run_case(
            f"control: {control_name(control)}", Outcome.PASSED if right else Outcome.ERROR, told, "control"
        )


def _run_case(name: str, outcome: Outcome, text: str, word: str) -> Case:
    line = str(outcome) if outcome is Outcome.NOT_RUN else text
    return Case("run", "run", name, str(outcome), MEANINGS[outcome].junit, line, word, text)


def _of_check(check: CheckPart, requirements: Mapping[str, RequirementPart]) -> Case:
    area = next((requirements[one]["area"] for one in check["requirements"] if one in requirements), "unknown")
    outcome, reason = check["outcome"], check["reason"]
    # The id of a scenario of the kit's ends with its name already.
    name = check["id"] if check["id"].endswith(check["scenario"]) else f"{check['scenario']} [{check['id']}]"
    return Case(
        suite=area,
        group=area,
        name=name,
        outcome=outcome,
        form=MEANINGS[Outcome(outcome)].junit,
        message=message(outcome, reason, check),
        kind=kind(outcome, reason),
        story=story(check, requirements),
        check=check,
    )


def _of_requirement(requirement: RequirementPart) -> Case:
    outcome, reason = requirement["outcome"], requirement["reason"]
    return Case(
        suite="requirements",
        group=requirement["area"],
        name=requirement["id"],
        outcome=outcome,
        form=MEANINGS[Outcome(outcome)].junit,
        message=message(outcome, reason),
        kind=kind(outcome, reason),
        story=f"{requirement['id']}: {requirement['text']}\n{outcome}: {reason}",
    )

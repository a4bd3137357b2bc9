"""Makes the tables of `docs/peers.md`: what each peer declares, and what came of its run, from the reports beside it.

`session-tck peers list --publish docs/peers.md` writes them; a test makes them anew and compares. Whatever else is on
the page is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from tck_kit.families import COURSES
from tck_kit.faults import UsageFault
from tck_kit.peers.showing import policy_of
from tck_kit.peers.table import PEERS
from tck_kit.peers.unmade import INCOMPATIBLE, NOT_OBTAINED
from tck_reports.explain import broken, findings, reproduce
from tck_reports.files import CANONICAL
from tck_reports.outcomes import Outcome
from tck_reports.policy import MEANINGS
from tck_reports.reading import read
from tck_reports.shape import Report

#: Where the reports lie, beside the page.
REPORTS: Final = Path("peers") / "reports"
#: What begins the names of capabilities that are acts of a course.
_ACT: Final = "act."
_END: Final = "<!-- end -->"
_WORDS: Final[Mapping[str, str]] = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "**failed**",
    Outcome.UNSUPPORTED: "declined",
}


def published(text: str, reports: Mapping[str, Report]) -> str:
    """Give the page with its tables made anew. Raises `UsageFault` where it has no place for one of them."""
    for name, lines in (("declared", _declared()), ("outcomes", _outcomes(reports))):
        begin = f"<!-- {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(_END)
        if not (found and ended):
            raise UsageFault(f"there is no {begin} that an {_END} follows", "the page", "give docs/peers.md")
        text = "\n".join((f"{before}{begin}", "", *lines, "", f"{_END}{after}"))
    return text


def reports_beside(page: Path) -> dict[str, Report]:
    """Read the reports that lie beside a page, by the names of their peers. Raises `ReportReadError`."""
    places = {name: page.parent / REPORTS / name / CANONICAL for name in PEERS}
    return {name: read(place) for name, place in places.items() if place.exists()}


def _declared() -> Iterator[str]:
    """Yield what the drivers declare."""
    policies = {name: policy_of(peer) for name, peer in PEERS.items()}
    yield from _head(PEERS)
    yield _line("version", [peer.version for peer in PEERS.values()])
    yield _line("profiles", [", ".join(peer.profiles) for peer in PEERS.values()])
    for field, meaning in MEANINGS.items():
        values = [policies[name].get(field, "") for name in PEERS]
        told = [value if isinstance(value, str) else ", ".join(value) for value in values]
        yield _line(f"{field}: {meaning}", [one and f"`{one}`" for one in told])


def _outcomes(reports: Mapping[str, Report]) -> Iterator[str]:
    """Yield the outcomes of all, then what failed and what was declined."""
    if not reports:
        yield "No report is there yet."
        return
    yield from _head(reports)
    yield _line("version", [one["implementation"]["version"] for one in reports.values()])
    yield _line("run on", [_day(one["run"]["finished"]) for one in reports.values()])
    yield _line("acts that it claims", [", ".join(_acts(one)) for one in reports.values()])
    for profile in COURSES.profiles:
        yield _line(f"**{profile}**", [_verdict(one, profile) for one in reports.values()])
    outcomes = [{one["id"]: one for one in report["requirements"]} for report in reports.values()]
    for name in dict.fromkeys(name for own in outcomes for name in own):
        cells = [
            _WORDS.get(own[name]["outcome"], own[name]["outcome"].replace("_", " "))
            if name in own and own[name]["profile"] in report["verdict"]
            else ""
            for own, report in zip(outcomes, reports.values(), strict=True)
        ]
        if any(cells):
            yield _line(f"`{name}`", cells)
    yield from _said(
        "What failed: the scenario, what did not hold in it, and the command that shows it.", _failed(reports)
    )
    yield from _said("What was declined, with the capability that is not claimed.", _declines(reports))


def _acts(report: Report) -> Iterator[str]:
    for name, word in report["declared"]["capabilities"].items():
        if name.startswith(_ACT) and word == "supported":
            yield f"`{name.removeprefix(_ACT)}`"


def _failed(reports: Mapping[str, Report]) -> Iterator[str]:
    for name, report in reports.items():
        for finding in findings(report):
            requirement = finding.requirement["id"]
            if finding.requirement["outcome"] != Outcome.FAILED:
                continue
            check = next(iter(finding.checks), None)
            wrong = None if check is None else broken(check)
            told = "" if check is None else f", “{check['scenario']}”"
            told += "" if wrong is None else f": {wrong['statement']}"
            yield f"- {name}, `{requirement}`{told}.\n  `{reproduce(report, requirement)}`"


def _declines(reports: Mapping[str, Report]) -> Iterator[str]:
    for name, report in reports.items():
        own = [
            f"`{one['id']}` ({(one['reason'] or 'no reason').partition(' is ')[0]})"
            for one in report["requirements"]
            if one["outcome"] == Outcome.UNSUPPORTED
        ]
        if own:
            yield f"- {name}: {', '.join(own)}."


def _said(text: str, items: Iterator[str]) -> Iterator[str]:
    """Yield a list with what it is of; nothing where it is empty."""
    lines = list(items)
    if lines:
        yield from ("", text, "", *lines)


def _verdict(report: Report, profile: str) -> str:
    verdict = report["verdict"].get(profile)
    if verdict is None:
        return "not claimed"
    reasons = {one["reason"] for one in report["requirements"] if one["profile"] == profile}
    why = {(reason or "").partition(":")[0] for reason in reasons}
    if why <= {NOT_OBTAINED, INCOMPATIBLE}:
        return why.pop()
    return f"{verdict['result']}, {verdict['numerator']} of {verdict['denominator']}"


def _day(instant: str) -> str:
    day = datetime.fromisoformat(instant)
    return f"{day.day} {day:%B %Y}"


def _head(names: Mapping[str, object]) -> Iterator[str]:
    yield _line("", list(names))
    yield f"|{'---|' * (len(names) + 1)}"


def _line(first: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join((first, *(cell or '–' for cell in cells)))} |"

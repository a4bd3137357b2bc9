"""One report, as much of it as a matrix shows: checked, bounded, and small enough to send between processes.

Whatever an engine supplied is made visible and cut here, once, so that nothing behind this module has to.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from tck_reports.errors import ReportReadError
from tck_reports.explain import broken, findings, reproduce
from tck_reports.matrix import versions
from tck_reports.matrix.model import ABSENCES, ABSENT, SIGNS, Absence, Column, ProfileVerdict, Result
from tck_reports.outcomes import Outcome
from tck_reports.plain import visible
from tck_reports.shape import Report, RequirementPart, RunPart, VerdictPart

#: Characters of a name, of a line, and of a requirement's text.
SHORT: Final = 120
LINE: Final = 300
TEXT: Final = 4_000
#: More requirements, or profiles, than any specification has.
MAX_REQUIREMENTS: Final = 2_000
MAX_PROFILES: Final = 20

MUTANT: Final = "mutant:"
#: The reason of what failed because an expectation did not hold.
_ASSERTION: Final = "assertion"
_NO_EDIT: Final = "run again; reports are not edited"


@dataclass(frozen=True, slots=True)
class Given:
    """What one report says, with its cells in the order of its own columns."""

    source: str
    digest: str
    #: As the report has it: what tells engines apart. `name` is for people.
    identity: str
    name: str
    version: str
    #: What versions are sorted by.
    order: tuple[versions.Part, ...]
    language: str
    homepage: str
    faulty: bool
    transport: str
    surroundings: str
    asked: str
    spec: str
    spec_version: str
    set_digest: str
    kit_version: str
    suite_digest: str
    started: str
    finished: str
    seed: int
    complete: bool
    obstacles: tuple[str, ...]
    shard: str | None
    regraded: str | None
    retries: int
    exit_code: int
    exit_reason: str
    verdicts: tuple[ProfileVerdict, ...]
    columns: tuple[Column, ...]
    cells: str
    evidence: str
    reasons: tuple[tuple[str, str], ...]
    page: str | None = None
    claims: tuple[str, ...] = ()
    capabilities: tuple[tuple[str, str], ...] = ()
    policy: tuple[tuple[str, str], ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    absence: Absence | None = None
    #: All profiles of its family, where its specification has several families of them; see `related`.
    family: tuple[str, ...] = ()


def condense(report: Report, source: str, page: str | None = None) -> Given:
    """Return what the matrix shows of a report; ReportReadError where it cannot be shown.

    The report is one that `reading.decode` has let through. `page` is where the whole report stands in the site.
    """
    made, run = report["implementation"], report["run"]
    fault = versions.fault_of(made["version"])
    if fault is not None:
        raise ReportReadError(visible(fault), source, "let the engine state its release or its commit, and run again")
    if len(report["requirements"]) > MAX_REQUIREMENTS or len(report["verdict"]) > MAX_PROFILES:
        raise ReportReadError(
            f"has more than {MAX_REQUIREMENTS} requirements or {MAX_PROFILES} profiles",
            source,
            "split the specification",
        )
    absence = _absence(report)
    return Given(
        source=source,
        digest=report["digest"],
        identity=made["name"],
        name=line(made["name"], SHORT) or "unnamed engine",
        version=line(made["version"], SHORT),
        order=versions.order(made["version"]),
        language=line(made["language"], SHORT),
        homepage=address(made["homepage"]),
        faulty=run["engine"].startswith(MUTANT),
        transport=line(run["transport"], SHORT),
        surroundings=surroundings(run),
        asked=line(run["engine"]),
        spec=line(report["spec"]["id"], SHORT),
        spec_version=line(report["spec"]["version"], SHORT),
        set_digest=line(report["spec"]["set_digest"], SHORT),
        kit_version=line(report["kit"]["version"], SHORT),
        suite_digest=line(report["kit"]["suite_digest"], SHORT),
        started=moment(run["started"], "run.started", source),
        finished=moment(run["finished"], "run.finished", source),
        seed=run["seed"],
        complete=report["complete"],
        obstacles=tuple(line(one) for one in (*report["incomplete_reasons"], *report["faults"])[:20]),
        shard=None if run["shard"] is None else f"{run['shard']['number']}/{run['shard']['count']}",
        regraded=None if run["regraded"] is None else line(run["regraded"]["kit"], SHORT),
        retries=run["retries"],
        exit_code=report["exit_code"],
        exit_reason=line(report["exit_reason"]),
        verdicts=tuple(_verdict(profile, verdict, report) for profile, verdict in report["verdict"].items()),
        columns=_columns(report["requirements"], source),
        cells="".join(
            ABSENT
            if _unasked(one, report)
            # A driver that does not fit its engine has run nothing, and that is nobody's failure.
            else SIGNS[Outcome.NOT_RUN if absence else Outcome(one["outcome"])]
            for one in report["requirements"]
        ),
        evidence="".join((one["evidence"] or "-")[0] for one in report["requirements"]),
        reasons=tuple(_reasons(report)),
        page=page,
        claims=tuple(line(one, SHORT) for one in report["declared"]["profiles"][:MAX_PROFILES]),
        capabilities=tuple(
            (line(name, SHORT), line(word, SHORT))
            for name, word in islice(report["declared"]["capabilities"].items(), MAX_REQUIREMENTS)
        ),
        policy=tuple(_policy(report)),
        commands=tuple(
            (line(one["id"], SHORT), line(reproduce(report, one["id"])))
            for one in report["requirements"]
            if one["outcome"] == Outcome.FAILED
        ),
        absence=absence,
    )


def _reasons(report: Report) -> Iterator[tuple[str, str]]:
    """Yield why each requirement did not pass; where an expectation did not hold, that one."""
    wrong = {one.requirement["id"]: broken(one.checks[0]) for one in findings(report) if one.checks}
    for one in report["requirements"]:
        if one["outcome"] != "passed" and not _unasked(one, report):
            expectation = wrong.get(one["id"]) if one["reason"] == _ASSERTION else None
            told = one["reason"] or "" if expectation is None else f"did not hold: {expectation['statement']}"
            yield line(one["id"], SHORT), line(told)


def _policy(report: Report) -> Iterator[tuple[str, str]]:
    """Yield by which rules of its own the engine resumes, each with its name."""
    for name, value in islice(report["declared"].get("policy", {}).items(), MAX_PROFILES):
        yield line(name, SHORT), line(value if isinstance(value, str) else ", ".join(value[:MAX_PROFILES]), SHORT)


def _absence(report: Report) -> Absence | None:
    """Return why nothing at all was run, where that was seen before anything was."""
    asked = [one for one in report["requirements"] if one["profile"] in report["verdict"]]
    reasons = {_said(one) for one in asked}
    return next((word for word in ABSENCES if reasons == {(ABSENCES[word], word)}), None)


def _said(requirement: RequirementPart) -> tuple[str, str]:
    """Return an outcome with what stands before the colon of its reason."""
    return requirement["outcome"], (requirement["reason"] or "").partition(":")[0]


def _unasked(requirement: RequirementPart, report: Report) -> bool:
    """Whether nobody asked for it: its profile was not run, so that it is neither open nor missing."""
    return requirement["outcome"] == Outcome.NOT_RUN and requirement["profile"] not in report["verdict"]


def line(text: str, length: int = LINE) -> str:
    """Return the text on one line, without anything that a reader would not see, cut at this many characters."""
    # What is far too long is cut first: spelling out ten million characters would take as long as the whole site.
    shown = " ".join(visible(" ".join(text[: 2 * length].split())).split())
    return shown if len(shown) <= length else f"{shown[: length - 1]}…"


def address(text: str) -> str:
    """Return the address if it is one of http or https that a link can lead to, otherwise nothing."""
    if not 0 < len(text) <= LINE or not text.isascii() or not text.isprintable() or {*text} & {*' "<>\\^`{|}'}:
        return ""
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 -- raises where it is no number
    except ValueError:
        return ""
    return text if parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc else ""


def moment(text: str, what: str, source: str) -> str:
    """Return an ISO 8601 time with an offset in UTC, to the second."""
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            raise ValueError("it has no offset")  # noqa: TRY301 -- one way out for all that is wrong with it
        return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError) as error:
        raise ReportReadError(f"{what} is no time: {line(text, 40)!r}", source, _NO_EDIT) from error


def surroundings(run: RunPart) -> str:
    """Return the real parts that the engine met, empty where all were the kit's stand-ins."""
    met = run["surroundings"]
    real = (
        None if met["containers"] in {"stand-in", "none"} else "real containers",
        None if met["clis"] == "stand-ins" else "real CLIs",
    )
    return ", ".join(one for one in real if one is not None)


def _verdict(profile: str, verdict: VerdictPart, report: Report) -> ProfileVerdict:
    """Return what may be shown: a run that was not whole says what it found, but conforms to nothing."""
    result: Result = "indeterminate"
    why = verdict["why"]
    if verdict["result"] == "nonconformant":
        result = "nonconformant"
    elif verdict["result"] == "conformant":
        obstacle = next(iter((*report["faults"], *report["incomplete_reasons"])), None)
        if report["run"]["shard"] is not None:
            obstacle = obstacle or "one part of a run that was shared out"
        if obstacle is None:
            result = "conformant"
        else:
            why = obstacle
    return ProfileVerdict(
        line(profile, SHORT), result, verdict["witnessed"], verdict["numerator"], verdict["denominator"], line(why)
    )


def _columns(requirements: list[RequirementPart], source: str) -> tuple[Column, ...]:
    columns = tuple(
        _column(
            one["id"][:LINE],
            one["area"][:LINE],
            one["level"],
            one["status"][:LINE],
            one["profile"][:LINE],
            one["section"][:LINE],
            one["anchor"][:LINE],
            one["text"][: 2 * TEXT],
            one["text_digest"][:LINE],
        )
        for one in requirements
    )
    if len({one.id for one in columns}) < len(columns):
        raise ReportReadError("names a requirement twice", source, _NO_EDIT)
    return columns


@lru_cache(maxsize=2 * MAX_REQUIREMENTS)
def _column(  # noqa: PLR0917 -- a cache knows values by their places
    name: str, area: str, level: str, status: str, profile: str, section: str, anchor: str, text: str, text_digest: str
) -> Column:
    """Most reports have the same requirements: each is cleaned once, and goes once between two processes."""
    return Column(
        id=line(name, SHORT),
        area=line(area, SHORT),
        level=level,
        status=line(status, SHORT),
        profile=line(profile, SHORT),
        section=line(section, SHORT),
        anchor=line(anchor, SHORT),
        text=line(text, TEXT),
        text_digest=line(text_digest, SHORT),
    )

"""Merging the reports of the parts of a run into the one that the whole run would have given.

Every part names all scenarios of the run and says of those that are not its own `not_run (shard)`. So what is merged is
known to be the whole without a look at any suite: nothing is counted twice, and nothing that no part has run can pass.
Grading and verdict are made anew from the checks, by the code that grades a run.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import cast

from tck_reports.baseline.applying import Ground, outdated, states
from tck_reports.grading import BY_CHOICE, SHARD, Grading, grade
from tck_reports.outcomes import Outcome
from tck_reports.parts import Part, choice, whole
from tck_reports.reading import entry_of
from tck_reports.records import (
    Artifact,
    Attempt,
    BaselineEntry,
    Blame,
    CheckRecord,
    Control,
    Declaration,
    EvidenceClass,
    Excuse,
    Expectation,
    Implementation,
    KitFacts,
    MergedOf,
    NotExercised,
    RequirementEntry,
    RunFacts,
    SpecFacts,
    Surroundings,
    UsedBaseline,
)
from tck_reports.report import build, content_digest
from tck_reports.shape import CheckPart, Report
from tck_reports.verdict import conclude


def merge(parts: Sequence[Part], *, allow_missing: bool = False, artifacts: Sequence[Artifact] = ()) -> Report:
    """Return the report of the whole run; ReportReadError where these are not the parts of one.

    With `allow_missing` parts may be missing; what they would have run is `not_run`, and the report is not complete.
    `artifacts` are of the whole; those of the parts are not.
    """
    parts, absent = whole(parts, allow_missing=allow_missing)
    graded = _graded(parts, absent)
    first = parts[0].report
    controls = _controls(parts)
    baseline = _baseline(parts, graded)
    conclusion = conclude(
        graded,
        asked=first["run"]["asked"],
        controls=controls,
        stale_entries=() if baseline is None else outdated(baseline.entries),
    )
    report = build(
        kit=KitFacts(**first["kit"]),
        spec=SpecFacts(**first["spec"]),
        implementation=Implementation(**first["implementation"]),
        declared=Declaration(
            tuple(first["declared"]["profiles"]), first["declared"]["capabilities"], first["declared"].get("policy")
        ),
        run=_run(parts),
        grading=graded,
        conclusion=conclusion,
        controls=controls,
        killed=_killed(parts, controls),
        artifacts=artifacts,
        baseline=baseline,
    )
    # Each part has counted what it took out; here nothing is left to take out.
    report["redactions"] = sum(part.report["redactions"] for part in parts)
    report["digest"] = content_digest(report)
    return report


def records_of(report: Report) -> tuple[CheckRecord, ...]:
    """Return the checks of a report as the values that they were made of."""
    return tuple(_record(check) for check in report["checks"])


def entries_of(report: Report) -> tuple[RequirementEntry, ...]:
    """Return the requirements of a report as the entries of the set that it was graded by."""
    return tuple(entry_of(one) for one in report["requirements"])


def _record(check: CheckPart) -> CheckRecord:
    excused = check["excused"]
    return CheckRecord(
        id=check["id"],
        scenario=check["scenario"],
        feature=check["feature"],
        requirements=tuple(check["requirements"]),
        outcome=Outcome(check["outcome"]),
        reason=check["reason"],
        # The schema holds both to the words that these types have.
        blame=cast("Blame | None", check["blame"]),
        expectations=tuple(
            Expectation(
                one["statement"],
                one["expected"],
                one["actual"],
                one["held"],
                cast("EvidenceClass", one["evidence_class"]),
                tuple(one["evidence"]),
                tuple(one.get("requirements", ())),
                one.get("step"),
            )
            for one in check["expectations"]
        ),
        duration_ms=check["duration_ms"],
        steps=tuple(check["steps"]),
        failed_step=check["failed_step"],
        attempts=tuple(Attempt(Outcome(one["outcome"]), one["reason"]) for one in check["attempts"]),
        excused=None if excused is None else Excuse(**excused),
        failed_for=tuple(check.get("failed_for", ())),
    )


def _graded(parts: Sequence[Part], absent: Sequence[int]) -> Grading:
    first = parts[0].report
    lost = {check for part in parts for check in part.report["missing_checks"]}
    records = {check["id"]: _record(check) for part in parts for check in part.own}
    left = {one.id: one for one in records_of(first) if one.id not in records and one.id not in lost}
    chosen = choice(first)
    graded = grade(
        entries_of(first),
        sorted((*records.values(), *left.values()), key=_place),
        _expected(parts),
        profiles=first["run"]["profiles"],
        only=None if chosen is None else _only(parts),
        cut_short=_cut_short(parts),
        faults=tuple(fault for part in parts for fault in part.report["faults"]),
    )
    count = parts[0].shard["count"]
    told = [chosen] if chosen is not None else []
    if absent:
        told.append(f"merged without part {', '.join(map(str, absent))} of {count}")
    return replace(
        graded,
        faults=tuple(dict.fromkeys(graded.faults)),
        filtered="; ".join(told) or (graded.filtered if left else None),
    )


def _place(record: CheckRecord) -> tuple[str, int, str]:
    """Order checks as a reader meets their scenarios: by file and line."""
    path, _, line = record.feature.rpartition(":")
    return path, int(line) if line.isdecimal() else 0, record.id


def _expected(parts: Iterable[Part]) -> Mapping[str, set[str]]:
    """Return the requirements of every check that the suite has of what was chosen."""
    expected: dict[str, set[str]] = {}
    for part in parts:
        for row in part.report["requirements"]:
            for check in (*row["checks"], *row["missing"]):
                expected.setdefault(check, set()).add(row["id"])
    return expected


def _baseline(parts: Sequence[Part], graded: Grading) -> UsedBaseline | None:
    """Return what became of the baseline in the whole run, which no part has seen.

    Each part has excused its own checks. Whether a requirement still fails is told from the checks of all parts.
    Whether there is anything of a name, the parts know better: they have read the suite.
    """
    first = parts[0].report["baseline"]
    if first is None:
        return None
    told = {
        (one["kind"], one["target"], one["name"], one["state"])
        for part in parts
        for one in (part.report["baseline"] or first)["entries"]
    }
    entries = [
        BaselineEntry(
            kind="flaky" if one["kind"] == "flaky" else "failure",
            target="check" if one["target"] == "check" else "requirement",
            name=one["name"],
            reason=one["reason"],
            owner=one["owner"],
            since=one["since"],
            until=one["until"],
        )
        for one in first["entries"]
    ]
    known = {one.name for one in entries if (one.kind, one.target, one.name, "unknown") not in told}
    ground = Ground({**_expected(parts), **_unselected(parts)}, known, known)
    latest = max(part.report["run"]["started"] for part in parts)
    used = states(entries, graded.checks, ground, date.fromisoformat(latest[:10]))
    return UsedBaseline(
        first["digest"],
        tuple(
            replace(
                one,
                state="expired"
                if one.state == "unused" and (one.entry.kind, one.entry.target, one.entry.name, "expired") in told
                else one.state,
                statement=stated["statement"],
                fails=stated["fails"],
                step=stated["step"],
            )
            for one, stated in zip(used, first["entries"], strict=True)
        ),
    )


def _unselected(parts: Iterable[Part]) -> Mapping[str, tuple[str]]:
    """Return a check that nobody ran for each requirement that was left out: of those not all is known that fails."""
    return {
        f"{row['id']} was left out": (row["id"],)
        for part in parts
        for row in part.report["requirements"]
        if row["outcome"] == Outcome.NOT_RUN and row["reason"] in BY_CHOICE - {SHARD}
    }


def _only(parts: Iterable[Part]) -> frozenset[str]:
    """Return the requirements that were asked for: those of which no part says that a filter left them out.

    Of one that was left out a part tells the failures all the same; that it lacks a record is then no error.
    """
    named: set[str] = set()
    left: set[str] = set()
    for part in parts:
        whole_part = part.report["run"]["cut_short"] is None
        for row in part.report["requirements"]:
            named.add(row["id"])
            forgiven = row["outcome"] == Outcome.FAILED and bool(row["missing"]) and whole_part
            if forgiven or (row["outcome"] == Outcome.NOT_RUN and row["reason"] == "filter"):
                left.add(row["id"])
    return frozenset(named - left)


def _cut_short(parts: Iterable[Part]) -> str | None:
    told = [
        f"part {part.shard['number']}: {why}" for part in parts if (why := part.report["run"]["cut_short"]) is not None
    ]
    return "; ".join(told) or None


def _controls(parts: Iterable[Part]) -> tuple[Control, ...]:
    """Return every control once; where one was not what it had to be in some part, as it was there."""
    found: dict[str, Control] = {}
    for part in parts:
        for one in part.report["controls"]:
            control = Control(**one)
            held = found.setdefault(control.name, control)
            if held.observed == held.expected:
                found[control.name] = control
    return tuple(found.values())


def _killed(parts: Sequence[Part], controls: Iterable[Control]) -> Mapping[str, Sequence[str]]:
    """Return the faulty engines that were told from a right one in every part that tried them, by requirement."""
    right = {one.name for one in controls if one.observed == one.expected}
    killed: dict[str, dict[str, None]] = {}
    for part in parts:
        for row in part.report["requirements"]:
            killed.setdefault(row["id"], {}).update((name, None) for name in row["killed"] if name in right)
    return {requirement: tuple(names) for requirement, names in killed.items()}


def _run(parts: Sequence[Part]) -> RunFacts:
    """Return how the whole was run. All times that the kit writes are UTC and of one form, so they sort as text."""
    runs = [part.report["run"] for part in parts]
    first, met = runs[0], runs[0]["surroundings"]
    hosts = [(name, value) for run in runs for name, value in run["host"].items()]
    enforced = all(run["surroundings"]["isolation"] == "enforced" for run in runs)
    return RunFacts(
        seed=first["seed"],
        argv=tuple(_without_shard(first["argv"])),
        started=min(run["started"] for run in runs),
        finished=max(run["finished"] for run in runs),
        host={
            name: ", ".join(sorted({value for key, value in hosts if key == name}))
            for name in dict.fromkeys(dict(hosts))
        },
        workers=sum(run["workers"] for run in runs),
        transport=first["transport"],
        budgets={name: max(run["budgets"].get(name, 0.0) for run in runs) for run in runs for name in run["budgets"]},
        surroundings=Surroundings(
            containers=met["containers"],
            isolation="enforced" if enforced else "recorded",
            clis=met["clis"],
            database=met["database"],
            not_exercised=tuple(NotExercised(**one) for one in met["not_exercised"]),
        ),
        engine=first["engine"],
        parts=tuple(
            MergedOf(part.report["digest"], part.shard["number"], run["started"], run["finished"])
            for part, run in zip(parts, runs, strict=True)
        ),
        retries=first["retries"],
    )


def _without_shard(argv: Iterable[str]) -> Iterator[str]:
    """Yield the words of the command that would have run the whole."""
    words = iter(argv)
    for word in words:
        if word == "--shard":
            next(words, None)
        elif not word.startswith("--shard="):
            yield word

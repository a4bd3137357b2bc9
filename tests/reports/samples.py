"""Small made-up requirements, checks and runs for the tests of this folder."""

from collections.abc import Collection, Mapping, Sequence

from tck_reports.grading import Grading, grade
from tck_reports.outcomes import Outcome
from tck_reports.records import (
    Artifact,
    Blame,
    CheckRecord,
    Control,
    Declaration,
    EvidenceClass,
    Expectation,
    Implementation,
    KitFacts,
    NotExercised,
    RequirementEntry,
    RunFacts,
    SpecFacts,
    Surroundings,
    UsedBaseline,
)
from tck_reports.report import build
from tck_reports.shape import Report
from tck_reports.verdict import conclude

DIGEST = f"sha256:{'0' * 64}"
#: An engine that met stand-ins for containers and CLIs, and a real database.
MET = Surroundings(
    database="PostgreSQL",
    not_exercised=(NotExercised("a real container engine", "session-tck run --runtime docker"),),
)


def entry(name: str, *, status: str = "agreed", level: str = "MUST", text: str | None = None) -> RequirementEntry:
    area = name.rpartition("-")[0]
    return RequirementEntry(
        id=name,
        area=area,
        level=level,
        status=status,
        profile={"agreed": "core", "proposed": "hardened"}.get(status, status),
        section="16.5",
        anchor=name.lower(),
        text=text or f"The engine {level} do what {name} says.",
        text_digest=DIGEST,
    )


def held(evidence_class: EvidenceClass = "witnessed") -> Expectation:
    return Expectation(
        statement="the id that the CLI was given",
        expected="s-1",
        actual="s-1",
        held=True,
        evidence_class=evidence_class,
        evidence=("argv: claude --resume s-1",),
    )


def broke(expected: object = "s-1", actual: object = "s-2") -> Expectation:
    return Expectation(
        statement="the id that the CLI was given",
        expected=expected,
        actual=actual,
        held=False,
        evidence_class="witnessed",
        evidence=("argv: claude --resume s-2",),
    )


def check(
    name: str,
    *requirements: str,
    outcome: Outcome = Outcome.PASSED,
    reason: str | None = None,
    blame: Blame | None = None,
    expectations: Sequence[Expectation] | None = None,
    scenario: str | None = None,
    steps: Sequence[str] = ("Given an engine", "When a second run is due", "Then it resumes"),
) -> CheckRecord:
    if expectations is None:
        expectations = {Outcome.PASSED: (held(),), Outcome.STALE: (held(),), Outcome.FAILED: (broke(),)}.get(
            outcome, ()
        )
    failed = outcome is Outcome.FAILED
    return CheckRecord(
        id=name,
        scenario=scenario or f"What {name} looks at",
        feature=f"features/scenarios/area/{name}.feature:12",
        requirements=requirements,
        outcome=outcome,
        reason=reason or ("assertion" if failed else None),
        blame=blame or ("engine" if failed else None),
        expectations=tuple(expectations),
        duration_ms=12.5,
        steps=tuple(steps),
        failed_step=steps[-1] if failed and steps else None,
    )


def graded(
    entries: Sequence[RequirementEntry],
    checks: Sequence[CheckRecord],
    expected: Mapping[str, Collection[str]] | None = None,
    *,
    profiles: Collection[str] = ("core",),
    only: Collection[str] | None = None,
    excluded: Mapping[str, str] | None = None,
    cut_short: str | None = None,
) -> Grading:
    """Grade with the suite that the checks themselves claim, unless another is given."""
    suite = {record.id: record.requirements for record in checks} if expected is None else expected
    return grade(
        entries,
        checks,
        suite,
        profiles=profiles,
        only=only,
        excluded=excluded or {},
        cut_short=cut_short,
    )


def report_of(
    grading: Grading,
    *,
    asked: Collection[str] | None = None,
    controls: Sequence[Control] = (Control("silent engine", "failed", "failed"),),
    stale_entries: Sequence[str] = (),
    argv: Sequence[str] = ("session-tck", "run", "--engine", "sim"),
    name: str = "simulator",
    secrets: Sequence[str] = (),
    redactions: int = 0,
    surroundings: Surroundings = MET,
    baseline: UsedBaseline | None = None,
) -> Report:
    return build(
        kit=KitFacts("0.1.0", DIGEST),
        spec=SpecFacts("session-resume", "1.0.0", DIGEST, DIGEST),
        implementation=Implementation(name, "0.1.0", "python", "https://engine.example"),
        declared=Declaration(("core",), {"agent.claude-code": "supported", "agent.grok-build": "unsupported"}),
        run=RunFacts(
            seed=42,
            argv=tuple(argv),
            started="2026-01-02T03:04:05+00:00",
            finished="2026-01-02T03:05:05+00:00",
            host={"system": "Linux", "python": "3.11.7"},
            workers=2,
            transport="stdio",
            budgets={"run": 600.0, "scenario": 20.0},
            surroundings=surroundings,
        ),
        grading=grading,
        conclusion=conclude(grading, asked=asked, controls=controls, stale_entries=stale_entries),
        controls=controls,
        killed={"RESUME-1": ("never resumes", "resumes by name")},
        artifacts=(Artifact("witness.jsonl", DIGEST),),
        baseline=baseline,
        secrets=secrets,
        redactions=redactions,
    )


def mixed_report() -> Report:
    """Return the report of a run in which every outcome occurs."""
    outcomes = [outcome for outcome in Outcome if outcome is not Outcome.PASSED]
    entries = [
        entry("RESUME-1"),
        *(entry(f"RESUME-{place + 2}", level="SHOULD") for place in range(len(outcomes))),
        entry("RESUME-90"),
        entry("FALLBACK-8", status="proposed"),
    ]
    checks = [
        check("resumes", "RESUME-1"),
        *(
            check(f"gives_{outcome}", f"RESUME-{place + 2}", outcome=outcome, reason=f"because of {outcome}")
            for place, outcome in enumerate(outcomes)
        ),
        check("falls_back", "FALLBACK-8"),
    ]
    return report_of(graded(entries, checks, profiles=("core", "hardened")))


def large_run(requirements: int = 130, checks: int = 350) -> Grading:
    """Return a run of the size that the suite has, one check in nine failed."""
    areas = ("NAME", "RESUME", "FALLBACK", "OFF", "ISOLATE", "CLEAN", "CONTRACT", "CAPABILITY", "RECORD")
    entries = [
        entry(f"{areas[place % len(areas)]}-{place // len(areas) + 1}", status="proposed" if place % 2 else "agreed")
        for place in range(requirements)
    ]
    records = [
        check(
            f"check_{place}",
            entries[place % requirements].id,
            outcome=Outcome.FAILED if place % 9 == 0 else Outcome.PASSED,
            expectations=(held(), held(), broke()) if place % 9 == 0 else (held(), held(), held()),
        )
        for place in range(checks)
    ]
    return graded(entries, records, profiles=("core", "hardened"))

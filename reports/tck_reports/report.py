"""The canonical report, built once: every format is rendered from it."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

from tck_reports.grading import Grading, RequirementResult
from tck_reports.outcomes import Outcome
from tck_reports.plain import Plainer
from tck_reports.records import (
    Artifact,
    CheckRecord,
    Control,
    Declaration,
    Excuse,
    Expectation,
    Implementation,
    KitFacts,
    RunFacts,
    SpecFacts,
    Surroundings,
    UsedBaseline,
)
from tck_reports.shape import (
    SCHEMA_ID,
    BaselinePart,
    CheckPart,
    DeclaredPart,
    ExcusePart,
    ExpectationPart,
    Report,
    RequirementPart,
    RunPart,
    SurroundingsPart,
    VerdictPart,
)
from tck_reports.verdict import Conclusion

_NOTHING: Final[Mapping[str, Sequence[str]]] = {}


def build(
    *,
    kit: KitFacts,
    spec: SpecFacts,
    implementation: Implementation,
    declared: Declaration,
    run: RunFacts,
    grading: Grading,
    conclusion: Conclusion,
    controls: Sequence[Control] = (),
    killed: Mapping[str, Sequence[str]] = _NOTHING,
    artifacts: Sequence[Artifact] = (),
    baseline: UsedBaseline | None = None,
    secrets: Sequence[str] = (),
    redactions: int = 0,
) -> Report:
    """Return the content of `report.json`.

    `killed` maps requirement ids to the faulty engines that their checks told from a right one; `secrets` are replaced
    wherever they occur, and counted on top of the `redactions` made before.
    """
    plainer = Plainer(secrets)
    report: Report = {
        "schema": SCHEMA_ID,
        "digest": "",
        "kit": {"version": plainer.text(kit.version), "suite_digest": plainer.text(kit.suite_digest)},
        "spec": {
            "id": plainer.text(spec.id),
            "version": plainer.text(spec.version),
            "digest": plainer.text(spec.digest),
            "set_digest": plainer.text(spec.set_digest),
        },
        "implementation": {
            "name": plainer.text(implementation.name),
            "version": plainer.text(implementation.version),
            "language": plainer.text(implementation.language),
            "homepage": plainer.text(implementation.homepage),
        },
        "declared": _declared(declared, plainer),
        "run": _run(run, grading, conclusion, plainer),
        "complete": not grading.incomplete_reasons,
        "incomplete_reasons": plainer.texts(grading.incomplete_reasons),
        "faults": plainer.texts(grading.faults),
        "controls": [
            {
                "name": plainer.text(one.name),
                "expected": plainer.text(one.expected),
                "observed": plainer.text(one.observed),
                "sin": plainer.text(one.sin),
            }
            for one in controls
        ],
        "verdict": verdict_parts(conclusion, plainer),
        "exit_code": int(conclusion.exit_code),
        "exit_reason": plainer.text(conclusion.why),
        "baseline": None if baseline is None else _baseline(baseline, plainer),
        "stale_entries": plainer.texts(conclusion.stale_entries),
        "requirements": [_requirement(one, killed.get(one.entry.id, ()), plainer) for one in grading.requirements],
        "checks": [_check(one, plainer) for one in grading.checks],
        "missing_checks": plainer.texts(grading.missing),
        "artifacts": [{"path": plainer.text(one.path), "digest": plainer.text(one.digest)} for one in artifacts],
        "redactions": 0,
    }
    report["redactions"] = redactions + plainer.redactions
    report["digest"] = content_digest(report)
    return report


def _declared(declared: Declaration, plainer: Plainer) -> DeclaredPart:
    part: DeclaredPart = {
        "profiles": plainer.texts(declared.profiles),
        "capabilities": {plainer.text(name): plainer.text(word) for name, word in declared.capabilities.items()},
    }
    if declared.policy is not None:
        part["policy"] = {
            plainer.text(name): plainer.text(value) if isinstance(value, str) else plainer.texts(value)
            for name, value in declared.policy.items()
        }
    return part


def _run(run: RunFacts, grading: Grading, conclusion: Conclusion, plainer: Plainer) -> RunPart:
    return {
        "seed": run.seed,
        "argv": plainer.texts(run.argv),
        "engine": plainer.text(run.engine),
        "started": plainer.text(run.started),
        "finished": plainer.text(run.finished),
        "host": {plainer.text(name): plainer.text(value) for name, value in run.host.items()},
        "workers": run.workers,
        "shard": None if run.shard is None else {"number": run.shard.number, "count": run.shard.count},
        "parts": [
            {
                "digest": plainer.text(one.digest),
                "number": one.number,
                "started": plainer.text(one.started),
                "finished": plainer.text(one.finished),
            }
            for one in run.parts
        ],
        "retries": run.retries,
        "regraded": None
        if run.regraded is None
        else {"trace": run.regraded.trace, "kit": plainer.text(run.regraded.kit), "report": run.regraded.report},
        "transport": plainer.text(run.transport),
        "surroundings": _surroundings(run.surroundings, plainer),
        "budgets": {plainer.text(name): value for name, value in run.budgets.items()},
        "profiles": plainer.texts(grading.profiles),
        "asked": plainer.texts(conclusion.asked),
        "filtered": None if grading.filtered is None else plainer.text(grading.filtered),
        "cut_short": None if grading.cut_short is None else plainer.text(grading.cut_short),
    }


def _surroundings(met: Surroundings, plainer: Plainer) -> SurroundingsPart:
    return {
        "containers": plainer.text(met.containers),
        "isolation": met.isolation,
        "clis": plainer.text(met.clis),
        "database": plainer.text(met.database),
        "not_exercised": [{"part": plainer.text(one.part), "how": plainer.text(one.how)} for one in met.not_exercised],
    }


def _baseline(baseline: UsedBaseline, plainer: Plainer) -> BaselinePart:
    return {
        "digest": baseline.digest,
        "entries": [
            {
                "kind": one.entry.kind,
                "target": one.entry.target,
                "name": plainer.text(one.entry.name),
                "reason": plainer.text(one.entry.reason),
                "owner": plainer.text(one.entry.owner),
                "since": one.entry.since,
                "until": one.entry.until,
                "state": one.state,
                "checks": plainer.texts(one.checks),
                "statement": None if one.statement is None else plainer.text(one.statement),
                "fails": one.fails,
                "step": None if one.step is None else plainer.text(one.step),
            }
            for one in baseline.entries
        ],
    }


def verdict_parts(conclusion: Conclusion, plainer: Plainer) -> dict[str, VerdictPart]:
    """Return the verdicts, by profile."""
    return {
        profile: {
            "result": verdict.result,
            "witnessed": verdict.witnessed,
            "numerator": verdict.numerator,
            "denominator": verdict.denominator,
            "counts": {str(outcome): times for outcome in Outcome if (times := verdict.counts.get(outcome, 0))},
            "why": plainer.text(verdict.why),
        }
        for profile, verdict in conclusion.verdicts.items()
    }


def _requirement(result: RequirementResult, killed: Sequence[str], plainer: Plainer) -> RequirementPart:
    entry = result.entry
    return {
        "id": entry.id,
        "area": entry.area,
        "level": entry.level,
        "status": entry.status,
        "profile": entry.profile,
        "section": entry.section,
        "anchor": entry.anchor,
        "text": plainer.text(entry.text),
        "text_digest": entry.text_digest,
        "outcome": str(result.outcome),
        "reason": None if result.reason is None else plainer.text(result.reason),
        "evidence": result.evidence,
        "checks": plainer.texts(result.checks),
        "missing": plainer.texts(result.missing),
        "killed": plainer.texts(killed),
    }


def _check(record: CheckRecord, plainer: Plainer) -> CheckPart:
    part: CheckPart = {
        "id": plainer.text(record.id),
        "scenario": plainer.text(record.scenario),
        "feature": plainer.text(record.feature),
        "requirements": plainer.texts(record.requirements),
        "outcome": str(record.outcome),
        "reason": None if record.reason is None else plainer.text(record.reason),
        "blame": record.blame,
        "expected": plainer.value(record.expected),
        "actual": plainer.value(record.actual),
        "evidence": plainer.texts(dict.fromkeys(item for one in record.expectations for item in one.evidence)),
        "evidence_class": record.evidence_class,
        "expectations": [_expectation(one, plainer) for one in record.expectations],
        "duration_ms": round(max(record.duration_ms, 0.0), 3) if math.isfinite(record.duration_ms) else 0.0,
        "steps": plainer.texts(record.steps),
        "failed_step": None if record.failed_step is None else plainer.text(record.failed_step),
        "attempts": [
            {"outcome": str(one.outcome), "reason": None if one.reason is None else plainer.text(one.reason)}
            for one in record.attempts
        ],
        "excused": None if record.excused is None else _excuse(record.excused, plainer),
    }
    if record.failed_for:
        part["failed_for"] = plainer.texts(record.failed_for)
    return part


def _expectation(one: Expectation, plainer: Plainer) -> ExpectationPart:
    part: ExpectationPart = {
        "statement": plainer.text(one.statement),
        "expected": plainer.value(one.expected),
        "actual": plainer.value(one.actual),
        "held": one.held,
        "evidence_class": one.evidence_class,
        "evidence": plainer.texts(one.evidence),
    }
    if one.requirements:
        part["requirements"] = plainer.texts(one.requirements)
    if one.step is not None:
        part["step"] = plainer.text(one.step)
    return part


def _excuse(excuse: Excuse, plainer: Plainer) -> ExcusePart:
    return {
        "name": plainer.text(excuse.name),
        "reason": plainer.text(excuse.reason),
        "owner": plainer.text(excuse.owner),
        "since": excuse.since,
    }


def content_digest(report: Report) -> str:
    """Return the digest over everything in the report but the digest itself, by its JSON with sorted keys."""
    rest = {name: value for name, value in report.items() if name != "digest"}
    content = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


def encode(report: Report) -> bytes:
    """Return the bytes of `report.json`: ASCII, two spaces of indent, keys in the order of the schema."""
    return f"{json.dumps(report, indent=2, allow_nan=False)}\n".encode("ascii")

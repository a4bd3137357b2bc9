"""The canonical report: built once, checked against its schema, read back only if it still says what was written."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

from tck_reports.errors import ReportReadError
from tck_reports.grading import Grading, RequirementResult
from tck_reports.outcomes import Outcome
from tck_reports.plain import Plainer
from tck_reports.records import (
    Artifact,
    CheckRecord,
    Control,
    Declaration,
    Implementation,
    KitFacts,
    RequirementEntry,
    RunFacts,
    SpecFacts,
)
from tck_reports.shape import SCHEMA_ID, CheckPart, Json, Report, RequirementPart, RunPart, VerdictPart
from tck_reports.verdict import Conclusion, conclude

#: A larger file is no report of this kit.
MAX_BYTES: Final = 256 * 1024 * 1024
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
        "declared": {
            "profiles": plainer.texts(declared.profiles),
            "capabilities": {plainer.text(name): plainer.text(word) for name, word in declared.capabilities.items()},
        },
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
        "verdict": _verdicts(conclusion, plainer),
        "exit_code": int(conclusion.exit_code),
        "exit_reason": plainer.text(conclusion.why),
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


def _run(run: RunFacts, grading: Grading, conclusion: Conclusion, plainer: Plainer) -> RunPart:
    return {
        "seed": run.seed,
        "argv": plainer.texts(run.argv),
        "started": plainer.text(run.started),
        "finished": plainer.text(run.finished),
        "host": {plainer.text(name): plainer.text(value) for name, value in run.host.items()},
        "workers": run.workers,
        "transport": plainer.text(run.transport),
        "budgets": {plainer.text(name): value for name, value in run.budgets.items()},
        "profiles": plainer.texts(grading.profiles),
        "asked": plainer.texts(conclusion.asked),
        "filtered": None if grading.filtered is None else plainer.text(grading.filtered),
        "cut_short": None if grading.cut_short is None else plainer.text(grading.cut_short),
    }


def _verdicts(conclusion: Conclusion, plainer: Plainer) -> dict[str, VerdictPart]:
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
    return {
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
        "expectations": [
            {
                "statement": plainer.text(one.statement),
                "expected": plainer.value(one.expected),
                "actual": plainer.value(one.actual),
                "held": one.held,
                "evidence_class": one.evidence_class,
                "evidence": plainer.texts(one.evidence),
            }
            for one in record.expectations
        ],
        "duration_ms": round(max(record.duration_ms, 0.0), 3) if math.isfinite(record.duration_ms) else 0.0,
        "steps": plainer.texts(record.steps),
        "failed_step": None if record.failed_step is None else plainer.text(record.failed_step),
    }


def content_digest(report: Report) -> str:
    """Return the digest over everything in the report but the digest itself, by its JSON with sorted keys."""
    rest = {name: value for name, value in report.items() if name != "digest"}
    content = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


def encode(report: Report) -> bytes:
    """Return the bytes of `report.json`: ASCII, two spaces of indent, keys in the order of the schema."""
    return f"{json.dumps(report, indent=2, allow_nan=False)}\n".encode("ascii")


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of `report.json`."""
    text = (files("tck_reports") / "schemas" / "report-1.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def validate(report: Json) -> list[str]:
    """Return what the schema finds wrong, each as `place: what`, at most twenty; an empty list is a valid report."""
    from itertools import islice  # noqa: PLC0415 - beside its one use

    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a tenth of a second that only readers pay

    found = Draft202012Validator(schema()).iter_errors(report)  # pyright: ignore[reportUnknownMemberType] - untyped there
    return [f"{one.json_path}: {one.message[:300]}" for one in islice(found, 20)]


def inconsistencies(report: Report) -> list[str]:
    """Return where a valid report contradicts itself: totals that do not follow from its outcomes, a wrong digest."""
    wrong: list[str] = []
    grading = _regraded(report)
    controls = [Control(one["name"], one["expected"], one["observed"]) for one in report["controls"]]
    again = conclude(grading, asked=report["run"]["asked"], controls=controls, stale_entries=report["stale_entries"])
    if int(again.exit_code) != report["exit_code"]:
        wrong.append(f"exit_code is {report['exit_code']}, but its outcomes give {int(again.exit_code)}")
    for profile, verdict in _verdicts(again, Plainer()).items():
        stated = report["verdict"].get(profile)
        wrong += [
            f"verdict.{profile}.{name} is {stated and stated[name]!r}, but its outcomes give {verdict[name]!r}"
            for name in ("result", "witnessed", "numerator", "denominator", "counts")
            if stated is None or stated[name] != verdict[name]
        ]
    outcomes = {one["id"]: one["outcome"] for one in report["checks"]}
    for requirement in report["requirements"]:
        passed = [outcomes.get(check) for check in requirement["checks"]]
        if requirement["outcome"] == "passed" and (not passed or {*passed} != {"passed"} or requirement["missing"]):
            wrong.append(f"{requirement['id']} is passed, but not all of its checks are")
    if report["digest"] != content_digest(report):
        wrong.append("digest does not fit the content")
    return wrong


def _regraded(report: Report) -> Grading:
    """Return as much of the grading as the conclusion looks at."""
    return Grading(
        requirements=tuple(
            RequirementResult(
                RequirementEntry(
                    id=one["id"],
                    area=one["area"],
                    level=one["level"],
                    status=one["status"],
                    profile=one["profile"],
                    section=one["section"],
                    anchor=one["anchor"],
                    text=one["text"],
                    text_digest=one["text_digest"],
                ),
                Outcome(one["outcome"]),
                one["reason"],
                "witnessed" if one["evidence"] == "witnessed" else "reported" if one["evidence"] else None,
                tuple(one["checks"]),
                tuple(one["missing"]),
            )
            for one in report["requirements"]
        ),
        checks=tuple(
            CheckRecord(one["id"], one["scenario"], one["feature"], tuple(one["requirements"]), Outcome(one["outcome"]))
            for one in report["checks"]
        ),
        profiles=tuple(report["run"]["profiles"]),
        missing=tuple(report["missing_checks"]),
        faults=tuple(report["faults"]),
        filtered=report["run"]["filtered"],
        cut_short=report["run"]["cut_short"],
    )


def read(path: Path) -> Report:
    """Return the report in a file; ReportReadError where it is none, or does not say what the kit wrote."""
    where = str(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ReportReadError(f"larger than {MAX_BYTES} bytes", where, "name a report.json of session-tck")
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReportReadError(f"cannot be read: {why}", where, "name the report.json of a run") from error
    try:
        value: Json = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ReportReadError(
            f"is no JSON: {error}", where, "name a report.json, and run again if it is damaged"
        ) from error
    stated = cast("dict[str, Json]", value).get("schema") if isinstance(value, dict) else None
    if stated != SCHEMA_ID:
        raise ReportReadError(
            f"is not a report of schema {SCHEMA_ID} (its schema is {stated!r})", where, "use the kit that wrote it"
        )
    if problems := validate(cast("Json", value)):
        raise ReportReadError(f"does not fit its schema: {problems[0]}", where, "run again; reports are not edited")
    report = cast("Report", value)
    try:
        wrong = inconsistencies(report)
    except ValueError as error:
        wrong = [str(error)]
    if wrong:
        raise ReportReadError(
            f"was changed after it was written: {wrong[0]}", where, "run again; reports are not edited"
        )
    return report


def _no_constant(word: str) -> object:
    raise ValueError(f"{word} is not JSON")

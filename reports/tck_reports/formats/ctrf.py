"""The report in the Common Test Report Format, CTRF: one test for each of `cases`.

<https://ctrf.io/docs/specification>
"""

import json
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from tck_reports.explain import exit_line, fault, reproduce, verdict_line
from tck_reports.formats.cases import Case, cases
from tck_reports.formats.moments import milliseconds, moment
from tck_reports.formats.story import entries, entry_line, excuses, place, went
from tck_reports.outcomes import MEANINGS, JUnitForm, Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, Json, Report
from tck_reports.spared import broken_for

#: The version of the format that this is.
VERSION: Final = "0.0.0"
#: Reports of one digest have one id.
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_URL, "urn:session-tck:report")
_STATUSES: Final[Mapping[JUnitForm, str]] = {
    "testcase": "passed",
    "failure": "failed",
    "error": "failed",
    "skipped": "skipped",
    "absent": "skipped",
}
#: Where the format has a word of its own for what others show as skipped.
_OWN_WORDS: Final[Mapping[str, str]] = {Outcome.NOT_RUN: "pending", Outcome.EXPECTED_FAILURE: "other"}
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def render(report: Report) -> str:
    """Return the whole document, one test a line."""
    tests = [_test(case, report) for case in cases(report)]
    engine, spec, run = report["implementation"], report["spec"], report["run"]
    results = {
        "tool": {"name": "session-tck", "version": visible(report["kit"]["version"])},
        "summary": _summary(tests, report),
        "environment": {
            "reportName": visible(f"{spec['id']} {spec['version']}"),
            "appName": visible(engine["name"]),
            "appVersion": visible(engine["version"]),
            "osPlatform": visible(run["host"].get("system", "")).lower(),
            "testEnvironment": visible(run["transport"]),
            **({} if run["shard"] is None else {"shardId": f"{run['shard']['number']}/{run['shard']['count']}"}),
            "healthy": report["exit_code"] == 0,
            "extra": {"seed": run["seed"], "command": [visible(one) for one in run["argv"]]},
        },
        "extra": {
            "verdicts": [visible(verdict_line(*one)) for one in report["verdict"].items()],
            "exit": visible(exit_line(report)),
            "baseline": [visible(entry_line(one)) for one in entries(report)],
        },
    }
    began = moment(run["started"])
    head = {
        "reportFormat": "CTRF",
        "specVersion": VERSION,
        "reportId": str(uuid.uuid5(_NAMESPACE, report["digest"])),
        **({} if began is None else {"timestamp": began.isoformat(timespec="milliseconds")}),
        "generatedBy": visible(f"session-tck {report['kit']['version']}"),
    }
    lines = ",\n".join(map(_ENCODE, tests))
    return f'{_ENCODE(head)[:-1]},\n"results":{_ENCODE(results)[:-1]},\n"tests":[\n{lines}\n]}}}}\n'


def _summary(tests: list[dict[str, Json]], report: Report) -> dict[str, int]:
    counts = Counter(one["status"] for one in tests)
    start, stop = (milliseconds(report["run"][word]) for word in ("started", "finished"))
    return {
        "tests": len(tests),
        **{status: counts[status] for status in ("passed", "failed", "skipped", "pending", "other")},
        "flaky": sum("flaky" in one for one in tests),
        "suites": len({tuple(one["suite"]) for one in tests}),
        "start": start,
        "stop": stop,
        "duration": stop - start,
    }


def _test(case: Case, report: Report) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": visible(case.name) or "unnamed",
        "status": _status(case.outcome),
        "duration": 0 if case.check is None else round(case.check["duration_ms"]),
        "suite": [visible(case.suite)],
        "rawStatus": case.outcome,
    }
    if case.outcome != Outcome.PASSED:
        test |= {"message": visible(case.message), "trace": visible(case.story)}
    return test if case.check is None else test | _of_check(case.check, report)


def _of_check(check: CheckPart, report: Report) -> dict[str, Any]:
    path, line = place(check)
    more: dict[str, Any] = {
        "testId": visible(check["id"]) or "unnamed",
        "tags": [visible(one) for one in check["requirements"]],
        "filePath": visible(path),
        "steps": _steps(check),
    }
    if line is not None:
        more["line"] = line
    if check["attempts"]:
        more["retries"] = len(check["attempts"])
        more["retryAttempts"] = [
            {"attempt": number, "status": _status(one["outcome"]), "message": visible(one["reason"] or one["outcome"])}
            for number, one in enumerate(check["attempts"], 1)
        ]
    if check["outcome"] == Outcome.FLAKY:
        more["flaky"] = True
    if check["outcome"] != Outcome.PASSED:
        more["extra"] = {
            "reproduce": reproduce(report, *broken_for(check)[:1]),
            "fault": visible(fault(check)),
            "knownFailure": [visible(one) for one in excuses(check)],
        }
    return more


def _steps(check: CheckPart) -> list[dict[str, str]]:
    words = {"held": "passed", "broke": _status(check["outcome"]), "unreached": "skipped"}
    each = zip(check["steps"], went(check, check["outcome"], check["failed_step"]), strict=True)
    return [{"name": visible(step), "status": words[one]} for step, one in each]


def _status(outcome: str) -> str:
    return _OWN_WORDS.get(outcome) or _STATUSES[MEANINGS[Outcome(outcome)].junit]

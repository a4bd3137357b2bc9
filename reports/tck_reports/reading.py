"""Reading a report back: only if it is whole, of a known schema, and says what the kit wrote.

The schemas are `schemas/report-1.json` and `schemas/report-2.json`. What an earlier kit wrote is held against the
schema and the digest of its own time, and then told in the words of today.
"""

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

import jsonschema_rs

from tck_reports.canonical import as_written, parsed, quick_digest
from tck_reports.earlier import VERSION, VERSIONS, upgraded
from tck_reports.errors import ReportReadError
from tck_reports.grading import Grading, RequirementResult
from tck_reports.outcomes import Outcome
from tck_reports.plain import Plainer
from tck_reports.records import CheckRecord, Control, RequirementEntry
from tck_reports.report import content_digest, verdict_parts
from tck_reports.shape import Json, Report, RequirementPart
from tck_reports.spared import outcome_for
from tck_reports.verdict import Conclusion, conclude

#: A larger file is no report of this kit.
MAX_BYTES: Final = 32 * 1024 * 1024
#: Of a name that stands twice in an object, so much is told.
_SHOWN: Final = 80
#: RFC 3339: what looks at a day alone, or puts times in order as texts, relies on its form.
_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)


@cache
def schema(version: int = VERSION) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of `report.json` in this version."""
    text = (files("tck_reports") / "schemas" / f"report-{version}.json").read_text(encoding="utf-8")
    return cast("dict[str, Any]", json.loads(text))


def validate(report: Json, version: int = VERSION) -> list[str]:
    """Return what the schema finds wrong, each as `place: what`, at most twenty; an empty list is a valid report."""
    return [f"{_path(one.instance_path)}: {one.message[:300]}" for one in islice(_errors(report, version), 20)]


def _errors(report: Json, version: int) -> Iterator[jsonschema_rs.ValidationError]:
    return _validator(version).iter_errors(report)


@cache
def _validator(version: int) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema(version))


def _path(steps: Iterable[str | int]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def inconsistencies(report: Report) -> list[str]:
    """Return where a valid report contradicts itself: totals that do not follow from its outcomes, an id twice."""
    wrong = [*_doubled(report), *_misdated(report)]
    again = conclusion_of(report, grading_of(report))
    if int(again.exit_code) != report["exit_code"]:
        wrong.append(f"exit_code is {report['exit_code']}, but its outcomes give {int(again.exit_code)}")
    for profile, verdict in verdict_parts(again, Plainer()).items():
        stated = report["verdict"].get(profile)
        wrong += [
            f"verdict.{profile}.{name} is {stated and stated[name]!r}, but its outcomes give {verdict[name]!r}"
            for name in ("result", "witnessed", "numerator", "denominator", "counts")
            if stated is None or stated[name] != verdict[name]
        ]
    checks = {one["id"]: one for one in report["checks"]}
    for requirement in report["requirements"]:
        name = requirement["id"]
        outcomes = {outcome_for(checks[one], name) if one in checks else None for one in requirement["checks"]}
        # What an engine declines in part is graded by the rest, of which there has to be some.
        rest = outcomes - {"unsupported"}
        if requirement["outcome"] == "passed" and (rest != {"passed"} or requirement["missing"]):
            wrong.append(f"{requirement['id']} is passed, but not all of its checks are")
    return wrong


def _doubled(report: Report) -> Iterator[str]:
    """Yield the ids that stand there more than once: whoever looks one up would find either."""
    for kind, ids in (
        ("check", (one["id"] for one in report["checks"])),
        ("requirement", (one["id"] for one in report["requirements"])),
    ):
        yield from (
            f"{kind} {name[:_SHOWN]!r} is there {times} times" for name, times in Counter(ids).items() if times > 1
        )


def _misdated(report: Report) -> Iterator[str]:
    """Yield the times of another form than a run has, and those that no calendar has."""
    run, baseline = report["run"], report["baseline"]
    times = [(f"run.{name}", run[name]) for name in ("started", "finished")]
    for one in run["parts"]:
        times += [("run.parts.started", one["started"]), ("run.parts.finished", one["finished"])]
    for place, time in times:
        try:
            whole = _TIME.fullmatch(time) is not None and datetime.fromisoformat(time)
        except ValueError:
            whole = False
        if not whole:
            yield f"{place} is no time with an offset: {time[:_SHOWN]!r}"
    for entry in () if baseline is None else baseline["entries"]:
        for day in (entry["since"], entry["until"]):
            try:
                _ = day is None or date.fromisoformat(day)
            except ValueError:
                yield f"the baseline names a day that there is not: {day!r}"


def conclusion_of(report: Report, grading: Grading) -> Conclusion:
    """Return what follows from this grading, with what the report says of the run itself."""
    controls = [Control(one["name"], one["expected"], one["observed"]) for one in report["controls"]]
    return conclude(grading, asked=report["run"]["asked"], controls=controls, stale_entries=report["stale_entries"])


def grading_of(report: Report) -> Grading:
    """Return as much of the grading as the conclusion looks at."""
    return Grading(
        requirements=tuple(
            RequirementResult(
                entry_of(one),
                Outcome(one["outcome"]),
                one["reason"],
                "witnessed" if one["evidence"] == "witnessed" else "reported" if one["evidence"] else None,
                tuple(one["checks"]),
                tuple(one["missing"]),
            )
            for one in report["requirements"]
        ),
        # Of checks, a conclusion looks only for those that were not run.
        checks=tuple(
            CheckRecord(one["id"], one["scenario"], one["feature"], tuple(one["requirements"]), Outcome(one["outcome"]))
            for one in report["checks"]
            if one["outcome"] == Outcome.NOT_RUN
        ),
        profiles=tuple(report["run"]["profiles"]),
        missing=tuple(report["missing_checks"]),
        faults=tuple(report["faults"]),
        filtered=report["run"]["filtered"],
        cut_short=report["run"]["cut_short"],
    )


def entry_of(part: RequirementPart) -> RequirementEntry:
    """Return a requirement of a report as the entry of the set that it was graded by."""
    return RequirementEntry(
        id=part["id"],
        area=part["area"],
        level=part["level"],
        status=part["status"],
        profile=part["profile"],
        section=part["section"],
        anchor=part["anchor"],
        text=part["text"],
        text_digest=part["text_digest"],
    )


def read(path: Path) -> Report:
    """Return the report in a file; ReportReadError where it is none, or does not say what the kit wrote.

    The report of an earlier schema comes back in today's shape, with the digest that stands in its file.
    """
    where = str(path)
    try:
        content = _content(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReportReadError(f"cannot be read: {why}", where, "name the report.json of a run") from error
    if content is None:
        raise ReportReadError("cannot be read: it is no regular file", where, "name the report.json of a run")
    if len(content) > MAX_BYTES:
        raise ReportReadError(f"larger than {MAX_BYTES} bytes", where, "name a report.json of session-tck")
    return decode(content, where)


def _content(path: Path) -> bytes | None:
    """Return what is in a file, and no more than is needed to see that it is too large; null for what is no file.

    A pipe would be waited for, and a device may never end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(MAX_BYTES + 1)
    finally:
        os.close(descriptor)


def decode(content: bytes, where: str) -> Report:
    """Return the report that these bytes are, as `read` does; `where` is what an error calls them."""
    try:
        return _decoded(content, where)
    except MemoryError as error:
        raise ReportReadError(
            "needs more memory than there is", where, "free some, and name a report.json of session-tck"
        ) from error


def _decoded(content: bytes, where: str) -> Report:
    quick = parsed(content)
    if quick is not None and as_written(quick, content):
        # What the quick parser takes otherwise than Python's would not have the right digest: then Python's decides.
        with suppress(ReportReadError):
            return _checked(quick, where)
    try:
        value: Json = json.loads(content, parse_constant=_no_constant, object_pairs_hook=_once)
    except _TwiceError as error:
        raise ReportReadError(
            f"was changed after it was written: {error}", where, "run again; reports are not edited"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ReportReadError(_unread(error), where, "name a report.json, and run again if it is damaged") from error
    return _checked(value, where)


def _checked(value: Json, where: str) -> Report:
    """Return the value as a report; ReportReadError where it is none, or not what the kit wrote."""
    try:
        return _sound(value, where)
    except RecursionError as error:
        raise ReportReadError("is nested too deeply", where, "run again; reports are not edited") from error


def _sound(value: Json, where: str) -> Report:
    stated = cast("dict[str, Json]", value).get("schema") if isinstance(value, dict) else None
    version = VERSIONS.get(stated) if isinstance(stated, str) else None
    if stated is None:
        raise ReportReadError("states no schema, so it is no report", where, "name a report.json of session-tck")
    if version is None:
        raise ReportReadError(
            f"is not a report of a schema that this kit reads: {stated!r}"[:200], where, "use the kit that wrote it"
        )
    if problems := validate(cast("Json", value), version):
        raise ReportReadError(f"does not fit its schema: {problems[0]}", where, "run again; reports are not edited")
    report = cast("Report", value)
    digest = quick_digest(cast("dict[str, Json]", value)) or content_digest(report)
    wrong = [] if report["digest"] == digest else ["digest does not fit the content"]
    report = upgraded(report, version)
    try:
        wrong += inconsistencies(report)
    except ValueError as error:
        wrong.append(str(error))
    if wrong:
        raise ReportReadError(
            f"was changed after it was written: {wrong[0]}", where, "run again; reports are not edited"
        )
    return report


def _unread(error: ValueError | RecursionError) -> str:
    """Say what the parser meant; some of its errors speak to whoever calls it."""
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if str(error).startswith("Exceeds the limit"):
        return "holds a number too long"
    return f"is no JSON: {error}"


def _no_constant(word: str) -> object:
    raise ValueError(f"{word} is not JSON")


class _TwiceError(ValueError):
    """An object has a name twice."""


def _once(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    """Make an object of what it holds. Which of two values of one name is meant, readers do not agree on."""
    made = dict(pairs)
    if len(made) != len(pairs):
        name = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise _TwiceError(f"{name[:_SHOWN]!r} stands twice in one object")
    return made

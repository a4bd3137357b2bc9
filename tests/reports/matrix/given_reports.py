"""Reports as engines would have them, made by the kit's own grading and writer, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from tests.reports.samples import check, entry, graded, report_of

from tck_reports.matrix.condensed import Given, condense
from tck_reports.outcomes import Outcome
from tck_reports.report import content_digest, encode
from tck_reports.shape import Report

#: What the sample specification demands.
NAMES = ("RESUME-1", "RESUME-2", "NAME-1", "CLEAN-1")


def report(
    name: str = "acme",
    version: str = "1.0.0",
    *,
    outcomes: Mapping[str, Outcome] | None = None,
    day: int = 1,
    texts: Mapping[str, str] | None = None,
    spec: str = "1.0.0",
    **parts: Any,  # noqa: ANN401 -- any part of a report, by its name
) -> Report:
    """Make the report of a run; outcomes are `passed` unless given, and parts are laid over those of the sample."""
    given = dict.fromkeys(NAMES, Outcome.PASSED) | dict(outcomes or {})
    entries = [entry(one, text=(texts or {}).get(one)) for one in given]
    checks = [check(f"{one} is looked at", one, outcome=outcome) for one, outcome in given.items()]
    made = report_of(graded(entries, checks), name=name)
    value = cast("dict[str, Any]", made)
    for one in value["requirements"]:
        one["text_digest"] = digest_of(one["text"])
    value["implementation"]["version"] = version
    value["spec"]["version"] = spec
    value["spec"]["set_digest"] = digest_of(spec)
    value["run"]["started"] = f"2026-01-{day:02}T03:04:05+00:00"
    value["run"]["finished"] = f"2026-01-{day:02}T03:05:05+00:00"
    for part, content in parts.items():
        if isinstance(content, dict):
            value[part] = value[part] | content
        else:
            value[part] = content
    return sealed(made)


def sealed(made: Report) -> Report:
    """Give a report the digest of its content, as the kit would."""
    made["digest"] = content_digest(made)
    return made


def digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def given(made: Report, source: str | None = None) -> Given:
    """Condense a report; its file is named after its digest unless a name is given."""
    return condense(made, source or f"{made['digest'][7:19]}.json")


def written(folder: Path, reports: Mapping[str, Report]) -> Path:
    """Write reports by their names below a folder."""
    for name, made in reports.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(made))
    return folder

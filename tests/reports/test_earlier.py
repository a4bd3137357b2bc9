"""Reports that an earlier kit wrote are read, by the schema and the digest of their own time."""

import json
from pathlib import Path
from typing import Any

import pytest

from tck_reports.errors import ReportReadError
from tck_reports.reading import read, validate
from tck_reports.report import content_digest

from .samples import mixed_report

ADDED = {
    "run": ("engine", "shard", "parts", "retries", "regraded"),
    "checks": ("attempts", "excused"),
}


def first(*argv: str, transport: str = "in process") -> dict[str, Any]:
    """What the first schema said of a run with every outcome."""
    report: dict[str, Any] = json.loads(json.dumps(mixed_report()))
    del report["baseline"]
    for name in ADDED["run"]:
        del report["run"][name]
    for check in report["checks"]:
        for name in ADDED["checks"]:
            del check[name]
    report["run"].update(argv=list(argv), transport=transport)
    report["schema"] = "urn:session-tck:schemas/report-1.json"
    report["digest"] = content_digest(report)  # type: ignore[arg-type]  # it is what was a report
    return report


def written(report: dict[str, Any], folder: Path) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    return path


def test_the_first_schema_is_read_into_the_shape_of_today(tmp_path: Path) -> None:
    old = first("session-tck", "run")

    report = read(written(old, tmp_path))

    assert validate(report) == []
    assert (report["digest"], report["schema"]) == (old["digest"], "urn:session-tck:schemas/report-2.json")
    assert report["run"]["shard"] is None
    assert report["baseline"] is None
    assert [one["outcome"] for one in report["requirements"]] == [one["outcome"] for one in old["requirements"]]
    assert all(check["attempts"] == [] for check in report["checks"])


@pytest.mark.parametrize(
    ("argv", "transport", "engine"),
    [
        (("session-tck", "run"), "in process", "sim"),
        (("session-tck", "run", "--engine", "node driver.js"), "stdio", "node driver.js"),
        (("session-tck", "run"), "http", ""),
    ],
)
def test_its_engine_is_what_its_arguments_name(
    argv: tuple[str, ...], transport: str, engine: str, tmp_path: Path
) -> None:
    assert read(written(first(*argv, transport=transport), tmp_path))["run"]["engine"] == engine


def test_one_that_was_edited_is_refused_by_the_digest_of_its_own_time(tmp_path: Path) -> None:
    old = first("session-tck", "run")
    old["implementation"]["name"] = "another"

    with pytest.raises(ReportReadError, match="digest does not fit"):
        read(written(old, tmp_path))


def test_what_the_schema_of_its_time_did_not_allow_is_refused(tmp_path: Path) -> None:
    old = first("session-tck", "run")
    del old["run"]["surroundings"]
    old["digest"] = content_digest(old)  # type: ignore[arg-type]  # it is what was a report

    with pytest.raises(ReportReadError, match="surroundings"):
        read(written(old, tmp_path))

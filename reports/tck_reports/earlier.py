"""Reports of earlier schemas in the shape of today: what a schema did not ask for yet is filled with what held then."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final, cast

from tck_reports.shape import SCHEMA_ID, Json, Report

#: The version of the schema that this kit writes.
VERSION: Final = 2
#: The versions that it reads, by their ids.
VERSIONS: Final[Mapping[str, int]] = {
    f"urn:session-tck:schemas/report-{version}.json": version for version in (1, VERSION)
}
#: How the first schema's `transport` is named as an engine: nothing else of it was written down.
_ENGINES: Final[Mapping[str, str]] = {"in process": "sim"}


def upgraded(report: Report, version: int) -> Report:
    """Return a report of this schema version in the shape of today's, with the digest that it was written with."""
    return report if version == VERSION else _from_1(report)


def _from_1(report: Report) -> Report:
    """There were no shards, no further tries, no trace, and a baseline whose entries had no owner."""
    run = report["run"]
    argv = run["argv"]
    named = next((word for before, word in pairwise(argv) if before == "--engine"), None)
    told: dict[str, Json] = {
        "engine": named or _ENGINES.get(run["transport"], ""),
        "shard": None,
        "parts": [],
        "retries": 0,
    }
    checks = [{**check, "attempts": [], "excused": None} for check in report["checks"]]
    now: dict[str, Json] = {
        **report,
        "schema": SCHEMA_ID,
        "run": {**run, **told, "regraded": None},
        "baseline": None,
        "checks": checks,
    }
    return cast("Report", now)

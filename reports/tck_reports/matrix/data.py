"""The JSON behind the pages: `data/matrix.json` with all of the matrix, and a file for each engine with its reasons.

The schema is `schemas/matrix-1.json`. The same reports give the same bytes: nothing in it depends on when or where the
site was made.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from tck_reports.matrix.model import OUTCOMES, Change, Engine, Requirement, RequirementSet, Row, Site
from tck_reports.shape import Json

SCHEMA_ID: Final = "urn:session-tck:schemas/matrix-1.json"
MATRIX: Final = "data/matrix.json"


def files(site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield the files of data as (path below the site, content)."""
    yield MATRIX, _encoded(matrix(site))
    changes: dict[str, list[Change]] = {}
    for change in site.changes:
        changes.setdefault(change.engine, []).append(change)
    for engine in site.engines:
        yield path_of(engine), _encoded(engine_file(engine, changes.get(engine.slug, [])))


def path_of(engine: Engine) -> str:
    """Return where the file of an engine is."""
    return f"data/engines/{engine.slug}.json"


def matrix(site: Site) -> dict[str, Json]:
    """Return the content of `data/matrix.json`."""
    return {
        "schema": SCHEMA_ID,
        "updated": site.updated,
        "reports": site.reports,
        "kits": site.kits,
        "profiles": site.profiles,
        "signs": {sign: str(outcome) for sign, outcome in OUTCOMES.items()},
        "sets": [_set(one) for one in site.sets],
        "requirements": [_requirement(one) for one in site.requirements],
        "engines": [
            {**_engine(one), "data": path_of(one), "rows": [_row(row) for row in one.rows]} for one in site.engines
        ],
        "changes": [_change(one) for one in site.changes],
        "left_out": [{"source": one.source, "why": one.why} for one in site.left_out],
    }


def engine_file(engine: Engine, changes: list[Change]) -> dict[str, Json]:
    """Return the content of the file of one engine: its rows with all that is known of them."""
    rows = [{**_row(row), **_run(row), "reasons": dict(row.reasons)} for row in engine.rows]
    return {
        "schema": SCHEMA_ID,
        "engine": {**_engine(engine), "rows": rows},
        "changes": [_change(one) for one in changes],
    }


def _set(one: RequirementSet) -> Json:
    return {
        "slug": one.slug,
        "spec": one.spec,
        "version": one.version,
        "digest": one.digest,
        "family": one.family,
        "requirements": [column.id for column in one.columns],
    }


def _requirement(one: Requirement) -> Json:
    column = one.column
    return {
        "id": column.id,
        "slug": one.slug,
        "area": column.area,
        "level": column.level,
        "status": column.status,
        "profile": column.profile,
        "section": column.section,
        "anchor": column.anchor,
        "wordings": [asdict(wording) for wording in one.wordings],
    }


def _engine(one: Engine) -> dict[str, Json]:
    return {
        "slug": one.slug,
        "name": one.name,
        "label": one.label,
        "language": one.language,
        "homepage": one.homepage or None,
        "faulty": one.faulty,
    }


def _row(row: Row) -> dict[str, Json]:
    return {
        "slug": row.slug,
        "version": row.version,
        "digest": row.digest,
        "source": row.source,
        "set": row.set,
        "kit": row.kit_version,
        "finished": row.finished,
        "complete": row.complete,
        "exit_code": row.exit_code,
        "verdict": {
            one.profile: {
                "result": one.result,
                "witnessed": one.witnessed,
                "numerator": one.numerator,
                "denominator": one.denominator,
                "why": one.why,
            }
            for one in row.verdicts.values()
        },
        "cells": row.cells,
        "evidence": row.evidence,
        "page": row.page,
        "absence": row.absence,
    }


def _run(row: Row) -> dict[str, Json]:
    return {
        "started": row.started,
        "asked": row.asked,
        "transport": row.transport,
        "surroundings": row.surroundings,
        "seed": row.seed,
        "retries": row.retries,
        "shard": row.shard,
        "regraded": row.regraded,
        "obstacles": row.obstacles,
        "exit_reason": row.exit_reason,
        "policy": dict(row.policy),
        "commands": dict(row.commands),
    }


def _change(one: Change) -> Json:
    return {
        "id": one.id,
        "kind": one.kind,
        "at": one.at,
        "engine": one.engine or None,
        "row": one.row or None,
        "before": one.before,
        "set": one.set,
        "regressions": one.regressions,
        "fixes": one.fixes,
        "reworded": one.reworded,
        "added": one.added,
        "removed": one.removed,
        "verdicts": [{"profile": turn.profile, "old": turn.old, "new": turn.new} for turn in one.verdicts],
    }


def _encoded(value: Json) -> bytes:
    """Return JSON in ASCII, for which no reader has to be told an encoding, on one line: programs read it."""
    return f"{json.dumps(value, separators=(',', ':'), allow_nan=False)}\n".encode("ascii")

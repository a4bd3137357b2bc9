"""`kill-matrix.json`: what came of a hunt, and nothing that another hunt of the same would say otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tck_kit.mutants.matrix import FaultRow, Matrix, PairRow, RequirementRow
from tck_kit.mutants.plan import Breadth
from tck_kit.mutants.unit import Meeting
from tck_reports.records import KitFacts, SpecFacts

SCHEMA_ID = "urn:session-tck:schemas/kill-matrix-1.json"


def encode(matrix: Matrix, kit: KitFacts, spec: SpecFacts) -> bytes:
    """Give the bytes of the file: ASCII, two spaces of indent."""
    content = {
        "schema": SCHEMA_ID,
        "kit": {"version": kit.version, "suite_digest": kit.suite_digest},
        "spec": {"id": spec.id, "version": spec.version, "digest": spec.digest},
        "seed": matrix.plan.seed,
        "breadth": str(matrix.plan.breadth),
        "narrowed": matrix.plan.narrowed,
        "cut_short": matrix.cut_short,
        "exit_code": int(matrix.exit_code),
        "faults": [_fault(row, matrix.plan.breadth) for row in matrix.faults],
        "requirements": [_requirement(row) for row in matrix.requirements],
        "pairs": [_pair(row) for row in matrix.pairs],
        "scenarios": _scenarios(matrix),
    }
    return f"{json.dumps(content, indent=2)}\n".encode("ascii")


def _fault(row: FaultRow, breadth: Breadth) -> dict[str, object]:
    fault = row.fault
    return {
        "name": fault.name,
        "requirement": fault.requirement,
        "kind": fault.kind.value,
        "sin": fault.sin,
        "fate": str(row.fate),
        "own_scenarios": row.own,
        "first_killer": None if row.first is None else row.first.scenario,
        "way": None if row.first is None else row.first.way,
        # None where it has not met them all.
        "killers": None if breadth is Breadth.FIRST else [one.scenario for one in row.killers],
        "elsewhere": [one.scenario for one in row.elsewhere] if breadth is Breadth.FULL else None,
        "errors": _errors(row.errors),
    }


def _errors(meetings: Iterable[Meeting]) -> list[dict[str, object]]:
    return [{"scenario": one.scenario, "blame": one.blame, "reason": one.reason} for one in meetings]


def _requirement(row: RequirementRow) -> dict[str, object]:
    return {
        "id": row.entry.id,
        "status": row.entry.status,
        "faults": len(row.faults),
        "killed": len(row.killed),
        "kinds": sorted(kind.value for kind in row.kinds),
    }


def _pair(row: PairRow) -> dict[str, object]:
    return {
        "name": row.pair.name,
        "why": row.pair.why,
        "fate": str(row.fate),
        "first_killer": row.killers[0].scenario if row.killers else None,
        "errors": _errors(row.errors),
    }


def _scenarios(matrix: Matrix) -> list[dict[str, object]] | None:
    breadth = matrix.plan.breadth
    if breadth is Breadth.FIRST:
        return None
    return [
        {
            "id": row.scenario.id,
            "requirements": list(row.scenario.requirements),
            "own_faults": row.own,
            "own_kills": row.own_kills,
            "stray_kill": None if row.stray is None else row.stray.name,
            "kills": row.kills if breadth is Breadth.FULL else None,
        }
        for row in matrix.scenarios
    ]

"""Findings as JSON, for scripts: one object, whose list `findings` has the place, the rule and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tck_reports.escaped import encode
from tck_reports.findings.listing import encodable
from tck_spec.findings import SEVERITY_NAMES, Edit

if TYPE_CHECKING:
    from tck_reports.findings.listing import Listing
    from tck_spec.findings import Finding

__all__ = ["render"]


def render(listing: Listing) -> str:
    """Return the whole text."""
    names = {SEVERITY_NAMES[severity]: number for severity, number in listing.counts.items()}
    rows = [_row(one, listing) for one in listing.findings]
    files = [encodable(name) for name in listing.files]
    return encode({"findings": rows, "counts": names, "files": files, "requirements": listing.requirements})


def _row(one: Finding, listing: Listing) -> dict[str, Any]:
    row: dict[str, Any] = {
        "rule": one.rule,
        "severity": SEVERITY_NAMES[one.severity],
        "file": encodable(one.source or ""),
        "line": one.line,
        "column": one.column,
        "message": one.message,
        "hint": one.hint,
    }
    if one.length:
        row["end_column"] = one.column + one.length
    if one.rule in listing.rules:
        row["name"] = listing.rules[one.rule].name
    if one.fix:
        row["fix"] = [_edit(edit) for edit in one.fix]
    return row


def _edit(edit: Edit) -> dict[str, Any]:
    return {"line": edit.line, "column": edit.column, "end_column": edit.end_column, "text": edit.text}

"""Findings as SARIF 2.1.0, which code scanning services and editors read.

Columns are counted in code points, as everywhere here. Files below the root of the repository are named relative to
it, so that the same check gives the same file on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from tck_reports.findings.listing import shown, told
from tck_reports.sarif_log import FINGERPRINT, TOOL, log, plain

if TYPE_CHECKING:
    from tck_reports.findings.listing import Listing, RuleText
    from tck_spec.findings import Edit, Finding, Severity

__all__ = ["render"]

_LEVELS: Final[Mapping[Severity, str]] = {"E": "error", "W": "warning", "I": "note"}
_ROOT: Final = "%SRCROOT%"
#: A line is quoted up to here; a document without line ends is one line.
_LONGEST_SNIPPET: Final = 500


def render(listing: Listing) -> str:
    """Return the whole text."""
    codes = list(listing.rules)
    codes += sorted({one.rule for one in listing.findings} - set(codes))
    numbers = {code: number for number, code in enumerate(codes)}
    driver: dict[str, Any] = {
        "name": TOOL,
        "version": listing.version,
        "rules": [_rule(code, listing.rules.get(code)) for code in codes],
    }
    results = [
        _result(one, listing, numbers[one.rule], fingerprint)
        for one, fingerprint in zip(listing.findings, listing.fingerprints(), strict=True)
    ]
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return log(run)


def _rule(code: str, rule: RuleText | None) -> dict[str, Any]:
    if rule is None:
        return {"id": code}
    written: dict[str, Any] = {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary or rule.name},
        "defaultConfiguration": {"enabled": rule.on, "level": _LEVELS[rule.severity]},
    }
    if rule.help:
        written["fullDescription"] = {"text": rule.summary or rule.name}
        written["help"] = {"text": rule.help, "markdown": rule.help}
    if rule.uri:
        written["helpUri"] = rule.uri
    return written


def _result(one: Finding, listing: Listing, index: int, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": _LEVELS[one.severity],
        "message": {"text": plain(told(one))},
        "locations": [
            {"physicalLocation": {"artifactLocation": _artifact(one, listing), "region": _region(one, listing)}}
        ],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }
    if one.fix:
        change = {"artifactLocation": _artifact(one, listing), "replacements": [_replacement(edit) for edit in one.fix]}
        result["fixes"] = [{"description": {"text": shown(one.hint) or "Mend it."}, "artifactChanges": [change]}]
    return result


def _artifact(one: Finding, listing: Listing) -> dict[str, str]:
    uri = listing.uri_of(one)
    return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": _ROOT}


def _region(one: Finding, listing: Listing) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": one.line, "startColumn": one.column}
    if one.length:
        region["endColumn"] = one.column + one.length
    line = listing.line_of(one)
    if line:
        region["snippet"] = {"text": line[:_LONGEST_SNIPPET]}
    return region


def _replacement(edit: Edit) -> dict[str, Any]:
    region = {
        "startLine": edit.line,
        "startColumn": edit.column,
        "endLine": edit.line,
        "endColumn": edit.end_column,
    }
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}

"""Findings as commands of GitHub's workflows, which become annotations of the lines that a change touches.

A command is one line. The text after the second pair of colons runs to its end, and GitHub decodes three characters of
it; of what stands before, two more. Each that is not escaped would end the command, or start another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tck_reports.findings.listing import encodable, told
from tck_reports.plain import visible

if TYPE_CHECKING:
    from tck_reports.findings.listing import Listing
    from tck_spec.findings import Finding, Severity

__all__ = ["render"]

_COMMANDS: Final[Mapping[Severity, str]] = {"E": "error", "W": "warning", "I": "notice"}
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(listing: Listing) -> str:
    """Return the whole text; nothing at all where nothing was found."""
    return "".join(f"{_command(one, listing)}\n" for one in listing.findings)


def _command(one: Finding, listing: Listing) -> str:
    rule = listing.rules.get(one.rule)
    properties = {
        "file": visible(encodable(listing.path_of(one))),
        "line": str(one.line),
        "col": str(one.column),
        **({"endColumn": str(one.column + one.length)} if one.length else {}),
        "title": f"{one.rule} {rule.name}" if rule else one.rule,
    }
    written = ",".join(f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items())
    return f"::{_COMMANDS[one.severity]} {written}::{told(one).translate(_DATA)}"

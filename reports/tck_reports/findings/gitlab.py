"""Findings as a report of GitLab's code quality, which shows them in merge requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tck_reports.escaped import encode
from tck_reports.findings.listing import encodable, told

if TYPE_CHECKING:
    from tck_reports.findings.listing import Listing
    from tck_spec.findings import Severity

__all__ = ["render"]

#: GitLab knows two graver ones, which are for what breaks a program.
_SEVERITIES: Final[Mapping[Severity, str]] = {"E": "major", "W": "minor", "I": "info"}


def render(listing: Listing) -> str:
    """Return the whole text."""
    return encode(
        [
            {
                "description": told(one),
                "check_name": one.rule,
                "fingerprint": fingerprint,
                "severity": _SEVERITIES[one.severity],
                "location": {"path": encodable(listing.path_of(one)), "lines": {"begin": one.line}},
            }
            for one, fingerprint in zip(listing.findings, listing.fingerprints(), strict=True)
        ]
    )

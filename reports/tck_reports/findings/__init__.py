"""Findings of a check, written in the formats of the places that authors work in.

Each writer takes a `Listing` and returns the whole text. None of them lets what a document holds do anything but be
shown: control characters, line breaks and marks of direction are spelled out or escaped, as the format has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final, cast

from tck_reports.findings.listing import Listing, RuleText

__all__ = ["FORMATS", "Listing", "RuleText", "render"]

#: The formats, and the module of each, which has a function `render`; a check loads the one that it needs.
FORMATS: Final[Mapping[str, str]] = {
    "text": "one_line",
    "json": "plain_json",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "gitlab": "gitlab",
}


def render(form: str, listing: Listing) -> str:
    """Return the findings in one of the formats."""
    module = import_module(f"{__name__}.{FORMATS[form]}")
    return cast("str", module.render(listing))

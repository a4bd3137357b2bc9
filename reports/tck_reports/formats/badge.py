"""The verdict in a badge: as JSON for the endpoint of shields.io, and as an SVG that needs no service.

A badge is about one profile: `core` where there is a verdict on it, for that is what is agreed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from tck_reports.explain import short
from tck_reports.plain import visible
from tck_reports.shape import Report

#: Colours by their names at shields.io, and what an SVG of ours has for them: white text on them is well readable.
COLOURS: Final[Mapping[str, str]] = {
    "brightgreen": "#2e7d1f",
    "green": "#4a7509",
    "red": "#c62828",
    "orange": "#b3530b",
    "lightgrey": "#6b6b6b",
}
_LABEL_COLOUR: Final = "#444"
_LONGEST_PART: Final = 60
#: How wide a character is at 11 pixels in Verdana or DejaVu Sans, in tenths of a pixel; others are as wide as `m`.
_WIDTHS: Final[Mapping[str, int]] = {
    one: width
    for width, group in (
        (31, "ijl.,:;'| "),
        (44, 'Ift()[]-/"!'),
        (50, "rs"),
        (58, "cvxyzkJ"),
        (66, "abdeghnopqu"),
        (70, "0123456789ABCDEFKLPRSTUVXYZ"),
        (82, "GHNOQw+=~<>"),
        (106, "mMW%@"),
    )
    for one in group
}
_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{title}">
<title>{title}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)">
<rect width="{left}" height="20" fill="{label_colour}"/>
<rect x="{left}" width="{right}" height="20" fill="{colour}"/>
</g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{label_at}" y="14" textLength="{label_width}" lengthAdjust="spacingAndGlyphs">{label}</text>
<text x="{message_at}" y="14" textLength="{message_width}" lengthAdjust="spacingAndGlyphs">{message}</text>
</g>
</svg>
"""


@dataclass(frozen=True, slots=True)
class Badge:
    """What stands on the left, what stands on the right, and the colour of the right."""

    label: str
    message: str
    colour: str


def badge(report: Report) -> Badge:
    """Return the verdict in few words."""
    spec, verdicts = report["spec"], report["verdict"]
    profile = "core" if "core" in verdicts else next(iter(verdicts), None)
    if profile is None:
        return Badge(_part(f"{spec['id']} {spec['version']}"), "no verdict", "lightgrey")
    verdict = verdicts[profile]
    told = f"{verdict['result']} {verdict['numerator']}/{verdict['denominator']}"
    if verdict["result"] == "conformant":
        told, colour = (f"{told} witnessed", "brightgreen") if verdict["witnessed"] else (told, "green")
    else:
        colour = "red" if verdict["result"] == "nonconformant" else "orange"
    return Badge(_part(f"{spec['id']} {spec['version']} {profile}"), told, colour)


def render_json(report: Report) -> str:
    """Return what the endpoint badge of shields.io asks for.

    As an error, a badge keeps its colour whatever its address asks for. <https://shields.io/badges/endpoint-badge>
    """
    one = badge(report)
    content = {"schemaVersion": 1, "label": one.label, "message": one.message, "color": one.colour}
    return f"{json.dumps({**content, 'isError': 'green' not in one.colour}, ensure_ascii=False)}\n"


def render_svg(report: Report) -> str:
    """Return the badge as an image whose text is text."""
    one = badge(report)
    label_width, message_width = _width(one.label), _width(one.message)
    left, right = label_width + 10, message_width + 10
    return _SVG.format(
        width=left + right,
        left=left,
        right=right,
        title=escape(f"{one.label}: {one.message}"),
        label=escape(one.label),
        message=escape(one.message),
        label_at=left / 2,
        message_at=left + right / 2,
        label_width=label_width,
        message_width=message_width,
        colour=COLOURS[one.colour],
        label_colour=_LABEL_COLOUR,
    )


def _part(text: str) -> str:
    return short(" ".join(visible(text).split()), _LONGEST_PART) or "session-tck"


def _width(text: str) -> int:
    return round(sum(_WIDTHS.get(one, _WIDTHS["m"]) for one in text) / 10)

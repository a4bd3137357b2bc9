"""What stands around every page of the site: the head with its policy, the ways to the other pages, styles and scripts.

The policy allows the site's own files alone, so a page needs no network and works below any address or from a disk; and
nothing that an engine put into a name could load or run even if it got past the escaping.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, TypeVar

from tck_reports.matrix import data, feed
from tck_reports.matrix.pages_atlas import INDEX, Atlas
from tck_reports.matrix.pages_pieces import (
    LEGEND,
    aside,
    badge,
    cut,
    day,
    line,
    many,
    named,
    safe,
    verdict,
    verdicts,
    when,
    whole,
)
from tck_reports.outcomes import MEANINGS
from tck_reports.policy import told
from tck_reports.template_engine import template_engine

if TYPE_CHECKING:
    from jinja2 import Environment

_Item = TypeVar("_Item")

#: The site's own files, each made of templates that are put one after the other.
ASSETS: Final = {
    "assets/site.css": ("base.css", "matrix/site.css"),
    "assets/site.js": ("matrix/site.js",),
    "assets/matrix.js": (
        "matrix/matrix_asked.js",
        "matrix/matrix_drawn.js",
        "matrix/matrix_walked.js",
        "matrix/matrix_told.js",
        "matrix/matrix_started.js",
    ),
}
#: The pages that every page leads to.
PLACES: Final = (
    ("Matrix", INDEX),
    ("Engines", f"engines/{INDEX}"),
    ("Requirements", f"requirements/{INDEX}"),
    ("Changes", f"changes/{INDEX}"),
    ("About", f"about/{INDEX}"),
)


def assets() -> Iterator[tuple[str, bytes]]:
    """Yield styles and scripts."""
    for path in ASSETS:
        yield path, _asset(path)


@cache
def _asset(path: str) -> bytes:
    folder = files("tck_reports") / "templates"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in ASSETS[path]).encode()


@cache
def _address(path: str) -> str:
    """Return where a file of the site is, and of which content, so that no browser shows an old one."""
    return f"{path}?{hashlib.sha256(_asset(path)).hexdigest()[:8]}"


def page(atlas: Atlas, path: str, template: str, **values: object) -> tuple[str, bytes]:
    """Return one page: its path below the site, and the document."""
    root = "../" * path.count("/")
    text = (
        environment()
        .get_template(f"{template}.html.j2")
        .render(**_SAME, atlas=atlas, site=atlas.site, path=path, root=root, **values)
    )
    return path, text.encode()


def sheets(folder: str, number: int) -> list[str]:
    """Return the paths of the pages that something long is spread over; the first one is the folder's own."""
    return [f"{folder}/{INDEX}", *(f"{folder}/page-{at}.html" for at in range(2, number + 1))][: max(number, 1)]


def pieces(items: Sequence[_Item], size: int) -> list[Sequence[_Item]]:
    """Return the items in pieces of a size, one empty piece where there are none."""
    return [items[at : at + size] for at in range(0, len(items), size)] or [()]


#: What every template may name.
_SAME: Final[Mapping[str, object]] = {
    "places": PLACES,
    "legend": LEGEND,
    "address": _address,
    "index": INDEX,
    "data_path": data.MATRIX,
    "feed_path": feed.PATH,
    "meanings": {str(outcome): meaning for outcome, meaning in MEANINGS.items()},
}


@cache
def environment() -> "Environment":
    """Return the template engine with what all templates use."""
    filters: dict[str, Callable[..., object]] = {
        "aside": aside,
        "badge": badge,
        "cut": cut,
        "day": day,
        "line": line,
        "many": many,
        "named": named,
        "safe": safe,
        "told": told,
        "verdict": verdict,
        "verdicts": verdicts,
        "when": when,
        "whole": whole,
    }
    return template_engine("templates/matrix", filters)

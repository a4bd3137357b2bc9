"""Explanations: what the page of the rules says of one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tck_kit import assets
from tck_spec.errors import SpecificationError
from tck_spec.rules import RULES
from tck_spec.specification import load

__all__ = ["Explanation", "explanation"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A rule as a reader of its finding wants it explained."""

    code: str
    name: str
    #: The first paragraph of its section, or what its code says of it.
    text: str
    #: Its section, for a browser; None where the page is not at hand.
    uri: str | None


def explanation(code: str) -> Explanation | None:
    """Return what there is to say of a rule; None for a code that is none."""
    return _explanations().get(code)


@cache
def _explanations() -> dict[str, Explanation]:
    """Return all explanations; read once, when the first is asked for."""
    page = assets.rules_page()
    said = _page(page)
    found: dict[str, Explanation] = {}
    for rule in RULES:
        text, slug = said.get(rule.code, ("", ""))
        own = (rule.find.__doc__ or "").strip().partition("\n\n")[0].removeprefix(f"{rule.code}: ")
        uri = f"{page.as_uri()}#{slug}" if slug else None
        found[rule.code] = Explanation(rule.code, rule.name, text or own, uri)
    return found


def _page(path: Path) -> dict[str, tuple[str, str]]:
    """Return first paragraph and slug of each section whose title begins with a code."""
    try:
        spec = load(path)
    except SpecificationError:
        return {}
    codes = {rule.code for rule in RULES}
    found: dict[str, tuple[str, str]] = {}
    for section in spec.sections:
        code = section.title.split(" ", 1)[0]
        if code in codes:
            blocks = (one for one in spec.document.blocks if one.line > section.line and one.kind == "paragraph")
            found[code] = next((" ".join(one.text.split()) for one in blocks), ""), section.slug
    return found

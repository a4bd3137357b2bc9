"""Wording: what is shown of a requirement, a section and a rule, as Markdown or as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from lsprotocol import types

if TYPE_CHECKING:
    from tck_kit.authors.language_server.definitions import Definition
    from tck_kit.authors.language_server.explanations import Explanation

__all__ = ["content", "requirement_words", "rule_words", "scenario_words", "section_words"]

#: What Markdown, or the HTML in it, would not show as it is written.
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
_CODE: Final = re.compile(r"``?([^`]+)``?")
#: A hover is a glance; the rest is a request for references away.
_MOST_SCENARIOS: Final = 10


def content(parts: Iterable[str], *, markdown: bool) -> types.MarkupContent:
    """Return paragraphs as the client can show them; they are given in Markdown."""
    text = "\n\n".join(part for part in parts if part)
    if markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    plain = re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)(?:\*\*|\*|`)", "", text))
    return types.MarkupContent(types.MarkupKind.PlainText, plain)


def _literal(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def requirement_words(one: Definition) -> Iterable[str]:
    """Yield what a requirement says, and how much it binds."""
    about = [word for word in (one.level, one.status, one.section) if word]
    yield f"**{_literal(one.id)}**{' · ' if about else ''}{_literal(' · '.join(about))}"
    yield _literal(one.text)
    if one.reason:
        yield f"*Reason: {_literal(one.reason)}*"


def scenario_words(titles: Sequence[str]) -> str:
    """Return which scenarios a requirement has."""
    if not titles:
        return "No scenario has its tag."
    shown = "\n".join(f"- {_literal(title)}" for title in titles[:_MOST_SCENARIOS])
    more = f"\n- … and {len(titles) - _MOST_SCENARIOS} more" if len(titles) > _MOST_SCENARIOS else ""
    count = "One scenario" if len(titles) == 1 else f"{len(titles)} scenarios"
    return f"{count}:\n\n{shown}{more}"


def section_words(label: str, document: str, places: int) -> Iterable[str]:
    """Yield what a section is called, and how many places refer to it."""
    yield f"**{_literal(label)}**{f' in {_literal(document)}' if document else ''}"
    counted = {0: "Nothing refers to it.", 1: "One place refers to it."}
    yield counted.get(places, f"{places} places refer to it.")


def rule_words(one: Explanation) -> str:
    """Return what a rule is about; its text is Markdown of ours."""
    page = f" [More]({one.uri})" if one.uri else ""
    return f"**{one.code}** {one.name}: {one.text}{page}"

"""Rules on links by label, ``[text][label]``: each label is defined, once, and used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, did_you_mean
from tck_spec.markdown import fold_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.blocks import Definition
    from tck_spec.prose import Prose
    from tck_spec.rules.context import Context

__all__ = ["duplicate_definition", "is_comment", "undefined_label", "unused_definition"]

_FULL: Final = re.compile(r"(?<![\w\\\]!\[)])\[(?P<text>[^\[\]]{1,500})\]\[(?P<label>[^\[\]]{0,500})\](?![\[(])")
_SHORTCUT: Final = re.compile(r"(?<![\w\\\]!\[)$])\[(?P<label>[A-Za-z][^\[\]\n\x00]{1,80})\](?![\[(:\w{])")
_MASK: Final = "\0"

#: A document with fewer links by label does not use them, and brackets are just brackets.
_HABIT: Final = 3


def is_comment(definition: Definition) -> bool:
    """Tell whether a definition is the way in which Markdown writes a comment: ``[//]: # (text)``."""
    return definition.label.strip() == "//" or definition.target in ("", "#", "<>")


def undefined_label(context: Context) -> Iterator[Finding]:
    """REF001: a reference link has a label that nothing defines, so its brackets are shown as text.

    ``[text][label]`` is an error. ``[label]`` alone may be just brackets, so it is only mentioned, and only where the
    document is in the habit of such links.
    """
    pieces = context.spec.prose
    defined = {fold_label(one.label): one.label for one in context.spec.document.definitions}
    offered = 0
    for prose in pieces:
        if "][" in prose.source:
            for label, line, column in _undefined_full(prose, defined):
                offered += 1
                hint = _near(label, defined) if offered <= MOST_SUGGESTIONS else ""
                hint = hint or "add a line '[label]: target', or correct the label"
                yield Finding("REF001", "E", line, column, f"nothing defines the link label [{label}]", hint)
    by_label = sum(1 for prose in pieces for link in prose.inline.links if link.reference)
    if by_label >= _HABIT:
        for prose in pieces:
            if "[" in prose.source and prose.kind != "heading":
                for label, line, column in _undefined_shortcut(prose, defined):
                    message = f"nothing defines the link label [{label}], if it is one"
                    hint = "add a line '[label]: target', or write '\\['"
                    yield Finding("REF001", "I", line, column, message, hint)


def _near(label: str, defined: dict[str, str]) -> str:
    return did_you_mean(label, [" ".join(one.split()) for one in defined.values()])


def _open_text(prose: Prose) -> str:
    """Return the source with code, HTML and working links blanked out, offsets unchanged."""
    chars = list(prose.source)
    for span in prose.inline.claimed:
        chars[span.start : span.end] = _MASK * (span.end - span.start)
    return "".join(chars)


def _undefined_full(prose: Prose, defined: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    for match in _FULL.finditer(_open_text(prose)):
        label = match["label"] or match["text"]
        if fold_label(label) in defined or _MASK in match["label"] or match["text"].startswith("^"):
            continue
        if not match["label"] and _MASK in match["text"]:
            continue
        yield " ".join(label.split()), *prose.place(match.start())


def _undefined_shortcut(prose: Prose, defined: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    for match in _SHORTCUT.finditer(_open_text(prose)):
        label = match["label"]
        if fold_label(label) in defined or label.lower() == "x" or not (label[0].isupper() or " " in label.strip()):
            continue
        yield " ".join(label.split()), *prose.place(match.start())


def unused_definition(context: Context) -> Iterator[Finding]:
    """REF002: a link definition that no link uses; it is the first of its label."""
    used = {link.reference for prose in context.spec.prose for link in prose.inline.links if link.reference}
    seen: set[str] = set()
    for one in context.spec.document.definitions:
        label = fold_label(one.label)
        if label not in used and label not in seen and not is_comment(one):
            message = f"no link uses the label [{_one_line(one.label)}]"
            yield Finding("REF002", "I", one.line, one.column, message, "use it, or take the line away")
        seen.add(label)


def duplicate_definition(context: Context) -> Iterator[Finding]:
    """REF003: a label is defined a second time, which changes nothing: the first definition counts."""
    first: dict[str, Definition] = {}
    for one in context.spec.document.definitions:
        label = fold_label(one.label)
        known = first.setdefault(label, one)
        if known is not one and not is_comment(one):
            message = f"the label [{_one_line(one.label)}] is defined in line {known.line} already, which counts"
            same = known.target == one.target
            hint = "take this line away" if same else f"it leads to {known.target}; give this one another label"
            yield Finding("REF003", "W", one.line, one.column, message, hint)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:80]

"""Rules on links inside the document: anchors and labels of link definitions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, did_you_mean
from tck_spec.markdown import fold_label
from tck_spec.rules.context import spellings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.prose import Prose
    from tck_spec.rules.context import Context

__all__ = ["anchor_case", "dead_anchor", "duplicate_anchor", "undefined_label"]

_FULL: Final = re.compile(r"(?<![\w\\\]!\[)])\[(?P<text>[^\[\]]{1,500})\]\[(?P<label>[^\[\]]{0,500})\](?![\[(])")
_SHORTCUT: Final = re.compile(r"(?<![\w\\\]!\[)$])\[(?P<label>[A-Za-z][^\[\]\n\x00]{1,80})\](?![\[(:\w{])")
_MASK: Final = "\0"

#: A document with fewer links by label does not use them, and brackets are just brackets.
_HABIT: Final = 3


def dead_anchor(context: Context) -> Iterator[Finding]:
    """ANC001: a link into this document leads nowhere."""
    offered = 0
    folded = _folded(context)
    for reference in context.spec.references:
        if reference.kind != "anchor" or not reference.target or context.has_anchor(reference.target):
            continue
        if any(name.lower() in folded for name in spellings(reference.target)):
            continue
        offered += 1
        hint = did_you_mean(reference.target, context.targets) if offered <= MOST_SUGGESTIONS else ""
        message = f"no heading or id has the anchor #{reference.target}"
        yield Finding("ANC001", "E", reference.line, reference.column, message, hint or "correct the link")


def anchor_case(context: Context) -> Iterator[Finding]:
    """ANC003: a link finds its anchor only if capitals do not matter."""
    folded = _folded(context)
    for reference in context.spec.references:
        if reference.kind != "anchor" or not reference.target or context.has_anchor(reference.target):
            continue
        near = next((folded[name.lower()] for name in spellings(reference.target) if name.lower() in folded), None)
        if near:
            message = f"the anchor #{reference.target} differs from #{near} in capitals"
            yield Finding("ANC003", "W", reference.line, reference.column, message, f"write #{near}")


def _folded(context: Context) -> dict[str, str]:
    return {target.lower(): target for target in context.targets}


def duplicate_anchor(context: Context) -> Iterator[Finding]:
    """ANC007: two elements have one id, and only the first can be reached."""
    first: dict[str, int] = {}
    for anchor in sorted(context.spec.anchors, key=lambda anchor: (anchor.line, anchor.column)):
        if anchor.name in first:
            message = f"the id '{anchor.name}' is taken by line {first[anchor.name]} already"
            yield Finding("ANC007", "E", anchor.line, anchor.column, message, "give each place an id of its own")
        first.setdefault(anchor.name, anchor.line)


def undefined_label(context: Context) -> Iterator[Finding]:
    """REF001: a reference link has a label that nothing defines, so its brackets are shown as text.

    ``[text][label]`` is an error. ``[label]`` alone may be just brackets, so it is only mentioned, and only where the
    document is in the habit of such links.
    """
    pieces = context.spec.prose
    defined = {fold_label(definition.label) for definition in context.spec.document.definitions}
    for prose in pieces:
        if "][" in prose.source:
            yield from _undefined_full(prose, defined)
    by_label = sum(1 for prose in pieces for link in prose.inline.links if link.reference)
    if by_label >= _HABIT:
        for prose in pieces:
            if "[" in prose.source and prose.kind != "heading":
                yield from _undefined_shortcut(prose, defined)


def _open_text(prose: Prose) -> str:
    """Return the source with code, HTML and working links blanked out, offsets unchanged."""
    chars = list(prose.source)
    for span in prose.inline.claimed:
        chars[span.start : span.end] = _MASK * (span.end - span.start)
    return "".join(chars)


def _undefined_full(prose: Prose, defined: set[str]) -> Iterator[Finding]:
    for match in _FULL.finditer(_open_text(prose)):
        label = match["label"] or match["text"]
        if fold_label(label) in defined or _MASK in match["label"] or match["text"].startswith("^"):
            continue
        if not match["label"] and _MASK in match["text"]:
            continue
        line, column = prose.place(match.start())
        message = f"nothing defines the link label [{' '.join(label.split())}]"
        yield Finding("REF001", "E", line, column, message, "add a line '[label]: target', or correct the label")


def _undefined_shortcut(prose: Prose, defined: set[str]) -> Iterator[Finding]:
    for match in _SHORTCUT.finditer(_open_text(prose)):
        label = match["label"]
        if fold_label(label) in defined or label.lower() == "x" or not (label[0].isupper() or " " in label.strip()):
            continue
        line, column = prose.place(match.start())
        message = f"nothing defines the link label [{' '.join(label.split())}], if it is one"
        yield Finding("REF001", "I", line, column, message, "add a line '[label]: target', or write '\\['")

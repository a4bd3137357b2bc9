"""Rules on links inside the document: each leads to an anchor, in every dialect that was asked for."""

from __future__ import annotations

from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, did_you_mean
from tck_spec.rules.mending import Source
from tck_spec.targets import Targets, spellings, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.findings import Edit, Severity
    from tck_spec.references import Reference
    from tck_spec.rules.context import Context

__all__ = [
    "anchor_case",
    "dead_anchor",
    "dialect_anchor",
    "duplicate_anchor",
    "missing_in",
    "of_another_dialect",
    "unstable_anchor",
]

_BOT_STARTS: Final = "<!-- ALL-CONTRIBUTORS-LIST:START"
_BOT_ENDS: Final = "<!-- ALL-CONTRIBUTORS-LIST:END"


def missing_in(targets: Targets, anchor: str, dialects: tuple[str, ...]) -> tuple[str, ...]:
    """Return the dialects in which a fragment leads nowhere."""
    return tuple(dialect for dialect in dialects if not targets.has(anchor, dialect))


def _broken(context: Context) -> Iterator[tuple[Reference, Targets, tuple[str, ...]]]:
    """Yield the links into this document that lead nowhere in some dialect, and in which."""
    targets, dialects = targets_of(context.spec), context.settings.anchors
    written_by_a_bot = _contributors(context.spec.text)
    for reference in context.spec.references:
        if reference.kind == "anchor" and reference.target and reference.line not in written_by_a_bot:
            missing = missing_in(targets, reference.target, dialects)
            if missing:
                yield reference, targets, missing


def _contributors(text: str) -> range:
    """Return the lines of the table of contributors that a bot writes, and whose links lead nowhere on purpose."""
    start = text.find(_BOT_STARTS)
    if start < 0:
        return range(0)
    first, end = text.count("\n", 0, start) + 1, text.find(_BOT_ENDS, start)
    return range(first, first + text.count("\n", start, end) + 1)


class _Part:
    """Whether a document of the set includes this one, so that anchors may be that one's; asked only if it matters."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def value(self) -> bool:
        name = PurePath(self._context.spec.source).name
        return any(name in targets_of(other).included for other in self._context.others)


class _Abroad:
    """Whether a document may have been written for another dialect: then its author, not a tool, has to say.

    It is at home where as many of its links work as they should as in another dialect alone; asked only if it matters.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def value(self) -> bool:
        targets, dialects = targets_of(self._context.spec), self._context.settings.anchors
        anchors = {one.target for one in self._context.spec.references if one.kind == "anchor" and one.target}
        dead = {one for one in anchors if missing_in(targets, one, dialects)}
        strangers = {one for one in dead if any(targets.elsewhere(one, dialects))}
        return len(anchors - strangers) < len(strangers)


def dead_anchor(context: Context) -> Iterator[Finding]:
    """ANC001: a link into this document leads nowhere."""
    dialects, source = context.settings.anchors, Source(context.spec)
    offered, part, abroad = 0, _Part(context), _Abroad(context)
    for reference, targets, missing in _broken(context):
        anchor = reference.target
        if len(missing) < len(dialects) or _braced(targets, anchor) or targets.by_case(anchor, dialects):
            continue
        meant = targets.meant(anchor, dialects, reference.label)
        severity: Severity = "E"
        if meant:
            hint = f"did you mean {meant}?{of_another_dialect(targets, anchor, dialects)}"
        else:
            hint = did_you_mean(anchor, targets.names(dialects)) if offered < MOST_SUGGESTIONS else ""
            offered += 1
        stranger = any(targets.elsewhere(anchor, dialects))
        fix = source.retarget(reference, meant) if meant and not (stranger and abroad.value) else ()
        message = f"no heading or id has the anchor #{anchor}"
        if targets.includes:
            severity, message = "W", f"{message}, unless what the document includes has"
        elif part.value:
            severity, message = "W", f"{message}, unless the document has that includes this one"
        yield Finding(
            "ANC001", severity, reference.line, reference.column, message, hint or "correct the link", fix=fix
        )


def _warning(reference: Reference, rule: str, message: str, hint: str, fix: tuple[Edit, ...] = ()) -> Finding:
    return Finding(rule, "W", reference.line, reference.column, message, hint, fix=fix)


def of_another_dialect(targets: Targets, anchor: str, dialects: tuple[str, ...]) -> str:
    """Return, for the end of a hint, in which dialect that was not asked for a fragment leads to a heading."""
    names = [dialect for dialect, _ in targets.elsewhere(anchor, dialects)]
    return f" #{anchor} is for {' and '.join(names)}, see check.anchors" if names else ""


def _braced(targets: Targets, anchor: str) -> bool:
    return any(name in targets.braces for name in spellings(anchor))


def dialect_anchor(context: Context) -> Iterator[Finding]:
    """ANC002: a link works in some of the dialects that were asked for, or only where ids in braces are read."""
    for reference, targets, missing in _broken(context):
        anchor, dialects = reference.target, context.settings.anchors
        if len(missing) < len(dialects):
            works = ", ".join(dialect for dialect in dialects if dialect not in missing)
            message = f"the anchor #{anchor} leads somewhere in {works}, but nowhere in {', '.join(missing)}"
            yield _warning(reference, "ANC002", message, f'give the place an id: <a id="{anchor}"></a>')
        elif _braced(targets, anchor):
            message = f"the anchor #{anchor} is an id in braces, which {', '.join(missing)} shows as text"
            yield _warning(reference, "ANC002", message, "set check.anchors to where the document is shown")


def anchor_case(context: Context) -> Iterator[Finding]:
    """ANC003: a link finds its anchor only if capitals do not matter."""
    source = Source(context.spec)
    for reference, targets, missing in _broken(context):
        dialects = context.settings.anchors
        near = targets.by_case(reference.target, dialects)
        if near and len(missing) == len(dialects) and not _braced(targets, reference.target):
            message = f"the anchor #{reference.target} differs from #{near} in capitals"
            yield _warning(reference, "ANC003", message, f"write #{near}", source.retarget(reference, near))


def unstable_anchor(context: Context) -> Iterator[Finding]:
    """ANC004: a link relies on the number by which one of several equal headings is told apart."""
    targets, dialect = targets_of(context.spec), context.settings.anchors[0]
    slugs = targets.slugs(dialect)
    for reference in context.spec.references:
        if reference.kind != "anchor":
            continue
        for name in spellings(reference.target):
            section = slugs.get(name)
            if section is None or name in targets.explicit or name in targets.braces:
                continue
            if targets.is_numbered(name, dialect):
                message = f"#{name} is the anchor of '{section.title}' only as long as no equal heading is added above"
                yield _warning(reference, "ANC004", message, "name the headings apart, or give this one an id")
            break


def duplicate_anchor(context: Context) -> Iterator[Finding]:
    """ANC007: two elements have one id, and only the first can be reached; an error where a link goes to it."""
    first: dict[str, int] = {}
    linked: frozenset[str] | None = None
    for anchor in sorted(context.spec.anchors, key=lambda anchor: (anchor.line, anchor.column)):
        if first.get(anchor.name, anchor.line) != anchor.line:
            linked = _linked(context) if linked is None else linked
            message = f"the id '{anchor.name}' is taken by line {first[anchor.name]} already"
            severity: Severity = "E" if anchor.name in linked else "W"
            yield Finding("ANC007", severity, anchor.line, anchor.column, message, "give each place an id of its own")
        first.setdefault(anchor.name, anchor.line)


def _linked(context: Context) -> frozenset[str]:
    """Return the ids of this document that its links, and those of the other documents, go to.

    A heading's link to itself is none: it is there to be copied.
    """
    lines: dict[str, set[int]] = {}
    for anchor in context.spec.anchors:
        lines.setdefault(anchor.name, set()).add(anchor.line)
    names: set[str] = set()
    for one in context.spec.references:
        if one.kind == "anchor":
            names.update(name for name in spellings(one.target) if one.line not in lines.get(name, ()))
    for other in context.others:
        for one in other.references:
            path, _, fragment = one.target.partition("#") if one.kind == "file" else ("", "", "")
            if fragment in lines and context.library.look(other.source, path).document is context.spec:
                names.add(fragment)
    return frozenset(names)

"""Rules on links to other files: the file exists, and so does the place in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.findings import MOST_SUGGESTIONS, Finding, did_you_mean
from tck_spec.rules.links import missing_in, of_another_dialect
from tck_spec.targets import spellings, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.findings import Severity
    from tck_spec.library import Target
    from tck_spec.references import Reference
    from tck_spec.rules.context import Context

__all__ = ["dead_file", "dead_file_anchor"]

#: A path that a template engine fills in before anybody follows it.
_TEMPLATE: Final = re.compile(r"\{\{|\{%|\$\{|%7[Bb]%7[Bb]|^%[A-Z_]+%|^@|^<")


def _links(context: Context) -> Iterator[tuple[Reference, str, str]]:
    """Yield the links to files, with path and fragment."""
    for reference in context.spec.references:
        if reference.kind == "file" and not _TEMPLATE.search(reference.target):
            path, _, fragment = reference.target.partition("#")
            if path:
                yield reference, path, fragment


def dead_file(context: Context) -> Iterator[Finding]:
    """ANC005: a link goes to a file that does not exist.

    A document of which not one such link leads to a file was most likely taken out of its folder alone. Then this is
    a warning, and so it is for a page that only a site generator makes, and for a path from the root of a site whose
    root nobody has named. A path that leaves the project is not followed, which is said.
    """
    found = [
        (reference, path, context.library.look(context.spec.source, path)) for reference, path, _ in _links(context)
    ]
    alone = not any(target.found in ("document", "file", "folder", "page") for _, _, target in found)
    for reference, path, target in found:
        if target.found == "page":
            name = target.path.name if target.path else path
            message = f"there is no '{_short(path)}', only the {name} that a site generator would make it of"
            hint = "link to the file, or set check.extensionless_links"
            yield Finding("ANC005", "W", reference.line, reference.column, message, hint)
        elif target.found == "outside" and target.path is not None:
            message = f"'{_short(path)}' leads out of the project, where nobody looks"
            hint = "link to where it is published, or check from a folder above both"
            yield Finding("ANC005", "I", reference.line, reference.column, message, hint)
        elif target.found == "missing":
            yield _missing(context, reference, path, target, alone=alone)


def _missing(context: Context, reference: Reference, path: str, target: Target, *, alone: bool) -> Finding:
    message = f"there is no file '{_short(path)}'"
    severity: Severity = "E"
    hint = f"did you mean {target.near[0]}?" if target.near else "correct the path"
    if path.startswith("/") and context.settings.site_root is None:
        severity = "W" if _in_the_root(context, path) else "I"
        hint = "set check.site_root to the folder that such paths start in, or correct the path"
    elif alone:
        severity, hint = "W", "no link of this document leads to a file: check it where it belongs, or correct the path"
    return Finding("ANC005", severity, reference.line, reference.column, message, hint)


def _in_the_root(context: Context, path: str) -> bool:
    """Tell whether a path from the root names a file in a folder of the root, and not a page of some site."""
    folder, slash, _ = path[1:].partition("/")
    known = bool(slash) and context.library.look(context.spec.source, f"/{folder}").found == "folder"
    return known and re.search(r"\.\w{1,8}$", path) is not None


def dead_file_anchor(context: Context) -> Iterator[Finding]:
    """ANC006: a link goes to a place in another document that is not there."""
    dialects = context.settings.anchors
    offered = 0
    for reference, path, fragment in _links(context):
        target = context.library.look(context.spec.source, path) if fragment else None
        document = target.document if target and target.found in ("document", "folder", "page") else None
        if document is None:
            continue
        targets = targets_of(document)
        missing = missing_in(targets, fragment, dialects)
        if not missing:
            continue
        where = _short(path)
        near = targets.by_case(fragment, dialects)
        meant = near or targets.meant(fragment, dialects, reference.label)
        offered += 1
        hint = f"did you mean {meant}?{of_another_dialect(targets, fragment, dialects)}" if meant else ""
        if not meant and offered <= MOST_SUGGESTIONS:
            hint = did_you_mean(fragment, targets.names(dialects))
        severity: Severity = "E"
        message = f"in {where} no heading or id has the anchor #{fragment}"
        if near:
            severity, message = "W", f"in {where} the anchor is #{near}, with other capitals than #{fragment}"
        elif len(missing) < len(dialects):
            severity, message = "W", f"in {where} the anchor #{fragment} leads nowhere in {', '.join(missing)}"
        elif any(name in targets.braces for name in spellings(fragment)):
            severity = "W"
            message = f"in {where} #{fragment} is an id in braces, which {', '.join(missing)} shows as text"
        elif targets.includes:
            severity, message = "W", f"{message}, unless what it includes has"
        yield Finding("ANC006", severity, reference.line, reference.column, message, hint or "correct the link")


def _short(path: str) -> str:
    return path if len(path) <= 80 else f"{path[:79]}…"  # noqa: PLR2004 -- what fits in a message

"""Changes as lines of text, one for each, with what is open and how to answer it."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Final

from tck_spec.lock.changes import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tck_spec.lock.changes import Change

__all__ = ["counted", "lines_of", "own_id", "questions"]

_LONGEST: Final = 160
#: More changes than this are counted, not listed.
MOST: Final = 60


def own_id(identifier: str) -> str:
    """Return an id as its document writes it, without the prefix that it has in the lock."""
    return identifier.partition(":")[2] or identifier


def counted(changes: Sequence[Change], *, without: Sequence[str] = ("unchanged",)) -> str:
    """Return how many changes there are of each kind, the gravest first."""
    counts = Counter(one.kind for one in changes)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind] and kind not in without)


def lines_of(changes: Sequence[Change], source: str) -> Iterator[str]:
    """Yield the changes that a reader wants to see, with the old text and the new."""
    shown = [one for one in changes if one.kind not in ("unchanged", "moved")]
    for one in shown[:MOST]:
        where = f"{source}:{one.line}:{one.column}" if one.line else source
        section = f" ({one.old_section})" if not one.line and one.old_section else ""
        yield f"{where}: {one.kind} {own_id(one.id)}{_about(one)}{section}"
        if one.kind == "context-changed":
            yield f"    - {_short(one.old_context)}"
            yield f"    + {_short(one.new_context)}"
        else:
            if one.old and one.old != one.new:
                yield f"    - {_short(one.old)}"
            if one.new and one.kind != "renumbered":
                yield f"    + {_short(one.new)}"
    if len(shown) > MOST:
        yield f"… and {len(shown) - MOST} more; `session-tck drift` shows all"


def _about(one: Change) -> str:
    others = ", ".join(own_id(other) for other in one.others)
    if one.kind == "split":
        return f" into {others}"
    if one.kind == "merged":
        return f" from {others}"
    if one.kind == "renumbered":
        return f", which was {others}"
    if one.kind == "ask":
        return f": is it {' or '.join(map(own_id, one.others))}? ({one.ratio:.0%} alike)"
    return f" ({one.why})" if one.why else ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def questions(changes: Sequence[Change]) -> Iterator[str]:
    """Yield the commands that answer what is open."""
    for one in changes:
        name = shlex.quote(own_id(one.id))
        if one.kind == "ask":
            for other in one.others:
                yield f"session-tck accept {name} --as {shlex.quote(own_id(other))}    # it is that one, edited"
            yield f"session-tck accept {name} --new    # it is another requirement"
        elif one.kind == "reused":
            yield f"session-tck accept {name} --new    # the id keeps standing with this text"

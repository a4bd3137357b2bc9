"""The pipeline, held against pairs of documents and what a reader would say has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tck_spec.lock.changes import Change

from .documents import held

FIXTURE: Final = Path(__file__).parent / "fixtures" / "changes.txt"


def _pairs() -> list[tuple[str, str, str, list[str]]]:
    pairs: list[tuple[str, str, str, list[str]]] = []
    for part in FIXTURE.read_text(encoding="utf-8").split("\n=== ")[1:]:
        name, _, rest = part.partition("\n")
        old, _, rest = rest.partition("\n--- becomes\n")
        new, _, changes = rest.partition("\n--- changes")
        pairs.append((name, old + "\n", new + "\n", [line for line in changes.split("\n") if line]))
    return pairs


PAIRS: Final = _pairs()


@pytest.mark.parametrize(("old", "new", "expected"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_a_document_has_changed_as_a_reader_would_say(old: str, new: str, expected: list[str]) -> None:
    found = held(held(None, old).lock, new)
    told = [_told(one) for one in found.changes if one.kind != "unchanged"]
    assert told == expected


def _told(one: Change) -> str:
    others = f" {len(one.others)}" if one.others else ""
    return f"{one.line} {one.kind}{others}{' moved' * (one.moved and one.kind != 'moved')}"


@pytest.mark.parametrize("text", [text for _, old, new, _ in PAIRS for text in (old, new)])
def test_a_document_held_against_its_own_lock_is_unchanged(text: str) -> None:
    first = held(None, text)
    again = held(first.lock, text)
    assert again.lock == first.lock
    assert {one.kind for one in again.changes} <= {"unchanged"}
    assert {one.kind for one in first.changes} <= {"new"}


@pytest.mark.parametrize(("old", "new"), [pair[1:3] for pair in PAIRS], ids=[pair[0] for pair in PAIRS])
def test_an_update_is_idempotent(old: str, new: str) -> None:
    once = held(held(None, old).lock, new)
    twice = held(once.lock, new)
    assert twice.lock == once.lock
    assert {one.kind for one in twice.changes} <= {"unchanged", "ask", "reused"}
    assert [one.id for one in twice.open] == [one.id for one in once.open]


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("\nIt MUST be warm.\n" * 3000, "\nIt MUST be warm.\n" * 2990, 10),
        ("\n## Notes\n\nIt MUST be warm.\n" * 1500, "\n## Notes\n\nIt MUST be warm.\n" * 1490, 10),
        ("\nIt MUST be " + "warm and dry " * 5000, "\nIt MUST be " + "cold and dry " * 5000, 0),
    ],
)
def test_thousands_of_equal_things_are_settled(old: str, new: str, gone: int) -> None:
    found = held(held(None, "# Tea\n" + old).lock, "# Tea\n" + new)
    assert sum(one.kind == "gone" for one in found.changes) == gone
    assert {one.kind for one in found.changes} <= {"unchanged", "gone", "edited", "ask"}

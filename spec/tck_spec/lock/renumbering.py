"""What has become of a section number that no heading has any more."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tck_spec.lock.section_matching import match_sections
from tck_spec.lock.updating import contents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tck_spec.lock.records import Lock, SectionRecord
    from tck_spec.specification import Specification
    from tck_spec.statements import Statement

__all__ = ["Renumbering", "renumbered"]


class Renumbering:
    """The numbers that sections had when the lock was written, and those that they have now; matched once."""

    def __init__(self, lock: Lock, spec: Specification, statements: Sequence[Statement] = ()) -> None:
        """Match nothing yet: most documents name no number that is not there."""
        self._lock = lock
        self._spec = spec
        self._statements = statements

    @cached_property
    def _now(self) -> dict[str, SectionRecord]:
        """The sections as they are now, by the ids that they have in the lock."""
        lock, spec = self._lock, self._spec
        texts = contents(lock, spec, self._statements)
        matched = match_sections(lock.header.document, lock.sections, spec.sections, *texts)
        return {one.id: one for one in matched.records}

    def __call__(self, number: str) -> str:
        """Return the sentence that says where a section went; empty where the lock knows nothing of its number."""
        if any(section.number == number for section in self._spec.sections):
            return ""
        had = [one for one in self._lock.sections if one.number == number and one.state == "active"]
        had = had or [one for one in self._lock.sections if number in one.was or one.number == number]
        if len(had) != 1:
            return ""
        before, now = had[0], self._now.get(had[0].id)
        if now is None or now.state == "gone":
            return f"section {number} was '{before.title}', which is no longer there"
        return f"section {number} is {_called(now)} now"


def _called(section: SectionRecord) -> str:
    return f"{section.number} ('{section.title}')" if section.number else f"'{section.title}'"


def renumbered(lock: Lock, spec: Specification, number: str, statements: Sequence[Statement] = ()) -> str:
    """Return where a section went that a reference still names by a number which no heading has."""
    return Renumbering(lock, spec, statements)(number)

"""Sections: headings with the number that people cite and the slug that links use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tck_spec.dialects import split_braces
from tck_spec.slugs import Slugger

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Heading", "Section", "build_sections", "split_heading"]

#: A letter with three digits and more is a standard: ``X.509``.
_NUMBERED: Final = re.compile(
    r"(?:§\s?|(?:Section|Chapter|Clause)\s+)?(?P<number>\d{1,3}(?:\.\d{1,4})*[a-z]?|[A-Z](?:\.\d{1,2})+)"
    r"(?:\.(?=\s|$)|\))?(?=[\s:—–]|$)",
)
_APPENDIX: Final = re.compile(
    r"(?:Appendix|Annex|APPENDIX|ANNEX)\s+(?P<number>[A-Z]\b(?:\.\d{1,4})*|\d{1,2}\b(?:\.\d{1,4})*)"
)
_LETTERED: Final = re.compile(r"(?P<number>[A-Z])\.(?=\s)")
_BETWEEN: Final = " \t\n.:)—–-"

#: From here on a lone number in a heading is a status code or a year.
_LARGEST_CHAPTER: Final = 100


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows it, up to the next heading of its level or above."""

    #: ``16.5``, ``A``, ``A.3``; an appendix with a digit is ``Appendix 1``. None for a heading without a number.
    number: str | None
    #: The heading's text without its number.
    title: str
    level: int
    slug: str
    line: int
    column: int
    #: The slug of the section around it.
    parent: str | None
    #: The heading's text content as it was read, of which every dialect makes its own anchor.
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as it was read: its text content and where it stands."""

    text: str
    level: int
    line: int
    column: int


def split_heading(text: str) -> tuple[str | None, str]:
    """Return the number and the title of a heading's text content."""
    appendix = _APPENDIX.match(text)
    if appendix:
        number = appendix["number"]
        return (f"Appendix {number}" if number[0].isdigit() else number), text[appendix.end() :].lstrip(
            _BETWEEN
        ).strip()
    match = _NUMBERED.match(text) or _LETTERED.match(text)
    if not match:
        return None, text.strip()
    number = match["number"]
    if number.isdigit() and int(number) >= _LARGEST_CHAPTER:
        return None, text.strip()
    return number, text[match.end() :].lstrip(_BETWEEN).strip()


class _Steps:
    """Bare numbers that count steps inside a numbered section (``4.2`` > ``1. Prepare``, ``2. Send``).

    They name no section: the document's own section 2 is another one. A count starts at 1, so a lone ``5`` inside
    section 4 is not a step but a heading of the wrong level.
    """

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def takes(self, number: str | None, around: list[Section]) -> bool:
        if number is None or not number.isdigit() or not any(section.number for section in around):
            return False
        parent, value = around[-1].slug, int(number)
        if value != 1 and parent not in self._last:
            return False
        self._last[parent] = value
        return True


def build_sections(headings: Iterable[Heading]) -> tuple[Section, ...]:
    """Give every heading its number, its slug (GitHub's rules) and the section around it."""
    slugger, steps = Slugger(), _Steps()
    sections: list[Section] = []
    around: list[Section] = []
    for heading in headings:
        while around and around[-1].level >= heading.level:
            around.pop()
        text = " ".join(heading.text.split())
        text = split_braces(text)[1]
        number, title = split_heading(text)
        if steps.takes(number, around):
            number, title = None, text
        parent = around[-1].slug if around else None
        slug = slugger(heading.text)
        section = Section(number, title, heading.level, slug, heading.line, heading.column, parent, heading.text)
        sections.append(section)
        around.append(section)
    return tuple(sections)

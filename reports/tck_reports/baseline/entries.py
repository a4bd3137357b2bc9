"""The entries of a baseline as a user writes them, with what narrows them down."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from tck_reports.records import BaselineEntry

#: Ways of failing that an entry may be about; an entry that names none is about the first two.
WAYS: Final = ("assertion", "false_advertising", "timeout")
#: Characters of a text in an entry, at most.
MOST_TEXT: Final = 2_000
#: What is another one in each run: names that an engine gives to runs, and what is drawn from the seed, which is issues
#: with all that is named after them, places on the disk, and images. A short number is which run it is, and stays.
_CHANGING: Final = re.compile(
    r"(?:(?<=\bof run )|(?<=\bin run )|(?<=^run ))(?!\d{1,3}(?!\S))\S+"
    r"|(?<!\S)/\S+|\S+-issue-\d*(?=[/\s]|$)|(?<=\brunner-)\S+"
)
#: Half of a character that takes two in UTF-16: no file of text can hold one.
_HALF: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Known:
    """An entry, and which failure it means: an expectation by its statement, a way of failing; None for any usual one.

    In a statement `*` stands for any text. A step is one of the scenario, word for word: two expectations of one
    scenario may say the same, or differ only in what changes from run to run, and the step tells them apart.
    """

    entry: BaselineEntry
    statement: str | None = None
    fails: str | None = None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """All entries, the digest of the file that they are from, and the day on which they are held against a run."""

    digest: str
    entries: tuple[Known, ...]
    today: date


def matches(pattern: str, statement: str) -> bool:
    """Whether a statement is the one that an entry means."""
    pattern, statement = encodable(pattern), encodable(statement)
    first, *rest = pattern.split("*")
    if not rest:
        return statement == pattern
    last = rest.pop()
    if not (statement.startswith(first) and statement.endswith(last)):
        return False
    place, end = len(first), len(statement) - len(last)
    for part in rest:
        found = statement.find(part, place, max(place, end))
        if found < 0:
            return False
        place = found + len(part)
    return place <= end


def pattern_of(statement: str) -> str:
    """Return what matches a statement in every run of the same engine, whatever the seed."""
    pattern = _CHANGING.sub("*", encodable(statement))
    return pattern if len(pattern) <= MOST_TEXT else f"{pattern[: MOST_TEXT - 1]}*"


def encodable(text: str) -> str:
    """Return the text as a report has it: halves of characters, which an engine may have said, spelled out."""
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)

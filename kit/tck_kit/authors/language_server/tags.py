"""Tags: where the tags of a feature file stand, read line by line.

The reader of record gives up at the first line that is no Gherkin, and while somebody types there always is one. It
also tells only which tags a scenario ends up with, and an editor has to know which word to underline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tck_kit.authors.language_server.positions import Text

__all__ = ["Tag", "find_tags"]

_TAG: Final = re.compile(r"@[^\s@#]+")
_DOC_STRING: Final = ('"""', "```")


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag, and what it stands on."""

    #: Without the ``@``, as it is written.
    name: str
    line: int
    #: The column of the ``@``.
    column: int
    #: The line that the tag belongs to, such as ``Scenario: It resumes``, and its number; none at the end of a file.
    owner: str = ""
    owner_line: int = 0

    @property
    def folded(self) -> str:
        """The tag as tags are compared."""
        return self.name.lower()

    @property
    def end_column(self) -> int:
        """The column after its last character."""
        return self.column + 1 + len(self.name)

    @property
    def title(self) -> str:
        """The name of what it stands on."""
        return self.owner.partition(":")[2].strip() or self.owner


def find_tags(text: Text) -> tuple[Tag, ...]:
    """Return the tags of a feature file in order, those in comments and doc strings left out."""
    found: list[Tag] = []
    waiting: list[Tag] = []
    fence = ""
    for number in range(1, text.lines + 1):
        line = text.line(number)
        bare = line.strip()
        if fence or bare.startswith(_DOC_STRING):
            fence = _after(bare, fence)
        elif bare.startswith("@"):
            waiting += _in_line(line, number)
        elif bare and not bare.startswith("#"):
            found += (Tag(one.name, one.line, one.column, bare, number) for one in waiting)
            waiting = []
    return (*found, *waiting)


def _after(bare: str, fence: str) -> str:
    """Return the mark of the doc string that is open after a line; empty for none."""
    if fence:
        return "" if bare.startswith(fence) else fence
    return bare[:3]


def _in_line(line: str, number: int) -> Iterator[Tag]:
    comment = re.search(r"\s#", line)
    for match in _TAG.finditer(line, 0, comment.start() if comment else len(line)):
        yield Tag(match.group()[1:], number, match.start() + 1)

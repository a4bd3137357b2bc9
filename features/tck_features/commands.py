"""A start of a CLI as a report may show it: its arguments, without what somebody else has written.

The prompts of an engine are its makers' text. How long one was and whether it held the whole task is evidence; its
words are not for a report that is published, and neither are the folders of the machine that it ran on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tck_driver.witness import CliStarted

#: An argument that is longer than this is text, whatever it is for.
_LONGEST_WORD = 120
#: A path of this machine, up to its last part.
_FOLDERS = re.compile(r"(?<![\w./])/(?:[^/\s=:,]+/)+")


def command(start: CliStarted) -> str:
    """Give the arguments on one line, with a note in place of each that is or holds a text."""
    kind = "" if start.full is None else ", full" if start.full else ", delta"
    prompt = f"<prompt: {len(start.prompt)} characters{kind}>"
    return " ".join(_word(word, start.prompt, prompt) for word in start.argv)


def _word(word: str, text: str, note: str) -> str:
    if text and text in word:
        word = word.replace(text, note)
    if len(word) > _LONGEST_WORD or word.splitlines() not in ([word], []):
        return f"<{len(word)} characters>"
    return _FOLDERS.sub("…/", word)

"""What a CLI wants of a request: the next turn of a conversation, or something beside it.

A CLI asks for a title or a summary by prompts of its own. They are told apart so that counting turns stays simple.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tck_fakes.modelserver.asked import Purpose, Turn
from tck_fakes.modelserver.wire import Json

#: How CLIs word what they want, in a system text.
_TITLE: Final = re.compile(r"title generator|generate an? [^.]{0,40}\btitle\b", re.IGNORECASE)
#: The same in what the user seems to say last.
_SUMMARY: Final = re.compile(
    r"context checkpoint compaction|new anchored summary|update the anchored summary"
    r"|respond with text only\. do not call any tools|create a detailed summary of the conversation",
    re.IGNORECASE,
)


def purpose_of(body: Json, turns: Iterable[Turn]) -> Purpose:
    """Tell what a request is for."""
    said = [turn for turn in turns if turn.role in {"system", "user"}]
    if not body.get("tools") and any(_TITLE.search(turn.text) for turn in said if turn.role == "system"):
        return "title"
    if said and said[-1].role == "user" and _SUMMARY.search(said[-1].text):
        return "summary"
    return "turn"

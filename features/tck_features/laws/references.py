"""What Git takes for the name of a branch: the rule of `git check-ref-format --branch`, without asking Git.

A history has thousands of names, and a process for each would cost more than all the rest. Specification: NAME-9.
"""

from __future__ import annotations

import re

#: Control characters, the space, DEL, and what Git's own notations for revisions are made of.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")


def is_branch_name(text: str) -> bool:
    """Say whether `git check-ref-format --branch` accepts a text and gives it back as it is."""
    if text in ("", "@", "HEAD") or text.startswith("-") or text.endswith("."):
        return False
    if _FORBIDDEN.search(text) or ".." in text or "@{" in text or not _can_be_said(text):
        return False
    return all(part and not part.startswith(".") and not part.endswith(".lock") for part in text.split("/"))


def _can_be_said(text: str) -> bool:
    """Half a surrogate pair has no bytes that could be handed to Git."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""The name of a session, which is the name of the issue's branch: derived once, then frozen.

Specification: NAME-1 to NAME-10, §7.3. Derivation is pure and depends on nothing of the machine, so the same issue
gets the same bytes everywhere; freezing happens in the store, which keeps the first name a mailbox was given.
"""

from __future__ import annotations

import re
import unicodedata

#: Specification: NAME-8. A slug is cut to this many characters and then trimmed.
SLUG_LENGTH = 40
#: Specification: §23.3. In bytes.
PREFIX_LENGTH = 40

_MARKS = re.compile("[\u0300-\u036f]+")
_OTHER = re.compile(r"[^a-z0-9]+")
_FORBIDDEN_IN_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")
#: `str.lower` would change other letters too, some of them to more than one.
_ASCII_LOWER = str.maketrans({chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)})


def storable(title: str) -> str:
    """Give a title as a database can hold it: half a surrogate pair, which is no character, becomes U+FFFD."""
    return title.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def slug(title: str) -> str:
    """Give the slug of an issue title: `[a-z0-9-]`, at most 40 characters, no `-` at either end, perhaps empty.

    Specification: NAME-8, the five steps of §7.3 in their order.
    """
    unmarked = _MARKS.sub("", unicodedata.normalize("NFD", title))
    return _OTHER.sub("-", unmarked.translate(_ASCII_LOWER))[:SLUG_LENGTH].strip("-")


def session_name(prefix: str, iid: int, title: str) -> str:
    """Give the name of branch and session for an issue: `{prefix}issue-{iid}-{slug}`, without the slug if empty.

    Specification: NAME-1, NAME-8.
    """
    tail = slug(title)
    return f"{prefix}issue-{iid}-{tail}" if tail else f"{prefix}issue-{iid}"


def prefix_fault(prefix: str) -> str | None:
    """Say what keeps a branch prefix from beginning a Git branch name, or None.

    With a prefix that passes, every name passes `git check-ref-format --branch`. Specification: NAME-9, §23.3.
    """
    if len(prefix.encode("utf-8", "surrogatepass")) > PREFIX_LENGTH:
        return f"it is longer than {PREFIX_LENGTH} bytes"
    if prefix.startswith(("-", "/", ".")):
        return "it begins with '-', '/' or '.'"
    if _FORBIDDEN_IN_REF.search(prefix):
        return "it holds a character or sequence that Git forbids in branch names"
    if "/." in prefix or ".lock/" in prefix:
        return "a part between slashes begins with '.' or ends in '.lock'"
    return None

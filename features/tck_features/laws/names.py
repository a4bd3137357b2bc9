"""How an issue's branch, and so its session, is called: the steps of §7.3, written out once more.

Specification: NAME-1, NAME-8, NAME-10; what a prefix may be is §23.3's.
"""

from __future__ import annotations

import re
import unicodedata

from tck_features.laws.references import is_branch_name

#: Of a slug, in characters.
LONGEST_SLUG = 40
#: Of a prefix, in bytes.
LONGEST_PREFIX = 40

_MARKS = re.compile("[\u0300-\u036f]")
_OTHERS = re.compile("[^a-z0-9]+")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def slug(title: str) -> str:
    """Give what of a title stands in a name."""
    # Whatever follows cannot be kept: each character gives one at least, and a run of dashes one in all. A title of
    # millions of marks is cut as it is.
    plain = _MARKS.sub("", unicodedata.normalize("NFD", title)).translate(_LOWER)
    return _OTHERS.sub("-", plain)[:LONGEST_SLUG].strip("-")


def branch_name(prefix: str, iid: int, title: str) -> str:
    """Give the name that an issue has to have from its first run on."""
    words = slug(title)
    return f"{prefix}issue-{iid}-{words}" if words else f"{prefix}issue-{iid}"


def is_prefix(text: object) -> bool:
    """Say whether `BRANCH_PREFIX` takes a value."""
    if not isinstance(text, str) or not is_branch_name(f"{text}issue-1"):
        return False
    return len(text.encode()) <= LONGEST_PREFIX

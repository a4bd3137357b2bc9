"""Minting: how a statement or a section without an id gets one.

An id is made of the words at the moment it is minted, and frozen in the lock from then on. So two branches that add the
same sentence mint the same id and merge without a conflict, and two that add different ones do not collide.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["document_key", "mint", "mint_section", "tag_of"]

#: Crockford's digits: without I, L, O and U, which are read as others.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_REQUIREMENT_LENGTH: Final = 6
_SECTION_LENGTH: Final = 5
#: By how much an id grows while a shorter one is taken.
_LONGER: Final = 2
#: As many digits as a SHA-256 gives.
_LONGEST: Final = 51

_NO_WORD: Final = re.compile(r"[^a-z0-9]+")
_TAG_BREAK: Final = re.compile(r"[\s@#]+")


def document_key(name: str) -> str:
    """Return what the ids of a document begin with, made of a name: lower case, words joined by hyphens."""
    return _NO_WORD.sub("-", name.casefold())[:_LONGEST].strip("-") or "doc"


def mint(document: str, text: str, title: str, occurrence: int, taken: Container[str]) -> str:
    """Return the id of a statement, such as ``A2A-K3F9QZ``.

    `text` is its loose form, `title` that of the section it stands in, `occurrence` counts equal ones from 0. `taken`
    holds every id that there is or ever was; a taken one is made longer.
    """
    seed = "\0".join((document, text, title, str(occurrence)))
    return _free(f"{document.upper()}-", seed, _REQUIREMENT_LENGTH, taken)


def mint_section(document: str, title: str, parent: str, occurrence: int, taken: Container[str]) -> str:
    """Return the id of a section, such as ``a2a#S-7QK2M``, made of its title and the title around it."""
    seed = "\0".join((document, "section", title, parent, str(occurrence)))
    return _free(f"{document}#S-", seed, _SECTION_LENGTH, taken)


def _free(prefix: str, seed: str, length: int, taken: Container[str]) -> str:
    suffix = 0
    while True:
        digits = _digits(seed if not suffix else f"{seed}\0{suffix}")
        for end in range(length, _LONGEST + 1, _LONGER):
            candidate = prefix + digits[:end]
            if candidate not in taken:
                return candidate
        suffix += 1


def _digits(seed: str) -> str:
    """Return a SHA-256 in Crockford's base 32, the first bits first."""
    number = int.from_bytes(sha256(seed.encode("utf-8", "surrogatepass")).digest(), "big") >> 1
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(250, -1, -5))


def tag_of(identifier: str) -> str:
    """Return the tag that a scenario has for an id: in lower case, without the document's prefix.

    pytest cuts a marker at a colon and Gherkin a tag at a space, so neither stands in one.
    """
    own = identifier.partition(":")[2] or identifier
    return _TAG_BREAK.sub("-", own.strip().lower()).replace(":", "-")

"""Names made safe: for folders, for URLs, and such that two never meet."""

import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final, TypeVar
from unicodedata import normalize

T = TypeVar("T")

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_RUNS: Final = re.compile(r"-{2,}|\.{2,}")
#: Leaves room for the digest in a name of a file.
_LONGEST: Final = 80
_PIECES: Final = (8, 16, 64)
#: Names of devices where the files may be unpacked, and of the folder's own index.
_TAKEN: Final = frozenset(
    {"con", "prn", "aux", "nul", "index", *(f"{port}{n}" for port in ("com", "lpt") for n in "123456789")}
)


def slug_of(name: str, *, lower: bool = True) -> str:
    """Return the name in letters, digits, dots and hyphens; empty where nothing of it is left."""
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = _RUNS.sub("-", _UNSAFE.sub("-", plain)).strip("-.")[:_LONGEST].rstrip("-.")
    plain = plain.lower() if lower else plain
    return "" if plain.lower().partition(".")[0] in _TAKEN else plain


def told_apart(
    ones: Iterable[T], wanted: Callable[[T], Iterable[str]], identity: Callable[[T], str], *, otherwise: str
) -> dict[str, T]:
    """Give each its slug, first come first served: the first wanted one that is free, or one with its digest.

    Slugs that differ in case only are taken for the same. Whoever passes the older ones first keeps their URLs when
    newer ones come.
    """
    given: dict[str, T] = {}
    taken: set[str] = set()
    for one in ones:
        wishes = [wish for wish in wanted(one) if wish] or [otherwise]
        digest = sha256(identity(one).encode("utf-8", "backslashreplace")).hexdigest()
        wishes += [f"{wishes[-1]}-{digest[:length]}" for length in _PIECES]
        slug = next(wish for wish in wishes if wish.lower() not in taken)
        taken.add(slug.lower())
        given[slug] = one
    return given

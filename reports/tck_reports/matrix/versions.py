"""What counts as a version of an engine, and which of two is the newer one.

A result belongs to one state of an engine. The name of a branch is a moving target, so nothing that is said of it can
be looked up again; only where a commit or a day stands behind it is it a version.
"""

import re
from typing import Final

#: Names of branches, first words of names of branches, and other words for whatever is newest.
_MOVING: Final = re.compile(
    r"(?:branch|bugfix|canary|chore|ci|current|debug|dependabot|dev|devel|develop|development|edge|experimental|feat|feature"
    r"|fix|head|hotfix|issue|latest|local|main|mainline|master|next|nightly|origin|patch|pr|preview|prod|production|pull"
    r"|refactor|refs|renovate|snapshot|spike|stable|staging|test|tip|topic|trunk|unreleased|upstream|users?|wip|work)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)
#: The plainest of them, as a word of its own anywhere: `1.0 main` is whatever main is.
_MOVING_WORD: Final = re.compile(
    r"(?<![^\s(\[])(?:branch|develop|head|latest|main|mainline|master|nightly|snapshot|tip|trunk|unreleased)(?![^\s)\]])",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"[0-9]")
#: What a branch is made a version by: a commit (with a digit and a letter, or long), or a day.
_FIXED: Final = re.compile(
    r"(?<![0-9A-Za-z])"
    r"(?:(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}|g?[0-9a-f]{40}|20[0-9]{2}-?[01][0-9]-?[0-3][0-9])"
    r"(?![0-9A-Za-z])"
)
#: A commit and nothing else that would have an order.
_COMMIT: Final = re.compile(r"(?:[A-Za-z-]+[-@.])?g?[0-9a-f]{7,64}\Z")
_PARTS: Final = re.compile(r"[0-9]+|[^\W\d_]+")
#: What comes before the release that it leads to, in this order; other words in a version come before it, too.
_BEFORE: Final = {
    "dev": -9, "snapshot": -9, "nightly": -9, "canary": -8, "a": -7, "alpha": -7, "b": -6, "beta": -6, "m": -5,
    "milestone": -5, "pre": -4, "preview": -4, "c": -3, "cr": -3, "rc": -3,
}  # fmt: skip
_OTHER: Final = -2
_AFTER: Final = frozenset({"post", "p", "r", "rev", "patch", "sp", "final", "ga", "release", "build", "g"})
#: Longer than any version; the order of longer ones is told from their beginnings.
_LONGEST: Final = 200
#: Python refuses to turn endless digits into a number, and no version has so many.
_DIGITS: Final = 30

#: One part of a version in an order: its rank, its number, its word.
Part = tuple[int, int, str]
_END: Final[Part] = (0, 0, "")


def fault_of(version: str) -> str | None:
    """Return why this is no version of an engine, null where it is one."""
    if not version.strip():
        return "the engine states no version"
    shown = version if len(version) <= 60 else f"{version[:60]}…"  # noqa: PLR2004 -- a line of an error
    if _FIXED.search(version):
        return None
    if "/" in version:
        return f"{shown!r} is no version but the name of a branch"
    if _MOVING.match(version.strip()) or _MOVING_WORD.search(version):
        return f"{shown!r} is no version but the name of a branch, or of whatever is newest"
    if not _DIGIT.search(version):
        return f"{shown!r} is no version: there is no digit in it"
    return None


def order(version: str) -> tuple[Part, ...]:
    """Return what versions are sorted by: numbers as numbers, and what leads to a release before it.

    `1.0 == 1.0.0 < 1.0.1 < 1.1-rc.1 < 1.1-rc.2 < 1.1 < 1.1.post1 < 1.10`, and days by their numbers. What stands behind
    a plus sign counts only between versions that are otherwise the same. Commits have no order among each other, and
    come before everything that has one: their dates decide.
    """
    text = version.strip()
    if _COMMIT.match(text) and _FIXED.search(text) and not text.isdecimal():
        return ()
    public, _, build = text[:_LONGEST].partition("+")
    parts = [_part(word) for word in _PARTS.findall(public)]
    if len(parts) > 1 and parts[0][2] in {"v", "version"}:
        del parts[0]
    return (*_without_zeros(parts), _END, *(_part(word) for word in _PARTS.findall(build)))


def _part(word: str) -> Part:
    if word[0].isdecimal() and word.isascii():
        return 2, int(word[:_DIGITS]) if len(word) <= _DIGITS else 10**_DIGITS, ""
    known = word.lower()
    if known in _AFTER:
        return 1, 0, ""
    return _BEFORE.get(known, _OTHER), 0, known if known not in _BEFORE else ""


def _without_zeros(parts: list[Part]) -> list[Part]:
    """Drop the zeros at the end of the release's numbers, so that 1.0 and 1.0.0 are the same release."""
    length = next((place for place, part in enumerate(parts) if part[0] != 2), len(parts))  # noqa: PLR2004 -- a number
    release = parts[:length]
    while len(release) > 1 and release[-1] == (2, 0, ""):
        release.pop()
    return release + parts[length:]

"""Values in the documents of docker, and in what it is asked."""

from __future__ import annotations

#: The digits of the largest number that docker has.
_DIGITS = 19


def whole(text: str) -> int | None:
    """Give the number that digits say, None where they are none or more than docker can have."""
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else None


class Free(dict[str, str]):
    """A map whose keys are anybody's, such as labels: one that is missing is empty, and no mistake."""

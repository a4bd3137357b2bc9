"""Kept: what was made of texts and files, for as long as these are what they were."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

__all__ = ["Kept", "Same", "stamp"]

_Value = TypeVar("_Value")

#: So many are kept; the one that was made first is the first to be made anew.
_MOST_KEPT: Final = 1_000


class Kept(Generic[_Value]):
    """Values by key, each with a mark of what it was made from."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[object, _Value]] = {}

    def get(self, key: str, mark: object, make: Callable[[], _Value]) -> _Value:
        """Return the value that was made when the mark was the same, or make it."""
        held = self._values.get(key)
        if held is not None and held[0] == mark:
            return held[1]
        value = make()
        self._values.pop(key, None)
        self._values[key] = mark, value
        if len(self._values) > _MOST_KEPT:
            del self._values[next(iter(self._values))]
        return value


class Same:
    """Equal to another that holds the same object, which is quicker to tell than whether two long texts are equal."""

    def __init__(self, held: object) -> None:
        self._held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other._held is self._held

    def __hash__(self) -> int:
        return id(self._held)


def stamp(key: str) -> object:
    """Return a mark that changes with a file."""
    try:
        status = Path(key).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino

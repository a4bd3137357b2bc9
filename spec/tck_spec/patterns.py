"""Patterns: regular expressions that authors give, matched so that none can hang a check.

Python's own engine backtracks for as long as it takes and cannot be stopped. This one can: all the matching of one
pattern in one document has a fixed time, and a pattern that needs more is an error that names it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from tck_spec.errors import SpecificationError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MOST_SECONDS", "Pattern"]

#: For all the texts of one document; an honest pattern takes some milliseconds.
MOST_SECONDS: Final = 5.0


class Pattern:
    """One regular expression of an author's, with what is left of its time."""

    def __init__(self, expression: str, where: str, *, ignore_case: bool = False, seconds: float | None = None) -> None:
        """Compile it; `where` names the setting. Raises `SpecificationError` where it is no regular expression."""
        import regex  # noqa: PLC0415 -- few documents need it

        self._expression, self._where = expression, where
        self._left = MOST_SECONDS if seconds is None else seconds
        try:
            self._compiled = regex.compile(expression, regex.IGNORECASE if ignore_case else 0)
        except (regex.error, RecursionError, OverflowError, ValueError) as error:
            raise SpecificationError(
                f"'{expression}' is no regular expression ({error})", where, "correct it"
            ) from error

    def search(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Return where it first matches with at least one character."""
        return next(self.find(text, start), None)

    def match(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Return the bounds of its match at a place, of at least one character."""
        begun = time.monotonic()
        try:
            found = self._compiled.match(text, start, timeout=max(self._left, 0.001))
        except TimeoutError:
            raise self._too_slow() from None
        finally:
            self._left -= time.monotonic() - begun
        return found.span() if found and found.end() > found.start() else None

    def find(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the bounds of its matches that are not empty."""
        begun = time.monotonic()
        try:
            spans = [one.span() for one in self._compiled.finditer(text, start, timeout=max(self._left, 0.001))]
        except TimeoutError:
            raise self._too_slow() from None
        finally:
            self._left -= time.monotonic() - begun
        yield from (span for span in spans if span[1] > span[0])

    def _too_slow(self) -> SpecificationError:
        what = f"'{self._expression}' takes too long: it backtracks without end"
        cure = "write it without repetitions inside repetitions, such as (a+)+"
        return SpecificationError(what, self._where, cure)

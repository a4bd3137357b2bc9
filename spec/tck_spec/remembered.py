"""Remembered facts about documents, so that rules may ask for them again and again.

In a set each document asks the same of all others, and every rule on wording asks for the same passages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, Final, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from tck_spec.blocks import Document
    from tck_spec.settings import Form
    from tck_spec.specification import Specification

__all__ = ["Latest", "Remembered"]

_Fact = TypeVar("_Fact")
_More = ParamSpec("_More")
#: All are forgotten after so many; an editor changes the same documents again and again.
_MOST: Final = 4000


class Remembered(Generic[_Fact]):
    """A small fact about a document under a form of requirements, found once for each text."""

    def __init__(self, find: Callable[[Specification, Form], _Fact]) -> None:
        self._find = find
        self._known: dict[tuple[str, str, Form], _Fact] = {}

    def __call__(self, spec: Specification, form: Form) -> _Fact:
        """Return the fact."""
        key = spec.source, spec.digest, form
        if key not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = self._find(spec, form)
        return self._known[key]


class Latest(Generic[_More, _Fact]):
    """A large fact about a document, remembered only until another document is asked about."""

    def __init__(self, find: Callable[Concatenate[Specification, _More], _Fact]) -> None:
        self._find = find
        self._last: tuple[Document, object, _Fact] | None = None

    def __call__(self, spec: Specification, *more: _More.args, **named: _More.kwargs) -> _Fact:
        """Return the fact."""
        last, asked = self._last, (more, named)
        if last is not None and last[0] is spec.document and last[1] == asked:
            return last[2]
        found = self._find(spec, *more, **named)
        self._last = spec.document, asked, found
        return found

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
#: A document is asked about under few forms of requirements.
_MOST_FORMS: Final = 3


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
        self._document: Document | None = None
        self._known: list[tuple[object, _Fact]] = []

    def __call__(self, spec: Specification, *more: _More.args, **named: _More.kwargs) -> _Fact:
        """Return the fact."""
        if self._document is not spec.document:
            self._document, self._known = spec.document, []
        asked = (more, named)
        for known, fact in self._known:
            if known == asked:
                return fact
        found = self._find(spec, *more, **named)
        self._known = [*self._known[-_MOST_FORMS:], (asked, found)]
        return found

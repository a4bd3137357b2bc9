"""What a scenario found out: each expectation with what was expected, what was there, and what that rests on.

A step that judges records an expectation and stops the scenario where it does not hold. A scenario that ends without
one has proven nothing, whatever colour its test is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

EvidenceClass = Literal["witnessed", "reported"]
#: What can be written into a report as it is.
Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class Expectation:
    """One judgement: a statement in words, the two values, and the evidence for the second."""

    statement: str
    expected: Value
    actual: Value
    held: bool
    evidence_class: EvidenceClass
    evidence: tuple[str, ...] = ()
    #: The requirements that it comes from, where no scenario's tags say so.
    requirements: tuple[str, ...] = ()
    #: The sentence that looked, where whoever executes the scenario says which one it is.
    step: str | None = None


class ExpectationFailedError(AssertionError):
    """The engine did something else than was expected of it."""

    def __init__(self, expectation: Expectation) -> None:
        """Keep the expectation that did not hold."""
        super().__init__(
            f"{expectation.statement}: expected {expectation.expected!r}, but it was {expectation.actual!r}"
        )
        self.expectation = expectation


@dataclass(slots=True)
class Checks:
    """The expectations of one scenario, in the order in which they were checked."""

    expectations: list[Expectation] = field(default_factory=list[Expectation])
    #: The requirements that what is checked now is about, where a sentence says so.
    about: tuple[str, ...] = ()
    #: The sentence that is being executed.
    step: str | None = None

    def expect(
        self,
        statement: str,
        *,
        expected: object,
        actual: object,
        rests_on: EvidenceClass,
        evidence: tuple[str, ...] = (),
        requirements: tuple[str, ...] = (),
    ) -> None:
        """Record that `actual` must equal `expected`. Raises `ExpectationFailedError` where it does not."""
        wanted, found = plain(expected), plain(actual)
        held = _same(wanted, found)
        named = requirements or self.about
        expectation = Expectation(statement, wanted, found, held, rests_on, evidence, named, self.step)
        self.expectations.append(expectation)
        if not held:
            raise ExpectationFailedError(expectation)


def plain(value: object) -> Value:
    """Give a value as a report can hold it; what is neither text, number, list nor mapping becomes its text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(held) for key, held in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- any mapping
    if isinstance(value, list | tuple):
        return [plain(held) for held in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- any list
    return str(value)


def _same(expected: Value, actual: Value) -> bool:
    """Compare without taking True for 1."""
    return type(expected) is type(actual) and expected == actual

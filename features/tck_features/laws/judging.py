"""How a law is held against what was there: as an expectation of the world, and cheaply where it is kept.

A history has thousands of expectations, nearly all of which hold. What holds is noted with its statement and without
its values, one note for all times that it held; what does not is recorded in full, and ends the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tck_features.checks import Expectation

if TYPE_CHECKING:
    from collections.abc import Callable

    from tck_features.checks import Checks, EvidenceClass


def _nothing() -> tuple[str, ...]:
    return ()


class Judge:
    """Records expectations in the checks of one world."""

    def __init__(self, checks: Checks) -> None:
        """Begin without any."""
        self._checks = checks
        self._held: dict[tuple[str, tuple[str, ...], EvidenceClass], Expectation] = {}

    def __call__(
        self,
        law: str,
        *,
        expected: object,
        actual: object,
        by: tuple[str, ...],
        rests_on: EvidenceClass = "witnessed",
        of: object = "",
        evidence: Callable[[], tuple[str, ...]] = _nothing,
    ) -> None:
        """Hold a law of these requirements, in the case that `of` tells. Raises `ExpectationFailedError`."""
        if type(expected) is type(actual) and expected == actual:
            key = (law, by, rests_on)
            note = self._held.get(key)
            if note is None:
                note = Expectation(law, expected=True, actual=True, held=True, evidence_class=rests_on, requirements=by)
                self._held[key] = note
            self._checks.expectations.append(note)
            return
        told = str(of)
        self._checks.expect(
            f"{law} ({told})" if told else law,
            expected=expected,
            actual=actual,
            rests_on=rests_on,
            evidence=evidence(),
            requirements=by,
        )

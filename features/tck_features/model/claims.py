"""How the model says what it expects: the expected value first, and always with the requirements that it comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tck_features.checks import Checks, EvidenceClass


@dataclass(slots=True)
class Claims:
    """Records expectations; what lies in `llm_sessions` rests on how that was read.

    `why` names the requirements of an expectation that does not hold, where these are others than of one that does.
    """

    checks: Checks
    table: EvidenceClass = "witnessed"

    def witnessed(
        self,
        statement: str,
        expected: object,
        actual: object,
        *ids: str,
        why: Callable[[], tuple[str, ...]] | None = None,
        evidence: object = "",
    ) -> None:
        """Expect something of what the kit's own fakes saw."""
        named = ids if why is None or expected == actual else why()
        self._expect(statement, expected, actual, rests_on="witnessed", ids=named, evidence=evidence)

    def recorded(
        self,
        statement: str,
        expected: object,
        actual: object,
        *ids: str,
        why: Callable[[], tuple[str, ...]] | None = None,
        evidence: object = "",
    ) -> None:
        """Expect something of the rows of `llm_sessions`."""
        named = ids if why is None or expected == actual else why()
        self._expect(statement, expected, actual, rests_on=self.table, ids=named, evidence=evidence)

    def reported(
        self,
        statement: str,
        expected: object,
        actual: object,
        *ids: str,
        why: Callable[[], tuple[str, ...]] | None = None,
        evidence: object = "",
    ) -> None:
        """Expect something of a view."""
        named = ids if why is None or expected == actual else why()
        self._expect(statement, expected, actual, rests_on="reported", ids=named, evidence=evidence)

    def seen(self, statement: str, *ids: str, holds: bool, evidence: object = "") -> None:
        """Expect that a statement about what the fakes saw holds."""
        self._expect(statement, True, holds, rests_on="witnessed", ids=ids, evidence=evidence)  # noqa: FBT003 -- the value

    def told(self, statement: str, *ids: str, holds: bool, evidence: object = "") -> None:
        """Expect that a statement about a view holds."""
        self._expect(statement, True, holds, rests_on="reported", ids=ids, evidence=evidence)  # noqa: FBT003 -- the value

    def _expect(
        self,
        statement: str,
        expected: object,
        actual: object,
        *,
        rests_on: EvidenceClass,
        ids: tuple[str, ...],
        evidence: object,
    ) -> None:
        shown = (str(evidence),) if evidence != "" else ()
        self.checks.expect(
            statement, expected=expected, actual=actual, rests_on=rests_on, evidence=shown, requirements=ids
        )

"""What a scenario of several requirements has failed for: what broke for it, and what nothing held for."""

from __future__ import annotations

import pytest

from tck_driver.errors import EngineError
from tck_features.checks import Expectation
from tck_kit.judging import record
from tck_kit.scenarios import Scenario
from tck_reports.outcomes import Outcome

SCENARIO = Scenario("x::s", "s", "x", 1, 0, (), ("reuse-1", "reuse-2", "reuse-3"), ())


def held(*requirements: str) -> Expectation:
    return Expectation("so", expected=1, actual=1, held=True, evidence_class="witnessed", requirements=requirements)


def broke(*requirements: str) -> Expectation:
    return Expectation("so", expected=1, actual=2, held=False, evidence_class="witnessed", requirements=requirements)


ALL = ()


@pytest.mark.parametrize(
    ("expectations", "failed_for"),
    [
        ([held("REUSE-1", "REUSE-2"), broke("REUSE-3")], ("REUSE-3",)),
        ([broke("REUSE-3"), held("REUSE-1", "REUSE-2")], ("REUSE-3",)),
        # What was not looked at for a requirement holds nothing for it.
        ([held("REUSE-1"), broke("REUSE-3")], ("REUSE-2", "REUSE-3")),
        # What held and then did not has failed.
        ([held("REUSE-1", "REUSE-2", "REUSE-3"), broke("REUSE-2")], ("REUSE-2",)),
        ([held("REUSE-1", "REUSE-2"), broke("REUSE-3", "OTHER-1")], ("REUSE-3",)),
        # What is about the scenario as a whole, or about something else, is held against all.
        ([held("REUSE-1", "REUSE-2"), broke()], ALL),
        ([held("REUSE-1", "REUSE-2"), broke("REUSE-3"), broke()], ALL),
        ([held("REUSE-1", "REUSE-2"), broke("OTHER-1")], ALL),
        ([broke("REUSE-1", "REUSE-2", "REUSE-3")], ALL),
        ([held("REUSE-1", "REUSE-2", "REUSE-3")], ALL),
    ],
)
def test_a_scenario_says_what_it_has_failed_for_where_that_is_not_all(
    expectations: list[Expectation], failed_for: tuple[str, ...]
) -> None:
    found = record(SCENARIO, None, expectations, duration_ms=1, failed_step=None)

    assert found.failed_for == failed_for
    assert found.outcome is (Outcome.PASSED if all(one.held for one in expectations) else Outcome.FAILED)


def test_a_scenario_that_was_stopped_has_failed_for_all() -> None:
    expectations = [held("REUSE-1", "REUSE-2"), broke("REUSE-3")]
    found = record(SCENARIO, EngineError("gone"), expectations, duration_ms=1, failed_step=None)

    assert (found.outcome, found.failed_for) == (Outcome.FAILED, ())

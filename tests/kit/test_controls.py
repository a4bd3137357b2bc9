"""The engines that are wrong on purpose: a scenario that one of them passes is worth nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tck_fakes.faulty import CONTROLS
from tck_kit.catalogue import read_catalogue
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_reports.outcomes import Outcome


@pytest.mark.parametrize("name", CONTROLS)
def test_no_scenario_that_a_control_may_go_through_lets_it_pass(name: str, tmp_path: Path) -> None:
    control = CONTROLS[name]
    scenarios = read_catalogue(None, None, thorough=False, sentences=False).suite.scenarios
    fit = [one for one in scenarios if control.must_fail(one.tags)]
    laboratory = Laboratory.in_process(tmp_path, 1, "0", faulty=name)

    outcomes = {one.id: perform(one, laboratory).outcome for one in fit}
    laboratory.close()

    assert len(fit) > 5
    assert [scenario for scenario, outcome in outcomes.items() if outcome is not Outcome.FAILED] == []

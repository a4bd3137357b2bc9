"""Performs a scenario by calling its steps one after the other, without any test runner.

The hunt for faulty engines uses it, and so does the benchmark that says what the test runner costs.
"""

from __future__ import annotations

import time

from tck_features.hygiene import check_hygiene
from tck_features.library import LIBRARY
from tck_kit.judging import record
from tck_kit.laboratory import Laboratory
from tck_kit.scenarios import Scenario
from tck_reports.records import CheckRecord


def perform(scenario: Scenario, laboratory: Laboratory) -> CheckRecord:
    """Perform a scenario in a fresh world and write down what it gave."""
    begun = time.perf_counter()
    world = laboratory.world(scenario.id)
    failed: str | None = None
    stopped_by: Exception | None = None
    try:
        for step in scenario.steps:
            world.checks.step = failed = f"{step.kind.capitalize()} {step.text}"
            LIBRARY.find(step.kind, step.text)(world)
        world.checks.step = failed = None
        check_hygiene(world)
    except Exception as fault:  # noqa: BLE001 -- whatever stops a scenario is judged
        stopped_by = fault
    finally:
        laboratory.end(world)
    duration = (time.perf_counter() - begun) * 1000
    return record(
        scenario,
        stopped_by,
        world.checks.expectations,
        duration_ms=duration,
        failed_step=failed,
        hints=world.hints(),
        plays_courses=world.course is not None and not world.course.translated,
    )

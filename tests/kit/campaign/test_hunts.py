"""Hunts of faulty engines that are shared out: the same comes of them, and what cannot be hunted is an error."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from tck_fakes.faults import FAULTS
from tck_kit.campaign import hunts
from tck_kit.campaign.alone import Alone
from tck_kit.campaign.fitness import Suites
from tck_kit.campaign.hunts import SharedHunters
from tck_kit.campaign.units import Harvest, Order, Result, Unit, Watch, collected, failure
from tck_kit.catalogue import read_catalogue
from tck_kit.mutants.command import mutants
from tck_kit.mutants.hunters import Hunters
from tck_kit.mutants.matrix import merge
from tck_kit.mutants.plan import Plan
from tck_kit.mutants.unit import Hunted
from tck_reports.outcomes import ExitCode


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Three faults of one requirement."""
    faults = [fault for fault in FAULTS.values() if fault.requirement == "NAME-1"][:3]
    return Plan(tuple(faults), read_catalogue(None, None, thorough=False, sentences=False).suite.scenarios, (), 1)


def test_shared_hunts_come_to_the_same_as_those_of_one_machine(plan: Plan, tmp_path: Path) -> None:
    heard: list[Hunted] = []
    told: list[str] = []

    shared, cut_short = SharedHunters(Alone(), told.append).hunt(plan.units(), math.inf, heard.append)
    with Hunters(1, tmp_path) as pool:
        here, _ = pool.hunt(plan.units(), math.inf, lambda _: None)

    assert merge(plan, shared, cut_short=cut_short) == merge(plan, here)
    assert merge(plan, shared).exit_code is ExitCode.CONFORMANT
    assert (heard, told, cut_short) == ([*shared], [], None)


@dataclass
class FirstFails:
    """An executor whose first unit raises, and that has no time for the last."""

    names: list[str] = field(default_factory=list[str])

    def perform(
        self,
        function: Callable[[Order], Result],  # noqa: ARG002 -- of the protocol
        units: Sequence[Unit[Order]],
        *,
        watch: Watch,
        seconds: float | None = None,  # noqa: ARG002 -- the same
    ) -> Harvest[Result]:
        """Execute nothing."""
        self.names = [unit.name for unit in units]
        watch.told("worker tcp://a:1 is gone")
        return collected(self.names, [failure(self.names[0], "SuiteFault", "hunters break down")], "interrupted")


def test_what_cannot_be_hunted_is_an_error_of_each_of_its_faults(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hunts, "LOT", 2)
    executor, told = FirstFails(), list[str]()

    hunted, cut_short = SharedHunters(executor, told.append).hunt(plan.units(), math.inf, lambda _: None)
    matrix = merge(plan, hunted, cut_short=cut_short)

    assert executor.names == ["lot 1 of 2", "lot 2 of 2"]
    assert [name for name, _ in matrix.errors] == [fault.name for fault in plan.faults[:2]]
    assert {meeting.reason for _, meeting in matrix.errors} == {"lot 1 of 2: SuiteFault: hunters break down"}
    assert (matrix.exit_code, matrix.cut_short) == (ExitCode.FAULT, "interrupted")
    assert told == ["worker tcp://a:1 is gone"]


def test_mutants_shares_its_hunt_out_where_a_cluster_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, Suites]] = []

    @contextmanager
    def executor(cluster: str | None, suites: Suites) -> Generator[FirstFails]:
        asked.append((cluster, suites))
        yield FirstFails()

    monkeypatch.setattr("tck_kit.campaign.choice.executor", executor)
    done = CliRunner().invoke(mutants, ("--requirement", "NAME-1", "--cluster", "local:2"), standalone_mode=False)

    assert asked == [("local:2", Suites())]
    assert done.return_value == ExitCode.FAULT
    assert "worker tcp://a:1 is gone" in done.stderr

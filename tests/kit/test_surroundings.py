"""What a report says that an engine met: only what was really started, and held, was enforced."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tck_fakes.docker.held import UNDONE
from tck_kit.engine_choice import Confined, EngineChoice
from tck_kit.surroundings import enforced, met


@pytest.mark.parametrize(
    ("started", "reasons", "held"),
    [
        (1, [None, "NAME-1: the name is x"], True),
        (1, [], True),
        (0, [], False),
        (9, [None, f"KitError: {UNDONE}: there is a network: eth0"], False),
    ],
)
def test_isolation_was_enforced_where_a_container_was_started_and_none_was_left_open(
    started: int, reasons: Sequence[str | None], *, held: bool
) -> None:
    assert enforced(started, reasons) is held


@pytest.mark.parametrize(
    ("containers", "held", "isolation", "lacks"),
    [
        ("docker 1 overlay2", True, "enforced", False),
        ("docker 1 overlay2", False, "recorded", False),
        ("stand-in", False, "recorded", True),
        ("stand-in", True, "recorded", True),
    ],
)
def test_a_report_names_the_container_engine_and_what_it_is_worth(
    containers: str, isolation: str, *, held: bool, lacks: bool
) -> None:
    found = met(EngineChoice(), database=None, containers=containers, enforced=held)
    assert (found.containers, found.isolation) == (containers, isolation)
    assert ("a real container engine" in {one.part for one in found.not_exercised}) is lacks


@pytest.mark.parametrize(
    ("network", "lacks"),
    [
        ("", {"the agents' own CLIs"}),
        ("not closed: no namespaces", {"the agents' own CLIs", "to be cut off from the network"}),
    ],
)
def test_an_engine_that_starts_clis_itself_met_no_containers_and_perhaps_a_network(
    network: str, lacks: set[str]
) -> None:
    found = met(EngineChoice("command", peer="x", confined=Confined(1, 1, network)), database=None)
    assert (found.containers, found.isolation, found.clis) == ("none", "recorded", "stand-ins")
    assert {one.part for one in found.not_exercised} == lacks

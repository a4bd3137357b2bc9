"""What a report says that an engine met: only what was really started, and held, was enforced."""

from __future__ import annotations

import subprocess
import sys
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
    ("open_to", "lacks"),
    [
        (("", "", ""), {}),
        (("no namespaces", "", ""), {"to be cut off from: network": "no namespaces"}),
        (("", "no mounts", ""), {"to be cut off from: files": "no mounts"}),
        (("no way",) * 3, {"to be cut off from: network, files, processes": "no way"}),
    ],
)
def test_an_engine_that_starts_clis_itself_met_no_containers_and_what_it_was_not_cut_off_from(
    open_to: tuple[str, str, str], lacks: dict[str, str]
) -> None:
    found = met(EngineChoice("command", peer="x", confined=Confined(1, 1, *open_to)), database=None)
    assert (found.containers, found.isolation, found.clis) == ("none", "recorded", "stand-ins")
    told = {one.part: one.how for one in found.not_exercised}
    assert told == {"the agents' own CLIs": "session-tck probe all", **lacks}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where /proc shows what a process was given")
@pytest.mark.parametrize(("processes", "hidden"), [("", "False"), ("they cannot be hidden", "True")])
def test_a_process_of_ours_that_can_be_seen_keeps_what_it_was_given_to_itself(processes: str, hidden: str) -> None:
    script = (
        "import ctypes; from tck_kit.engine_choice import Confined\n"
        f"Confined(1, 1, processes={processes!r}).guard()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == hidden

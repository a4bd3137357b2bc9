"""Runs of a peer whose driver plays nothing, and reports where there is nothing to run."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest
from rich.console import Console

from tck_kit.asked_run import Asked
from tck_kit.engine_choice import Confined, EngineChoice
from tck_kit.peers import running
from tck_kit.peers.places import Found
from tck_kit.peers.running import run_peer
from tck_kit.peers.table import PEERS, Peer
from tck_kit.run_settings import Settings
from tck_kit.workers import Workers
from tck_reports.explain import reproduce
from tck_reports.outcomes import ExitCode
from tck_reports.reading import inconsistencies, validate
from tck_reports.shape import Report

# A run leaves the pipes of its workers to the end of its process, which here goes on.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

TALKER = Path(__file__).parents[2] / "driver" / "course_engine.py"
#: What that driver says of its engine.
TALKS = replace(PEERS["zeroshot-node"], name="a talker", version="1.0.0")
SETTINGS = Settings(
    engine=EngineChoice(),
    profiles=(),
    workers=1,
    time_limit=100,
    scenario_time_limit=50,
    seed=1,
    thorough=False,
    baseline=None,
    report_dir=None,
    capabilities={},
    source=None,
    limited=True,
)


@pytest.fixture
def limits() -> list[Confined]:
    """How that driver is confined, for the run's report; the last one counts."""
    return []


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch, limits: list[Confined]) -> Iterator[list[str]]:
    """The words of the driver that stands in for a peer's, which is not confined here."""
    given: list[str] = []
    interrupt = signal.getsignal(signal.SIGINT)

    @contextmanager
    def unconfined(peer: Peer, folder: Path, place: Path, timeout_scale: float) -> Generator[EngineChoice]:
        program = (sys.executable, str(TALKER), *given)
        choice = EngineChoice("command", program, directory=str(place), timeout_scale=timeout_scale, peer=peer.name)
        yield replace(choice, confined=limits[-1]) if limits else choice
        assert folder

    monkeypatch.setattr(running, "confined", unconfined)
    yield given
    signal.signal(signal.SIGINT, interrupt)


def _run(found: Found, *requirements: str, quick: bool = False) -> Report:
    asked = Asked(replace(SETTINGS, quick=quick), ("session-tck", "peers", "run"), requirements=requirements)
    report = run_peer(found, asked, Console(quiet=True))
    assert validate(report) == []
    assert inconsistencies(report) == []
    return report


def test_what_was_not_obtained_is_not_run_and_judged_by_nobody() -> None:
    why = "get it: session-tck peers fetch cyrus-1286"
    report = _run(Found(PEERS["cyrus-1286"], Path("nowhere"), "no", why))

    assert report["exit_code"] == ExitCode.INCOMPLETE
    assert report["implementation"]["name"] == "cyrus-1286"
    assert report["implementation"]["version"] == "0.2.62+5a25233a"
    assert report["incomplete_reasons"] == [f"not obtained: {why}"]
    assert {one["result"] for one in report["verdict"].values()} == {"indeterminate"}
    assert list(report["verdict"]) == ["continuity", "redelegation"]
    of_profiles = [one for one in report["requirements"] if one["profile"] != "reuse"]
    assert {(one["outcome"], one["reason"]) for one in of_profiles} == {("not_run", "not obtained")}
    assert report["run"]["engine"] == "peer:cyrus-1286"


def test_it_has_a_row_for_every_requirement_of_its_profiles() -> None:
    report = _run(Found(PEERS["zeroshot-10"], Path("nowhere"), "no", "why"))

    expected = {one["id"] for one in report["requirements"] if one["profile"] == "continuity"}
    told = {name for check in report["checks"] for name in check["requirements"]}
    assert expected
    assert expected <= told


def test_a_driver_that_finds_another_engine_is_at_fault_and_not_the_engine(words: list[str], tmp_path: Path) -> None:
    words.append("moved")
    report = _run(Found(TALKS, tmp_path, "yes"))

    assert report["exit_code"] == ExitCode.FAULT
    checks = report["checks"]
    assert {(one["outcome"], one["blame"]) for one in checks} == {("error", "driver")}
    assert {one["reason"] for one in checks} == {"driver incompatible: there is no runner.start in 2.0.0"}
    assert {one["result"] for one in report["verdict"].values()} == {"indeterminate"}


@pytest.mark.parametrize(("name", "version"), [("another", "1.0.0"), ("a talker", "1.0.1")])
def test_a_report_is_never_about_another_engine_or_version(
    name: str, version: str, words: list[str], tmp_path: Path
) -> None:
    assert words == []
    report = _run(Found(replace(TALKS, name=name, version=version), tmp_path, "yes"))

    assert report["exit_code"] == ExitCode.FAULT
    assert "it says that its engine is a talker 1.0.0" in (report["checks"][0]["reason"] or "")


def test_what_an_engine_does_is_judged_by_what_it_declares(words: list[str], tmp_path: Path) -> None:
    assert words == []
    report = _run(Found(TALKS, tmp_path, "yes"), "CONTINUITY-1")

    assert report["declared"].get("policy") == {
        "scope": ["agent"],
        "identity": "reported",
        "valid": "success",
        "fork": "reject",
        "fallback": "same_turn",
        "prompt": "delta",
        "default": "off",
        "switch": "--resume",
    }
    assert report["declared"]["profiles"] == ["continuity", "reuse"]
    rows = {one["id"]: one["outcome"] for one in report["requirements"]}
    # It starts no CLI in any turn.
    assert rows["CONTINUITY-1"] not in {"passed", "not_run"}
    assert reproduce(report, "CONTINUITY-1").startswith("session-tck peers run 'a talker' --requirement CONTINUITY-1")


def test_a_quick_run_that_cannot_be_made_says_so_of_its_scenarios_alone() -> None:
    found = Found(PEERS["zeroshot-10"], Path("nowhere"), "no", "why")
    whole, quick = _run(found), _run(found, quick=True)

    assert 0 < len(quick["checks"]) < len(whole["checks"])
    assert quick["exit_code"] == ExitCode.INCOMPLETE


def test_what_a_driver_is_not_cut_off_from_is_said_before_it_starts_and_in_its_report(
    words: list[str], limits: list[Confined], tmp_path: Path
) -> None:
    words.append("moved")
    limits.append(Confined(os.geteuid(), os.getegid(), "no way", "no way"))
    written = io.StringIO()
    report = run_peer(
        Found(TALKS, tmp_path, "yes"), Asked(SETTINGS, ("session-tck", "peers", "run")), Console(file=written)
    )

    assert written.getvalue() == "warning: a talker is not cut off from: network, files (no way)\n"
    told = {one["part"]: one["how"] for one in report["run"]["surroundings"]["not_exercised"]}
    assert told["to be cut off from: network, files"] == "no way"


def test_the_folders_of_a_run_are_open_to_the_driver_whatever_its_caller_keeps_to_itself(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words.append("moved")
    modes: list[int] = []

    class Watched(Workers):
        def __enter__(self) -> Self:
            came = super().__enter__()
            modes.extend(worker.folder.stat().st_mode & 0o777 for worker in self.all)
            return came

    monkeypatch.setattr(running, "Workers", Watched)
    before = os.umask(0o077)
    try:
        _run(Found(TALKS, tmp_path, "yes"))
        assert os.umask(0o077) == 0o077
    finally:
        os.umask(before)
    assert modes == [0o755]

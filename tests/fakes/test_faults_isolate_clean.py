"""What faults of isolation, cleanup and capability do, and that the engine is the simulator again afterwards.

That each of them is noticed by a scenario is not said here: the kit's kill matrix says it for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import RLock

import pytest

from tck_driver.bench import Script
from tck_driver.configuration import EngineConfig, ProjectConfig
from tck_driver.stimuli import IssueClosed, IssueOpened, IssueReopened, ReconcileDue, RunDue, SettingChanged
from tck_driver.views import IncidentRow, InstallationRow, MailboxRow, SessionRow
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, Phase
from tck_driver.witness import ContainerStarted, Mount
from tck_fakes.faults import (
    capability_declared,
    capability_detected,
    clean_ends,
    clean_kept,
    clean_removal,
    clean_sweeps,
    isolate_ids,
    isolate_mounts,
    isolate_place,
    isolate_runs,
)
from tck_fakes.faults.fault import Fault, FaultyEngine, Kind
from tck_fakes.faults.register import entered
from tck_fakes.in_process import InProcessEngine
from tck_fakes.stage import Stage
from tck_simulator.store import Store

ONE, TEN = MailboxRef("acme", "shop", "issue", 1), MailboxRef("acme", "shop", "issue", 10)
HALF_AN_HOUR = 30 * 60_000
MODULES = (
    capability_declared,
    capability_detected,
    clean_ends,
    clean_kept,
    clean_removal,
    clean_sweeps,
    isolate_ids,
    isolate_mounts,
    isolate_place,
    isolate_runs,
)
FAULTS = {one.name: one for one in entered() if one.commit.__module__ in {module.__name__ for module in MODULES}}


class Bench:
    """A simulator that can be made wrong, with two issues of one project."""

    def __init__(self, folder: Path) -> None:
        self.stage = Stage.at(folder, 7, RLock(), {})
        self.base = folder / "base"
        self._store = Store(f"sqlite:///{folder / 'engine.sqlite'}")
        self._store.create()

    def engine(self, *names: str, adapter: AdapterId = AdapterId.CODEX) -> FaultyEngine:
        stage = self.stage
        real = InProcessEngine(
            clock=stage.clock,
            runtime=stage.runtime,
            forge=stage.forge,
            models=stage.models,
            remover=stage.remover,
            store=self._store,
            version="0",
            hear=stage.forge.hear,
            next_end=stage.runtime.next_end,
        )
        faulty = FaultyEngine(real, [FAULTS[name] for name in names])
        assert faulty.open(EngineConfig(str(self.base), (ProjectConfig.of("acme", "shop", adapter),))) is None
        for ref in (ONE, TEN):
            faulty.send(IssueOpened(ref, "Add a page"))
        return faulty

    def places(self) -> list[str]:
        """Give what stands below the directory of all sessions."""
        return sorted(path.name for path in (self.base / ".agent-sessions").iterdir())

    def mounts(self) -> list[Mount]:
        """Give what the latest container has of the host, its worktree aside."""
        latest = self.stage.witness.of(ContainerStarted)[-1]
        return [mount for mount in latest.mounts if mount.target != "/workspace"]

    def close(self) -> None:
        self.stage.close()
        self._store.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    one = Bench(tmp_path)
    yield one
    one.close()


def _rows(engine: FaultyEngine) -> list[SessionRow]:
    return [row for row in engine.query("sessions") if isinstance(row, SessionRow)]


def test_a_cleanup_by_prefix_takes_issue_10_along_with_issue_1(bench: Bench) -> None:
    engine = bench.engine("cleanup-by-prefix")
    for ref in (ONE, TEN):
        engine.send(RunDue(ref, Phase.DEVELOPMENT))
    assert bench.places() == ["acme-shop-issue-1", "acme-shop-issue-10"]
    engine.send(IssueClosed(ONE, Closing.MERGED))
    assert bench.places() == []
    engine.close()


def test_the_engine_is_right_again_once_the_faulty_one_was_closed(bench: Bench) -> None:
    bench.engine("cleanup-by-prefix").close()
    engine = bench.engine()
    for ref in (ONE, TEN):
        engine.send(RunDue(ref, Phase.DEVELOPMENT))
    engine.send(IssueClosed(ONE, Closing.MERGED))
    assert bench.places() == ["acme-shop-issue-10"]
    engine.close()


def test_what_a_fault_counts_begins_anew_with_each_scenario(bench: Bench) -> None:
    for _ in range(2):
        engine = bench.engine("done-cleaned-once")
        for ref in (ONE, TEN):
            engine.send(RunDue(ref, Phase.DEVELOPMENT))
            engine.send(IssueClosed(ref, Closing.MERGED))
        assert bench.places() == ["acme-shop-issue-10"]
        engine.close()


def test_two_faults_hold_at_once(bench: Bench) -> None:
    engine = bench.engine("strays-left", "done-kept")
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    (bench.base / ".agent-sessions" / "stray").mkdir()
    engine.send(IssueClosed(ONE, Closing.MERGED))
    engine.send(ReconcileDue())
    assert bench.places() == ["acme-shop-issue-1", "stray"]
    engine.close()


@pytest.mark.parametrize(
    ("name", "targets"),
    [
        ("configuration-kept", ["/home/agent/.codex"]),
        ("mounted-twice", ["/home/agent/.codex/sessions", "/workspace/.sessions"]),
        ("all-sessions-mounted", ["/home/agent/.codex/sessions", "/home/agent/.sessions"]),
        ("no-mount-at-first", []),
    ],
)
def test_a_fault_of_mounts_shows_in_what_the_container_got(bench: Bench, name: str, targets: list[str]) -> None:
    engine = bench.engine(name)
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    assert [mount.target for mount in bench.mounts()] == targets
    engine.close()


def test_a_run_that_timed_out_leaves_its_container_at_work(bench: Bench) -> None:
    engine = bench.engine("runs-on-after-time-out")
    bench.stage.runtime.script(AdapterId.CODEX, Script("hang"))
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    engine.advance(HALF_AN_HOUR)
    assert [row.outcome for row in _rows(engine)] == ["timed_out"]
    assert len(bench.stage.runtime.running()) == 1
    engine.close()


def test_an_id_that_was_reported_with_a_line_break_is_stored(bench: Bench) -> None:
    odd = "0199a213-81c0-7800-8aa1-bbab2a035a53\n"
    engine = bench.engine("id-up-to-line-break")
    bench.stage.runtime.script(AdapterId.CODEX, Script("odd_id", reported_id=odd))
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    assert [row.native_session_id for row in _rows(engine)] == [odd]
    engine.close()


def test_a_failed_removal_is_recorded_without_its_reason_and_all_else_is_right(bench: Bench) -> None:
    engine = bench.engine("failure-without-reason")
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    bench.stage.protect(bench.base / ".agent-sessions" / "acme-shop-issue-1")
    engine.send(IssueClosed(ONE, Closing.MERGED))
    incidents = [row for row in engine.query("incidents") if isinstance(row, IncidentRow)]
    assert [(row.kind, row.reason) for row in incidents] == [("session_removal", "removal failed")]
    states = [row.state for row in engine.query("mailboxes") if isinstance(row, MailboxRow)]
    assert states == ["done", "functional_analysis"]
    engine.close()


def test_a_link_is_followed_no_further_than_the_scenario_s_own_folder(bench: Bench, tmp_path: Path) -> None:
    engine = bench.engine("links-followed")
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    inside, outside = tmp_path / "inside", tmp_path.parent / f"{tmp_path.name}-outside"
    for number, folder in enumerate((inside, outside)):
        folder.mkdir()
        (folder / "precious").touch()
        (bench.base / ".agent-sessions/acme-shop-issue-1/codex" / f"link-{number}").symlink_to(folder)
    engine.send(IssueClosed(ONE, Closing.MERGED))
    assert [(folder / "precious").exists() for folder in (inside, outside)] == [False, True]
    engine.close()


def test_retention_takes_the_state_along_with_the_last_row(bench: Bench) -> None:
    engine = bench.engine("state-goes-with-rows")
    engine.send(SettingChanged("instance", "", "", "RETENTION_DAYS", 1))
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    engine.advance(25 * 3_600_000)
    engine.send(ReconcileDue())
    assert (_rows(engine), bench.places()) == ([], [])
    engine.close()


def test_a_reopened_issue_has_no_mailbox_of_its_own(bench: Bench) -> None:
    engine = bench.engine("reopened-as-it-was")
    engine.send(RunDue(ONE, Phase.DEVELOPMENT))
    engine.send(IssueClosed(ONE, Closing.MERGED))
    engine.send(IssueReopened(ONE))
    generations = [row.generation for row in engine.query("mailboxes") if isinstance(row, MailboxRow)]
    assert generations == [1, 1]
    engine.close()


@pytest.mark.parametrize(
    ("name", "version", "able"),
    [
        ("declared-is-enough", "0.1.0", True),
        ("oldest-left-out", "0.122.0", False),
        ("pre-release-counts", "0.122.0-alpha.1", True),
        ("known-versions-only", "0.123.0", False),
        ("verified-as-text", "0.99.0", True),
    ],
)
def test_a_fault_of_detection_shows_in_the_installation(bench: Bench, name: str, version: str, able: bool) -> None:  # noqa: FBT001 -- the right value of a pair
    bench.stage.runtime.set_version(AdapterId.CODEX, version)
    engine = bench.engine(name)
    rows = [row for row in engine.query("installations") if isinstance(row, InstallationRow)]
    assert [row.resumable_sessions for row in rows if row.adapter_id == AdapterId.CODEX] == [able]
    engine.close()


def _broken(kinds: set[str]) -> dict[str, list[Fault]]:
    found: dict[str, list[Fault]] = {}
    for one in FAULTS.values():
        if one.requirement.partition("-")[0] in kinds:
            found.setdefault(one.requirement, []).append(one)
    return found


@pytest.mark.parametrize(("area", "count"), [("ISOLATE", 13), ("CLEAN", 13), ("CAPABILITY", 7)])
def test_every_requirement_of_these_areas_is_broken_in_ways_of_two_kinds_or_more(area: str, count: int) -> None:
    broken = _broken({area})
    assert sorted(broken) == sorted(f"{area}-{number}" for number in range(1, count + 1))
    thin = {name: faults for name, faults in broken.items() if len({one.kind for one in faults}) < 2}
    assert thin == {}


def test_a_sin_is_one_line_in_plain_words_that_fits_a_table() -> None:
    odd = [
        one.name
        for one in FAULTS.values()
        if not one.sin[:1].islower() or "\n" in one.sin or one.sin.endswith(".") or len(one.sin) > 80
    ]
    assert odd == []
    assert {one.kind for one in FAULTS.values()} == set(Kind)

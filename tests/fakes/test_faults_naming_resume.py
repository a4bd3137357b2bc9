"""What faults of naming, resuming, contract and record do, and that nothing of them is left afterwards.

That each of them is noticed by a scenario is not said here: the kit's kill matrix says it for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import RLock

import pytest

from tck_driver.bench import Script
from tck_driver.configuration import EngineConfig, ProjectConfig
from tck_driver.stimuli import IssueOpened, IssueRetitled, LeaseExpired, PrefixChanged, RunDue, WorkerWoken
from tck_driver.views import DetailRow, ExchangeRow, MailboxRow, Row, SessionRow, ViewName
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase, RunOutcome
from tck_driver.witness import CliStarted, ForgeWrite
from tck_fakes.faults import (
    contract,
    naming,
    naming_kept,
    naming_shown,
    naming_slug,
    record,
    resume_prior,
    resume_prompt,
    resume_proof,
    resume_request,
    resume_turns,
)
from tck_fakes.faults.fault import FaultyEngine, Kind, Sabotage
from tck_fakes.faults.register import entered
from tck_fakes.in_process import InProcessEngine
from tck_fakes.stage import Stage
from tck_simulator.store import Store

ONE, TWO = MailboxRef("acme", "shop", "issue", 1), MailboxRef("acme", "shop", "issue", 2)
MODULES = (
    contract,
    naming,
    naming_kept,
    naming_shown,
    naming_slug,
    record,
    resume_prior,
    resume_prompt,
    resume_proof,
    resume_request,
    resume_turns,
)
FAULTS = {one.name: one for one in entered() if one.commit.__module__ in {module.__name__ for module in MODULES}}
AGREED = (
    *(f"NAME-{number}" for number in (1, 2, 3, 4, 5, 6, 7, 11)),
    *(f"RESUME-{number}" for number in range(1, 11)),
    "CONTRACT-1",
    "CONTRACT-2",
    "RECORD-1",
    "RECORD-2",
)
PROPOSED = ("NAME-8", "NAME-9", "NAME-10", *(f"RESUME-{number}" for number in range(11, 17)), "RECORD-3")


class Bench:
    """A simulator that can be made wrong, with two issues of one title in one project."""

    def __init__(self, folder: Path) -> None:
        self.stage = Stage.at(folder, 7, RLock(), {})
        self.folder = folder
        self._store = Store(f"sqlite:///{folder / 'engine.sqlite'}")
        self._store.create()
        self._engine: FaultyEngine | None = None

    def open(self, *names: str, adapter: AdapterId = AdapterId.CODEX) -> FaultyEngine:
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
        self._engine = FaultyEngine(real, [FAULTS[name] for name in names])
        config = EngineConfig(str(self.folder / "base"), (ProjectConfig.of("acme", "shop", adapter),))
        assert self._engine.open(config) is None
        for ref in (ONE, TWO):
            self._engine.send(IssueOpened(ref, "Add a page"))
        return self._engine

    @property
    def engine(self) -> FaultyEngine:
        assert self._engine is not None
        return self._engine

    def runs(self, *phases: Phase, ref: MailboxRef = ONE) -> None:
        for phase in phases:
            self.engine.send(RunDue(ref, phase))

    def rows(self, view: ViewName, ref: MailboxRef = ONE) -> list[Row]:
        return [row for row in self.engine.query(view) if getattr(row, "mailbox", None) == ref]

    def sessions(self, ref: MailboxRef = ONE) -> list[SessionRow]:
        return [row for row in self.rows("sessions", ref) if isinstance(row, SessionRow)]

    def name(self, ref: MailboxRef = ONE) -> str | None:
        return next(row.branch_name for row in self.rows("mailboxes", ref) if isinstance(row, MailboxRow))

    def branches(self) -> list[str]:
        return [write.text for write in self.stage.witness.of(ForgeWrite) if write.kind == "branch"]

    def starts(self) -> list[CliStarted]:
        return list(self.stage.witness.of(CliStarted))

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
        self._store.close()
        self.stage.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    found = Bench(tmp_path)
    yield found
    found.close()


@pytest.mark.parametrize("requirement", AGREED)
def test_an_agreed_requirement_is_broken_in_ways_of_different_kinds(requirement: str) -> None:
    assert len({one.kind for one in FAULTS.values() if one.requirement == requirement}) >= 2


@pytest.mark.parametrize("requirement", PROPOSED)
def test_a_proposed_requirement_is_broken_in_some_way(requirement: str) -> None:
    assert any(one.requirement == requirement for one in FAULTS.values())


def test_there_are_faults_of_every_kind() -> None:
    assert {one.kind for one in FAULTS.values()} == set(Kind)


def test_sins_are_lines_of_plain_words() -> None:
    assert [
        one.sin for one in FAULTS.values() if one.sin != one.sin.lower() or "\n" in one.sin or one.sin[-1] == "."
    ] == []


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_what_a_fault_replaced_is_put_back(name: str) -> None:
    sabotage = Sabotage()
    FAULTS[name].commit(sabotage)
    replaced = list(reversed(vars(sabotage)["_held"]))
    sabotage.undo()
    assert replaced
    real = {(id(owner), attribute): (owner, value) for owner, attribute, value in replaced}
    assert all(vars(owner)[attribute] is value for (_, attribute), (owner, value) in real.items())


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_an_engine_with_a_fault_works_on(bench: Bench, name: str) -> None:
    bench.open(name, adapter=AdapterId.CLAUDE_CODE)
    bench.runs(Phase.ANALYSIS, Phase.DEVELOPMENT, Phase.ANSWER)
    bench.runs(Phase.ANALYSIS, ref=TWO)
    assert [row.outcome for row in bench.sessions(TWO)] == [RunOutcome.SUCCEEDED]
    assert [row.phase for row in bench.sessions()] == [Phase.ANALYSIS, Phase.DEVELOPMENT, Phase.ANSWER]


def test_the_second_slug_is_left_out(bench: Bench) -> None:
    bench.open("slug-once")
    bench.runs(Phase.ANALYSIS)
    bench.runs(Phase.ANALYSIS, ref=TWO)
    assert (bench.name(ONE), bench.name(TWO)) == ("agent/issue-1-add-a-page", "agent/issue-2")


def test_what_a_fault_counts_begins_anew_with_each_scenario(bench: Bench) -> None:
    for _ in range(2):
        bench.open("slug-once")
        bench.runs(Phase.ANALYSIS)
        assert bench.name() == "agent/issue-1-add-a-page"
        bench.engine.close()


def test_two_faults_are_committed_together(bench: Bench) -> None:
    bench.open("renamed-with-the-title", "renamed-with-the-prefix")
    bench.runs(Phase.ANALYSIS)
    bench.engine.send(IssueRetitled(ONE, "Add a door"))
    bench.engine.send(PrefixChanged("acme", "shop", "bot-"))
    assert bench.name() == "bot-issue-1-add-a-door"


def test_a_branch_before_development_has_the_right_name(bench: Bench) -> None:
    bench.open("branch-before-development")
    bench.runs(Phase.ANALYSIS, Phase.DEVELOPMENT)
    writes = [(write.kind, write.text) for write in bench.stage.witness.of(ForgeWrite)]
    assert bench.branches() == ["agent/issue-1-add-a-page"] * 2
    assert writes.index(("branch", "agent/issue-1-add-a-page")) < writes.index(("label", "status::in_development"))


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        ((), [False, True, True]),
        (("resumes-once",), [False, True, False]),
        (("fresh-answers",), [False, True, False]),
        (("first-session-for-ever",), [False, True, True]),
    ],
)
def test_a_fault_decides_which_runs_resume(bench: Bench, names: tuple[str, ...], asked: list[bool]) -> None:
    bench.open(*names)
    bench.runs(Phase.ANALYSIS, Phase.DEVELOPMENT, Phase.ANSWER)
    assert [start.asked_id is not None for start in bench.starts()] == asked


def test_a_short_follow_up_is_short_where_it_resumes_and_full_after_a_refusal(bench: Bench) -> None:
    bench.open("short-follow-up")
    bench.runs(Phase.ANALYSIS)
    bench.stage.runtime.script(AdapterId.CODEX, Script("refuse"))
    bench.runs(Phase.DEVELOPMENT)
    assert ["Add a page" in start.prompt for start in bench.starts()] == [True, False, True]


def test_a_late_retry_comes_when_all_is_done(bench: Bench) -> None:
    bench.open("late-retry")
    bench.stage.runtime.script(AdapterId.CODEX, Script("hang"))
    bench.runs(Phase.DEVELOPMENT)
    bench.engine.send(LeaseExpired(ONE))
    bench.engine.send(WorkerWoken(ONE))
    assert [row.outcome for row in bench.sessions()] == ["abandoned", "succeeded"]
    bench.engine.advance(10 * 60_000)
    assert [row.outcome for row in bench.sessions()] == ["abandoned", "succeeded", "succeeded"]


def test_a_second_run_beside_a_live_one_has_the_lease(bench: Bench) -> None:
    bench.open("all-at-once")
    bench.stage.runtime.script(AdapterId.CODEX, Script("hang"))
    bench.runs(Phase.DEVELOPMENT, Phase.ANSWER)
    assert [row.outcome for row in bench.sessions()] == ["live", "succeeded"]


def test_an_empty_session_stands_only_where_there_is_none(bench: Bench) -> None:
    bench.open("empty-session")
    bench.runs(Phase.ANALYSIS)
    found = [row.session for row in bench.rows("exchanges") if isinstance(row, ExchangeRow)]
    assert [session and session["name"] for session in found] == ["agent/issue-1-add-a-page"]


def test_a_short_id_is_shown_and_the_whole_one_recorded(bench: Bench) -> None:
    bench.open("detail-with-a-short-id")
    bench.runs(Phase.ANALYSIS)
    whole = bench.sessions()[0].native_session_id or ""
    shown = [dict(row.lines)["Native id"] for row in bench.rows("details") if isinstance(row, DetailRow)]
    assert shown == [whole[:8]]
    assert len(whole) == 36

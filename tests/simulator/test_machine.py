"""The engine under arbitrary sequences of events: what must be so after each of them, and what is left at the end."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tck_driver.bench import Act, Link, Script, Shape, TrackerAnswer, Write
from tck_driver.configuration import Binding, EngineConfig, ProjectConfig
from tck_driver.stimuli import (
    BindingChanged,
    InstallationChanged,
    IssueBlocked,
    IssueClosed,
    IssueDeleted,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    LeaseExpired,
    MergeRequestEventSent,
    PrefixChanged,
    ReconcileDue,
    ReviewRequested,
    RunDue,
    SettingChanged,
    WorkerWoken,
)
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, Closing, MailboxRef, MergeRequestEvent, Phase, RunOutcome
from tck_driver.witness import CliStarted, ContainerStarted
from tck_fakes.standins.shapes import TAKEN_BY
from tck_simulator.adapters import ADAPTERS
from tck_simulator.rows import Session
from tck_simulator.store import Store

from .house import MINUTE, House

#: The names of the first two join to the same text, so their directories have to be told apart (ISOLATE-8).
ISSUES = (
    MailboxRef("a-b", "c", "issue", 1),
    MailboxRef("a", "b-c", "issue", 1),
    MailboxRef("a", "b-c", "issue", 12),
)
REVIEW = MailboxRef("a", "b-c", "merge_request", 1)
PROJECTS = (("a-b", "c"), ("a", "b-c"))

ANY_ISSUE = st.sampled_from(ISSUES)
ANY_PROJECT = st.sampled_from(PROJECTS)
ADAPTER = st.sampled_from(AdapterId)
PHASE = st.sampled_from(ISSUE_PHASES)
#: What CLIs do, the shapes that matter to sessions first; one that a CLI cannot take is passed over.
SHAPES = st.sampled_from([shape for shape in TAKEN_BY if shape != "odd_id"])
DURATIONS = st.sampled_from([0, 0, 0, MINUTE // 2, 2 * MINUTE, 29 * MINUTE, 31 * MINUTE])
ACTS: st.SearchStrategy[tuple[Act, ...]] = st.sampled_from(
    (
        (),
        (),
        (Link("/home/agent/.claude/projects/out", "/etc"), Link("/home/agent/.codex/sessions/out", "/")),
        (Write("/home/agent/.codex/sessions/x", "x"), Write("/workspace/x", "x")),
    )
)
ANSWERS: st.SearchStrategy[TrackerAnswer] = st.sampled_from(("normal", "404", "500", "401", "timeout"))


class EngineMachine(RuleBasedStateMachine):
    """One engine with three issues, a merge request of a human, and everything that can happen to them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="engine-"))
        self.store = Store("sqlite://")
        self.store.create()
        self.house = House.build(self.folder, self.store)
        self.names: dict[int, str] = {}
        self.directories: dict[int, str] = {}
        self.ended: dict[int, Session] = {}
        self.looked_at = 0
        self.wiped: set[str] = set()

    @initialize(adapter=st.sampled_from([AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE]))
    def begin(self, adapter: AdapterId) -> None:
        projects = tuple(ProjectConfig.of(*project, adapter) for project in PROJECTS)
        assert self.house.engine.open(EngineConfig(str(self.house.base), projects)) is None
        for ref in ISSUES:
            self.house.engine.send(IssueOpened(ref, f"Issue {ref.iid}"))
        self.house.engine.send(ReviewRequested(REVIEW, "Mine"))

    # --- what happens ------------------------------------------------------------------------------------------------

    @rule(ref=ANY_ISSUE, phase=PHASE)
    def run_is_due(self, ref: MailboxRef, phase: Phase) -> None:
        self.house.engine.send(RunDue(ref, phase))

    @rule(ref=ANY_ISSUE, phase=PHASE, shape=SHAPES, duration=DURATIONS, acts=ACTS)
    def run_with_a_behaviour(
        self, ref: MailboxRef, phase: Phase, shape: Shape, duration: int, acts: tuple[Act, ...]
    ) -> None:
        binding = self.store.binding(ref.organization, ref.project, phase)
        assert binding is not None
        if binding.adapter in TAKEN_BY[shape]:
            self.house.runtime.script(binding.adapter, Script(shape, duration_ms=duration, acts=acts))
        self.house.engine.send(RunDue(ref, phase))

    @rule(event=st.sampled_from(MergeRequestEvent), number=st.sampled_from([1, 1001, 1002]), project=ANY_PROJECT)
    def merge_request_reports(self, event: MergeRequestEvent, number: int, project: tuple[str, str]) -> None:
        self.house.engine.send(MergeRequestEventSent(*project, number, event))

    @rule(project=ANY_PROJECT, adapter=ADAPTER, phase=st.none() | PHASE)
    def binding_changes(self, project: tuple[str, str], adapter: AdapterId, phase: Phase | None) -> None:
        self.house.engine.send(BindingChanged(*project, Binding(adapter), phase))

    @rule(project=ANY_PROJECT, value=st.sampled_from([True, False, None, "off"]))
    def setting_changes(self, project: tuple[str, str], value: bool | str | None) -> None:  # noqa: FBT001 -- drawn
        self.house.engine.send(SettingChanged("project", *project, "AGENT_SESSION_RESUME", value))

    @rule(ref=ANY_ISSUE, project=ANY_PROJECT, text=st.sampled_from(["Other", "🚀", "a..b"]))
    def title_and_prefix_change(self, ref: MailboxRef, project: tuple[str, str], text: str) -> None:
        self.house.engine.send(IssueRetitled(ref, text))
        self.house.engine.send(PrefixChanged(*project, f"{text}-"))

    @rule(adapter=st.sampled_from(list(ADAPTERS)), version=st.sampled_from(["0.1.0", "2.1.197", "3.0.0"]))
    def image_changes(self, adapter: AdapterId, version: str) -> None:
        self.house.runtime.set_version(adapter, version, "plain")
        self.house.engine.send(InstallationChanged(adapter, f"{adapter}:{version}"))

    @rule(ms=st.sampled_from([1000, MINUTE, 5 * MINUTE, 31 * MINUTE]))
    def time_passes(self, ms: int) -> None:
        self.house.engine.advance(ms)

    @rule()
    def hanging_clis_go_on(self) -> None:
        self.house.runtime.release()
        self.house.engine.quiesce(0)

    @rule(ref=ANY_ISSUE, how=st.sampled_from(Closing))
    def issue_ends(self, ref: MailboxRef, how: Closing) -> None:
        self.house.engine.send(IssueClosed(ref, how))

    @rule(ref=ANY_ISSUE)
    def issue_is_reopened(self, ref: MailboxRef) -> None:
        self.house.forge.tracker_answers(ref, "normal")
        self.house.engine.send(IssueReopened(ref))

    @rule(ref=ANY_ISSUE)
    def issue_is_deleted(self, ref: MailboxRef) -> None:
        self.house.engine.send(IssueDeleted(ref))

    @rule(ref=ANY_ISSUE)
    def issue_waits_for_a_human(self, ref: MailboxRef) -> None:
        self.house.engine.send(IssueBlocked(ref))

    @rule(ref=ANY_ISSUE)
    def human_retries(self, ref: MailboxRef) -> None:
        self.house.engine.send(IssueRetry(ref))

    @rule(ref=ANY_ISSUE, answer=ANSWERS)
    def reconciler_is_due(self, ref: MailboxRef, answer: TrackerAnswer) -> None:
        self.house.forge.tracker_answers(ref, answer)
        self.house.engine.send(ReconcileDue())

    @rule(ref=ANY_ISSUE)
    def worker_stalls(self, ref: MailboxRef) -> None:
        self.house.engine.send(LeaseExpired(ref))

    @rule(ref=ANY_ISSUE)
    def worker_wakes(self, ref: MailboxRef) -> None:
        self.house.engine.send(WorkerWoken(ref))

    @rule()
    def engine_crashes(self) -> None:
        self.house.engine.kill()
        self.house.engine.start()

    @precondition(lambda self: bool(self.house.session_folders()))
    @rule(data=st.data(), link=st.booleans())
    def state_is_lost(self, data: st.DataObject, link: bool) -> None:  # noqa: FBT001 -- drawn
        """Somebody removes the state of one mailbox, or puts a link to another's in its place."""
        folders = [path for path in self.house.session_folders() if not (self._sessions / path).is_symlink()]
        if not folders or self.house.runtime.running():
            return
        name = data.draw(st.sampled_from(folders))
        shutil.rmtree(self._sessions / name)
        self.wiped.add(name)
        others = [other for other in folders if other != name]
        if link and others:
            (self._sessions / name).symlink_to(others[0])

    # --- what must be so ---------------------------------------------------------------------------------------------

    @property
    def _sessions(self) -> Path:
        return self.house.base / ".agent-sessions"

    @invariant()
    def at_most_one_run_of_a_mailbox_is_live_and_it_holds_the_lease(self) -> None:
        live = Counter(row.mailbox_id for row in self.store.sessions() if row.outcome == RunOutcome.LIVE)
        assert all(count == 1 for count in live.values())
        assert set(live) == {box.id for box in self.store.mailboxes() if box.lease_owner is not None}
        running = Counter(self._label(container, "mailbox") for container in self.house.runtime.running())
        assert all(count == 1 and int(box) in live for box, count in running.items())

    @invariant()
    def a_row_says_either_that_it_resumed_or_why_not(self) -> None:
        for row in self.store.sessions():
            assert not (row.resumed and row.resume_fallback)
            if row.session_name is None:
                assert (row.native_session_id, row.resumed, row.resume_fallback) == (None, False, None)
            elif row.outcome == RunOutcome.SUCCEEDED:
                assert row.resumed or row.resume_fallback
            if row.native_session_id is not None:
                assert ADAPTERS[AdapterId(row.adapter_id)].id_pattern.fullmatch(row.native_session_id)

    @invariant()
    def a_row_that_has_ended_never_changes_again(self) -> None:
        rows = {row.id: row for row in self.store.sessions() if row.outcome != RunOutcome.LIVE}
        assert {key: rows[key] for key in self.ended} == self.ended
        self.ended = rows

    @invariant()
    def a_name_and_a_directory_never_change_and_are_nobody_elses(self) -> None:
        held: list[str] = []
        for box in self.store.mailboxes():
            if box.branch_name is not None:
                assert self.names.setdefault(box.id, box.branch_name) == box.branch_name
            else:
                assert box.id not in self.names
            if box.session_dir is not None:
                assert self.directories.setdefault(box.id, box.session_dir) == box.session_dir
                held.append(box.session_dir.lower())
        assert len(held) == len(set(held))

    @invariant()
    def the_state_of_an_open_mailbox_is_there(self) -> None:
        for box in self.store.mailboxes(only_open=True):
            if box.session_dir is not None and box.session_dir not in self.wiped:
                assert (self._sessions / box.session_dir).is_dir()
                assert not (self._sessions / box.session_dir).is_symlink()

    @invariant()
    def every_start_was_given_its_own_mailboxs_state_and_id_and_nothing_else(self) -> None:
        records = self.house.witness.records[self.looked_at :]
        self.looked_at = self.house.witness.mark()
        for start in records:
            if isinstance(start, ContainerStarted) and ("purpose", "detection") not in start.labels:
                box = int(dict(start.labels)["mailbox"])
                for mount in start.mounts:
                    if not mount.source.startswith(str(self._sessions)):
                        continue
                    place = self._sessions / self.directories[box]
                    assert Path(mount.source).parent == place
                    assert mount.real_source == mount.source  # no link was followed
                    self.wiped.discard(place.name)
            if isinstance(start, CliStarted) and start.asked_id is not None:
                box = int(self._label(start.container, "mailbox"))
                run = int(self._label(start.container, "run"))
                before = [row for row in self.store.sessions(box) if row.id < run]
                mine = [row.native_session_id for row in before if row.adapter_id == start.adapter]
                assert start.asked_id == next(one for one in reversed(mine) if one is not None)
            if isinstance(start, CliStarted):
                assert not start.asked_loosely
                assert start.usage_error is None

    def _label(self, container: str, label: str) -> str:
        found = next(one for one in self.house.witness.of(ContainerStarted) if one.container == container)
        return dict(found.labels)[label]

    @invariant()
    def worktrees_belong_to_live_runs(self) -> None:
        live = {str(row.id) for row in self.store.sessions() if row.outcome == RunOutcome.LIVE}
        assert {path.name.rpartition("-")[2] for path in self.house.worktrees()} <= live

    def teardown(self) -> None:
        try:
            if self.store.mailboxes():
                self._end_everything()
        finally:
            self.house.close()
            self.store.close()
            shutil.rmtree(self.folder)

    def _end_everything(self) -> None:
        """After every issue has ended and a sweep there is no run, no container, no folder, and no fault on record."""
        for ref in (*ISSUES, REVIEW):
            self.house.engine.send(IssueClosed(ref, Closing.MERGED))
        self.house.engine.send(ReconcileDue())
        assert self.house.runtime.running() == []
        assert self.house.worktrees() == []
        assert self.house.session_folders() == []
        assert self.store.incidents() == []
        assert self.store.jobs() == []
        assert {box.session_dir for box in self.store.mailboxes()} == {None}
        assert RunOutcome.LIVE not in {row.outcome for row in self.store.sessions()}
        runs = len(self.store.sessions())
        self.house.engine.advance(24 * 60 * MINUTE)
        assert len(self.store.sessions()) == runs


EngineMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None, derandomize=True)
TestEngine = EngineMachine.TestCase

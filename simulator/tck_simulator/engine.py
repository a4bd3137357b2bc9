"""The engine: it takes stimuli, works its queue off, and answers questions about its bookkeeping.

Theory of operation. Every stimulus ends in a queued job or a changed row; `pump` then does whatever is due: it renews
the leases of its own live runs, polls them, reclaims the leases of workers that are gone, and starts the jobs whose
mailbox is free (RESUME-13). Between two pumps nothing happens, so `next_deadline` says when the next one is worth it.

All state that matters is in the store and on disk: an engine that is thrown away and made anew on both goes on where
the old one stopped (§11.7).
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

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
    Stimulus,
    StimulusResult,
    WorkerWoken,
)
from tck_driver.views import ExchangeRow, Row, ViewName
from tck_driver.vocabulary import ISSUE_PHASES, AdapterId, MailboxRef, Phase, RunOutcome
from tck_simulator import settings as names
from tck_simulator.adapters import ADAPTERS
from tck_simulator.cleanup import Cleaner, LocalRemover
from tck_simulator.layout import Layout
from tck_simulator.live import LiveRun
from tck_simulator.naming import prefix_fault, storable
from tck_simulator.outcomes import back_off_seconds
from tck_simulator.ports import Clock, ContainerRuntime, Forge, ModelProvider, Remover
from tck_simulator.reconciler import Reconciler
from tck_simulator.rows import Job, Mailbox
from tck_simulator.run import Ended, RunSequence
from tck_simulator.sandbox import overlaps
from tck_simulator.states import CLOSED, FIXING, LABELLED, PHASE_OF_EVENT, PUSHING, RUNNING, SUCCEEDED, IssueState
from tck_simulator.store import Store
from tck_simulator.views import rows_of


class ConfigurationError(Exception):
    """The engine cannot start with this configuration; the text names setting, value and what is wrong."""


class RefusedError(Exception):
    """The engine refuses a stimulus, and says why; nothing was changed."""


class Engine:
    """One engine process."""

    def __init__(
        self,
        *,
        store: Store,
        base: Path,
        runtime: ContainerRuntime,
        forge: Forge,
        models: ModelProvider,
        clock: Clock,
        remover: Remover | None = None,
        credentials: Sequence[tuple[str, str]] = (),
        seed: int = 0,
        process: str = "engine-1",
    ) -> None:
        """Start on a store and a folder that may hold the state of an earlier process."""
        self._store = store
        self._forge = forge
        self._runtime = runtime
        self._clock = clock
        self._process = process
        self._layout = Layout(base)
        base.mkdir(parents=True, exist_ok=True)
        self._cleaner = Cleaner(store, self._layout, remover or LocalRemover())
        self._sequence = RunSequence(
            store=store,
            layout=self._layout,
            runtime=runtime,
            models=models,
            clock=clock,
            cleaner=self._cleaner,
            credentials=credentials,
            randomness=random.Random(f"{seed}/{process}"),  # noqa: S311 -- ids of a reproducible simulation, no secrets
        )
        self._reconciler = Reconciler(
            store=store,
            layout=self._layout,
            runtime=runtime,
            forge=forge,
            cleaner=self._cleaner,
            end=self._end_mailbox,
            is_live=lambda mailbox: mailbox.id in {live.mailbox.id for live in self._live},
        )
        fault = next(credential_faults(credentials, base), None)
        if fault is not None:
            raise ConfigurationError(fault)
        self._next_sweep = clock.now()
        self._live: list[LiveRun] = []
        self._stalled: list[LiveRun] = []
        self._started: dict[int, int] = {}
        self._outcomes: dict[int, RunOutcome] = {}
        self._exchanges: dict[int, ExchangeRow] = {}

    def begin(self) -> None:
        """Do what an engine does at its start: detect what each image holds, and sweep (§16.6, §21.1)."""
        self._sequence.detect_all()
        self._sweep()
        self.pump()

    def _sweep(self) -> None:
        settings = names.Effective(self._store.settings("", ""))
        self._next_sweep = self._clock.now() + settings.seconds(names.RECONCILE_SECONDS)
        self._reconciler.sweep(self._clock.now())

    # --- stimuli -------------------------------------------------------------------------------------------------

    def handle(self, stimulus: Stimulus) -> StimulusResult:
        """Take a stimulus, do what is due, and say what became of it."""
        try:
            job = self._take(stimulus)
            self.pump()
        except (RefusedError, names.SettingError) as refusal:
            return StimulusResult(error=str(refusal))
        if job is None:
            return StimulusResult()
        run = self._started.get(job)
        if run is None:
            return StimulusResult(outcome=RunOutcome.QUEUED)
        return StimulusResult(run=str(run), outcome=self._outcomes.get(run, RunOutcome.LIVE))

    def _take(self, stimulus: Stimulus) -> int | None:  # noqa: C901, PLR0912 -- one case per word of the vocabulary
        """Put a stimulus into rows and jobs; give the job that it led to."""
        match stimulus:
            case IssueOpened(mailbox=ref, title=title) | ReviewRequested(mailbox=ref, title=title):
                current = self._store.mailbox(ref)
                if current is None or not current.open:
                    self._store.open_mailbox(ref, storable(title), IssueState.FUNCTIONAL_ANALYSIS)
            case IssueReopened(mailbox=ref):
                current = self._known(ref)
                if not current.open:
                    self._store.open_mailbox(ref, current.title, IssueState.FUNCTIONAL_ANALYSIS)
            case IssueRetitled(mailbox=ref, title=title):
                self._store.set_mailbox(self._known(ref).id, title=storable(title))
            case IssueClosed(mailbox=ref, how=how):
                self._end_mailbox(self._known(ref), CLOSED[how])
            case IssueDeleted(mailbox=ref):
                self._sweep()
            case IssueBlocked(mailbox=ref):
                self._block(self._open(ref), None)
            case IssueRetry(mailbox=ref):
                return self._retry(self._open(ref))
            case RunDue(mailbox=ref, phase=phase):
                return self._queue(self._open(ref), phase)
            case MergeRequestEventSent():
                return self._route(stimulus)
            case SettingChanged(scope=scope, organization=organization, project=project, name=name, value=value):
                accepted = None if value is None else names.accept(name, scope, value)
                self._store.set_setting(scope, organization, project, name, value=accepted)
            case BindingChanged(organization=organization, project=project, binding=binding, phase=phase):
                self._store.bind(organization, project, tuple(Phase) if phase is None else (phase,), binding)
            case PrefixChanged(organization=organization, project=project, prefix=prefix):
                fault = prefix_fault(prefix)
                if fault is not None:
                    raise RefusedError(f"BRANCH_PREFIX {prefix!r} of {organization}/{project} is refused: {fault}")
                self._store.set_branch_prefix(organization, project, prefix)
            case InstallationChanged(adapter=adapter, image=image):
                self._store.set_image(adapter, image)
                if adapter is not AdapterId.API:
                    self._sequence.installation(ADAPTERS[adapter])
            case LeaseExpired(mailbox=ref):
                self._stall(self._known(ref))
            case WorkerWoken(mailbox=ref):
                self._wake(self._known(ref))
            case ReconcileDue():
                self._sweep()
        return None

    def _known(self, ref: MailboxRef) -> Mailbox:
        mailbox = self._store.mailbox(ref)
        if mailbox is None:
            raise RefusedError(f"{ref} is not known")
        return mailbox

    def _open(self, ref: MailboxRef) -> Mailbox:
        mailbox = self._known(ref)
        if not mailbox.open:
            raise RefusedError(f"{ref} is closed")
        return mailbox

    def _queue(self, mailbox: Mailbox, phase: Phase) -> int:
        allowed = ISSUE_PHASES if mailbox.ref.kind == "issue" else (Phase.HUMAN_REVIEW,)
        if phase not in allowed:
            raise RefusedError(f"{mailbox.ref}: {phase} is no phase of a mailbox of this kind")
        return self._store.add_job(mailbox.id, phase, self._clock.now())

    def _route(self, event: MergeRequestEventSent) -> int | None:
        """Bring an event on a merge request to its mailbox: the agent's to its issue's, others to their own (§11.1)."""
        phase = PHASE_OF_EVENT[event.event]
        owner = self._store.owner_of_merge_request(event.organization, event.project, event.merge_request)
        if owner is not None:
            mailbox = self._store.mailbox_by_id(owner)
            return self._queue(mailbox, phase) if mailbox.open else None
        human = self._store.mailbox(MailboxRef(event.organization, event.project, "merge_request", event.merge_request))
        return None if human is None or not human.open else self._queue(human, Phase.HUMAN_REVIEW)

    def _retry(self, mailbox: Mailbox) -> int | None:
        """Let a blocked mailbox go on with the phase that blocked it, its retry counter at zero (CLEAN-5)."""
        if mailbox.state != IssueState.BLOCKED:
            raise RefusedError(f"{mailbox.ref} is not blocked")
        phase = Phase(mailbox.blocked_phase) if mailbox.blocked_phase else Phase.DEVELOPMENT
        before = IssueState(mailbox.blocked_from or IssueState.IN_DEVELOPMENT)
        self._set_state(mailbox, before, blocked_from=None, blocked_phase=None, llm_retries=0)
        return self._queue(mailbox, phase)

    # --- work ----------------------------------------------------------------------------------------------------

    def pump(self) -> None:
        """Do everything that is due now.

        The sweeps are no deadline that anybody is woken for: they are done at the first pump after their time.
        """
        if self._clock.now() >= self._next_sweep:
            self._sweep()
        self._renew_and_poll()
        self._reclaim()
        while self._start_next():
            self._renew_and_poll()

    def _renew_and_poll(self) -> None:
        """Keep the leases of our own live runs, every third of their time, and finish the runs that have ended."""
        now = self._clock.now()
        for live in list(self._live):
            if now - live.renewed >= live.settings.seconds(names.LEASE_SECONDS) / 3:
                self._store.renew_lease(live.mailbox.id, live.epoch, self._lease_end(live.settings))
                live.renewed = now
            ended = self._sequence.poll(live)
            if ended is not None:
                self._live.remove(live)
                self._finish(live, ended)

    def _lease_end(self, settings: names.Effective) -> datetime:
        return self._clock.now() + settings.seconds(names.LEASE_SECONDS)

    def _start_next(self) -> bool:
        """Start the first job that is due and whose mailbox is free."""
        found = self._store.next_job(self._clock.now())
        return found is not None and self._start(*found)

    def _start(self, job: Job, mailbox: Mailbox) -> bool:
        settings = self._sequence.settings(mailbox)
        epoch = mailbox.lease_epoch + 1
        if not self._store.take_lease(mailbox.id, epoch - 1, self._process, self._lease_end(settings)):
            return False
        self._store.drop_job(job.id)
        if job.phase in RUNNING and mailbox.ref.kind == "issue":
            mailbox = self._set_state(mailbox, RUNNING[job.phase])
        try:
            live = self._sequence.begin(mailbox, job.phase, settings, epoch)
        except LookupError as fault:
            self._store.drop_lease(mailbox.id)
            raise RefusedError(f"the {job.phase} run of {mailbox.ref} cannot start: {fault}") from fault
        self._started[job.id] = live.run
        session = live.request.session
        self._exchanges[live.run] = ExchangeRow(
            str(live.run), mailbox.ref, None if session is None else session.as_fields(), None
        )
        self._live.append(live)
        return True

    def _finish(self, live: LiveRun, ended: Ended) -> None:
        """Record a run's end and do what follows from it; nothing of either if the lease has moved on (RESUME-14)."""
        result = ended.result
        mailbox = self._store.mailbox_by_id(live.mailbox.id)
        succeeded = ended.outcome is RunOutcome.SUCCEEDED
        most = int(live.settings.value(names.LLM_MAX_RETRIES))
        retries = 0 if succeeded else mailbox.llm_retries + 1
        attempts = mailbox.fix_attempts + (1 if live.phase in FIXING else 0)
        recorded = self._store.finish_run(
            live.run,
            live.epoch,
            ended.outcome,
            native_id=result.session_id,
            resumed=result.resumed,
            fallback=result.resume_fallback,
            llm_retries=min(retries, most),
            fix_attempts=attempts,
        )
        self._sequence.clear(live, self._clock.now())
        if not recorded:
            return
        self._outcomes[live.run] = ended.outcome
        known = self._exchanges.get(live.run)
        if known is not None:
            self._exchanges[live.run] = ExchangeRow(known.run, known.mailbox, known.session, result.as_fields())
        if succeeded:
            self._after_success(live, mailbox, result.text)
        else:
            self._after_failure(live, mailbox, retries)

    def _after_success(self, live: LiveRun, mailbox: Mailbox, answer: str) -> None:
        ref = mailbox.ref
        if live.phase in PUSHING and mailbox.branch_name is not None:
            self._forge.push_branch(ref.organization, ref.project, mailbox.branch_name)
            if not self._store.has_merge_request(mailbox.id):
                iid = self._forge.open_merge_request(ref, mailbox.branch_name, mailbox.title)
                self._store.add_merge_request(mailbox, iid)
        else:
            self._forge.comment(ref, answer)
        following = SUCCEEDED.get((live.phase, IssueState(mailbox.state)))
        if ref.kind == "issue" and following is not None:
            self._set_state(mailbox, following)

    def _after_failure(self, live: LiveRun, mailbox: Mailbox, retries: int) -> None:
        """Try again after a pause, or block the issue once the retries are used up (§13.4)."""
        if retries <= int(live.settings.value(names.LLM_MAX_RETRIES)):
            first = int(live.settings.value(names.BACK_OFF_SECONDS))
            pause = timedelta(seconds=back_off_seconds(first, retries))
            self._store.add_job(mailbox.id, live.phase, self._clock.now() + pause)
            return
        text = f"The phase {live.phase} failed and was tried again in vain. Set ai::retry to try again."
        self._forge.comment(mailbox.ref, text)
        self._block(mailbox, live.phase)

    def _block(self, mailbox: Mailbox, phase: Phase | None) -> None:
        last = self._store.sessions(mailbox.id)
        blocked = phase or (Phase(last[-1].phase) if last else None)
        before = mailbox.blocked_from if mailbox.state == IssueState.BLOCKED else mailbox.state
        self._set_state(mailbox, IssueState.BLOCKED, blocked_from=before, blocked_phase=blocked)

    def _set_state(self, mailbox: Mailbox, state: IssueState, **values: str | int | None) -> Mailbox:
        """Store a state, and show it on the tracker where it differs from the one before; give the mailbox with it."""
        before = mailbox.state
        if before == state and not values:
            return mailbox
        self._store.set_mailbox(mailbox.id, state=state, **values)
        if before != state:
            self._forge.remove_label(mailbox.ref, f"status::{before}")
            if state in LABELLED:
                self._forge.add_label(mailbox.ref, f"status::{state}")
        return replace(mailbox, state=state)

    # --- ends, leases, crashes -----------------------------------------------------------------------------------

    def _end_mailbox(self, mailbox: Mailbox, state: IssueState) -> None:
        """Stop what runs, close the mailbox, and remove what belongs to it (§21.3)."""
        now = self._clock.now()
        self._store.drop_jobs(mailbox.id)
        for live in [live for live in self._live if live.mailbox.id == mailbox.id]:
            result = self._sequence.stop(live)
            self._live.remove(live)
            self._store.finish_run(
                live.run,
                live.epoch,
                RunOutcome.CANCELLED,
                native_id=result.session_id,
                resumed=result.resumed,
                fallback=result.resume_fallback,
            )
            self._sequence.clear(live, now)
        self._end_left_behind(mailbox, RunOutcome.CANCELLED)
        for container in self._runtime.find("mailbox", str(mailbox.id)):
            self._runtime.stop(container)
            self._runtime.remove(container)
        if mailbox.open:
            self._set_state(mailbox, state, open=False)
        self._cleaner.remove_state(self._store.mailbox_by_id(mailbox.id), now)

    def _stall(self, mailbox: Mailbox) -> None:
        """Take a mailbox's worker for gone: it no longer polls or renews, and its lease is over."""
        for live in [live for live in self._live if live.mailbox.id == mailbox.id]:
            self._live.remove(live)
            self._stalled.append(live)
        self._store.set_mailbox(mailbox.id, lease_expires_at=self._clock.now())

    def _wake(self, mailbox: Mailbox) -> None:
        """Let a stalled worker go on with what it had in hand; what it writes carries its old epoch (RESUME-14)."""
        for live in [live for live in self._stalled if live.mailbox.id == mailbox.id]:
            self._stalled.remove(live)
            ended = self._sequence.poll(live)
            if ended is not None:
                self._finish(live, ended)

    def _reclaim(self) -> None:
        """Take over the mailboxes whose lease has run out, stopping the old container first (§11.7, CLEAN-6)."""
        mine = {live.mailbox.id for live in self._live}
        for mailbox in self._store.expired_leases(self._clock.now()):
            if mailbox.id not in mine:
                self._take_over(mailbox)

    def _take_over(self, mailbox: Mailbox) -> None:
        """End the run of a worker that is gone and queue its phase again. Ids it had reported are kept (RESUME-15)."""
        for phase in self._end_left_behind(mailbox, RunOutcome.ABANDONED):
            self._store.add_job(mailbox.id, phase, self._clock.now())

    def _end_left_behind(self, mailbox: Mailbox, outcome: RunOutcome) -> list[Phase]:
        """End the runs that another worker began and did not end, under a new epoch, and give their phases."""
        rows = [row for row in self._store.sessions(mailbox.id) if row.outcome == RunOutcome.LIVE]
        expires_at = self._lease_end(self._sequence.settings(mailbox))
        self._store.take_over_lease(mailbox.id, self._process, expires_at)
        for row in rows:
            result = self._sequence.reclaim(row)
            self._store.end_run(
                row.id, outcome, native_id=result.session_id, resumed=result.resumed, fallback=result.resume_fallback
            )
            self._cleaner.remove(self._layout.worktree(mailbox.ref, str(row.id)), "worktree", self._clock.now())
        self._store.drop_lease(mailbox.id)
        return [Phase(row.phase) for row in rows]

    # --- time and questions --------------------------------------------------------------------------------------

    def next_deadline(self) -> datetime | None:
        """Give the next instant at which `pump` has something to do that no container's end brings about."""
        mine = {live.mailbox.id for live in self._live}
        instants = [live.deadline for live in self._live]
        instants.extend(job.due_at for job in self._store.jobs())
        instants.extend(
            mailbox.lease_expires_at
            for mailbox in self._store.mailboxes(only_open=True)
            if mailbox.lease_expires_at is not None and mailbox.id not in mine
        )
        return min((instant for instant in instants if instant > self._clock.now()), default=None)

    def pending(self) -> tuple[str, ...]:
        """Give the runs under way, and the jobs that are due."""
        due = [job for job in self._store.jobs() if job.due_at <= self._clock.now()]
        return (*(f"run {live.run}" for live in self._live), *(f"job {job.id}" for job in due))

    def waits(self) -> tuple[tuple[str, str | None], ...]:
        """Give the same, each with the container that it waits for; a job waits for the run that has its mailbox."""
        due = [job for job in self._store.jobs() if job.due_at <= self._clock.now()]
        runs = ((f"run {live.run}", live.container or None) for live in self._live)
        return (*runs, *((f"job {job.id}", None) for job in due))

    def query(self, view: ViewName) -> Sequence[Row]:
        """Answer a question about the bookkeeping."""
        return rows_of(view, self._store, list(self._exchanges.values()))


def credential_faults(credentials: Sequence[tuple[str, str]], base: Path) -> Iterator[str]:
    """Say which of `AGENT_CREDENTIAL_MOUNTS` overlap session state, on the host or in the container (ISOLATE-5)."""
    sessions = os.path.realpath(Layout(base).sessions)
    paths = [adapter.capability.session_state_path for adapter in ADAPTERS.values()]
    for target, source in credentials:
        if overlaps(os.path.realpath(source), sessions):
            yield f"AGENT_CREDENTIAL_MOUNTS: host path {source} overlaps {sessions}; give one outside of it"
        for path in paths:
            if path is not None and overlaps(target, path):
                yield f"AGENT_CREDENTIAL_MOUNTS: container path {target} overlaps {path}; mount the files alone"

"""The sequence of a run, from its lease to its last trace.

Specification: §13.1, with RESUME-2, RESUME-9, RESUME-14, RESUME-15, FALLBACK-6 to FALLBACK-8, FALLBACK-19, ISOLATE-6,
ISOLATE-12, RECORD-3. A run is begun, polled until its container has ended or its time is up, and finished; at most one
refused resume is started again afresh, within the time that is left.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tck_driver.configuration import Binding
from tck_driver.vocabulary import AdapterId, FallbackReason, Phase, RunOutcome
from tck_simulator import settings as names
from tck_simulator.adapters import ADAPTERS, Adapter, Call
from tck_simulator.cleanup import Cleaner
from tck_simulator.contract import LlmRequest, LlmResult, SessionRef
from tck_simulator.detection import detect
from tck_simulator.layout import Layout, directory_names, fingerprint, look, prepare, saved, top_level
from tck_simulator.live import LiveRun
from tck_simulator.naming import session_name
from tck_simulator.outcomes import Judgement, Verdict, judge
from tck_simulator.ports import Clock, ContainerRuntime, ContainerState, ModelProvider
from tck_simulator.prompt import READ_ONLY_PHASES, full_prompt
from tck_simulator.resolution import PriorRun, Resolution, Situation, resolve
from tck_simulator.rows import Installation, Mailbox, Session
from tck_simulator.sandbox import container_request
from tck_simulator.settings import Effective
from tck_simulator.store import Store
from tck_simulator.versions import Version

_FAILED = frozenset({RunOutcome.FAILED, RunOutcome.TIMED_OUT})
_FINISHED = _FAILED | {RunOutcome.SUCCEEDED}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, before anything is written: its outcome, what an adapter may report, and its answer."""

    outcome: RunOutcome
    result: LlmResult


class RunSequence:
    """Begins, watches and ends runs. What follows from an outcome is not its business."""

    def __init__(
        self,
        *,
        store: Store,
        layout: Layout,
        runtime: ContainerRuntime,
        models: ModelProvider,
        clock: Clock,
        cleaner: Cleaner,
        credentials: Sequence[tuple[str, str]],
        randomness: random.Random,
    ) -> None:
        """Work with these parts; `credentials` is `AGENT_CREDENTIAL_MOUNTS`, container path and host path."""
        self._store = store
        self._layout = layout
        self._runtime = runtime
        self._models = models
        self._clock = clock
        self._cleaner = cleaner
        self._credentials = tuple(credentials)
        self._random = randomness

    # --- begin ---------------------------------------------------------------------------------------------------

    def settings(self, mailbox: Mailbox) -> Effective:
        """Read the settings in force for a mailbox's project."""
        return Effective(self._store.settings(mailbox.ref.organization, mailbox.ref.project))

    def installation(self, adapter: Adapter) -> Installation:
        """Give what is known of an adapter's image, detecting it first where it is new (CAPABILITY-7)."""
        installed = self._store.installed(adapter.id)
        if installed is None:
            raise LookupError(f"no runner image is configured for {adapter.id}")
        image, known = installed
        if known is None:
            known = self._detect(adapter, image)
            self._store.add_installations([known])
        return known

    def detect_all(self) -> None:
        """Detect what is in every adapter's image, where it is not known yet (§16.6)."""
        images = self._store.images()
        known = {(row.adapter_id, row.image) for row in self._store.installations()}
        new = [adapter for adapter in ADAPTERS.values() if (adapter.id, images[adapter.id]) not in known]
        if new:
            self._store.add_installations([self._detect(adapter, images[adapter.id]) for adapter in new])

    def _detect(self, adapter: Adapter, image: str) -> Installation:
        found = detect(adapter, image, self._runtime)
        return Installation(
            id=0,
            adapter_id=adapter.id,
            image=image,
            version=None if found.version is None else str(found.version),
            resumable_sessions=found.resumable,
            session_state_path=adapter.capability.session_state_path if found.resumable else None,
            reason=found.reason,
            detected_at=self._clock.now(),
        )

    def begin(self, mailbox: Mailbox, phase: Phase, settings: Effective, epoch: int) -> LiveRun:
        """Resolve the session, write the row, and start the container. The lease of `epoch` is held already."""
        binding = self._store.binding(mailbox.ref.organization, mailbox.ref.project, phase)
        if binding is None:
            raise LookupError(f"{mailbox.ref}: no binding for {phase}")
        now = self._clock.now()
        adapter = None if binding.adapter is AdapterId.API else ADAPTERS[binding.adapter]
        installation = None if adapter is None else self.installation(adapter)
        version = Version.parse(installation.version) if installation and installation.version else None
        resolution, directory = self._resolve(mailbox, settings, adapter, installation)
        name = self._name(mailbox)
        prompt = full_prompt(mailbox.ref, mailbox.title, phase, name)
        state = None if directory is None or adapter is None else self._layout.state(directory, adapter.id)
        session = None
        if resolution.session and state is not None and name is not None:
            session = SessionRef(name, resolution.resume_id, str(state))
        run = self._store.start_run(
            mailbox.id,
            phase,
            binding,
            now,
            session_name=session.name if session else None,
            cli_version=None if version is None else str(version),
            asked_session_id=resolution.resume_id,
            resume_fallback=resolution.reason,
        )
        minutes = settings.value(names.PHASE_TIMEOUT_MINUTES)
        live = LiveRun(
            run=run,
            mailbox=mailbox,
            phase=phase,
            settings=settings,
            epoch=epoch,
            request=LlmRequest(phase, binding.provider, binding.model, prompt, session),
            adapter=adapter,
            resolution=resolution,
            call=self._call(
                prompt,
                phase,
                binding,
                session,
                verified=installation is not None and installation.resumable_sessions,
                version=version,
            ),
            image="" if installation is None else installation.image,
            version=version,
            worktree=self._layout.worktree(mailbox.ref, str(run)),
            started=now,
            renewed=now,
            deadline=now + timedelta(minutes=int(minutes)),
            asked=resolution.resume_id,
            fallback=resolution.reason,
            state=state if session else None,
        )
        live.worktree.mkdir(parents=True)
        if live.state is not None:
            prepare(live.state)
        self._start(live)
        return live

    def _resolve(
        self, mailbox: Mailbox, settings: Effective, adapter: Adapter | None, installation: Installation | None
    ) -> tuple[Resolution, str | None]:
        """Gather the situation, look at no more than it needs, and decide (§16.5)."""
        path = adapter.capability.session_state_path if adapter else None
        setting_on = bool(settings.value(names.SESSION_RESUME))
        if adapter is None or installation is None or path is None or not setting_on or mailbox.ref.kind != "issue":
            return Resolution(session=False), None
        directory = mailbox.session_dir or self._claim(mailbox)
        situation = Situation(
            setting_on=setting_on,
            target=mailbox.ref.kind,
            adapter=adapter.id,
            declared=adapter.capability.resumable_sessions,
            verified=installation.resumable_sessions,
            version=Version.parse(installation.version) if installation.version else None,
            prior=tuple(_prior(row) for row in reversed(self._store.sessions(mailbox.id)) if row.session_name),
            state=look(self._layout.state(directory, adapter.id)),
        )
        return resolve(situation), directory

    def _claim(self, mailbox: Mailbox) -> str:
        """Give a mailbox its session directory, clearing away whatever stands there and belongs to nobody (§3.4)."""
        for name in directory_names(mailbox.ref):
            if self._store.claim_directory(mailbox.id, [name]) is not None:
                if self._cleaner.remove(self._layout.sessions / name, "session", self._clock.now()):
                    return name
                self._store.set_mailbox(mailbox.id, session_dir=None)
        raise LookupError(f"{mailbox.ref}: every name that its session directory may have is held")

    def _name(self, mailbox: Mailbox) -> str | None:
        """Give the frozen name, deriving it at the first run of an issue mailbox, whatever its phase (NAME-2)."""
        if mailbox.branch_name is not None or mailbox.ref.kind != "issue":
            return mailbox.branch_name
        prefix = self._store.branch_prefix(mailbox.ref.organization, mailbox.ref.project)
        return self._store.freeze_name(mailbox.id, session_name(prefix, mailbox.ref.iid, mailbox.title))

    def _call(
        self,
        prompt: str,
        phase: Phase,
        binding: Binding,
        session: SessionRef | None,
        *,
        verified: bool,
        version: Version | None,
    ) -> Call:
        """Gather what the adapter needs; a version that was not verified gets no session arguments at all."""
        return Call(
            prompt=prompt,
            read_only=phase in READ_ONLY_PHASES,
            model=binding.model,
            label=session.name if session and verified else None,
            fresh_id=self._new_id() if session and verified else None,
            version=version,
        )

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def _start(self, live: LiveRun) -> None:
        """Start the container of the present leg, with the time that the phase has left (FALLBACK-7)."""
        if live.adapter is None:
            return
        if live.state is not None:
            live.before = fingerprint(live.state)
            live.call = replace(live.call, state_files=top_level(live.state))
        if live.request.session is None or live.state is None:
            invocation = live.adapter.plain(live.call)
        elif live.asked is not None:
            invocation = live.adapter.resume(live.call, live.asked)
        else:
            invocation = live.adapter.fresh(live.call)
        path = live.adapter.capability.session_state_path
        left = live.deadline - self._clock.now()
        request = container_request(
            image=live.image,
            invocation=invocation,
            worktree=live.worktree,
            read_only=live.phase in READ_ONLY_PHASES,
            state=None if live.state is None or path is None else (live.state, path),
            credentials=self._credentials,
            labels=(("run", str(live.run)), ("mailbox", str(live.mailbox.id)), ("epoch", str(live.epoch))),
            time_limit_ms=int(left.total_seconds() * 1000),
        )
        live.container = self._runtime.start(request)

    # --- watch ---------------------------------------------------------------------------------------------------

    def poll(self, live: LiveRun) -> Ended | None:
        """Look at a run, and give how it ended once it has."""
        if live.adapter is None:
            return self._api(live)
        state = self._runtime.poll(live.container)
        if not state.ended:
            self._note(live, state)
            if self._clock.now() < live.deadline:
                return None
            self._runtime.stop(live.container)
            return Ended(RunOutcome.TIMED_OUT, self.result(live, self._runtime.poll(live.container)))
        judgement = self._judge(live, state)
        if judgement.verdict is Verdict.REFUSED and live.leg == 1:
            return self._start_afresh(live)
        outcome = RunOutcome.SUCCEEDED if judgement.verdict is Verdict.DONE else RunOutcome.FAILED
        return Ended(outcome, self.result(live, state))

    def _note(self, live: LiveRun, state: ContainerState) -> None:
        """Store the native id as soon as it is named: any on a fresh leg, else the asked one alone (RESUME-15)."""
        if live.state is None or live.noted is not None:
            return
        found = self._judge(live, state).native_id
        if found is not None and live.asked in (None, found):
            live.noted = found
            self._store.note_native_id(live.run, live.epoch, found)

    def _start_afresh(self, live: LiveRun) -> Ended | None:
        """Start a refused resume again, once, without anything of the old session (FALLBACK-6, FALLBACK-19)."""
        self._runtime.remove(live.container)
        live.leg, live.asked, live.fallback = 2, None, FallbackReason.REFUSED
        ours = self._store.start_run_afresh(live.run, live.epoch, live.fallback)
        if not ours or self._clock.now() >= live.deadline:
            return Ended(RunOutcome.TIMED_OUT, LlmResult(ok=False, text="", resume_fallback=live.fallback))
        self._start(live)
        return self.poll(live)

    def _api(self, live: LiveRun) -> Ended:
        answer = self._models.complete(live.request.provider, live.request.model, live.request.prompt)
        result = LlmResult(ok=answer.ok, text=answer.text)
        return Ended(RunOutcome.SUCCEEDED if answer.ok else RunOutcome.FAILED, result)

    def _judge(self, live: LiveRun, state: ContainerState) -> Judgement:
        if live.adapter is None:
            return Judgement(Verdict.FAILED, None, resumed=False)
        return judge(live.adapter.read(state), live.asked, live.adapter.id_pattern, rotates=live.adapter.rotates)

    def result(self, live: LiveRun, state: ContainerState) -> LlmResult:
        """Give what of a container's output may be recorded, whether it ended by itself or was cut off.

        A run that succeeded and saved nothing has no native id (RECORD-3); one without a session has nothing to record.
        """
        if live.adapter is None:
            return LlmResult(ok=False, text="")
        reading = live.adapter.read(state)
        if live.state is None:
            return LlmResult(ok=reading.ok, text=reading.text)
        judgement = self._judge(live, state)
        kept = not reading.ok or saved(live.before, fingerprint(live.state))
        return LlmResult(
            ok=reading.ok,
            text=reading.text,
            session_id=judgement.native_id if kept else None,
            resumed=judgement.resumed,
            resume_fallback=FallbackReason.REFUSED if judgement.went_fresh else live.fallback,
        )

    # --- end -----------------------------------------------------------------------------------------------------

    def stop(self, live: LiveRun) -> LlmResult:
        """Stop a run from outside, container and all, and give what it had reported (ISOLATE-12)."""
        self._runtime.stop(live.container)
        return self.result(live, self._runtime.poll(live.container))

    def reclaim(self, row: Session) -> LlmResult:
        """Stop the container of a run whose worker is gone, and give what it had reported by then (RESUME-15)."""
        adapter = ADAPTERS.get(AdapterId(row.adapter_id))
        reason = FallbackReason(row.resume_fallback) if row.resume_fallback else None
        result = LlmResult(ok=False, text="", session_id=row.native_session_id, resume_fallback=reason)
        for container in self._runtime.find("run", str(row.id)):
            self._runtime.stop(container)
            if adapter is not None and row.session_name is not None:
                result = _reported(row, adapter, self._runtime.poll(container))
            self._runtime.remove(container)
        return result

    def clear(self, live: LiveRun, now: datetime) -> None:
        """Take container and worktree away; the session state stays (ISOLATE-6)."""
        self._runtime.remove(live.container)
        self._cleaner.remove(live.worktree, "worktree", now)


def _reported(row: Session, adapter: Adapter, state: ContainerState) -> LlmResult:
    """Read what a run of another worker had reported; what it had asked for is known from its row."""
    judgement = judge(adapter.read(state), row.asked_session_id, adapter.id_pattern, rotates=adapter.rotates)
    reason = FallbackReason(row.resume_fallback) if row.resume_fallback else None
    # Asked to resume and not confirmed, an abandoned run has no id, whatever else the CLI named (row 6 of §16.5.4).
    found = judgement.native_id if row.asked_session_id is None or judgement.resumed else None
    return LlmResult(
        ok=False,
        text="",
        session_id=found or row.native_session_id,
        resumed=judgement.resumed,
        resume_fallback=reason,
    )


def _prior(row: Session) -> PriorRun:
    """Give a row as resolution sees it; an id without its adapter's form counts as none (ISOLATE-10)."""
    adapter = AdapterId(row.adapter_id)
    known = ADAPTERS.get(adapter)
    fits = known is not None and row.native_session_id is not None and known.id_pattern.fullmatch(row.native_session_id)
    return PriorRun(
        adapter=adapter,
        native_id=row.native_session_id if fits else None,
        version=Version.parse(row.cli_version) if row.cli_version else None,
        asked=row.asked_session_id,
        failed=row.outcome in _FAILED,
        finished=row.outcome in _FINISHED,
    )

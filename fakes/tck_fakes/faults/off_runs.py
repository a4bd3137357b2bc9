"""Faults of runs that never have a session, and of the rows of runs without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.vocabulary import AdapterId, FallbackReason, RunOutcome
from tck_fakes.faults.around import Inside, around
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.leftovers import (
    GROK_PATH,
    Place,
    mounts,
    mounts_its_state_where,
    names_the_row_where,
    resumes_where,
)
from tck_fakes.faults.register import Real, fault
from tck_simulator.adapters import Adapter
from tck_simulator.adapters.grok_build import GrokBuild
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.contract import LlmResult, SessionRef
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerState
from tck_simulator.resolution import Resolution
from tck_simulator.run import Ended, RunSequence
from tck_simulator.store import Store


def _of_grok(live: LiveRun) -> bool:
    return live.adapter is not None and live.adapter.id is AdapterId.GROK_BUILD


def _of_a_review(live: LiveRun) -> bool:
    return live.mailbox.ref.kind == "merge_request"


# --- OFF-4: API mode -----------------------------------------------------------------------------------------------


@fault("api-request-with-a-session", "OFF-4", Kind.WRONG_VALUE, "puts a session into the request of a run in api mode")
def _api_request_with_a_session(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> LiveRun:
        live: LiveRun = real(self, mailbox, *given)
        name = self._store.mailbox_by_id(mailbox.id).branch_name
        if live.adapter is None and name is not None:
            live.request = replace(live.request, session=SessionRef(name, None, str(self._layout.sessions / "api")))
        return live

    around(sabotage, RunSequence, "begin", body)


@fault("api-row-with-a-name", "OFF-4", Kind.WRONG_VALUE, "names the row of a run in api mode")
def _api_row_with_a_name(sabotage: Sabotage) -> None:
    names_the_row_where(sabotage, lambda _mailbox, binding, _found: binding.adapter is AdapterId.API)


@fault(
    "api-run-removes-the-session",
    "OFF-4",
    Kind.EXTRA_EFFECT,
    "removes the session state of an issue at a run in api mode",
)
def _api_run_removes_the_session(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        self._cleaner.remove_state(live.mailbox, self._clock.now())
        return real(self, live)

    around(sabotage, RunSequence, "_api", body)


@fault("api-run-ends-the-session", "OFF-4", Kind.WRONG_SCOPE, "takes a run in api mode for a change of the adapter")
def _api_run_ends_the_session(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> Inside:
        made, directory = real(self, mailbox, *given)
        rows = self._store.sessions(mailbox.id)
        if made.resume_id is not None and rows[-1].adapter_id == AdapterId.API:
            made = Resolution(session=True, reason=FallbackReason.ADAPTER_CHANGED)
        return made, directory

    around(sabotage, RunSequence, "_resolve", body)


# --- OFF-5: an adapter that does not declare the capability --------------------------------------------------------


@fault("grok-mounts", "OFF-5", Kind.EXTRA_EFFECT, "mounts a state directory for grok, which cannot resume")
def _grok_mounts(sabotage: Sabotage) -> None:
    mounts_its_state_where(sabotage, _of_grok)


@fault("grok-resumes", "OFF-5", Kind.EXTRA_EFFECT, "asks grok, which cannot resume, for the session of the run before")
def _grok_resumes(sabotage: Sabotage) -> None:
    resumes_where(sabotage, GrokBuild, _of_grok)


@fault("grok-on-record", "OFF-5", Kind.WRONG_VALUE, "names the row of a run of grok, which cannot resume")
def _grok_on_record(sabotage: Sabotage) -> None:
    names_the_row_where(sabotage, lambda _mailbox, binding, _found: binding.adapter is AdapterId.GROK_BUILD)


@fault("grok-in-the-state-of-another", "OFF-5", Kind.WRONG_SCOPE, "mounts for grok the state of the adapter before it")
def _grok_in_the_state_of_another(sabotage: Sabotage) -> None:
    def place(self: Inside, live: LiveRun, _: Adapter) -> Place | None:
        found = [row.adapter_id for row in self._store.sessions(live.mailbox.id) if row.native_session_id]
        if not found or live.mailbox.session_dir is None or not _of_grok(live):
            return None
        return self._layout.state(live.mailbox.session_dir, AdapterId(found[-1])), GROK_PATH

    mounts(sabotage, place)


# --- OFF-6: the mailbox of a merge request -------------------------------------------------------------------------


@fault("review-mounts", "OFF-6", Kind.EXTRA_EFFECT, "mounts a state directory for the review of a merge request")
def _review_mounts(sabotage: Sabotage) -> None:
    mounts_its_state_where(sabotage, _of_a_review)


@fault("review-resumes", "OFF-6", Kind.EXTRA_EFFECT, "asks opencode for the session of the review before")
def _review_resumes(sabotage: Sabotage) -> None:
    resumes_where(sabotage, OpenCode, _of_a_review)


@fault("review-on-record", "OFF-6", Kind.WRONG_VALUE, "names the row of a review after its merge request")
def _review_on_record(sabotage: Sabotage) -> None:
    names_the_row_where(sabotage, lambda mailbox, _binding, _found: mailbox.ref.kind == "merge_request")


@fault(
    "review-in-the-state-of-an-issue",
    "OFF-6",
    Kind.WRONG_SCOPE,
    "mounts for a review the state of the issue of the same number",
)
def _review_in_the_state_of_an_issue(sabotage: Sabotage) -> None:
    def place(self: Inside, live: LiveRun, adapter: Adapter) -> Place | None:
        issue = self._store.mailbox(replace(live.mailbox.ref, kind="issue"))
        path = adapter.capability.session_state_path
        if issue is None or issue.session_dir is None or path is None or not _of_a_review(live):
            return None
        return self._layout.state(issue.session_dir, adapter.id), path

    mounts(sabotage, place)


# --- OFF-7: the row ------------------------------------------------------------------------------------------------


def _finished(sabotage: Sabotage, change: Callable[[Inside, Inside, Inside], None]) -> None:
    """Change what the row of a run without a session gets at its end: store, row, and what is to be written."""

    def body(real: Real, self: Inside, identity: int, *given: Inside, **values: Inside) -> bool:
        row = self.session(identity)
        if row.session_name is None:
            change(self, row, values)
        return bool(real(self, identity, *given, **values))

    around(sabotage, Store, "finish_run", body)


@fault(
    "row-with-a-name", "OFF-7", Kind.WRONG_VALUE, "writes the branch's name into the row of every run as its session's"
)
def _row_with_a_name(sabotage: Sabotage) -> None:
    names_the_row_where(sabotage, lambda mailbox, _binding, _found: mailbox.branch_name is not None)


@fault("row-with-a-reason", "OFF-7", Kind.WRONG_VALUE, "writes a reason into the row of a run without a session")
def _row_with_a_reason(sabotage: Sabotage) -> None:
    _finished(sabotage, lambda _store, _row, values: values.update(fallback=FallbackReason.NO_PRIOR_SESSION))


@fault(
    "row-said-to-be-resumed",
    "OFF-7",
    Kind.WRONG_SCOPE,
    "records a run without a session as resumed where the issue had one before",
)
def _row_said_to_be_resumed(sabotage: Sabotage) -> None:
    def change(store: Inside, row: Inside, values: Inside) -> None:
        values["resumed"] = any(one.native_session_id for one in store.sessions(row.mailbox_id))

    _finished(sabotage, change)


@fault("row-with-an-id", "OFF-7", Kind.EXTRA_EFFECT, "records what a CLI named in a run without a session")
def _row_with_an_id(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun, state: ContainerState) -> LlmResult:
        made: LlmResult = real(self, live, state)
        reported = () if live.adapter is None or live.state is not None else live.adapter.read(state).reported
        return replace(made, session_id=reported[-1]) if reported else made

    around(sabotage, RunSequence, "result", body)


@fault(
    "row-with-an-id-for-a-while",
    "OFF-7",
    Kind.WRONG_MOMENT,
    "keeps what a CLI named on the row while a run without a session lasts",
)
def _row_with_an_id_for_a_while(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun, state: ContainerState) -> None:
        reported = () if live.adapter is None or live.state is not None else live.adapter.read(state).reported
        if reported:
            self._store.note_native_id(live.run, live.epoch, reported[-1])
        real(self, live, state)

    around(sabotage, RunSequence, "_note", body)


@fault(
    "row-with-an-id-after-a-time-out",
    "OFF-7",
    Kind.WRONG_SCOPE,
    "records what a CLI named in a run without a session that used up its time",
)
def _row_with_an_id_after_a_time_out(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun) -> Inside:
        ended: Ended | None = real(self, live)
        if ended is None or ended.outcome is not RunOutcome.TIMED_OUT or live.state is not None or live.adapter is None:
            return ended
        reported = live.adapter.read(self._runtime.poll(live.container)).reported
        return replace(ended, result=replace(ended.result, session_id=reported[-1])) if reported else ended

    around(sabotage, RunSequence, "poll", body)

"""Faults of the reasons for a fresh session: which one is found, when, and whether the run goes on as it should."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tck_driver.vocabulary import FallbackReason
from tck_fakes.faults.around import Inside, around, asked_despite, called_instead, decided, fell_back, last_id, recorded
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import run
from tck_simulator.detection import Detection
from tck_simulator.layout import StateOnDisk
from tck_simulator.live import LiveRun
from tck_simulator.resolution import Resolution, Situation
from tck_simulator.run import RunSequence
from tck_simulator.store import Store

Reason = FallbackReason


# --- FALLBACK-1: on it goes, under the same name, with exactly one reason ------------------------------------------


@fault(
    "refusal-without-a-reason",
    "FALLBACK-1",
    Kind.MISSING_EFFECT,
    "records no reason for the run whose session was refused",
)
def _refusal_without_a_reason(sabotage: Sabotage) -> None:
    recorded(sabotage, lambda live, result: replace(result, resume_fallback=None) if fell_back(live) else result)


@fault("fallback-said-to-be-resumed", "FALLBACK-1", Kind.WRONG_VALUE, "records a run as resumed after its fresh start")
def _fallback_said_to_be_resumed(sabotage: Sabotage) -> None:
    recorded(sabotage, lambda live, result: replace(result, resumed=True) if fell_back(live) else result)


@fault("fallback-renamed", "FALLBACK-1", Kind.WRONG_VALUE, "gives the session a new name where the version is unfit")
def _fallback_renamed(sabotage: Sabotage) -> None:
    _renamed(sabotage, Reason.UNSUPPORTED_VERSION)


def _renamed(sabotage: Sabotage, *reasons: FallbackReason) -> None:
    def body(real: Real, self: Inside, *given: Inside, **session: Inside) -> int:
        if session["resume_fallback"] in reasons:
            session["session_name"] = f"{session['session_name']}-2"
        return int(real(self, *given, **session))

    around(sabotage, Store, "start_run", body)


@fault(
    "first-fallback-only",
    "FALLBACK-1",
    Kind.ONCE,
    "records the reason of an issue's first fallback and of no later one",
)
def _first_fallback_only(sabotage: Sabotage) -> None:
    fallen: set[int] = set()

    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> tuple[Resolution, str | None]:
        made, directory = real(self, mailbox, *given)
        if made.reason in (None, Reason.NO_PRIOR_SESSION):
            return made, directory
        again = mailbox.id in fallen
        fallen.add(mailbox.id)
        return (replace(made, reason=None) if again else made), directory

    around(sabotage, RunSequence, "_resolve", body)


@fault(
    "reason-lost-with-the-run",
    "FALLBACK-1",
    Kind.WRONG_SCOPE,
    "records the reason of a fallback only where the run succeeds",
)
def _reason_lost_with_the_run(sabotage: Sabotage) -> None:
    recorded(
        sabotage,
        lambda live, result: result if result.ok or not fell_back(live) else replace(result, resume_fallback=None),
    )


@fault(
    "name-for-each-adapter", "FALLBACK-1", Kind.WRONG_SCOPE, "gives the session of a changed adapter a name of its own"
)
def _name_for_each_adapter(sabotage: Sabotage) -> None:
    _renamed(sabotage, Reason.ADAPTER_CHANGED)


@fault(
    "name-for-each-directory",
    "FALLBACK-1",
    Kind.WRONG_SCOPE,
    "gives the session a new name where its state was missing",
)
def _name_for_each_directory(sabotage: Sabotage) -> None:
    _renamed(sabotage, Reason.STATE_MISSING)


# --- FALLBACK-2: no prior session ----------------------------------------------------------------------------------


@fault(
    "first-run-without-a-reason", "FALLBACK-2", Kind.MISSING_EFFECT, "records no reason for the first run of an issue"
)
def _first_run_without_a_reason(sabotage: Sabotage) -> None:
    called_instead(sabotage, Reason.NO_PRIOR_SESSION, None)


@fault(
    "first-run-misses-its-state",
    "FALLBACK-2",
    Kind.WRONG_VALUE,
    "looks for the state of a first run, and records that it is missing",
)
def _first_run_misses_its_state(sabotage: Sabotage) -> None:
    called_instead(sabotage, Reason.NO_PRIOR_SESSION, Reason.STATE_MISSING)


@fault(
    "any-row-is-a-session",
    "FALLBACK-2",
    Kind.WRONG_SCOPE,
    "takes earlier runs without a session for sessions of another adapter",
)
def _any_row_is_a_session(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> tuple[Resolution, str | None]:
        made, directory = real(self, mailbox, *given)
        without = any(row.session_name is None for row in self._store.sessions(mailbox.id))
        if made.reason is Reason.NO_PRIOR_SESSION and without:
            made = replace(made, reason=Reason.ADAPTER_CHANGED)
        return made, directory

    around(sabotage, RunSequence, "_resolve", body)


@fault(
    "first-run-of-the-project-only",
    "FALLBACK-2",
    Kind.ONCE,
    "records no prior session for the first issue alone, and nothing for the others",
)
def _first_run_of_the_project_only(sabotage: Sabotage) -> None:
    first: list[FallbackReason] = []

    def change(made: Resolution, _: Situation) -> Resolution:
        if made.reason is not Reason.NO_PRIOR_SESSION:
            return made
        first.append(made.reason)
        return made if len(first) == 1 else replace(made, reason=None)

    decided(sabotage, change)


# --- FALLBACK-3: another adapter -----------------------------------------------------------------------------------


@fault(
    "session-of-the-other-asked", "FALLBACK-3", Kind.EXTRA_EFFECT, "asks the new adapter for the session of the old one"
)
def _session_of_the_other_asked(sabotage: Sabotage) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        return (
            Resolution(session=True, resume_id=last_id(then, of_any=True))
            if made.reason is Reason.ADAPTER_CHANGED
            else made
        )

    decided(sabotage, change)


@fault(
    "id-of-the-other-given",
    "FALLBACK-3",
    Kind.WRONG_VALUE,
    "starts the new adapter's session under the id of the old one's",
)
def _id_of_the_other_given(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, live: LiveRun) -> None:
        if live.fallback is Reason.ADAPTER_CHANGED and live.call.fresh_id is not None:
            rows = self._store.sessions(live.mailbox.id)
            theirs = [row.native_session_id for row in rows if row.native_session_id]
            live.call = replace(live.call, fresh_id=theirs[-1])
        real(self, live)

    around(sabotage, RunSequence, "_start", body)


@fault(
    "other-adapter-is-nothing",
    "FALLBACK-3",
    Kind.WRONG_VALUE,
    "records no prior session where only other adapters had one",
)
def _other_adapter_is_nothing(sabotage: Sabotage) -> None:
    called_instead(sabotage, Reason.ADAPTER_CHANGED, Reason.NO_PRIOR_SESSION)


@fault(
    "adapter-of-the-last-run",
    "FALLBACK-3",
    Kind.WRONG_SCOPE,
    "compares with the last run alone, so an adapter that comes back has changed",
)
def _adapter_of_the_last_run(sabotage: Sabotage) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        if made.resume_id is None or then.prior[0].adapter is then.adapter:
            return made
        return Resolution(session=True, reason=Reason.ADAPTER_CHANGED)

    decided(sabotage, change)


@fault(
    "adapters-by-phase",
    "FALLBACK-3",
    Kind.WRONG_SCOPE,
    "looks for sessions of other adapters among runs of the same phase only",
)
def _adapters_by_phase(sabotage: Sabotage) -> None:
    phases: list[str] = []

    def begin(real: Real, self: Inside, mailbox: Inside, phase: str, *given: Inside) -> Inside:
        phases.append(phase)
        return real(self, mailbox, phase, *given)

    def resolve(real: Real, self: Inside, mailbox: Inside, *given: Inside) -> tuple[Resolution, str | None]:
        made, directory = real(self, mailbox, *given)
        same = any(row.phase == phases[-1] for row in self._store.sessions(mailbox.id))
        if made.reason is Reason.ADAPTER_CHANGED and not same:
            made = replace(made, reason=Reason.NO_PRIOR_SESSION)
        return made, directory

    around(sabotage, RunSequence, "begin", begin)
    around(sabotage, RunSequence, "_resolve", resolve)


# --- FALLBACK-4: missing state -------------------------------------------------------------------------------------


@fault(
    "empty-state-asked", "FALLBACK-4", Kind.WRONG_SCOPE, "takes an empty state directory for one that holds the session"
)
def _empty_state_asked(sabotage: Sabotage) -> None:
    _asked_where(sabotage, StateOnDisk.EMPTY)


@fault(
    "absent-state-asked",
    "FALLBACK-4",
    Kind.WRONG_SCOPE,
    "sees that a state directory is empty, and not that it is gone",
)
def _absent_state_asked(sabotage: Sabotage) -> None:
    _asked_where(sabotage, StateOnDisk.MISSING)


def _asked_where(sabotage: Sabotage, state: StateOnDisk) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        missed = made.reason is Reason.STATE_MISSING and then.state is state
        return Resolution(session=True, resume_id=last_id(then)) if missed else made

    decided(sabotage, change)


@fault(
    "folders-count-as-state", "FALLBACK-4", Kind.WRONG_VALUE, "takes empty folders in a state directory for a session"
)
def _folders_count_as_state(sabotage: Sabotage) -> None:
    def body(real: Real, state: Path) -> StateOnDisk:
        found = StateOnDisk(real(state))
        return StateOnDisk.PRESENT if found is StateOnDisk.EMPTY and any(state.iterdir()) else found

    around(sabotage, run, "look", body)


@fault(
    "state-looked-at-once", "FALLBACK-4", Kind.WRONG_MOMENT, "remembers that there was state, and does not look again"
)
def _state_looked_at_once(sabotage: Sabotage) -> None:
    seen: set[Path] = set()

    def body(real: Real, state: Path) -> StateOnDisk:
        found = StateOnDisk.PRESENT if state in seen else StateOnDisk(real(state))
        if found is StateOnDisk.PRESENT:
            seen.add(state)
        return found

    around(sabotage, run, "look", body)


@fault(
    "missing-state-is-nothing", "FALLBACK-4", Kind.WRONG_VALUE, "records no prior session where the state is missing"
)
def _missing_state_is_nothing(sabotage: Sabotage) -> None:
    called_instead(sabotage, Reason.STATE_MISSING, Reason.NO_PRIOR_SESSION)


# --- FALLBACK-5: an unfit version ----------------------------------------------------------------------------------


@fault("unfit-version-asked", "FALLBACK-5", Kind.MISSING_EFFECT, "asks for the session whatever version is installed")
def _unfit_version_asked(sabotage: Sabotage) -> None:
    asked_despite(sabotage, Reason.UNSUPPORTED_VERSION)


@fault("unfit-version-is-a-refusal", "FALLBACK-5", Kind.WRONG_VALUE, "records an unfit version as a refusal")
def _unfit_version_is_a_refusal(sabotage: Sabotage) -> None:
    called_instead(sabotage, Reason.UNSUPPORTED_VERSION, Reason.REFUSED)


@fault(
    "unfit-version-without-a-session",
    "FALLBACK-5",
    Kind.WRONG_SCOPE,
    "gives runs with an unfit version no session at all",
)
def _unfit_version_without_a_session(sabotage: Sabotage) -> None:
    decided(sabotage, lambda made, then: made if then.verified else Resolution(session=False))


@fault(
    "unfit-version-noticed-once",
    "FALLBACK-5",
    Kind.ONCE,
    "notices an unfit version at one run of an issue, and asks at the next",
)
def _unfit_version_noticed_once(sabotage: Sabotage) -> None:
    def change(made: Resolution, then: Situation) -> Resolution:
        since = [one for one in then.prior if one.adapter is then.adapter and one.native_id]
        noticed = made.reason is Reason.UNSUPPORTED_VERSION and len(since) > 1
        return Resolution(session=True, resume_id=last_id(then)) if noticed else made

    decided(sabotage, change)


@fault(
    "versions-compared-as-text",
    "FALLBACK-5",
    Kind.WRONG_VALUE,
    "compares versions as text, so 1.3.2 is newer than 1.15.3",
)
def _versions_compared_as_text(sabotage: Sabotage) -> None:
    def body(real: Real, adapter: Inside, *given: Inside) -> Detection:
        found: Detection = real(adapter, *given)
        late = found.version is not None and str(found.version) >= str(adapter.verified_from)
        return replace(found, resumable=True, reason=None) if late and adapter.verified_from else found

    around(sabotage, run, "detect", body)

"""Faults of the request for a run: whether it has a session, and whether it resumes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from tck_driver.configuration import Binding
from tck_driver.vocabulary import FallbackReason, MailboxRef, Phase
from tck_fakes.faults.changed import Begun, gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import clock_of, runtime_of, store_of
from tck_fakes.faults.register import Real, fault
from tck_simulator import run, settings
from tck_simulator.adapters import Capability
from tck_simulator.adapters.base import HOME
from tck_simulator.adapters.grok_build import GrokBuild
from tck_simulator.contract import LlmResult, SessionRef
from tck_simulator.live import LiveRun
from tck_simulator.resolution import PriorRun, Resolution
from tck_simulator.rows import Installation, Mailbox, Session
from tck_simulator.run import RunSequence
from tck_simulator.store import Store

#: What session resolution gives: what was decided, and the name of the session directory.
Resolved = tuple[Resolution, str | None]


def _afresh(resolved: Resolved) -> Resolved:
    """Give the same without anything to resume."""
    decided, directory = resolved
    if decided.resume_id is None:
        return resolved
    return replace(decided, resume_id=None, reason=FallbackReason.NO_PRIOR_SESSION), directory


# --- RESUME-1: which runs have a session -----------------------------------------------------------------------------


@fault("session-for-a-review", "RESUME-1", Kind.WRONG_SCOPE, "asks for a human's merge request with a session")
def _session_for_a_review(sabotage: Sabotage) -> None:
    def resolve(real: Real, sequence: RunSequence, mailbox: Mailbox, *rest: object) -> object:
        return real(sequence, replace(mailbox, ref=replace(mailbox.ref, kind="issue")), *rest)

    def name(made: str | None, _: RunSequence, mailbox: Mailbox) -> str:
        return made or f"review-{mailbox.ref.iid}"

    sabotage.replace(RunSequence, "_resolve", instead(resolve))
    sabotage.replace(RunSequence, "_name", gives(name))


@fault("session-for-any-agent", "RESUME-1", Kind.EXTRA_EFFECT, "asks an agent that does not resume with a session")
def _session_for_any_agent(sabotage: Sabotage) -> None:
    declared = Capability(resumable_sessions=True, session_state_path=f"{HOME}/.grok/sessions")
    sabotage.replace(GrokBuild, "capability", lambda _: declared)


@fault(
    "no-session-for-old-versions",
    "RESUME-1",
    Kind.MISSING_EFFECT,
    "asks a version that cannot resume without a session",
)
def _no_session_for_old_versions(sabotage: Sabotage) -> None:
    def resolve(real: Real, sequence: RunSequence, *rest: object) -> object:
        installation = rest[-1]
        if isinstance(installation, Installation) and not installation.resumable_sessions:
            return Resolution(session=False), None
        return real(sequence, *rest)

    sabotage.replace(RunSequence, "_resolve", instead(resolve))


@fault("setting-of-the-project", "RESUME-1", Kind.WRONG_VALUE, "looks for the setting at project scope only")
def _setting_of_the_project(sabotage: Sabotage) -> None:
    def effective(real: Real, name: str, stored: Mapping[str, bool | int]) -> object:
        if name == settings.SESSION_RESUME:
            stored = {scope: value for scope, value in stored.items() if scope == "project"}
        return real(name, stored)

    sabotage.replace(settings, "effective", instead(effective))


@fault("answers-without-a-session", "RESUME-1", Kind.WRONG_SCOPE, "asks for an answer to a question without a session")
def _answers_without_a_session(sabotage: Sabotage) -> None:
    begun = Begun(sabotage)

    def resolve(resolved: Resolved, *_: object) -> Resolved:
        return (Resolution(session=False), None) if begun.phase is Phase.ANSWER else resolved

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault(
    "first-run-without-a-session", "RESUME-1", Kind.MISSING_EFFECT, "asks for an issue's first run without a session"
)
def _first_run_without_a_session(sabotage: Sabotage) -> None:
    def resolve(resolved: Resolved, sequence: RunSequence, mailbox: Mailbox, *_: object) -> Resolved:
        return resolved if store_of(sequence).sessions(mailbox.id) else (Resolution(session=False), None)

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault("development-begins-anew", "RESUME-1", Kind.WRONG_SCOPE, "asks for a development with nothing to resume")
def _development_begins_anew(sabotage: Sabotage) -> None:
    begun = Begun(sabotage)

    def resolve(resolved: Resolved, *_: object) -> Resolved:
        return _afresh(resolved) if begun.phase is Phase.DEVELOPMENT else resolved

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault("session-for-the-api", "RESUME-1", Kind.EXTRA_EFFECT, "asks a model that it calls by itself with a session")
def _session_for_the_api(sabotage: Sabotage) -> None:
    def begin(live: LiveRun, sequence: RunSequence, mailbox: Mailbox, *_: object) -> LiveRun:
        name = store_of(sequence).mailbox_by_id(mailbox.id).branch_name
        if live.adapter is None and name is not None:
            live.request = replace(live.request, session=SessionRef(name, None, str(live.worktree)))
        return live

    sabotage.replace(RunSequence, "begin", gives(begin))


# --- RESUME-2: every later run resumes -------------------------------------------------------------------------------


@fault("fresh-answers", "RESUME-2", Kind.WRONG_SCOPE, "answers each question in a session of its own")
def _fresh_answers(sabotage: Sabotage) -> None:
    begun = Begun(sabotage)

    def resolve(resolved: Resolved, *_: object) -> Resolved:
        return _afresh(resolved) if begun.phase is Phase.ANSWER else resolved

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault("resumes-once", "RESUME-2", Kind.ONCE, "resumes the session of an issue once and then begins again")
def _resumes_once(sabotage: Sabotage) -> None:
    done: set[MailboxRef] = set()

    def resolve(resolved: Resolved, _: RunSequence, mailbox: Mailbox, *__: object) -> Resolved:
        if mailbox.ref in done:
            return _afresh(resolved)
        if resolved[0].resume_id is not None:
            done.add(mailbox.ref)
        return resolved

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault("fresh-after-a-new-title", "RESUME-2", Kind.WRONG_MOMENT, "gives a session up once its issue has another title")
def _fresh_after_a_new_title(sabotage: Sabotage) -> None:
    begun: dict[MailboxRef, str] = {}

    def resolve(resolved: Resolved, _: RunSequence, mailbox: Mailbox, *__: object) -> Resolved:
        before = begun.setdefault(mailbox.ref, mailbox.title)
        return resolved if before == mailbox.title else _afresh(resolved)

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


@fault(
    "start-to-try",
    "RESUME-2",
    Kind.EXTRA_EFFECT,
    "starts the cli once to see whether it resumes, and once for the work",
)
def _start_to_try(sabotage: Sabotage) -> None:
    def start(real: Real, sequence: RunSequence, live: LiveRun) -> None:
        real(sequence, live)
        if live.asked is not None:
            runtime_of(sequence).stop(live.container)
            runtime_of(sequence).remove(live.container)
            real(sequence, live)

    sabotage.replace(RunSequence, "_start", instead(start))


@fault("resumed-unsaid", "RESUME-2", Kind.MISSING_EFFECT, "resumes a session and does not say so on the row")
def _resumed_unsaid(sabotage: Sabotage) -> None:
    def result(made: LlmResult, *_: object) -> LlmResult:
        return replace(made, resumed=False)

    sabotage.replace(RunSequence, "result", gives(result))


@fault("session-of-a-day", "RESUME-2", Kind.WRONG_MOMENT, "takes a session that is older than a day for gone")
def _session_of_a_day(sabotage: Sabotage) -> None:
    def resolve(resolved: Resolved, sequence: RunSequence, mailbox: Mailbox, *_: object) -> Resolved:
        rows = store_of(sequence).sessions(mailbox.id)
        old = bool(rows) and clock_of(sequence).now() - rows[-1].created_at > timedelta(days=1)
        return _afresh(resolved) if old else resolved

    sabotage.replace(RunSequence, "_resolve", gives(resolve))


# --- RESUME-6: another provider or model goes on ---------------------------------------------------------------------


def _other_rows_hidden(sabotage: Sabotage, column: str) -> None:
    """Look only at the rows of runs that were made as the present one is."""
    present: list[Binding] = []

    def binding(found: Binding | None, *_: object) -> Binding | None:
        if found is not None:
            present.append(found)
        return found

    def prior(made: PriorRun, row: Session) -> PriorRun:
        alike = getattr(row, column) == getattr(present[-1], column)
        return made if alike else replace(made, native_id=None)

    sabotage.replace(Store, "binding", gives(binding))
    sabotage.replace(run, "_prior", gives(prior))


@fault("session-for-each-model", "RESUME-6", Kind.WRONG_SCOPE, "resumes no session that another model has served")
def _session_for_each_model(sabotage: Sabotage) -> None:
    _other_rows_hidden(sabotage, "model")


@fault("session-for-each-provider", "RESUME-6", Kind.WRONG_SCOPE, "resumes no session that another provider has served")
def _session_for_each_provider(sabotage: Sabotage) -> None:
    _other_rows_hidden(sabotage, "provider")


@fault("model-of-the-session", "RESUME-6", Kind.WRONG_VALUE, "goes on with the model of the session when it resumes")
def _model_of_the_session(sabotage: Sabotage) -> None:
    first: dict[tuple[str, str], Binding] = {}

    def binding(found: Binding | None, _: Store, organization: str, project: str, __: Phase) -> Binding | None:
        if found is None:
            return None
        before = first.setdefault((organization, project), found)
        return before if before.adapter is found.adapter else found

    sabotage.replace(Store, "binding", gives(binding))


@fault(
    "unsaid-for-another-model", "RESUME-6", Kind.MISSING_EFFECT, "records a resume as fresh where the model is another"
)
def _unsaid_for_another_model(sabotage: Sabotage) -> None:
    def result(made: LlmResult, sequence: RunSequence, live: LiveRun, *_: object) -> LlmResult:
        models = {row.model for row in store_of(sequence).sessions(live.mailbox.id)}
        return replace(made, resumed=False) if len(models) > 1 else made

    sabotage.replace(RunSequence, "result", gives(result))

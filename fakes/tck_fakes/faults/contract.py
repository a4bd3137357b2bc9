"""Faults of the contract: the shape of what an adapter is asked, and of what it answers."""

from __future__ import annotations

from collections.abc import Mapping

from tck_driver.vocabulary import MailboxRef
from tck_fakes.faults.changed import gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import engine
from tck_simulator.contract import LlmResult, SessionRef

#: The session of a request, or a result, under the contract's field names.
Fields = Mapping[str, object]

# --- CONTRACT-1: a session is null, or has name, resumeId and stateDir -----------------------------------------------


@fault("empty-session", "CONTRACT-1", Kind.WRONG_VALUE, "gives an object of empty fields where there is no session")
def _empty_session(sabotage: Sabotage) -> None:
    def row(
        real: Real, run: str, mailbox: MailboxRef, session: Fields | None = None, result: Fields | None = None
    ) -> object:
        return real(run, mailbox, session or {"name": "", "resumeId": None, "stateDir": ""}, result)

    sabotage.replace(engine, "ExchangeRow", instead(row))


@fault("empty-resume-id", "CONTRACT-1", Kind.WRONG_VALUE, "gives an empty text where there is no id to resume")
def _empty_resume_id(sabotage: Sabotage) -> None:
    def fields(made: Fields, _: SessionRef) -> Fields:
        return {**made, "resumeId": made["resumeId"] or ""}

    sabotage.replace(SessionRef, "as_fields", gives(fields))


@fault("no-resume-id", "CONTRACT-1", Kind.MISSING_EFFECT, "leaves the id to resume out where it is null")
def _no_resume_id(sabotage: Sabotage) -> None:
    def fields(made: Fields, _: SessionRef) -> Fields:
        return {name: value for name, value in made.items() if value is not None}

    sabotage.replace(SessionRef, "as_fields", gives(fields))


@fault(
    "directory-of-the-issue", "CONTRACT-1", Kind.WRONG_SCOPE, "gives the directory of all adapters for that of the one"
)
def _directory_of_the_issue(sabotage: Sabotage) -> None:
    def fields(made: Fields, _: SessionRef) -> Fields:
        return {**made, "stateDir": str(made["stateDir"]).rpartition("/")[0]}

    sabotage.replace(SessionRef, "as_fields", gives(fields))


@fault("id-of-the-last-request", "CONTRACT-1", Kind.WRONG_MOMENT, "gives the id that the request before it resumed")
def _id_of_the_last_request(sabotage: Sabotage) -> None:
    before: dict[str, object] = {}

    def fields(made: Fields, session: SessionRef) -> Fields:
        late = {**made, "resumeId": before.get(session.name)}
        before[session.name] = made["resumeId"]
        return late

    sabotage.replace(SessionRef, "as_fields", gives(fields))


# --- CONTRACT-2: a result has sessionId, resumed and resumeFallback --------------------------------------------------


@fault("reason-of-its-own", "CONTRACT-2", Kind.WRONG_VALUE, "writes the reason with dashes")
def _reason_of_its_own(sabotage: Sabotage) -> None:
    def fields(made: Fields, result: LlmResult) -> Fields:
        return {**made, "resumeFallback": result.resume_fallback and result.resume_fallback.replace("_", "-")}

    sabotage.replace(LlmResult, "as_fields", gives(fields))


@fault("reason-of-a-resume", "CONTRACT-2", Kind.EXTRA_EFFECT, "gives the word none for the reason of a resumed run")
def _reason_of_a_resume(sabotage: Sabotage) -> None:
    def fields(made: Fields, result: LlmResult) -> Fields:
        return {**made, "resumeFallback": "none"} if result.resumed else made

    sabotage.replace(LlmResult, "as_fields", gives(fields))


@fault("id-of-a-fresh-run-only", "CONTRACT-2", Kind.MISSING_EFFECT, "gives no id in the result of a resumed run")
def _id_of_a_fresh_run_only(sabotage: Sabotage) -> None:
    def fields(made: Fields, result: LlmResult) -> Fields:
        return {**made, "sessionId": None} if result.resumed else made

    sabotage.replace(LlmResult, "as_fields", gives(fields))


@fault("resumed-unknown", "CONTRACT-2", Kind.WRONG_VALUE, "gives null for resumed where there is no session")
def _resumed_unknown(sabotage: Sabotage) -> None:
    def fields(made: Fields, result: LlmResult) -> Fields:
        nothing = result.session_id is None and result.resume_fallback is None and not result.resumed
        return {**made, "resumed": None} if nothing else made

    sabotage.replace(LlmResult, "as_fields", gives(fields))


@fault("result-without-a-reason", "CONTRACT-2", Kind.WRONG_SCOPE, "gives the reason of a first run only")
def _result_without_a_reason(sabotage: Sabotage) -> None:
    def fields(made: Fields, result: LlmResult) -> Fields:
        return made if result.resume_fallback == "no_prior_session" else {**made, "resumeFallback": None}

    sabotage.replace(LlmResult, "as_fields", gives(fields))

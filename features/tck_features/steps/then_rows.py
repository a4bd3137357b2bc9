"""What the engine's rows must say afterwards."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping

from tck_driver.views import CounterRow, DetailRow, ExchangeRow, IncidentRow, InstallationRow, MailboxRow, SettingRow
from tck_driver.vocabulary import AdapterId, FallbackReason, RunOutcome
from tck_features.sentences import then
from tck_features.world import STATE_PATHS, World


@then("the {ordinal} run has {outcome}")
def run_outcome(world: World, ordinal: int, outcome: RunOutcome) -> None:
    """Check how a run ended."""
    _row(world, ordinal, "outcome", outcome.value)


@then("the {ordinal} run of {party} has {outcome}")
def run_of_outcome(world: World, ordinal: int, party: str, outcome: RunOutcome) -> None:
    """Check how a run of a party ended."""
    _row(world, ordinal, "outcome", outcome.value, party)


@then("the {ordinal} run is {outcome}")
def run_is(world: World, ordinal: int, outcome: RunOutcome) -> None:
    """Check that a run is live, or how it ended."""
    _row(world, ordinal, "outcome", outcome.value)


def _row(world: World, ordinal: int, column: str, expected: object, party: str = "the issue") -> None:
    row = world.row(ordinal, party)
    world.checks.expect(
        f"{column} of run {row.run} of {party}",
        expected=expected,
        actual=getattr(row, column),
        rests_on=world.evidence,
        evidence=(str(row),),
    )


@then("there is/are {int} run(s) of {party}")
def count_of_runs(world: World, count: int, party: str) -> None:
    """Check how many runs a party has had."""
    rows = world.runs_of(party)
    world.checks.expect(
        f"runs of {party}",
        expected=count,
        actual=len(rows),
        rests_on=world.evidence,
        evidence=tuple(str(row) for row in rows),
    )


@then("the {ordinal} run is recorded as resumed")
def recorded_resumed(world: World, ordinal: int) -> None:
    """Check that `resumed` is true and that there is no reason."""
    _row(world, ordinal, "resumed", expected=True)
    _row(world, ordinal, "resume_fallback", None)


@then("the {ordinal} run of {party} is recorded as resumed")
def recorded_resumed_of(world: World, ordinal: int, party: str) -> None:
    """Check the same for a party."""
    _row(world, ordinal, "resumed", party=party, expected=True)
    _row(world, ordinal, "resume_fallback", None, party)


@then("the {ordinal} run is recorded as fresh because of {reason}")
def recorded_fresh(world: World, ordinal: int, reason: FallbackReason) -> None:
    """Check that `resumed` is false, and the reason."""
    _row(world, ordinal, "resumed", expected=False)
    _row(world, ordinal, "resume_fallback", reason.value)


@then("the {ordinal} run of {party} is recorded as fresh because of {reason}")
def recorded_fresh_of(world: World, ordinal: int, party: str, reason: FallbackReason) -> None:
    """Check the same for a party."""
    _row(world, ordinal, "resumed", party=party, expected=False)
    _row(world, ordinal, "resume_fallback", reason.value, party)


@then("the {ordinal} run is recorded as neither resumed nor a fallback")
def recorded_neither(world: World, ordinal: int) -> None:
    """Check that the row claims nothing, as after an ordinary failure without a confirmation."""
    _row(world, ordinal, "resumed", expected=False)
    _row(world, ordinal, "resume_fallback", None)


@then("the {ordinal} run of {party} has no session on record")
def recorded_nothing(world: World, ordinal: int, party: str) -> None:
    """Check that name, native id and reason are null and `resumed` is false (OFF-7)."""
    _row(world, ordinal, "session_name", None, party)
    _row(world, ordinal, "native_session_id", None, party)
    _row(world, ordinal, "resume_fallback", None, party)
    _row(world, ordinal, "resumed", party=party, expected=False)


@then("the {ordinal} run has no native id on record")
def no_native_id(world: World, ordinal: int) -> None:
    """Check that no id was stored."""
    _row(world, ordinal, "native_session_id", None)


@then("the native id on record for the {ordinal} run is the one of the session that the CLI served")
def native_id_is_served(world: World, ordinal: int) -> None:
    """Check the stored id against the session in which the CLI really worked."""
    row = world.row(ordinal)
    starts = world.starts_of(row)
    served = starts[-1].answer.session_id if starts and starts[-1].answer else None
    world.checks.expect(
        "the CLI served a session in this run", expected=True, actual=served is not None, rests_on="witnessed"
    )
    _row(world, ordinal, "native_session_id", served)


@then("the {ordinal} and the {ordinal} run have the same native id on record")
def same_native_id(world: World, one: int, two: int) -> None:
    """Check that two rows name one session."""
    first = world.row(one).native_session_id
    world.checks.expect(
        "there is a native id on record", expected=True, actual=first is not None, rests_on=world.evidence
    )
    _row(world, two, "native_session_id", first)


@then("the {ordinal} and the {ordinal} run have different native ids on record")
def different_native_ids(world: World, one: int, two: int) -> None:
    """Check that two rows name two sessions."""
    ids = [world.row(one).native_session_id, world.row(two).native_session_id]
    world.checks.expect(
        "both runs have a native id on record, and not the same",
        expected=True,
        actual=None not in ids and ids[0] != ids[1],
        rests_on=world.evidence,
        evidence=tuple(str(native_id) for native_id in ids),
    )


@then("no row holds the id {string}")
def no_row_holds(world: World, native_id: str) -> None:
    """Check that an id was never stored."""
    found = [row.run for row in world.table() if row.native_session_id == native_id]
    world.checks.expect(f"rows that hold {native_id!r}", expected=[], actual=found, rests_on=world.evidence)


@then("no row holds an id that a refused start reported")
def no_decoy_on_record(world: World) -> None:
    """Check that what the CLI named while it refused was never believed."""
    refused = [start for start in world.starts() if start.answer and start.answer.shape.startswith("refuse")]
    decoys = {native_id for start in refused if start.answer for native_id in start.answer.reported_ids}
    world.checks.expect(
        "a start of the CLI has refused its session", expected=True, actual=bool(refused), rests_on="witnessed"
    )
    asked = {start.cli.asked_id for start in refused}
    found = [row.native_session_id for row in world.table() if row.native_session_id in decoys - asked]
    world.checks.expect("stored ids that were decoys", expected=[], actual=found, rests_on=world.evidence)


@then("the row of the {ordinal} run is gone")
def row_is_gone(world: World, ordinal: int) -> None:
    """Check that a row was deleted."""
    row = world.row(ordinal)
    present = any(held.run == row.run for held in world.table())
    world.checks.expect("the row is still there", expected=False, actual=present, rests_on=world.evidence)


@then("no row has changed since")
def nothing_changed(world: World) -> None:
    """Check that the table is as it was at the scenario's last note of it."""
    world.checks.expect(
        "llm_sessions is as it was", expected=world.notes["rows"], actual=_rows(world), rests_on=world.evidence
    )


def _rows(world: World) -> list[object]:
    return [str(row) for row in world.table()]


@then("{party} has an LLM retry counter of {int}")
def retry_counter(world: World, party: str, count: int) -> None:
    """Check the counter of LLM retries."""
    rows = [row for row in world.view("counters", CounterRow) if row.mailbox == world.ref(party)]
    world.checks.expect(
        f"LLM retries of {party}", expected=count, actual=rows[-1].llm_retries if rows else None, rests_on="reported"
    )


@then("{party} is in the state {word}")
def mailbox_state(world: World, party: str, state: str) -> None:
    """Check the state of an issue."""
    rows = [row for row in world.view("mailboxes", MailboxRow) if row.mailbox == world.ref(party)]
    world.checks.expect(
        f"state of {party}", expected=state, actual=rows[-1].state if rows else None, rests_on="reported"
    )


@then("the request of the {ordinal} run has a session of that name, with nothing to resume")
def request_fresh(world: World, ordinal: int) -> None:
    """Check `LlmRequest.session` of a fresh run (CONTRACT-1)."""
    exchange = _exchange(world, ordinal)
    name = world.row(ordinal).session_name
    expected = {"name": name, "resumeId": None, "stateDir": str(world.state_dir())}
    world.checks.expect("LlmRequest.session", expected=expected, actual=_fields(exchange.session), rests_on="reported")


@then("the request of the {ordinal} run has a session that resumes the id of the {ordinal} run")
def request_resumes(world: World, ordinal: int, earlier: int) -> None:
    """Check `LlmRequest.session` of a resumed run (CONTRACT-1)."""
    exchange = _exchange(world, ordinal)
    expected = {
        "name": world.row(ordinal).session_name,
        "resumeId": world.row(earlier).native_session_id,
        "stateDir": str(world.state_dir()),
    }
    world.checks.expect("LlmRequest.session", expected=expected, actual=_fields(exchange.session), rests_on="reported")


@then("the request of the {ordinal} run of {party} has a null session")
def request_null(world: World, ordinal: int, party: str) -> None:
    """Check that no session was asked for."""
    exchange = _exchange(world, ordinal, party)
    world.checks.expect("LlmRequest.session", expected=None, actual=_fields(exchange.session), rests_on="reported")


@then("the result of the {ordinal} run is resumed, with the native id on record and no reason")
def result_resumed(world: World, ordinal: int) -> None:
    """Check `LlmResult` of a resumed run (CONTRACT-2)."""
    _result(world, ordinal, resumed=True, reason=None)


@then("the result of the {ordinal} run is not resumed, with the native id on record and the reason {reason}")
def result_fresh(world: World, ordinal: int, reason: FallbackReason) -> None:
    """Check `LlmResult` of a fresh run (CONTRACT-2)."""
    _result(world, ordinal, resumed=False, reason=reason.value)


def _result(world: World, ordinal: int, *, resumed: bool, reason: str | None) -> None:
    exchange = _exchange(world, ordinal)
    expected = {"sessionId": world.row(ordinal).native_session_id, "resumed": resumed, "resumeFallback": reason}
    world.checks.expect("LlmResult", expected=expected, actual=_fields(exchange.result), rests_on="reported")


def _exchange(world: World, ordinal: int, party: str = "the issue") -> ExchangeRow:
    run = world.row(ordinal, party).run
    found = [row for row in world.view("exchanges", ExchangeRow) if row.run == run]
    world.checks.expect(f"exchanges of run {run}", expected=1, actual=len(found), rests_on="reported")
    return found[0]


def _fields(fields: Mapping[str, object] | None) -> dict[str, object] | None:
    return None if fields is None else dict(fields)


@then("the session detail of the {ordinal} run shows its name, its native id and that it was resumed")
def detail_resumed(world: World, ordinal: int) -> None:
    """Check what a person reads of a resumed run (RECORD-2)."""
    row = world.row(ordinal)
    text = _detail(world, ordinal, (row.session_name, row.native_session_id, "resumed"))
    others = [word for word in ("not resumed", *(reason.value for reason in FallbackReason)) if word in text]
    world.checks.expect(
        "words that say the contrary", expected=[], actual=others, rests_on="reported", evidence=(text,)
    )


@then("the session detail of the {ordinal} run shows its name, its native id and the reason {reason}")
def detail_fresh(world: World, ordinal: int, reason: FallbackReason) -> None:
    """Check what a person reads of a fresh run (RECORD-2)."""
    row = world.row(ordinal)
    text = _detail(world, ordinal, (row.session_name, row.native_session_id, reason.value))
    claimed = re.search(r"(?<!not )\bresumed\b(?!\s*[:=]?\s*(?:no|false))", text, re.IGNORECASE) is not None
    world.checks.expect(
        "it claims to be resumed", expected=False, actual=claimed, rests_on="reported", evidence=(text,)
    )


def _detail(world: World, ordinal: int, wanted: tuple[str | None, ...]) -> str:
    """Check that a detail shows these words, label and value read together; give it whole."""
    run = world.row(ordinal).run
    details = [row for row in world.view("details", DetailRow) if row.run == run]
    text = " | ".join(f"{label}: {value}" for detail in details for label, value in detail.lines)
    missing = [part for part in wanted if part is None or not re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text)]
    world.checks.expect(
        "what the session detail does not show", expected=[], actual=missing, rests_on="reported", evidence=(text,)
    )
    return text


@then("the installation of {adapter} is recorded as resumable, with its state path")
def installation_resumable(world: World, adapter: AdapterId) -> None:
    """Check the row of `agent_installations` of a verified version."""
    row = _installation(world, adapter)
    world.checks.expect("resumable_sessions", expected=True, actual=row.resumable_sessions, rests_on="reported")
    world.checks.expect(
        "session_state_path", expected=STATE_PATHS[adapter], actual=row.session_state_path, rests_on="reported"
    )


@then("the installation of {adapter} is recorded as not resumable, without a state path")
def installation_not_resumable(world: World, adapter: AdapterId) -> None:
    """Check the row of `agent_installations` of any other version."""
    row = _installation(world, adapter)
    world.checks.expect("resumable_sessions", expected=False, actual=row.resumable_sessions, rests_on="reported")
    world.checks.expect("session_state_path", expected=None, actual=row.session_state_path, rests_on="reported")


@then("the installation of {adapter} is recorded with version {word}")
def installation_version(world: World, adapter: AdapterId, version: str) -> None:
    """Check which version was read."""
    row = _installation(world, adapter)
    world.checks.expect("version", expected=version, actual=row.version, rests_on="reported")


def _installation(world: World, adapter: AdapterId) -> InstallationRow:
    rows = [row for row in world.view("installations", InstallationRow) if row.adapter_id == adapter]
    world.checks.expect(
        f"there is an installation of {adapter} on record", expected=True, actual=bool(rows), rests_on="reported"
    )
    return rows[-1]


@then("an incident about the state of {party} is on record, with its reason")
def incident(world: World, party: str) -> None:
    """Check that a failed removal was recorded (CLEAN-11)."""
    name = world.state_dir(party).parent.name
    # An ordinary user is held off by modes, root by an attribute; the system has its words for each.
    reasons = [os.strerror(number).lower() for number in (errno.EACCES, errno.EPERM)]
    rows = [
        row
        for row in world.view("incidents", IncidentRow)
        if name in row.subject and any(reason in row.reason.lower() for reason in reasons)
    ]
    world.checks.expect(
        f"an incident that names {name} and says why is on record",
        expected=True,
        actual=bool(rows),
        rests_on="reported",
        evidence=tuple(str(row) for row in world.view("incidents", IncidentRow)),
    )


@then("the value of AGENT_SESSION_RESUME at {scope} scope is still {word}")
def stored_value(world: World, scope: str, value: str) -> None:
    """Check what is stored; `unset` where nothing is."""
    ref = world.ref("the issue")
    project = ref.project if scope == "project" else ""
    rows = [
        row.value
        for row in world.view("settings", SettingRow)
        if row.name == "AGENT_SESSION_RESUME" and row.scope == scope and row.project == project
    ]
    expected = {"true": [True], "false": [False], "unset": []}[value]
    world.checks.expect("the stored value", expected=expected, actual=rows, rests_on="reported")


@then("the engine refuses with an error that names AGENT_SESSION_RESUME and the {scope} scope")
def refused_setting(world: World, scope: str) -> None:
    """Check that a value was refused, and that the error says which (OFF-10)."""
    error = world.result.error or ""
    named = "AGENT_SESSION_RESUME" in error and scope in error.lower()
    world.checks.expect(
        "the error names setting and scope", expected=True, actual=named, rests_on="reported", evidence=(error,)
    )


@then("the engine refuses to start, with an error that names AGENT_CREDENTIAL_MOUNTS")
def refused_configuration(world: World) -> None:
    """Check that a configuration was refused (§23.3)."""
    error = world.refusal or ""
    world.checks.expect(
        "the error names AGENT_CREDENTIAL_MOUNTS",
        expected=True,
        actual="AGENT_CREDENTIAL_MOUNTS" in error,
        rests_on="reported",
        evidence=(error,),
    )

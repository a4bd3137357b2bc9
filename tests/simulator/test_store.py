"""The store: names that stay, directories that nobody shares, and writes that a lost lease makes void."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import DateTime, inspect, make_url

from tck_driver.configuration import Binding
from tck_driver.vocabulary import AdapterId, FallbackReason, MailboxRef, Phase, RunOutcome
from tck_simulator import tables
from tck_simulator.instants import Instant
from tck_simulator.rows import Mailbox, Session
from tck_simulator.store import Store

from .laws import law

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
REF = MailboxRef("org", "app", "issue", 7)
BINDING = Binding(AdapterId.CODEX, "provider", "model")


@pytest.fixture
def store(memory: Store) -> Store:
    memory.reset()
    return memory


@pytest.fixture
def box(store: Store) -> Mailbox:
    return store.open_mailbox(REF, "Add a page", "in_development")


def started(store: Store, box: Mailbox, at: datetime = NOW, **session: str | None) -> int:
    return store.start_run(box.id, Phase.DEVELOPMENT, BINDING, at, **session)


def row(store: Store, run: int) -> Session:
    return next(one for one in store.sessions() if one.id == run)


# --- mailboxes -------------------------------------------------------------------------------------------------------


def test_the_first_name_is_kept_and_every_later_one_answered_with_it(store: Store, box: Mailbox) -> None:
    assert store.freeze_name(box.id, "agent/issue-7-one") == "agent/issue-7-one"
    assert store.freeze_name(box.id, "agent/issue-7-two") == "agent/issue-7-one"
    assert store.mailbox_by_id(box.id).branch_name == "agent/issue-7-one"


def test_a_directory_goes_to_one_mailbox_and_case_makes_no_difference(store: Store, box: Mailbox) -> None:
    other = store.open_mailbox(MailboxRef("Org", "app", "issue", 7), "", "in_development")
    assert store.claim_directory(box.id, ["org-app-issue-7"]) == "org-app-issue-7"
    assert store.claim_directory(other.id, ["Org-app-issue-7"]) is None
    assert store.mailbox_by_id(other.id).session_dir is None
    assert store.claim_directory(other.id, ["Org-app-issue-7", "Org-app-issue-7~0123"]) == "Org-app-issue-7~0123"
    assert store.claim_directory(box.id, ["org-app-issue-7"]) == "org-app-issue-7"


def test_an_ended_mailbox_holds_its_directory_until_its_cleanup_has_succeeded(store: Store, box: Mailbox) -> None:
    store.claim_directory(box.id, ["d"])
    store.set_mailbox(box.id, open=False)
    next_one = store.open_mailbox(REF, "", "functional_analysis")
    assert store.claim_directory(next_one.id, ["d", "d~1"]) == "d~1"
    store.set_mailbox(box.id, session_dir=None)
    third = store.open_mailbox(MailboxRef("x", "y", "issue", 1), "", "")
    assert store.claim_directory(third.id, ["d"]) == "d"


def test_each_mailbox_of_an_address_is_of_the_next_generation_and_the_last_is_found(store: Store, box: Mailbox) -> None:
    second = store.open_mailbox(REF, "Again", "functional_analysis")
    assert (box.generation, second.generation) == (1, 2)
    assert store.mailbox(REF) == second
    assert second.id > box.id
    assert store.open_mailbox(MailboxRef("org", "app", "merge_request", 7), "", "").generation == 1


def test_an_address_that_nobody_opened_has_no_mailbox(store: Store) -> None:
    assert store.mailbox(REF) is None


# --- leases ----------------------------------------------------------------------------------------------------------


def test_a_lease_is_held_by_one_and_every_taking_has_its_own_epoch(store: Store, box: Mailbox) -> None:
    assert _lease(store, box.id, "one", LATER) == 1
    assert _lease(store, box.id, "two", LATER) is None
    store.drop_lease(box.id)
    assert _lease(store, box.id, "two", LATER) == 2
    store.take_over_lease(box.id, "three", LATER)
    held = store.mailbox_by_id(box.id)
    assert (held.lease_owner, held.lease_epoch, held.lease_expires_at) == ("three", 3, LATER)


def test_only_the_holder_of_the_present_epoch_renews(store: Store, box: Mailbox) -> None:
    epoch = _lease(store, box.id, "one", NOW)
    assert epoch is not None
    assert store.renew_lease(box.id, epoch, LATER)
    assert not store.renew_lease(box.id, epoch - 1, NOW)
    assert store.mailbox_by_id(box.id).lease_expires_at == LATER
    store.drop_lease(box.id)
    assert not store.renew_lease(box.id, epoch, LATER)


def _everything(store: Store) -> tuple[list[Mailbox], list[Session]]:
    return store.mailboxes(), store.sessions()


@pytest.mark.parametrize("lost", ["reclaimed", "dropped"])
def test_a_worker_that_lost_its_lease_writes_nothing(store: Store, box: Mailbox, lost: str) -> None:
    epoch = _lease(store, box.id, "one", NOW)
    assert epoch is not None
    run = started(store, box, session_name="n", asked_session_id="a")
    if lost == "reclaimed":
        store.take_over_lease(box.id, "two", LATER)
    else:
        store.drop_lease(box.id)
    before = _everything(store)
    assert not store.finish_run(
        run, epoch, RunOutcome.SUCCEEDED, native_id="x", resumed=True, fallback=None, llm_retries=0, fix_attempts=5
    )
    store.note_native_id(run, epoch, "x")
    assert not store.start_run_afresh(run, epoch, FallbackReason.REFUSED)
    assert _everything(store) == before


def test_the_holder_writes_the_end_and_lets_go_in_one_step(store: Store, box: Mailbox) -> None:
    epoch = _lease(store, box.id, "one", LATER)
    assert epoch is not None
    run = started(store, box, session_name="n", asked_session_id="a")
    store.note_native_id(run, epoch, "a")
    assert row(store, run).native_session_id == "a"
    assert store.start_run_afresh(run, epoch, FallbackReason.REFUSED)
    assert (row(store, run).asked_session_id, row(store, run).resume_fallback) == (None, "refused")
    assert store.finish_run(
        run,
        epoch,
        RunOutcome.FAILED,
        native_id=None,
        resumed=False,
        fallback=FallbackReason.REFUSED,
        llm_retries=2,
        fix_attempts=1,
    )
    ended = row(store, run)
    assert (ended.outcome, ended.native_session_id, ended.resumed, ended.resume_fallback) == (
        "failed",
        None,
        False,
        "refused",
    )
    freed = store.mailbox_by_id(box.id)
    assert (freed.lease_owner, freed.lease_expires_at, freed.llm_retries, freed.fix_attempts) == (None, None, 2, 1)
    assert freed.lease_epoch == epoch


def test_a_finished_run_cannot_be_finished_again(store: Store, box: Mailbox) -> None:
    epoch = _lease(store, box.id, "one", LATER)
    assert epoch is not None
    run = started(store, box)
    assert store.finish_run(run, epoch, RunOutcome.SUCCEEDED, native_id=None, resumed=False, fallback=None)
    assert not store.finish_run(run, epoch, RunOutcome.FAILED, native_id="x", resumed=True, fallback=None)
    assert row(store, run).outcome == "succeeded"


def test_one_mailboxs_epoch_opens_no_other_mailbox(store: Store, box: Mailbox) -> None:
    other = store.open_mailbox(MailboxRef("org", "web", "issue", 7), "", "in_development")
    epoch = _lease(store, box.id, "one", LATER)
    assert epoch is not None
    run = started(store, other)
    store.note_native_id(run, epoch, "x")
    assert row(store, run).native_session_id is None


# --- runs, jobs, retention -------------------------------------------------------------------------------------------


def test_old_rows_of_ended_runs_go_and_the_rest_stays(store: Store, box: Mailbox) -> None:
    ended = [started(store, box, NOW + timedelta(days=day)) for day in range(4)]
    live = started(store, box, NOW)
    for run in ended:
        store.end_run(run, RunOutcome.ABANDONED, native_id="x", resumed=False, fallback=None)
    assert store.purge_sessions(NOW + timedelta(days=2)) == 2
    assert [one.id for one in store.sessions()] == [*ended[2:], live]
    assert store.purge_sessions(NOW + timedelta(days=2)) == 0


def test_a_key_is_never_given_twice_not_even_after_the_last_row_was_deleted(store: Store, box: Mailbox) -> None:
    run = started(store, box)
    store.end_run(run, RunOutcome.ABANDONED, native_id=None, resumed=False, fallback=None)
    store.purge_sessions(LATER)
    assert started(store, box) > run
    job = store.add_job(box.id, Phase.ANSWER, NOW)
    store.drop_job(job)
    assert store.add_job(box.id, Phase.ANSWER, NOW) > job


def test_jobs_are_worked_off_by_time_and_then_by_age(store: Store, box: Mailbox) -> None:
    late, early, same = (store.add_job(box.id, Phase.ANSWER, at) for at in (LATER, NOW, NOW))
    assert [job.id for job in store.jobs()] == [early, same, late]
    store.drop_job(early)
    assert [job.id for job in store.jobs()] == [same, late]
    store.drop_jobs(box.id)
    assert store.jobs() == []


def test_a_setting_is_stored_once_at_each_scope_and_removed_alone(store: Store) -> None:
    name = "AGENT_SESSION_RESUME"
    store.set_setting("organization", "org", "", name, value=False)
    store.set_setting("project", "org", "app", name, value=False)
    store.set_setting("project", "org", "app", name, value=True)
    store.set_setting("project", "org", "web", name, value=False)
    assert store.settings("org", "app") == {name: {"organization": False, "project": True}}
    assert store.settings("other", "app") == {}
    store.set_setting("project", "org", "app", name, value=None)
    assert store.settings("org", "app") == {name: {"organization": False}}
    assert len(store.all_settings()) == 2


def test_a_reset_store_is_as_a_new_one(store: Store, box: Mailbox) -> None:
    started(store, box)
    store.reset()
    assert _everything(store) == ([], [])
    assert store.open_mailbox(REF, "", "").id == box.id


def test_the_tables_have_the_columns_of_the_specification(store: Store) -> None:
    wanted = {
        "llm_sessions": "id mailbox_id phase adapter_id provider model cli_version outcome session_name"
        " native_session_id resumed resume_fallback created_at",
        "mailboxes": "id kind organization project iid generation state blocked_from branch_name session_dir"
        " llm_retries fix_attempts lease_owner lease_epoch lease_expires_at",
        "agent_installations": "id adapter_id image version resumable_sessions session_state_path reason detected_at",
        "incidents": "id kind subject reason created_at",
    }
    looker = inspect(store._engine)
    for table, columns in wanted.items():
        assert set(columns.split()) <= {column["name"] for column in looker.get_columns(table)}, table
    assert not tables.llm_sessions.c.resumed.nullable


# --- instants --------------------------------------------------------------------------------------------------------

_ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_MOMENTS = st.datetimes(datetime(1970, 1, 2), datetime(9998, 1, 1), timezones=_ZONES)  # noqa: DTZ001 -- bounds of naive times


@law
@given(_MOMENTS)
def test_an_instant_is_the_same_when_it_comes_back_from_the_database(memory: Store, moment: datetime) -> None:
    memory.reset()
    box = memory.open_mailbox(REF, "", "")
    memory.set_mailbox(box.id, lease_expires_at=moment)
    back = memory.mailbox_by_id(box.id).lease_expires_at
    assert back == moment
    assert back is not None
    assert back.utcoffset() == timedelta(0)


def test_a_database_that_knows_time_zones_is_given_them() -> None:
    kind, dialect = Instant(), make_url("postgresql://").get_dialect()()
    moment = datetime(2026, 1, 5, 10, tzinfo=timezone(timedelta(hours=1)))
    bound = kind.process_bind_param(moment, dialect)
    assert bound == NOW
    assert bound is not None
    assert bound.tzinfo is UTC
    assert kind.process_result_value(NOW, dialect) is NOW
    assert kind.process_bind_param(None, dialect) is None
    assert isinstance(kind.impl_instance, DateTime)
    assert kind.impl_instance.timezone


def _lease(store: Store, mailbox: int, owner: str, expires_at: datetime) -> int | None:
    """Take a lease as an engine does that has just looked at the mailbox; give its epoch, None where it is held."""
    epoch = store.mailbox_by_id(mailbox).lease_epoch
    return epoch + 1 if store.take_lease(mailbox, epoch, owner, expires_at) else None

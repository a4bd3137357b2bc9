"""An engine's PostgreSQL database is read as it is, on a real server, and the engine notices nothing of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tck_driver.errors import DriverError, UntestableError
from tck_driver.views import SessionRow
from tck_driver.vocabulary import MailboxRef
from tck_fakes import database as database_module
from tck_fakes.database import ObservedDatabase
from tck_fakes.observed_mapping import SessionMapping

from .postgres import Postgres, running

SPECIFIED = """
    CREATE TABLE mailboxes (id bigint PRIMARY KEY, kind text, organization text, project text, iid bigint);
    CREATE TABLE llm_sessions (id bigint PRIMARY KEY, mailbox_id bigint REFERENCES mailboxes, phase text,
      adapter_id text, provider text, model text, outcome text, session_name text, native_session_id text,
      resumed boolean DEFAULT false, resume_fallback text);
    INSERT INTO mailboxes VALUES (5, 'issue', 'Größe', 'app', 7), (6, 'merge_request', 'Größe', 'app', 9);
    INSERT INTO llm_sessions VALUES
      (12, 6, 'human_review', 'api', 'p', 'm', 'failed', NULL, NULL, false, NULL),
      (11, 5, 'analysis', 'codex', 'p', 'm', 'succeeded', 'agent/issue-7', 'an-id', true, 'refused');
"""
ROWS = [
    SessionRow(
        *("11", MailboxRef("Größe", "app", "issue", 7), "codex", "analysis", "p", "m", "agent/issue-7", "an-id"),
        *(True, "refused", "succeeded"),
    ),
    SessionRow(
        *("12", MailboxRef("Größe", "app", "merge_request", 9), "api", "human_review", "p", "m", None, None),
        *(False, None, "failed"),
    ),
]

RUN, OTHER_RUN = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
NATIVE = "0199a3c4-0000-7000-8000-00000000000a"
#: Another layout: schemas, UUIDs, enumerations, a number of another type, and upper case in a name.
OTHER = """
    CREATE SCHEMA agents;
    CREATE SCHEMA forge;
    CREATE TYPE agents.status AS ENUM ('running', 'ok');
    CREATE TABLE forge.issues (id int PRIMARY KEY, "Org" varchar(40), repo text, number numeric(12, 0));
    CREATE TABLE agents.sessions (id int PRIMARY KEY, native uuid, name text);
    CREATE TABLE agents.runs (id uuid PRIMARY KEY, issue int, session int, begun timestamptz, agent text, step text,
      provider text, model text, status agents.status, resumed smallint, fallback text);
    INSERT INTO forge.issues VALUES (3, 'org', 'app', 7);
    INSERT INTO agents.sessions VALUES (1, '0199a3c4-0000-7000-8000-00000000000a', 'n'), (2, NULL, NULL);
    INSERT INTO agents.runs VALUES
      ('00000000-0000-4000-8000-000000000001', 3, 2, '2025-01-02', 'codex', 'answer', 'p', 'm', 'running', 1, NULL),
      ('00000000-0000-4000-8000-000000000002', 3, 1, '2025-01-01', 'codex', 'analysis', 'p', 'm', 'ok', 0, NULL);
"""
OTHER_MAPPING = SessionMapping.read(
    {
        "table": "agents.runs",
        "joins": ["issue = forge.issues.id", "session = agents.sessions.id"],
        "columns": {
            "organization": "forge.issues.Org",
            "project": "forge.issues.repo",
            "kind": {"value": "issue"},
            "iid": "forge.issues.number",
            "adapter_id": "agent",
            "phase": "step",
            "session_name": "agents.sessions.name",
            "native_session_id": "agents.sessions.native",
            "resume_fallback": "fallback",
            "outcome": "status",
        },
        "order": ["begun", "id"],
        "values": {"outcome": {"running": "live", "ok": "succeeded"}},
    }
)
MAILBOX = MailboxRef("org", "app", "issue", 7)
OTHER_ROWS = [
    SessionRow(
        *(OTHER_RUN, MAILBOX, "codex", "analysis", "p", "m", "n", NATIVE, False, None, "succeeded"),
    ),
    SessionRow(*(RUN, MAILBOX, "codex", "answer", "p", "m", None, None, True, None, "live")),
]

Observe = Callable[..., ObservedDatabase]


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    """The server of this file."""
    with running() as server:
        yield server


@pytest.fixture
def name(postgres: Postgres) -> str:
    """The name of an empty database."""
    return postgres.fresh()


@pytest.fixture
def observe(postgres: Postgres, name: str) -> Iterator[Observe]:
    """Fill the database, and look at it."""
    open_ones: list[ObservedDatabase] = []

    def make(
        script: str, mapping: SessionMapping | None = None, user: str = "tck", query: str = ""
    ) -> ObservedDatabase:
        if script:
            postgres.execute(name, script)
        open_ones.append(ObservedDatabase(postgres.url(name, user) + query, mapping))
        return open_ones[-1]

    yield make
    for one in open_ones:
        one.close()


def complaint(database: ObservedDatabase) -> str:
    """Give what is said of a database that cannot be read, which is one line."""
    with pytest.raises(DriverError) as caught:
        database.rows()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_layout_of_the_specification_is_read_oldest_first(observe: Observe) -> None:
    assert observe(SPECIFIED).rows() == ROWS


def test_another_layout_is_read_by_its_mapping(observe: Observe) -> None:
    assert observe(OTHER, OTHER_MAPPING).rows() == OTHER_ROWS


@pytest.mark.parametrize("kind", ["integer", "smallint", "numeric", "text", "varchar(9)"])
def test_a_run_is_tampered_with_whatever_the_type_of_its_id(observe: Observe, kind: str) -> None:
    database = observe(f"{SPECIFIED} ALTER TABLE llm_sessions ALTER COLUMN id TYPE {kind}")
    database.rows()
    database.tamper("11", "%s --help")
    assert [row.native_session_id for row in database.rows()] == ["%s --help", None]


def test_a_native_id_in_a_joined_table_is_tampered_with_through_the_joins(observe: Observe) -> None:
    database = observe(OTHER, OTHER_MAPPING)
    database.tamper(RUN, OTHER_RUN)
    assert [row.native_session_id for row in database.rows()] == [NATIVE, OTHER_RUN]


def test_a_value_that_the_type_of_the_column_forbids_cannot_be_tested(observe: Observe) -> None:
    database = observe(OTHER, OTHER_MAPPING)
    with pytest.raises(UntestableError, match=r"agents\.sessions\.native cannot hold '--help': invalid input syntax"):
        database.tamper(RUN, "--help")
    assert database.rows() == OTHER_ROWS


def test_a_run_that_is_not_there_is_not_tampered_with(observe: Observe) -> None:
    with pytest.raises(DriverError, match=re.escape("0 rows have 'no-uuid' in agents.runs.id")):
        observe(OTHER, OTHER_MAPPING).tamper("no-uuid", "x")


def test_what_is_committed_is_seen_at_once_and_nothing_else(observe: Observe, postgres: Postgres, name: str) -> None:
    database = observe(SPECIFIED)
    engine = postgres.engine(name)
    for outcome in ("live", "timed_out"):
        before = database.rows()
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE llm_sessions SET outcome = %s", (outcome,))
            assert database.rows() == before
        assert [row.outcome for row in database.rows()] == [outcome, outcome]


def test_between_two_looks_the_engine_can_change_its_tables(observe: Observe, postgres: Postgres, name: str) -> None:
    database = observe(SPECIFIED)
    impatient = "SET lock_timeout = '100ms'"
    for kind in ("integer", "bigint", "smallint", "text", "bigint USING id::bigint"):
        for _ in range(7):
            assert database.rows() == ROWS
        postgres.execute(name, impatient, f"ALTER TABLE llm_sessions ALTER COLUMN id TYPE {kind}")
    database.tamper("11", "x")
    postgres.execute(name, impatient, "TRUNCATE llm_sessions")
    assert database.rows() == []


def test_after_close_the_engine_can_drop_its_database(observe: Observe, postgres: Postgres, name: str) -> None:
    database = observe(SPECIFIED)
    assert database.rows() == ROWS
    database.close()
    postgres.execute("postgres", f"DROP DATABASE {name}")
    assert f'database "{name}" does not exist' in complaint(database)
    postgres.execute("postgres", f"CREATE DATABASE {name}")
    postgres.execute(name, SPECIFIED)
    assert database.rows() == ROWS


def test_a_connection_that_was_lost_between_two_looks_is_made_anew(
    observe: Observe, postgres: Postgres, name: str
) -> None:
    database = observe(SPECIFIED)
    assert database.rows() == ROWS
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    ended = postgres.execute(name, f"{others} AND pid <> pg_backend_pid()")
    assert [tuple(one) for one in ended] == [(True,)]
    assert database.rows() == ROWS


def test_what_looks_cannot_write(observe: Observe) -> None:
    database = observe(SPECIFIED)
    for _ in range(2):
        database.rows()
        with pytest.raises(Exception, match="read-only transaction"):
            database._reading().exec_driver_sql("DELETE FROM llm_sessions")
        database.close()
        database.tamper("11", "an-id")
    assert database.rows() == ROWS


def test_a_table_that_the_engine_does_not_let_go_is_told(
    observe: Observe, postgres: Postgres, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = database_module._MANNERS["postgresql"]
    impatient = replace(patient, reading=("SET statement_timeout = 50",), writing=("SET statement_timeout = 50",))
    monkeypatch.setattr(database_module, "_MANNERS", {"postgresql": impatient})
    database = observe(SPECIFIED)
    engine = postgres.engine(name)
    with engine.begin() as connection:
        # Should the look wait for ever, this one is thrown out.
        connection.exec_driver_sql("SET idle_in_transaction_session_timeout = '20s'")
        connection.exec_driver_sql("LOCK TABLE llm_sessions IN ACCESS EXCLUSIVE MODE")
        told = "canceling statement due to statement timeout; the engine must let go of it between its writes"
        assert told in complaint(database)
        with pytest.raises(DriverError, match=told):
            database.tamper("11", "x")
    assert database.rows() == ROWS


def test_tables_and_columns_that_are_missing_are_all_named_with_their_keys(observe: Observe) -> None:
    mapping = SessionMapping.read(
        {
            "table": "agents.runs",
            "joins": ["issue = forge.isues.id"],
            "columns": {"outcome": "state", "iid": "forge.isues.number", "run": "ID"},
        }
    )
    found = complaint(observe(OTHER, mapping))
    for told in (
        "there is no table forge.isues (observe.joins[1]), did you mean issues?",
        "there is no column agents.runs.state (observe.columns.outcome), did you mean status?",
        "there is no column agents.runs.ID (observe.columns.run)",
        "there is no column agents.runs.kind (observe.columns.kind)",
    ):
        assert told in found


def test_a_user_who_may_not_read_is_told(observe: Observe, postgres: Postgres, name: str) -> None:
    observe(SPECIFIED)
    postgres.execute(name, f"CREATE ROLE stranger_{name} LOGIN")
    told = complaint(observe("", user=f"stranger_{name}"))
    assert "permission denied for table llm_sessions; give a user that may read these tables" in told


def test_a_user_who_may_read_alone_is_told_when_tampering(observe: Observe, postgres: Postgres, name: str) -> None:
    observe(SPECIFIED)
    user = f"reader_{name}"
    postgres.execute(name, f"CREATE ROLE {user} LOGIN", f"GRANT SELECT ON llm_sessions, mailboxes TO {user}")
    database = observe("", user=user)
    assert database.rows() == ROWS
    with pytest.raises(DriverError, match="permission denied for table llm_sessions; give a user that may read"):
        database.tamper("11", "x")


def test_a_wrong_password_is_told_and_not_shown(observe: Observe, postgres: Postgres) -> None:
    postgres.execute("postgres", "CREATE ROLE guarded LOGIN PASSWORD 'right'")
    for user, query in (("guarded:hush-hush", ""), ("guarded", "&password=hush-hush")):
        database = observe("", user=user, query=query)
        found = complaint(database)
        assert "password authentication failed for user" in found
        assert "guarded" in found
        with pytest.raises(DriverError) as caught:
            database.tamper("1", "x")
        assert "hush-hush" not in found + str(caught.value) + repr(caught.value.__cause__)


def test_a_server_that_is_not_there_is_told() -> None:
    found = complaint(ObservedDatabase("postgresql+psycopg://tck:hush-hush@/engine?host=/nowhere"))
    assert "No such file or directory" in found
    assert found.endswith("; check the URL, and that the database is up")
    assert "hush" not in found


def test_an_option_that_the_driver_does_not_know_is_told(observe: Observe) -> None:
    assert 'invalid connection option "wombat"' in complaint(observe("", query="&wombat=1"))


def run_on(url: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-P", "-m", "tck_kit.command_line", "run", "--seed", "1", "--workers", "1")
    return subprocess.run(
        [*words, "--database", url, *options], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_simulator_runs_on_a_server_as_on_a_file(postgres: Postgres, name: str, tmp_path: Path) -> None:
    url = f"{postgres.url(name)}&client_encoding=utf8"
    done = run_on(url, tmp_path, "--requirement", "NAME-7", "--requirement", "RESUME-14")
    assert "core: indeterminate 1/62" in done.stdout, done.stdout + done.stderr
    assert "hardened: indeterminate 1/34" in done.stdout


def test_a_database_without_an_encoding_is_one_line_of_a_user_mistake(
    postgres: Postgres, name: str, tmp_path: Path
) -> None:
    ascii_only = f"{name}_ascii"
    made = f"CREATE DATABASE {ascii_only} TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
    postgres.execute("postgres", made)
    done = run_on(postgres.url(ascii_only), tmp_path)
    assert (done.returncode, "client_encoding=utf8" in done.stderr, "Traceback" in done.stderr) == (2, True, False)

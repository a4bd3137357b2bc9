"""An engine's database is read as it is, whatever its layout, and the engine notices nothing of it."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import URL

from tck_driver.errors import DriverError
from tck_driver.views import SessionRow
from tck_driver.vocabulary import MailboxRef
from tck_fakes.database import ObservedDatabase
from tck_fakes.observed_mapping import MappingError, SessionMapping

SPECIFIED = """
    CREATE TABLE mailboxes (id INTEGER PRIMARY KEY, kind TEXT, organization TEXT, project TEXT, iid INTEGER);
    CREATE TABLE llm_sessions (id INTEGER PRIMARY KEY, mailbox_id INTEGER, phase TEXT, adapter_id TEXT, provider TEXT,
      model TEXT, outcome TEXT, session_name TEXT, native_session_id TEXT, resumed BOOLEAN, resume_fallback TEXT);
    INSERT INTO mailboxes VALUES (5, 'issue', 'org', 'app', 7), (6, 'merge_request', 'org', 'app', 9);
    INSERT INTO llm_sessions VALUES
      (12, 6, 'human_review', 'api', 'p', 'm', 'failed', NULL, NULL, 0, NULL),
      (11, 5, 'analysis', 'codex', 'p', 'm', 'succeeded', 'agent/issue-7', 'an-id', 1, 'refused');
"""
ROWS = [
    SessionRow(
        *("11", MailboxRef("org", "app", "issue", 7), "codex", "analysis", "p", "m", "agent/issue-7", "an-id"),
        *(True, "refused", "succeeded"),
    ),
    SessionRow(
        *("12", MailboxRef("org", "app", "merge_request", 9), "api", "human_review", "p", "m", None, None),
        *(False, None, "failed"),
    ),
]

#: Another layout: three tables, other names, other words, a session of its own for each issue and adapter.
OTHER = """
    CREATE TABLE repos (slug TEXT PRIMARY KEY, owner TEXT, name TEXT);
    CREATE TABLE "agent sessions" ("key" TEXT PRIMARY KEY, "native.id" TEXT, label TEXT);
    CREATE TABLE runs (uid TEXT PRIMARY KEY, begun INTEGER, repo TEXT, issue TEXT, session TEXT, agent INTEGER,
      step TEXT, status TEXT, continued TEXT, why TEXT);
    INSERT INTO repos VALUES ('o-a', 'org', 'app');
    INSERT INTO "agent sessions" VALUES ('s1', 'id-1', 'agent/issue-7'), ('s2', 'id-2', '');
    INSERT INTO runs VALUES ('zz', 1, 'o-a', '7', 's1', 2, 'analysis', 'OK', 'no', 'none'),
      ('aa', 2, 'o-a', '8', 's2', 1, 'answer', 'cancelled', 'yes', 'state_missing');
"""
OTHER_MAPPING = SessionMapping.read(
    {
        "table": "runs",
        "joins": ["repo = repos.slug", 'runs.session = "agent sessions".key'],
        "columns": {
            "run": "uid",
            "organization": "repos.owner",
            "project": "repos.name",
            "kind": {"value": "issue"},
            "iid": "issue",
            "adapter_id": "agent",
            "phase": "step",
            "provider": {"value": "p"},
            "model": {"value": "m"},
            "session_name": '"agent sessions".label',
            "native_session_id": '"agent sessions"."native.id"',
            "resumed": "continued",
            "resume_fallback": "why",
            "outcome": "status",
        },
        "order": "begun",
        "values": {
            "adapter_id": {"1": "codex", "2": "claude-code"},
            "outcome": {"OK": "succeeded"},
            "resumed": {"yes": True, "no": False},
            "resume_fallback": {"none": "null"},
            "session_name": {"": "null"},
        },
    }
)
OTHER_ROWS = [
    SessionRow(
        *("zz", MailboxRef("org", "app", "issue", 7), "claude-code", "analysis", "p", "m", "agent/issue-7", "id-1"),
        *(False, None, "succeeded"),
    ),
    SessionRow(
        *("aa", MailboxRef("org", "app", "issue", 8), "codex", "answer", "p", "m", None, "id-2"),
        *(True, "state_missing", "cancelled"),
    ),
]

#: An engine that dies while its writes lie half in the file, half in the journal.
CRASHING = """
import os, sqlite3, sys
engine = sqlite3.connect(sys.argv[1], isolation_level=None)
engine.execute("PRAGMA cache_size = 1")
engine.execute("BEGIN")
engine.execute("UPDATE llm_sessions SET outcome = 'abandoned'")
engine.execute(
    "CREATE TABLE ballast AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
    " SELECT i, hex(randomblob(100)) AS junk FROM n"
)
os._exit(0)
"""
NATIVE_IDS = "SELECT native_session_id FROM llm_sessions ORDER BY id"

Observe = Callable[..., ObservedDatabase]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A folder whose name has all that a URL could take for something else, and no file yet."""
    (tmp_path / "a b%20#&c").mkdir()
    return tmp_path / "a b%20#&c" / "engine.sqlite"


@pytest.fixture
def observe(file: Path) -> Iterator[Observe]:
    """Fill the file, and look at it."""
    open_ones: list[ObservedDatabase] = []

    def make(script: str, mapping: SessionMapping | None = None, query: str = "") -> ObservedDatabase:
        change(file, script)
        open_ones.append(ObservedDatabase(f"{url(file)}{query}", mapping))
        return open_ones[-1]

    yield make
    for one in open_ones:
        one.close()


def url(file: Path) -> str:
    return URL.create("sqlite", database=str(file)).render_as_string()


def change(file: Path, script: str) -> None:
    """Change the database as an engine does that waits for nobody."""
    with closing(sqlite3.connect(file, timeout=0)) as connection:
        connection.executescript(script)


def held(file: Path, query: str) -> list[object]:
    with closing(sqlite3.connect(file)) as connection:
        return [one for (one,) in connection.execute(query)]


def complaint(database: ObservedDatabase) -> str:
    """Give what is said of a database that cannot be read, which is one line."""
    with pytest.raises(DriverError) as caught:
        database.rows()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- layouts ---------------------------------------------------------------------------------------------------------


def test_the_layout_of_the_specification_is_read_oldest_first(observe: Observe) -> None:
    assert observe(SPECIFIED).rows() == ROWS


def test_another_layout_is_read_by_its_mapping(observe: Observe) -> None:
    assert observe(OTHER, OTHER_MAPPING).rows() == OTHER_ROWS


def test_a_key_of_two_columns_joins_by_both(observe: Observe) -> None:
    script = """
        CREATE TABLE boxes (org TEXT, number INTEGER, app TEXT);
        CREATE TABLE runs (id INTEGER, org TEXT, number INTEGER);
        INSERT INTO boxes VALUES ('a', 1, 'a1'), ('a', 2, 'a2'), ('b', 1, 'b1');
        INSERT INTO runs VALUES (0, 'b', 1), (1, 'a', 2);
    """
    columns: dict[str, object] = {
        **{name: {"value": "x"} for name in ("adapter_id", "phase", "provider", "model")},
        **dict.fromkeys(("session_name", "native_session_id", "resume_fallback", "outcome"), "org"),
        "organization": "boxes.org",
        "project": "boxes.app",
        "kind": {"value": "issue"},
        "iid": "boxes.number",
        "resumed": "id",
    }
    joins = ["runs.org = boxes.org", "runs.number = boxes.number"]
    values = {"outcome": {"a": "succeeded", "b": "failed"}}
    mapping = SessionMapping.read({"table": "runs", "joins": joins, "columns": columns, "values": values})
    assert [(str(row.mailbox), row.outcome) for row in observe(script, mapping).rows()] == [
        ("b/b1#1", "failed"),
        ("a/a2#2", "succeeded"),
    ]


def test_a_view_of_the_database_reads_like_a_table(observe: Observe) -> None:
    view = "SELECT s.*, 'x' AS organization, 'y' AS project, 'issue' AS kind, 3 AS iid FROM llm_sessions s"
    database = observe(f"{SPECIFIED} CREATE VIEW seen AS {view};", SessionMapping.read({"table": "seen"}))
    assert [str(row.mailbox) for row in database.rows()] == ["x/y#3"] * 2


def test_names_are_names_whatever_they_look_like(observe: Observe, file: Path) -> None:
    odd = 'x"; DROP TABLE llm_sessions; -- 100%s :b ?'
    quoted = '"' + odd.replace('"', '""') + '"'
    script = f"{SPECIFIED} ALTER TABLE llm_sessions RENAME COLUMN native_session_id TO {quoted};"
    database = observe(script, SessionMapping.read({"columns": {"native_session_id": quoted}}))
    assert database.rows() == ROWS
    database.tamper("11", odd)
    change(file, f"ALTER TABLE llm_sessions RENAME COLUMN {quoted} TO native_session_id")
    assert held(file, NATIVE_IDS) == [odd, None]


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("mailboxes SET iid = 'seven'", "mailboxes.iid of run 11 holds 'seven' (str); as iid it must be an integer"),
        ("mailboxes SET iid = 7.5", "mailboxes.iid of run 11 holds 7.5 (float); as iid it must be an integer"),
        ("mailboxes SET iid = NULL", "mailboxes.iid of run 11 holds null; as iid it must be an integer"),
        ("mailboxes SET kind = 'Issue'", "mailboxes.kind of run 11 holds 'Issue' (str); as kind it must be issue or"),
        ("mailboxes SET kind = x'00'", "mailboxes.kind of run 11 holds b'\\x00' (bytes); as kind it must be issue or"),
        (
            "mailboxes SET organization = NULL",
            "mailboxes.organization of run 11 holds null; as organization it must be",
        ),
        ("llm_sessions SET resumed = 2", "llm_sessions.resumed of run 11 holds 2 (int); as resumed it must be a bool"),
        ("llm_sessions SET resumed = NULL", "llm_sessions.resumed of run 11 holds null; as resumed it must be a bool"),
        ("llm_sessions SET resumed = 'yes'", "resumed of run 11 holds 'yes' (str); as resumed it must be a boolean"),
        ("llm_sessions SET outcome = NULL", "outcome of run 11 holds null; as outcome it must be an outcome of §13.4"),
        ("llm_sessions SET session_name = x'41'", "session_name of run 11 holds b'A' (bytes); as session_name it must"),
        (f"llm_sessions SET model = x'{'00' * 500}'", "…"),
    ],
)
def test_a_value_that_is_not_of_its_fields_type_is_told_by_column_and_value(
    observe: Observe, assignment: str, told: str
) -> None:
    found = complaint(observe(f"{SPECIFIED} UPDATE {assignment};"))
    assert told in found
    assert len(found) < 200


@pytest.mark.parametrize(
    ("kind", "value", "run"),
    [("INTEGER", "9007199254740993", "9007199254740993"), ("TEXT", "'007'", "007"), ("BLOB", f"x'{'ab' * 16}'", "ab")],
)
def test_the_id_of_a_run_is_a_number_a_text_or_a_uuid(
    observe: Observe, file: Path, kind: str, value: str, run: str
) -> None:
    script = f"ALTER TABLE llm_sessions ADD COLUMN uid {kind} DEFAULT {value};"
    script += "UPDATE llm_sessions SET uid = 1 WHERE id = 12;"
    database = observe(SPECIFIED + script, SessionMapping.read({"columns": {"run": "uid"}, "order": "id"}))
    told = str(uuid.UUID(run * 16)) if run == "ab" else run
    assert [row.run for row in database.rows()] == [told, "1"]
    database.tamper(told, "other")
    assert held(file, NATIVE_IDS) == ["other", None]


def test_a_constant_of_the_wrong_type_is_refused_at_once(file: Path) -> None:
    for name, value in (("kind", "story"), ("iid", "seven"), ("project", 7)):
        with pytest.raises(DriverError, match=f"observe.columns.{name} is the constant {value!r}; it must be "):
            ObservedDatabase(url(file), SessionMapping.read({"columns": {name: {"value": value}}}))


# --- what is not there -----------------------------------------------------------------------------------------------


def test_tables_and_columns_that_are_missing_are_all_named_with_their_keys(observe: Observe, file: Path) -> None:
    mapping = SessionMapping.read({"columns": {"phase": "fase", "iid": "mailboxes.number", "run": "uid"}})
    found = complaint(observe(SPECIFIED, mapping))
    for told in (
        "there is no column llm_sessions.fase (observe.columns.phase), did you mean phase?",
        "there is no column mailboxes.number (observe.columns.iid)",
        "there is no column llm_sessions.uid (observe.columns.run)",
        f"observed database {url(file)}: ",
        "; name what the engine has, under [observe] in session-tck.toml",
    ):
        assert told in found


def test_missing_tables_are_named(observe: Observe) -> None:
    found = complaint(observe(SPECIFIED, SessionMapping.read({"table": "llm_session"})))
    assert "there is no table llm_session (observe.table), did you mean llm_sessions?" in found


def test_an_empty_database_lacks_both_tables(observe: Observe) -> None:
    found = complaint(observe(""))
    assert "no table llm_sessions (observe.table), there is no table mailboxes (observe.joins[1]);" in found


def test_a_table_that_comes_later_is_read_then(observe: Observe, file: Path) -> None:
    database = observe("")
    complaint(database)
    change(file, SPECIFIED)
    assert database.rows() == ROWS


def test_a_file_that_is_not_there_is_told_and_not_made(file: Path) -> None:
    database = ObservedDatabase(url(file))
    found = complaint(database)
    assert found == (
        f"observed database {url(file)}: unable to open database file; "
        "check the path; the engine must have made the file by the time of its first run"
    )
    assert not file.exists()


def test_a_file_that_is_no_database_is_told(file: Path) -> None:
    file.write_text("These are notes.\n" * 100)
    assert "file is not a database; give the URL of the engine's database" in complaint(ObservedDatabase(url(file)))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite://", "observe.url is a database in memory, which nobody else can see; give the URL of a file"),
        ("sqlite:///:memory:", "observe.url is a database in memory"),
        ("nosuch://u:hush@h/d", "observe.url has the unknown dialect nosuch; write sqlite or postgresql+psycopg"),
        ("mysql+oursql_missing://u:hush@h/d", "observe.url has the unknown dialect mysql+oursql_missing"),
        ("mssql+pymssql://u:hush@h/d", "observe.url needs the Python package pymssql; install it beside session-tck"),
        ("no url at all", "observe.url is no URL of a database"),
    ],
)
def test_a_url_that_cannot_serve_is_refused_before_the_run(url: str, told: str) -> None:
    with pytest.raises(MappingError) as caught:
        ObservedDatabase(url)
    assert str(caught.value).startswith(told)
    assert "hush" not in str(caught.value)


# --- the engine notices nothing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_what_is_committed_is_seen_at_once_and_nothing_else(observe: Observe, file: Path, journal: str) -> None:
    database = observe(f"PRAGMA journal_mode = {journal}; {SPECIFIED}")
    assert database.rows() == ROWS
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as engine:
        for outcome in ("live", "timed_out", "abandoned"):
            before = database.rows()
            engine.execute("BEGIN IMMEDIATE")
            engine.execute("UPDATE llm_sessions SET outcome = ?", (outcome,))
            assert database.rows() == before
            engine.execute("COMMIT")
            assert [row.outcome for row in database.rows()] == [outcome, outcome]


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_between_two_looks_the_engine_can_have_the_file_to_itself(observe: Observe, file: Path, journal: str) -> None:
    database = observe(f"PRAGMA journal_mode = {journal}; {SPECIFIED}")
    database.rows()
    change(file, "BEGIN EXCLUSIVE; DELETE FROM llm_sessions WHERE id = 12; COMMIT;")
    assert database.rows() == ROWS[:1]


def test_a_file_that_the_engine_does_not_let_go_is_told(observe: Observe, file: Path) -> None:
    database = observe(SPECIFIED, query="?timeout=0.01")
    with closing(sqlite3.connect(file, isolation_level=None)) as engine:
        engine.execute("BEGIN EXCLUSIVE")
        assert "database is locked; the engine must let go of it between its writes" in complaint(database)
        engine.execute("COMMIT")
    assert database.rows() == ROWS


def test_what_looks_cannot_write(observe: Observe) -> None:
    database = observe(SPECIFIED)
    database.rows()
    with pytest.raises(Exception, match="readonly"):
        database._reading().exec_driver_sql("DELETE FROM llm_sessions")
    database.tamper("11", "x")
    with pytest.raises(Exception, match="readonly"):
        database._reading().exec_driver_sql("DELETE FROM llm_sessions")


def test_a_file_that_was_put_in_the_place_of_the_old_one_is_the_one_that_is_read(observe: Observe, file: Path) -> None:
    database = observe(SPECIFIED)
    assert database.rows() == ROWS
    file.rename(file.with_name("old"))
    assert "unable to open" in complaint(database)
    change(file, SPECIFIED)
    change(file, "DELETE FROM llm_sessions WHERE id = 11")
    assert database.rows() == ROWS[1:]


def test_after_a_crash_in_the_middle_of_a_write_only_what_was_committed_is_read(observe: Observe, file: Path) -> None:
    database = observe(SPECIFIED)
    database.rows()
    subprocess.run([sys.executable, "-c", CRASHING, str(file)], check=True, timeout=60)
    assert file.with_name(f"{file.name}-journal").stat().st_size > 0
    assert database.rows() == ROWS


def test_after_close_the_next_look_connects_again(observe: Observe) -> None:
    database = observe(SPECIFIED)
    for _ in range(2):
        assert database.rows() == ROWS
        database.close()
        database.close()


# --- tampering -------------------------------------------------------------------------------------------------------


def test_tampering_changes_the_native_id_of_one_run(observe: Observe, file: Path) -> None:
    database = observe(SPECIFIED)
    database.rows()
    database.tamper("11", "--help")
    assert [row.native_session_id for row in database.rows()] == ["--help", None]
    assert held(file, NATIVE_IDS) == ["--help", None]


def test_a_native_id_in_a_joined_table_is_tampered_with_through_the_joins(observe: Observe) -> None:
    database = observe(OTHER, OTHER_MAPPING)
    database.tamper("zz", "other")
    assert [row.native_session_id for row in database.rows()] == ["other", "id-2"]


@pytest.mark.parametrize("run", ["13", "011", "", "11 ", "eleven"])
def test_a_run_that_is_not_there_is_not_tampered_with(observe: Observe, run: str) -> None:
    database = observe(SPECIFIED)
    with pytest.raises(DriverError, match=re.escape(f"0 rows have {run!r} in llm_sessions.id")):
        database.tamper(run, "x")
    assert database.rows() == ROWS


def test_a_run_id_that_stands_twice_is_not_tampered_with(observe: Observe) -> None:
    mapping = SessionMapping.read({"columns": {"run": "provider"}, "order": "id"})
    database = observe(SPECIFIED, mapping)
    with pytest.raises(DriverError, match=r"2 rows have 'p' in llm_sessions\.provider"):
        database.tamper("p", "x")
    assert [row.native_session_id for row in database.rows()] == ["an-id", None]


def test_tampering_waits_for_the_engine_and_says_so_where_it_waits_in_vain(observe: Observe, file: Path) -> None:
    database = observe(SPECIFIED, query="?timeout=0.01")
    with closing(sqlite3.connect(file, isolation_level=None)) as engine:
        engine.execute("BEGIN IMMEDIATE")
        with pytest.raises(DriverError, match="database is locked; the engine must let go of it"):
            database.tamper("11", "x")
        engine.execute("COMMIT")
    database.tamper("11", "x")
    assert database.rows()[0].native_session_id == "x"

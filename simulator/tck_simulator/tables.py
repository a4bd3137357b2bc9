"""The tables of the engine's database.

Specification: RECORD-1, §22.3. `llm_sessions`, `mailboxes` and `agent_installations` have the specification's columns;
the others are what any engine keeps besides. Keys rise with every insert (§22.1); left to itself, without
`sqlite_autoincrement`, SQLite gives the key of a deleted last row again.
"""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text

from tck_simulator.instants import Instant

metadata = MetaData()

projects = Table(
    "projects",
    metadata,
    Column("organization", String, primary_key=True),
    Column("name", String, primary_key=True),
    Column("branch_prefix", String, nullable=False),
)

bindings = Table(
    "bindings",
    metadata,
    Column("organization", String, primary_key=True),
    Column("project", String, primary_key=True),
    Column("phase", String, primary_key=True),
    Column("adapter_id", String, nullable=False),
    Column("provider", String, nullable=False),
    Column("model", String, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("scope", String, primary_key=True),
    Column("organization", String, primary_key=True),
    Column("project", String, primary_key=True),
    Column("name", String, primary_key=True),
    Column("value", JSON, nullable=False),
)

mailboxes = Table(
    "mailboxes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("organization", String, nullable=False),
    Column("project", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("iid", BigInteger, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("branch_name", String),
    Column("session_dir", String),
    Column("blocked_from", String),
    Column("blocked_phase", String),
    Column("llm_retries", Integer, nullable=False, default=0),
    Column("fix_attempts", Integer, nullable=False, default=0),
    Column("lease_owner", String),
    Column("lease_epoch", Integer, nullable=False, default=0),
    Column("lease_expires_at", Instant),
    Index("mailbox_address", "organization", "project", "kind", "iid", "generation", unique=True),
    sqlite_autoincrement=True,
)

merge_requests = Table(
    "merge_requests",
    metadata,
    Column("organization", String, primary_key=True),
    Column("project", String, primary_key=True),
    Column("iid", BigInteger, primary_key=True),
    Column("mailbox_id", Integer, ForeignKey("mailboxes.id"), nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("mailbox_id", Integer, ForeignKey("mailboxes.id"), nullable=False),
    Column("phase", String, nullable=False),
    Column("due_at", Instant, nullable=False),
    sqlite_autoincrement=True,
)

llm_sessions = Table(
    "llm_sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("mailbox_id", Integer, ForeignKey("mailboxes.id"), nullable=False),
    Column("adapter_id", String, nullable=False),
    Column("phase", String, nullable=False),
    Column("provider", String, nullable=False),
    Column("model", String, nullable=False),
    Column("cli_version", String),
    Column("outcome", String, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("session_name", String),
    Column("asked_session_id", String),
    Column("native_session_id", String),
    Column("resumed", Boolean, nullable=False, default=False),
    Column("resume_fallback", String),
    sqlite_autoincrement=True,
)

runner_images = Table(
    "runner_images",
    metadata,
    Column("adapter_id", String, primary_key=True),
    Column("image", String, nullable=False),
)

agent_installations = Table(
    "agent_installations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("adapter_id", String, nullable=False),
    Column("image", String, nullable=False),
    Column("version", String),
    Column("resumable_sessions", Boolean, nullable=False, default=False),
    Column("session_state_path", String),
    Column("reason", String),
    Column("detected_at", Instant, nullable=False),
    Index("installation_image", "adapter_id", "image", unique=True),
    sqlite_autoincrement=True,
)

incidents = Table(
    "incidents",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    sqlite_autoincrement=True,
)

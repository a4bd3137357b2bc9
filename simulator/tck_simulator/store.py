"""The engine's database: one class that owns every statement.

Specification: NAME-2, RESUME-14, OFF-10, §11.7, §22.3. Each call is one transaction. A write that belongs to a run
carries the lease epoch of that run and is discarded when the mailbox has moved on to another (RESUME-14).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import (
    Connection,
    Engine,
    RowMapping,
    and_,
    create_engine,
    delete,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from tck_driver.configuration import Binding, EngineConfig, SettingScope
from tck_driver.vocabulary import AdapterId, FallbackReason, MailboxRef, Phase, RunOutcome
from tck_simulator import statements as q
from tck_simulator import tables as t
from tck_simulator.prepared import execute
from tck_simulator.rows import Incident, Installation, Job, Mailbox, Session, mailbox_of
from tck_simulator.settings import StoredSettings
from tck_simulator.states import IssueState


class StoreError(Exception):
    """The database cannot be used: locked, damaged, or not one of ours. The text says where and what to do."""


class Store:
    """Every read and write of the engine."""

    def __init__(self, url: str) -> None:
        """Open the database at a SQLAlchemy URL. Raises `StoreError` where it cannot be used."""
        self.url = url
        try:
            self._engine: Engine = create_engine(url)
        except (SQLAlchemyError, ImportError) as fault:
            raise StoreError(f"database {url}: {fault}; give a URL such as sqlite:////tmp/tck.sqlite") from fault
        self._single: Connection | None = None
        if url.startswith("sqlite"):
            event.listen(self._engine, "connect", _sqlite_settings)

    def close(self) -> None:
        """Let the database go."""
        if self._single is not None:
            self._single.close()
            self._single = None
        self._engine.dispose()

    @contextmanager
    def _begin(self) -> Generator[Connection]:
        """Give a connection in a transaction, for what must happen wholly or not at all."""
        with self._explained(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _once(self) -> Generator[Connection]:
        """Give the connection for single statements, each a transaction by itself; it stays open, which spares much."""
        with self._explained():
            if self._single is None:
                self._single = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            yield self._single

    @contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except SQLAlchemyError as fault:
            what, cure = explain(fault)
            raise StoreError(f"database {self.url}: {what}; {cure}") from fault

    def create(self) -> None:
        """Create the tables that are not there yet."""
        with self._begin() as connection:
            t.metadata.create_all(connection)

    def reset(self) -> None:
        """Empty every table of ours; on SQLite keys begin at 1 again."""
        with self._begin() as connection:
            for statement in q.EMPTY:
                connection.exec_driver_sql(statement)
            if self._engine.dialect.name == "sqlite":
                connection.exec_driver_sql("DELETE FROM sqlite_sequence")

    # --- configuration -------------------------------------------------------------------------------------------

    def configure(self, config: EngineConfig, images: Sequence[tuple[AdapterId, str]]) -> None:
        """Store projects, bindings and the runner image of each adapter."""
        with self._begin() as connection:
            for project in config.projects:
                row = {"organization": project.organization, "name": project.name}
                connection.execute(q.INSERT_PROJECT, {**row, "branch_prefix": project.branch_prefix})
                connection.execute(
                    q.INSERT_BINDINGS,
                    [
                        {
                            "organization": project.organization,
                            "project": project.name,
                            "phase": phase,
                            "adapter_id": binding.adapter,
                            "provider": binding.provider,
                            "model": binding.model,
                        }
                        for phase, binding in project.bindings
                    ],
                )
            rows = [{"adapter_id": adapter, "image": image} for adapter, image in images]
            connection.execute(q.INSERT_IMAGES, rows)

    def binding(self, organization: str, project: str, phase: Phase) -> Binding | None:
        """Give what a phase is bound to (§16.7)."""
        key = {"organization": organization, "project": project, "phase": phase}
        with self._once() as connection:
            row = execute(connection, q.BINDING, key).first
        return None if row is None else Binding(AdapterId(row["adapter_id"]), row["provider"], row["model"])

    def bind(self, organization: str, project: str, phases: Sequence[Phase], binding: Binding) -> None:
        """Bind phases to something else."""
        where = and_(
            t.bindings.c.organization == organization, t.bindings.c.project == project, t.bindings.c.phase.in_(phases)
        )
        values = {"adapter_id": binding.adapter, "provider": binding.provider, "model": binding.model}
        with self._once() as connection:
            connection.execute(update(t.bindings).where(where).values(**values))

    def branch_prefix(self, organization: str, project: str) -> str:
        """Give the project's `BRANCH_PREFIX`."""
        key = {"organization": organization, "project": project}
        with self._once() as connection:
            return str(execute(connection, q.BRANCH_PREFIX, key).rows[0]["branch_prefix"])

    def set_branch_prefix(self, organization: str, project: str, prefix: str) -> None:
        """Store another `BRANCH_PREFIX`."""
        where = and_(t.projects.c.organization == organization, t.projects.c.name == project)
        with self._once() as connection:
            connection.execute(update(t.projects).where(where).values(branch_prefix=prefix))

    def settings(self, organization: str, project: str) -> StoredSettings:
        """Give the stored values that bear on a project, by setting and scope."""
        found: dict[str, dict[str, bool | int]] = {}
        with self._once() as connection:
            for row in execute(connection, q.SETTINGS, {"organization": organization, "project": project}).rows:
                found.setdefault(row["name"], {})[row["scope"]] = row["value"]
        return found

    def all_settings(self) -> Sequence[RowMapping]:
        """Give every stored setting."""
        with self._once() as connection:
            return connection.execute(select(t.settings)).mappings().all()

    def set_setting(
        self, scope: SettingScope, organization: str, project: str, name: str, *, value: bool | int | None
    ) -> None:
        """Store a setting at one scope, or with None remove it."""
        key = {"scope": scope, "organization": organization, "project": project, "name": name}
        with self._begin() as connection:
            connection.execute(
                delete(t.settings).where(*(t.settings.c[column] == held for column, held in key.items()))
            )
            if value is not None:
                connection.execute(insert(t.settings).values(**key, value=value))

    # --- mailboxes ---------------------------------------------------------------------------------------------------

    def open_mailbox(self, ref: MailboxRef, title: str, state: str) -> Mailbox:
        """Open a mailbox, of the generation after the last one of that address."""
        with self._begin() as connection:
            before = execute(connection, q.MAILBOX_BY_ADDRESS, _address(ref)).first
            values = {
                "organization": ref.organization,
                "project": ref.project,
                "kind": ref.kind,
                "iid": ref.iid,
                "generation": 1 if before is None else before["generation"] + 1,
                "title": title,
                "state": state,
                "open": True,
            }
            identity = execute(connection, q.INSERT_MAILBOX, values).key
            return mailbox_of(execute(connection, q.MAILBOX_BY_ID, {"key": identity}).rows[0])

    def mailbox(self, ref: MailboxRef) -> Mailbox | None:
        """Give the latest generation of an address."""
        with self._once() as connection:
            row = execute(connection, q.MAILBOX_BY_ADDRESS, _address(ref)).first
        return None if row is None else mailbox_of(row)

    def mailbox_by_id(self, identity: int) -> Mailbox:
        """Give one row."""
        with self._once() as connection:
            return mailbox_of(execute(connection, q.MAILBOX_BY_ID, {"key": identity}).rows[0])

    def mailboxes(self, *, only_open: bool = False) -> list[Mailbox]:
        """Give all rows, oldest first."""
        query = q.OPEN_MAILBOXES if only_open else q.MAILBOXES
        with self._once() as connection:
            return [mailbox_of(row) for row in execute(connection, query).rows]

    def set_mailbox(self, identity: int, **values: str | int | bool | datetime | None) -> None:
        """Set columns of one mailbox."""
        with self._once() as connection:
            execute(connection, q.UPDATE_MAILBOX, {"key": identity, **values})

    def freeze_name(self, identity: int, name: str) -> str:
        """Store the branch name unless there is one, and give the one that is stored (NAME-2, NAME-4)."""
        with self._begin() as connection:
            execute(connection, q.FREEZE_NAME, {"key": identity, "branch_name": name})
            return str(execute(connection, q.MAILBOX_BY_ID, {"key": identity}).rows[0]["branch_name"])

    def claim_directory(self, identity: int, wanted: Sequence[str]) -> str | None:
        """Give the mailbox the first of these directory names that no other mailbox holds, case aside (ISOLATE-8).

        None where every one of them is held.
        """
        with self._begin() as connection:
            held = {row["session_dir"].lower(): row["id"] for row in execute(connection, q.HELD_DIRECTORIES).rows}
            free = next((name for name in wanted if held.get(name.lower(), identity) == identity), None)
            if free is None:
                return None
            execute(connection, q.UPDATE_MAILBOX, {"key": identity, "session_dir": free})
        return free

    def take_lease(self, identity: int, epoch: int, owner: str, expires_at: datetime) -> bool:
        """Take the lease that nobody has held since `epoch`, under the next epoch; False where somebody has (§11.7)."""
        values = {"lease_owner": owner, "lease_epoch": epoch + 1, "lease_expires_at": expires_at}
        with self._once() as connection:
            return execute(connection, q.TAKE_LEASE, {"key": identity, "epoch": epoch, **values}).count > 0

    def expired_leases(self, now: datetime) -> list[Mailbox]:
        """Give the open mailboxes whose lease has run out."""
        with self._once() as connection:
            return [mailbox_of(row) for row in execute(connection, q.EXPIRED_LEASES, {"now": now}).rows]

    def renew_lease(self, identity: int, epoch: int, expires_at: datetime) -> bool:
        """Extend a lease, if it is still of this epoch and held."""
        values = {"key": identity, "epoch": epoch, "lease_expires_at": expires_at}
        with self._once() as connection:
            return execute(connection, q.HELD_MAILBOX, values).count > 0

    def take_over_lease(self, identity: int, owner: str, expires_at: datetime) -> None:
        """Take an expired lease from whoever holds it, under a new epoch (§11.7)."""
        values = {"lease_owner": owner, "lease_epoch": t.mailboxes.c.lease_epoch + 1, "lease_expires_at": expires_at}
        with self._once() as connection:
            connection.execute(update(t.mailboxes).where(t.mailboxes.c.id == identity).values(**values))

    def drop_lease(self, identity: int) -> None:
        """Let a mailbox go, whoever holds it. The epoch stays and is never used again."""
        self.set_mailbox(identity, lease_owner=None, lease_expires_at=None)

    # --- merge requests and jobs -------------------------------------------------------------------------------------

    def add_merge_request(self, mailbox: Mailbox, iid: int) -> None:
        """Remember that this merge request is the agent's, for this mailbox (§11.1)."""
        values = {"organization": mailbox.ref.organization, "project": mailbox.ref.project, "iid": iid}
        with self._once() as connection:
            execute(connection, q.INSERT_MERGE_REQUEST, {**values, "mailbox_id": mailbox.id})

    def owner_of_merge_request(self, organization: str, project: str, iid: int) -> int | None:
        """Give the id of the issue mailbox to which the agent's merge request belongs."""
        key = {"organization": organization, "project": project, "iid": iid}
        with self._once() as connection:
            row = execute(connection, q.OWNER_OF_MERGE_REQUEST, key).first
        return None if row is None else int(row["mailbox_id"])

    def has_merge_request(self, mailbox_id: int) -> bool:
        """Whether the agent has opened a merge request for this mailbox."""
        with self._once() as connection:
            return execute(connection, q.MERGE_REQUESTS_OF_MAILBOX, {"key": mailbox_id}).first is not None

    def add_job(self, mailbox_id: int, phase: Phase, due_at: datetime) -> int:
        """Queue a run, and give the job's id."""
        with self._once() as connection:
            values = {"mailbox_id": mailbox_id, "phase": phase, "due_at": due_at}
            return execute(connection, q.INSERT_JOB, values).key

    def jobs(self) -> list[Job]:
        """Give the queue, in the order in which it is worked off."""
        with self._once() as connection:
            rows = execute(connection, q.JOBS).rows
        return [Job(row["id"], row["mailbox_id"], Phase(row["phase"]), row["due_at"]) for row in rows]

    def next_job(self, now: datetime) -> tuple[Job, Mailbox] | None:
        """Give the first job that is due and whose mailbox is neither held nor blocked."""
        with self._once() as connection:
            row = execute(connection, q.NEXT_JOB, {"now": now, "blocked": IssueState.BLOCKED}).first
        if row is None:
            return None
        return Job(row["job_id"], row["id"], Phase(row["job_phase"]), row["due_at"]), mailbox_of(row)

    def drop_job(self, identity: int) -> None:
        """Take one job off the queue."""
        with self._once() as connection:
            execute(connection, q.DROP_JOB, {"key": identity})

    def drop_jobs(self, mailbox_id: int) -> None:
        """Take a mailbox's jobs off the queue."""
        with self._once() as connection:
            execute(connection, q.DROP_JOBS, {"key": mailbox_id})

    # --- llm_sessions ------------------------------------------------------------------------------------------------

    def start_run(self, mailbox_id: int, phase: Phase, binding: Binding, at: datetime, **session: str | None) -> int:
        """Insert the row of a run that begins, and give its id.

        `session` sets `session_name`, `cli_version`, `asked_session_id` and `resume_fallback`, so that whoever has to
        take the run over knows what it was started with.
        """
        values = {
            "mailbox_id": mailbox_id,
            "adapter_id": binding.adapter,
            "phase": phase,
            "provider": binding.provider,
            "model": binding.model,
            "outcome": RunOutcome.LIVE,
            "created_at": at,
            "resumed": False,
            **session,
        }
        with self._once() as connection:
            return execute(connection, q.INSERT_RUN, values).key

    def note_native_id(self, run: int, epoch: int, native_id: str) -> None:
        """Store an id while its run is still live, unless the lease has moved on (RESUME-14, RESUME-15)."""
        with self._once() as connection:
            execute(connection, q.UPDATE_HELD_RUN, {"run": run, "epoch": epoch, "native_session_id": native_id})

    def overwrite_native_id(self, run: int, native_id: str) -> None:
        """Store an id as somebody with a database client would, for tests of what the engine then makes of it."""
        with self._once() as connection:
            execute(connection, q.OVERWRITE, {"run": run, "native_session_id": native_id})

    def start_run_afresh(self, run: int, epoch: int, fallback: FallbackReason) -> bool:
        """Note that a refused resume is started again without the id; False where the lease has moved on (FALLBACK-6).

        A worker that is told False must not start anything (RESUME-14).
        """
        values = {"asked_session_id": None, "resume_fallback": fallback}
        with self._once() as connection:
            return execute(connection, q.UPDATE_HELD_RUN, {"run": run, "epoch": epoch, **values}).count > 0

    def finish_run(
        self,
        run: int,
        epoch: int,
        outcome: RunOutcome,
        *,
        native_id: str | None,
        resumed: bool,
        fallback: FallbackReason | None,
        **mailbox: str | int | bool | None,
    ) -> bool:
        """Write a run's end and its mailbox's columns in one transaction, and let the lease go.

        Gives False, and writes nothing, where the mailbox's lease is of another epoch by now (RESUME-14).
        """
        with self._begin() as connection:
            released = {"lease_owner": None, "lease_expires_at": None, **mailbox}
            if execute(connection, q.MAILBOX_OF_RUN, {"run": run, "epoch": epoch, **released}).count == 0:
                return False
            values = {
                "outcome": outcome,
                "native_session_id": native_id,
                "resumed": resumed,
                "resume_fallback": fallback,
            }
            execute(connection, q.UPDATE_RUN, {"run": run, **values})
        return True

    def end_run(
        self,
        run: int,
        outcome: RunOutcome,
        *,
        native_id: str | None,
        resumed: bool,
        fallback: FallbackReason | None,
    ) -> None:
        """Write the end of a run whose worker is gone, as the worker that took its mailbox over does."""
        values = {
            "outcome": outcome,
            "native_session_id": native_id,
            "resumed": resumed,
            "resume_fallback": fallback,
        }
        with self._once() as connection:
            execute(connection, q.UPDATE_RUN, {"run": run, **values})

    def sessions(self, mailbox_id: int | None = None) -> list[Session]:
        """Give the rows of one mailbox, or all, oldest first."""
        with self._once() as connection:
            if mailbox_id is None:
                rows = execute(connection, q.RUNS).rows
            else:
                rows = execute(connection, q.RUNS_OF_MAILBOX, {"key": mailbox_id}).rows
        return [Session(**row) for row in rows]

    def session(self, run: int) -> Session:
        """Give the row of one run."""
        with self._once() as connection:
            return Session(**execute(connection, q.RUN, {"run": run}).rows[0])

    def purge_sessions(self, before: datetime) -> int:
        """Delete the rows of ended runs that began before a time (CLEAN-7), and give how many there were."""
        where = t.llm_sessions.c.created_at < before
        live = t.llm_sessions.c.outcome == RunOutcome.LIVE
        with self._once() as connection:
            return connection.execute(delete(t.llm_sessions).where(where, ~live)).rowcount

    # --- installations and incidents ---------------------------------------------------------------------------------

    def images(self) -> dict[str, str]:
        """Give the runner image of each adapter as configured now."""
        with self._once() as connection:
            return {row["adapter_id"]: row["image"] for row in execute(connection, q.IMAGES).rows}

    def set_image(self, adapter: AdapterId, image: str) -> None:
        """Configure another runner image."""
        where = t.runner_images.c.adapter_id == adapter
        with self._once() as connection:
            connection.execute(update(t.runner_images).where(where).values(image=image))

    def installed(self, adapter: AdapterId) -> tuple[str, Installation | None] | None:
        """Give an adapter's image as configured now, and what was detected in it, if anything was yet."""
        with self._once() as connection:
            row = execute(connection, q.INSTALLED, {"adapter": adapter}).first
        if row is None:
            return None
        fields = {name: row[name] for name in Installation.__dataclass_fields__}
        return row["configured"], None if row["id"] is None else Installation(**fields)

    def installation(self, adapter: AdapterId, image: str) -> Installation | None:
        """Give what was detected in an image, None where nothing was yet."""
        with self._once() as connection:
            row = execute(connection, q.INSTALLATION, {"adapter": adapter, "image": image}).first
        return None if row is None else Installation(**row)

    def installations(self) -> list[Installation]:
        """Give every row, oldest first."""
        with self._once() as connection:
            return [Installation(**row) for row in execute(connection, q.INSTALLATIONS).rows]

    def add_installations(self, found: Sequence[Installation]) -> None:
        """Keep what was detected in new images; the ids are given by the database."""
        rows = [
            {name: getattr(one, name) for name in Installation.__dataclass_fields__ if name != "id"} for one in found
        ]
        with self._once() as connection:
            connection.execute(q.INSERT_INSTALLATIONS, rows)

    def add_incident(self, kind: str, subject: str, reason: str, at: datetime) -> None:
        """Put something on record."""
        with self._once() as connection:
            connection.execute(insert(t.incidents).values(kind=kind, subject=subject, reason=reason, created_at=at))

    def incidents(self) -> list[Incident]:
        """Give what is on record, oldest first."""
        query = select(t.incidents.c.kind, t.incidents.c.subject, t.incidents.c.reason).order_by(t.incidents.c.id)
        with self._once() as connection:
            return [Incident(**row) for row in connection.execute(query).mappings()]


def _address(ref: MailboxRef) -> dict[str, str | int]:
    return {"organization": ref.organization, "project": ref.project, "kind": ref.kind, "iid": ref.iid}


#: With a write-ahead log a crash of the machine can lose the last commits, and never damages the file.
_PRAGMAS = (
    "PRAGMA busy_timeout = 2000",
    "PRAGMA foreign_keys = ON",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
)


def _sqlite_settings(connection: object, _record: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType] -- a DBAPI connection has no common type
    for statement in _PRAGMAS:
        cursor.execute(statement)  # pyright: ignore[reportUnknownMemberType] -- the same
    cursor.close()  # pyright: ignore[reportUnknownMemberType] -- the same


#: What the text of a database's error is about, and what to do.
_CURES = (
    ("locked", "end the program that holds it, or give another file"),
    ("malformed", "it is damaged: give another file"),
    ("not a database", "it is no SQLite file: give another file"),
    ("unable to open", "make its folder, or give another file"),
    ("readonly", "make it writable, or give another file"),
    ("disk", "free some space there, or give another file"),
)


def explain(fault: SQLAlchemyError) -> tuple[str, str]:
    """Say in one line what is wrong with a database, and what to do."""
    what = str(getattr(fault, "orig", None) or fault).splitlines()[0]
    return what, next((cure for word, cure in _CURES if word in what), "check the URL and that the server runs")

"""The statements that a run executes over and over, built once.

Putting a statement together costs more than executing it on a small database, so those on the way of every run stand
here with bound parameters. Parameters that name columns of an insert or update are its values.
"""

from __future__ import annotations

from sqlalchemy import and_, bindparam, delete, insert, or_, select, update

from tck_simulator import tables as t

_M, _S, _R = t.mailboxes.c, t.settings.c, t.llm_sessions.c

#: `key`
MAILBOX_BY_ID = select(t.mailboxes).where(_M.id == bindparam("key"))
#: `organization`, `project`, `kind`, `iid`
MAILBOX_BY_ADDRESS = (
    select(t.mailboxes)
    .where(
        _M.organization == bindparam("organization"),
        _M.project == bindparam("project"),
        _M.kind == bindparam("kind"),
        _M.iid == bindparam("iid"),
    )
    .order_by(_M.generation.desc())
    .limit(1)
)
MAILBOXES = select(t.mailboxes).order_by(_M.id)
OPEN_MAILBOXES = select(t.mailboxes).where(_M.open).order_by(_M.id)
INSERT_MAILBOX = insert(t.mailboxes)
#: `key`, and the columns to set
UPDATE_MAILBOX = update(t.mailboxes).where(_M.id == bindparam("key"))
#: `key`, `branch_name`
FREEZE_NAME = update(t.mailboxes).where(_M.id == bindparam("key"), _M.branch_name.is_(None))
HELD_DIRECTORIES = select(_M.id, _M.session_dir).where(_M.session_dir.is_not(None))
#: `key`, `epoch`, and the columns to set, where nobody has held the lease since that epoch
TAKE_LEASE = update(t.mailboxes).where(
    _M.id == bindparam("key"), _M.lease_epoch == bindparam("epoch"), _M.lease_owner.is_(None)
)
#: `key`, `epoch`, and the columns to set
HELD_MAILBOX = update(t.mailboxes).where(
    _M.id == bindparam("key"), _M.lease_epoch == bindparam("epoch"), _M.lease_owner.is_not(None)
)
#: `run`, `epoch`, and the columns to set of the mailbox of that run
MAILBOX_OF_RUN = update(t.mailboxes).where(
    _M.id == select(_R.mailbox_id).where(_R.id == bindparam("run")).scalar_subquery(),
    _M.lease_epoch == bindparam("epoch"),
    _M.lease_owner.is_not(None),
)

#: `name`, `organization`, `project`
SETTINGS = select(_S.name, _S.scope, _S.value).where(
    or_(
        _S.scope == "instance",
        and_(_S.scope == "organization", _S.organization == bindparam("organization")),
        and_(_S.scope == "project", _S.organization == bindparam("organization"), _S.project == bindparam("project")),
    )
)
#: `organization`, `project`, `phase`
BINDING = select(t.bindings).where(
    t.bindings.c.organization == bindparam("organization"),
    t.bindings.c.project == bindparam("project"),
    t.bindings.c.phase == bindparam("phase"),
)
INSERT_BINDINGS = insert(t.bindings)
INSERT_PROJECT = insert(t.projects)
#: `organization`, `project`
BRANCH_PREFIX = select(t.projects.c.branch_prefix).where(
    t.projects.c.organization == bindparam("organization"), t.projects.c.name == bindparam("project")
)

INSERT_MERGE_REQUEST = insert(t.merge_requests)
#: `organization`, `project`, `iid`
OWNER_OF_MERGE_REQUEST = select(t.merge_requests.c.mailbox_id).where(
    t.merge_requests.c.organization == bindparam("organization"),
    t.merge_requests.c.project == bindparam("project"),
    t.merge_requests.c.iid == bindparam("iid"),
)
#: `key`
MERGE_REQUESTS_OF_MAILBOX = select(t.merge_requests.c.iid).where(t.merge_requests.c.mailbox_id == bindparam("key"))

JOBS = select(t.jobs).order_by(t.jobs.c.due_at, t.jobs.c.id)
#: The first job that may be started: `now`, `blocked`
NEXT_JOB = (
    select(t.mailboxes, t.jobs.c.id.label("job_id"), t.jobs.c.phase.label("job_phase"), t.jobs.c.due_at)
    .join_from(t.jobs, t.mailboxes, t.jobs.c.mailbox_id == _M.id)
    .where(
        t.jobs.c.due_at <= bindparam("now", type_=t.jobs.c.due_at.type),
        _M.lease_owner.is_(None),
        _M.state != bindparam("blocked"),
    )
    .order_by(t.jobs.c.due_at, t.jobs.c.id)
    .limit(1)
)
#: `now`
EXPIRED_LEASES = (
    select(t.mailboxes)
    .where(_M.open, _M.lease_expires_at <= bindparam("now", type_=_M.lease_expires_at.type))
    .order_by(_M.id)
)
INSERT_JOB = insert(t.jobs)
#: `key`
DROP_JOB = delete(t.jobs).where(t.jobs.c.id == bindparam("key"))

#: `key`
DROP_JOBS = delete(t.jobs).where(t.jobs.c.mailbox_id == bindparam("key"))

INSERT_RUN = insert(t.llm_sessions)
#: `run`, and the columns to set
UPDATE_RUN = update(t.llm_sessions).where(_R.id == bindparam("run"))
#: `run`, `epoch`, and the columns to set, while the lease of the run's mailbox is still of this epoch (RESUME-14)
UPDATE_HELD_RUN = update(t.llm_sessions).where(
    _R.id == bindparam("run"),
    _R.mailbox_id.in_(select(_M.id).where(_M.lease_epoch == bindparam("epoch"), _M.lease_owner.is_not(None))),
)
#: `run`, and the native id to store whoever holds the lease
OVERWRITE = update(t.llm_sessions).where(_R.id == bindparam("run"))
RUNS = select(t.llm_sessions).order_by(_R.id)
#: `key`
RUNS_OF_MAILBOX = select(t.llm_sessions).where(_R.mailbox_id == bindparam("key")).order_by(_R.id)
#: `run`
RUN = select(t.llm_sessions).where(_R.id == bindparam("run"))

IMAGES = select(t.runner_images.c.adapter_id, t.runner_images.c.image)
INSERT_IMAGES = insert(t.runner_images)
#: `adapter`: its image, and what was detected in it, if anything was
INSTALLED = (
    select(t.runner_images.c.image.label("configured"), t.agent_installations)
    .join_from(
        t.runner_images,
        t.agent_installations,
        and_(
            t.agent_installations.c.adapter_id == t.runner_images.c.adapter_id,
            t.agent_installations.c.image == t.runner_images.c.image,
        ),
        isouter=True,
    )
    .where(t.runner_images.c.adapter_id == bindparam("adapter"))
)
#: `adapter`, `image`
INSTALLATION = select(t.agent_installations).where(
    t.agent_installations.c.adapter_id == bindparam("adapter"), t.agent_installations.c.image == bindparam("image")
)
INSTALLATIONS = select(t.agent_installations).order_by(t.agent_installations.c.id)
INSERT_INSTALLATIONS = insert(t.agent_installations)

#: Empties every table, in an order that no reference is in the way of.
EMPTY = tuple(f"DELETE FROM {table.name}" for table in reversed(t.metadata.sorted_tables))  # noqa: S608 -- names of our own tables

"""What is put on record of a container and its CLI: what was asked for, whose start it is, and what came of it."""

from __future__ import annotations

from datetime import datetime

from tck_driver.witness import CliAnswered, CliStarted, ContainerStarted
from tck_fakes.container import Container
from tck_fakes.standins.base import Account, Cli, Request, Stop
from tck_simulator.ports import ContainerRequest


def container_started(live: Container, at: datetime) -> ContainerStarted:
    """Give the record of a start."""
    return asked_for(live.id, live.request, at, live.limits)


def asked_for(
    container: str, request: ContainerRequest, at: datetime, limits: tuple[tuple[str, str], ...] = ()
) -> ContainerStarted:
    """Give the record of what was asked for, word for word, of whatever kind of container."""
    return ContainerStarted(
        container=container,
        image=request.image,
        argv=request.argv,
        environment=request.environment,
        mounts=request.mounts,
        workdir=request.workdir,
        home=request.home,
        user=request.user,
        network=request.network,
        read_only_root=request.read_only_root,
        labels=request.labels,
        stdin=request.stdin,
        at=at,
        limits=limits,
    )


def cli_started(live: Container, cli: Cli, asked: Request | Stop) -> CliStarted:
    """Give the record of what a CLI read from its arguments, and of what this start is in a course."""
    request, part = live.request, live.part
    read = asked if isinstance(asked, Request) else None if part is None else asked.meant
    return CliStarted(
        container=live.id,
        adapter=cli.adapter,
        argv=request.argv,
        environment=request.environment,
        workdir=request.workdir if read is None else read.workdir,
        prompt="" if read is None else read.prompt,
        asked_id=None if read is None else read.asked_id,
        chosen_id=None if read is None else read.chosen_id,
        label=None if read is None else read.label,
        asked_loosely=read is not None and read.loosely,
        usage_error=asked.usage if isinstance(asked, Stop) else None,
        scope=None if part is None else part.scope,
        full=None if part is None else part.full,
        scope_by=None if part is None else part.by,
    )


def cli_answered(container: str, cli: Cli | None, account: Account | None, exit_code: int) -> CliAnswered | None:
    """Give the record of how a CLI ended, None where there was none, or a question about it alone."""
    if account is None or cli is None:
        return None
    return CliAnswered(
        container=container,
        adapter=cli.adapter,
        shape=account.shape,
        session_id=account.session_id,
        remembered=account.remembered,
        reported_ids=tuple(account.reported),
        saved=account.saved,
        exit_code=exit_code,
    )

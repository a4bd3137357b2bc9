"""`--cluster`: on whose workers a campaign is executed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from tck_kit.faults import UsageFault

if TYPE_CHECKING:
    from tck_kit.campaign.fitness import Suites
    from tck_kit.campaign.units import Executor

_LOCAL = "local:"
MOST_LOCAL = 64
CLUSTER = click.option(
    "--cluster",
    metavar="CLUSTER",
    help="Share the work out among the workers of a dask scheduler: tcp://HOST:PORT, or local:N for N processes on "
    "this machine. Workers need the same session-tck; commands and files that are named are those of their host, in "
    "the same places as here. Whoever reaches the scheduler can execute anything there, so keep it to yourself.",
)


@contextmanager
def executor(cluster: str | None, suites: Suites) -> Generator[Executor]:
    """Give what executes units: on the cluster that is named, or one after the other here. Raises `UsageFault`."""
    if cluster is None:
        from tck_kit.campaign.alone import Alone  # noqa: PLC0415 -- every command has the option, and starts faster

        yield Alone()
        return
    where = f"--cluster {cluster}"
    count = _count(cluster, where)
    if count is None:
        _refuse_unusable(cluster, where)
    try:
        from tck_kit.campaign.dask_cluster import existing, local  # noqa: PLC0415 -- it may not be installed
    except ModuleNotFoundError as fault:
        if (fault.name or "").startswith("tck_"):
            raise
        raise UsageFault(
            f"dask.distributed is not installed (no module {fault.name})",
            where,
            "install it: pip install 'session-tck[cluster]'",
        ) from None
    from tck_kit.campaign.on_cluster import OnCluster  # noqa: PLC0415 -- as above

    with existing(cluster) if count is None else local(count) as found:
        yield OnCluster(found, suites)


def _count(cluster: str, where: str) -> int | None:
    """Give how many workers are wanted on this machine; None where a scheduler is named."""
    if not cluster.startswith(_LOCAL):
        return None
    said = cluster.removeprefix(_LOCAL)
    if not (said.isascii() and said.isdecimal() and 1 <= int(said[:4]) <= MOST_LOCAL):
        raise UsageFault("this is no number of workers", where, f"give local:1 to local:{MOST_LOCAL}")
    return int(said)


def _refuse_unusable(cluster: str, where: str) -> None:
    try:
        parts = urlsplit(cluster)
        usable = parts.scheme == "tcp" and bool(parts.hostname) and bool(parts.port) and not parts.path.strip("/")
    except ValueError:
        usable = False
    if not usable:
        raise UsageFault("this is no address of a scheduler", where, "give tcp://HOST:PORT, or local:N")

"""The container of a run: what is mounted, and what never is.

Specification: ISOLATE-2 to ISOLATE-5, RESUME-8, §17.2.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from tck_driver.witness import Mount
from tck_simulator.adapters.base import HOME, WORKDIR, Invocation
from tck_simulator.ports import ContainerRequest


def overlaps(first: str, second: str) -> bool:
    """Say whether two paths are equal or one lies below the other, however they are spelled (ISOLATE-5)."""
    one, two = (PurePosixPath(os.path.normpath(path)) for path in (first, second))
    return one == two or one in two.parents or two in one.parents


def container_request(
    *,
    image: str,
    invocation: Invocation,
    worktree: Path,
    read_only: bool,
    state: tuple[Path, str] | None,
    credentials: Sequence[tuple[str, str]],
    labels: tuple[tuple[str, str], ...],
    time_limit_ms: int,
) -> ContainerRequest:
    """Ask for the container of one invocation.

    `state` is the state directory on the host and its path in the container, None without a session: then the request
    is the one of an engine without the feature. `credentials` are pairs of container path and host path.
    """
    mounts = [Mount(str(worktree), WORKDIR, read_only)]
    mounts.extend(Mount(source, target, read_only=True) for target, source in credentials)
    if state is not None:
        mounts.append(Mount(str(state[0]), state[1]))
    return ContainerRequest(
        image=image,
        argv=invocation.argv,
        environment=(("HOME", HOME), *invocation.environment),
        mounts=tuple(mounts),
        labels=labels,
        time_limit_ms=time_limit_ms,
        workdir=WORKDIR,
        home=HOME,
        user=f"{os.getuid()}:{os.getgid()}",
    )

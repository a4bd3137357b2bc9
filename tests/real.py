"""Real parts that a test needs: a container engine, the agents' own CLIs. Never a silent pass.

`TCK_REQUIRE` names what has to be there: `docker`, `clis`. Without it a test is skipped with the way to get the part.
"""

from __future__ import annotations

import functools
import gc
import os
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from tck_kit.faults import UsageFault
from tck_kit.probe.configured import CONFIGURED
from tck_kit.probe.npm import install

_CLIS = Path(__file__).resolve().parent.parent / "build" / "clis"


def lacking(part: str, message: str) -> NoReturn:
    """Skip the test, or fail it where `TCK_REQUIRE` names the part."""
    if part in os.environ.get("TCK_REQUIRE", "").split(","):
        pytest.fail(f"{message} (TCK_REQUIRE names {part})", pytrace=False)
    pytest.skip(message)


@functools.cache
def _engine() -> str | None:
    """Give why no container engine can be used, None where one answers."""
    if find_spec("docker") is None:
        return "the Python package docker is missing: pip install 'session-tck[containers]'"
    import docker  # noqa: PLC0415 -- an optional package
    from docker.errors import DockerException  # noqa: PLC0415 -- the same

    with warnings.catch_warnings():
        # The SDK leaves a socket open where nobody answers.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            docker.from_env(timeout=10).close()
        except (DockerException, OSError) as fault:
            lack: str | None = f"no container engine answers ({fault}): start Docker, or set DOCKER_HOST"
        else:
            lack = None
        gc.collect()
    return lack


def docker_engine() -> None:
    """Need a container engine that answers, at `DOCKER_HOST` or the usual socket."""
    if lack := _engine():
        lacking("docker", lack)


@functools.cache
def _installed(program: str) -> Path | str:
    """Give the path of a real CLI, or why it cannot be had. `TCK_CLIS` names a folder that has them by their names."""
    if given := os.environ.get("TCK_CLIS"):
        found = Path(given, program)
        return found.resolve() if found.exists() else f"{found} is not there, and TCK_CLIS says that it is"
    adapter = next(one for one, held in CONFIGURED.items() if held.program == program)
    try:
        return Path(install(adapter, "pinned", _CLIS).words[-1])
    except UsageFault as fault:
        return f"{program} is missing: {fault}"


def real_cli(program: str) -> Path:
    """Need one of the agents' own CLIs; it is started with an empty environment and a home of its own alone."""
    found = _installed(program)
    if isinstance(found, str):
        lacking("clis", found)
    return found

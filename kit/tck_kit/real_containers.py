"""Real containers for a run of the simulator: whether they can be had, and what its workers need of them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tck_kit.faults import UsageFault

if TYPE_CHECKING:
    from tck_fakes.docker.ward import Ward

#: Seconds of a scenario and of a run, where nobody says otherwise: each container takes a good part of a second.
SCENARIO_TIME_LIMIT, TIME_LIMIT = 180, 5_400
_WHERE = "--runtime docker"
_CHECK = "`session-tck containers check` says what the engine can do"


@dataclass(frozen=True, slots=True)
class RealContainers:
    """The container engine of a run, as a report names it, and the image with the stand-ins in it."""

    shown: str
    image: str


def available(folder: Path, base: str | None = None) -> RealContainers:
    """Look whether there is an engine, have the image made where it is not there, and try one container.

    `folder` is the run's own; `base` is the image to be used in the place of Debian's packages. Raises `UsageFault`.
    """
    if sys.platform != "linux":
        raise UsageFault("a container can share no socket with this system", _WHERE, "run the kit on Linux")
    from tck_driver.errors import KitError  # noqa: PLC0415 -- seldom needed
    from tck_fakes.docker.engine import ContainerEngine  # noqa: PLC0415 -- with optional packages
    from tck_fakes.docker.ward import Ward  # noqa: PLC0415 -- the same
    from tck_fakes.images.engine import elsewhere  # noqa: PLC0415 -- the same
    from tck_fakes.images.missing import MissingPartError  # noqa: PLC0415 -- the same

    try:
        if (host := elsewhere()) is not None:
            what = f"its containers would be on another machine, at {host}"
            raise UsageFault(what, _WHERE, "name a local socket in DOCKER_HOST")
        engine = ContainerEngine()
    except MissingPartError as lack:
        raise UsageFault(lack.what, _WHERE, lack.cure) from lack
    ward: Ward | None = None
    try:
        engine.sweep()
        image = _image(base)
        ward = Ward(engine, image, variables=engine.variables(image))
        _try(ward, folder)
        return RealContainers(engine.about.shown, ward.image)
    except MissingPartError as lack:
        raise UsageFault(lack.what, _WHERE, lack.cure) from lack
    except KitError as fault:
        # An engine that fails or falls silent before the first scenario is none that can be used.
        raise UsageFault(str(fault), _WHERE, _CHECK) from fault
    finally:
        if ward is not None:
            ward.outposts.close()
        engine.close()


def _image(base: str | None) -> str:
    """Have the image of the stand-ins made, by a client with more patience than a run has: that may take minutes."""
    from tck_fakes.images.engine import connect  # noqa: PLC0415 -- as above
    from tck_fakes.images.standin_image import standins  # noqa: PLC0415 -- the same

    client = connect()
    try:
        return standins(client, base)
    finally:
        client.close()


def _try(ward: Ward, folder: Path) -> None:
    """Start one container: an engine that cannot close one would have every scenario stop for it."""
    from tck_driver.witness import Mount, WitnessLog  # noqa: PLC0415 -- as above
    from tck_fakes.clock import VirtualClock  # noqa: PLC0415 -- the same
    from tck_fakes.docker.order import ordinary  # noqa: PLC0415 -- the same
    from tck_fakes.docker.runtime import DockerRuntime  # noqa: PLC0415 -- the same
    from tck_simulator.ports import ContainerRequest  # noqa: PLC0415 -- the same

    place = folder / "trial"
    work = place / "work"
    work.mkdir(parents=True)
    user = ordinary(f"{os.getuid()}:{os.getgid()}")
    if os.getuid() == 0:
        os.chown(work, *(int(number) for number in user.split(":")))
    runtime = DockerRuntime(ward, VirtualClock(), WitnessLog(), place)
    request = ContainerRequest(
        image="trial",
        argv=("codex", "--version"),
        environment=(("HOME", "/home/agent"),),
        mounts=(Mount(str(work), "/workspace"),),
        labels=(),
        time_limit_ms=1000,
        user=user,
    )
    try:
        state = runtime.run(request)
    finally:
        runtime.close()
    if state.exit_code != 0:
        said = " ".join(state.stderr.split())[:300]
        raise UsageFault(f"{ward.engine.about.shown} starts no container of this machine ({said})", _WHERE, _CHECK)


def swept() -> None:
    """Take away what workers have left that are no more; where the engine is gone there is nothing to be done."""
    from tck_driver.errors import KitError  # noqa: PLC0415 -- as above
    from tck_fakes.docker.engine import ContainerEngine  # noqa: PLC0415 -- the same
    from tck_fakes.images.missing import MissingPartError  # noqa: PLC0415 -- the same

    with suppress(KitError, MissingPartError):
        engine = ContainerEngine()
        try:
            engine.sweep()
        finally:
            engine.close()


def connected(containers: RealContainers) -> Ward:
    """Connect a worker, and take away what dead workers have left."""
    from tck_fakes.docker.engine import ContainerEngine  # noqa: PLC0415 -- as above
    from tck_fakes.docker.ward import Ward  # noqa: PLC0415 -- the same

    engine = ContainerEngine()
    engine.sweep()
    return Ward(engine, containers.image, variables=engine.variables(containers.image))

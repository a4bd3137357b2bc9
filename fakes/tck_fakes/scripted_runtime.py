"""A container runtime whose CLIs a bench can script: what a scenario's surroundings need of one, whichever it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from tck_driver.bench import Script, VersionShape
from tck_driver.vocabulary import AdapterId
from tck_fakes.casting import Casting
from tck_simulator.ports import ContainerRuntime


class ScriptedRuntime(ContainerRuntime, Protocol):
    """Containers in virtual time, with stand-in CLIs in them; everything is witnessed."""

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the adapter's CLI does at its next starts. Raises `KitError` for a shape that it cannot take."""
        ...

    def cast(self, casting: Casting) -> None:
        """From now on tell starts of CLIs apart by the roles of a course; what is nobody's goes by the queues."""
        ...

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says from now on."""
        ...

    def release(self, container: str | None = None) -> None:
        """Let what hangs go on to its ordinary end: one container, or all."""
        ...

    def running(self) -> Sequence[str]:
        """Give the ids of the containers that still run, oldest first."""
        ...

    def next_end(self) -> datetime | None:
        """Give the next instant at which a container goes on by itself, None where none will."""
        ...

    def parked(self, reference: str) -> bool:
        """Tell whether a container runs and stands still until the clock or the bench lets it go on."""
        ...

    def asked_version(self) -> bool:
        """Tell whether a version command is what stands still."""
        ...

    def close(self) -> None:
        """End what still runs, without a record: the scenario is over."""
        ...

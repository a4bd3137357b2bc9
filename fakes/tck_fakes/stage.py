"""One scenario's surroundings: every fake, the lock that they share, and where an engine outside finds them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tck_driver.errors import DriverError, KitError
from tck_driver.stimuli import Stimulus
from tck_driver.witness import WitnessLog
from tck_fakes.casting import Casting
from tck_fakes.clock import VirtualClock
from tck_fakes.forge import FakeForge
from tck_fakes.model import FakeModelProvider
from tck_fakes.programs.programs import Programs
from tck_fakes.protection import Protection
from tck_fakes.remover import ProtectingRemover
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.scripted_runtime import ScriptedRuntime
from tck_simulator.cleanup import LocalRemover


def _at_once() -> bool:
    """Have nothing to relay."""
    return True


@dataclass(slots=True, eq=False)
class Stage:
    """The fakes of one scenario. What an engine outside does to them comes from other threads, under `lock`."""

    place: Path
    witness: WitnessLog
    clock: VirtualClock
    runtime: ScriptedRuntime
    forge: FakeForge
    models: FakeModelProvider
    remover: ProtectingRemover
    programs: Programs
    lock: threading.RLock
    urls: Mapping[str, str] = field(default_factory=dict[str, str])
    #: What went wrong among the stand-ins themselves.
    faults: list[str] = field(default_factory=list[str])
    protection: Protection = field(default_factory=Protection)
    #: What an engine asked of forge or model that they do not have.
    _misuses: list[str] = field(default_factory=list[str])
    #: The roles of the course, where there is one.
    casting: Casting | None = None
    #: Whether the stand-in programs have written all that they were given.
    relayed: Callable[[], bool] = _at_once
    #: Whether what the bench protects must be so for whoever removes it, and not for those alone who ask.
    guarded_for_real: bool = False

    @classmethod
    def at(
        cls,
        place: Path,
        seed: int,
        lock: threading.RLock,
        urls: Mapping[str, str],
        real: Callable[[VirtualClock, WitnessLog, Path, int], ScriptedRuntime] | None = None,
    ) -> Stage:
        """Make fresh fakes; containers have their layers below `place`.

        `real` makes another runtime in place of the stand-in; what comes in from outside meets the stand-in alone.
        """
        witness = WitnessLog()
        clock = VirtualClock()
        runtime = FakeContainerRuntime(clock, witness, place / "containers", seed)
        return cls(
            place=place,
            witness=witness,
            clock=clock,
            runtime=runtime if real is None else real(clock, witness, place, seed),
            forge=FakeForge(witness),
            models=FakeModelProvider(witness),
            remover=ProtectingRemover(LocalRemover()),
            programs=Programs(runtime, clock),
            lock=lock,
            urls=urls,
        )

    def now(self) -> datetime:
        """Give the scenario's time."""
        return self.clock.now()

    def set_time(self, now: datetime) -> None:
        """Let it be this time; containers whose end is due by then end."""
        with self.lock:
            self.clock.set(now)

    def next_end(self) -> datetime | None:
        """Give the next instant at which a container ends by itself."""
        with self.lock:
            return self.runtime.next_end()

    def stands_still(self, container: str) -> bool:
        """Say whether this container runs, and goes on only when time passes or the bench lets it."""
        with self.lock:
            return self.runtime.parked(container)

    def asked_version(self) -> bool:
        """Say whether a version command is what stands still."""
        with self.lock:
            return self.runtime.asked_version()

    def endpoints(self) -> Mapping[str, str]:
        """Give where stand-ins, forge and model are."""
        return self.urls

    def hear(self, stimulus: Stimulus) -> None:
        """Let the tracker know of a stimulus."""
        with self.lock:
            self.forge.hear(stimulus)

    def protect(self, path: Path) -> None:
        """Make removing this path fail."""
        self.remover.protect(path)
        if self.guarded_for_real:
            self.protection.protect(path)

    def unprotect(self, path: Path) -> None:
        """Let it be removed again."""
        self.remover.unprotect(path)
        self.protection.unprotect(path)

    def close(self) -> None:
        """End what still runs, without a record: the scenario is over."""
        with self.lock:
            try:
                self.programs.close()
                self.runtime.close()
            finally:
                # What is left protected nobody could ever remove.
                self.protection.close()

    def misused(self, what: str) -> None:
        """Note a request that forge or model do not have, or cannot read."""
        self._misuses.append(what)

    def raise_faults(self) -> None:
        """Raise `KitError` for what went wrong among the stand-ins, `DriverError` for what they were asked wrongly."""
        with self.lock:
            faults = [*self.faults, *self.programs.unknown]
            misuses = [*self._misuses]
            self.faults.clear()
            self.programs.unknown.clear()
            self._misuses.clear()
            unfit = "" if self.casting is None else self.casting.unfit
        if unfit:
            # Before what it has led to.
            raise DriverError(unfit)
        if faults:
            raise KitError("; ".join(faults[:3]))
        if misuses:
            raise DriverError(f"a request to forge or model was refused: {'; '.join(misuses[:3])}")

"""Where histories are played: the engine under test with the kit's fakes around it, or one that is wrong on purpose."""

from __future__ import annotations

from pathlib import Path

from tck_driver.capabilities import CAPABILITIES
from tck_driver.connection import About
from tck_driver.errors import KitError
from tck_fakes.protection import Protection
from tck_features.world import World
from tck_kit.driver_keeper import Introduction, introduce_mailboxes
from tck_kit.engine_choice import EngineChoice
from tck_kit.fuzz.abilities import Abilities
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_kit.scenarios import Scenario
from tck_kit.sources import source
from tck_reports.records import CheckRecord

#: All histories of a search are played with the same names and numbers: what differs is what happens.
SAME = "history"


class Ground:
    """Gives a world for each history. What an engine has broken is made anew."""

    def __init__(self, choice: EngineChoice, folder: Path, about: About, seed: int) -> None:
        """Work below `folder`. Raises `DriverFault` where the driver cannot be used at all."""
        self.choice = choice
        self.abilities = Abilities(dict.fromkeys(CAPABILITIES, "supported"))
        self._folder = folder
        self._about = about
        self._seed = seed
        self._made = 0
        self._laboratory: Laboratory | None = None
        self._introduced: Introduction | None = None
        folder.mkdir(parents=True)
        if not choice.simulated:
            self._introduced = introduce_mailboxes(choice, folder / "introduction", about)
            self.abilities = Abilities(
                self._introduced.declaration.capabilities,
                observed=choice.observed is not None,
                guards=_can_guard(folder),
            )

    def world(self) -> World:
        """Make a world for one history."""
        return self._at_work().world(SAME)

    def perform(self, scenario: Scenario) -> CheckRecord:
        """Perform a scenario as a run would."""
        return perform(scenario, self._at_work())

    def _at_work(self) -> Laboratory:
        if self._laboratory is None:
            self._made += 1
            place = self._folder / f"engine-{self._made}"
            place.mkdir()
            engines = source(self.choice, place, self._about, database_url=None, number=0, introduced=self._introduced)
            self._laboratory = Laboratory(place / "scenarios", self._seed, engines)
        return self._laboratory

    def end(self, world: World) -> None:
        """End a history. Raises what the driver did wrong in the end."""
        if self._laboratory is not None:
            self._laboratory.end(world)

    def renew(self) -> None:
        """Let go of an engine that may be broken; the next history has a new one."""
        laboratory, self._laboratory = self._laboratory, None
        if laboratory is not None:
            laboratory.close()

    def close(self) -> str | None:
        """Let the engine go; say what was wrong with its driver's end."""
        laboratory, self._laboratory = self._laboratory, None
        return None if laboratory is None else laboratory.close()

    @property
    def name(self) -> str:
        """What the engine is called."""
        return self.choice.shown if self._introduced is None else self._introduced.declaration.name

    @property
    def shown(self) -> str:
        """Who the engine is, and how it is reached."""
        if self._introduced is None:
            return self.choice.shown
        said = self._introduced.declaration
        return f"{said.name} {said.version} ({said.language}), through {self.choice.shown}"


def _can_guard(folder: Path) -> bool:
    """Say whether this machine lets the kit make a folder that nobody can remove."""
    place = folder / "guarded"
    place.mkdir()
    guard = Protection()
    try:
        guard.protect(place)
    except KitError:
        return False
    finally:
        guard.close()
        place.rmdir()
    return True

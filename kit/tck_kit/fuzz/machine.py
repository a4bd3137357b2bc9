"""Draws histories: a state machine over everything that can happen.

Hypothesis chooses what happens next, out of a selection that differs from one history to the next, and one number for
it; all else follows from these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tck_driver.configuration import Binding, ProjectConfig
from tck_driver.vocabulary import Phase
from tck_features.history.events import CredentialMounted, ProjectThere, SettingStored, VersionSet
from tck_kit.fuzz import owners, runs, stock, troubles
from tck_kit.fuzz.author import Author, Happening, Stage, entered
from tck_kit.fuzz.stock import Pick

#: A number out of so few that Hypothesis draws it from nothing but its seed.
DIE = st.integers(0, 100)
_SIDES = 101
_LARGEST = 2**61 - 1
#: Where the happenings are, which enter themselves.
_MODULES = (runs, owners, troubles)


class Histories(RuleBasedStateMachine):
    """One history at a time, on a stage. Each happening is a rule."""

    def __init__(self, stage: Stage) -> None:
        """Begin with an empty stage."""
        super().__init__()
        self.author = Author(stage)
        self._drawn = 0

    def pick(self, die: int) -> Pick:
        """Give what a rule draws from: its number, and all that came before it."""
        self._drawn = (self._drawn * _SIDES + die + 1) % _LARGEST
        return Pick(self._drawn)

    @initialize(first=DIE, second=DIE)
    def begin(self, first: int, second: int) -> None:
        """Put together what there is before the engine starts, and open the first issues."""
        self.pick(first)
        author, pick = self.author, self.pick(second)
        places = pick.of(stock.PLACES)
        for place in places:
            author.happen(ProjectThere(_project(author, pick, *place)))
        for organization, project in places:
            if pick.chance(15):
                author.happen(SettingStored(("project", organization, project, stock.SETTING, pick.chance(50))))
            if pick.chance(10):
                author.happen(SettingStored(("organization", organization, "", stock.SETTING, pick.chance(50))))
        if pick.chance(25):
            author.happen(SettingStored(("instance", "", "", *pick.of(stock.STORED))))
        if pick.chance(20):
            author.happen(CredentialMounted(pick.of(stock.OVERLAPPING if pick.chance(10) else stock.CREDENTIALS)))
        if pick.chance(20):
            adapter = pick.of(author.scene.abilities.local)
            author.happen(VersionSet(adapter, pick.of(stock.VERSIONS[adapter]), pick.of(stock.VERSION_SHAPES)))
        for _ in range(pick.of((1, 2, 2, 3))):
            author.open_one(pick)

    @rule()
    def anything_happens(self) -> None:
        """Let anything happen. It needs no number, so it stands where Hypothesis begins and goes back to."""
        pick = self.pick(0)
        pick.of([one for one in entered() if one.possible(self.author.scene)]).do(self.author, pick)

    def teardown(self) -> None:
        """End the history."""
        self.author.end()


def _project(author: Author, pick: Pick, organization: str, name: str) -> ProjectConfig:
    abilities = author.scene.abilities
    usual = pick.of(abilities.local if pick.chance(85) else abilities.adapters)
    bindings = tuple((phase, Binding(pick.of(abilities.adapters) if pick.chance(12) else usual)) for phase in Phase)
    return ProjectConfig(organization, name, pick.of(stock.PREFIXES), bindings)


def _as_rule(one: Happening) -> Callable[..., Any]:
    def happens(machine: Histories, die: int) -> None:
        one.do(machine.author, machine.pick(die))

    def possible(machine: Histories) -> bool:
        return one.possible(machine.author.scene)

    happens.__name__ = one.name
    made: Callable[..., Any] = precondition(possible)(rule(die=DIE)(happens))
    return made


for _one in entered():
    setattr(Histories, _one.name, _as_rule(_one))

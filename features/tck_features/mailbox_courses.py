"""A course for an engine of mailboxes, translated into what can happen to one: a scope is an issue, a turn is a run.

Such an engine is held against the profile continuity without a driver of another kind. What it has nothing of, such as
a hook or a second session on an issue, it does not have in a course either. Specification: §30.6.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tck_driver.bench import Script
from tck_driver.configuration import Binding
from tck_driver.courses import Act, Come, Course, OtherProvider, Played, Restart, Switch, Turn, capabilities_of
from tck_driver.errors import KitError, UnsupportedError
from tck_driver.stimuli import BindingChanged, SettingChanged
from tck_driver.vocabulary import AdapterId, Phase, RunOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from tck_driver.configuration import ProjectConfig
    from tck_driver.engine import Declaration
    from tck_driver.witness import CliStarted
    from tck_features.world import World

#: What of a course can be translated.
ABLE = frozenset({"act.second_scope", "act.restart", "act.switch", "act.other_provider"})
#: The adapters whose CLIs can behave in every way that a course wants, the one that is taken first.
FIRST = (AdapterId.CLAUDE_CODE, AdapterId.CODEX)
#: Those that stand for another provider, each where it is not the first.
OTHERS = (AdapterId.CODEX, AdapterId.OPENCODE, AdapterId.COPILOT)
_LIVE = frozenset({RunOutcome.QUEUED, RunOutcome.LIVE})


def play(
    world: World, course: Course, declared: Declaration
) -> tuple[Played, Callable[[CliStarted], str | None], Callable[[CliStarted], bool]]:
    """Let the acts happen one after the other.

    Gives what came of them, and two functions that say of a start which scope it was for, None where no run's, and
    whether its prompt holds the whole task. Raises `UnsupportedError` for what an engine of mailboxes has nothing of.
    """
    lacking = next((name for name in capabilities_of(course) if name not in ABLE), None)
    if lacking is not None:
        raise UnsupportedError(lacking)
    stage = _Stage(world, declared, world.add_project(_able(declared, FIRST)))
    for scope in course.scopes:
        world.add_party(scope, stage.project)
    world.open()
    world.checks.expect("the engine takes its configuration", expected=None, actual=world.refusal, rests_on="reported")
    played = Played(tuple(stage.do(act) for act in course.acts))
    scopes = {
        id(start.cli): scope
        for scope in course.scopes
        for row in world.runs_of(scope)
        for start in world.starts_of(row)
    }

    def whose(start: CliStarted) -> str | None:
        return scopes.get(id(start))

    def full(start: CliStarted) -> bool:
        return world.titles[world.ref(scopes[id(start)])] in start.prompt

    return played, whose, full


def _able(declared: Declaration, adapters: tuple[AdapterId, ...]) -> AdapterId:
    found = next((one for one in adapters if declared.capabilities.get(f"adapter.{one}") == "supported"), None)
    if found is None:
        raise UnsupportedError(f"adapter.{adapters[0]}")
    return found


@dataclass(slots=True)
class _Stage:
    """The engine in the midst of a course."""

    world: World
    declared: Declaration
    project: ProjectConfig
    #: How many runs have been due in each scope.
    due: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def adapter(self) -> AdapterId:
        """The adapter that the project is bound to now."""
        return self.project.bindings[0][1].adapter

    def do(self, act: Act) -> Come:
        """Let one act happen."""
        world, project = self.world, self.project
        match act:
            case Turn():
                return self._turn(act)
            case Restart():
                # It is at rest, and has nothing to put away.
                world.engine.kill()
                refusal = world.engine.start()
                if refusal is not None:
                    return Come("failed", refusal)
                world.settle()
            case Switch(on=on):
                world.send(SettingChanged("organization", project.organization, "", "AGENT_SESSION_RESUME", on))
            case OtherProvider():
                others = tuple(one for one in (*OTHERS, *FIRST) if one is not self.adapter)
                binding = Binding(_able(self.declared, others))
                self.project = type(project).of(project.organization, project.name, binding.adapter)
                world.send(BindingChanged(project.organization, project.name, binding))
            case _:
                raise KitError(f"nothing of an engine of mailboxes is {type(act).__name__}")
        return Come("failed", world.result.error) if world.result.error else Come("done")

    def _turn(self, turn: Turn) -> Come:
        world, known = self.world, len(self.world.runs_of(turn.scope))
        number = self.due.get(turn.scope, 0)
        self.due[turn.scope] = number + 1
        world.script(self.adapter, *(Script(start.shape) for start in turn.starts))
        world.run(turn.scope, Phase.DEVELOPMENT if number else Phase.ANALYSIS)
        rows = world.runs_of(turn.scope)[known:]
        if not rows:
            return Come("failed", world.result.error or "")
        outcome = rows[-1].outcome
        if outcome == RunOutcome.SUCCEEDED:
            return Come("done")
        return Come("failed", "" if outcome in _LIVE else f"run {rows[-1].run} is recorded as {outcome}")

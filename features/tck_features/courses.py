"""A course in a scenario: its Given sentences put it together, its When has it played, its Then sentences look at it.

An engine that has declared a policy plays the course itself, and the roles that its driver names tell whose each start
of a CLI was. For an engine of mailboxes the kit translates the course (`tck_features.mailbox_courses`). Either way what
is looked at are the starts that the stand-in CLIs saw, scope by scope; which turn a start was made in nobody has seen.
Specification: §30.6, §30.7.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tck_driver.capabilities import ASKED, require
from tck_driver.courses import (
    Act,
    Come,
    Course,
    Played,
    Policy,
    Restart,
    Start,
    Switch,
    Turn,
    Unadvertised,
    capabilities_of,
)
from tck_driver.errors import DriverError, FalseAdvertisingError, KitError, UnsupportedError, UntestableError
from tck_driver.witness import CliAnswered, CliStarted
from tck_features import mailbox_courses
from tck_features.commands import command

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from tck_features.world import World

#: How an engine resumes that meets the core profile (§30.7); one of mailboxes need not say so.
MAILBOX_POLICY = Policy(
    scope=("issue", "adapter"),
    identity="reported",
    # The latest native id that is not null is asked for, whatever came of its run (RESUME-2, RESUME-3).
    valid="init",
    fork="adopt",
    fallback="same_turn",
    prompt="full",
    default="on",
    switch="AGENT_SESSION_RESUME",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One start of a CLI for a scope, as the stand-in saw it, with what came of it."""

    scope: str
    cli: CliStarted
    answer: CliAnswered | None
    #: Whether the prompt held the whole task.
    full: bool
    #: How the course wanted the CLI to behave at this start.
    meant: Start
    #: The number of its working directory, in the order in which those were first seen.
    place: int

    @property
    def asked(self) -> str | None:
        """The id that it asked for, if it asked for one by its id."""
        return self.cli.asked_id

    @property
    def wants(self) -> str | None:
        """What it asks for: a session by its id, the most recent one or one by name, or none."""
        return "the most recent session, or one by name" if self.cli.asked_loosely else self.asked

    @property
    def named(self) -> frozenset[str]:
        """The ids that it has brought up: what its CLI reported, and what the engine chose for it."""
        reported = () if self.answer is None else self.answer.reported_ids
        return frozenset(one for one in (*reported, self.cli.chosen_id) if one)

    @property
    def served(self) -> str | None:
        """The session in which the CLI worked, if it came to that."""
        return None if self.answer is None else self.answer.session_id

    @property
    def well(self) -> bool:
        """Whether the CLI worked to a good end and gave an answer of the right form."""
        ended = self.answer is not None and self.answer.exit_code == 0 and self.served is not None
        return ended and not self.meant.invalid

    @property
    def kept(self) -> bool:
        """Whether the CLI has saved its session, and named that one alone."""
        return self.answer is not None and self.answer.saved and self.answer.reported_ids == (self.served,)

    @property
    def lost(self) -> bool:
        """Whether it asked for an id that the CLI did not find."""
        if self.asked is None or self.answer is None or self.answer.shape in _BEFORE_LOADING:
            return False
        return self.served is None

    @property
    def guessed(self) -> bool:
        """Whether nothing but the id tells whose it is, although its CLI has come to a prompt or to a session."""
        return self.cli.scope_by == "id" and (bool(self.cli.prompt) or not self.lost)

    @property
    def strayed(self) -> bool:
        """Whether it asked for an id, and the CLI named no session, another one, or more than the asked one."""
        return self.asked is not None and self.answer is not None and self.answer.reported_ids != (self.asked,)

    @property
    def forked(self) -> bool:
        """Whether it asked for an id and was answered in a session of another one."""
        return self.asked is not None and self.served not in {None, self.asked}

    def __str__(self) -> str:
        """Give it as a line of evidence."""
        asked = "afresh" if self.wants is None else f"asking for {self.wants}"
        prompt = "with the whole task" if self.full else "with a prompt without the whole task"
        if not self.cli.prompt:
            prompt = "before a prompt was read"
        line = f"{self.cli.adapter} {asked}, {prompt}, in directory {self.place}"
        if self.answer is not None:
            session = "no session" if self.served is None else f"session {self.served}"
            line = f"{line}; {self.answer.shape}: {session}, exit code {self.answer.exit_code}"
        return f"{line}; {command(self.cli)}"


#: How much of what shows a failure is evidence.
_LONGEST = 500
#: Shapes in which the CLI ends before it has looked for a session.
_BEFORE_LOADING = frozenset(
    {"killed_early", "hang_early", "usage_error", "generic_error", "no_output", "id_in_use", "damaged"}
)


@dataclass(slots=True)
class Playing:
    """A course as far as the scenario has put it together, and once it is played what came of it."""

    policy: Policy
    #: Whether the kit has to translate the course, for an engine of mailboxes.
    translated: bool
    #: Gives the name of a scope that has none yet.
    new_name: Callable[[], str]
    acts: list[Act] = field(default_factory=list[Act])
    #: What sentences call a scope → its name, by which an engine can be told of it.
    names: dict[str, str] = field(default_factory=dict[str, str])
    played: Played | None = None
    #: Every start, those of helpers included, which have no scope.
    everyone: tuple[Seen, ...] = ()
    #: The starts, those of helpers included, that ask for the most recent session or for one by name.
    loosely: tuple[str, ...] = ()
    #: Why nothing could be said of the engine where all of it held.
    doubts: list[str] = field(default_factory=list[str])

    @property
    def seen(self) -> tuple[Seen, ...]:
        """The starts that were for scopes."""
        return tuple(start for start in self.everyone if start.scope)

    @property
    def concerned(self) -> tuple[Seen, ...]:
        """The starts that were for scopes, and those of helpers that ask for an id of a scope."""
        owners = self.owners()
        return tuple(
            start for start in self.everyone if start.scope or (start.asked in owners and owners[start.asked].scope)
        )

    def owners(self) -> dict[str | None, Seen]:
        """Give of each id the start that it came up in first, be it that no CLI told of it."""
        owners: dict[str | None, Seen] = {}
        for start in self.everyone:
            for one in (*sorted(start.named), start.served):
                if one is not None:
                    owners.setdefault(one, start)
        return owners

    def scope(self, words: str) -> str:
        """Give the name of a scope."""
        if words not in self.names:
            self.names[words] = self.new_name()
        return self.names[words]

    def resuming(self, *, on: bool) -> None:
        """See to it that resuming is on or off from the beginning. Raises `UnsupportedError` where it cannot be."""
        if (self.policy.default == "on") is on:
            return
        if not self.policy.switch:
            raise UnsupportedError("act.switch")
        self.acts.append(Switch(on))

    def starts(self, words: str) -> list[Seen]:
        """Give the starts of a scope, in order."""
        if self.played is None:
            raise KitError("the scenario looks at a course before it was played")
        if words not in self.names:
            raise KitError(f"the scenario speaks of {words} before there is one")
        return [start for start in self.seen if start.scope == self.names[words]]

    @property
    def visible(self) -> str:
        """What shows that the course as a whole has failed, empty where nothing does."""
        return "" if self.played is None else self.played.visible

    def turns_before_restart(self, words: str) -> int:
        """Give how many turns a scope has before the first restart."""
        return self._turns_before(words, lambda act: isinstance(act, Restart))

    def helping_where_off(self, words: str) -> list[Seen]:
        """Give the starts of helpers that ask for an id of a scope once resuming is off or no longer on offer.

        What is seen of a helper before the scope's first start after that could be of the turn before.
        """
        name, owners = self.names[words], self.owners()
        turns = self._turns_before(words, lambda act: act == Switch(on=False) or isinstance(act, Unadvertised))
        own = [number for number, start in enumerate(self.everyone) if start.scope == name]
        later = self.everyone[own[turns] :] if turns < len(own) else ()
        return [one for one in later if not one.scope and one.asked in owners and owners[one.asked].scope == name]

    def _turns_before(self, words: str, ends: Callable[[Act], bool]) -> int:
        before = itertools.takewhile(lambda act: not ends(act), self.acts)
        return sum(isinstance(act, Turn) and act.scope == self.names[words] for act in before)

    def told(self) -> Iterator[tuple[Act, Come]]:
        """Give what came of each act."""
        if self.played is None:
            raise KitError("the scenario looks at a course before it was played")
        return zip(self.acts, self.played.acts, strict=True)

    def came(self, words: str | None = None) -> Iterator[tuple[str, str, str]]:
        """Give what came of each turn, or of those of one scope: which it was, its outcome, what is visible of it."""
        called = {name: one for one, name in self.names.items()}
        count = dict.fromkeys(called, 0)
        for act, came in self.told():
            if isinstance(act, Turn):
                count[act.scope] += 1
                if words in {None, called[act.scope]}:
                    yield f"turn {count[act.scope]} of {called[act.scope]}", came.outcome, came.visible

    def shown(self) -> tuple[str, ...]:
        """Give all of it as lines of evidence: every start in the order in which it was seen, and what was told."""
        called = {name: one for one, name in self.names.items()} | {"": "a helper"}
        starts = tuple(f"{called[start.scope]}: {start}" for start in self.everyone if start.scope or start.wants)
        told = tuple(f"{which}: {outcome} {visible}".rstrip() for which, outcome, visible in self.came())
        return (*starts, *told, *((f"the whole: {self.visible}",) if self.visible else ()))


def begin(world: World, profile: str) -> Playing:
    """Begin the course of a scenario of this profile. Raises `UnsupportedError` where the engine does not claim it."""
    if world.course is not None:
        raise KitError("the scenario has begun its course already")
    declared = world.engine.declare(ASKED)
    if declared.policy is None:
        if profile != "continuity":
            raise UnsupportedError(f"profile.{profile}")
        require(declared, "sessions")
    else:
        require(declared, f"profile.{profile}")
    policy = declared.policy or MAILBOX_POLICY
    # Two words, which no prompt holds by chance.
    world.course = Playing(policy, declared.policy is None, lambda: world.word() + world.word())
    return world.course


def course_of(world: World) -> Playing:
    """Give the scenario's course."""
    if world.course is None:
        raise KitError("the scenario has no course; let its first sentence be: Given an engine that claims continuity")
    return world.course


def play(world: World) -> None:
    """Have the course played, and take in what was seen of it.

    Raises `UnsupportedError` where the engine has no such act, and `UntestableError` for a start of a CLI that could
    have been anybody's: whatever is then said of the others could be wrong. A driver that then refuses what it has
    declared is wrong (`DriverError`): the engine has not been asked.
    """
    playing = course_of(world)
    course = Course(tuple(playing.acts))
    declared = world.engine.declare(ASKED)
    since = world.bench.witness.mark()
    if playing.translated:
        playing.played, whose, full = mailbox_courses.play(world, course, declared)
    else:
        for capability in capabilities_of(course):
            require(declared, capability)
        world.opened = True
        with _as_declared():
            cast = world.engine.cast(course)
        world.bench.cast(cast, course)
        with _as_declared():
            playing.played = _short(world.engine.play())
        whose, full = _cast_scope, _cast_full
    if len(playing.played.acts) != len(course.acts):
        raise DriverError(f"of {len(course.acts)} acts the driver tells {len(playing.played.acts)}")
    playing.everyone = tuple(_seen(world, course, since, whose, full))
    playing.loosely = tuple(command(one) for one in world.bench.witness.of(CliStarted, since) if one.asked_loosely)


@contextmanager
def _as_declared() -> Generator[None]:
    """Ask for something that needs nothing but what is declared as supported."""
    try:
        yield
    except (FalseAdvertisingError, UnsupportedError, UntestableError) as fault:
        raise DriverError(f"the driver refuses a course of which it has declared every act: {fault}") from fault


def _short(played: Played) -> Played:
    """Give what is shown as far as a line of evidence needs it: what an engine shows may be all that it has written."""
    acts = tuple(replace(one, visible=_cut(one.visible)) for one in played.acts)
    return replace(played, acts=acts, visible=_cut(played.visible))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text) - _LONGEST} more characters)"


def _cast_scope(start: CliStarted) -> str | None:
    return start.scope


def _cast_full(start: CliStarted) -> bool:
    if start.full is None:
        raise KitError("the bench says whose a start is, and not whether its prompt holds the whole task")
    return start.full


def _seen(
    world: World,
    course: Course,
    since: int,
    whose: Callable[[CliStarted], str | None],
    full: Callable[[CliStarted], bool],
) -> Iterator[Seen]:
    answers = {record.container: record for record in world.bench.witness.of(CliAnswered, since)}
    meant = {scope: _meant(course, scope) for scope in course.scopes}
    places: dict[str, int] = {}
    for start in world.bench.witness.of(CliStarted, since):
        scope = whose(start)
        if scope is None:
            refused = f" (it was refused: {start.usage_error})" if start.usage_error else ""
            raise UntestableError(
                f"nobody can say which scope a start of {start.adapter} was for{refused}:"
                f" {command(start)}, with a prompt of {len(start.prompt)} characters"
            )
        # A start without a scope is a helper's, of which the course says nothing.
        behaves = next(meant[scope]) if scope else Start()
        place = places.setdefault(start.workdir, len(places) + 1)
        seen = Seen(scope, start, answers.get(start.container), full(start), behaves, place)
        if seen.guessed and len(course.scopes) > 1:
            raise UntestableError(
                "nothing but the id that it asks for says which scope a start was for, so whether that id is another"
                f" scope's nobody can say; have the prompts of resumed sessions tell: {seen}"
            )
        yield seen


def _meant(course: Course, scope: str) -> Iterator[Start]:
    """Give how the course wants the CLI of a scope to behave, start after start."""
    for act in course.acts:
        if isinstance(act, Turn) and act.scope == scope:
            yield from act.starts or (Start(),)
    while True:
        yield Start()

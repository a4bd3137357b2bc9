"""A course: what happens to an engine of any kind, turn by turn, where it has no mailboxes to be told of.

Engines that resume differ in what they keep sessions for, when one becomes valid and what they do when it is lost. A
course says only what all of them have: *turns* of a *scope* (an issue, an agent, a node: what the engine keeps one
session for), and what happens between them. The engine's driver plays it in the engine's own way, in one go, and names
beforehand by what the kit can tell whose start of a CLI it sees. What the engine did is witnessed by the stand-in CLIs.
Specification: §30.4 to §30.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tck_driver.bench import Shape
from tck_driver.vocabulary import AdapterId

#: The profiles that are graded by courses, in the order of the annex.
PROFILES: tuple[str, ...] = ("continuity", "reuse", "redelegation")


@dataclass(frozen=True, slots=True)
class Policy:
    """What an engine declares of the way in which it resumes; by this it is judged, and by no other's rules.

    `scope` names what identifies a scope, such as `issue` or `agent`. `identity` says who chooses an id. `valid` says
    from when on a session may be resumed, `fork` what becomes of a resume that the CLI answered under another id,
    `fallback` where work goes on when a session is lost, `prompt` what a resumed session is sent. `switch` names how
    resuming is turned on and off; it is empty where it cannot be.
    """

    scope: tuple[str, ...]
    identity: Literal["reported", "assigned"]
    valid: Literal["init", "success", "hook"]
    fork: Literal["reject", "adopt"]
    fallback: Literal["same_turn", "next_turn", "fail"]
    prompt: Literal["full", "delta"]
    default: Literal["on", "off"]
    switch: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """How the CLI behaves at one start within a turn; `invalid` says that its answer has not the form that is due."""

    shape: Shape = "ok"
    invalid: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One execution is asked of the engine for a scope.

    `starts` is how the CLI of the scope behaves at its next starts, one after the other; after these all is well again.
    With `hook_fails`, what the engine does after a turn that went well fails, and so the turn is not done. With
    `killed`, the engine dies from SIGKILL while the first of the starts hangs, and is started again.
    """

    scope: str
    starts: tuple[Start, ...] = (Start(),)
    hook_fails: bool = False
    killed: bool = False


@dataclass(frozen=True, slots=True)
class Restart:
    """The engine is stopped in the orderly way, between two turns, and started again."""


@dataclass(frozen=True, slots=True)
class Switch:
    """Resuming is turned on or off by the switch that the engine declares."""

    on: bool


@dataclass(frozen=True, slots=True)
class OtherProvider:
    """From now on the scope's turns are for another provider's CLI."""

    scope: str


@dataclass(frozen=True, slots=True)
class Moved:
    """From now on the scope's turns are in another working directory."""

    scope: str


@dataclass(frozen=True, slots=True)
class Unadvertised:
    """From now on the help of the CLI says nothing of resuming."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """The tracker opens a further session on the scope's issue; the scope's turns are in that one from now on."""

    scope: str


@dataclass(frozen=True, slots=True)
class SessionRemoved:
    """The scope's present session of the tracker is ended and removed from the engine's memory."""

    scope: str


@dataclass(frozen=True, slots=True)
class TakingUp:
    """Whether a further session of an issue takes up what an earlier one left is turned on or off."""

    on: bool


Act = Turn | Restart | Switch | OtherProvider | Moved | Unadvertised | NewSession | SessionRemoved | TakingUp
#: Act → its name in messages.
ACT_TYPES: dict[str, type[Act]] = {
    "turn": Turn,
    "restart": Restart,
    "switch": Switch,
    "other_provider": OtherProvider,
    "moved": Moved,
    "unadvertised": Unadvertised,
    "new_session": NewSession,
    "session_removed": SessionRemoved,
    "taking_up": TakingUp,
}


@dataclass(frozen=True, slots=True)
class Course:
    """Everything that is to happen, in order."""

    acts: tuple[Act, ...]

    @property
    def scopes(self) -> tuple[str, ...]:
        """Every scope that has a turn, in the order of the first."""
        return tuple(dict.fromkeys(act.scope for act in self.acts if isinstance(act, Turn)))


@dataclass(frozen=True, slots=True)
class Role:
    """By what the kit tells whose start of a CLI it sees, and what the model of the stand-in then says.

    `prompt` and `full` are regular expressions, searched for in the prompt, and found in no empty text. The first role
    whose `prompt` is found, and whose adapter it is, has the start; that of another scope may not be found as well,
    unless the first is a helper's. Where none is found, it is the role to which the asked id was last reported, and
    then nothing can be said of whether that id is its scope's own. `full` tells a prompt that holds the whole task from
    one that leans on what the session remembers. `scope` is empty for a helper that the course does not know, and whose
    `full` may be anything. `answers` are what is said at the first start, the second, and so on;
    the last is repeated. `invalid` is said where the course wants an answer of the wrong form.
    """

    scope: str
    adapter: AdapterId
    prompt: str
    full: str
    answers: tuple[str, ...]
    invalid: str = ""


@dataclass(frozen=True, slots=True)
class Cast:
    """The roles of a course, most particular first."""

    roles: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class Come:
    """What an act came to, as the engine's user sees it: `visible` shows a failure, and is empty where nothing does."""

    outcome: Literal["done", "failed", "not_reached"]
    visible: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """What each act of the course came to, and how the engine's user can see that the whole has failed, if it has."""

    acts: tuple[Come, ...]
    visible: str = ""


def capabilities_of(course: Course) -> tuple[str, ...]:
    """Give the capabilities that an engine and its driver need for a course."""
    needed: dict[str, None] = {}
    several: set[str] = set()
    if len(course.scopes) > 1:
        needed["act.second_scope"] = None
    for act in course.acts:
        if isinstance(act, NewSession):
            several.add(act.scope)
        if isinstance(act, SessionRemoved) and act.scope in several:
            # Many engines can only let all sessions of an issue go at once.
            needed["act.one_session_removed"] = None
        if isinstance(act, Turn):
            needed |= {
                f"act.{name}": None
                for name, there in (
                    ("hook", act.hook_fails),
                    ("killed", act.killed),
                    ("invalid", any(start.invalid for start in act.starts)),
                )
                if there
            }
        else:
            name = next(name for name, kind in ACT_TYPES.items() if type(act) is kind)
            needed[f"act.{name}"] = None
    return tuple(needed)


#: Everything of which an engine may say that it has no such thing, in a course.
COURSE_FEATURES: tuple[str, ...] = (
    *(f"profile.{name}" for name in PROFILES),
    "act.second_scope",
    "act.hook",
    "act.killed",
    "act.invalid",
    "act.one_session_removed",
    *(f"act.{name}" for name in ACT_TYPES if name != "turn"),
)

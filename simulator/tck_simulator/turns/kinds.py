"""The kinds of engines that the simulator can be: a policy with a name, and the profiles that it means to meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tck_driver.courses import ACT_TYPES, Policy
from tck_driver.vocabulary import AdapterId

#: The CLIs that an engine of turns can start, the usual one first.
PROVIDERS: tuple[AdapterId, ...] = (AdapterId.CLAUDE_CODE, AdapterId.CODEX)
#: What is about the sessions of a tracker, of which an issue can have several.
_OF_TRACKERS = frozenset({"new_session", "session_removed", "one_session_removed", "taking_up"})
_COMMON = frozenset({*ACT_TYPES, "second_scope", "killed", "invalid"}) - _OF_TRACKERS - {"turn", "switch"}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of engine: what it declares, and the acts of a course that it can take part in.

    With `proven`, a continuation is restored only where the log proves it, and holds for the very next turn alone
    (REUSE-3, REUSE-7). With `redelegated`, an issue can have several sessions of the tracker, and a record of the
    native id that was reported last (REDELEGATION-2).
    """

    name: str
    policy: Policy
    profiles: tuple[str, ...]
    acts: frozenset[str]
    proven: bool = False
    redelegated: bool = False

    @property
    def capabilities(self) -> frozenset[str]:
        """Everything that it declares as supported."""
        return frozenset(
            (
                "sessions",
                *(f"profile.{name}" for name in self.profiles),
                *(f"act.{name}" for name in self.acts),
                *(f"adapter.{provider}" for provider in PROVIDERS),
            )
        )


_CONTINUITY = Kind(
    name="continuity",
    policy=Policy(
        scope=("issue",),
        identity="reported",
        valid="success",
        fork="adopt",
        fallback="same_turn",
        prompt="full",
        default="on",
        switch="AGENT_SESSION_RESUME",
    ),
    profiles=("continuity",),
    acts=_COMMON | {"hook", "switch"},
)
_REUSE = Kind(
    name="reuse",
    policy=Policy(
        scope=("agent",),
        identity="reported",
        valid="hook",
        fork="reject",
        fallback="next_turn",
        prompt="delta",
        default="on",
    ),
    profiles=("continuity", "reuse"),
    acts=_COMMON | {"hook"},
    proven=True,
)
_REDELEGATION = Kind(
    name="redelegation",
    policy=Policy(
        scope=("issue",),
        identity="reported",
        valid="init",
        fork="adopt",
        fallback="same_turn",
        prompt="delta",
        default="on",
    ),
    profiles=("continuity", "redelegation"),
    acts=_COMMON | _OF_TRACKERS,
    redelegated=True,
)

#: Name of a profile → the kind of engine that is made for it.
KINDS: Mapping[str, Kind] = MappingProxyType({one.name: one for one in (_CONTINUITY, _REUSE, _REDELEGATION)})

"""What holds of an engine of turns under every policy, whatever happens to it: the profile continuity.

The laws are written down anew here, from the specification and from nothing of the engine's own.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_driver.bench import Shape
from tck_driver.courses import Act, Moved, OtherProvider, Policy, Restart, Start, Switch, Turn
from tck_simulator.turns.kinds import KINDS, Kind

from .turns import Seen, Show, show, turn

ALL = frozenset[str]().union(*(kind.acts for kind in KINDS.values()))


def _kind(policy: Policy, proven: bool) -> Kind:  # noqa: FBT001 -- drawn
    # Only a completion can be proven by the log, and only with this policy is that where a session becomes valid.
    return Kind("made-up", policy, ("continuity",), ALL, proven=proven and policy.valid == "hook")


POLICIES = st.builds(
    Policy,
    scope=st.just(("issue",)),
    identity=st.just("reported"),
    valid=st.sampled_from(("init", "success", "hook")),
    fork=st.sampled_from(("reject", "adopt")),
    fallback=st.sampled_from(("same_turn", "next_turn", "fail")),
    prompt=st.sampled_from(("full", "delta")),
    default=st.sampled_from(("on", "off")),
    switch=st.just("on or off"),
)
MADE_UP = st.builds(_kind, POLICIES, st.booleans())
SHAPES: tuple[Shape, ...] = (
    "ok",
    "other_id",
    "no_id",
    "two_ids",
    "unsaved",
    "refuse",
    "server_error",
    "generic_error",
    "no_output",
    "not_found_text",
    "killed",
)
TURNS: st.SearchStrategy[Act] = st.builds(
    Turn,
    st.sampled_from(("one", "two")),
    st.lists(st.builds(Start, st.sampled_from(SHAPES), st.booleans()), min_size=1, max_size=2).map(tuple),
    hook_fails=st.booleans(),
    killed=st.booleans(),
)
CHANGES: st.SearchStrategy[Act] = st.one_of(
    st.just(Restart()),
    st.builds(Switch, st.booleans()),
    st.builds(OtherProvider, st.sampled_from(("one", "two"))),
    st.builds(Moved, st.sampled_from(("one", "two"))),
)
COURSES = st.lists(st.one_of(TURNS, TURNS, CHANGES), min_size=2, max_size=9).filter(
    # What happens to a scope presupposes that it has a turn.
    lambda acts: {"one", "two"} <= {act.scope for act in acts if isinstance(act, Turn)}
)


def broken(kind: Kind, played: Show) -> Iterator[str]:
    """Say which laws a course was played against."""
    yield from _of_starts(played)
    on, last = kind.policy.default == "on", dict[str, tuple[bool, str | None]]()
    turns = iter(played.turns())
    for act in played.course.acts:
        match act:
            case Switch(now):
                on = now
            case OtherProvider(scope) | Moved(scope):
                last.pop(scope, None)
            case Turn(scope):
                _, come, starts = next(turns)
                if not on and any(one.asked is not None for one in starts):
                    yield f"6: {scope} resumes where that is off"
                if on and starts and scope in last and last[scope] != (True, starts[0].asked):
                    yield f"12: {scope} asks for {starts[0].asked} after {last[scope]}"
                if come.outcome == "done" and not (starts and starts[-1].ended_well):
                    yield f"13: {act} is done, and no work was"
                if come.outcome == "failed" and not come.visible:
                    yield f"13: nobody sees that {act} has failed"
                last.pop(scope, None)
                if on and come.outcome == "done":
                    last[scope] = (True, _left(kind, starts[-1]))
            case _:
                pass


def _of_starts(played: Show) -> Iterator[str]:
    scopes: dict[str, dict[str, Seen]] = {}
    for one in played.seen:
        named = scopes.setdefault(one.scope, {})
        if one.loosely:
            yield f"2: {one}"
        if one.asked is None and not one.full:
            yield f"8: {one}"
        if one.asked is not None:
            creator = named.get(one.asked)
            if creator is None:
                yield f"1, 3, 4: {one}"
            elif creator.adapter is not one.adapter:
                yield f"5: {one}"
            elif creator.workdir != one.workdir:
                yield f"10: {one}"
        for native_id in one.reported:
            named.setdefault(native_id, one)
    dead = Counter(one.asked for one in played.seen if one.lost)
    yield from (f"7: {native_id}" for native_id, count in dead.items() if count > 3)


def _left(kind: Kind, start: Seen) -> str | None:
    """Give the id that the next turn has to ask for after a turn that went well, by what the engine declares."""
    if kind.policy.fork == "adopt":
        return start.reported[-1] if start.reported else start.asked
    return start.reported[0] if len(start.reported) == 1 else None


def played(kind: Kind, acts: list[Act]) -> Show:
    with tempfile.TemporaryDirectory() as place:
        return show(Path(place), kind, *acts)


@settings(max_examples=60)
@given(kind=MADE_UP, acts=COURSES)
def test_an_engine_of_turns_keeps_the_laws_of_continuity_under_every_policy(kind: Kind, acts: list[Act]) -> None:
    assert [*broken(kind, played(kind, acts))] == []


@settings(max_examples=15)
@given(kind=MADE_UP, acts=COURSES)
def test_what_an_engine_of_turns_does_depends_on_kind_and_course_alone(kind: Kind, acts: list[Act]) -> None:
    one, other = played(kind, acts), played(kind, acts)

    assert one.asked() == other.asked()
    assert [(start.scope, start.full) for start in one.seen] == [(start.scope, start.full) for start in other.seen]


@settings(max_examples=30)
@given(kind=MADE_UP, acts=COURSES, places=st.sets(st.integers(0, 9), max_size=3))
def test_orderly_restarts_between_turns_change_no_decision(kind: Kind, acts: list[Act], places: set[int]) -> None:
    acts = [act for act in acts if not isinstance(act, Restart)]
    restarted: list[Act] = []
    for number, act in enumerate(acts):
        restarted += [Restart(), act] if number in places else [act]

    assert played(kind, acts).asked() == played(kind, restarted).asked()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_kinds_that_have_a_name_can_play_what_they_claim_of_the_laws(kind: Kind) -> None:
    changes: dict[str, Act] = {
        "act.restart": Restart(),
        "act.other_provider": OtherProvider("one"),
        "act.moved": Moved("one"),
        "act.switch": Switch(on=False),
    }
    acts: list[Act] = [turn(), turn(scope="two"), turn()]
    for name, act in changes.items():
        acts += [act, turn(), turn()] if name in kind.capabilities else []

    shown = played(kind, acts)
    assert [*broken(kind, shown)] == []
    assert any(one.asked is not None for one in shown.seen)

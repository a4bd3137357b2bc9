"""An engine behind a driver, as steps hold it: when it is at rest, and how time passes until then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from tck_driver import remote
from tck_driver.engine import Quiescence
from tck_driver.errors import (
    DriverError,
    EngineTimeoutError,
    UntestableError,
)
from tck_driver.messages import (
    Json,
    instant,
)
from tck_driver.remote import RemoteEngine
from tck_driver.stimuli import (
    InstallationChanged,
    IssueOpened,
    ReconcileDue,
)
from tck_driver.vocabulary import AdapterId

from .scripted import CONFIG, DONE, IDLE, ISSUE, NOON, USUAL, Event, Scene, after, busy, waits


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PATIENCE", 0.05)


# Rest


def test_an_answer_that_tells_of_rest_saves_the_question(scene: Scene) -> None:
    scene.engine.open(CONFIG)
    scene.engine.send(IssueOpened(ISSUE, "t"))
    scene.engine.advance(10)
    scene.engine.start()

    assert scene.asked == ["scenario/open", "stimulus/send", "clock/advance", "engine/start"]


TOLD: list[tuple[str, Callable[[RemoteEngine], object]]] = [
    ("scenario/open", lambda engine: engine.open(CONFIG)),
    ("stimulus/send", lambda engine: engine.send(IssueOpened(ISSUE, "t"))),
    ("engine/start", lambda engine: engine.start()),
]


@pytest.mark.parametrize(("method", "call"), TOLD)
def test_without_it_the_kit_asks_until_the_engine_is_at_rest(
    scene: Scene, method: str, call: Callable[[RemoteEngine], object]
) -> None:
    scene.answers(method, {name: value for name, value in USUAL[method].items() if name != "rest"})
    scene.answers("barrier/quiesce", busy(waits("work")), busy(waits("work")), IDLE)

    call(scene.engine)

    assert scene.asked == [method, *["barrier/quiesce"] * 3]


STANDS = {"hangs": None, "ends at one": after(3_600_000)}


@pytest.mark.parametrize(
    ("pending", "at_rest"),
    [
        ([], True),
        ([waits("clock")], True),
        ([waits("run")], True),
        ([waits("container", "hangs")], True),
        ([waits("container", "ends at one")], True),
        ([waits("container", "hangs"), waits("run"), waits("clock")], True),
        ([waits("container", "nobody knows it")], False),
        ([waits("container", "")], False),
        ([waits("container")], False),
        ([waits("work")], False),
        ([waits("work", "hangs")], False),
        ([waits("container", "hangs"), waits("work")], False),
    ],
    ids=str,
)
@pytest.mark.usefixtures("impatient")
def test_rest_is_what_waits_for_the_outside_world_alone(scene: Scene, pending: list[Json], *, at_rest: bool) -> None:
    scene.around.ends = dict(STANDS)
    rest = busy(*pending) if pending else IDLE
    scene.answers("stimulus/send", DONE | {"rest": rest})
    scene.answers("barrier/quiesce", rest)

    if at_rest:
        scene.engine.send(ReconcileDue())
    else:
        with pytest.raises(EngineTimeoutError):
            scene.engine.send(ReconcileDue())


@pytest.mark.parametrize(
    ("containers", "relayed"),
    [
        (["c", "c"], [True]),
        (["c", "c", "c", "c"], [False, False, True]),
        (["c", None, "d", "d", "d"], [True, False, True]),
    ],
    ids=["at once", "late", "once more after it has gone on"],
)
def test_what_a_container_has_said_is_to_reach_the_engine_before_it_is_believed_to_wait(
    scene: Scene, containers: list[str | None], relayed: list[bool]
) -> None:
    scene.around.ends = {"c": None, "d": None}
    scene.around.relayed = lambda: relayed.pop(0)
    told = [busy(waits("work") if name is None else waits("container", name)) for name in containers]
    scene.answers("stimulus/send", DONE | {"rest": told[0]})
    scene.answers("barrier/quiesce", *told[1:])

    scene.engine.send(ReconcileDue())

    assert relayed == []
    assert scene.asked == ["stimulus/send", *["barrier/quiesce"] * (len(containers) - 1)]


def test_an_engine_that_is_busy_with_what_it_does_not_say_is_not_at_rest(scene: Scene) -> None:
    scene.answers("stimulus/send", DONE | {"rest": busy()})
    scene.answers("barrier/quiesce", busy(), IDLE)

    scene.engine.send(ReconcileDue())

    assert scene.asked == ["stimulus/send", "barrier/quiesce", "barrier/quiesce"]


def test_a_container_that_has_ended_is_still_to_be_noted_by_the_engine(scene: Scene) -> None:
    scene.around.ends = {"c": None}

    def end_it(_: Json) -> Json:
        scene.around.ends = {}
        return busy(waits("container", "c"))

    scene.answers("stimulus/send", {**DONE, "rest": busy(waits("work"))})
    scene.answers("barrier/quiesce", end_it, IDLE)

    scene.engine.send(ReconcileDue())

    assert scene.asked == ["stimulus/send", "barrier/quiesce", "barrier/quiesce"]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (busy(waits("work")), "run 7 waits for work"),
        (busy(waits("container", "ghost"), waits("run")), "run 7 waits for ghost, run 7 waits for run"),
        (busy(waits("container")), "run 7 waits for container"),
        (busy(), "does not say what is pending"),
    ],
    ids=str,
)
def test_patience_ends_by_naming_what_is_pending(scene: Scene, rest: Json, words: str) -> None:
    scene.answers("stimulus/send", DONE | {"rest": rest})
    scene.answers("barrier/quiesce", rest)

    with pytest.raises(EngineTimeoutError, match=r"did not come to rest within 0\.05 s") as caught:
        scene.engine.send(ReconcileDue())

    assert words in str(caught.value)


@pytest.mark.usefixtures("impatient")
def test_patience_is_longer_where_every_deadline_is(scene: Scene) -> None:
    scene.connection.timeout_scale = 3.0
    scene.answers("barrier/quiesce", busy(waits("work")))
    scene.answers("stimulus/send", DONE | {"rest": busy(waits("work"))})

    with pytest.raises(EngineTimeoutError, match=r"within 0\.15 s"):
        scene.engine.send(ReconcileDue())


def test_asked_by_a_step_an_engine_tells_what_is_under_way_and_nobody_waits(scene: Scene) -> None:
    scene.answers("barrier/quiesce", busy(waits("work"), {"what": "run 8", "waits_for": "clock"}))

    assert scene.engine.quiesce(1) == Quiescence(idle=False, pending=("run 7", "run 8"))
    assert scene.asked == ["barrier/quiesce"]


# Time


def due_at(scene: Scene, *instants: datetime) -> None:
    """Let the engine have deadlines, and say the next one with whatever it answers."""
    clock = [NOON]

    def rest() -> Json:
        due = next((when for when in instants if when > clock[0]), None)
        return {**IDLE, "next_deadline": None if due is None else instant(due)}

    def go_on(params: Json) -> Json:
        clock[0] = datetime.fromisoformat(params["now"])
        return {"now": params["now"], "rest": rest()}

    scene.answers("stimulus/send", DONE | {"rest": rest()})
    scene.answers("clock/advance", go_on)
    scene.answers("barrier/quiesce", lambda _: rest())
    scene.engine.send(ReconcileDue())
    scene.log.clear()


def test_without_anything_due_time_passes_in_one_step(scene: Scene) -> None:
    scene.engine.advance(3_600_000)

    assert scene.times == [("kit", after(3_600_000)), ("engine", after(3_600_000))]
    assert scene.log[1][1]["ms"] == 3_600_000


def test_no_time_at_all_can_pass(scene: Scene) -> None:
    scene.engine.advance(0)

    assert scene.times == [("kit", NOON), ("engine", NOON)]


def test_time_passes_exactly_to_each_deadline_and_to_each_end_of_a_container(scene: Scene) -> None:
    due_at(scene, after(10), after(30))
    scene.around.ends = {"a": after(20), "b": after(40), "later": after(1000)}

    scene.engine.advance(100)

    instants = [when for who, when in scene.times if who == "engine"]
    assert instants == [after(10), after(20), after(30), after(40), after(100)]
    assert [params["ms"] for name, params in scene.log if name == "clock/advance"] == [10, 10, 10, 10, 60]
    assert scene.around.now() == after(100)


@pytest.mark.parametrize(
    ("deadline", "end", "order"),
    [
        (after(10), None, ["kit", "engine"]),
        (None, after(10), ["engine", "kit"]),
        (after(10), after(10), ["kit", "engine"]),
    ],
    ids=["a deadline", "the end of a container", "both at once"],
)
def test_whoever_has_something_to_do_finds_the_other_at_that_instant(
    scene: Scene, deadline: datetime | None, end: datetime | None, order: list[str]
) -> None:
    if deadline is not None:
        due_at(scene, deadline)
    scene.around.ends = {} if end is None else {"c": end}

    scene.engine.advance(50)

    assert scene.times[:2] == [(who, after(10)) for who in order]
    assert scene.times[2:] == [("kit", after(50)), ("engine", after(50))]


def test_an_engine_that_was_told_before_a_container_ended_is_asked_once_it_has(scene: Scene) -> None:
    scene.around.ends = {"c": after(10)}
    resting = busy(waits("container", "c"))
    scene.answers("clock/advance", lambda params: {"now": params["now"], "rest": resting})
    scene.answers("barrier/quiesce", resting, resting, IDLE)

    scene.engine.advance(10)

    assert scene.asked == ["clock/advance", *["barrier/quiesce"] * 3]


@pytest.mark.parametrize("due", [NOON, NOON - timedelta(days=1)])
def test_a_deadline_that_lies_behind_or_is_now_is_no_step_of_time(scene: Scene, due: datetime) -> None:
    resting = {**IDLE, "next_deadline": instant(due)}
    scene.answers("stimulus/send", DONE | {"rest": resting})
    scene.answers("clock/advance", lambda params: {"now": params["now"], "rest": resting})
    scene.engine.send(ReconcileDue())

    scene.engine.advance(100)

    assert scene.times == [("kit", after(100)), ("engine", after(100))]


def test_a_killed_engine_has_no_deadline(scene: Scene) -> None:
    due_at(scene, after(10))
    scene.engine.kill()

    scene.engine.advance(100)

    assert [when for _, when in scene.times] == [after(100), after(100)]


def test_an_engine_that_has_a_deadline_after_each_deadline_is_stopped(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MOST_STEPS", 25)
    due_at(scene, *(after(number) for number in range(1, 100)))

    with pytest.raises(DriverError, match="next_deadline moved on 25 times"):
        scene.engine.advance(100)

    assert scene.asked.count("clock/advance") == 25


def test_time_that_has_passed_beyond_its_target_meanwhile_is_no_time_that_passes_backwards(scene: Scene) -> None:
    due_at(scene, after(10))

    def slow(params: Json) -> Json:
        scene.around.time = after(90)
        return {"now": params["now"], "rest": IDLE}

    scene.answers("clock/advance", slow)

    scene.engine.advance(50)

    assert [params["ms"] for name, params in scene.log if name == "clock/advance"] == [10]


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ("2026-01-05T12:00:00Z", "was to go to 2026-01-05T12:00:01Z, and it says 2026-01-05T12:00:00Z"),
        ("2026-01-05T12:00:01.001Z", "it says 2026-01-05T12:00:01.001Z"),
        ("2026-02-30T12:00:01Z", "a time that is none"),
    ],
)
def test_a_clock_that_goes_somewhere_else_is_a_fault_of_the_driver(scene: Scene, now: str, words: str) -> None:
    scene.answers("clock/advance", {"now": now, "rest": IDLE})

    with pytest.raises(DriverError, match=words):
        scene.engine.advance(1000)


@pytest.mark.parametrize("now", ["2026-01-05T12:00:01+00:00", "2026-01-05T12:00:01.000999Z"])
def test_a_time_may_be_written_otherwise_and_be_off_by_less_than_a_millisecond(scene: Scene, now: str) -> None:
    scene.answers("clock/advance", {"now": now, "rest": IDLE})

    scene.engine.advance(1000)


def test_a_deadline_that_is_in_no_calendar_is_a_fault_of_the_driver(scene: Scene) -> None:
    scene.answers("stimulus/send", DONE | {"rest": {**IDLE, "next_deadline": "2026-13-01T00:00:00Z"}})

    with pytest.raises(DriverError, match="next_deadline that is no point in time"):
        scene.engine.send(ReconcileDue())


def test_the_machines_own_clock_cannot_be_advanced() -> None:
    scene = Scene(clock="wall")

    with pytest.raises(DriverError, match="its clock as the machine's own"):
        scene.engine.advance(1)

    declined = Scene({"control.clock": "unsupported"}, "wall")
    with pytest.raises(UntestableError, match=r"control\.clock"):
        declined.engine.advance(1)
    assert scene.log == declined.log == []


# A version command that hangs


@pytest.mark.parametrize(
    ("due", "end", "steps"),
    [
        (None, None, [("kit", after(1000)), ("engine", after(1000))]),
        (after(30_000), None, [("kit", after(30_000)), ("engine", after(30_000))]),
        (after(30_000), after(20_000), [("engine", after(20_000)), ("kit", after(20_000))]),
        (NOON - timedelta(seconds=1), None, [("kit", after(1000)), ("engine", after(1000))]),
    ],
    ids=["nothing is due", "a deadline", "a container ends before", "a deadline that lies behind"],
)
def test_the_time_of_a_version_command_that_hangs_passes_at_once(
    scene: Scene, due: datetime | None, end: datetime | None, steps: list[Event]
) -> None:
    scene.around.ends = {"v": None} if end is None else {"v": None, "other": end}
    scene.around.version = True

    def given_up(params: Json) -> Json:
        scene.around.version = False
        return {"now": params["now"], "rest": IDLE}

    scene.answers("stimulus/send", DONE | {"rest": busy(waits("container", "v"), due=due)})
    scene.answers("clock/advance", given_up)

    scene.engine.send(InstallationChanged(AdapterId.CODEX, "i"))

    assert scene.times == steps


@pytest.mark.usefixtures("impatient")
def test_an_engine_that_waits_for_a_version_for_ever_does_not_come_to_rest(scene: Scene) -> None:
    scene.around.ends, scene.around.version = {"v": None}, True
    resting = busy(waits("container", "v"))
    scene.answers("stimulus/send", DONE | {"rest": resting})
    scene.answers("clock/advance", lambda params: {"now": params["now"], "rest": resting})
    scene.answers("barrier/quiesce", resting)

    with pytest.raises(EngineTimeoutError, match="run 7 waits for v"):
        scene.engine.send(ReconcileDue())


def test_no_time_passes_for_a_version_command_where_the_clock_is_not_the_kits() -> None:
    scene = Scene({"stimulus.reconcile.due": "supported", "control.clock": "unsupported"})
    scene.around.ends, scene.around.version = {"v": None}, True
    scene.answers("stimulus/send", DONE | {"rest": busy(waits("container", "v"))})

    scene.answers("barrier/quiesce", busy(waits("container", "v")))

    scene.engine.send(ReconcileDue())

    assert "clock/advance" not in scene.asked

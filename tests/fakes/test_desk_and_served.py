"""The simulator behind the protocol meets, over the desk, what it meets in process: the same records and faults."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import RLock

import pytest

from tck_driver.bench import Script, TrackerAnswer
from tck_driver.capabilities import CAPABILITIES
from tck_driver.configuration import Binding, EngineConfig, ProjectConfig
from tck_driver.connection import About, Connection
from tck_driver.engine import Engine
from tck_driver.errors import EngineError, KitError
from tck_driver.remote import RemoteEngine
from tck_driver.server import Server
from tck_driver.stimuli import (
    BindingChanged,
    InstallationChanged,
    IssueClosed,
    IssueOpened,
    MergeRequestEventSent,
    ReconcileDue,
    RunDue,
    Stimulus,
)
from tck_driver.views import ROW_TYPES, ViewName
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, MergeRequestEvent, Phase
from tck_driver.witness import ContainerEnded, ForgeWrite
from tck_fakes import served
from tck_fakes.clock import EPOCH, VirtualClock
from tck_fakes.desk import CALLS, DeskClient, DeskForge, DeskRemover, DeskRuntime
from tck_fakes.in_process import InProcessEngine
from tck_fakes.outside import Outside
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.served import DESK, ServedSimulator
from tck_fakes.stage import Stage
from tck_simulator.ports import ContainerRequest, ForgeError, IssueState
from tck_simulator.store import Store

from .outside import until

ISSUE = MailboxRef("acme", "shop", "issue", 17)
HOUR = 3_600_000


@dataclass(slots=True)
class Loop:
    """Implements `Transport` by asking a server in this process."""

    server: Server
    usable: bool = True
    name: str = "a loop"

    def exchange(self, message: bytes, cancel: bytes, seconds: float) -> bytes:
        assert cancel
        assert seconds > 0
        answer = self.server.handle(message)
        assert answer is not None
        return answer

    def stray(self) -> bytes | None:
        return None

    def end(self, seconds: float) -> str | None:
        raise NotImplementedError

    def kill(self) -> None:
        self.usable = False

    def words(self) -> str:
        return ""


@dataclass(slots=True)
class House:
    """The kit's side of the desk, with a driver that serves the simulator; scenarios come one after the other."""

    folder: Path
    outside: Outside
    connection: Connection
    count: int = 0

    def scenario(self) -> tuple[Engine, Stage]:
        self.count += 1
        stage = Stage.at(self.folder / f"000{self.count}", 7, self.outside.lock, self.outside.urls)
        self.outside.stage = stage
        return RemoteEngine(self.connection, stage, str(self.count), str(stage.place)), stage

    def client(self) -> DeskClient:
        return DeskClient(self.outside.path.with_name(DESK), VirtualClock())


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    simulators: list[ServedSimulator] = []
    stores: list[Store] = []

    def make(directory: str) -> ServedSimulator:
        simulators.append(ServedSimulator(directory))
        return simulators[-1]

    def store(url: str) -> Store:
        stores.append(Store(url))
        return stores[-1]

    monkeypatch.setattr(served, "Store", store)
    with Outside(tmp_path / "outside") as outside:
        connection = Connection(Loop(Server(make, "d", "1")))
        connection.initialize(About("0", "s", "1", "00"), CAPABILITIES, str(tmp_path))
        yield House(tmp_path, outside, connection)
        with contextlib.suppress(EngineError):
            simulators[0].close()
        stores[0].close()


@pytest.fixture
def in_process(tmp_path: Path) -> Iterator[tuple[Engine, Stage]]:
    stage = Stage.at(tmp_path / "in-process", 7, RLock(), {})
    store = Store(f"sqlite:///{tmp_path / 'in-process.sqlite'}")
    store.create()
    yield (
        InProcessEngine(
            clock=stage.clock,
            runtime=stage.runtime,
            forge=stage.forge,
            models=stage.models,
            remover=stage.remover,
            store=store,
            version="0",
            hear=stage.forge.hear,
            next_end=stage.runtime.next_end,
        ),
        stage,
    )
    stage.close()
    store.close()


def config(stage: Stage) -> EngineConfig:
    return EngineConfig(str(stage.place / "base"), (ProjectConfig.of("acme", "shop", AdapterId.CODEX),), seed=3)


@dataclass(slots=True)
class Story:
    """A small story, told to an engine however it is reached, and what was seen of it."""

    engine: Engine
    stage: Stage
    seen: list[str] = field(default_factory=list[str])

    def send(self, stimulus: Stimulus) -> None:
        self.note(self.engine.send(stimulus))

    def note(self, what: object) -> None:
        # A word of a closed set is the same whether it is told as one or as text.
        plain = re.sub(r"<\w+\.\w+: ('[^']*')>", r"\1", repr(what))
        self.seen.append(plain.replace(str(self.stage.place), "<place>"))

    def views(self) -> None:
        for view in ROW_TYPES:
            self.note(self.engine.query(view))
        self.note(self.engine.quiesce(100))

    def tell(self) -> list[str]:
        stage, engine = self.stage, self.engine
        self.note(engine.open(config(stage)))
        self.send(IssueOpened(ISSUE, "Mend the door"))
        self.send(RunDue(ISSUE, Phase.ANALYSIS))
        self.send(RunDue(ISSUE, Phase.DEVELOPMENT))
        self.send(RunDue(ISSUE, Phase.ANSWER))
        self.send(MergeRequestEventSent("acme", "shop", 1001, MergeRequestEvent.CI_FAILED))
        self.views()
        stage.runtime.script(AdapterId.CODEX, Script("refuse"), Script(duration_ms=HOUR // 4), Script("hang"))
        for _ in range(2):
            self.send(RunDue(ISSUE, Phase.REVIEW_FIX))
            self.views()
        engine.advance(HOUR // 2)
        self.views()
        self.send(RunDue(ISSUE, Phase.REVIEW_FIX))
        engine.kill()
        self.note(engine.start())
        engine.advance(12 * HOUR)
        self.views()
        stage.runtime.script(AdapterId.CODEX, Script("hang"))
        self.send(RunDue(ISSUE, Phase.REVIEW_FIX))
        engine.advance(12 * HOUR)
        self.views()
        stage.runtime.set_version(AdapterId.COPILOT, "1.0.0", "hang")
        self.send(InstallationChanged(AdapterId.COPILOT, "runner-copilot:2"))
        self.send(BindingChanged("acme", "shop", Binding(AdapterId.API), Phase.ANSWER))
        self.send(RunDue(ISSUE, Phase.ANSWER))
        self.views()
        engine.overwrite("1", "not what the CLI said")
        self.views()
        stage.forge.tracker_answers(ISSUE, "503")
        self.send(ReconcileDue())
        stage.forge.tracker_answers(ISSUE, "normal")
        (folder,) = (stage.place / "base" / ".agent-sessions").iterdir()
        stage.protect(folder)
        self.send(IssueClosed(ISSUE, Closing.MERGED))
        self.note(folder.is_dir())
        self.views()
        stage.unprotect(folder)
        engine.advance(24 * HOUR)
        self.send(ReconcileDue())
        self.note(folder.is_dir())
        self.views()
        self.note(engine.close())
        for record in stage.witness.records:
            self.note(record)
        return self.seen


def test_a_story_leaves_the_same_records_and_rows_over_the_desk_as_in_process(
    house: House, in_process: tuple[Engine, Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    called: set[str] = set()
    call = DeskClient.call

    def noted(client: DeskClient, name: str, *arguments: object) -> object:
        called.add(name)
        return call(client, name, *arguments)

    monkeypatch.setattr(DeskClient, "call", noted)

    near, far = Story(*in_process).tell(), Story(*house.scenario()).tell()

    assert far == near
    assert called == set(CALLS)
    words = "\n".join(near)
    # The story has in it what it is told for.
    for there in ("resumed=True", "resume_fallback='refused'", "IncidentRow", "timed_out", "ModelCalled", "not what"):
        assert there in words


ANSWERS: list[tuple[TrackerAnswer, int | None]] = [
    ("401", 401),
    ("403", 403),
    ("404", 404),
    ("429", 429),
    ("500", 500),
    ("503", 503),
    ("timeout", None),
]


@pytest.mark.parametrize(("answer", "status"), ANSWERS)
def test_an_error_of_the_tracker_crosses_the_wire_as_it_is(
    house: House, answer: TrackerAnswer, status: int | None
) -> None:
    _, stage = house.scenario()
    client = house.client()
    forge = DeskForge(client)
    stage.forge.tracker_answers(ISSUE, answer)

    with pytest.raises(ForgeError) as caught:
        forge.issue(ISSUE)

    assert caught.value.status == status
    stage.forge.tracker_answers(ISSUE, "normal")
    assert forge.issue(ISSUE) == IssueState(open=True, assigned=True, merged=False)
    stage.raise_faults()
    client.close()


def test_what_is_protected_is_not_removed_and_the_rest_is(house: House, tmp_path: Path) -> None:
    _, stage = house.scenario()
    client = house.client()
    remover = DeskRemover(client)
    folder = tmp_path / "state"
    (folder / "inner").mkdir(parents=True)
    stage.protect(folder)

    for path in (folder, folder / "inner", tmp_path):
        with pytest.raises(PermissionError) as caught:
            remover.remove(path)
        assert caught.value.filename == str(path)
    assert (folder / "inner").is_dir()

    stage.unprotect(folder)
    remover.remove(folder)
    assert not folder.exists()
    stage.raise_faults()
    client.close()


def test_a_mistake_among_the_fakes_is_raised_on_the_kits_side_as_the_kits(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, stage = house.scenario()
    engine.open(config(stage))
    engine.send(IssueOpened(ISSUE, "Mend the door"))

    def broken(*_: object) -> None:
        raise KitError("a shape that there is not")

    monkeypatch.setattr(stage.runtime, "start", broken)

    with pytest.raises(KitError, match=r"runtime\.start: a shape that there is not"):
        engine.send(RunDue(ISSUE, Phase.ANALYSIS))


def test_whatever_a_fake_raises_is_told_to_both_sides(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    _, stage = house.scenario()
    client = house.client()

    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(stage.forge, "comment", broken)

    with pytest.raises(KitError, match="by zero"):
        DeskForge(client).comment(ISSUE, "text")
    with pytest.raises(KitError, match=r"forge\.comment: by zero"):
        stage.raise_faults()
    client.close()


def test_between_two_scenarios_there_are_no_fakes(house: House) -> None:
    _, stage = house.scenario()
    client = house.client()
    house.outside.stage = None

    with pytest.raises(KitError, match="no scenario is open"):
        DeskForge(client).issue(ISSUE)

    stage.raise_faults()
    client.close()


def test_the_engines_clock_follows_the_kits_at_every_call(house: House) -> None:
    _, stage = house.scenario()
    clock = VirtualClock()
    client = DeskClient(house.outside.path.with_name(DESK), clock)
    stage.set_time(EPOCH + timedelta(minutes=5, microseconds=1))

    DeskForge(client).comment(ISSUE, "text")

    assert clock.now() == EPOCH + timedelta(minutes=5, microseconds=1)
    client.close()


def test_a_request_for_a_container_arrives_as_it_was_made(house: House) -> None:
    _, stage = house.scenario()
    client = house.client()
    runtime = DeskRuntime(client)
    request = ContainerRequest(
        image="runner:1",
        argv=("codex", "exec", "--json", "--skip-git-repo-check", "--", "Grüße\n"),
        environment=(("HOME", "/home/agent"), ("EMPTY", "")),
        mounts=(),
        labels=(("run", "7"),),
        time_limit_ms=1000,
        stdin="in",
        read_only_root=False,
    )

    container = runtime.start(request)

    assert runtime.find("run", "7") == [container]
    assert runtime.find("run", "8") == []
    assert isinstance(stage.runtime, FakeContainerRuntime)
    assert stage.runtime.containers()[0].request == request
    assert runtime.poll(container) == stage.runtime.poll(container)
    runtime.stop(container)
    runtime.remove(container)
    assert [one.how for one in stage.witness.of(ContainerEnded)] == ["exited", "removed"]
    client.close()


@pytest.mark.parametrize("said", [b"nonsense\n", b"{}\n", b"[]\n", b'{"call": "forge.issue"}\n', b"\xff\n"])
def test_what_is_no_call_costs_one_connection_at_most(house: House, said: bytes) -> None:
    _, stage = house.scenario()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(house.outside.path.with_name(DESK)))
        line.sendall(said)
        line.shutdown(socket.SHUT_WR)
        answer = line.recv(65536)
    assert answer == b"" or "fault" in json.loads(answer)
    stage.faults.clear()

    client = house.client()
    DeskForge(client).comment(ISSUE, "text")
    assert stage.witness.of(ForgeWrite) == [ForgeWrite("comment", str(ISSUE), "text")]
    client.close()


def test_nobody_is_at_the_desk_once_a_scenario_has_ended(house: House) -> None:
    engine, stage = house.scenario()
    engine.open(config(stage))
    assert _served() == 1
    engine.close()
    until(lambda: _served() == 0, "the connection is let go")

    for _ in range(2):
        engine, stage = house.scenario()
        engine.open(config(stage))
    until(lambda: _served() == 1, "the connection of a scenario that nobody closed is let go as well")


def _served() -> int:
    return sum("(_serve)" in thread.name for thread in threading.enumerate())


def test_a_scenario_begins_with_an_empty_engine_at_its_own_time(house: House) -> None:
    engine, stage = house.scenario()
    engine.open(config(stage))
    engine.send(IssueOpened(ISSUE, "Mend the door"))
    engine.send(RunDue(ISSUE, Phase.ANALYSIS))
    engine.advance(HOUR)
    engine.close()

    engine, stage = house.scenario()
    engine.open(config(stage))

    views: list[ViewName] = ["sessions", "mailboxes", "incidents"]
    assert [list(engine.query(view)) for view in views] == [[], [], []]
    assert stage.now() == EPOCH
    engine.advance(1)
    assert stage.now() == EPOCH + timedelta(milliseconds=1)


def test_a_run_that_is_none_cannot_be_overwritten(house: House, in_process: tuple[Engine, Stage]) -> None:
    for engine, stage in (house.scenario(), in_process):
        engine.open(config(stage))
        with pytest.raises(EngineError, match="no number"):
            engine.overwrite("no number", "x")


TOO_EARLY: list[Callable[[Engine], object]] = [
    lambda engine: engine.query("sessions"),
    lambda engine: engine.send(ReconcileDue()),
    lambda engine: engine.start(),
    lambda engine: engine.quiesce(1),
]


@pytest.mark.parametrize("call", TOO_EARLY)
def test_an_engine_that_was_not_opened_says_so(house: House, call: Callable[[Engine], object]) -> None:
    engine, _ = house.scenario()

    with pytest.raises(EngineError, match="no scenario was opened"):
        call(engine)


def test_an_engine_that_was_killed_says_that_it_does_not_run_and_its_time_passes(house: House) -> None:
    engine, stage = house.scenario()
    engine.open(config(stage))
    engine.kill()

    with pytest.raises(EngineError, match="does not run"):
        engine.send(IssueOpened(ISSUE, "t"))
    engine.advance(HOUR)

    assert engine.start() is None
    assert stage.now() == EPOCH + timedelta(hours=1)


def test_a_closed_desk_takes_nobody(tmp_path: Path) -> None:
    outside = Outside(tmp_path / "outside")
    outside.close()

    with pytest.raises(OSError, match="refused"):
        DeskClient(outside.path.with_name(DESK), VirtualClock())

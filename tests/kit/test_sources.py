"""Where engines come from, and what becomes of a scenario's surroundings, however it ends."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import cast
from urllib.parse import urlsplit

import pytest

from tck_driver.bench import Bench
from tck_driver.configuration import EngineConfig
from tck_driver.connection import About
from tck_driver.engine import Declaration, Engine, Leaks
from tck_driver.errors import DriverError, EngineError
from tck_fakes.bench import FakeBench
from tck_fakes.stage import Stage
from tck_kit.engine_choice import EngineChoice, Observed
from tck_kit.laboratory import Laboratory
from tck_kit.sources import DriverSource, InProcessSource, source
from tck_simulator.ports import ContainerRequest

ABOUT = About("0", "small", "1", "00")
#: A driver that no test here starts.
FOREIGN = EngineChoice("command", ("/no/such/driver",))


@pytest.fixture
def driven(tmp_path: Path) -> Iterator[Callable[..., DriverSource]]:
    """Make the source of an engine behind a driver, which is not started before its engine is asked for."""
    made: list[DriverSource] = []

    def make(choice: EngineChoice = FOREIGN) -> DriverSource:
        made.append(DriverSource(choice, tmp_path / f"worker-{len(made)}", ABOUT, 0))
        return made[-1]

    yield make
    assert [one.close() for one in made] == [None] * len(made)


Driven = Callable[..., DriverSource]


def _stage(of: DriverSource, folder: Path, name: str) -> Stage:
    place = folder / "scenarios" / name
    place.mkdir(parents=True)
    return of.stage(place, name)


def test_the_simulator_in_process_needs_no_driver_and_everything_else_does(tmp_path: Path) -> None:
    near, far = (
        source(choice, tmp_path, ABOUT, database_url=None, number=0, introduced=None)
        for choice in (EngineChoice(), FOREIGN)
    )

    assert isinstance(near, InProcessSource)
    assert isinstance(far, DriverSource)
    assert near.database_url == f"sqlite:///{tmp_path / 'engine.sqlite'}"
    assert far.database_url is None
    near.close()
    far.close()


PROTECTED = [
    (FOREIGN, True),
    (EngineChoice("url", urls=("http://127.0.0.1:1",)), True),
    (EngineChoice("sim+stdio"), False),
    (EngineChoice("sim+http"), False),
]


@pytest.mark.parametrize(("choice", "for_real"), PROTECTED, ids=[choice.kind for choice, _ in PROTECTED])
def test_what_is_protected_is_so_for_real_where_an_engine_removes_with_its_own_hands(
    driven: Driven, tmp_path: Path, choice: EngineChoice, *, for_real: bool
) -> None:
    assert _stage(driven(choice), tmp_path, "0001").guarded_for_real is for_real


def test_the_same_seed_gives_the_same_surroundings_in_process_and_behind_a_driver(
    driven: Driven, tmp_path: Path
) -> None:
    far, near = driven(), InProcessSource(tmp_path, "0", None, None)
    request = ContainerRequest("image", ("codex", "--version"), (), (), (), 1000)
    stages = [far.stage(tmp_path, "7/a"), near.stage(tmp_path, "7/a"), far.stage(tmp_path, "8/a")]

    one, same, other = (stage.runtime.start(request) for stage in stages)

    assert one == same
    assert one != other
    near.close()


# The engine's own database


def test_without_a_database_that_was_named_there_is_none_to_look_into(driven: Driven, tmp_path: Path) -> None:
    far = driven()

    assert far.table(_stage(far, tmp_path, "0001")) is None


@pytest.mark.parametrize("choice", [EngineChoice("sim+stdio"), EngineChoice("sim+http")])
def test_the_simulators_own_is_looked_into_wherever_it_runs(
    driven: Driven, tmp_path: Path, choice: EngineChoice
) -> None:
    far = driven(choice)

    assert far.table(_stage(far, tmp_path, "0001")) is not None


@pytest.mark.parametrize(("placeholder", "same"), [("directory", True), ("workdir", False)])
def test_a_database_is_the_drivers_or_each_scenarios_by_its_url(
    driven: Driven, tmp_path: Path, placeholder: str, *, same: bool
) -> None:
    url = f"sqlite:///{{{placeholder}}}/engine.sqlite"
    far = driven(EngineChoice("command", ("/no/such/driver",), observed=Observed(url)))
    first, second = (_stage(far, tmp_path, name) for name in ("0001", "0002"))
    one = far.table(first)

    assert one is not None
    assert far.table(first) is one
    assert (far.table(second) is one) is same
    # One that is of an earlier scenario is let go.
    assert (far.table(first) is one) is same
    place = tmp_path / "worker-0" if same else second.place
    other = far.table(second)
    assert other is not None
    with pytest.raises(DriverError, match=re.escape(f"{place}/engine.sqlite: unable to open")):
        other.rows()


# The end of a scenario


def _file(path: Path) -> None:
    path.write_text("mine", encoding="utf-8")


def _folder(path: Path) -> None:
    (path / "deep").mkdir(parents=True)
    _file(path / "deep" / "file")


def _link(path: Path) -> None:
    (path.parent.parent / "elsewhere").mkdir()
    _file(path.parent.parent / "elsewhere" / "file")
    path.symlink_to(path.parent.parent / "elsewhere")


@pytest.mark.parametrize("leave", [_file, _folder, _link])
def test_what_lies_outside_of_a_scenarios_folder_is_a_fault_of_the_driver_in_that_scenario_alone(
    driven: Driven, tmp_path: Path, leave: Callable[[Path], None]
) -> None:
    far = driven()
    first, second = (_stage(far, tmp_path, name) for name in ("0001", "0002"))
    leave(tmp_path / "scenarios" / "engine.log")

    with pytest.raises(DriverError, match=r"outside of the scenario's workdir: \.\./engine\.log"):
        far.ending(first)
    far.ending(second)

    assert sorted(path.name for path in (tmp_path / "scenarios").iterdir()) == ["0001", "0002"]
    assert not (tmp_path / "elsewhere").exists() or (tmp_path / "elsewhere" / "file").exists()


def test_what_the_stand_in_programs_have_to_say_is_known_to_the_scenario(driven: Driven, tmp_path: Path) -> None:
    stage = _stage(driven(), tmp_path, "0001")

    assert stage.relayed != Stage.at(tmp_path, 7, RLock(), {}).relayed
    assert stage.relayed()


def test_nobody_listens_once_a_source_is_closed(tmp_path: Path) -> None:
    far = DriverSource(FOREIGN, tmp_path / "worker", ABOUT, 0)
    stage = _stage(far, tmp_path, "0001")
    far.close()

    link = http.client.HTTPConnection(str(urlsplit(stage.urls["forge"]).netloc), timeout=30)
    with pytest.raises(ConnectionRefusedError):
        link.connect()


def test_once_a_scenario_is_let_go_nobody_meets_its_fakes(driven: Driven, tmp_path: Path) -> None:
    far = driven()
    stage = _stage(far, tmp_path, "0001")
    link = http.client.HTTPConnection(str(urlsplit(stage.urls["forge"]).netloc), timeout=30)

    def status() -> int:
        link.request("GET", "/forge/issue?organization=a&project=b&kind=issue&iid=1")
        answer = link.getresponse()
        answer.read()
        return answer.status

    assert status() == 200
    far.let_go(stage)
    assert status() == 503
    link.close()


@dataclass(slots=True)
class Ends:
    """An engine that is opened and closed, and may fail at its end."""

    heard: list[str]
    fault: Exception | None

    def declare(self, capabilities: Sequence[str]) -> Declaration:
        assert capabilities
        return Declaration("ends", "1", "Go")

    def open(self, config: EngineConfig) -> None:
        self.heard.append(f"open {config.base}")

    def close(self) -> Leaks:
        self.heard.append("close")
        if self.fault is not None:
            raise self.fault
        return Leaks()


@dataclass(slots=True)
class Noting:
    """Implements `Source`: notes what it hears of a scenario's end, and may find something wrong with it."""

    fault: Exception | None = None
    wrong: Exception | None = None
    heard: list[str] = field(default_factory=list[str])
    database_url: str | None = None
    in_process: bool = True

    def stage(self, place: Path, seed: str) -> Stage:
        return Stage.at(place, len(seed), RLock(), {})

    def engine(self, stage: Stage) -> Engine:
        if not stage.place.is_dir():
            raise AssertionError(stage.place)
        return cast("Engine", Ends(self.heard, self.fault))

    def bench(self, stage: Stage) -> Bench:
        self.heard.append(f"bench of {stage.place.name}")
        return FakeBench(stage, stage.place / "base", None)

    def ending(self, stage: Stage) -> None:
        self.heard.append(f"ending of {stage.place.name}")
        if self.wrong is not None:
            raise self.wrong

    def let_go(self, stage: Stage) -> None:
        self.heard.append(f"let go of {stage.place.name}")

    def close(self) -> str | None:
        return "it did not end"


ENDS: list[tuple[Exception | None, Exception | None, list[str]]] = [
    (None, None, ["close", "ending of 0001", "let go of 0001"]),
    (EngineError("crashed"), None, ["close", "let go of 0001"]),
    (None, DriverError("littered"), ["close", "ending of 0001", "let go of 0001"]),
]


@pytest.mark.parametrize(("fault", "wrong", "heard"), ENDS, ids=["well", "the engine fails", "the driver littered"])
def test_however_a_scenario_ends_its_surroundings_are_let_go_and_its_folder_is_gone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception | None,
    wrong: Exception | None,
    heard: list[str],
) -> None:
    closed: list[str] = []
    close = Stage.close

    def noted(stage: Stage) -> None:
        closed.append(stage.place.name)
        close(stage)

    monkeypatch.setattr(Stage, "close", noted)
    source = Noting(fault, wrong)
    laboratory = Laboratory(tmp_path / "scenarios", 7, source)
    world = laboratory.world("a scenario")
    world.open()
    assert source.heard == ["bench of 0001", f"open {tmp_path / 'scenarios' / '0001' / 'base'}"]
    source.heard.clear()

    raised: Exception | None = None
    try:
        laboratory.end(world)
    except (EngineError, DriverError) as stopped:
        raised = stopped

    assert raised is (fault or wrong)
    assert source.heard == heard
    assert closed == ["0001"]
    assert list((tmp_path / "scenarios").iterdir()) == []
    assert laboratory.close() == "it did not end"


def test_who_an_engine_is_is_asked_in_a_scenario_that_is_ended(tmp_path: Path) -> None:
    source = Noting()
    laboratory = Laboratory(tmp_path / "scenarios", 7, source)

    assert laboratory.declaration().name == "ends"
    assert source.heard == ["bench of 0001", "ending of 0001", "let go of 0001"]


def test_an_engine_that_was_never_opened_is_not_closed(tmp_path: Path) -> None:
    source = Noting()
    laboratory = Laboratory(tmp_path / "scenarios", 7, source)

    laboratory.end(laboratory.world("a scenario"))

    assert source.heard == ["bench of 0001", "ending of 0001", "let go of 0001"]


def test_a_driver_that_cannot_be_had_leaves_nothing_of_the_scenario(driven: Driven, tmp_path: Path) -> None:
    laboratory = Laboratory(tmp_path / "scenarios", 7, driven())

    for _ in range(5):
        with pytest.raises(DriverError, match=r"cannot be started|was not started again"):
            laboratory.world("a scenario")

    assert list((tmp_path / "scenarios").iterdir()) == []

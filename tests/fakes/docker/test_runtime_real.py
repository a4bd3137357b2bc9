"""Real containers, which give what the stand-in runtime gives, and whose ends are real."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from tck_driver.bench import Link, Script, Shape, VersionShape, Write
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import (
    CliAnswered,
    CliStarted,
    ContainerEnded,
    ContainerStarted,
    Mount,
    VersionAsked,
    WitnessLog,
)
from tck_fakes.clock import EPOCH, VirtualClock
from tck_fakes.docker.kept import listening
from tck_fakes.docker.order import order
from tck_fakes.docker.runtime import DockerRuntime
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.scripted_runtime import ScriptedRuntime
from tck_simulator.ports import ContainerRequest

from ..box import ADAPTERS, fresh, resume  # noqa: TID252 -- as its neighbours one folder up do
from .conftest import USER, Yard, given

CLIS = tuple(ADAPTERS)


def _told(told: Sequence[object], place: Path) -> list[str]:
    """Give what was told without the folder, which is all that two runtimes may differ in, ids and output included."""
    return [repr(one).replace(str(place), "<place>") for one in told]


def _both(yard: Yard, tmp_path: Path) -> list[tuple[ScriptedRuntime, WitnessLog, VirtualClock, Path]]:
    clock, witness = VirtualClock(), WitnessLog()
    fake = FakeContainerRuntime(clock, witness, tmp_path / "scratch", seed=7)
    return [(yard.runtime, yard.witness, yard.clock, yard.place), (fake, witness, clock, given(tmp_path / "0002"))]


def _moved(request: ContainerRequest, place: Path) -> ContainerRequest:
    mounts = tuple(
        Mount(str(given(place / Path(one.source).name)), one.target, one.read_only) for one in request.mounts
    )
    return replace(request, mounts=mounts)


@pytest.mark.parametrize("cli", CLIS)
def test_a_session_goes_on_in_a_second_container_as_in_the_stand_in_runtime(
    yard: Yard, tmp_path: Path, cli: str
) -> None:
    told: list[list[str]] = []
    for runtime, witness, _, place in _both(yard, tmp_path):
        first = runtime.start(_moved(yard.request(cli, *fresh(cli, "one")), place))
        session = witness.of(CliAnswered)[-1].session_id
        assert session is not None
        second = runtime.start(_moved(yard.request(cli, *resume(cli, session, "two")), place))
        states = [runtime.poll(one) for one in (first, second)]
        assert [state.exit_code for state in states] == [0, 0]
        assert witness.of(CliAnswered)[-1].remembered == ("one",)
        assert witness.of(CliAnswered)[-1].saved
        for one in (first, second):
            runtime.remove(one)
        told.append(_told([*witness.records, *states], place))
    assert told[0] == told[1]


def test_containers_that_take_turns_draw_the_same_ids_as_in_the_stand_in_runtime(yard: Yard, tmp_path: Path) -> None:
    told: list[list[str]] = []
    for runtime, witness, clock, place in _both(yard, tmp_path):
        runtime.script(AdapterId.CODEX, Script("hang"), Script("prose_id", duration_ms=5_000), Script("prose_id"))
        request = _moved(yard.request("codex", *fresh("codex", "x")), place)
        containers = [runtime.start(request) for _ in range(3)]
        clock.advance(5_000)
        runtime.release()
        told.append(_told([*witness.records, *map(runtime.poll, containers)], place))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("cli", "shape"),
    [
        ("claude", "rotate"),
        ("codex", "refuse_decoy"),
        ("opencode", "refuse_silent"),
        ("copilot", "damaged"),
        ("codex", "killed"),
        ("claude", "killed_early"),
        ("claude", "unsaved"),
        ("claude", "bad_request"),
    ],
)
def test_a_shape_comes_out_as_in_the_stand_in_runtime(yard: Yard, tmp_path: Path, cli: str, shape: Shape) -> None:
    told: list[list[str]] = []
    for runtime, witness, _, place in _both(yard, tmp_path):
        runtime.start(_moved(yard.request(cli, *fresh(cli, "one")), place))
        session = witness.of(CliAnswered)[-1].session_id
        assert session is not None
        runtime.script(ADAPTERS[cli], Script(shape))
        state = runtime.poll(runtime.start(_moved(yard.request(cli, *resume(cli, session, "two")), place)))
        if shape == "bad_request":
            # What a provider has refused once it refuses every time.
            runtime.start(_moved(yard.request(cli, *resume(cli, session, "three")), place))
        told.append(_told([*witness.records, state], place))
    assert told[0] == told[1]


def test_everything_that_was_asked_for_is_on_record(yard: Yard) -> None:
    real = given(yard.place / "real")
    (yard.place / "link").symlink_to(real)
    request = yard.request("claude", *fresh("claude", "x"))
    request = replace(request, mounts=(*request.mounts[1:], Mount(str(yard.place / "link"), "/m", read_only=True)))
    container = yard.runtime.start(request)
    started = yard.witness.of(ContainerStarted)[0]
    assert started.mounts[1] == Mount(str(yard.place / "link"), "/m", read_only=True, real_source=str(real))
    for name in ("image", "argv", "environment", "workdir", "home", "user", "network", "labels", "stdin"):
        assert getattr(started, name) == getattr(request, name)
    assert yard.runtime.poll(container).exit_code == 0


def test_standard_input_reaches_the_cli(yard: Yard) -> None:
    words = ("exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "-")
    yard.runtime.start(yard.request("codex", *words, stdin="said on standard input\n"))
    assert "said on standard input" in yard.witness.of(CliStarted)[0].prompt


def test_hours_pass_in_no_time(yard: Yard) -> None:
    container = yard.start(yard.request("codex", *fresh("codex", "x")), AdapterId.CODEX, Script(duration_ms=7_200_000))
    assert yard.runtime.next_end() == EPOCH + timedelta(hours=2)
    assert yard.runtime.parked(container)
    yard.clock.advance(7_199_999)
    assert yard.runtime.poll(container).exit_code is None
    assert yard.runtime.poll(container).stdout.startswith('{"type":"thread.started"')
    yard.clock.advance(1)
    assert yard.runtime.poll(container).exit_code == 0
    assert "turn.completed" in yard.runtime.poll(container).stdout
    assert yard.runtime.next_end() is None


def test_what_hangs_goes_on_when_it_is_released(yard: Yard) -> None:
    container = yard.start(yard.request("claude", *fresh("claude", "x")), AdapterId.CLAUDE_CODE, Script("hang"))
    yard.clock.advance(3_600_000)
    assert yard.runtime.running() == [container]
    assert yard.runtime.find("run", "r1") == yard.runtime.find("run", None) == [container]
    assert yard.runtime.find("run", "r2") == []
    yard.runtime.release()
    assert yard.runtime.poll(container).exit_code == 0
    assert yard.runtime.running() == []
    assert yard.runtime.find("run", "r1") == [container]
    yard.runtime.remove(container)
    assert yard.runtime.find("run", "r1") == []
    assert yard.numbers() == []


@pytest.mark.parametrize("how", ["stopped", "removed"])
def test_nothing_in_a_container_lives_on_once_it_was_ended(yard: Yard, how: str) -> None:
    container = yard.start(yard.request("claude", *fresh("claude", "x")), AdapterId.CLAUDE_CODE, Script("hang"))
    number = yard.numbers()[0]
    first = yard.ward.engine.client.api.inspect_container(number)["State"]["Pid"]
    assert psutil.pid_exists(first)
    (yard.runtime.stop if how == "stopped" else yard.runtime.remove)(container)
    assert not psutil.pid_exists(first)
    assert yard.runtime.poll(container).exit_code == 137
    assert [one.how for one in yard.witness.of(ContainerEnded)] == [how]
    assert yard.witness.of(CliAnswered)[0].exit_code == 137


def test_a_container_that_is_killed_leaves_no_writer(yard: Yard) -> None:
    engine, work = yard.ward.engine, given(yard.place / "work")
    request = yard.request("sh", "-c", "while :; do echo x >> /workspace/log; done")
    listening(yard.place / "kit", request.user).close()
    number = engine.create(order(request, yard.ward.image, str(yard.place / "kit"), {}))
    try:
        engine.start(number)
        while not (work / "log").exists():
            time.sleep(0.01)
        engine.kill(number)
        assert engine.wait(number) == 137
        size = (work / "log").stat().st_size
        time.sleep(0.3)
        assert (work / "log").stat().st_size == size > 0
    finally:
        engine.remove(number)


def test_a_container_that_somebody_else_kills_is_no_fault_of_who_asked_for_it(yard: Yard) -> None:
    container = yard.start(yard.request("claude", *fresh("claude", "x")), AdapterId.CLAUDE_CODE, Script("hang"))
    yard.ward.engine.client.api.kill(yard.numbers()[0])
    with pytest.raises(KitError, match=f"^container {container} was ended from outside, with exit code 137$"):
        yard.runtime.release()
    assert yard.runtime.poll(container).exit_code == 137
    assert yard.runtime.running() == []


def test_a_version_command_is_really_run_once(yard: Yard) -> None:
    request = replace(yard.request("codex", "--version"), mounts=(), network="none")
    begun = yard.ward.started
    states = [yard.runtime.run(request) for _ in range(3)]
    assert {state.stdout for state in states} == {"codex-cli 0.171.0\n"}
    assert yard.ward.started == begun + 1
    assert [record.answer for record in yard.witness.of(VersionAsked)] == ["codex-cli 0.171.0\n"] * 3
    assert len({record.container for record in yard.witness.of(ContainerStarted)}) == 3
    yard.runtime.set_version(AdapterId.CODEX, "9.9.9")
    assert yard.runtime.run(request).stdout == "codex-cli 9.9.9\n"
    yard.runtime.run(replace(request, image="another"))
    assert yard.ward.started == begun + 3


@pytest.mark.parametrize(("shape", "exit_code"), [("banner", 0), ("garbage", 0), ("exit_one", 1), ("empty", 0)])
def test_a_version_command_answers_in_its_shape(
    yard: Yard, tmp_path: Path, shape: VersionShape, exit_code: int
) -> None:
    told: list[list[str]] = []
    for runtime, witness, _, place in _both(yard, tmp_path):
        runtime.set_version(AdapterId.COPILOT, "1.0.0", shape)
        request = replace(yard.request("copilot", "--version"), mounts=())
        told.append(_told([*witness.records, runtime.run(request)], place))
    assert told[0] == told[1]
    assert yard.runtime.run(replace(yard.request("copilot", "--version"), mounts=())).exit_code == exit_code


def test_a_command_that_takes_too_long_is_ended_at_its_time_limit(yard: Yard) -> None:
    yard.runtime.set_version(AdapterId.CODEX, "1.0.0", "hang")
    request = replace(yard.request("codex", "--version"), mounts=(), time_limit_ms=10_000)
    state = yard.runtime.run(request)
    assert state.exit_code is None
    assert yard.clock.now() == EPOCH + timedelta(seconds=10)
    assert yard.runtime.running() == []
    assert yard.numbers() == []


def test_a_missing_source_of_a_mount_is_refused_and_not_made(yard: Yard) -> None:
    missing = yard.place / "missing"
    request = replace(yard.request("claude", *fresh("claude", "x")), mounts=(Mount(str(missing), "/m"),))
    container = yard.runtime.start(request)
    state = yard.runtime.poll(container)
    assert state.exit_code == 125
    assert f"bind source path does not exist: {missing}" in state.stderr
    assert not missing.exists()
    assert [one.how for one in yard.witness.of(ContainerEnded)] == ["refused"]
    assert yard.runtime.find("run", "r1") == [container]
    yard.runtime.remove(container)
    assert yard.runtime.find("run", "r1") == []


def test_two_mounts_at_one_place_are_refused(yard: Yard) -> None:
    request = yard.request("claude", *fresh("claude", "x"))
    twice = replace(request, mounts=(request.mounts[0], request.mounts[0]))
    state = yard.runtime.poll(yard.runtime.start(twice))
    assert state.exit_code == 125
    assert "Duplicate mount point" in state.stderr


def test_a_mount_that_cannot_be_made_is_refused_although_the_engine_calls_it_its_own_fault(yard: Yard) -> None:
    request = yard.request("claude", *fresh("claude", "x"))
    work = replace(request.mounts[0], read_only=True)
    below = Mount(str(given(yard.place / "more")), "/workspace/more")
    state = yard.runtime.poll(yard.runtime.start(replace(request, mounts=(work, below))))
    assert state.exit_code == 125
    assert "read-only file system" in state.stderr


def test_a_program_that_the_image_lacks_is_not_found(yard: Yard) -> None:
    state = yard.runtime.poll(yard.runtime.start(yard.request("vim")))
    assert (state.exit_code, "not found" in state.stderr) == (127, True)


def test_an_agent_reaches_its_mounts_and_nothing_else(yard: Yard) -> None:
    acts = (Write("/workspace/a", "in the worktree"), Write("/etc/passwd", "x"), Link("/workspace/l", "/etc/passwd"))
    yard.start(yard.request("codex", *fresh("codex", "x")), AdapterId.CODEX, Script(acts=acts))
    assert (yard.place / "work" / "a").read_text(encoding="utf-8") == "in the worktree"
    assert (yard.place / "work" / "a").stat().st_uid == USER
    assert (yard.place / "work" / "l").readlink() == Path("/etc/passwd")


def test_what_a_container_writes_belongs_to_its_user(yard: Yard) -> None:
    yard.fresh("claude")
    files = [path for path in yard.state("claude").rglob("*") if path.is_file()]
    assert files
    assert {path.stat().st_uid for path in files} == {USER}


def test_no_request_without_an_image_or_a_program_is_a_container(yard: Yard) -> None:
    with pytest.raises(KitError, match="names no container"):
        yard.runtime.start(replace(yard.request("claude"), image=""))
    with pytest.raises(KitError, match="names no container"):
        yard.runtime.start(replace(yard.request("claude"), argv=()))


def test_what_is_left_is_gone_with_its_scenario(yard: Yard) -> None:
    yard.start(yard.request("claude", *fresh("claude", "x")), AdapterId.CLAUDE_CODE, Script("hang"))
    yard.fresh("codex")
    mark = len(yard.witness.records)
    yard.runtime.close()
    assert yard.numbers() == []
    assert len(yard.witness.records) == mark


def test_two_scenarios_at_once_do_not_see_each_other(yard: Yard, tmp_path: Path) -> None:
    other = DockerRuntime(yard.ward, VirtualClock(), WitnessLog(), given(tmp_path / "0002"), seed=8)
    try:
        mine = yard.start(yard.request("claude", *fresh("claude", "x")), AdapterId.CLAUDE_CODE, Script("hang"))
        other.script(AdapterId.CLAUDE_CODE, Script("hang"))
        theirs = other.start(_moved(yard.request("claude", *fresh("claude", "x")), tmp_path / "0002"))
        assert (yard.runtime.running(), other.running()) == ([mine], [theirs])
        assert (yard.runtime.find("run", "r1"), other.find("run", "r1")) == ([mine], [theirs])
        other.close()
        assert yard.runtime.running() == [mine]
    finally:
        other.close()

"""Containers: how they start, last, end, and what is witnessed of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tck_driver.bench import Script, VersionShape
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
from tck_fakes.runtime import FakeContainerRuntime
from tck_simulator.ports import ContainerRuntime

from .box import ADAPTERS, Box, fresh, resume

CLIS = tuple(ADAPTERS)


def test_the_fake_is_a_container_runtime(box: Box) -> None:
    runtime: ContainerRuntime = box.runtime
    assert runtime.find("run", "r1") == []


def test_a_container_is_witnessed_with_everything_it_was_given(box: Box) -> None:
    real = box.root / "real"
    real.mkdir()
    (box.root / "link").symlink_to(real)
    request = replace(box.request("claude", stdin="in"), argv=("tool-runner", "sleep"))
    request = replace(request, mounts=(Mount(str(box.root / "link"), "/m", read_only=True),), network="none")
    box.runtime.start(request)
    started, ended = box.witness.records
    assert isinstance(started, ContainerStarted)
    assert started.mounts == (Mount(str(box.root / "link"), "/m", read_only=True, real_source=str(real)),)
    for name in ("image", "argv", "environment", "workdir", "home", "user", "network", "labels", "stdin"):
        assert getattr(started, name) == getattr(request, name)
    assert ended == ContainerEnded(started.container, "exited", 0, EPOCH)


def test_a_run_is_witnessed_from_start_to_removal_in_order(box: Box) -> None:
    container = box.fresh("codex").container
    box.runtime.remove(container)
    box.runtime.remove(container)
    kinds = [type(record) for record in box.witness.records]
    assert kinds == [ContainerStarted, CliStarted, CliAnswered, ContainerEnded, ContainerEnded]
    assert [record.how for record in box.witness.of(ContainerEnded)] == ["exited", "removed"]


def test_a_missing_mount_source_refuses_the_container_and_starts_no_cli(box: Box) -> None:
    request = replace(box.request("claude", *fresh("claude", "x")), mounts=(Mount("/no/such/folder", "/m"),))
    state = box.runtime.poll(box.runtime.start(request))
    assert state.exit_code == 125
    assert "bind source path does not exist: /no/such/folder" in state.stderr
    assert box.witness.of(CliStarted) == []
    assert [record.how for record in box.witness.of(ContainerEnded)] == ["refused"]
    assert not Path("/no/such/folder").exists()


def test_an_unknown_program_is_not_found(box: Box) -> None:
    state = box.runtime.poll(box.runtime.start(replace(box.request("claude"), argv=("vim",))))
    assert (state.exit_code, "not found" in state.stderr) == (127, True)


def test_an_empty_argument_vector_is_refused(box: Box) -> None:
    with pytest.raises(KitError, match="no program"):
        box.runtime.start(replace(box.request("claude"), argv=()))


@pytest.mark.parametrize("cli", CLIS)
def test_a_run_ends_when_its_duration_is_over_and_not_before(box: Box, cli: str) -> None:
    run = box.fresh(cli, script=Script(duration_ms=60_000))
    assert box.runtime.next_end() == EPOCH + timedelta(seconds=60)
    box.clock.advance(59_999)
    assert box.runtime.poll(run.container).exit_code is None
    box.clock.advance(1)
    assert box.runtime.poll(run.container).exit_code == 0
    assert box.runtime.next_end() is None


def test_codex_has_named_its_session_before_its_duration_is_over(box: Box) -> None:
    run = box.fresh("codex", script=Script(duration_ms=60_000))
    assert run.state.stdout.startswith('{"type":"thread.started"')
    assert "turn.completed" not in run.state.stdout


@pytest.mark.parametrize("cli", CLIS)
def test_a_refusal_takes_its_duration_too(box: Box, cli: str) -> None:
    session = box.fresh(cli).session
    run = box.resume(cli, session, script=Script("refuse", duration_ms=1000))
    assert run.state.exit_code is None
    box.clock.advance(1000)
    assert box.runtime.poll(run.container).exit_code == 1


def test_two_runs_end_in_order_of_time_in_one_advance(box: Box) -> None:
    slow = box.fresh("codex", script=Script(duration_ms=2000)).container
    quick = box.fresh("claude", script=Script(duration_ms=1000)).container
    box.clock.advance(5000)
    ended = box.witness.of(ContainerEnded)
    assert [(record.container, record.at - EPOCH) for record in ended] == [
        (quick, timedelta(seconds=1)),
        (slow, timedelta(seconds=2)),
    ]


@pytest.mark.parametrize("cli", CLIS)
def test_a_stopped_run_has_exit_code_137_and_is_over(box: Box, cli: str) -> None:
    run = box.fresh(cli, script=Script(duration_ms=1000))
    box.runtime.stop(run.container)
    box.runtime.stop(run.container)
    box.clock.advance(5000)
    assert box.runtime.poll(run.container).exit_code == 137
    (answered,) = box.witness.of(CliAnswered)
    (ended,) = box.witness.of(ContainerEnded)
    assert (answered.exit_code, answered.saved, ended.how, ended.at) == (137, True, "stopped", EPOCH)
    assert box.runtime.running() == []


def test_removing_a_live_container_kills_it(box: Box) -> None:
    run = box.fresh("codex", script=Script("hang"))
    box.runtime.remove(run.container)
    assert [(record.how, record.exit_code) for record in box.witness.of(ContainerEnded)] == [("removed", 137)]
    assert box.runtime.poll(run.container).exit_code == 137


def test_calls_for_a_container_that_never_was_change_nothing(box: Box) -> None:
    box.runtime.stop("none")
    box.runtime.remove("none")
    box.runtime.release("none")
    assert box.runtime.poll("none").exit_code == 125
    assert box.witness.records == []


def test_containers_are_found_by_label_until_they_are_removed(box: Box) -> None:
    live = box.fresh("codex", script=Script("hang")).container
    ended = box.fresh("codex").container
    assert box.runtime.find("run", "r1") == [live, ended]
    assert box.runtime.find("run", "r2") == []
    box.runtime.remove(ended)
    assert box.runtime.find("run", "r1") == [live]


def test_release_of_one_container_leaves_the_others_hanging(box: Box) -> None:
    first = box.fresh("codex", script=Script("hang")).container
    second = box.fresh("claude", script=Script("hang_early")).container
    box.runtime.release(second)
    assert box.runtime.running() == [first]


def test_a_run_that_hung_past_its_duration_ends_when_released(box: Box) -> None:
    run = box.fresh("codex", script=Script("hang_early", duration_ms=1000))
    box.clock.advance(5000)
    box.runtime.release()
    assert box.runtime.poll(run.container).exit_code == 0


def test_two_live_runs_on_one_session_are_both_witnessed(box: Box) -> None:
    session = box.fresh("codex").session
    box.resume("codex", session, script=Script(duration_ms=1000))
    box.resume("codex", session, "third", script=Script(duration_ms=500))
    box.clock.advance(1000)
    assert [record.session_id for record in box.witness.of(CliAnswered)] == [session] * 3


def test_nothing_of_a_run_without_a_mounted_state_is_left(box: Box) -> None:
    workspace = box.root / "workspace"
    workspace.mkdir()
    for cli in CLIS:
        request = replace(
            box.request(cli, *fresh(cli, "x")), mounts=(Mount(str(workspace), "/workspace"),), environment=()
        )
        session = box.run(request).session
        again = replace(request, argv=(cli, *resume(cli, session, "y")))
        assert box.run(again).state.exit_code == 1
    assert not (box.root / "scratch").exists() or list((box.root / "scratch").iterdir()) == []


PLAIN = {
    "claude": "2.1.197 (Claude Code)\n",
    "codex": "codex-cli 0.171.0\n",
    "opencode": "1.18.33\n",
    "copilot": "GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n",
    "grok": "grok 0.1.0\n",
}


@pytest.mark.parametrize("cli", CLIS)
def test_a_version_command_answers_in_the_real_form_and_is_no_run(box: Box, cli: str) -> None:
    state = box.runtime.run(box.request(cli, "--version"))
    assert (state.exit_code, state.stdout) == (0, PLAIN[cli])
    assert box.witness.of(VersionAsked) == [VersionAsked(ADAPTERS[cli], "runner:1", PLAIN[cli])]
    assert box.witness.of(CliStarted) == []
    assert [record.how for record in box.witness.of(ContainerEnded)] == ["exited", "removed"]


VERSIONS: list[tuple[VersionShape, int | None, str]] = [
    ("plain", 0, "codex-cli 9.8.7\n"),
    ("garbage", 0, "\x1b[?25l\ufffd\ufffd not-a-version v.x.y\n"),
    ("exit_one", 1, "codex-cli 9.8.7\n"),
    ("empty", 0, ""),
    ("hang", None, ""),
]


@pytest.mark.parametrize(("shape", "code", "stdout"), VERSIONS)
def test_a_version_command_may_answer_otherwise(box: Box, shape: VersionShape, code: int | None, stdout: str) -> None:
    box.runtime.set_version(AdapterId.CODEX, "9.8.7", shape)
    state = box.runtime.run(box.request("codex", "--version"))
    assert (state.exit_code, state.stdout) == (code, stdout)


def test_a_banner_stands_around_the_version_and_names_a_newer_one_only_after_it(box: Box) -> None:
    box.runtime.set_version(AdapterId.CLAUDE_CODE, "2.0.1", "banner")
    lines = box.runtime.run(box.request("claude", "--version")).stdout.splitlines()
    assert len(lines) == 3
    assert lines[1] == "2.0.1 (Claude Code)"
    assert not any(character.isdigit() for character in lines[0])


def test_a_hanging_command_takes_exactly_its_time_limit(box: Box) -> None:
    box.runtime.set_version(AdapterId.CODEX, "1.0.0", "hang")
    state = box.runtime.run(replace(box.request("codex", "--version"), time_limit_ms=5000))
    assert state.exit_code is None
    assert box.clock.now() - EPOCH == timedelta(seconds=5)
    assert [record.how for record in box.witness.of(ContainerEnded)] == ["stopped", "removed"]


def test_a_run_within_its_time_limit_is_waited_for(box: Box) -> None:
    box.runtime.script(AdapterId.CODEX, Script(duration_ms=400))
    assert box.runtime.run(box.request("codex", *fresh("codex", "x"))).exit_code == 0
    assert box.clock.now() - EPOCH == timedelta(milliseconds=400)


def test_the_versions_of_api_mode_cannot_be_set(box: Box) -> None:
    with pytest.raises(KitError, match="api has no CLI"):
        box.runtime.set_version(AdapterId.API, "1.0.0")
    with pytest.raises(KitError, match="api cannot take"):
        box.runtime.script(AdapterId.API, Script())


@pytest.mark.parametrize("argv", [("--help",), ("exec", "--help"), ("exec", "resume", "--help")])
def test_a_question_for_the_usage_is_no_run_and_uses_up_no_script(box: Box, argv: tuple[str, ...]) -> None:
    box.runtime.script(AdapterId.CODEX, Script("generic_error"))
    state = box.runtime.poll(box.runtime.start(box.request("codex", *argv)))
    assert (state.exit_code, box.witness.of(CliStarted)) == (0, [])
    assert box.fresh("codex").state.exit_code == 1


def test_one_seed_gives_the_same_ids(tmp_path: Path) -> None:
    logs: list[list[object]] = []
    for name in ("a", "b"):
        box = Box(tmp_path / name, VirtualClock(), WitnessLog(), FakeContainerRuntime.__new__(FakeContainerRuntime))
        box.root.mkdir()
        box.runtime = FakeContainerRuntime(box.clock, box.witness, box.root / "scratch", seed=3)
        for cli in CLIS:
            box.fresh(cli)
        logs.append(list(box.witness.of(CliAnswered)))
    assert logs[0] == logs[1]

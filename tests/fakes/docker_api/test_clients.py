"""Docker's own clients, unchanged: the command, docker-py, testcontainers and dockerode."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest
from docker import DockerClient
from docker.errors import APIError, ContainerError, NotFound
from docker.types import Mount
from testcontainers.core.container import DockerContainer

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliStarted, ContainerEnded, ContainerStarted

from ..outside import PATIENCE, until  # noqa: TID252 -- the room that this one is in
from .house import CODEX, House, dockerode

#: docker-py leaves the connection of a log that has been read to its end to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
STATE = "/home/agent/.claude/projects"


@pytest.fixture
def client(house: House) -> Iterator[DockerClient]:
    made = docker.DockerClient(base_url=house.url, timeout=PATIENCE)
    yield made
    made.close()


# The command


def test_a_session_is_kept_on_the_host_and_resumed_in_a_second_container(house: House) -> None:
    mounts = ("-v", f"{house.box.root}/one:/workspace", "-v", f"{house.box.root}/two:{STATE}", "-w", "/workspace")
    assert house.docker("run", "--rm", *mounts, "image", "claude", "-p", "--", "first") == (0, "Done.\n", "")
    (file,) = (house.box.root / "two").rglob("*.jsonl")
    again = house.docker("run", "--rm", *mounts, "image", "claude", "-p", f"--resume={file.stem}", "--", "second")
    assert again == (0, "Done.\n", "")
    assert [record.asked_id for record in house.box.witness.of(CliStarted)] == [None, file.stem]


def test_output_comes_while_the_container_waits_for_the_clock(house: House) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script(duration_ms=60_000))
    run = house.spawn("run", "--rm", "--name", "nn", "image", *CODEX)
    assert run.stdout is not None
    assert "thread.started" in run.stdout.readline()
    house.parked("nn")
    assert run.poll() is None
    with house.lock:
        house.box.clock.advance(60_000)
    out, _ = run.communicate(timeout=PATIENCE)
    assert (run.returncode, "turn.completed" in out) == (0, True)


def test_exit_codes_are_those_of_the_containers(house: House) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script("generic_error"))
    assert house.docker("run", "--rm", "image", *CODEX)[0] == 1
    assert house.docker("run", "--rm", "image", "sh", "-c", "true")[0] == 127
    missing = house.docker("run", "--rm", "--mount", "type=bind,src=/no/such,dst=/w", "image", *CODEX)
    assert (missing[0], "bind source path does not exist: /no/such" in missing[2]) == (125, True)


def test_standard_input_reaches_the_agent_whole(house: House) -> None:
    prompt = 'Ünï "quoted" \\ \t\n' + "x" * 300_000
    assert house.docker("run", "-i", "--rm", "image", "claude", "-p", stdin=prompt) == (0, "Done.\n", "")
    assert [record.prompt for record in house.box.witness.of(CliStarted)] == [prompt]
    house.docker("create", "-i", "--name", "nn", "image", "claude", "-p")
    assert house.docker("start", "-ai", "nn", stdin="again") == (0, "Done.\n", "")
    assert [record.stdin for record in house.box.witness.of(ContainerStarted)] == [prompt, "again"]


def test_a_detached_container_is_looked_after_from_outside(house: House) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script("hang"))
    code, full, _ = house.docker("run", "-d", "--name", "nn", "-l", "run=r1", "image", *CODEX)
    assert (code, len(full)) == (0, 65)
    assert house.docker("ps", "--filter", "label=run=r1", "--format", "{{.Names}}\t{{.State}}")[1] == "nn\trunning\n"
    assert house.docker("inspect", "-f", "{{.State.Running}} {{.Id}}", "nn")[1] == f"true {full}"
    waiting = house.spawn("wait", "nn")
    following = house.spawn("logs", "-f", "nn")
    assert following.stdout is not None
    following.stdout.readline()
    house.release()
    assert "turn.completed" in following.communicate(timeout=PATIENCE)[0]
    assert waiting.communicate(timeout=PATIENCE)[0] == "0\n"
    code, out, err = house.docker("logs", "nn")
    assert (code, "turn.completed" in out, err) == (0, True, "Reading additional input from stdin...\n")
    assert house.docker("logs", "--tail", "1", "nn")[1] == out.splitlines(keepends=True)[-1]
    assert house.docker("stop", "nn") == (0, "nn\n", "")
    assert house.docker("container", "prune", "-f", "--filter", "label=run=r1")[1].splitlines()[1] == full.strip()
    assert house.docker("rm", "nn")[0] == 1
    assert house.unknown == []


@pytest.mark.parametrize(("options", "code"), [((), 137), (("--init",), 143)])
def test_a_signal_to_the_command_ends_a_container_with_init_alone(
    house: House, options: tuple[str, ...], code: int
) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = house.spawn("run", *options, "--name", "nn", "image", *CODEX)
    house.parked("nn")
    run.send_signal(signal.SIGTERM)
    if not options:
        assert house.docker("kill", "nn")[0] == 0
    run.communicate(timeout=PATIENCE)
    assert run.returncode == code


def test_a_container_whose_command_was_killed_runs_on(house: House) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = house.spawn("run", "--rm", "--name", "nn", "image", *CODEX)
    house.parked("nn")
    run.kill()
    run.communicate(timeout=PATIENCE)
    assert house.docker("ps", "-q", "--filter", "name=nn")[1] != ""
    assert house.docker("rm", "-f", "nn") == (0, "nn\n", "")
    assert [record.how for record in house.box.witness.of(ContainerEnded)] == ["removed"]


def test_whoever_attaches_later_sees_what_comes_from_then_on(house: House) -> None:
    house.hang()
    attached = house.spawn("attach", "--no-stdin", "nn")
    # The command waits for the end before it attaches, and then looks once more whether the container runs.
    until(lambda: len(house.box.runtime.containers()[0].watchers) == 2, "somebody is attached")
    until(house.listener.relayed, "the command is at rest")
    house.release()
    out, err = attached.communicate(timeout=PATIENCE)
    assert (err, attached.returncode, "thread.started" in out, "turn.completed" in out) == ("", 0, False, True)
    assert "cannot attach to a stopped container" in house.docker("attach", "nn")[2]


def test_questions_about_the_surroundings_are_answered(house: House) -> None:
    assert house.docker("version", "-f", "{{.Server.Version}}")[:2] == (0, "28.2.2\n")
    assert "isolates nothing" in house.docker("info")[2]
    assert house.docker("pull", "-q", "runner:3")[:2] == (0, "docker.io/library/runner:3\n")
    assert house.docker("images", "--format", "{{.Repository}}:{{.Tag}}", "runner:3")[1] == "runner:3\n"
    assert house.docker("image", "inspect", "-f", "{{.Os}}", "runner")[1] == "linux\n"
    made = house.docker("network", "create", "nn")[1].strip()
    assert house.docker("network", "inspect", "-f", "{{.Id}}", "nn")[1].strip() == made
    assert "nn" in house.docker("network", "ls", "--format", "{{.Name}}")[1].split()
    assert house.docker("network", "rm", "nn") == (0, "nn\n", "")
    assert house.docker("network", "rm", "nn")[0] == 1
    assert house.unknown == []


def test_what_the_stand_in_does_not_know_is_said_and_remembered(house: House) -> None:
    house.hang()
    code, _, err = house.docker("exec", "nn", "ls")
    text = (
        "session-tck's stand-in for docker does not know docker exec\nsession-tck's stand-in for docker runs no further"
    )
    assert (code, text in err) == (1, True)
    assert house.docker("cp", "nn:/x", "x")[0] == 1
    assert [one.partition("\n")[0] for one in house.unknown] == [
        "docker exec",
        "the request HEAD /containers/nn/archive"
        if "HEAD" in house.unknown[1]
        else "the request GET /containers/nn/archive",
    ]


# docker-py


def test_docker_py_runs_a_command_to_its_end(house: House, client: DockerClient) -> None:
    assert client.containers.run("image", ["claude", "-p", "--", "hello"], remove=True) == b"Done.\n"
    house.box.runtime.script(AdapterId.CLAUDE_CODE, Script("generic_error"))
    with pytest.raises(ContainerError):
        client.containers.run("image", ["claude", "-p", "--", "hello"], remove=True)
    assert client.containers.list(all=True) == []


def test_docker_py_looks_after_a_detached_container(house: House, client: DockerClient) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script("hang"))
    container = client.containers.run(
        "image",
        list(CODEX),
        detach=True,
        name="nn",
        labels={"run": "r1"},
        mounts=[Mount("/w", str(house.box.root / "one"), type="bind", read_only=True)],
        network_mode="none",
        user="5:5",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        mem_limit="512m",
        pids_limit=256,
        tmpfs={"/t": "size=8m"},
    )
    started = house.started()
    assert (started.network, started.user, started.read_only_root) == ("none", "5:5", True)
    assert [(one.target, one.read_only) for one in started.mounts] == [("/w", True)]
    assert set(started.limits) == {
        ("memory", "512m"),
        ("pids-limit", "256"),
        ("cap-drop", "ALL"),
        ("security-opt", "no-new-privileges"),
        ("tmpfs", "/t:size=8m"),
    }
    container.reload()
    assert (container.status, container.attrs["State"]["Running"]) == ("running", True)
    assert [one.name for one in client.containers.list(filters={"label": "run=r1"})] == ["nn"]
    lines = container.logs(stream=True, follow=True)
    assert next(lines) == b"Reading additional input from stdin...\n"
    house.release()
    assert b"turn.completed" in b"".join(lines)
    assert container.wait()["StatusCode"] == 0
    assert b"thread.started" in container.logs(stdout=True, stderr=False)
    with pytest.raises(APIError, match="runs no further command"):
        container.exec_run("ls")
    container.remove()
    with pytest.raises(NotFound):
        client.containers.get("nn")


def test_docker_py_writes_to_a_container(house: House, client: DockerClient) -> None:
    container = client.containers.create("image", ["claude", "-p"], stdin_open=True)
    link: Any = container.attach_socket(params={"stdin": 1, "stdout": 1, "stream": 1})
    container.start()
    link._sock.sendall(b"a prompt")
    link._sock.shutdown(socket.SHUT_WR)
    assert link.read() == b"\x01\0\0\0\0\0\0\x06Done.\n"
    link.close()
    assert container.wait()["StatusCode"] == 0
    assert house.started().stdin == "a prompt"


@pytest.mark.parametrize("version", ["1.24", "1.41", "1.44", "1.52"])
def test_docker_py_speaks_any_version(house: House, version: str) -> None:
    client = docker.DockerClient(base_url=house.url, version=version, timeout=PATIENCE)
    assert client.containers.run("image", ["claude", "-p", "--", "hello"], remove=True) == b"Done.\n"
    client.close()


# testcontainers


def test_testcontainers_runs_a_container(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", house.url)
    monkeypatch.setattr("testcontainers.core.config.testcontainers_config.ryuk_disabled", True)
    made = (
        DockerContainer("image:1")
        .with_command(["claude", "-p", "--", "hello"])
        .with_env("A", "b")
        .with_volume_mapping(str(house.box.root / "one"), "/w", "rw")
        .with_kwargs(network_mode="none", working_dir="/w")
    )
    with made as container:
        assert container.wait() == 0
        assert container.get_logs() == (b"Done.\n", b"")
    started = house.started()
    assert (started.workdir, started.network, dict(started.environment)) == ("/w", "none", {"A": "b"})
    assert [(one.source, one.target) for one in started.mounts] == [(str(house.box.root / "one"), "/w")]
    assert (house.unknown, house.ask("GET", "/containers/json?all=1").json) == ([], [])


# dockerode


def test_dockerode_runs_attaches_writes_and_prunes(house: House) -> None:
    found = dockerode()
    done = subprocess.run(
        ("node", str(Path(__file__).with_name("dockerode.cjs"))),
        env=house.environment(TCK_IMAGE="image", TCK_LABEL="tck-test", **found),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "ping": "OK",
        "streams": ["2.1.197 (Claude Code)\n", ""],
        "code": 0,
        "inspected": ["exited", 0, ["claude", "--version"]],
        "listed": 1,
        "logs": "2.1.197 (Claude Code)\n",
        "heard": "Done.\n",
        "read": 0,
        "pruned": [],
        "missing": 404,
    }
    assert [record.stdin for record in house.box.witness.of(ContainerStarted)] == ["", "from dockerode"]
    assert house.unknown == []


def test_all_of_them_may_come_at_once(house: House) -> None:
    runs = [house.spawn("run", "--rm", "--name", f"n{number}", "image", *CODEX) for number in range(8)]
    outs = [run.communicate(timeout=PATIENCE)[0] for run in runs]
    assert [run.returncode for run in runs] == [0] * 8
    assert len({out.splitlines()[0] for out in outs}) == 8
    until(house.listener.relayed, "nothing is left to be taken")

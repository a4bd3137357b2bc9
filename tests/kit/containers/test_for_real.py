"""`session-tck containers` on a real engine, with real CLIs: what it is all for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.real import docker_engine, real_cli

from tck_driver.vocabulary import AdapterId
from tck_fakes.docker.order import OWNER
from tck_fakes.images import connect
from tck_kit.containers.claims import CLAIMS
from tck_kit.containers.clis import found
from tck_kit.containers.proof import proved
from tck_kit.containers.runtime import RealRuntime
from tck_simulator.ports import ContainerRequest

if TYPE_CHECKING:
    from docker import DockerClient

_COMMAND = (sys.executable, "-P", "-m", "tck_kit.command_line", "containers")


def _clis(folder: Path, program: str) -> Path:
    """Give a folder with a link to a real CLI under its name."""
    links = folder / "clis"
    links.mkdir()
    (links / program).symlink_to(real_cli(program))
    return links


def _containers(client: DockerClient, process: int) -> list[str]:
    """Give the containers that a process has made: others may be at the same engine."""
    found = client.containers.list(all=True, ignore_removed=True, filters={"label": OWNER})
    return [str(each.id) for each in found if each.labels[OWNER].split("/")[1] == str(process)]


@pytest.fixture(scope="module")
def client() -> Iterator[DockerClient]:
    docker_engine()
    connected = connect()
    yield connected
    connected.close()


@pytest.mark.usefixtures("client")
def test_an_engine_is_tried_out_and_everything_it_must_do_is_shown(tmp_path: Path) -> None:
    target = tmp_path / "check.json"
    done = subprocess.run(
        [*_COMMAND, "check", "--json", str(target)], check=False, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(target.read_text(encoding="utf-8"))
    assert told["usable"] is True
    names = [probe["probe"] for probe in told["probes"]]
    assert names[:2] == ["exit code", "exit code with --rm"]
    assert {"network none", "mount, written", "missing mount source", "rm -f"} <= {*names}
    assert all(probe["ok"] for probe in told["probes"] if probe["needed"])


@pytest.mark.parametrize("program", ["claude", "codex"])
def test_a_real_cli_remembers_in_a_second_container_what_it_was_told_in_a_first(
    client: DockerClient, tmp_path: Path, program: str
) -> None:
    links = _clis(tmp_path, program)
    target = tmp_path / "prove.json"
    done = subprocess.run(
        [*_COMMAND, "prove", program, "--clis", str(links), "--json", str(target)],
        check=False,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(target.read_text(encoding="utf-8"))["proofs"][0]
    assert [claim["claim"] for claim in told["claims"]] == [name for name, _ in CLAIMS]
    # Looked at once more, past the claims: the runs themselves.
    proof, control = (issue["runs"] for issue in told["issues"])
    assert proof[0]["nativeSessionId"] == proof[1]["nativeSessionId"]
    assert (len(proof[0]["requests"][-1]["prompts"]), len(proof[1]["requests"][-1]["prompts"])) == (1, 2)
    assert "apples" in proof[1]["requests"][-1]["prompts"][0]
    assert (control[1]["resumeFallback"], len(control[1]["requests"][-1]["prompts"])) == ("state_missing", 1)
    assert proof[0]["container"] != proof[1]["container"]
    left = {each.id for each in client.containers.list(all=True, ignore_removed=True)}
    assert not left & {run["container"] for run in (*proof, *control)}


class _Unshared(RealRuntime):
    """A runtime that mounts a folder of its own in the place of the session state."""

    def start(self, request: ContainerRequest) -> str:
        """Start it with all but the state."""
        kept = tuple(mount for mount in request.mounts if mount.target == "/workspace")
        return super().start(replace(request, mounts=kept))


def test_a_runtime_that_does_not_share_the_state_proves_nothing(
    client: DockerClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tck_kit.containers.proof.RealRuntime", _Unshared)
    cli = found(AdapterId.CODEX, _clis(tmp_path, "codex"), "pinned", tmp_path)
    one = proved(client, AdapterId.CODEX, cli, None, lambda _: None)
    failed = [claim.name for claim in one.claims if not claim.holds]
    assert not one.holds
    assert {"only the state is shared", "the history is back", "the session is the same"} <= {*failed}


def test_a_proof_that_is_interrupted_leaves_no_container(client: DockerClient, tmp_path: Path) -> None:
    links = _clis(tmp_path, "codex")
    temporary = tmp_path / "temporary"
    temporary.mkdir(mode=0o755)
    words = [*_COMMAND, "prove", "codex", "--clis", str(links)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)}) as proof:
        end = time.monotonic() + 600
        while not _containers(client, proof.pid) and time.monotonic() < end:
            time.sleep(0.1)
        proof.send_signal(signal.SIGINT)
        assert proof.wait(120) != 0
    assert _containers(client, proof.pid) == []
    assert [*temporary.iterdir()] == []

"""Engines that speak Docker's Engine API, each in its own way, put under test over the kit's: all comes out as ever."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.real import lacking

from .needs import need

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / "tests" / "fakes" / "docker_api"
AREAS = ("RESUME", "ISOLATE", "FALLBACK")
PATIENCE = 900


def node_engine(folder: Path, *, sandbox: str) -> Path:
    """Copy the example engine, with another way to its containers."""
    copied = folder / "engine"
    shutil.copytree(ROOT / "examples" / "node-engine", copied)
    (copied / "sandbox.js").write_text(sandbox)
    return copied


def run(folder: Path, engine: str, *more: str, exit_code: int = 3) -> dict[str, str]:
    """Put an engine under test; give the outcome of each requirement that was run."""
    words = (sys.executable, "-m", "tck_kit.command_line", "run", "--no-project-file", "--engine", engine)
    settings = ("--seed", "1", "--timeout-scale", "6", "--workers", "2", "--report-dir", str(folder / "report"))
    done = subprocess.run(
        (*words, *settings, *more), cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    # Narrowed down, a run is incomplete, exit code 3, even where everything passed.
    assert done.returncode == exit_code, done.stdout[-4000:] + done.stderr[-2000:]
    report = json.loads((folder / "report" / "report.json").read_text())
    return {one["id"]: one["outcome"] for one in report["requirements"] if one["outcome"] != "not_run"}


def areas(*names: str) -> list[str]:
    return [word for name in names for word in ("--area", name)]


def test_an_engine_that_attaches_over_plain_http_conforms_as_it_does_with_the_docker_program(tmp_path: Path) -> None:
    need("node", "nodejs")
    engine = node_engine(tmp_path, sandbox=(PARTS / "sandbox.js").read_text())
    outcomes = run(tmp_path, f"node {engine}/driver.js", exit_code=0)
    assert {*outcomes.values()} == {"passed"}
    assert len(outcomes) > 90


def test_an_engine_that_polls_with_docker_py_comes_out_as_in_process(tmp_path: Path) -> None:
    database = ("--observe-db", "sqlite:///{directory}/engine.sqlite")
    outcomes = run(tmp_path, f"{sys.executable} {PARTS / 'docker_py_simulator.py'}", *database, *areas(*AREAS))
    assert {outcome for one, outcome in outcomes.items() if one.partition("-")[0] in AREAS} == {"passed"}


def test_an_engine_with_a_docker_command_of_its_own_comes_out_as_with_the_docker_program(tmp_path: Path) -> None:
    need("node", "nodejs")
    found = shutil.which("docker")
    if found is None:
        lacking("docker-cli", "the docker command is missing; install it with: apt-get install docker.io")
        pytest.fail("not reached")
    sandbox = (ROOT / "examples" / "node-engine" / "sandbox.js").read_text()
    own = sandbox.replace('spawn("docker"', f"spawn({json.dumps(found)}")
    assert own != sandbox
    outcomes = run(tmp_path, f"node {node_engine(tmp_path, sandbox=own)}/driver.js", *areas("RESUME"))
    assert {outcome for one, outcome in outcomes.items() if one.startswith("RESUME-")} == {"passed"}

"""The program that starts Cyrus: the CLI that it puts in, the tracker that it keeps, the seams that it looks for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.real import lacking

from tck_peers.common import Stage
from tck_peers.cyrus_service import Service, place_on

HOST = Path(__file__).parents[2] / "peers/tck_peers/cyrus_host.mjs"
STUB = Path(__file__).with_name("cyrus_package.mjs").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _has_node() -> None:  # pyright: ignore[reportUnusedFunction] -- a fixture that every test uses
    if shutil.which("node") is None:
        lacking("node", "node, with which Cyrus runs, is missing; install it with: apt-get install nodejs")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "cyrus-package"
    dist = folder / "packages/edge-worker/dist"
    dist.mkdir(parents=True)
    (dist.parent / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (dist / "index.js").write_text(STUB, encoding="utf-8")
    return folder


@pytest.fixture
def service(tmp_path: Path, package: Path) -> Iterator[Service]:
    service = Service(place_on(Stage(tmp_path, tmp_path / "bin"), ("node", str(HOST), "run"), package))
    service.start(taking_up=False)
    yield service
    service.kill()


def missing(package: Path) -> list[str]:
    asked = ["node", str(HOST), "check", str(package), str(package)]
    said = subprocess.run(
        asked, capture_output=True, text=True, check=True, timeout=60, env={"PATH": os.environ["PATH"]}
    )
    found = json.loads(said.stdout.splitlines()[-1])["missing"]
    assert isinstance(found, list)
    return found


def change(package: Path, old: str, new: str) -> None:
    assert old in STUB
    (package / "packages/edge-worker/dist/index.js").write_text(STUB.replace(old, new), encoding="utf-8")


def test_every_runner_is_given_the_cli_of_the_kit_besides_what_it_had(service: Service, tmp_path: Path) -> None:
    config = json.loads(service.open_session("issue-1"))
    programs = str(tmp_path / "bin" / "claude")
    assert config == {"type": "claude", "model": "m", "pathToClaudeCodeExecutable": programs, "own": True}


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_the_tracker_is_as_it_was_after_any_end(service: Service, how: str) -> None:
    service.create_issue("first", "A description")
    getattr(service, how)()
    service.start(taking_up=False)
    assert service.create_issue("second", "A description") == "issue-2"
    assert [one.text for one in service.activities("any")] == ["first 0 2, second 0 2"]


def test_an_end_in_order_is_one_for_cyrus_too(service: Service, tmp_path: Path) -> None:
    service.stop()
    assert "stopped in order" in (tmp_path / "cyrus/service.log").read_text(encoding="utf-8")


def test_where_the_seams_are_nothing_is_missing(package: Path) -> None:
    assert missing(package) == []


def test_a_way_to_make_runners_that_has_moved_is_missed(package: Path) -> None:
    change(package, "createRunnerForType(type, config) {", "makeRunner(type, config) {")
    assert missing(package) == ["EdgeWorker.createRunnerForType(type, config)"]


def test_a_way_to_make_runners_that_takes_something_else_is_missed(package: Path) -> None:
    change(package, "createRunnerForType(type, config) {", "createRunnerForType(type, session, config) {")
    assert missing(package) == ["EdgeWorker.createRunnerForType(type, config)"]


def test_a_tracker_that_is_kept_elsewhere_is_missed(package: Path) -> None:
    change(package, "this.issueTrackers = new", "this.trackers = new")
    found = missing(package)
    assert len(found) == 1
    assert "issueTrackers" in found[0]


def test_a_tracker_that_keeps_its_issues_in_another_form_is_missed(package: Path) -> None:
    change(package, "issues: new Map()", "issues: {}")
    assert missing(package) == ["issues in the tracker's state"]


def test_without_words_it_says_which_there_are() -> None:
    said = subprocess.run(["node", str(HOST)], capture_output=True, text=True, check=False, timeout=60)
    assert said.returncode == 2
    assert "run SETTINGS.json or check FOLDER" in said.stderr

"""The server of codex, as far as it answers what is asked before a run; measured on the real one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tck_driver.witness import CliStarted

from .box import Box
from .outside import PATIENCE

INITIALIZE = {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "probe", "version": "1"}}}


def asked(box: Box, *messages: object) -> list[dict[str, object]]:
    stdin = "".join(f"{message if isinstance(message, str) else json.dumps(message)}\n" for message in messages)
    state = box.runtime.poll(box.runtime.start(box.request("codex", "app-server", stdin=stdin)))
    assert state.exit_code == 0
    return [json.loads(line) for line in state.stdout.splitlines()]


def test_the_configuration_can_be_asked_for_and_that_is_no_start_of_an_agent(box: Box) -> None:
    answers = asked(
        box,
        INITIALIZE,
        {"method": "initialized"},
        {"id": 2, "method": "config/read", "params": {"cwd": "/workspace", "includeLayers": True}},
        {"id": 3, "method": "configRequirements/read"},
    )
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert all("result" in answer for answer in answers)
    assert box.witness.of(CliStarted) == []


def test_nothing_is_answered_before_it_is_initialized_and_that_only_once(box: Box) -> None:
    answers = asked(box, {"id": 9, "method": "config/read"}, INITIALIZE, INITIALIZE)
    errors = [answer.get("error") for answer in answers]
    assert errors == [
        {"code": -32600, "message": "Not initialized"},
        None,
        {"code": -32600, "message": "Already initialized"},
    ]


def test_what_is_no_message_is_passed_over_and_what_the_stand_in_has_not_is_refused(box: Box) -> None:
    answers = asked(box, "not json", "5", INITIALIZE, {"id": 4, "method": "thread/start"})
    assert "thread/start" in str(answers[1]["error"])


def test_the_stand_in_alone_serves_too(tmp_path: Path) -> None:
    done = subprocess.run(
        (sys.executable, "-P", "-m", "tck_fakes.standins.alone", "codex", "app-server"),
        input=json.dumps(INITIALIZE),
        capture_output=True,
        env={"HOME": str(tmp_path)},
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, json.loads(done.stdout)["id"]) == (0, 1)

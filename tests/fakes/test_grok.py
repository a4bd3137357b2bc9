"""grok-build, of which only the outline is known."""

from __future__ import annotations

import json

import pytest

from .box import CHOSEN, Box, fresh

#: Arguments → exit code and a part of stderr.
ARGUMENTS = [
    (("-p", "hi", "--output", "json"), 0, ""),
    (("-p", "hi", "--resume", CHOSEN), 1, f"session not found: {CHOSEN}"),
    (("-p", "hi", "--resume", "../x"), 1, "session not found: ../x"),
    (("-p", "hi", "--resume", ""), 1, "session not found"),
    (("-p", "hi", "--no-such-flag"), 2, "unexpected or incomplete argument '--no-such-flag'"),
    (("-p",), 2, "unexpected or incomplete argument '-p'"),
    (("-p", ""), 2, "no prompt"),
    (("--help",), 0, ""),
]


@pytest.mark.parametrize(("argv", "code", "stderr"), ARGUMENTS)
def test_grok_answers_arguments(box: Box, argv: tuple[str, ...], code: int, stderr: str) -> None:
    container = box.runtime.start(box.request("grok", *argv))
    state = box.runtime.poll(container)
    assert state.exit_code == code
    assert stderr in state.stderr


def test_grok_resumes_by_id_and_reports_it(box: Box) -> None:
    session = box.fresh("grok").session
    run = box.resume("grok", session)
    assert run.answered is not None
    assert (json.loads(run.state.stdout)["session_id"], run.answered.remembered) == (session, ("first",))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"prompts":[]}', b"\xff"])
def test_a_file_that_is_no_session_cannot_be_loaded(box: Box, content: bytes) -> None:
    session = box.fresh("grok").session
    (box.state("grok") / f"{session}.json").write_bytes(content)
    assert "could not be loaded" in box.resume("grok", session).state.stderr


def test_the_most_recent_session_is_the_last_one_written(box: Box) -> None:
    box.fresh("grok", "a")
    newest = box.go("grok", *fresh("grok", "b")).session
    path = box.state("grok") / f"{newest}.json"
    path.touch()
    run = box.go("grok", "-p", "c", "--continue", "--output", "json")
    assert (run.session, run.started.asked_loosely) == (newest, True)

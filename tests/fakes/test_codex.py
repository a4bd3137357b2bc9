"""codex 0.171.0 as measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tck_driver.bench import Script

from .box import Box, resume

UNKNOWN = "04f21758-10c1-4b9b-bbee-a31a34a77ab9"
EXEC = ("exec", "--json", "--skip-git-repo-check")

#: Arguments after `exec --json --skip-git-repo-check` → exit code and a part of stderr.
ARGUMENTS = [
    (("resume", "-s", "workspace-write", UNKNOWN, "x"), 2, "error: unexpected argument '-s' found"),
    (("resume", "-C", "/workspace", UNKNOWN, "x"), 2, "error: unexpected argument '-C' found"),
    (("--no-such-flag", "resume", UNKNOWN, "x"), 2, "error: unexpected argument '--no-such-flag' found"),
    (("resume", UNKNOWN, "x", "y"), 2, "error: unexpected argument 'y' found"),
    (("-s",), 2, "error: a value is required for '-s'"),
    (("resume", UNKNOWN, "x"), 1, f"no rollout found for thread id {UNKNOWN} (code -32600)"),
    (("resume", "00000000-0000-0000-0000-000000000000", "x"), 1, "no rollout found"),
    (("resume", "--help", "x"), 0, ""),
    (("-s", "read-only", "resume", "--", UNKNOWN, "resume"), 1, "no rollout found"),
    (("--", "resume"), 0, "Reading additional input"),
]


@pytest.mark.parametrize(("argv", "code", "stderr"), ARGUMENTS)
def test_codex_answers_arguments_as_measured(box: Box, argv: tuple[str, ...], code: int, stderr: str) -> None:
    state = box.go("codex", *EXEC, *argv).state
    assert state.exit_code == code
    assert stderr in state.stderr


def test_outside_a_repository_it_refuses_without_the_flag(box: Box) -> None:
    assert box.go("codex", "exec", "--json", "hi").state.stderr.startswith("Not inside a trusted directory")
    (box.root / "workspace" / ".git").mkdir()
    assert box.go("codex", "exec", "--json", "hi").state.exit_code == 0


def test_the_session_is_named_first_and_kept_by_its_day(box: Box) -> None:
    run = box.fresh("codex")
    kinds = [json.loads(line)["type"] for line in run.state.stdout.splitlines()]
    assert kinds == ["thread.started", "turn.started", "item.completed", "turn.completed"]
    assert json.loads(run.state.stdout.splitlines()[0])["thread_id"] == run.session
    assert run.session[14] == "7"
    assert rollout(box).relative_to(box.state("codex")).as_posix() == (
        f"2026/01/05/rollout-2026-01-05T09-00-00-{run.session}.jsonl"
    )


def rollout(box: Box) -> Path:
    (path,) = box.state("codex").rglob("*.jsonl")
    return path


def test_a_resume_keeps_the_id_and_the_history_from_any_directory(box: Box) -> None:
    session = box.fresh("codex").session
    run = box.go("codex", *resume("codex", session, "--weird"), workdir="/elsewhere")
    assert run.answered is not None
    assert (run.session, run.answered.remembered, run.started.prompt) == (session, ("first",), "--weird")


@pytest.mark.parametrize("wanted", ["x", "../../etc/passwd", "", " ", "--help"])
def test_what_is_no_uuid_gives_a_new_session_and_exit_code_0(box: Box, wanted: str) -> None:
    session = box.fresh("codex").session
    run = box.go("codex", *EXEC, "resume", "--", wanted, "second")
    assert run.state.exit_code == 0
    assert run.answered is not None
    assert run.session != session
    assert run.answered.remembered == ()


def test_a_first_prompt_counts_as_a_name(box: Box) -> None:
    session = box.fresh("codex", "hello ALPHA").session
    run = box.go("codex", *EXEC, "resume", "hello ALPHA", "second")
    assert (run.session, run.started.asked_loosely) == (session, True)


def test_the_last_session_is_one_of_the_same_directory(box: Box) -> None:
    session = box.fresh("codex").session
    last = box.go("codex", *EXEC, "resume", "--last", "second")
    assert (last.session, last.started.asked_loosely, last.started.prompt) == (session, True, "second")
    assert box.go("codex", *EXEC, "resume", "--last", "second", workdir="/elsewhere").session != session


def test_a_rollout_is_found_anywhere_below_sessions_but_under_its_own_name_only(box: Box) -> None:
    session = box.fresh("codex").session
    flat = box.state("codex") / rollout(box).name
    rollout(box).rename(flat)
    assert box.resume("codex", session).state.exit_code == 0
    flat.rename(flat.with_name("renamed.jsonl"))
    assert "no rollout found" in box.resume("codex", session).state.stderr


DAMAGE = [
    (b"", "is empty (code -32603)"),
    (bytes(range(128, 256)), "stream did not contain valid UTF-8 (code -32603)"),
    (b'{"type":"sess', "is empty (code -32603)"),
]


@pytest.mark.parametrize(("content", "text"), DAMAGE)
def test_a_rollout_without_a_head_is_told_apart_from_a_missing_one(box: Box, content: bytes, text: str) -> None:
    session = box.fresh("codex").session
    rollout(box).write_bytes(content)
    state = box.resume("codex", session).state
    assert (state.exit_code, state.stdout) == (1, "")
    assert state.stderr.rstrip().endswith(text)


def test_a_cut_tail_loses_its_turn_without_a_word(box: Box) -> None:
    session = box.fresh("codex").session
    box.resume("codex", session)
    data = rollout(box).read_bytes()
    rollout(box).write_bytes(data[: data.index(b"second")])
    run = box.resume("codex", session, "third")
    assert run.state.exit_code == 0
    assert run.answered is not None
    assert run.answered.remembered == ("first",)


def test_a_directory_in_place_of_the_rollout_cannot_be_read(box: Box) -> None:
    session = box.fresh("codex").session
    path = rollout(box)
    path.unlink()
    path.mkdir()
    assert "Is a directory (os error 21)" in box.resume("codex", session).state.stderr


def test_an_unreadable_rollout_is_told_also_for_root(box: Box) -> None:
    session = box.fresh("codex").session
    rollout(box).chmod(0)
    assert "Permission denied (os error 13) (code -32603)" in box.resume("codex", session).state.stderr


def test_a_resume_that_cannot_be_saved_is_refused(box: Box) -> None:
    session = box.fresh("codex").session
    rollout(box).chmod(0o400)
    state = box.resume("codex", session).state
    assert (state.exit_code, state.stdout) == (1, "")
    assert "Permission denied (os error 13)" in state.stderr


def test_a_fresh_run_that_cannot_be_saved_says_so_in_an_item_and_exits_0(box: Box) -> None:
    run = box.run(box.request("codex", *EXEC, "hi", read_only=True))
    assert run.state.exit_code == 0
    assert "Failed to save the conversation transcript" in run.state.stdout
    assert run.answered is not None
    assert not run.answered.saved


def test_a_missing_codex_home_is_told(box: Box) -> None:
    box.environment["CODEX_HOME"] = "/nowhere"
    state = box.fresh("codex").state
    assert (state.exit_code, state.stdout) == (1, "")
    assert "that path does not exist" in state.stderr


def test_a_server_error_is_told_without_its_number(box: Box) -> None:
    session = box.fresh("codex").session
    state = box.resume("codex", session, script=Script("server_error")).state
    assert "experiencing high demand" in state.stdout
    assert "500" not in state.stdout.replace(session, "")


def test_a_folder_that_may_not_be_looked_into_is_not_said_to_be_empty(box: Box) -> None:
    session = box.fresh("codex").session
    box.state("codex").chmod(0o300)
    try:
        state = box.resume("codex", session).state
    finally:
        box.state("codex").chmod(0o700)
    assert "failed to locate thread id" in state.stderr
    assert "no rollout found" not in state.stderr

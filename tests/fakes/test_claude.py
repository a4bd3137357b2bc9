"""claude 2.1.197 as measured: arguments, state and answers, each case with its right value."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tck_driver.bench import Script

from .box import CHOSEN, STATE, Box, resume

OTHER = "baa62f74-fa32-4fee-bf27-aeac3b92b2a0"
NEEDS_ID = "Error: --resume requires a valid session ID or session title when used with --print."

#: Arguments → exit code, and what stdout or stderr begins with.
ARGUMENTS = [
    (("-p", "--session-id", "x", "hi"), 1, "", "Error: Invalid session ID. Must be a valid UUID."),
    (("-p", "--session-id", "--help", "hi"), 1, "", "Error: Invalid session ID. Must be a valid UUID."),
    (("-p", "--session-id", CHOSEN.replace("-", ""), "hi"), 1, "", "Error: Invalid session ID. Must be a valid UUID."),
    (("-p", "--session-id", "", "hi"), 0, "Done.", ""),
    (("-p", "--session-id", CHOSEN.upper(), "hi"), 0, "Done.", ""),
    (("-p", "--session-id", "00000000-0000-0000-0000-000000000000", "hi"), 0, "Done.", ""),
    (("-p", "hi", "--no-such-flag"), 1, "", "error: unknown option '--no-such-flag'"),
    (("-p", "--dash prompt"), 1, "", "error: unknown option '--dash prompt'"),
    (("-p", "--", "--dash prompt"), 0, "Done.", ""),
    (("-p", "hi", "--resume", "--help"), 0, "Usage: claude", ""),
    (("-p", "hi", "--resume=--help"), 1, "", NEEDS_ID),
    (("-p", "hi", "--resume", ""), 1, "", NEEDS_ID),
    (("-p", "hi", "--resume="), 1, "", NEEDS_ID),
    (("-p", "--resume", "x", "hi"), 1, "", NEEDS_ID),
    (("-p", "--resume", "../../etc/passwd", "hi"), 1, "", NEEDS_ID),
    (("-p", f"--resume={OTHER}", "hi"), 1, "", f"No conversation found with session ID: {OTHER}"),
    (("-p", f"--resume={OTHER}", "--session-id", OTHER, "hi"), 1, "", "Error: --session-id can only be used with"),
    (("-p", "--continue", "hi"), 1, "", "No conversation found to continue"),
    (("-p", "--output-format", "yaml", "hi"), 1, "", "error: option '--output-format <format>' argument 'yaml'"),
    (("-p", "--name", "-lead", "hi"), 0, "Done.", ""),
    (("-p",), 1, "", "Error: Input must be provided"),
    (("hi",), 0, "Done.", ""),
    (("-p", "--output-format", "stream-json", "hi"), 1, "", "Error: When using --print, --output-format=stream-json"),
    (("-p", "--input-format", "stream-json"), 1, "", "Error: --input-format=stream-json requires output-format="),
    (("-p", "--input-format", "yaml", "hi"), 1, "", "error: option '--input-format <format>' argument 'yaml'"),
]


@pytest.mark.parametrize(("argv", "code", "stdout", "stderr"), ARGUMENTS)
def test_claude_answers_arguments_as_measured(
    box: Box, argv: tuple[str, ...], code: int, stdout: str, stderr: str
) -> None:
    state = box.go("claude", *argv).state
    assert (state.exit_code, state.stdout[: len(stdout)], state.stderr[: len(stderr)]) == (code, stdout, stderr)
    assert bool(state.stdout) == bool(stdout)


def transcript(box: Box, session: str = CHOSEN) -> Path:
    return box.state("claude") / "-workspace" / f"{session}.jsonl"


def begun(box: Box) -> Path:
    """Have a session of two turns, and give its transcript."""
    assert box.go("claude", "-p", f"--session-id={CHOSEN}", "first").state.exit_code == 0
    assert box.go("claude", "-p", f"--resume={CHOSEN}", "second").state.exit_code == 0
    return transcript(box)


def test_a_fresh_session_goes_by_the_chosen_id_and_is_kept_under_its_directory(box: Box) -> None:
    run = box.go("claude", "-p", f"--session-id={CHOSEN}", "--output-format", "json", "--", "first")
    assert json.loads(run.state.stdout)["session_id"] == CHOSEN
    assert transcript(box).stat().st_mode & 0o777 == 0o600
    assert run.answered is not None
    assert (run.answered.session_id, run.answered.saved, run.answered.remembered) == (CHOSEN, True, ())


def test_a_resumed_session_remembers_every_prompt_in_order(box: Box) -> None:
    begun(box)
    run = box.resume("claude", CHOSEN, "third")
    assert run.answered is not None
    assert run.answered.remembered == ("first", "second")
    assert [json.loads(line)["type"] for line in run.state.stdout.splitlines()] == ["system", "assistant", "result"]


def test_a_session_is_found_from_no_other_directory(box: Box) -> None:
    begun(box)
    run = box.go("claude", *resume("claude", CHOSEN, "third"), workdir="/elsewhere")
    assert run.state.exit_code == 1
    assert "No conversation found" in run.state.stderr
    line = json.loads(run.state.stdout)
    assert (line["subtype"], line["session_id"]) == ("error_during_execution", CHOSEN)


def test_a_session_is_found_from_a_subfolder_of_the_same_repository(box: Box) -> None:
    (box.root / "workspace" / ".git").mkdir(parents=True)
    begun(box)
    assert box.go("claude", *resume("claude", CHOSEN, "third"), workdir="/workspace/sub").state.exit_code == 0


def test_a_used_id_is_refused_also_after_a_kill(box: Box) -> None:
    box.go("claude", "-p", f"--session-id={CHOSEN}", "first", script=Script("killed"))
    run = box.go("claude", "-p", f"--session-id={CHOSEN}", "second")
    assert (run.state.exit_code, run.state.stderr) == (1, f"Error: Session ID {CHOSEN} is already in use.\n")


def test_an_upper_cased_id_is_another_id(box: Box) -> None:
    begun(box)
    assert box.resume("claude", CHOSEN.upper()).state.exit_code == 1


def test_a_title_resumes_in_any_case_and_two_alike_are_refused(box: Box) -> None:
    box.go("claude", "-p", f"--session-id={CHOSEN}", "--name= feat/a ", "first")
    run = box.go("claude", "-p", "--resume", "Feat/A", "second")
    assert run.session == CHOSEN
    assert run.started.asked_loosely
    box.go("claude", "-p", f"--session-id={OTHER}", "--name=feat/a", "first")
    assert "matches 2 sessions" in box.go("claude", "-p", "--resume", "feat/a", "x").state.stderr


def test_a_fork_has_a_new_id_and_the_history(box: Box) -> None:
    begun(box)
    run = box.go("claude", "-p", f"--resume={CHOSEN}", "--fork-session", "--session-id", OTHER, "third")
    assert run.answered is not None
    assert (run.session, run.answered.remembered) == (OTHER, ("first", "second"))
    assert box.resume("claude", OTHER, "fourth").state.exit_code == 0


def test_a_transcript_path_resumes_from_any_directory(box: Box) -> None:
    begun(box)
    path = f"{STATE['claude']}/-workspace/{CHOSEN}.jsonl"
    run = box.go("claude", "-p", "--resume", path, "third", workdir="/elsewhere")
    assert run.answered is not None
    assert run.answered.remembered == ("first", "second")


@pytest.mark.parametrize(("content", "code"), [(b"", 1), (bytes(range(128, 256)) * 8, 1), (b'{"type":"us', 1)])
def test_a_transcript_without_a_usable_head_is_no_conversation(box: Box, content: bytes, code: int) -> None:
    begun(box).write_bytes(content)
    run = box.resume("claude", CHOSEN, "third")
    assert run.state.exit_code == code
    assert run.state.stderr == f"No conversation found with session ID: {CHOSEN}\n"


def test_a_cut_tail_loses_its_turn_without_a_word_and_the_next_turn_is_kept(box: Box) -> None:
    path = begun(box)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"second") + 3])
    run = box.resume("claude", CHOSEN, "third")
    assert run.state.exit_code == 0
    assert run.answered is not None
    assert run.answered.remembered == ("first",)
    after = box.resume("claude", CHOSEN, "fourth").answered
    assert after is not None
    assert after.remembered == ("first", "third")


def test_a_directory_in_place_of_the_transcript_is_told(box: Box) -> None:
    path = begun(box)
    path.unlink()
    path.mkdir()
    assert "EISDIR" in box.resume("claude", CHOSEN).state.stderr


def test_an_unreadable_transcript_looks_like_a_missing_one_also_for_root(box: Box) -> None:
    begun(box).chmod(0)
    assert "No conversation found" in box.resume("claude", CHOSEN).state.stderr


@pytest.mark.parametrize("what", ["folder", "file", "mount"])
def test_a_place_that_cannot_be_written_loses_the_turn_with_exit_code_0(box: Box, what: str) -> None:
    path = begun(box)
    before = path.read_bytes()
    if what == "folder":
        box.state("claude").chmod(0o500)
    if what == "file":
        path.chmod(0o400)
    request = box.request("claude", *resume("claude", CHOSEN, "third"), read_only=what == "mount")
    run = box.run(request)
    os.chmod(box.state("claude"), 0o700)  # noqa: PTH101 - so that pytest can remove it
    assert run.state.exit_code == 0
    assert run.answered is not None
    assert not run.answered.saved
    assert path.read_bytes() == before


def test_the_config_directory_moves_with_its_variable(box: Box) -> None:
    box.environment["CLAUDE_CONFIG_DIR"] = "/workspace/config"
    box.go("claude", "-p", f"--session-id={CHOSEN}", "first")
    assert (box.root / "workspace/config/projects/-workspace" / f"{CHOSEN}.jsonl").is_file()


def test_a_prompt_may_come_on_stdin(box: Box) -> None:
    run = box.run(box.request("claude", "-p", stdin="--help me"))
    assert (run.state.exit_code, run.started.prompt) == (0, "--help me")


def test_what_stands_in_place_of_an_answer_is_told_from_one(box: Box) -> None:
    run = box.fresh("claude", script=Script("server_error"))
    lines = [json.loads(line) for line in run.state.stdout.splitlines()]
    assert [line["subtype"] for line in lines[:-2]] == ["init", *["api_retry"] * 10]
    made_up, result = lines[-2:]
    assert (made_up["type"], made_up["message"]["model"], made_up["error"]) == (
        "assistant",
        "<synthetic>",
        "server_error",
    )
    assert (result["subtype"], result["is_error"], result["api_error_status"]) == ("success", True, 500)


def test_a_refusal_is_a_line_of_its_own_in_stream_json_alone(box: Box) -> None:
    streamed = box.go("claude", "-p", "--resume=x", "--output-format", "stream-json", "--verbose", "hi").state
    line = json.loads(streamed.stdout)
    assert (line["subtype"], line["errors"]) == ("error_during_execution", [streamed.stderr.removesuffix("\n")])
    plain = box.go("claude", "-p", "--resume=x", "--output-format", "json", "hi").state
    assert (plain.stdout, plain.stderr) == ("", streamed.stderr)


@pytest.mark.parametrize(("name", "code"), [((), 0), (("--name=n",), 1)])
def test_a_fresh_session_that_cannot_be_saved_ends_where_it_has_a_name(
    box: Box, name: tuple[str, ...], code: int
) -> None:
    box.state("claude").chmod(0o500)
    run = box.go("claude", "-p", *name, "--output-format", "json", "hi")
    assert run.state.exit_code == code
    told = json.loads(run.state.stdout)
    assert ("EACCES" in str(told.get("errors"))) == bool(name)
    assert run.answered is not None
    assert not run.answered.saved

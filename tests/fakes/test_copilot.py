"""copilot 1.0.102 as measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tck_driver.bench import Script

from .box import CHOSEN, Box, fresh, made_a_directory

UNKNOWN = "1a0c853d-0743-4f05-9d1a-906e0ac16f0e"
JSON = ("--output-format", "json", "--allow-all-tools")
NOT_MATCHED = "Error: No session, task, or name matched"

#: Arguments → exit code and what stderr begins with.
ARGUMENTS = [
    (("-p", "hi", "--session-id", "x"), 1, "Error: No session or task matched 'x'.\nThe value is not a valid UUID"),
    (("-p", "hi", "--session-id="), 1, "Error: No session or task matched ''."),
    (("-p", "hi", "--session-id", "--help"), 1, "error: a value is required for '--session-id"),
    (("-p", "hi", "--session-id=00000000-0000-0000-0000-000000000000"), 1, "Error: No session or task matched"),
    (("-p", "hi", "--session-id=12345678-1234-1234-1234-123456789012"), 1, "Error: No session or task matched"),
    (("-p", "hi", f"--session-id={CHOSEN.upper()}"), 0, ""),
    (("-p", "hi", f"--resume={UNKNOWN}"), 1, f"{NOT_MATCHED} '{UNKNOWN}'."),
    (("-p", "hi", "--resume=--help"), 1, f"{NOT_MATCHED} '--help'."),
    (("-p", "hi", "--resume", ""), 1, f"{NOT_MATCHED} ''."),
    (("-p", "hi", "--resume="), 1, f"{NOT_MATCHED} ''."),
    (("-p", "hi", "--resume", "--help"), 0, ""),
    (("-p", "hi", "--resume=x", "--session-id=x"), 1, "error: the argument '--session-id"),
    (("-p", "hi", "--resume=x", "--name=x"), 1, "error: the argument '--name"),
    (("-p", "hi", "--no-such-flag"), 1, "error: Invalid command format."),
    (("-p", "--dash prompt"), 1, "error: Invalid command format."),
    (("--prompt=--dash prompt",), 0, ""),
    (("-p", "hi", "--name", "-lead"), 1, "error: Invalid command format."),
    (("-p", "hi", "--name=-lead"), 0, ""),
    (("-p", "hi", "--name="), 1, "Session name cannot be empty."),
    (("-p", "hi", f"--name={'m' * 100}"), 0, ""),
    (("-p", "hi", f"--name={'m' * 101}"), 1, "Session name must be 100 characters or less."),
    (("-p", "hi", "--name=a\nb"), 1, "Session name must not contain control characters."),
]


@pytest.mark.parametrize(("argv", "code", "stderr"), ARGUMENTS)
def test_copilot_answers_arguments_as_measured(box: Box, argv: tuple[str, ...], code: int, stderr: str) -> None:
    state = box.go("copilot", *argv, *JSON).state
    assert (state.exit_code, state.stderr[: len(stderr)]) == (code, stderr)
    assert bool(state.stderr) == bool(stderr)


def events(box: Box, session: str = CHOSEN) -> Path:
    return box.state("copilot") / session / "events.jsonl"


def chosen(*more: str) -> tuple[str, ...]:
    return ("-p", "first", f"--session-id={CHOSEN}", *more, *JSON)


def test_only_the_last_event_names_the_session(box: Box) -> None:
    run = box.go("copilot", *chosen())
    lines = [json.loads(line) for line in run.state.stdout.splitlines()]
    assert (lines[-1]["type"], lines[-1]["sessionId"], lines[-1]["exitCode"]) == ("result", CHOSEN, 0)
    assert all(CHOSEN not in json.dumps(line) for line in lines[:-1])
    assert events(box).stat().st_mode & 0o777 == 0o600


def test_a_chosen_id_that_exists_is_resumed_and_with_a_name_refused(box: Box) -> None:
    box.go("copilot", *chosen())
    again = box.go("copilot", *chosen())
    assert again.answered is not None
    assert again.answered.remembered == ("first",)
    named = box.go("copilot", *chosen("--name=n"))
    assert named.state.exit_code == 1
    assert "resolves to an existing" in named.state.stderr


@pytest.mark.parametrize(("wanted", "found"), [(CHOSEN, True), (CHOSEN[:7], True), (CHOSEN[:6], False), ("N", True)])
def test_a_session_is_resumed_by_id_by_seven_digits_of_it_and_by_name(box: Box, wanted: str, *, found: bool) -> None:
    box.go("copilot", *chosen("--name=n"))
    run = box.go("copilot", "-p", "second", f"--resume={wanted}", *JSON)
    assert (run.state.exit_code == 0) == found


def test_two_sessions_of_one_name_are_refused(box: Box) -> None:
    box.go("copilot", *fresh("copilot", "a"))
    box.go("copilot", *fresh("copilot", "b"))
    assert "Multiple sessions match the name 'n'" in box.go("copilot", "-p", "c", "--resume=n", *JSON).state.stderr


def test_a_resume_changes_into_the_stored_directory_unless_told_otherwise(box: Box) -> None:
    box.go("copilot", *chosen())
    box.go("copilot", "-p", "second", f"--resume={CHOSEN}", *JSON, workdir="/elsewhere")
    box.go("copilot", "-p", "third", f"--resume={CHOSEN}", "-C", "/elsewhere", *JSON)
    kept = [json.loads(line) for line in events(box).read_text().splitlines()]
    assert [line["data"]["cwd"] for line in kept if line["type"] == "session.resume"] == ["/workspace", "/elsewhere"]


def test_a_stored_directory_that_is_gone_gives_a_warning(box: Box) -> None:
    box.go("copilot", *chosen(), workdir="/elsewhere")
    run = box.go("copilot", "-p", "second", f"--resume={CHOSEN}", *JSON)
    assert run.state.exit_code == 0
    assert "ignoring persisted cwd '/elsewhere'" in run.state.stderr


DAMAGE: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: path.write_bytes(b""), NOT_MATCHED),
    (lambda path: path.unlink(), NOT_MATCHED),
    (made_a_directory, NOT_MATCHED),
    (lambda path: path.chmod(0), NOT_MATCHED),
    (
        lambda path: path.write_bytes(b"{" + bytes(range(128, 256))),
        f"Error: Session '{CHOSEN}' was found but could not",
    ),
    (lambda path: path.with_name("workspace.yaml").write_bytes(b""), ""),
    (lambda path: path.with_name("workspace.yaml").write_bytes(b"\xff\xfe: ["), ""),
    (lambda path: path.chmod(0o400), "Error executing prompt: Error: Request session.send failed"),
]


@pytest.mark.parametrize(("damage", "text"), DAMAGE)
def test_damaged_state_ends_with_exit_code_1_and_its_own_words_or_none(
    box: Box, damage: Callable[[Path], object], text: str
) -> None:
    box.go("copilot", *chosen())
    damage(events(box))
    state = box.resume("copilot", CHOSEN).state
    assert (state.exit_code, state.stderr[: len(text)]) == (1, text)
    assert bool(state.stderr) == bool(text)
    assert '"type":"result"' not in state.stdout


def test_an_unreadable_folder_and_an_unwritable_fresh_run_say_nothing_at_all(box: Box) -> None:
    box.go("copilot", *chosen())
    box.state("copilot").chmod(0o300)
    state = box.resume("copilot", CHOSEN).state
    box.state("copilot").chmod(0o700)
    assert (state.exit_code, state.stdout, state.stderr) == (1, "", "")
    unwritable = box.run(box.request("copilot", *fresh("copilot", "x"), read_only=True)).state
    assert (unwritable.exit_code, unwritable.stdout, unwritable.stderr) == (1, "", "")


def test_events_alone_are_enough_and_the_workspace_alone_is_not(box: Box) -> None:
    box.go("copilot", *chosen())
    events(box).with_name("workspace.yaml").unlink()
    assert box.resume("copilot", CHOSEN).state.exit_code == 0
    events(box).unlink()
    assert box.resume("copilot", CHOSEN).state.exit_code == 1


def test_a_cut_tail_loses_its_turn_without_a_word(box: Box) -> None:
    box.go("copilot", *chosen())
    box.resume("copilot", CHOSEN)
    data = events(box).read_bytes()
    events(box).write_bytes(data[: data.index(b"second")])
    run = box.resume("copilot", CHOSEN, "third")
    assert run.answered is not None
    assert (run.state.exit_code, run.answered.remembered) == (0, ("first",))


def test_a_provider_fault_still_ends_with_a_result(box: Box) -> None:
    run = box.go("copilot", *chosen(), script=Script("rate_limited"))
    error, _, result = (json.loads(line) for line in run.state.stdout.splitlines()[-3:])
    assert (error["data"]["errorType"], error["data"]["statusCode"]) == ("rate_limit", 429)
    assert (result["type"], result["sessionId"], result["exitCode"]) == ("result", CHOSEN, 1)


def test_events_that_cannot_be_written_end_the_run_after_the_answer(box: Box) -> None:
    box.go("copilot", *chosen())
    events(box).chmod(0o400)
    state = box.resume("copilot", CHOSEN).state
    kinds = [json.loads(line)["type"] for line in state.stdout.splitlines()]
    assert state.exit_code == 1
    assert "assistant.message" in kinds
    assert "session.error" in kinds
    assert "result" not in kinds

"""opencode 1.18.33 as measured."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tck_driver.bench import Script

from .box import Box, made_a_directory, resume

RED = "\x1b[91m\x1b[1mError: \x1b[0m"
UNKNOWN = "ses_dd6a30a4effeiY5w2zPmP9jZZZ"
RUN = ("run", "--format", "json")

#: Arguments after `run --format json` → exit code, whether stdout has anything, and what stderr begins with.
ARGUMENTS = [
    ((f"--session={UNKNOWN}", "x"), 1, False, f"{RED}Session not found"),
    (("--session", "x", "x"), 1, False, f"{RED}Session not found"),
    (("--session=--help", "x"), 1, False, f"{RED}Session not found"),
    (("--session", " ", "x"), 1, False, f"{RED}Session not found"),
    (("--session", "--help", "x"), 0, False, "opencode run"),
    (("--session", "", "x"), 0, True, ""),
    (("--session=", "x"), 0, True, ""),
    (("--no-such-flag", "x"), 1, False, "opencode run"),
    (("--title", "-lead", "x"), 1, False, "opencode run"),
    (("--title=-lead", "x"), 0, True, ""),
    (("--", "--dash prompt"), 0, True, ""),
    (("--dir", "/nowhere", "x"), 1, False, f"{RED}Failed to change directory"),
    ((), 1, False, f"{RED}You must provide a message"),
]


@pytest.mark.parametrize(("argv", "code", "speaks", "stderr"), ARGUMENTS)
def test_opencode_answers_arguments_as_measured(
    box: Box,
    argv: tuple[str, ...],
    code: int,
    stderr: str,
    *,
    speaks: bool,
) -> None:
    state = box.go("opencode", *RUN, *argv).state
    assert (state.exit_code, bool(state.stdout), state.stderr[: len(stderr)]) == (code, speaks, stderr)


def file(box: Box) -> Path:
    return box.state("opencode") / "s.db"


def test_every_event_names_the_session(box: Box) -> None:
    run = box.fresh("opencode")
    events = [json.loads(line) for line in run.state.stdout.splitlines()]
    assert [event["type"] for event in events] == ["step_start", "text", "step_finish"]
    assert {event["sessionID"] for event in events} == {run.session}
    assert (run.session[:4], len(run.session)) == ("ses_", 30)


def test_the_database_is_a_real_one_bound_to_the_directory(box: Box) -> None:
    session = box.fresh("opencode").session
    with sqlite3.connect(file(box)) as database:
        rows = database.execute("select id, directory, title from session").fetchall()
    database.close()
    assert rows == [(session, "/workspace", "n")]


def test_without_the_variable_the_database_is_in_the_data_directory_and_goes_with_the_container(box: Box) -> None:
    box.environment.clear()
    session = box.fresh("opencode").session
    assert box.resume("opencode", session).state.stderr == f"{RED}Session not found\n"


def test_a_resume_remembers(box: Box) -> None:
    session = box.fresh("opencode").session
    run = box.resume("opencode", session)
    assert run.answered is not None
    assert (run.session, run.answered.remembered) == (session, ("first",))


def test_another_directory_hangs_without_a_word_until_it_is_let_go(box: Box) -> None:
    session = box.fresh("opencode").session
    run = box.go("opencode", *RUN, f"--session={session}", "second", workdir="/elsewhere")
    assert (run.state.exit_code, run.state.stdout, run.state.stderr) == (None, "", "")
    assert box.runtime.running() == [run.container]
    box.runtime.release()
    assert box.runtime.poll(run.container).exit_code == 0


def test_the_stored_directory_as_an_option_helps(box: Box) -> None:
    session = box.fresh("opencode").session
    argv = resume("opencode", session, "second")
    assert box.go("opencode", *argv, workdir="/elsewhere").state.exit_code == 0


def test_a_fork_has_a_new_id_and_the_history(box: Box) -> None:
    session = box.fresh("opencode").session
    run = box.go("opencode", *RUN, "--session", session, "--fork", "second")
    assert run.answered is not None
    assert run.session != session
    assert run.answered.remembered == ("first",)


DAMAGE: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: path.write_bytes(b""), "Session not found"),
    (lambda path: path.unlink(), "Session not found"),
    (lambda path: path.write_bytes(bytes(range(128, 256)) * 64), "file is not a database"),
    (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10]), "disk image is malformed"),
    (made_a_directory, "unable to open database file"),
    (lambda path: path.chmod(0), "unable to open database file"),
    (lambda path: path.chmod(0o400), 'Failed query: insert into "project"'),
]


@pytest.mark.parametrize(("damage", "text"), DAMAGE)
def test_a_damaged_database_is_refused_with_its_own_words(
    box: Box, damage: Callable[[Path], object], text: str
) -> None:
    session = box.fresh("opencode").session
    damage(file(box))
    state = box.resume("opencode", session).state
    assert (state.exit_code, state.stdout) == (1, "")
    assert text in state.stderr


def test_a_read_only_data_directory_is_refused(box: Box) -> None:
    box.environment["XDG_DATA_HOME"] = "/workspace"
    (box.root / "workspace" / "opencode").mkdir(parents=True)
    (box.root / "workspace" / "opencode").chmod(0o500)
    assert "PermissionDenied: FileSystem.open" in box.fresh("opencode").state.stderr


def test_a_hanging_run_has_named_its_session_after_the_first_step(box: Box) -> None:
    run = box.fresh("opencode", script=Script("hang"))
    assert json.loads(run.state.stdout)["type"] == "step_start"

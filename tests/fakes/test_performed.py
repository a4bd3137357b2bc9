"""A conversation performed by a process: what is printed, who is asked, and what is made of the answer."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_fakes.ids import Ids
from tck_fakes.real_view import RealView
from tck_fakes.standins.base import Failure, Hang, Invocation, Listen, Spoken, Turn, Word
from tck_fakes.standins.performed import Part, asks_usage, asks_version, named, part, perform, programs, version_talk
from tck_fakes.standins.programs import PROGRAMS

ID = "a0be0c93-d022-4b61-b67b-44eb3d0ed457"


def claude(home: Path, *argv: str, script: Script | None = None) -> Part:
    """Give a start of claude in a folder of its own."""
    cli = named("claude")
    assert cli is not None
    call = Invocation(
        argv=argv,
        environment={},
        workdir=str(home),
        home=str(home),
        view=RealView(),
        stdin="",
        script=script or Script(),
        ids=Ids(random.Random(1)),  # noqa: S311 -- reproducible on purpose
        now=datetime(2026, 1, 5, 9, tzinfo=UTC),
    )
    return part(cli, call)


class Stage:
    """Takes down what is said and asked, and answers with one word after the other."""

    def __init__(self, *words: Word | None) -> None:
        self.words = list(words)
        self.out: list[str] = []
        self.err: list[str] = []
        self.asked: list[Turn | Hang | Listen] = []

    def waits(self, event: Turn | Hang | Listen) -> Word | None:
        """Answer with the next word, as long as there is one."""
        self.asked.append(event)
        return self.words.pop(0) if self.words else None

    def perform(self, started: Part) -> int:
        """Have it performed here."""
        return perform(started.talk, self.waits, self.out.append, self.err.append)


def test_without_a_word_everything_is_as_the_script_says(tmp_path: Path) -> None:
    stage = Stage()
    assert stage.perform(claude(tmp_path, "-p", "hello", script=Script(answer="As written."))) == 0
    assert (stage.out, stage.err) == (["As written."], [])
    assert stage.asked == [Turn((Spoken("user", "hello"),))]


def test_an_answer_takes_the_place_of_the_scripts(tmp_path: Path) -> None:
    stage = Stage(Word("Heard it."))
    assert stage.perform(claude(tmp_path, "-p", f"--session-id={ID}", "hello")) == 0
    assert stage.out == ["Heard it."]
    again = Stage()
    assert again.perform(claude(tmp_path, "-p", f"--resume={ID}", "more")) == 0
    assert again.asked == [
        Turn((Spoken("user", "hello"), Spoken("assistant", "Heard it."), Spoken("user", "more"))),
    ]


def test_a_failure_ends_the_run_whatever_the_script_says(tmp_path: Path) -> None:
    stage = Stage(Word(failure=Failure("status", 403, "not for you")))
    assert stage.perform(claude(tmp_path, "-p", "hello")) == 1
    assert stage.out == ["Failed to authenticate. API Error: 403 not for you"]


def test_what_was_got_over_is_told_before_the_answer(tmp_path: Path) -> None:
    stage = Stage(Word("At last.", Failure("status", 500, "broken", tries=2)))
    assert stage.perform(claude(tmp_path, "-p", "--output-format=stream-json", "--verbose", "hello")) == 0
    assert [line.partition('"subtype":"')[2].partition('"')[0] for line in stage.out] == [
        "init",
        "api_retry",
        "",
        "success",
    ]


def test_one_that_hangs_asks_before_it_says_more(tmp_path: Path) -> None:
    stage = Stage()
    assert stage.perform(claude(tmp_path, "-p", "hello", script=Script("hang"))) == 0
    assert [type(event) for event in stage.asked] == [Turn, Hang]


def test_a_refusal_calls_no_model(tmp_path: Path) -> None:
    stage = Stage(Word("Nobody asked."))
    assert stage.perform(claude(tmp_path, "-p", f"--resume={ID}", "hello")) == 1
    assert stage.asked == [Turn()]


def test_a_version_that_hangs_is_said_once_it_is_let_go_on() -> None:
    stage = Stage()
    assert perform(version_talk(AdapterId.CODEX, "1.2.3", "hang"), stage.waits, stage.out.append, stage.err.append) == 0
    assert (stage.asked, stage.out) == ([Hang()], ["codex-cli 1.2.3"])


def test_every_program_of_the_runtime_can_be_performed() -> None:
    assert set(programs()) == set(PROGRAMS)
    assert [type(named(program)) for program in programs()] == [type(PROGRAMS[program]) for program in programs()]
    assert named("sh") is None


@pytest.mark.parametrize(
    ("argv", "version", "usage"),
    [
        (("--version",), True, False),
        (("-v",), True, False),
        (("exec", "--help"), False, True),
        (("exec", "resume", "-h"), False, True),
        (("-p", "--help"), False, False),
        ((), False, False),
    ],
)
def test_questions_about_a_cli_are_told_from_runs(argv: tuple[str, ...], *, version: bool, usage: bool) -> None:
    assert (asks_version(argv), asks_usage(argv)) == (version, usage)


@pytest.mark.parametrize(("code", "ended"), [(0, 0), (3, 3), (137, -signal.SIGKILL)])
def test_a_process_ends_as_its_conversation_did(code: int, ended: int) -> None:
    words = f"from tck_fakes.standins.performed import leave; print('said'); leave({code})"
    done = subprocess.run([sys.executable, "-P", "-c", words], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (ended, b"said\n")

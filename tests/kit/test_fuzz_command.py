"""`session-tck fuzz` as its users start it, from a faulty engine to a counterexample that is run by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Command
from .drivers import SEND, driver

FAULTY = (
    "fuzz",
    "--engine",
    "mutant:slug-of-60",
    "--seed",
    "1",
    "--max-examples",
    "60",
    "--steps",
    "15",
    "--time",
    "600",
)


def _one_error(stderr: str) -> str:
    assert "Traceback" not in stderr
    (line,) = [line for line in stderr.splitlines() if line.startswith(("session-tck: ", "Error: "))]
    return line


def test_a_fault_is_found_kept_and_shown_again_on_the_faulty_engine_and_not_on_a_right_one(
    command: Command, tmp_path: Path
) -> None:
    done = command(*FAULTY)

    assert done.returncode == 1, done.stderr
    (kept,) = (tmp_path / "counterexamples").iterdir()
    assert kept.name.startswith("name-")
    assert f"Kept: counterexamples/{kept.name}" in done.stdout
    assert f"Again: session-tck run --engine mutant:slug-of-60 --feature counterexamples/{kept.name}" in done.stdout
    text = kept.read_text(encoding="utf-8")
    assert text.count("\n    When ") == text.count("\n    Then ") == 1

    red = command("run", "--engine", "mutant:slug-of-60", "--feature", str(kept))
    assert red.returncode == 1, red.stderr
    assert "failed NAME-" in red.stdout
    assert kept.name in red.stdout

    green = command("run", "--feature", str(kept))
    assert green.returncode == 3, green.stderr
    assert "failed" not in green.stdout.partition("incomplete")[2]
    assert "narrowed" in green.stdout or "filter" in green.stdout


def test_the_same_seed_gives_the_same_counterexample_to_the_byte(command: Command, tmp_path: Path) -> None:
    files: list[bytes] = []
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        command(*FAULTY, cwd=tmp_path / place)
        (kept,) = (tmp_path / place / "counterexamples").iterdir()
        files.append(kept.read_bytes())

    assert files[0] == files[1]


def test_a_search_of_the_simulator_finds_nothing_and_leaves_nothing(command: Command, tmp_path: Path) -> None:
    done = command("fuzz", "--seed", "3", "--max-examples", "5", "--steps", "10")

    assert done.returncode == 0, done.stdout
    assert "5 histories, " in done.stdout
    assert "stimuli a second" in done.stdout
    assert "kinds of events: " in done.stdout
    assert "Nothing found, seed 3." in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_a_search_and_says_what_it_did(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tck_kit.command_line", "fuzz", "--max-examples", "100000", "--time", "600"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert process.stderr is not None
    while "searching" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert process.returncode == 3
    assert "Nothing found until it was interrupted, seed " in out
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seed", "-1"), "-1"),
        (("--max-examples", "0"), "0"),
        (("--steps", "many"), "many"),
        (("--time", "0"), "0"),
        (("--engine", "sim+smoke"), "there is no such way to the simulator"),
        (("--engine", "mutant:no-such-fault"), "there is no such fault"),
        (("--engine", "http://127.0.0.1:1 http://127.0.0.1:2"), "give one URL"),
        (("--observe-db", "sqlite:///x"), "the simulator's database is read anyway"),
        (("--output", "file"), "a counterexample cannot be written"),
        (("--no-such-option",), "--no-such-option"),
    ],
)
def test_a_wrong_option_is_one_error(command: Command, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    done = command("fuzz", *arguments)

    assert done.returncode == 2
    assert words in _one_error(done.stderr)


def test_a_driver_that_is_not_there_is_one_error(command: Command, tmp_path: Path) -> None:
    done = command("fuzz", "--engine", "no-such-driver")

    assert done.returncode == 4
    assert "no-such-driver" in _one_error(done.stderr)
    assert list(tmp_path.iterdir()) == []


def test_a_project_file_names_the_engine(command: Command, tmp_path: Path) -> None:
    driver(tmp_path)
    words = f"{sys.executable} driver.py"
    (tmp_path / "session-tck.toml").write_text(f'[engine]\ncommand = "{words}"\n', encoding="utf-8")
    done = command("fuzz", "--seed", "1", "--max-examples", "3", "--steps", "5", "--shrink-time", "5")
    assert done.returncode == 1, done.stderr
    assert "Searching with seed 1: idle 1.0.0 (python), through " in done.stderr
    assert "Again: session-tck run --feature counterexamples/" in done.stdout

    done = command("fuzz", "--seed", "1", "--max-examples", "2", "--steps", "5", "--no-project-file")
    assert done.returncode == 0, done.stderr


def test_a_driver_that_dies_is_told_from_an_engine_that_is_wrong(command: Command, tmp_path: Path) -> None:
    driver(tmp_path, SEND, f"        os._exit(7)\n{SEND}")
    engine = ("--engine", f"{sys.executable} driver.py", "--no-project-file", "--timeout-scale", "0.5")
    done = command("fuzz", *engine, "--seed", "1", "--max-examples", "3", "--steps", "5", "--shrink-time", "5")

    assert done.returncode == 4, done.stdout
    assert "the driver is at fault: stimulus/send: the driver ended with exit code 7" in done.stdout
    assert "session-tck driver check" in done.stderr
    assert len(list((tmp_path / "counterexamples").iterdir())) == 1

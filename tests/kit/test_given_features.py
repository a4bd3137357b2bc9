"""`run --feature`: feature files that are named one by one, and every kind that cannot be run."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from .conftest import FEATURE, Command

#: A history, as `fuzz` keeps it.
HISTORY = """\
# Found by somebody.
Feature: A history

  @name-8
  Scenario: A title of many signs
    Given everything that happens is held against the specification
    And project "acme/shop" is served by codex
    And issue "acme/shop#7", titled "Gr\\u00fc\\u00dfe <b>\\ud83d\\ude80 \\\\ | # </b>", is assigned to the agent
    When a development run of issue "acme/shop#7" is due
    Then everything has been as the specification has it
"""


def _one_error(stderr: str) -> str:
    assert "Traceback" not in stderr
    (line,) = [line for line in stderr.splitlines() if line.startswith("session-tck: ")]
    return line


def test_a_history_is_run_in_place_of_the_scenarios(command: Command, tmp_path: Path) -> None:
    (tmp_path / "one.feature").write_text(HISTORY, encoding="utf-8")
    done = command("run", "--feature", "one.feature", "--report-dir", "report")

    assert "1 scenario of specification" in done.stderr
    assert done.returncode == 3, done.stdout
    (check,) = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["checks"]
    assert check["outcome"] == "passed"
    assert check["id"] == "one.feature::A title of many signs"
    assert not list(Path(tmp_path).glob("session-tck-features-*"))


def test_several_files_of_one_name_are_run_each(command: Command, tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "one.txt").write_text(HISTORY, encoding="utf-8")
    done = command("run", "--feature", "a/one.txt", "--feature", "b/one.txt")

    assert done.returncode == 3, done.stdout
    assert "2 scenarios of specification" in done.stderr


def test_scenarios_of_ones_own_are_run_as_well(command: Command, tmp_path: Path) -> None:
    (tmp_path / "one.feature").write_text(FEATURE, encoding="utf-8")
    done = command("run", "--feature", "one.feature")

    assert done.returncode == 3, done.stdout
    assert "4 scenarios of specification" in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "it cannot be read: No such file or directory"),
        (b"", "there is no feature in this file"),
        (b"\x00\x01\x02\xff\xfe", "the file is not UTF-8 text"),
        ("Feature: Gr\u00fc\u00dfe".encode("latin-1"), "the file is not UTF-8 text"),
        (b"just words\n", "one.feature:1"),
        (b"Feature: nothing in it\n", "there is no scenario in this feature"),
        (HISTORY.replace("  @name-8\n", "").encode(), "names no requirement in a tag"),
        (HISTORY.replace("@name-8", "@name-88").encode(), "the tag @name-88 names no requirement"),
        (HISTORY.replace("is due", "is overdue").encode(), "no step is defined for: When a development run of"),
        (HISTORY.replace('acme/shop#7" is due', 'acme#7" is due').encode(), "no step is defined"),
        (HISTORY.replace("    When ", "    And ").encode(), "has no When"),
        (HISTORY.partition("    Then")[0].encode(), "has no Then"),
        (b"# " + b"x" * 1_100_000 + HISTORY.encode(), "larger than 1 MiB"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_file_that_cannot_be_run_is_one_error(
    command: Command, tmp_path: Path, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "one.feature").write_bytes(content)
    done = command("run", "--feature", "one.feature", "--report-dir", "report")

    assert done.returncode == 2
    error = _one_error(done.stderr)
    assert words in error
    assert error.startswith("session-tck: --feature one.feature")
    assert not (tmp_path / "report").exists()


def test_a_folder_or_what_is_no_regular_file_is_one_error(command: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(tmp_path / "socket"))

    for name, words in (("folder", "--features takes a folder"), ("pipe", "no regular file"), ("socket", "no regular")):
        done = command("run", "--feature", name)
        assert done.returncode == 2
        assert words in _one_error(done.stderr)
    listener.close()


def test_a_file_that_may_not_be_read_is_one_error(command: Command, tmp_path: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "one.feature").write_text(HISTORY, encoding="utf-8")
    (tmp_path / "one.feature").chmod(0)
    done = command("run", "--feature", "one.feature")

    assert done.returncode == 2
    assert "Permission denied" in _one_error(done.stderr)


def test_files_and_a_folder_together_are_one_error(command: Command, tmp_path: Path) -> None:
    (tmp_path / "one.feature").write_text(HISTORY, encoding="utf-8")
    (tmp_path / "features").mkdir()
    done = command("run", "--feature", "one.feature", "--features", "features")

    assert done.returncode == 2
    assert "both --features and --feature are given" in _one_error(done.stderr)

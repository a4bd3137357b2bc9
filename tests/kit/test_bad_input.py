"""Every kind of bad input: one clear error, the documented exit code, no traceback, nothing half-written."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import FEATURE, Command


def _one_error(stderr: str) -> str:
    assert "Traceback" not in stderr
    lines = [line for line in stderr.splitlines() if line.startswith(("session-tck: ", "Error: "))]
    assert len(lines) == 1, stderr
    return lines[0]


@pytest.mark.parametrize("command_name", ["run", "check", "requirements"])
def test_a_missing_specification(command: Command, command_name: str) -> None:
    done = command(command_name, "--specification", "nowhere.md")

    assert done.returncode == 2
    assert "nowhere.md" in _one_error(done.stderr)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02binary\xff", ""),
        ("# Grüße".encode("latin-1"), "UTF-8"),
    ],
    ids=["empty", "binary", "not UTF-8"],
)
def test_a_specification_that_is_no_text(command: Command, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.md").write_bytes(content)

    done = command("run", "--specification", "bad.md")

    assert done.returncode == 2
    assert words in _one_error(done.stderr)


def test_a_specification_of_fifty_megabytes_is_refused_before_it_is_read(command: Command, tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(50 * 1024 * 1024)

    done = command("check", "--specification", "huge.md")

    assert done.returncode == 2
    assert "huge.md" in _one_error(done.stderr)


def test_a_specification_without_requirements(command: Command, tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("# Nothing is required\n\nReally.\n", encoding="utf-8")
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "a.feature").write_text(FEATURE, encoding="utf-8")

    done = command("run", "--specification", "plain.md", "--features", "features")

    assert done.returncode == 2
    assert "no requirement" in _one_error(done.stderr)


def test_scenarios_with_faults_are_all_named_and_nothing_is_run(on_small: Command, small: Path) -> None:
    bad = FEATURE.replace("@resume-2", "@resume-99").replace(
        "    Then the state directory of the issue is for its owner alone\n", ""
    )
    (small / "features" / "small.feature").write_text(bad, encoding="utf-8")

    done = on_small("run", "--report-dir", "report")

    assert done.returncode == 2
    assert "@resume-99 names no requirement" in done.stderr
    assert "has no Then" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (small / "report").exists()


def test_a_folder_without_scenarios(on_small: Command, small: Path) -> None:
    (small / "features" / "small.feature").unlink()

    done = on_small("run")

    assert done.returncode == 2
    assert "no scenario" in _one_error(done.stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--area", "RESUMES"), "did you mean RESUME?"),
        (("run", "--requirement", "RESUME-222"), "did you mean RESUME-2"),
        (("run", "--profile", "gold"), "gold"),
        (("run", "--seed", "-1"), "-1"),
        (("run", "--workers", "0"), "0"),
        (("run", "--no-such-option"), "--no-such-option"),
        (("requirements", "--status", "maybe"), "agreed"),
        (("requirements", "--area", "nowhere"), "known are"),
        (("no-such-command",), "no-such-command"),
    ],
)
def test_a_wrong_option(command: Command, arguments: tuple[str, ...], words: str) -> None:
    done = command(*arguments)

    assert done.returncode == 2
    assert words in _one_error(done.stderr)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"{not json", "no JSON"),
        (b"[1, 2]", "no TOML"),
        (b'{"a::b": "issue 12"}', "the earlier form of a baseline"),
        (b'{"a::b": 3}', "is not known"),
        (b"\xff\xfe", "no UTF-8"),
    ],
)
def test_a_baseline_that_is_none(on_small: Command, small: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (small / "known.json").write_bytes(content)

    done = on_small("run", "--baseline", "known.json")

    assert done.returncode == 2
    assert words in _one_error(done.stderr)


def test_a_report_folder_that_is_a_file_is_refused_before_anything_is_run(on_small: Command, small: Path) -> None:
    (small / "report").write_text("I was here first", encoding="utf-8")

    done = on_small("run", "--report-dir", "report")

    assert done.returncode == 2
    assert "report" in _one_error(done.stderr)
    assert " of 4 scenarios" not in done.stderr
    assert (small / "report").read_text(encoding="utf-8") == "I was here first"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux alone")
def test_a_report_folder_that_cannot_be_written(on_small: Command) -> None:
    done = on_small("run", "--report-dir", "/proc/self/report")

    assert done.returncode == 2
    assert "/proc/self/report" in _one_error(done.stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is of Linux alone")
def test_a_full_standard_output_is_no_traceback(tmp_path: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "tck_kit.command_line", "requirements"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            check=False,
            timeout=60,
        )

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_locked_database(on_small: Command, small: Path) -> None:
    path = small / "engine.sqlite"
    holder = sqlite3.connect(path)
    holder.execute("CREATE TABLE projects (x)")
    holder.execute("BEGIN EXCLUSIVE")

    done = on_small("run", "--workers", "1", "--database", f"sqlite:///{path}")
    holder.close()

    assert done.returncode == 2
    assert "locked" in _one_error(done.stderr)


def test_a_corrupt_database(on_small: Command, small: Path) -> None:
    path = small / "engine.sqlite"
    holder = sqlite3.connect(path)
    holder.execute("CREATE TABLE projects (x)")
    holder.executemany("INSERT INTO projects VALUES (?)", [("x" * 500,)] * 200)
    holder.commit()
    holder.close()
    content = bytearray(path.read_bytes())
    content[4096:8192] = os.urandom(4096)
    path.write_bytes(content)

    done = on_small("run", "--workers", "1", "--database", f"sqlite:///{path}")

    assert done.returncode == 2
    assert str(path) in _one_error(done.stderr)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"this is no database at all, but quite long" * 40, "not a database"), (None, "unable to open")],
)
def test_a_database_that_is_none(on_small: Command, small: Path, content: bytes | None, words: str) -> None:
    path = small / "missing-folder" / "engine.sqlite" if content is None else small / "engine.sqlite"
    if content is not None:
        path.write_bytes(content)

    done = on_small("run", "--workers", "1", "--database", f"sqlite:///{path}")

    assert done.returncode == 2
    assert words in _one_error(done.stderr)


def test_a_database_with_somebody_elses_tables_is_left_alone(on_small: Command, small: Path) -> None:
    path = small / "theirs.sqlite"
    holder = sqlite3.connect(path)
    holder.execute("CREATE TABLE payroll (amount)")
    holder.execute("INSERT INTO payroll VALUES (1)")
    holder.commit()

    done = on_small("run", "--workers", "1", "--database", f"sqlite:///{path}")

    assert done.returncode == 2
    assert "payroll" in _one_error(done.stderr)
    assert holder.execute("SELECT count(*) FROM payroll").fetchone() == (1,)
    holder.close()


def test_a_database_of_the_users_serves_a_whole_run(on_small: Command, small: Path) -> None:
    done = on_small("run", "--workers", "1", "--database", f"sqlite:///{small / 'mine.sqlite'}")

    assert done.returncode == 0, done.stderr


def test_one_database_cannot_serve_two_workers(on_small: Command, small: Path) -> None:
    done = on_small("run", "--workers", "2", "--database", f"sqlite:///{small / 'mine.sqlite'}")

    assert done.returncode == 2
    assert "--workers 1" in _one_error(done.stderr)


def test_a_database_url_that_is_none(on_small: Command) -> None:
    done = on_small("run", "--workers", "1", "--database", "nonsense")

    assert done.returncode == 2
    assert "nonsense" in _one_error(done.stderr) or "database URL" in _one_error(done.stderr)


def test_a_relative_database_is_the_file_that_is_used(on_small: Command, small: Path) -> None:
    done = on_small("run", "--workers", "1", "--database", "sqlite:///mine.sqlite")

    assert done.returncode == 0
    with sqlite3.connect(small / "mine.sqlite") as connection:
        tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master")}
    assert "mailboxes" in tables


def test_a_table_of_the_simulators_name_with_other_columns_is_left_alone(on_small: Command, small: Path) -> None:
    path = small / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mailboxes (letter TEXT)")
        connection.execute("INSERT INTO mailboxes VALUES ('dear')")

    done = on_small("run", "--workers", "1", "--database", f"sqlite:///{path}")

    assert done.returncode == 2
    assert "mailboxes" in _one_error(done.stderr)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT letter FROM mailboxes").fetchall() == [("dear",)]


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_is_refused(on_small: Command, url: str) -> None:
    done = on_small("run", "--workers", "1", "--database", url)

    assert done.returncode == 2
    assert "in memory" in _one_error(done.stderr)


def test_a_pipe_among_the_scenarios_is_said_to_be_no_file(on_small: Command, small: Path) -> None:
    os.mkfifo(small / "features" / "pipe.feature")

    done = on_small("run")

    assert done.returncode == 2
    assert "pipe.feature" in done.stderr
    assert "no file" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--requirement", "reuse-1"), "it is of the profile reuse; use --profile reuse"),
        (("--profile", "continuity", "--requirement", "name-1"), "it is of the profile core; use --profile core"),
        (("--profile", "core", "--profile", "reuse"), "no engine is run by mailboxes and by courses at once"),
        (("--profile", "reuse"), "use --engine sim:reuse"),
        (("--engine", "sim:reuse", "--profile", "core"), "it plays courses, and core is shown with mailboxes"),
        (("--engine", "peer:zeroshot-10"), "use `session-tck peers run zeroshot-10`"),
    ],
)
def test_a_profile_that_is_not_for_this_engine_or_run_is_told_so(
    command: Command, arguments: tuple[str, ...], told: str
) -> None:
    done = command("run", *arguments)

    assert done.returncode == 2
    assert told in _one_error(done.stderr)


@pytest.mark.parametrize("option", ["--time-limit", "--scenario-time-limit"])
def test_a_limit_beyond_reason_is_a_usage_error(command: Command, option: str) -> None:
    assert command("run", option, "9" * 20).returncode == 2


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is of Linux alone")
@pytest.mark.parametrize(
    ("redirection", "code"), [("| true", 2), (">&-", 0), (">/dev/full", 2), (">/dev/full 2>/dev/full", 2)]
)
def test_an_output_that_cannot_be_written_is_no_verdict(small: Path, redirection: str, code: int) -> None:
    command = f"{sys.executable} -P -m tck_kit.command_line requirements --specification specification.md {redirection}"

    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=small, capture_output=True, text=True, check=False
    )

    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_terminal_without_unicode_is_written_to(small: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tck_kit.command_line", "requirements", "--specification", "specification.md"],
        cwd=small,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )

    assert done.returncode == 0
    assert "?" in done.stdout

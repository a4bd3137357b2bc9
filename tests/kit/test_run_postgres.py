"""The simulator keeps its rows in a real PostgreSQL server, and everything comes out as it does with SQLite."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.postgres import Postgres, running

from .conftest import Command

AREAS = ("--area", "RECORD", "--area", "CAPABILITY", "--area", "CLEAN")


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with running() as postgres:
        yield postgres


def graded(report: Path) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads((report / "report.json").read_text(encoding="utf-8"))
    return whole


def test_every_outcome_is_that_of_sqlite_and_rows_are_read_from_the_server(
    server: Postgres, command: Command, tmp_path: Path
) -> None:
    url = f"{server.url(server.fresh())}&client_encoding=utf8"
    for where, given in (("sqlite", ()), ("server", ("--database", url))):
        ended = command("run", "--seed", "3", "--workers", "1", *AREAS, *given, "--report-dir", where)
        assert ended.returncode == 3, ended.stderr
    ours, theirs = graded(tmp_path / "sqlite"), graded(tmp_path / "server")
    for report in (ours, theirs):
        assert {check["outcome"] for check in report["checks"] if check["outcome"] != "not_run"} == {"passed"}
    outcomes = [
        {one["id"]: (one["outcome"], one["evidence"]) for one in report["requirements"]} for report in (ours, theirs)
    ]
    assert outcomes[0] == outcomes[1]
    assert ours["run"]["surroundings"]["database"] == "SQLite"
    assert theirs["run"]["surroundings"]["database"] == "PostgreSQL"
    parts = [{one["part"] for one in report["run"]["surroundings"]["not_exercised"]} for report in (ours, theirs)]
    assert parts[0] - parts[1] == {"a database server"}


def test_a_known_bad_engine_is_caught_with_a_server_too(server: Postgres, command: Command) -> None:
    url = f"{server.url(server.fresh())}&client_encoding=utf8"
    ended = command(
        "run", "--engine", "mutant:reopened-never-resumes", "--workers", "1", "--area", "CLEAN", "--database", url
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr


def test_a_server_that_ends_in_the_middle_is_one_clear_error(command: Command, tmp_path: Path) -> None:
    with running() as postgres:
        url = f"{postgres.url(postgres.fresh())}&client_encoding=utf8"
        assert command("run", "--workers", "1", "--area", "RECORD", "--database", url).returncode == 3
    ended = command("run", "--workers", "1", "--area", "RECORD", "--database", url, cwd=tmp_path)
    assert_one_line(ended, "--database", "that the server runs")


def test_a_url_whose_package_is_missing_says_how_to_get_it(command: Command) -> None:
    ended = command("run", "--workers", "1", "--database", "postgresql+psycopg2://tck@/x")
    assert_one_line(ended, "psycopg2", "pip install 'session-tck[postgres]'")


def assert_one_line(ended: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert ended.stderr.count("\n") == 1, ended.stderr
    for part in parts:
        assert part in ended.stderr

"""CTRF is read by the library of those who made it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tck_reports.formats import ctrf
from tck_reports.formats.cases import cases
from tck_reports.shape import Report

from .consumers.peers import node, peer
from .full import full_report
from .samples import large_run, mixed_report, report_of


def read(report: Report) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in json.loads(ctrf.render(report))["results"]["tests"]}


@pytest.mark.parametrize(
    "report", [full_report(), mixed_report(), report_of(large_run())], ids=["full", "mixed", "large"]
)
def test_its_own_library_takes_it_and_counts_the_same(report: Report, tmp_path: Path) -> None:
    peer("ctrf")
    file = tmp_path / "ctrf.json"
    file.write_text(ctrf.render(report), encoding="utf-8")
    said = json.loads(node("ctrf_reads.cjs", file))
    summary = json.loads(ctrf.render(report))["results"]["summary"]
    assert (said["valid"], said["errors"]) == (True, [])
    assert said["summary"] == {name: summary[name] for name in said["summary"]}
    assert summary["tests"] == len(list(cases(report)))
    assert summary["flaky"] == sum(one["outcome"] == "flaky" for one in report["checks"])


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("failed", "failed"),
        ("error", "failed"),
        ("untestable", "failed"),
        ("stale", "failed"),
        ("flaky", "failed"),
        ("not_run", "pending"),
        ("unsupported", "skipped"),
        ("not_applicable", "skipped"),
    ],
)
def test_an_outcome_has_its_status_and_stands_beside_it(outcome: str, status: str) -> None:
    found = read(full_report())[f"What gives_{outcome} looks at [gives_{outcome}]"]
    assert (found["status"], found["rawStatus"]) == (status, outcome)
    assert found["message"]
    assert found["trace"]


def test_a_failure_has_its_place_steps_requirements_and_the_way_to_repeat_it() -> None:
    found = read(full_report())["What gives_failed looks at [gives_failed]"]
    assert found["message"] == 'the id that the CLI was given: expected "s-1", got "s-2"'
    assert (found["filePath"], found["line"]) == ("features/scenarios/area/gives_failed.feature", 12)
    assert [one["status"] for one in found["steps"]] == ["passed", "passed", "failed"]
    assert found["tags"] == ["RESUME-3"]
    assert found["extra"]["reproduce"] == "session-tck run --engine sim --requirement RESUME-3 --seed 42"
    assert found["extra"]["fault"].startswith("the engine's")


def test_earlier_tries_and_known_failures_are_told() -> None:
    found = read(full_report())
    flaky = found["What gives_flaky looks at [gives_flaky]"]
    assert (flaky["flaky"], flaky["retries"]) == (True, 2)
    assert [one["status"] for one in flaky["retryAttempts"]] == ["failed", "failed"]
    known = found["What knows_it looks at [knows_it]"]
    assert (known["status"], known["extra"]["knownFailure"]) == (
        "other",
        ["knows_it: issue 12 (team-a, since 2026-01-02)"],
    )


def test_the_same_report_has_the_same_id_and_another_one_another() -> None:
    ids = [json.loads(ctrf.render(one))["reportId"] for one in (full_report(), full_report(), mixed_report())]
    assert ids[0] == ids[1] != ids[2]


def test_a_run_is_healthy_with_exit_code_0_only_and_names_its_shard() -> None:
    environment = json.loads(ctrf.render(full_report()))["results"]["environment"]
    assert (environment["healthy"], environment["shardId"]) == (False, "2/5")
    assert "shardId" not in json.loads(ctrf.render(mixed_report()))["results"]["environment"]

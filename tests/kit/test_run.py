from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tck_reports import files
from tck_reports.reading import read

from .conftest import FEATURE, SPECIFICATION, Command


def _report(folder: Path) -> dict[str, object]:
    report: dict[str, object] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def test_a_conforming_engine_gets_its_verdicts_with_numerator_and_denominator(on_small: Command, small: Path) -> None:
    done = on_small("run", "--seed", "1", "--report-dir", "report")

    assert done.returncode == 0, done.stderr
    assert "core: conformant 2/2" in done.stdout
    assert "hardened: conformant 1/1 (witnessed)" in done.stdout
    report = read(small / "report" / "report.json")
    assert report["complete"] is True
    assert report["run"]["seed"] == 1
    assert [check["outcome"] for check in report["checks"]] == ["passed"] * 4
    assert {one["name"]: one["observed"] for one in report["controls"]}.keys() == {"silent", "forgetful"}


def test_every_format_is_written_and_nothing_else(on_small: Command, small: Path) -> None:
    on_small("run", "--report-dir", "report")

    assert sorted(path.name for path in (small / "report").iterdir()) == sorted(
        [*files.FORMATS, "report.json", "trace.ndjson"]
    )
    assert {"report.html", "junit.xml", "summary.md"} < set(files.FORMATS)


def test_the_same_seed_gives_the_same_outcomes_and_the_same_order(on_small: Command, small: Path) -> None:
    runs = []
    for folder in ("one", "two"):
        on_small("run", "--seed", "77", "--workers", "1", "--report-dir", folder)
        checks = _report(small / folder)["checks"]
        assert isinstance(checks, list)
        runs.append([(check["id"], check["outcome"], check["expectations"]) for check in checks])

    assert [check[:2] for check in runs[0]] == [check[:2] for check in runs[1]]


def test_a_failure_is_explained_by_the_requirements_own_text_and_both_values(on_small: Command, small: Path) -> None:
    feature = small / "features" / "small.feature"
    feature.write_text(FEATURE.replace("mend-the-door", "mend-the-window"), encoding="utf-8")

    done = on_small("run", "--seed", "1")

    assert done.returncode == 1
    assert "NAME-1" in done.stdout
    assert "The engine MUST name the session after the branch." in done.stdout
    assert "agent/issue-7-mend-the-window" in done.stdout
    assert "agent/issue-7-mend-the-door" in done.stdout
    assert "core: nonconformant 1/2" in done.stdout


def test_a_requirement_without_a_scenario_makes_the_run_invalid(on_small: Command, small: Path) -> None:
    more = '- <a id="clean-1"></a>**CLEAN-1** (agreed): The engine MUST clean up after the issue.\n'
    (small / "specification.md").write_text(SPECIFICATION + more, encoding="utf-8")

    done = on_small("run")

    assert done.returncode == 4
    assert "CLEAN-1" in done.stdout
    assert "no scenario" in done.stdout


def test_a_filtered_run_gives_no_verdict(on_small: Command) -> None:
    done = on_small("run", "--area", "name")

    assert done.returncode == 3
    assert "core: indeterminate" in done.stdout


def test_the_profile_decides_what_is_graded(on_small: Command, small: Path) -> None:
    done = on_small("run", "--profile", "core", "--report-dir", "report")

    assert done.returncode == 0, done.stderr
    checks = _report(small / "report")["checks"]
    assert isinstance(checks, list)
    assert not any("ISOLATE-11" in check["requirements"] for check in checks)


def test_a_run_that_is_out_of_time_is_incomplete_and_says_so(small: Path, on_small: Command) -> None:
    _many(small, outlines=200)

    done = on_small("run", "--time-limit", "1", "--report-dir", "report", "--workers", "1")

    report = _report(small / "report")
    assert report["complete"] is False
    assert done.returncode == 3
    assert "time limit" in done.stdout
    assert "indeterminate" in done.stdout


def _many(small: Path, outlines: int = 25) -> None:
    """Make the suite so long that something can happen in the middle of it."""
    rows = "".join(f"      | {adapter} |\n" for adapter in ("codex", "copilot", "claude-code", "opencode"))
    text = "".join(
        f"""
  @resume-2
  Scenario Outline: A second run resumes, number {number}
    Given an issue served by <adapter>
    And an analysis run of the issue has ended
    When a development run of the issue is due
    Then the second run is recorded as resumed

    Examples:
      | adapter |
{rows}"""
        for number in range(outlines)
    )
    (small / "features" / "small.feature").write_text(FEATURE + text, encoding="utf-8")


@contextmanager
def _under_way(small: Path) -> Generator[subprocess.Popen[str]]:
    """Start a run of a long suite, and go on once it has executed some scenarios."""
    _many(small)
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "tck_kit.command_line", "run", "--workers", "1"),
            *("--specification", "specification.md", "--features", "features", "--report-dir", "report"),
        ],
        cwd=small,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert process.stderr is not None
    for line in process.stderr:
        if " of 104 scenarios" in line:
            break
    yield process


def test_an_interrupt_leaves_a_partial_report_that_says_so(small: Path) -> None:
    with _under_way(small) as process:
        os.kill(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)

    report = _report(small / "report")
    assert process.returncode == 3
    assert report["complete"] is False
    assert "interrupted" in str(report["incomplete_reasons"])
    assert "indeterminate" in output


def test_a_worker_that_dies_costs_one_scenario_and_the_run_goes_on(small: Path) -> None:
    with _under_way(small) as process:
        (worker,) = _children(process.pid)
        os.kill(worker, signal.SIGKILL)
        process.communicate(timeout=120)

    checks = read(small / "report" / "report.json")["checks"]
    errors = [check for check in checks if check["outcome"] == "error"]
    assert len(checks) == 104
    # A worker that was killed between two scenarios has cost none.
    assert len(errors) <= 1
    assert process.returncode == (4 if errors else 0)
    assert all("worker process ended with exit code -9" in str(check["reason"]) for check in errors)
    assert sum(check["outcome"] == "passed" for check in checks) == 104 - len(errors)


def test_more_combinations_are_run_when_asked_for(on_small: Command, small: Path) -> None:
    text = FEATURE.replace(
        "      | copilot |\n", "\n    Examples: more combinations\n      | adapter |\n      | copilot |\n"
    )
    (small / "features" / "small.feature").write_text(text, encoding="utf-8")

    quick = on_small("run", "--report-dir", "quick")
    thorough = on_small("run", "--thorough", "--report-dir", "thorough")

    assert (quick.returncode, thorough.returncode) == (0, 0)
    assert "1 more combinations were left out" in quick.stdout
    assert len(read(small / "quick" / "report.json")["checks"]) == 3
    assert len(read(small / "thorough" / "report.json")["checks"]) == 4


def test_workers_are_gone_after_an_interrupt(small: Path) -> None:
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "tck_kit.command_line", "run", "--workers", "2"),
            *("--specification", "specification.md", "--features", "features"),
        ],
        cwd=small,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    mine: list[int] = []
    deadline = time.monotonic() + 30
    while not mine and time.monotonic() < deadline:
        time.sleep(0.05)
        mine = _children(process.pid)
    os.kill(process.pid, signal.SIGINT)
    process.wait(timeout=60)

    assert mine
    assert not [pid for pid in mine if _alive(pid)]


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text(encoding="utf-8").split()] if found.exists() else []


def _alive(pid: int) -> bool:
    try:
        return "worker" in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    except OSError:
        return False


NAMED = "small.feature::The first run is named"


def _baseline(small: Path, **entries: str) -> None:
    text = "".join(
        f'[[failure]]\ncheck = "{check}"\nreason = "{reason}"\nowner = "us"\nsince = 2026-01-31\n'
        for check, reason in entries.items()
    )
    (small / "known.toml").write_text(text, encoding="utf-8")


def test_a_known_failure_is_excused_and_the_verdict_stays_what_it_is(on_small: Command, small: Path) -> None:
    feature = small / "features" / "small.feature"
    feature.write_text(FEATURE.replace("mend-the-door", "mend-the-window"), encoding="utf-8")
    _baseline(small, **{NAMED: "issue 12"})

    done = on_small("run", "--baseline", "known.toml")

    assert done.returncode == 0, done.stdout
    assert "core: nonconformant 1/2" in done.stdout


def test_a_known_failure_that_passes_makes_the_baseline_stale(on_small: Command, small: Path) -> None:
    _baseline(small, **{NAMED: "issue 12"})

    assert on_small("run", "--baseline", "known.toml").returncode == 5


def test_an_entry_for_a_check_that_does_not_exist_makes_the_baseline_stale(on_small: Command, small: Path) -> None:
    _baseline(small, **{"small.feature::Nothing": "issue 12"})

    done = on_small("run", "--baseline", "known.toml")

    assert done.returncode == 5
    assert "small.feature::Nothing" in done.stdout


def test_an_entry_for_a_row_that_only_a_thorough_run_has_is_not_stale(on_small: Command, small: Path) -> None:
    text = FEATURE.replace(
        "      | copilot |\n", "\n    Examples: more combinations\n      | adapter |\n      | copilot |\n"
    )
    (small / "features" / "small.feature").write_text(text, encoding="utf-8")
    _baseline(small, **{"small.feature::A second run resumes[copilot]": "issue 12"})

    assert on_small("run", "--baseline", "known.toml").returncode == 0


def test_nothing_of_the_users_folder_is_looked_at(small: Path, on_small: Command) -> None:
    (small / "conftest.py").write_text("raise RuntimeError('loaded')", encoding="utf-8")
    (small / "features" / "conftest.py").write_text("raise RuntimeError('loaded')", encoding="utf-8")
    (small / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n", encoding="utf-8")
    (small / "pytest.py").write_text("raise RuntimeError('loaded')", encoding="utf-8")

    done = on_small("run", PYTEST_ADDOPTS="--no-such-option", PYTEST_PLUGINS="no_such_plugin")

    assert done.returncode == 0, done.stderr


def test_a_suite_without_a_scenario_that_must_notice_a_control_is_graded_all_the_same(
    command: Command, tmp_path: Path
) -> None:
    wanted = [line for line in SPECIFICATION.splitlines() if "RESUME-2" not in line and "ISOLATE-11" not in line]
    (tmp_path / "specification.md").write_text("\n".join(wanted), encoding="utf-8")
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "small.feature").write_text(FEATURE.partition("  @resume-2")[0], encoding="utf-8")

    given = ("--specification", "specification.md", "--features", "features", "--profile", "core")
    done = command("run", *given, "--report-dir", "report")

    controls = read(tmp_path / "report" / "report.json")["controls"]
    assert done.returncode == 0, done.stderr
    assert {control["name"]: control["observed"] for control in controls} == {
        "silent": "1 of 1 failed",
        "forgetful": "0 of 0 failed",
    }


def test_own_scenarios_for_some_requirements_of_the_kit_say_that_they_are_not_about_all(
    command: Command, tmp_path: Path
) -> None:
    source = Path(__file__).parents[2] / "features" / "scenarios" / "naming" / "label.feature"
    (tmp_path / "own.feature").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")

    done = command("run", "--features", str(tmp_path), "--seed", "1")

    assert done.returncode == 3
    assert "filter: 1 of 96 requirements were selected" in done.stdout
    assert "core: indeterminate 1/62" in done.stdout

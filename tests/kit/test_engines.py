"""Whole runs, each with an engine that is reached in another way or has something less, held against one another."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tck_driver.connection import About
from tck_driver.process import Command, DriverProcess
from tck_kit.catalogue import read_catalogue
from tck_kit.engine_choice import SERVED, EngineChoice, Observed
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_kit.scenarios import Scenario
from tck_kit.skeleton import write_skeleton
from tck_kit.sources import DriverSource
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord

from .conftest import FEATURE, SPECIFICATION

Json = dict[str, Any]
#: The simulator as an engine of somebody else's, and where that has its database.
FOREIGN, DATABASE = " ".join(SERVED), "sqlite:///{directory}/engine.sqlite"
#: The simulator with some capabilities declared otherwise, each a word `name=unsupported`, or `name=` for undeclared.
PARTIAL = """\
import sys
from dataclasses import replace
from tck_driver.server import Server, serve_stdio
from tck_fakes.served import ServedSimulator

class Partial(ServedSimulator):
    def declare(self, capabilities):
        said = super().declare(capabilities)
        told = {**said.capabilities, **dict(word.split("=") for word in sys.argv[1:])}
        return replace(said, capabilities={name: support for name, support in told.items() if support})

serve_stdio(Server(Partial, "partial", "1"))
"""


#: The small suite, with a row that an ordinary run leaves out.
SUITE = FEATURE.replace(
    "      | copilot |\n",
    "      | copilot |\n\n    Examples: more combinations\n      | adapter  |\n      | opencode |\n",
)


@dataclass(frozen=True, slots=True)
class Done:
    """A run that has ended, and its report."""

    code: int
    stdout: str
    stderr: str
    report: Json

    @property
    def outcomes(self) -> dict[str, str]:
        return {one["id"]: one["outcome"] for one in self.report["requirements"]}

    def requirement(self, name: str) -> Json:
        return next(one for one in self.report["requirements"] if one["id"] == name)

    def checks(self) -> dict[str, Json]:
        """Give what each check gave, without its time and the folder that it happened in."""
        text = re.sub(r'/[^"\s]*/worker-\d+/scenarios/\d+', "<place>", json.dumps(self.report["checks"]))
        return {one.pop("id"): {**one, "duration_ms": 0} for one in json.loads(text)}


def _run(folder: Path, name: str, cwd: Path, arguments: Sequence[str]) -> Done:
    report = folder / f"report-{name}"
    done = subprocess.run(
        [
            *(sys.executable, "-P", "-m", "tck_kit.command_line", "run", *arguments),
            *("--specification", str(folder / "specification.md"), "--features", str(folder / "features")),
            *("--seed", "1", "--workers", "1", "--timeout-scale", "4", "--report-dir", str(report)),
        ],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert (report / "report.json").exists(), done.stderr
    read: Json = json.loads((report / "report.json").read_text(encoding="utf-8"))
    return Done(done.returncode, done.stdout, done.stderr, read)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Done]:
    """One run for each of the engines, two at a time."""
    folder = tmp_path_factory.mktemp("engines")
    (folder / ".git").mkdir()
    (folder / "specification.md").write_text(SPECIFICATION, encoding="utf-8")
    (folder / "features").mkdir()
    (folder / "features" / "small.feature").write_text(SUITE, encoding="utf-8")
    (folder / "partial.py").write_text(PARTIAL, encoding="utf-8")
    write_skeleton("python", folder / "skeleton")
    partial = f"{sys.executable} -P partial.py"
    listening = DriverProcess(Command((*SERVED, "http"), str(folder)))
    url = listening.read().decode("ascii").strip()
    wanted: dict[str, tuple[str, ...]] = {
        "sim": ("--engine", "sim"),
        "sim+stdio": ("--engine", "sim+stdio"),
        "sim+http": ("--engine", "sim+http"),
        "observed": ("--engine", FOREIGN, "--observe-db", DATABASE),
        "listening": ("--engine", url, "--observe-db", DATABASE),
        "declined": ("--engine", f"{partial} adapter.copilot=unsupported"),
        "undeclared": ("--engine", f"{partial} adapter.copilot="),
        "skeleton": (),
    }

    def one(name: str) -> Done:
        return _run(folder, name, folder / "skeleton" if name == "skeleton" else folder, wanted[name])

    try:
        with ThreadPoolExecutor(2) as pool:
            done = dict(zip(wanted, pool.map(one, wanted), strict=True))
        assert listening.ended(0) is None, "a driver that was running before was ended by the kit"
    finally:
        listening.kill()
    return done


SAME = ["sim+stdio", "sim+http", "observed", "listening"]


@pytest.mark.parametrize("name", SAME)
def test_however_the_simulator_is_reached_each_check_looks_at_the_same_and_sees_the_same(
    runs: Mapping[str, Done], name: str
) -> None:
    assert runs[name].checks() == runs["sim"].checks()
    assert (runs[name].code, runs["sim"].code) == (0, 0)
    assert runs[name].report["verdict"] == runs["sim"].report["verdict"]
    assert runs[name].report["implementation"] == runs["sim"].report["implementation"]


def test_a_report_says_how_the_engine_was_reached(runs: Mapping[str, Done]) -> None:
    told = {name: runs[name].report["run"]["transport"] for name in ("sim", *SAME)}

    assert told == {
        "sim": "in process",
        "sim+stdio": "stdio",
        "sim+http": "http",
        "observed": "stdio",
        "listening": "http",
    }
    assert "through" not in runs["sim"].stderr
    assert f"through {FOREIGN}" in runs["observed"].stderr
    assert "through http://127.0.0.1:" in runs["listening"].stderr


def test_rows_of_a_database_that_is_looked_into_are_witnessed_and_rows_that_are_told_are_reported(
    runs: Mapping[str, Done],
) -> None:
    told = {name: runs[name].requirement("RESUME-2")["evidence"] for name in ("sim", "observed", "declined")}

    assert told == {"sim": "witnessed", "observed": "witnessed", "declined": "reported"}
    observed, reported = (
        {
            (check, one["statement"]): (one["held"], one["evidence_class"])
            for check, fields in runs[name].checks().items()
            for one in fields["expectations"]
            if "[copilot]" not in check and "[opencode]" not in check
        }
        for name in ("observed", "declined")
    )
    assert observed.keys() == reported.keys()
    changed = {key for key in observed if observed[key] != reported[key]}
    assert {(observed[key], reported[key]) for key in changed} == {((True, "witnessed"), (True, "reported"))}
    assert any(statement.startswith("resumed of run 2") for _, statement in changed)


def test_what_an_engine_declines_is_left_out_and_the_rest_decides(runs: Mapping[str, Done]) -> None:
    run = runs["declined"]
    checks = {name: (fields["outcome"], fields["reason"]) for name, fields in run.checks().items()}
    left_out = {name: said for name, said in checks.items() if said != ("passed", None)}

    assert run.code == 0, run.stdout
    assert run.report["declared"]["capabilities"]["adapter.copilot"] == "unsupported"
    ((name, said),) = left_out.items()
    assert "[copilot]" in name
    assert said == ("unsupported", "adapter.copilot is declared unsupported")
    resumes = run.requirement("RESUME-2")
    assert resumes["outcome"] == "passed"
    assert resumes["reason"] == "1 of 3 scenarios left out: adapter.copilot is declared unsupported"
    assert "core: conformant 2/2" in run.stdout


def test_what_an_engine_says_nothing_of_cannot_be_tested_and_that_is_a_failure(runs: Mapping[str, Done]) -> None:
    run = runs["undeclared"]

    assert run.code == 1
    assert run.outcomes == {"NAME-1": "passed", "RESUME-2": "untestable", "ISOLATE-11": "passed"}
    assert run.requirement("RESUME-2")["reason"] == "adapter.copilot is undeclared"
    assert "core: nonconformant 1/2" in run.stdout
    assert "adapter.copilot" not in run.report["declared"]["capabilities"]


@pytest.mark.parametrize(
    ("name", "count"),
    [("sim", 4), ("sim+http", 4), ("observed", 4), ("skeleton", 4), ("declined", 5), ("undeclared", 5)],
)
def test_an_engine_that_lacks_an_adapter_is_shown_with_all_combinations_of_the_others(
    runs: Mapping[str, Done], name: str, count: int
) -> None:
    run = runs[name]

    assert len(run.checks()) == count
    assert ("1 more combinations were left out" in run.stdout) is (count == 4)
    assert ("adapter.copilot: not supported" in run.stderr) is (count == 5)


def test_nothing_passes_with_a_driver_that_was_just_begun_and_there_is_no_verdict(runs: Mapping[str, Done]) -> None:
    run = runs["skeleton"]

    assert set(run.outcomes.values()) <= {"unsupported", "untestable"}
    assert run.code != 0
    assert "conformant" not in run.stdout.replace("nonconformant", "")
    assert "session-tck.toml" in run.stderr
    assert {fields["outcome"] for fields in run.checks().values()} <= {"unsupported", "untestable"}


@pytest.mark.parametrize("name", ["sim", *SAME, "declined", "undeclared", "skeleton"])
def test_engines_that_are_wrong_on_purpose_are_found_out_in_every_run(runs: Mapping[str, Done], name: str) -> None:
    controls = runs[name].report["controls"]

    assert {one["name"] for one in controls} == {"silent", "forgetful"}
    assert all(one["expected"] == one["observed"] for one in controls)
    assert "Traceback" not in runs[name].stderr


# The kit's own scenarios, performed without a command line

#: They tamper with rows, protect folders, let versions hang, kill engines, and have time, trackers and models in them.
REQUIREMENTS = {"clean-10", "clean-11", "capability-4", "isolate-5", "off-4", "record-1", "resume-13"}


def _alike(record: CheckRecord, folder: Path) -> CheckRecord:
    """Give what a scenario gave without what no two runs have in common: its folder, and when files were changed."""

    def plain(value: object) -> str:
        text = json.dumps(value, default=repr, sort_keys=True).replace(str(folder), "<folder>")
        return re.sub(r"\b\d{19}\b", "<time>", text)

    looked = tuple(
        replace(one, expected=plain(one.expected), actual=plain(one.actual), evidence=(plain(one.evidence),))
        for one in record.expectations
    )
    return replace(record, expectations=looked, duration_ms=0.0)


def _performed(laboratory: Laboratory, folder: Path, scenarios: Sequence[Scenario]) -> dict[str, CheckRecord]:
    records = {one.id: _alike(perform(one, laboratory), folder) for one in scenarios}
    assert laboratory.close() is None
    return records


@pytest.fixture(scope="module")
def some() -> tuple[Scenario, ...]:
    scenarios = read_catalogue(None, None, thorough=False, sentences=False).suite.scenarios
    return tuple(one for one in scenarios if REQUIREMENTS & {*one.tags})


@pytest.fixture(scope="module")
def near(some: Sequence[Scenario], tmp_path_factory: pytest.TempPathFactory) -> dict[str, CheckRecord]:
    folder = tmp_path_factory.mktemp("near")
    return _performed(Laboratory.in_process(folder, 1, "0"), folder, some)


FAR = {
    "sim+stdio": EngineChoice("sim+stdio", timeout_scale=4.0),
    "sim+http": EngineChoice("sim+http", timeout_scale=4.0),
    "a foreign engine": EngineChoice("command", SERVED, observed=Observed(DATABASE), timeout_scale=4.0),
}


@pytest.mark.parametrize("name", FAR)
def test_the_kits_own_scenarios_see_the_same_of_an_engine_in_another_process(
    name: str, some: Sequence[Scenario], near: dict[str, CheckRecord], tmp_path: Path
) -> None:
    folder = tmp_path / "scenarios"
    about = About("0", "session-resume", "1.0.0", "00")
    source = DriverSource(replace(FAR[name], directory=str(tmp_path)), tmp_path / "worker", about, 0)

    far = _performed(Laboratory(folder, 1, source), folder, some)

    assert len(near) > 30
    assert {one.outcome for one in near.values()} == {Outcome.PASSED}
    for scenario, record in near.items():
        assert far[scenario] == record

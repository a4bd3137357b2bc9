"""One worker of a run: a process of its own that executes its share of the scenarios through pytest.

It is sealed off from wherever it was started: no configuration, plugin or conftest of that folder is looked at. Its
standard output carries events and nothing else; whatever steps or engine print goes to standard error.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import pytest

from tck_fakes.faulty import CONTROLS
from tck_kit.binding import FOLDERS, Binding
from tck_kit.events import Broken, Controlled, Declared, Event, Finished, encode
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_kit.scenarios import Scenario, read_suite
from tck_reports.outcomes import Outcome
from tck_reports.records import Control

#: How many scenarios a control goes through.
CONTROL_SIZE = 12


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is to do. `lead` workers also ask the engine who it is, and run the controls."""

    features: str
    folder: str
    known: tuple[str, ...]
    wanted: tuple[str, ...]
    seed: int
    version: str
    database_url: str | None
    scenario_seconds: int
    lead: bool

    def encode(self) -> str:
        """Give it as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def decode(cls, text: str) -> Task:
        """Read what `encode` made."""
        fields: dict[str, Any] = json.loads(text)
        known, wanted = tuple(fields.pop("known")), tuple(fields.pop("wanted"))
        return cls(**fields, known=known, wanted=wanted)


def main() -> int:
    """Read a task from standard input, do it, and leave."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1) as out:
        os.dup2(2, 1)
        task = Task.decode(sys.stdin.read())
        try:
            return _work(task, out)
        except Exception as fault:  # noqa: BLE001 -- told to the run, which ends it
            _tell(out, Broken(f"{type(fault).__name__}: {fault}"))
            return 1


def _tell(out: TextIO, event: Event) -> None:
    out.write(encode(event) + "\n")
    out.flush()


def _work(task: Task, out: TextIO) -> int:
    folder, features = Path(task.folder), Path(task.features)
    suite = read_suite(features, task.known)
    by_id = {scenario.id: scenario for scenario in suite.scenarios}
    laboratory = Laboratory(folder / "scenarios", task.seed, task.version, task.database_url)
    if task.lead:
        said = laboratory.declaration()
        capabilities = {name: str(support) for name, support in said.capabilities.items()}
        _tell(out, Declared(said.name, said.version, said.language, said.homepage, capabilities))
        for control in _controls(task, suite.scenarios, folder):
            _tell(out, Controlled(control))
    FOLDERS[:] = [features]
    binding = Binding(
        folder=features,
        wanted=tuple(by_id[wanted] for wanted in task.wanted),
        known=suite.scenarios,
        markers=task.known,
        laboratory=laboratory,
        emit=lambda event: _tell(out, event),
        time_limit=task.scenario_seconds,
    )
    code = pytest.main(_arguments(folder), plugins=[binding])
    _tell(out, Finished(int(code)))
    return 0


def _arguments(folder: Path) -> list[str]:
    """Give pytest's arguments: nothing of the user's folder, nothing written, nothing that is not asked for."""
    module = Path(__file__).with_name("bound_scenarios.py")
    return [
        str(module),
        "-c",
        os.devnull,
        f"--rootdir={folder}",
        f"--confcutdir={module.parent}",
        "--noconftest",
        "--import-mode=importlib",
        "--strict-markers",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:doctest",
        "-p",
        "no:unittest",
        "-p",
        "no:junitxml",
        "-p",
        "pytest_bdd.plugin",
        "--capture=no",
        "--tb=no",
        "-q",
        "-q",
    ]


def _controls(task: Task, scenarios: tuple[Scenario, ...], folder: Path) -> list[Control]:
    """Run known-bad engines through a sample of the scenarios: none of them may pass one."""
    results: list[Control] = []
    for name, fault in CONTROLS.items():
        fit = [one for one in scenarios if not fault.tags or fault.tags.intersection(one.tags)]
        sample = random.Random(task.seed).sample(fit, min(CONTROL_SIZE, len(fit)))  # noqa: S311 -- a sample, no secret
        laboratory = Laboratory(folder / name, task.seed, task.version, faulty=name)
        failed = [one for one in sample if perform(one, laboratory).outcome is Outcome.FAILED]
        results.append(
            Control(name, f"{len(sample)} of {len(sample)} failed", f"{len(failed)} of {len(sample)} failed")
        )
    return results


if __name__ == "__main__":
    sys.exit(main())

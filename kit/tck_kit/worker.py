"""One worker of a run: a process of its own that executes its share of the scenarios through pytest.

It reads its task from the first line of standard input, and from every further line the id of a scenario to execute.
It is sealed off from wherever it was started: no configuration, plugin or conftest of that folder is looked at. Its
standard output carries events and nothing else; whatever steps or engine print goes to standard error.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import pytest

from tck_driver.course_messages import policy_fields
from tck_driver.errors import DriverError, KitError
from tck_kit.binding import FOLDERS, Binding
from tck_kit.controls import PATIENCE, trials
from tck_kit.events import Broken, Declared, Event, Finished, Misbehaved, encode
from tck_kit.laboratory import Laboratory
from tck_kit.real_containers import RealContainers, connected
from tck_kit.scenarios import LABELS, Scenario, read_suite
from tck_kit.sources import InProcessSource, source
from tck_kit.task import Task
from tck_kit.trace.lines import FILE
from tck_kit.trace.places import secrets_of
from tck_kit.trace.recorder import Recorder

if TYPE_CHECKING:
    from tck_fakes.docker.ward import Ward

#: What pytest gives when everything was run, whether or not tests failed, or when there was nothing to run.
_PYTEST_DONE = (0, 1, 5)
#: Parts of pytest that a scenario has no use for, and that cost time with each.
_NOT_NEEDED = (
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "pastebin",
    "setuponly",
    "setupplan",
    "stepwise",
    "subtests",
    "threadexception",
    "tmpdir",
    "unittest",
    "unraisableexception",
    "warnings",
)


def main() -> int:
    """Read a task, do it, and leave."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1) as out:
        os.dup2(2, 1)
        line = sys.stdin.readline()
        if not line:
            return 0
        try:
            return _work(Task.decode(line), out)
        except DriverError as fault:
            _tell(out, Misbehaved(str(fault)))
            return 1
        except Exception as fault:  # noqa: BLE001 -- told to the run, which ends it
            _tell(out, Broken(f"{type(fault).__name__}: {fault}"))
            return 1


def _tell(out: TextIO, event: Event) -> None:
    out.write(encode(event) + "\n")
    out.flush()


def _work(task: Task, out: TextIO) -> int:
    folder, features = Path(task.folder), Path(task.features)
    suite = read_suite(features, task.known, sentences=None)
    ward = None if task.containers is None else _real(task.containers, folder)
    engines = source(
        task.engine,
        folder,
        task.about,
        database_url=task.database_url,
        number=task.number,
        introduced=task.introduced,
        ward=ward,
        trace=task.trace,
    )
    recorder = _recorder(task, folder) if task.recorded else None
    laboratory = Laboratory(folder / "scenarios", task.seed, engines, recorder)
    try:
        _execute(task, laboratory, suite.scenarios, out, ward)
    finally:
        wrong = laboratory.close()
        if recorder is not None:
            recorder.close()
        if ward is not None:
            ward.close()
    if wrong is not None:
        _tell(out, Misbehaved(wrong))
    _tell(out, Finished(0, 0 if ward is None else ward.started))
    return 0


def _recorder(task: Task, folder: Path) -> Recorder:
    """Begin a trace, in which nothing is spelled out that a variable calls secret."""
    secrets = secrets_of({**os.environ, **dict(task.engine.environment)})
    return Recorder(folder / FILE, in_process=task.engine.in_process, secrets=secrets)


def _real(containers: RealContainers, folder: Path) -> Ward:
    """Connect to the container engine, as an ordinary user from here on."""
    from tck_fakes.docker.ordinary import become_ordinary  # noqa: PLC0415 -- with optional packages, and seldom needed

    ward = connected(containers)
    if os.getuid() == 0:
        # The run's own folder, through which an ordinary user has to pass to get to its worker's.
        folder.parent.chmod(0o711)
    become_ordinary(folder, ward.engine.place)
    return ward


def _execute(
    task: Task, laboratory: Laboratory, scenarios: tuple[Scenario, ...], out: TextIO, ward: Ward | None
) -> None:
    def emit(event: Event) -> None:
        if ward is not None and ward.engine.lost is not None:
            # Nothing that comes after this would say anything of the engine under test.
            _tell(out, Broken(ward.engine.lost))
            os._exit(1)
        _tell(out, event)

    folder, features = Path(task.folder), Path(task.features)
    if task.lead:
        said = laboratory.declaration()
        capabilities = {name: str(support) for name, support in said.capabilities.items()}
        policy = None if said.policy is None else policy_fields(said.policy)
        _tell(out, Declared(said.name, said.version, said.language, said.homepage, capabilities, policy))
    FOLDERS[:] = [features]
    wrong = _Faulty(task, folder / "controls", ward)
    binding = Binding(
        folder=features,
        known=scenarios,
        wanted=sys.stdin,
        markers=(*task.known, *LABELS),
        laboratory=laboratory,
        emit=emit,
        time_limit=task.scenario_seconds,
        trials=trials(scenarios, task.faults, task.seed) if task.lead else (),
        faulty=wrong.laboratory,
        # Where real containers take their time, that is no sign of a fault.
        patience=PATIENCE if ward is None else task.scenario_seconds,
    )
    try:
        code = int(pytest.main(_arguments(folder), plugins=[binding]))
    finally:
        wrong.close()
    if code not in _PYTEST_DONE:
        raise KitError(f"pytest ended with exit code {code}")


class _Faulty:
    """Makes the laboratories of known-bad engines, which share a database of their own."""

    def __init__(self, task: Task, folder: Path, ward: Ward | None) -> None:
        """Prepare; only a worker that has controls to run makes anything."""
        self._task = task
        self._folder = folder
        self._ward = ward
        self._source: InProcessSource | None = None

    def laboratory(self, name: str) -> Laboratory:
        """Work with the engine of this name from now on."""
        if self._source is None:
            self._folder.mkdir(parents=True)
            self._source = InProcessSource(self._folder, self._task.about.kit_version, None, None, self._ward)
        self._source.faulty = name
        return Laboratory(self._folder / name, self._task.seed, self._source)

    def close(self) -> None:
        """Let the database go."""
        if self._source is not None:
            self._source.close()


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
        *(word for name in _NOT_NEEDED for word in ("-p", f"no:{name}")),
        "-p",
        "pytest_bdd.plugin",
        "--capture=no",
        "--tb=no",
        "-q",
        "-q",
    ]


if __name__ == "__main__":
    sys.exit(main())

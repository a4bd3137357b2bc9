"""Whole runs with drivers that sin: who is blamed for what, that the run goes on, and that nothing is left of it."""

from __future__ import annotations

import json
import os
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import psutil
import pytest

from tck_driver.connection import About
from tck_driver.errors import DriverError
from tck_kit.catalogue import read_catalogue
from tck_kit.driver_keeper import DriverKeeper
from tck_kit.engine_choice import EngineChoice, Observed
from tck_kit.laboratory import Laboratory
from tck_kit.performance import perform
from tck_kit.scenarios import Scenario
from tck_kit.sources import DriverSource
from tck_reports.outcomes import Outcome

HOSTILE = Path(__file__).parents[1] / "driver" / "hostile"
ABOUT = About("0", "small", "1", "d")
SPECIFICATION = """\
# A small specification

Version: 0.1.0
Identifier: small

- <a id="name-1"></a>**NAME-1** (agreed): The engine MUST push no branch before it has to.
"""
SCENARIO = """
  @name-1
  Scenario: {name}
    Given an issue served by codex
    And the branch prefix is "{name}"
    When a development run of the issue is due
    And 5 minutes pass
    Then no branch has been pushed
"""
#: How long it may take to see that something is gone.
PATIENCE = 5.0


def _marked(token: str) -> list[psutil.Process]:
    """Give what carries a token, in its environment or among its arguments."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            named = token in process.cmdline() or token in process.environ().values()
            if named and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


@dataclass
class Sinful:
    """Runs of the kit in a folder of its own, with all that comes of them marked by a token."""

    folder: Path
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    #: Where the kit works: below a short path, as sockets want it.
    work: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tck-")))

    def suite(self, names: Sequence[str], seed: int = 1) -> None:
        """Write one scenario for each name, such that a run with this seed goes through them in this order."""
        places = list(range(len(names)))
        random.Random(seed).shuffle(places)  # noqa: S311 -- as the run shuffles them
        lines = dict(zip(places, names, strict=True))
        text = "".join(SCENARIO.format(name=lines[place]) for place in sorted(lines))
        (self.folder / "features").mkdir()
        (self.folder / "features" / "small.feature").write_text(f"Feature: A small suite\n{text}", encoding="utf-8")
        (self.folder / "specification.md").write_text(SPECIFICATION, encoding="utf-8")

    def start(self, sin: str, *options: str) -> subprocess.Popen[str]:
        """Start a run; memory in which it works is here, and its own folders too."""
        engine = f"{sys.executable} -S -E {HOSTILE / 'hostile.py'} {sin} {self.token}"
        words = ("-c", _COUNTED, str(self.work), "run", "--engine", engine, "--workers", "1", "--seed", "1", *options)
        suite = ("--specification", "specification.md", "--features", "features", "--report-dir", "report")
        return subprocess.Popen(
            [sys.executable, "-P", *words, *suite],
            cwd=self.folder,
            env={**os.environ, "COLUMNS": "200", "HOSTILE_TOKEN": self.token},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, sin: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run to the end."""
        process = self.start(sin, *options)
        output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def report(self) -> dict[str, Any]:
        """Give the report of the run."""
        report: dict[str, Any] = json.loads((self.folder / "report" / "report.json").read_text(encoding="utf-8"))
        return report

    def checks(self) -> Mapping[str, Mapping[str, Any]]:
        """Give the checks of the report by the name of their scenario."""
        return {check["scenario"]: check for check in self.report()["checks"]}

    def clean(self) -> None:
        """End what is left, whatever a test has found."""
        for process in _marked(self.token):
            process.kill()
        shutil.rmtree(self.work, ignore_errors=True)

    def left(self) -> list[psutil.Process]:
        """Give the processes that are left, once they had time to go."""
        until = time.monotonic() + PATIENCE
        while (found := _marked(self.token)) and time.monotonic() < until:
            time.sleep(0.02)
        return found


#: The kit, which works in a folder of the test's, and at its end says how large its largest process has been, KiB.
_COUNTED = """
import pathlib, resource, sys
from tck_kit import workers
from tck_kit.command_line import main
workers._MEMORY = pathlib.Path(sys.argv.pop(1))
try:
    main()
finally:
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // (1 if sys.platform == "linux" else 1024)
    print(f"largest: {largest}", file=sys.stderr)
"""


@pytest.fixture
def sinful(tmp_path: Path) -> Generator[Sinful]:
    """Make runs, and end what is left of them, whatever a test has found."""
    one = Sinful(tmp_path)
    yield one
    one.clean()


# --- one run through every sin of a scenario, with a decent scenario after each ------------------------------------

_NO_MESSAGE = "the driver answered stimulus/send with something that is no message in JSON and UTF-8: "
_LATE = "timeout: state/query: the driver did not answer within 0.6 s"
ENGINE, DRIVER, KIT = "engine", "driver", "kit"

#: Every sin of a scenario: its outcome, who is blamed, and how the reason begins.
JUDGED: Mapping[str, tuple[str, str | None, str]] = {
    "never-answers": ("failed", DRIVER, f"{_LATE}, nor after a cancellation"),
    "answers-when-cancelled": ("failed", DRIVER, f"{_LATE}, and answered only once the request was cancelled"),
    "answers-twice": ("error", DRIVER, "the driver said something before barrier/quiesce that nobody asked for: '{"),
    "answers-another-id": ("error", DRIVER, "the driver answered stimulus/send with the id 'r0' instead of 'r"),
    "answers-nobody": ("error", DRIVER, "the driver answered stimulus/send with the id None instead of 'r"),
    "answers-in-pieces": ("passed", None, ""),
    "writes-junk": ("error", DRIVER, f"{_NO_MESSAGE}'done!'"),
    "writes-a-gigabyte": ("error", DRIVER, "stimulus/send: the driver wrote a line of more than 1 MiB: 'xxx"),
    "floods-with-lines": ("error", DRIVER, "the driver "),
    "floods-standard-error": ("passed", None, ""),
    "shouts-and-exits": ("failed", DRIVER, "crashed: stimulus/send: the driver ended with exit code 3\n"),
    "writes-a-byte-order-mark": ("error", DRIVER, f"{_NO_MESSAGE}'\\ufeff{{"),
    "writes-latin-1": ("error", DRIVER, f"{_NO_MESSAGE}'{{"),
    "nests-beyond-reading": ("error", DRIVER, f"""{_NO_MESSAGE}'{{"a":{{"a":"""),
    "writes-half-a-pair": ("error", DRIVER, "the driver answered scenario/close with something that is no message"),
    "exits": ("failed", DRIVER, "crashed: stimulus/send: the driver ended with exit code 3"),
    "exits-in-a-line": (
        "failed",
        DRIVER,
        "crashed: stimulus/send: the driver ended with exit code 3; its last line was cut off: '{",
    ),
    "kills-itself": ("failed", DRIVER, "crashed: stimulus/send: the driver ended with signal 9"),
    "leaves-its-stdout-to-a-child": ("failed", DRIVER, "crashed: state/query: the driver ended with exit code 3"),
    "closes-stdout": (
        "failed",
        DRIVER,
        "crashed: stimulus/send: the driver closed its standard output and went on",
    ),
    "closes-stdin": (
        "failed",
        DRIVER,
        "crashed: barrier/quiesce: the driver closed its standard input and went on",
    ),
    "refuses-what-it-declared": (
        "failed",
        ENGINE,
        "false_advertising: stimulus.run.due is declared as supported, and stimulus/send refused it: not today",
    ),
    "refuses-what-it-declined": (
        "untestable",
        None,
        "stimulus/send was refused for want of adapter.api: not today",
    ),
    "engine-fails": ("failed", ENGINE, "crashed: the engine is \\x1b[31mgone\\x00"),
    "invents-a-code": ("error", DRIVER, "the driver answered stimulus/send with error -1: something went wrong"),
    "misfits": (
        "error",
        DRIVER,
        "the answer to state/query does not fit its schema: 7 is not of type 'string' @ $.run of rows[0]",
    ),
    "writes-outside": ("error", DRIVER, "something was written outside of the scenario's workdir: ../stranger"),
    "tells-another-time": ("error", DRIVER, "the driver's clock was to go to 2"),
    "has-no-such-day": ("error", DRIVER, "the driver gave a time that is none: day is out of range for month"),
    "is-due-in-the-past": ("passed", None, ""),
    "is-due-on-no-day": ("error", DRIVER, "the driver gave a next_deadline that is no point in time: day is out of"),
    "waits-for-nobodys-container": (
        "failed",
        ENGINE,
        "timeout: the engine did not come to rest within 4.5 s: run 1 waits for nobodys",
    ),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Sinful, subprocess.CompletedProcess[str]]]:
    """Run through them all, once."""
    one = Sinful(tmp_path_factory.mktemp("judged"))
    names = [name for number, sin in enumerate(JUDGED) for name in (sin, f"decent-{number}")]
    one.suite(names)
    done = one.run("-", "--timeout-scale", "0.3")
    yield one, done
    one.clean()


Judged = tuple[Sinful, subprocess.CompletedProcess[str]]


@pytest.mark.parametrize("sin", JUDGED)
def test_a_sin_gets_its_outcome_and_the_right_one_is_blamed(sin: str, judged: Judged) -> None:
    check = judged[0].checks()[sin]
    outcome, blame, words = JUDGED[sin]

    reason = check["reason"] or ""
    assert (check["outcome"], check["blame"], reason[: len(words)]) == (outcome, blame, words)


def test_every_scenario_after_a_sin_is_as_good_as_ever(judged: Judged) -> None:
    checks = judged[0].checks()

    decent = {name: check["outcome"] for name, check in checks.items() if name.startswith("decent")}
    assert decent == dict.fromkeys(decent, "passed")
    assert len(decent) == len(JUDGED)


def test_no_process_and_no_file_is_left_of_any_sin(judged: Judged) -> None:
    one = judged[0]

    assert one.left() == []
    assert [*one.work.rglob("*")] == []
    assert sorted(path.name for path in one.folder.iterdir()) == ["features", "report", "specification.md"]


def test_no_flood_fills_the_memory_of_a_worker(judged: Judged) -> None:
    found = re.search(r"largest: (\d+)", judged[1].stderr)

    assert found is not None
    assert int(found[1]) < 400 * 1024


def test_a_run_with_a_driver_at_fault_gives_no_verdict_and_every_report_can_be_read(judged: Judged) -> None:
    one, done = judged

    assert done.returncode == 4, done.stderr
    assert "core: indeterminate" in done.stdout
    assert "Traceback" not in done.stderr
    ET.parse(one.folder / "report" / "junit.xml")  # noqa: S314 -- the kit has just written it
    html = (one.folder / "report" / "report.html").read_text(encoding="utf-8")
    assert "the driver ended with signal 9" in html
    assert "\x1b" not in html + (one.folder / "report" / "junit.xml").read_text(encoding="utf-8")


def test_first_lines_of_reasons_stand_for_themselves(judged: Judged) -> None:
    reasons = {name: check["reason"] for name, check in judged[0].checks().items() if check["reason"]}

    assert {name for name, reason in reasons.items() if len(reason.splitlines()[0]) > 500} == set()
    assert {name for name, reason in reasons.items() if len(reason.splitlines()) > 1} <= {"shouts-and-exits"}


# --- runs that have one sin, or end with one -----------------------------------------------------------------------

#: Sins of a start, with what the run says, whose scenarios are not begun.
STARTS: Mapping[str, str] = {
    "hangs-at-start": r"initialize: the driver did not answer within 2 s, nor after a cancellation",
    "declares-unasked": r"the driver answers for capabilities that nobody asked about: telepathy",
}


@pytest.mark.parametrize("sin", STARTS)
def test_a_driver_that_cannot_begin_ends_the_run_with_one_message(sin: str, sinful: Sinful) -> None:
    sinful.suite(["decent"])

    done = sinful.run(sin, "--timeout-scale", "0.1")

    assert done.returncode == 4
    assert re.search(rf"^session-tck: {STARTS[sin]}$", done.stderr, re.MULTILINE)
    assert "Traceback" not in done.stderr
    assert "verdict" not in done.stdout
    assert sinful.left() == []


#: Sins of an end, with what is wrong with the run.
ENDS: Mapping[str, str] = {
    "leaves-a-daemon": r"driver: the driver left processes running: \S+ \(\d+\)",
    "stays-after-its-run": r"driver: the driver did not end within 1 s after shutdown, and was killed",
    "leaves-a-daemon-in-a-run": r"driver: the driver left processes running: \S+ \(\d+\)",
}


@pytest.mark.parametrize("sin", ENDS)
def test_a_driver_that_ends_badly_makes_its_run_invalid(sin: str, sinful: Sinful) -> None:
    sinful.suite(["decent"])

    done = sinful.run(sin, "--timeout-scale", "0.5")

    assert sinful.checks()["decent"]["outcome"] == "passed"
    assert done.returncode == 4
    assert re.search(ENDS[sin], done.stdout)
    assert sinful.left() == []
    assert [*sinful.work.rglob("*")] == []


def test_a_driver_that_breaks_down_again_and_again_is_given_up(sinful: Sinful) -> None:
    sinful.suite([f"decent-{number}" for number in range(7)])

    done = sinful.run("kills-itself")

    reasons = sorted(f"{check['outcome']} {check['blame']}: {check['reason']}" for check in sinful.checks().values())
    given_up = "error driver: the driver broke down 3 times in a row, and was not started again"
    crashed = "failed driver: crashed: stimulus/send: the driver ended with signal 9"
    assert reasons == [given_up] * 3 + [crashed] * 4
    assert done.returncode == 4
    assert sinful.left() == []


def test_a_run_that_is_interrupted_leaves_no_driver_behind_that_hears_nothing(sinful: Sinful) -> None:
    sinful.suite([f"decent-{number}" for number in range(3)])
    process = sinful.start("ignores-sigterm", "--timeout-scale", "10")
    until = time.monotonic() + 60
    while not _at_work(sinful.token) and time.monotonic() < until:
        time.sleep(0.05)

    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert "interrupted" in str(sinful.report()["incomplete_reasons"])
    assert sinful.left() == []


def test_a_driver_that_declines_in_a_run_what_it_declared_before_is_at_fault(sinful: Sinful) -> None:
    sinful.suite(["decent"])

    done = sinful.run("declines-after-its-introduction")

    assert "adapter.codex was supported and is unsupported" in done.stdout + done.stderr


def _at_work(token: str) -> bool:
    """Say whether a driver has come to its sin: it takes no notice of SIGTERM."""
    ignored = 1 << (signal.SIGTERM - 1)
    for process in _marked(token):
        status = Path(f"/proc/{process.pid}/status")
        found = re.search(r"SigIgn:\s*(\w+)", status.read_text(encoding="utf-8")) if status.exists() else None
        if found is not None and int(found[1], 16) & ignored and "hostile.py" in " ".join(process.cmdline()):
            return True
    return False


# --- what needs no run: a keeper and its drivers, and scenarios one by one -----------------------------------------


def _hostile(sin: str, folder: Path, token: str) -> EngineChoice:
    words = (sys.executable, "-S", "-E", str(HOSTILE / "hostile.py"), sin, token)
    return EngineChoice("command", words=words, directory=str(folder))


#: What a driver says otherwise after a restart.
CHANGES: Mapping[str, str] = {
    "changes-its-version": "the driver changed its mind at a restart: version was '1.4.0' and is '1.4.1'",
    "changes-its-capabilities": "the driver changed its mind at a restart: sessions was supported and is unsupported",
    "changes-its-clock": "the driver changed its mind at a restart: its clock was virtual and is wall",
}


@pytest.mark.parametrize("sin", CHANGES)
def test_a_driver_that_changes_its_mind_at_a_restart_is_refused(sin: str, sinful: Sinful) -> None:
    keeper = DriverKeeper(_hostile(sin, sinful.folder, sinful.token), sinful.folder, ABOUT, sinful.folder)
    keeper.connection()
    keeper.went_well()
    keeper.connection().kill()

    for _ in range(3):
        with pytest.raises(DriverError) as caught:
            keeper.connection()
        assert str(caught.value) == CHANGES[sin]
    with pytest.raises(DriverError, match=r"^the driver broke down 3 times in a row, and was not started again$"):
        keeper.connection()

    assert keeper.end() is None
    assert sinful.left() == []


#: Outcome, blame and reason.
Gave = tuple[Outcome, str | None, str | None]
Performing = Callable[[EngineChoice, Sequence[Scenario]], list[Gave]]


@pytest.fixture
def performing(tmp_path: Path) -> Performing:
    """Perform scenarios, one after the other, with an engine of this choice."""

    def perform_all(
        choice: EngineChoice, scenarios: Sequence[Scenario]
    ) -> list[tuple[Outcome, str | None, str | None]]:
        laboratory = Laboratory(tmp_path / "scenarios", 1, DriverSource(choice, tmp_path, ABOUT, 0))
        try:
            records = [perform(scenario, laboratory) for scenario in scenarios]
        finally:
            laboratory.close()
        return [(record.outcome, record.blame, record.reason) for record in records]

    return perform_all


@pytest.fixture(scope="module")
def scenarios() -> Mapping[str, Scenario]:
    """The scenarios of RESUME-1 and some of RESUME-2, by their ids."""
    suite = read_catalogue(None, None, thorough=False, sentences=False).suite
    first, second = ([one for one in suite.scenarios if tag in one.tags] for tag in ("resume-1", "resume-2"))
    return {one.id: one for one in (*first, *second[:3])}


def _lying(folder: Path, *lies: str, observed: bool = False) -> EngineChoice:
    return EngineChoice(
        "command",
        words=(sys.executable, "-P", str(HOSTILE / "false_rows.py"), *lies),
        directory=str(folder),
        observed=Observed("sqlite:///{directory}/engine.sqlite") if observed else None,
    )


def test_rows_that_are_true_pass(performing: Performing, scenarios: Mapping[str, Scenario], tmp_path: Path) -> None:
    gave = performing(_lying(tmp_path), [*scenarios.values()])

    assert {outcome for outcome, _, _ in gave} == {Outcome.PASSED}


#: Lies in rows that fit their schema.
LIES: Sequence[tuple[str, ...]] = (
    ("sessions.resumed=true", "sessions.resume_fallback=null"),
    ("sessions.resumed=false",),
    ('sessions.native_session_id="0000"',),
    ('sessions.session_name="agent/issue-1-x"',),
    ('sessions.outcome="failed"',),
    ("exchanges.session.resumeId=null",),
    ('exchanges.session.stateDir="/elsewhere"',),
)


@pytest.mark.parametrize("lies", LIES, ids=" ".join)
def test_a_row_that_is_false_is_noticed_by_what_the_fakes_have_witnessed(
    lies: tuple[str, ...], performing: Performing, scenarios: Mapping[str, Scenario], tmp_path: Path
) -> None:
    gave = performing(_lying(tmp_path, *lies), [*scenarios.values()])

    assert {one for one in gave if one[0] is not Outcome.PASSED} == {(Outcome.FAILED, ENGINE, "assertion")}


@pytest.mark.parametrize("lie", ["sessions.resumed=true", 'sessions.native_session_id="0000"'])
def test_a_row_that_the_engines_database_does_not_have_is_the_drivers_fault(
    lie: str, performing: Performing, scenarios: Mapping[str, Scenario], tmp_path: Path
) -> None:
    gave = performing(_lying(tmp_path, lie, observed=True), [*scenarios.values()])

    wrong = [one for one in gave if one[0] is not Outcome.PASSED]
    assert wrong
    for outcome, blame, reason in wrong:
        assert (outcome, blame) == (Outcome.ERROR, DRIVER)
        field = lie.removeprefix("sessions.").partition("=")[0]
        told = rf"the view of sessions and the engine's database differ in run \d+: {field} is told"
        assert re.match(told, reason or "")

"""What options and project file together make of a run, and what of them is refused before anything is run."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tck_fakes.observed_mapping import SessionMapping
from tck_kit import run_command
from tck_kit.engine_choice import EngineChoice, Observed
from tck_kit.faults import UsageFault
from tck_kit.run_settings import MOST_WORKERS, SCENARIO_TIME_LIMIT, TIME_LIMIT, Settings

from .conftest import Command
from .drivers import SANE

ONE, TWO = "http://127.0.0.1:8701", "http://127.0.0.1:8702"
USUAL_WORKERS = min(os.cpu_count() or 1, MOST_WORKERS)

Heard = Callable[..., Settings]


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Heard:
    """Give what a run would be made of, in a folder whose session-tck.toml has this text. Nothing is run."""
    made: list[Settings] = []

    def perform(settings: Settings, **_: object) -> int:
        made.append(settings)
        return 0

    def hear(*arguments: str, toml: str | None = None) -> Settings:
        (tmp_path / ".git").mkdir(exist_ok=True)
        if toml is not None:
            (tmp_path / "session-tck.toml").write_text(toml, encoding="utf-8")
        CliRunner().invoke(run_command.run, arguments, standalone_mode=False, catch_exceptions=False)
        return made.pop()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_command, "_perform", perform)
    return hear


FULL = """\
[engine]
command = ["node", "driver.js"]
environment = { LEVEL = "debug" }

[run]
profile = "core"
workers = 3
time_limit = 100
scenario_time_limit = 10
timeout_scale = 2.0
baseline = "known.json"
report_dir = "report"
seed = 5
thorough = true
retries = 2

[capabilities]
"adapter.grok-build" = "unsupported"

[observe]
url = "sqlite:///engine.sqlite"
table = "runs"
"""
MAPPING = SessionMapping.read({"table": "runs"})


def test_without_a_project_file_and_options_the_simulator_is_run_as_is_usual(heard: Heard) -> None:
    assert heard() == Settings(
        engine=EngineChoice("sim"),
        profiles=(),
        workers=USUAL_WORKERS,
        time_limit=TIME_LIMIT,
        scenario_time_limit=SCENARIO_TIME_LIMIT,
        seed=None,
        thorough=False,
        baseline=None,
        report_dir=None,
        capabilities={},
        source=None,
    )


def test_a_project_file_says_everything_that_options_can_say(heard: Heard, tmp_path: Path) -> None:
    assert heard(toml=FULL) == Settings(
        engine=EngineChoice(
            "command",
            ("node", "driver.js"),
            (),
            str(tmp_path),
            (("LEVEL", "debug"),),
            Observed(f"sqlite:///{tmp_path}/engine.sqlite", MAPPING),
            2.0,
        ),
        profiles=("core",),
        workers=3,
        time_limit=100,
        scenario_time_limit=10,
        seed=5,
        thorough=True,
        baseline=tmp_path / "known.json",
        report_dir=tmp_path / "report",
        retries=2,
        limited=True,
        capabilities={"adapter.grok-build": "unsupported"},
        source=tmp_path / "session-tck.toml",
    )


OPTIONS: list[tuple[tuple[str, ...], str, object]] = [
    (("--profile", "hardened"), "profiles", ("hardened",)),
    (("--workers", "1"), "workers", 1),
    (("--time-limit", "7"), "time_limit", 7),
    (("--scenario-time-limit", "8"), "scenario_time_limit", 8),
    (("--seed", "0"), "seed", 0),
    (("--baseline", "other.json"), "baseline", Path("other.json")),
    (("--report-dir", "elsewhere"), "report_dir", Path("elsewhere")),
    (("--retries", "1"), "retries", 1),
]


@pytest.mark.parametrize(("arguments", "name", "value"), OPTIONS, ids=[name for _, name, _ in OPTIONS])
def test_an_option_wins_over_the_project_file_and_all_else_stays(
    heard: Heard, arguments: tuple[str, ...], name: str, value: object
) -> None:
    written, both = heard(toml=FULL), heard(*arguments)

    assert getattr(both, name) == value
    assert getattr(written, name) != value
    others = set(Settings.__slots__) - {name}
    assert {other: getattr(both, other) for other in others} == {other: getattr(written, other) for other in others}


def test_an_engine_that_an_option_names_wins_and_what_a_run_is_like_stays(heard: Heard, tmp_path: Path) -> None:
    engine = heard("--engine", "php driver.php", toml=FULL).engine

    assert (engine.words, engine.directory, engine.environment) == (("php", "driver.php"), str(tmp_path), ())
    assert engine.timeout_scale == 2.0
    assert engine.observed == Observed(f"sqlite:///{tmp_path}/engine.sqlite", MAPPING)


def test_a_timeout_scale_of_the_option_wins_over_that_of_the_project(heard: Heard) -> None:
    assert heard("--timeout-scale", "3", toml=FULL).engine.timeout_scale == 3.0
    assert heard("--timeout-scale", "3").scenario_time_limit == 10


PATIENCE: list[tuple[tuple[str, ...], int]] = [
    (("--engine", "sim"), SCENARIO_TIME_LIMIT),
    (("--engine", "sim", "--timeout-scale", "3"), SCENARIO_TIME_LIMIT),
    (("--engine", "node driver.js"), 2 * SCENARIO_TIME_LIMIT),
    (("--engine", "sim+http", "--timeout-scale", "3"), 6 * SCENARIO_TIME_LIMIT),
    (("--engine", ONE, "--timeout-scale", "0.2"), SCENARIO_TIME_LIMIT),
    (("--engine", ONE, "--timeout-scale", "3", "--scenario-time-limit", "5"), 5),
]


@pytest.mark.parametrize(("arguments", "seconds"), PATIENCE)
def test_a_scenario_may_take_longer_than_its_driver_unless_something_else_is_said(
    heard: Heard, arguments: tuple[str, ...], seconds: int
) -> None:
    assert heard(*arguments).scenario_time_limit == seconds


def test_no_project_file_is_heard_where_none_is_wanted(heard: Heard) -> None:
    assert heard("--no-project-file", toml=FULL) == heard("--no-project-file", toml="this is no TOML [")
    assert heard("--no-project-file").engine == EngineChoice("sim")
    with pytest.raises(UsageFault, match="this is no TOML"):
        heard()


def test_a_project_file_is_found_from_below(heard: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard(toml=FULL)
    (tmp_path / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "down")

    settings = heard()

    assert settings.source == tmp_path / "session-tck.toml"
    assert settings.engine.directory == str(tmp_path)


@pytest.mark.parametrize("engine", ["sim", "sim+stdio", "sim+http"])
def test_what_a_project_expects_of_its_engine_says_nothing_of_the_simulator(heard: Heard, engine: str) -> None:
    settings = heard("--engine", engine, toml=FULL)

    assert settings.capabilities == {}
    assert settings.engine.observed is None


# The database of an engine


def test_a_database_of_the_option_is_meant_from_here_and_has_the_layout_of_the_project(
    heard: Heard, tmp_path: Path
) -> None:
    other = Observed(f"sqlite:///{tmp_path}/other.sqlite", MAPPING)

    assert heard("--observe-db", "sqlite:///other.sqlite", toml=FULL).engine.observed == other
    mapping_alone = FULL.replace('url = "sqlite:///engine.sqlite"\n', "")
    assert heard("--observe-db", "sqlite:///other.sqlite", toml=mapping_alone).engine.observed == other
    assert heard(toml=mapping_alone).engine.observed is None


@pytest.mark.parametrize("url", ["sqlite:///{directory}/engine.sqlite", "sqlite:///{workdir}/engine.sqlite"])
def test_the_folders_in_its_url_are_filled_in_later(heard: Heard, url: str) -> None:
    assert heard("--engine", "node d.js", "--observe-db", url).engine.observed == Observed(url)


BAD_DATABASES = [
    ("nonsense", "no URL of a database"),
    ("sqlite:///{folder}/x", "placeholder {folder}"),
    ("sqlite://", "in memory"),
    ("nosuchdatabase://x/y", "nosuchdatabase"),
]


@pytest.mark.parametrize(("url", "what"), BAD_DATABASES)
def test_a_database_that_cannot_be_meant_is_refused_before_anything_is_run(heard: Heard, url: str, what: str) -> None:
    with pytest.raises(UsageFault) as caught:
        heard("--engine", "node driver.js", "--observe-db", url)

    assert what in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("engine", ["sim", "sim+stdio", "sim+http"])
def test_the_simulators_database_is_read_anyway(heard: Heard, engine: str) -> None:
    with pytest.raises(UsageFault, match="--observe-db: the simulator's database is read anyway"):
        heard("--engine", engine, "--observe-db", "sqlite:////x")


@pytest.mark.parametrize("engine", ["sim+stdio", "sim+http", "node driver.js", ONE])
def test_a_database_for_the_simulator_is_of_no_use_to_another_engine(heard: Heard, engine: str) -> None:
    with pytest.raises(UsageFault, match="--database: it is for the simulator in process"):
        heard("--engine", engine, "--database", "sqlite:////x")


# Workers


def test_one_driver_that_listens_serves_one_worker(heard: Heard) -> None:
    assert heard("--engine", ONE).workers == 1
    assert heard("--engine", f"{ONE} {TWO}").workers == 2
    assert heard("--engine", f"{ONE} {TWO}", "--workers", "1").workers == 1
    with pytest.raises(UsageFault, match=r"--workers 3: one driver serves one worker, and 2 are named"):
        heard("--engine", f"{ONE} {TWO}", "--workers", "3")


def test_workers_of_a_project_file_are_for_the_drivers_that_it_names(heard: Heard, tmp_path: Path) -> None:
    text = f'[engine]\nurl = ["{ONE}", "{TWO}"]\n[run]\nworkers = 2\n'
    assert heard(toml=text).workers == 2
    assert heard("--engine", ONE).workers == 1
    assert heard("--engine", "node driver.js").workers == 2

    with pytest.raises(UsageFault) as caught:
        heard(toml=text.replace("workers = 2", "workers = 3"))
    assert str(tmp_path / "session-tck.toml") in str(caught.value)
    assert "--workers" not in str(caught.value)


# As a user meets it


def _one_line(said: str) -> str:
    """Give the one line that says what is wrong; a line may follow that says what finds out more."""
    lines = [line for line in said.splitlines() if line.startswith("session-tck: ")]
    assert "Traceback" not in said
    assert len(lines) == 1, said
    return lines[0]


def test_an_empty_engine_is_a_usage_error(on_small: Command) -> None:
    done = on_small("run", "--engine", "")

    assert done.returncode == 2
    assert "no engine is named" in _one_line(done.stderr)


UNUSABLE: list[tuple[str, str]] = [
    ("/no/such/driver --now", "the driver cannot be started: '/no/such/driver --now' in"),
    (f"{sys.executable} -c 'import sys; sys.exit(\"no database\")'", "the driver ended with exit code 1"),
]


@pytest.mark.parametrize(("engine", "what"), UNUSABLE, ids=["is not there", "ends at once"])
def test_a_driver_that_cannot_be_used_is_a_fault_of_the_driver_and_no_verdict(
    on_small: Command, small: Path, engine: str, what: str
) -> None:
    done = on_small("run", "--engine", engine, "--report-dir", "report", "--workers", "2")

    assert done.returncode == 4, done.stderr
    assert what in _one_line(done.stderr)
    assert "The driver is at fault; `session-tck driver check` looks at it alone" in done.stderr
    assert ("no database" in done.stderr) is ("ended" in what)
    assert not (small / "report" / "report.json").exists()


def test_a_url_where_nobody_listens_is_a_driver_that_cannot_be_reached(on_small: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        done = on_small("run", "--engine", f"http://127.0.0.1:{taken.getsockname()[1]}")

    assert done.returncode == 4
    assert "the driver cannot be reached" in _one_line(done.stderr)


@pytest.mark.parametrize(("declared", "expected"), [("supported", "unsupported"), (None, "supported")])
def test_a_driver_that_declares_something_else_than_is_expected_is_told_of_in_one_line(
    on_small: Command, small: Path, declared: str | None, expected: str
) -> None:
    left_out = "" if declared else ' if name != "adapter.copilot"'
    driver = SANE.replace('for name in params["capabilities"]', f'for name in params["capabilities"]{left_out}')
    (small / "driver.py").write_text(driver, encoding="utf-8")
    (small / "session-tck.toml").write_text(
        f'[engine]\ncommand = ["{sys.executable}", "driver.py"]\n[capabilities]\n"adapter.copilot" = "{expected}"\n',
        encoding="utf-8",
    )

    done = on_small("run", "--workers", "1")

    said = _one_line(done.stderr)
    assert done.returncode == 2
    assert "capability adapter.copilot" in said
    assert f"declares it {declared or 'undeclared'}, and {expected} is expected" in said
    assert "session-tck.toml" in said


def test_a_project_file_can_name_several_profiles(heard: Heard) -> None:
    toml = '[engine]\nname = "sim:reuse"\n[run]\nprofile = ["reuse", "continuity"]\n'
    settings = heard(toml=toml)
    assert (settings.profiles, settings.engine.policy) == (("continuity", "reuse"), "reuse")


def test_the_help_names_the_simulators_that_play_courses_and_what_all_is() -> None:
    told = " ".join(CliRunner().invoke(run_command.run, ["--help"]).output.split())
    assert "sim:PROFILE" in told
    assert "all: core and hardened" in told

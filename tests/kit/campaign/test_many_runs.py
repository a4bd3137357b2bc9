"""`session-tck run` with several engines and seeds, as its users start it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tck_kit import run_command
from tck_kit.asked_run import Asked
from tck_kit.campaign import many_runs
from tck_kit.campaign.runs import folders_of, units_of
from tck_kit.engine_choice import EngineChoice, Observed
from tck_kit.faults import UsageFault
from tck_kit.run_settings import SCENARIO_TIME_LIMIT, Settings
from tck_reports.reading import read

from ..conftest import Command  # noqa: TID252 -- the fixtures of the room that this one is in


def test_the_same_runs_give_the_same_bytes_with_a_cluster_and_without(on_small: Command, small: Path) -> None:
    engines = ("run", "--engine", "sim", "--engine", "mutant:silent", "--seed", "3")
    alone = on_small(*engines, "--report-dir", "alone", "--workers", "1")
    shared = on_small(*engines, "--report-dir", "shared", "--cluster", "local:2")

    assert (alone.returncode, shared.returncode) == (1, 1), (alone.stderr, shared.stderr)
    for name in (many_runs.CANONICAL, many_runs.PAGE):
        assert (small / "alone" / name).read_bytes() == (small / "shared" / name).read_bytes()
    assert alone.stdout == shared.stdout.replace("shared/", "alone/")
    campaign = json.loads((small / "shared" / many_runs.CANONICAL).read_text(encoding="utf-8"))
    assert [(one["engine"], one["exit_code"]) for one in campaign["engines"]] == [("sim", 0), ("mutant:silent", 1)]
    for engine in campaign["engines"]:
        (run,) = engine["runs"]
        report = read(small / "shared" / run["folder"] / "report.json")
        assert (report["exit_code"], report["run"]["seed"]) == (run["exit_code"], 3)
        assert report["run"]["workers"] == 1
    assert {one["id"]: one["engines"]["mutant-silent"]["outcome"] for one in campaign["requirements"]} == {
        "NAME-1": "failed",
        "RESUME-2": "failed",
        "ISOLATE-11": "failed",
    }
    times = json.loads((small / "shared" / many_runs.TIMES).read_text(encoding="utf-8"))
    assert [one["unit"] for one in times["units"]] == ["mutant:silent, seed 3", "sim, seed 3"]


def test_a_mistake_is_said_once_and_not_by_every_run(on_small: Command, small: Path) -> None:
    done = on_small("run", "--seeds", "1-9", "--area", "NOPE", "--report-dir", "report")

    assert done.returncode == 2
    assert done.stderr == ("session-tck: NOPE: the specification has no such area; known are ISOLATE, NAME, RESUME\n")
    assert not (small / "report").exists()


def test_a_driver_that_cannot_be_started_is_told_for_each_seed(on_small: Command) -> None:
    done = on_small("run", "--engine", "/no/such/driver", "--seeds", "1-2")

    assert done.returncode == 4
    for seed in (1, 2):
        assert f"no report: /no/such/driver, seed {seed}: the driver cannot be started: '/no" in done.stdout
        assert f"{seed} of 2: /no/such/driver, seed {seed}: no report" in done.stderr


# What options make of it, without running anything

Heard = Callable[..., tuple[list[Asked], tuple[int, ...], dict[str, object]]]


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Heard:
    """Give the runs that options ask for, in a folder whose session-tck.toml has this text."""
    made: list[tuple[list[Asked], tuple[int, ...], dict[str, object]]] = []

    def perform(asked: list[Asked], seeds: tuple[int, ...], **rest: object) -> int:
        made.append((asked, seeds, rest))
        return 0

    def hear(*arguments: str, toml: str | None = None) -> tuple[list[Asked], tuple[int, ...], dict[str, object]]:
        (tmp_path / ".git").mkdir(exist_ok=True)
        if toml is not None:
            (tmp_path / "session-tck.toml").write_text(toml, encoding="utf-8")
        CliRunner().invoke(run_command.run, arguments, standalone_mode=False, catch_exceptions=False)
        return made.pop()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(many_runs, "perform_many", perform)
    return hear


def test_every_engine_has_the_settings_that_fit_it(heard: Heard) -> None:
    asked, seeds, rest = heard("--engine", "sim", "--engine", "node d.js", "--seeds", "1-3", "--workers", "2")

    assert [(one.settings.engine.kind, one.settings.scenario_time_limit) for one in asked] == [
        ("sim", SCENARIO_TIME_LIMIT),
        ("command", 2 * SCENARIO_TIME_LIMIT),
    ]
    assert (seeds, rest) == ((1, 2, 3), {"cluster": None, "folder": None, "seconds": None})
    assert [one.settings.workers for one in asked] == [2, 2]


def test_on_a_cluster_each_run_has_one_worker_and_what_the_project_file_says_goes_along(
    heard: Heard, tmp_path: Path
) -> None:
    toml = """
[engine]
command = "node driver.js"
environment = { LEVEL = "debug" }
[run]
seed = 5
time_limit = 100
report_dir = "report"
baseline = "known.json"
[capabilities]
"adapter.grok-build" = "unsupported"
"""
    entry = '[[failure]]\ncheck = "a::b"\nreason = "issue 12"\nowner = "us"\nsince = 2026-01-31\n'
    (tmp_path / "known.json").write_text(entry, encoding="utf-8")
    (one,), seeds, rest = heard("--cluster", "local:2", "--time-limit", "60", "--features", "mine", toml=toml)

    assert (one.settings.workers, seeds) == (1, (5,))
    assert rest == {"cluster": "local:2", "folder": tmp_path / "report", "seconds": 60}
    assert one.settings.engine.environment == (("LEVEL", "debug"),)
    assert one.settings.engine.directory == str(tmp_path)
    assert one.settings.capabilities == {"adapter.grok-build": "unsupported"}
    assert one.baseline is not None
    assert [known.entry.name for known in one.baseline.entries] == ["a::b"]
    assert one.features == tmp_path / "mine"


def test_without_an_explicit_time_limit_each_run_has_its_own_and_all_together_none(heard: Heard) -> None:
    (one,), _, rest = heard("--seeds", "1-2", toml="[run]\ntime_limit = 100\n")

    assert (one.settings.time_limit, rest["seconds"]) == (100, None)


REFUSED = [
    (("--seed", "1", "--seeds", "1-3"), "--seed 1: both --seed and --seeds are given"),
    (("--seeds", "1-3", "--database", "sqlite:////x", "--workers", "1"), "--database: it is for one run"),
    (("--seeds", "x"), "--seeds: 'x' is no seed"),
    (("--engine", "sim", "--engine", ""), "no engine is named"),
]


@pytest.mark.parametrize(("arguments", "what"), REFUSED, ids=[what for _, what in REFUSED])
def test_what_cannot_be_meant_is_refused(heard: Heard, arguments: tuple[str, ...], what: str) -> None:
    with pytest.raises(UsageFault) as caught:
        heard(*arguments)
    assert what in str(caught.value)


# Units

SETTINGS = Settings(
    engine=EngineChoice(),
    profiles=(),
    workers=1,
    time_limit=1,
    scenario_time_limit=1,
    seed=None,
    thorough=False,
    baseline=None,
    report_dir=None,
    capabilities={},
    source=None,
)
DRIVER = EngineChoice("command", ("node", "driver.js"))
LISTENING = EngineChoice("url", urls=("http://127.0.0.1:8700",))
UNITS: list[tuple[EngineChoice, list[str]]] = [
    (EngineChoice(), ["sim, seed 1", "sim, seed 2", "sim, seed 5"]),
    (DRIVER, [f"node driver.js, seed {seed}" for seed in (1, 2, 5)]),
    (LISTENING, ["http://127.0.0.1:8700, seeds 1-2,5"]),
    (replace(DRIVER, observed=Observed("sqlite:////var/engine.sqlite")), ["node driver.js, seeds 1-2,5"]),
    (
        replace(DRIVER, observed=Observed("sqlite:///{workdir}/engine.sqlite")),
        [f"node driver.js, seed {seed}" for seed in (1, 2, 5)],
    ),
]


@pytest.mark.parametrize(("engine", "names"), UNITS)
def test_runs_that_would_meet_at_one_driver_or_database_are_one_unit(engine: EngineChoice, names: list[str]) -> None:
    units = units_of([("folder", Asked(replace(SETTINGS, engine=engine), ()))], (1, 2, 5))

    assert [unit.name for unit in units] == names
    assert [seed for unit in units for seed in unit.order.seeds] == [1, 2, 5]


def test_folders_are_named_after_engines_and_never_twice() -> None:
    engines = [
        EngineChoice(),
        EngineChoice("mutant", faulty="fresh-each-run"),
        EngineChoice("command", ("node", "driver.js")),
        EngineChoice("command", ("node", "Driver.js")),
        EngineChoice("command", ("..", "/" * 200)),
        LISTENING,
    ]

    assert folders_of(engines) == [
        "sim",
        "mutant-fresh-each-run",
        "node-driver.js",
        "node-driver.js-2",
        "engine",
        "http-127.0.0.1-8700",
    ]
    with pytest.raises(UsageFault, match="--engine sim: the same engine stands there twice; give each once"):
        folders_of([EngineChoice(), DRIVER, EngineChoice()])

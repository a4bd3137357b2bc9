"""Which engine a run is about: what an option and what a project file say, and what of it is told on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tck_driver.connection import About
from tck_driver.engine import Declaration
from tck_fakes.observed_mapping import SessionMapping
from tck_kit.driver_keeper import Introduction
from tck_kit.engine_choice import SERVED, SIMULATORS, EngineChoice, Observed, choose, chosen_by
from tck_kit.faults import UsageFault
from tck_kit.project_file import ProjectFile
from tck_kit.task import Task

HERE = Path("/somewhere")
ONE, TWO = "http://127.0.0.1:8700", "http://[::1]:8701/engine"

CHOICES: list[tuple[str, EngineChoice]] = [
    ("sim", EngineChoice("sim")),
    ("  sim+stdio\n", EngineChoice("sim+stdio")),
    ("sim+http", EngineChoice("sim+http")),
    ("sim:reuse", EngineChoice("turns", policy="reuse")),
    ("mutant:slug-of-60", EngineChoice("mutant", faulty="slug-of-60")),
    ("mutant:never-resumed", EngineChoice("mutant", faulty="never-resumed", policy="continuity")),
    ("mutant:mute", EngineChoice("mutant", faulty="mute", policy="continuity")),
    (ONE, EngineChoice("url", urls=(ONE,))),
    (f" {ONE}  {TWO} ", EngineChoice("url", urls=(ONE, TWO))),
    ("http://localhost", EngineChoice("url", urls=("http://localhost",))),
    ("node driver.js", EngineChoice("command", ("node", "driver.js"), directory="/somewhere")),
    ("'my driver' \"\" -x=1", EngineChoice("command", ("my driver", "", "-x=1"), directory="/somewhere")),
    ("curl http://x", EngineChoice("command", ("curl", "http://x"), directory="/somewhere")),
    ("simulator", EngineChoice("command", ("simulator",), directory="/somewhere")),
    ("./sim+stdio", EngineChoice("command", ("./sim+stdio",), directory="/somewhere")),
    ("grüße # no comment", EngineChoice("command", ("grüße", "#", "no", "comment"), directory="/somewhere")),
]


@pytest.mark.parametrize(("text", "choice"), CHOICES)
def test_an_engine_is_a_name_of_the_simulator_a_url_or_a_command(text: str, choice: EngineChoice) -> None:
    assert choose(text, HERE) == choice


REFUSED: list[tuple[str, str, str]] = [
    ("", "no engine is named", "give sim, a URL, or the command"),
    (" \n", "no engine is named", "give sim, a URL, or the command"),
    ("''", "no engine is named", "give sim, a URL, or the command"),
    ("sim+tcp", "no such way to the simulator", "use sim, sim+stdio or sim+http"),
    ("sim:core", "the simulator has no such policy", "use sim:continuity, sim:reuse, sim:redelegation"),
    ("sim:", "the simulator has no such policy", "use sim:continuity, sim:reuse, sim:redelegation"),
    ("mutant:never-resume", "there is no such fault", "did you mean never-resumed?"),
    ("mutant:mut", "there is no such fault", "did you mean mute?"),
    ("mutant:foreign-id+slug-of-60", "no engine can be wrong in all of these ways", "faults of one kind of engine"),
    ("sim+", "no such way to the simulator", "use sim, sim+stdio or sim+http"),
    ("node 'driver.js", "this is no command: No closing quotation", "quote it as in a shell"),
    ("https://127.0.0.1:8700", "this is no URL of a driver", "http://127.0.0.1:8700"),
    ("ftp://127.0.0.1", "this is no URL of a driver", "http://127.0.0.1:8700"),
    ("http://", "this is no URL of a driver", "http://127.0.0.1:8700"),
    ("http://:8700", "this is no URL of a driver", "http://127.0.0.1:8700"),
    ("http://127.0.0.1:0", "this is no URL of a driver", "http://127.0.0.1:8700"),
    ("http://127.0.0.1:99999", "this is no URL of a driver", "http://127.0.0.1:8700"),
    ("http://127.0.0.1:many", "this is no URL of a driver", "http://127.0.0.1:8700"),
    ("http://[::1", "this is no URL of a driver", "http://127.0.0.1:8700"),
    (f"{ONE} driver.js", "this is no URL of a driver", "http://127.0.0.1:8700"),
    (f"{ONE} {TWO} {ONE}", "the same URL stands there twice", "one driver serves one worker"),
]


@pytest.mark.parametrize(("text", "what", "cure"), REFUSED)
def test_what_names_no_engine_is_refused_in_one_line_with_what_to_do(text: str, what: str, cure: str) -> None:
    with pytest.raises(UsageFault) as caught:
        choose(text, HERE)

    said = str(caught.value)
    assert said.startswith("--engine")
    assert what in said
    assert cure in said
    assert len(said.splitlines()) == 1


FACTS: list[tuple[EngineChoice, bool, bool, str, str]] = [
    (EngineChoice(), True, True, "in process", "sim"),
    (EngineChoice("sim+stdio"), False, True, "stdio", "sim+stdio"),
    (EngineChoice("sim+http"), False, True, "http", "sim+http"),
    (EngineChoice("turns", policy="reuse"), True, True, "in process", "sim:reuse"),
    (EngineChoice("url", urls=(ONE, TWO)), False, False, "http", f"{ONE} {TWO}"),
    (EngineChoice("command", ("my driver", "-x")), False, False, "stdio", "'my driver' -x"),
]


@pytest.mark.parametrize(("choice", "in_process", "simulated", "transport", "shown"), FACTS)
def test_what_is_said_of_a_choice(
    choice: EngineChoice, *, in_process: bool, simulated: bool, transport: str, shown: str
) -> None:
    assert (choice.in_process, choice.simulated, choice.transport, choice.shown) == (
        in_process,
        simulated,
        transport,
        shown,
    )
    assert (choice.kind in {*SIMULATORS, "turns"}) is simulated


FILE = Path("/repository/session-tck.toml")
WRITTEN: list[tuple[ProjectFile, EngineChoice]] = [
    (ProjectFile(FILE, FILE.parent), EngineChoice("sim")),
    (ProjectFile(FILE, FILE.parent, name="sim+http"), EngineChoice("sim+http")),
    (
        ProjectFile(FILE, FILE.parent, name="sim+stdio", timeout_scale=2.5),
        EngineChoice("sim+stdio", timeout_scale=2.5),
    ),
    (
        ProjectFile(FILE, FILE.parent, command=("node", "d.js"), environment=(("A", "b"),), timeout_scale=3.0),
        EngineChoice("command", ("node", "d.js"), (), "/repository", (("A", "b"),), timeout_scale=3.0),
    ),
    (
        ProjectFile(FILE, FILE.parent, command=("./d",), directory=Path("/repository/engine")),
        EngineChoice("command", ("./d",), (), "/repository/engine"),
    ),
    (
        ProjectFile(FILE, FILE.parent, urls=(ONE, TWO), timeout_scale=0.5),
        EngineChoice("url", urls=(ONE, TWO), timeout_scale=0.5),
    ),
]


@pytest.mark.parametrize(("project", "choice"), WRITTEN)
def test_a_project_file_names_an_engine_and_the_simulator_where_it_names_none(
    project: ProjectFile, choice: EngineChoice
) -> None:
    assert chosen_by(project) == choice


def test_the_simulator_behind_a_driver_is_this_python_and_nothing_of_the_folder_it_is_started_in() -> None:
    assert (sys.executable, "-P", "-m", "tck_fakes.served") == SERVED


MAPPING = SessionMapping.read({"table": "runs", "columns": {"native_session_id": "cli_id"}})


SAID = Introduction(Declaration("e", "1", "Go", "", {"sessions": "supported", "adapter.api": "unsupported"}), "wall")


def _task(choice: EngineChoice, introduced: Introduction | None = None) -> Task:
    return Task(
        features="/f",
        folder="/w",
        known=("name-1", "resume-2"),
        seed=7,
        about=About("0", "small", "1", "00"),
        engine=choice,
        database_url=None,
        scenario_seconds=20,
        number=1,
        lead=True,
        introduced=introduced,
    )


@pytest.mark.parametrize(
    "choice",
    [
        *(choice for _, choice in CHOICES),
        *(choice for _, choice in WRITTEN),
        EngineChoice("command", ("a",), observed=Observed("sqlite:///{directory}/x")),
        EngineChoice("command", ("a",), observed=Observed("postgresql://u:p@h/d", MAPPING), timeout_scale=7.0),
    ],
)
@pytest.mark.parametrize("introduced", [None, SAID], ids=["", "introduced"])
def test_a_worker_is_told_of_the_engine_as_it_was_chosen(choice: EngineChoice, introduced: Introduction | None) -> None:
    task = _task(choice, introduced)
    told = task.encode()

    assert len(told.splitlines()) == 1
    assert Task.decode(told) == task


def test_words_that_are_no_text_reach_a_worker_as_they_were_given() -> None:
    task = _task(choose("node dr\udcfcver.js", HERE))

    told = task.encode().encode("utf-8").decode("utf-8")

    assert Task.decode(told).engine.words == ("node", "dr\udcfcver.js")

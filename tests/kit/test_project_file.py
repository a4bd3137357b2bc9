"""What stands in `session-tck.toml` is meant as it is written, and its mistakes are told at once, with cures."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from tck_fakes.observed_mapping import FIELDS, MAY_BE_CONSTANT, TRANSLATIONS, Constant, SessionMapping
from tck_kit import project_file
from tck_kit.command_line import cli
from tck_kit.faults import UsageFault
from tck_kit.project_file import ProjectFile, find, read

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Put the text into the file."""

    def written(text: str) -> Path:
        (tmp_path / "session-tck.toml").write_text(text, encoding="utf-8")
        return tmp_path / "session-tck.toml"

    return written


def mistake(path: Path) -> str:
    """Give what is said of a file, without the folder it is in."""
    with pytest.raises(UsageFault) as caught:
        read(path)
    return str(caught.value).replace(f"{path.parent}/", "")


# --- what is meant ---------------------------------------------------------------------------------------------------


def test_an_empty_file_says_nothing(write: Write) -> None:
    path = write("")
    assert read(path) == ProjectFile(path=path, folder=path.parent)


def test_everything_that_can_be_said_is_read(write: Write) -> None:
    path = write(
        """\
        [engine]
        command = "node 'my driver.js' --fast"
        directory = "engine"
        environment = { NODE_ENV = "test", EMPTY = "" }

        [run]
        profile = "core"
        workers = 2
        time_limit = 900
        scenario_time_limit = 20
        timeout_scale = 1.5
        baseline = "known.json"
        report_dir = "/reports"
        seed = 0
        thorough = false
        retries = 3

        [capabilities]
        "adapter.codex" = "supported"
        view.incidents = "undeclared"
    """.replace("view.incidents", '"view.incidents"')
    )
    (path.parent / "engine").mkdir()
    assert read(path) == ProjectFile(
        path=path,
        folder=path.parent,
        command=("node", "my driver.js", "--fast"),
        directory=path.parent / "engine",
        environment=(("NODE_ENV", "test"), ("EMPTY", "")),
        profiles=("core",),
        workers=2,
        time_limit=900,
        scenario_time_limit=20,
        timeout_scale=1.5,
        baseline=path.parent / "known.json",
        report_dir=Path("/reports"),
        seed=0,
        thorough=False,
        retries=3,
        capabilities=(("adapter.codex", "supported"), ("view.incidents", "undeclared")),
    )


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ('engine.command = ["a b", ""]', "command", ("a b", "")),
        ('engine.url = "http://127.0.0.1:8700"', "urls", ("http://127.0.0.1:8700",)),
        ('engine.url = ["http://[::1]:1/x", "http://h:2"]', "urls", ("http://[::1]:1/x", "http://h:2")),
        ('engine.name = "sim+http"', "name", "sim+http"),
        ("run.timeout_scale = 2", "timeout_scale", 2.0),
        ("run.workers = 2.0", "workers", 2),
        ("run.thorough = true", "thorough", True),
        ("\ufeffrun.seed = 4294967295", "seed", 4294967295),
        ('[run]\r\nprofile = "all"\r\n', "profiles", ("all",)),
        ('run.profile = ["reuse", "continuity"]', "profiles", ("reuse", "continuity")),
        ('engine.name = "sim:reuse"', "name", "sim:reuse"),
    ],
)
def test_one_thing_can_be_said_in_several_ways(write: Write, text: str, field: str, value: object) -> None:
    found = getattr(read(write(text)), field)
    assert (found, type(found)) == (value, type(value))


def test_a_command_is_started_in_the_folder_of_the_file(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write('[engine]\ncommand = "./driver"')
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = read(Path("../session-tck.toml"))
    assert found.directory is not None
    assert found.directory.resolve() == tmp_path.resolve()


def test_a_database_is_observed_by_its_mapping(write: Write, tmp_path: Path) -> None:
    found = read(
        write("""\
            [observe]
            url = "sqlite:///data/engine.sqlite"
            table = "runs"
            joins = ["runs.issue = issues.id"]
            order = ["begun", "id"]

            [observe.columns]
            kind = { value = "issue" }
            iid = "issues.number"
            model = { value = "m" }

            [observe.values]
            outcome = { success = "succeeded" }
            resumed = { yes = true, no = false }
            resume_fallback.none = "null"
        """)
    )
    assert found.observe_url == f"sqlite:///{tmp_path}/data/engine.sqlite"
    assert found.observe == SessionMapping(
        table="runs",
        joins=("runs.issue = issues.id",),
        columns={
            **{name: name for name in FIELDS},
            "run": "id",
            "kind": Constant("issue"),
            "iid": "issues.number",
            "model": Constant("m"),
        },
        order=("begun", "id"),
        values={
            "outcome": {"success": "succeeded"},
            "resumed": {"yes": True, "no": False},
            "resume_fallback": {"none": "null"},
        },
    )


def test_an_engine_of_the_specified_layout_needs_its_url_alone(write: Write) -> None:
    url = "postgresql+psycopg://tck@/engine?host={workdir}"
    found = read(write(f'observe.url = "{url}"'))
    assert (found.observe_url, found.observe) == (url, SessionMapping())


def test_the_files_of_the_skeletons_can_be_read() -> None:
    kept = sorted(Path(str(project_file.__file__)).parent.glob("skeletons/*/session-tck.toml"))
    assert kept
    for path in kept:
        assert read(path).command


# --- where it is -----------------------------------------------------------------------------------------------------


def test_the_file_is_found_upwards(write: Write, tmp_path: Path) -> None:
    path = write("")
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find(tmp_path) == find(tmp_path / "a" / "b") == path
    (tmp_path / "a" / "session-tck.toml").touch()
    assert find(tmp_path / "a" / "b") == tmp_path / "a" / "session-tck.toml"


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_search_ends_at_the_repository(write: Write, tmp_path: Path, kind: str) -> None:
    path = write("")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    if kind == "folder":
        (tmp_path / "a" / ".git").mkdir()
    else:
        (tmp_path / "a" / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
    assert find(below) is None
    (tmp_path / ".git").mkdir()
    assert find(tmp_path) == path
    (tmp_path / "a" / "session-tck.toml").touch()
    assert find(below) == tmp_path / "a" / "session-tck.toml"


def test_a_search_without_a_find_ends_at_the_root() -> None:
    assert find(Path("/")) is None


def test_a_link_that_leads_nowhere_is_found_and_told(tmp_path: Path) -> None:
    path = tmp_path / "session-tck.toml"
    path.symlink_to("nowhere")
    assert find(tmp_path) == path
    assert mistake(path) == (
        "session-tck.toml: it cannot be read: No such file or directory; mend the file, or move it away"
    )


# --- mistakes --------------------------------------------------------------------------------------------------------

NEEDS_ENGINE = 'give exactly one of command, url, name, such as {command = "node driver.js"}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # keys
        ("[engin]", ":1: engin is not known; did you mean engine?"),
        ("\n[run]\nseeed = 1", ":3: run.seeed is not known; did you mean seed?"),
        ("[run]\ntime-limit = 1", ":2: run.time-limit is not known; did you mean time_limit?"),
        ("[run]\nSEED = 1", ":2: run.SEED is not known; did you mean seed?"),
        (
            "[run]\n'a b' = 1",
            ':2: run."a b" is not known; known are profile, workers, time_limit,',
        ),
        ("workers = 1", ":1: workers is not known here; write it under [run]"),
        ("[run]\nurl = 1", ":2: run.url is not known here; write it under [engine] or [observe]"),
        (
            "[capabilities]\n'adapter.kodex' = 'supported'",
            ':2: capabilities."adapter.kodex" is not known; did you mean',
        ),
        ("[observe.columns]\nphaze = 'x'", ":2: observe.columns.phaze is not known; did you mean phase?"),
        # types
        ("run = 1", ":1: run is 1; it must be a table, such as {profile = "),
        ("engine = 1", ":1: engine is 1; it must be a table"),
        ("[run]\nworkers = '2'", ':2: run.workers is "2"; it must be a whole number, such as 2'),
        ("[run]\nworkers = true", ":2: run.workers is true; it must be a whole number, such as 2"),
        ("[run]\nworkers = 1.5", ":2: run.workers is 1.5; it must be a whole number, such as 2"),
        ("[run]\nthorough = 1", ":2: run.thorough is 1; it must be true or false, such as true"),
        ("[run]\nprofile = 1", ":2: run.profile is 1; it must be a text in quotes"),
        ("[run]\nbaseline = 2020-01-01", ":2: run.baseline is 2020-01-01; it must be a text in quotes, such as"),
        ("[[run]]", ":1: run is a list in brackets; it must be a table"),
        (
            "[engine]\ncommand = 1",
            ":2: engine.command is 1; it must be a text in quotes or a list in brackets",
        ),
        ("[engine]\ncommand = ['a', 1]", ":2: engine.command[2] is 1; it must be a text in quotes"),
        ("[engine]\ncommand = {}", ":2: engine.command is a table; it must be a text in quotes or a list in brackets"),
        (
            "[engine]\ncommand = 'x'\nenvironment = {PORT = 80}",
            ':3: engine.environment.PORT is 80; it must be a text in quotes, such as "test"',
        ),
        ("[observe.columns]\nrun = {value = 1}", ":2: observe.columns.run is a table; it must be a text in quotes"),
        ("[observe.columns]\niid = {value = '1'}", ':2: observe.columns.iid.value is "1"; it must be a whole number'),
        ("[observe.columns]\niid = {}", ":2: observe.columns.iid lacks value; write it, such as {value = 1}"),
        ("[observe.columns]\niid = {valeu = 1, value = 1}", ".iid.valeu is not known; did you mean value?"),
        ("[observe.values.resumed]\ny = 'true'", ':2: observe.values.resumed.y is "true"; it must be true or false'),
        # ranges and words
        ("[run]\nworkers = 0", ":2: run.workers is 0; it must be from 1 to 64"),
        ("[run]\nworkers = 65", ":2: run.workers is 65; it must be from 1 to 64"),
        ("[run]\nretries = 6", ":2: run.retries is 6; it must be from 0 to 5"),
        ("[run]\nseed = -1", ":2: run.seed is -1; it must be from 0 to 4294967295"),
        ("[run]\nseed = 4294967296", ":2: run.seed is 4294967296; it must be from 0 to 4294967295"),
        ("[run]\ntimeout_scale = 0.0", ":2: run.timeout_scale is 0.0; it must be from 0.1 to 100"),
        ("[run]\ntimeout_scale = nan", ":2: run.timeout_scale is nan; give a number"),
        ("[run]\ntimeout_scale = inf", ":2: run.timeout_scale is inf; give a number"),
        (f"[run]\nseed = 0x{'f' * 8000}", ":2: run.seed is larger than a whole number in TOML can be; give a smaller"),
        ("[run]\nprofile = 'cor'", ':2: run.profile is "cor"; did you mean core?'),
        ("[engine]\nname = 'simulator'", ':2: engine.name is "simulator"; known are sim, sim+stdio, sim+http'),
        ("[capabilities]\nsessions = 'yes'", ':2: capabilities.sessions is "yes"; known are supported, unsupported,'),
        ("[observe.values.outcome]\nok = 'success'", 'values.outcome.ok is "success"; did you mean succeeded?'),
        # the engine
        ("[engine]", f":1: engine names no engine; {NEEDS_ENGINE}"),
        ("[engine]\nname = 'sim'\nurl = 'http://h'", f":1: engine has url and name; {NEEDS_ENGINE}".replace(":1", "")),
        ("[engine]\ncommand = ''", ":2: engine.command is empty; it must be a text in quotes, such as"),
        ("[engine]\ncommand = ' '", ':2: engine.command is empty; give a command such as "node driver.js"'),
        (
            "[engine]\ncommand = 'sim:reuse'",
            ':2: engine.command is "sim:reuse", an engine of the kit and no program; write',
        ),
        ("[engine]\ncommand = ['mutant:x']", "an engine of the kit and no program; use --engine mutant:x"),
        ("[run]\nprofile = []", ":2: run.profile is empty; it must be a list, such as"),
        ("[run]\nprofile = ['core', 'cor']", ':2: run.profile[2] is "cor"; did you mean core?'),
        ("[run]\nprofile = ['core', 'core']", ":2: run.profile names the same twice; take one out"),
        (
            "[run]\nprofile = ['core', 'reuse']",
            ":2: run.profile is of engines of two kinds; give some of core, hardened, or",
        ),
        ("[engine]\ncommand = []", ":2: engine.command is empty; it must be a list, such as"),
        ("[engine]\ncommand = ['', 'x']", ":2: engine.command begins with an empty word; begin with the name of a"),
        ('[engine]\ncommand = "a \'b"', ":2: engine.command is no command: No closing quotation; quote it as in a"),
        ('[engine]\ncommand = "a\\u0000b"', ':2: engine.command is "a\\u0000b", which does not fit; it must be a'),
        (
            "[engine]\nurl = '127.0.0.1:8700'",
            ':2: engine.url is "127.0.0.1:8700", which does not fit; it must be a',
        ),
        ("[engine]\nurl = 'http://h:99999'", ':2: engine.url is "http://h:99999"; give a URL such as http://127.'),
        ("[engine]\nurl = ['http://h', 'http://h']", ":2: engine.url names the same twice; take one out"),
        (
            "[engine]\nname = 'sim'\ndirectory = '.'",
            ":3: engine.directory is of use to a command alone; take it out",
        ),
        ("[engine]\ncommand = 'x'\ndirectory = 'gone'", ":3: engine.directory is no folder: gone; make it, or name"),
        (
            "[engine]\ncommand = 'x'\nenvironment = {'A=B' = ''}",
            ':3: engine.environment has the name "A=B", which',
        ),
        # the database
        ("[observe]\nurl = 'engine.sqlite'", ":2: observe.url is no URL of a database; write one such as postgresql+"),
        (
            "[observe]\nurl = 'sqlite:///{work}/e'",
            ":2: observe.url has the placeholder {work}; known are",
        ),
        ("[observe]\njoins = ['a']", ":2: observe.joins[1] is 'a', which is no equation; write \"one.column ="),
        ("[observe]\ncolumns = {phase = 'a.b'}", ":2: observe.columns.phase is 'a.b', and no join leads to a table a;"),
    ],
)
def test_a_mistake_is_told_by_line_and_key_with_its_cure(write: Write, text: str, told: str) -> None:
    found = mistake(write(text))
    assert told in found
    assert "\n" not in found
    assert found.startswith("session-tck.toml")
    assert len(found) < 400


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines(write: Write) -> None:
    found = mistake(
        write(
            "[run]\nseed = 'x'\nworker = 1\n\n[engine]\ncomand = 'a'\n\n[observe]\ncolumns.iid = 7\n"
            "[engine.environment]\n[capabilities]\n'adapter.kodex' = 'supported'"
        )
    )
    assert found.splitlines() == [
        "session-tck.toml: 7 mistakes; mend them:",
        '  line 2: run.seed is "x"; it must be a whole number, such as 1',
        "  line 3: run.worker is not known; did you mean workers?",
        f"  line 5: engine names no engine; {NEEDS_ENGINE}",
        "  line 6: engine.comand is not known; did you mean command?",
        "  line 9: observe.columns.iid is 7; it must be a text in quotes or a table, such as {value = 1}",
        "  line 10: engine.environment is of use to a command alone; take it out, or give command",
        '  line 12: capabilities."adapter.kodex" is not known; did you mean adapter.codex?',
    ]


def test_ten_mistakes_are_shown_and_the_others_counted(write: Write) -> None:
    found = mistake(write("\n".join(f"key{number} = 1" for number in range(1, 14)))).splitlines()
    assert found[0] == "session-tck.toml: 13 mistakes; mend them:"
    assert len(found) == 12
    assert found[1].startswith("  line 1: key1 is not known; ")
    assert found[-1] == "  … and 3 more"


def test_a_mistake_in_the_toml_is_told_with_its_line(write: Write) -> None:
    for text, told in (
        ("[run]\nseed = = 1", ":2: this is no TOML: Invalid value; mend the line, or the one before it"),
        ("[run]\nseed = ", ":2: this is no TOML: Invalid value; mend"),
        ("[run]\nseed = 1\nseed = 2", ":3: this is no TOML: Cannot overwrite a value; mend"),
        ("[run", ":1: this is no TOML: "),
        ("seed", ":1: this is no TOML: "),
        (f"a = {'9' * 8000}", ": a value cannot be read: "),
    ):
        assert mistake(write(text)).startswith(f"session-tck.toml{told}")


# --- files that are none ---------------------------------------------------------------------------------------------


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "session-tck.toml").mkdir()
    assert find(tmp_path) == tmp_path / "session-tck.toml"
    assert mistake(tmp_path / "session-tck.toml") == (
        "session-tck.toml: it is no regular file; put a file of settings in its place"
    )


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "session-tck.toml")
    assert "it is no regular file" in mistake(tmp_path / "session-tck.toml")


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "session-tck.toml"
    with path.open("wb") as file:
        file.truncate(1024 * 1024)
        assert "larger than 1 MiB" not in mistake(path)
        file.truncate(1 << 40)
    assert mistake(path) == "session-tck.toml: the file is larger than 1 MiB; mend the file, or move it away"


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (b"\n\n# caf\xe9\n", ":3: this is no UTF-8; save it as UTF-8"),
        (b"\x00\x01\x02", ":1: this is no TOML: "),
        (b"\x7fELF\x02\xff\xfe", ":1: this is no UTF-8"),
        ("[run]".encode("utf-16"), ":1: this is no UTF-8"),
        (b"a = " + b"[" * 8_000, ": its values lie too deep; mend"),
        (b"a = " + b"{a = " * 1_600, ": its values lie too deep; mend"),
        (b"a" + b".a" * 4_000 + b" = 1", ": its tables lie too deep; nothing is deeper than observe.values; mend"),
        (b"[run" + b".a" * 4_000 + b"]", ": its tables lie too deep"),
        (b"\na = '" + b"x" * 20_000, ":2: the line is longer than 8,192 characters; mend"),
        (b"[run]\nseed = '" + b"x" * 8_000 + b"'", ':2: run.seed is "xxxx'),
        (
            b"\n".join(b"k%d = 1" % number for number in range(70_000)),
            ": 1000 or more mistakes; mend them:\n  line 1: k0 is not known; known are",
        ),
    ],
)
def test_a_hostile_file_has_its_own_message(tmp_path: Path, held: bytes, told: str) -> None:
    path = tmp_path / "session-tck.toml"
    path.write_bytes(held)
    found = mistake(path)
    assert found.startswith(f"session-tck.toml{told}"), found[:300]
    assert len(found) < 3000


# --- the schema ------------------------------------------------------------------------------------------------------


def test_the_schema_is_a_schema_and_names_itself() -> None:
    jsonschema.Draft202012Validator.check_schema(project_file.schema())
    assert project_file.schema()["$id"] == "https://session-tck.dev/schemas/session-tck-1.json"


def test_every_example_in_the_schema_fits_it() -> None:
    schema = project_file.schema()

    def parts(part: Any) -> list[dict[str, Any]]:  # noqa: ANN401 -- JSON
        inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        own = [part] if isinstance(part, dict) and "examples" in part and "type" in part else []
        return own + [one for each in inside for one in parts(each)]

    found = parts(schema)
    assert len(found) > 20
    for part in found:
        for example in part["examples"]:
            jsonschema.validate(example, {**part, "$defs": schema["$defs"]}, jsonschema.Draft202012Validator)


def test_the_ranges_are_those_of_the_options() -> None:
    options = {one.name: one for one in cli.commands["run"].params}
    settings = project_file.schema()["properties"]["run"]["properties"]
    compared = 0
    for name, setting in settings.items():
        option = options[name].type
        if isinstance(option, click.IntRange | click.FloatRange):
            assert (setting["minimum"], setting["maximum"]) == (option.min, option.max), name
            compared += 1
        elif isinstance(option, click.Choice):
            assert setting["then"]["enum"] == setting["items"]["enum"] == list(option.choices)
            compared += 1
    assert compared >= 5


def test_the_schema_knows_the_fields_and_words_of_the_mapping() -> None:
    schema = project_file.schema()
    observe = schema["properties"]["observe"]["properties"]
    assert tuple(observe["columns"]["properties"]) == FIELDS
    constant = {name for name, one in observe["columns"]["properties"].items() if one["$ref"] != "#/$defs/column"}
    assert constant == MAY_BE_CONSTANT
    words = {name: one["additionalProperties"] for name, one in observe["values"]["properties"].items()}
    assert words.keys() == TRANSLATIONS.keys()
    for name, allowed in TRANSLATIONS.items():
        boolean = words[name]["type"] == "boolean"
        known: set[str | bool] = {True, False} if boolean else set(words[name].get("enum", ()))
        assert known == (allowed or set()), name

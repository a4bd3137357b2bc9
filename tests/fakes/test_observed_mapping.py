"""What an implementer can say of an engine's database, and what is answered to what cannot be meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import make_url

from tck_fakes.observed_mapping import FIELDS, Constant, MappingError, SessionMapping, layout
from tck_fakes.observed_url import anchored, check_url, fill, masked


def faults(**given: object) -> list[str]:
    """Say what is wrong with what was written."""
    with pytest.raises(MappingError) as caught:
        layout(SessionMapping.read(given))
    return [str(fault) for fault in caught.value.faults]


def test_without_a_word_it_is_the_layout_of_the_specification() -> None:
    assert SessionMapping.read({}) == SessionMapping()
    meant = layout(SessionMapping())
    assert [str(table) for table in meant.tables()] == ["llm_sessions", "mailboxes"]
    assert {name: str(column) for name, column in meant.columns.items()} == {
        "run": "llm_sessions.id",
        **{name: f"mailboxes.{name}" for name in ("organization", "project", "kind", "iid")},
        **{name: f"llm_sessions.{name}" for name in FIELDS[5:]},
    }
    assert [str(column) for column in meant.order] == ["llm_sessions.id"]


def test_in_a_layout_of_its_own_what_is_left_out_is_the_column_of_the_same_name() -> None:
    meant = layout(SessionMapping.read({"table": "audit.runs", "columns": {"kind": {"value": "issue"}}}))
    assert [str(table) for table in meant.tables()] == ["audit.runs"]
    assert {name: str(column) for name, column in meant.columns.items()} == {
        name: f"audit.runs.{'id' if name == 'run' else name}" for name in FIELDS if name != "kind"
    }
    assert meant.constants == {"kind": "issue"}


def test_runs_are_ordered_by_their_own_column_unless_another_one_is_named() -> None:
    assert SessionMapping.read({"columns": {"run": "key"}}).order == ("key",)
    assert SessionMapping.read({"columns": {"run": "key"}, "order": "begun"}).order == ("begun",)
    assert SessionMapping.read({"order": ["begun", "id"]}).order == ("begun", "id")


def test_a_mapping_survives_the_way_to_a_worker() -> None:
    mapping = SessionMapping.read(
        {
            "table": "runs",
            "joins": ["runs.issue = issues.key"],
            "columns": {"run": "key", "kind": {"value": "issue"}, "iid": "issues.number", "provider": {"value": "p"}},
            "order": ["begun", "key"],
            "values": {"outcome": {"ok": "succeeded"}, "resumed": {"yes": True}},
        }
    )
    assert SessionMapping.read(json.loads(json.dumps(mapping.plain()))) == mapping
    assert mapping.columns["kind"] == Constant("issue")


def test_names_with_dots_and_quotes_are_written_in_double_quotes() -> None:
    meant = layout(SessionMapping.read({"table": '"my.schema"."the ""runs"""', "columns": {"run": '"a.b"'}}))
    assert (meant.table.schema, meant.table.name, meant.columns["run"].name) == ("my.schema", 'the "runs"', "a.b")


def test_two_equations_with_one_table_are_one_join() -> None:
    meant = layout(SessionMapping.read({"joins": ["llm_sessions.org = m.org", "llm_sessions.number = m.number"]}))
    assert [(str(join.table), len(join.on)) for join in meant.joins] == [("m", 2)]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"table": "a..b"}, ["table is 'a..b', which is no name"]),
        ({"table": ""}, ["table is '', which is no name"]),
        ({"table": "a.b.c"}, ["table is 'a.b.c', which is no name"]),
        ({"columns": {"phase": "what for"}}, ["columns.phase is 'what for', which is no name"]),
        (
            {"columns": {"project": "projects.name"}},
            ['projects; known are llm_sessions, mailboxes; add a join such as "llm_sessions.key = projects.id"'],
        ),
        ({"order": "begun.at"}, ["order is 'begun.at', and no join leads to a table begun"]),
        ({"joins": ["a"]}, ["joins[1] is 'a', which is no equation"]),
        ({"joins": ["a.b = c.d = e.f"]}, ["joins[1] is 'a.b = c.d = e.f', which is no equation"]),
        ({"joins": ["a.b = c.d"]}, ["joins[1] is 'a.b = c.d', which leads from no table before it to another"]),
        ({"joins": ["id = llm_sessions.id"]}, ["joins[1] is 'id = llm_sessions.id', which leads from no table"]),
        ({"columns": {"run": {"value": 1}}, "order": "id"}, ["columns.run is a constant"]),
        ({"columns": {"resumed": {"value": 1}}}, ["columns.resumed is a constant; name a column"]),
        ({"columns": {"cli": "cli"}}, ["columns.cli is no field; the fields are run, organization"]),
        (
            {"values": {"outcome": {"ok": "success"}}},
            ["'success', which is no outcome; known are abandoned, cancelled, failed, live, queued, succeeded,"],
        ),
        ({"values": {"resumed": {"y": "true"}}}, ["leads to 'true', which is no resumed; known are false, true"]),
        ({"values": {"iid": {"7": "8"}}}, ["values.iid cannot be translated; these can: kind, adapter_id"]),
        (
            {"table": "runs", "columns": {"iid": "issues.iid", "kind": "issues.kind"}, "values": {"run": {}}},
            ["columns.kind is 'issues.kind'", "columns.iid is 'issues.iid'", "values.run cannot be translated"],
        ),
    ],
)
def test_what_cannot_be_meant_is_told_by_its_key_and_all_at_once(given: dict[str, object], told: list[str]) -> None:
    found = faults(**given)
    assert len(found) == len(told), found
    assert all(part in fault for part, fault in zip(sorted(told), sorted(found), strict=True)), found


FOLDER, WORK = Path("/var/driver"), Path("/var/s 7&8")


@pytest.mark.parametrize(
    ("url", "filled"),
    [
        ("sqlite:///{directory}/e.sqlite", ("/var/driver/e.sqlite", {}, None)),
        ("sqlite:///{workdir}/e.sqlite?timeout=9", ("/var/s 7&8/e.sqlite", {"timeout": "9"}, None)),
        ("postgresql://u@/d?host={workdir}", ("d", {"host": "/var/s 7&8"}, None)),
        ("sqlite:////srv/e.sqlite", ("/srv/e.sqlite", {}, None)),
        ("postgresql://u:%7Bx%7D@h/d", ("d", {}, "{x}")),
    ],
)
def test_placeholders_become_folders(url: str, filled: tuple[str, dict[str, str], str | None]) -> None:
    found = make_url(fill(url, directory=FOLDER, workdir=WORK))
    assert (found.database, dict(found.query), found.password) == filled


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite:///{folder}/e", "url has the placeholder {folder}; known are {directory} and {workdir}"),
        ("sqlite:///{}/e", "url has the placeholder {}"),
        ("sqlite:///{directory.parent}", "url has the placeholder {directory.parent}"),
        ("engine.sqlite", "url is no URL of a database"),
        ("", "url is no URL of a database"),
        ("postgresql://u:hush@h:9x/d", "url is no URL of a database"),
    ],
)
def test_what_is_no_url_is_refused_without_being_repeated(url: str, told: str) -> None:
    for use in (check_url, lambda text: fill(text, directory=FOLDER, workdir=WORK)):
        with pytest.raises(MappingError) as caught:
            use(url)
        assert str(caught.value.faults[0]).startswith(told)
        assert "hush" not in str(caught.value)
        assert caught.value.__cause__ is None


def _meant(use: Callable[[Path], str], folder: str) -> str | None:
    """Give the file that a URL leads to; the folder's own where the URL is refused."""
    try:
        found = use(Path(folder))
    except MappingError:
        return f"{folder}/e"
    check_url(found)
    return make_url(found).database


def _anchored(folder: Path) -> str:
    return anchored("sqlite:///e", folder)


def _filled(folder: Path) -> str:
    return fill("sqlite:///{workdir}/e", directory=FOLDER, workdir=folder)


@pytest.mark.parametrize("folder", ["/what?mode=ro", "/{workdir}", "/100%25", "/a#b"])
@pytest.mark.parametrize("use", [_anchored, _filled])
def test_a_folder_that_looks_like_a_part_of_a_url_is_that_folder_or_refused(
    use: Callable[[Path], str], folder: str
) -> None:
    assert _meant(use, folder) == f"{folder}/e"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite:///e.sqlite", "sqlite:////house/e.sqlite"),
        ("sqlite:///../e.sqlite?timeout=1", "sqlite:////house/../e.sqlite?timeout=1"),
        ("sqlite+pysqlite:///e.sqlite", "sqlite+pysqlite:////house/e.sqlite"),
        ("sqlite:////e.sqlite", "sqlite:////e.sqlite"),
        ("sqlite:///{workdir}/e.sqlite", "sqlite:///{workdir}/e.sqlite"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("sqlite:///file:e?uri=true", "sqlite:///file:e?uri=true"),
        ("sqlite://", "sqlite://"),
        ("postgresql:///e", "postgresql:///e"),
    ],
)
def test_the_file_of_a_relative_url_lies_in_the_folder(url: str, told: str) -> None:
    assert anchored(url, Path("/house")) == told


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://u:hush@h/d", "postgresql://u:***@h/d"),
        ("postgresql://h/d?password=hush", "postgresql://h/d?password=***"),
        ("postgresql://h/d?sslpassword=hush", "postgresql://h/d?sslpassword=***"),
        ("hush", "(no URL)"),
        ("postgresql://u:hu/sh@h:9x/d", "(no URL)"),
    ],
)
def test_a_password_is_never_shown(url: str, told: str) -> None:
    assert masked(url) == told

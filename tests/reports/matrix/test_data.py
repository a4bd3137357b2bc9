"""The JSON behind the site fits its schema, says what the reports say, and is the same for the same reports."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from tests.reports.samples import mixed_report

from tck_reports.matrix import data
from tck_reports.matrix.gathering import gathered
from tck_reports.matrix.model import LeftOut, Site
from tck_reports.outcomes import Outcome

from .given_reports import given, report


@cache
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((files("tck_reports") / "schemas" / "matrix-1.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def site() -> Site:
    return gathered(
        [
            given(report()),
            given(report(version="1.0.1", day=2, outcomes={"NAME-1": Outcome.FAILED})),
            given(report(name="日本 <b>", day=3, spec="1.1.0", outcomes={"OFF-1": Outcome.UNTESTABLE})),
            given(mixed_report()),
        ],
        [LeftOut("bad.json", "is no JSON; run again")],
    )


def read(made: Site) -> dict[str, Any]:
    return {path: json.loads(content) for path, content in data.files(made)}


def test_all_files_fit_the_schema() -> None:
    for path, content in read(site()).items():
        assert [one.message for one in validator().iter_errors(content)] == [], path


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("updated", 3),
        ("engines", [{"slug": "a"}]),
        ("changes", [{}]),
        ("signs", {"p": "passed"}),
        ("left_out", [{"source": "a"}]),
    ],
)
def test_the_schema_notices_what_is_wrong(place: str, value: object) -> None:
    content = read(site())["data/matrix.json"]
    content[place] = value
    assert list(validator().iter_errors(content))


def test_the_matrix_says_what_the_site_says() -> None:
    made = site()
    content = read(made)["data/matrix.json"]
    rows = {(engine["slug"], row["slug"]): row for engine in content["engines"] for row in engine["rows"]}
    assert len(rows) == content["reports"] == 4
    for engine in made.engines:
        for row in engine.rows:
            told = rows[engine.slug, row.slug]
            names = next(one for one in content["sets"] if one["slug"] == told["set"])["requirements"]
            assert {name: told["cells"][at] for at, name in enumerate(names)} == {
                name: made.cell(row, name) for name in names
            }
            assert told["verdict"]["core"]["result"] == row.verdicts["core"].result
    assert content["left_out"] == [{"source": "bad.json", "why": "is no JSON; run again"}]


def test_the_file_of_an_engine_has_the_reasons() -> None:
    content = read(site())["data/engines/acme.json"]
    assert [row["reasons"] for row in content["engine"]["rows"]] == [
        {"NAME-1": "did not hold: the id that the CLI was given"},
        {},
    ]
    assert [one["regressions"] for one in content["changes"]] == [["NAME-1"], []]


def test_the_same_reports_give_the_same_bytes() -> None:
    assert dict(data.files(site())) == dict(data.files(site()))
    assert all(content.isascii() for _, content in data.files(site()))


def test_there_is_data_of_nothing() -> None:
    content = read(gathered([]))
    assert list(content) == ["data/matrix.json"]
    assert not list(validator().iter_errors(content["data/matrix.json"]))

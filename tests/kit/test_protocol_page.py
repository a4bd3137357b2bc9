"""The page of the protocol: made of the schemas and of what a driver really says, so neither can go astray."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tck_driver import schemas
from tck_driver.capabilities import ASKED
from tck_kit.protocol_example import Exchange, exchanges
from tck_kit.protocol_page import page

PAGE = Path(__file__).parents[2] / "docs" / "driver-protocol.md"
_PAIR = re.compile(r"```json\n(.*)\n(.*)\n```")


@pytest.fixture(scope="module")
def replayed() -> list[Exchange]:
    return exchanges()


def test_the_page_is_what_schemas_and_simulator_make_of_it_today() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tck_kit.protocol_page docs/driver-protocol.md"


def test_every_example_of_the_page_is_answered_so_by_a_driver_that_runs(replayed: list[Exchange]) -> None:
    shown = [tuple(found) for found in _PAIR.findall(PAGE.read_text(encoding="utf-8"))]
    assert sorted(shown) == sorted((one.request, one.answer) for one in replayed)
    assert {one.method for one in replayed} >= set(schemas.METHODS)


def test_every_example_fits_the_schemas(replayed: list[Exchange]) -> None:
    for one in replayed:
        request, answer = json.loads(one.request), json.loads(one.answer)
        schemas.check(request, "envelope", "request")
        schemas.check(answer, "envelope", "answer")
        if one.method in schemas.METHODS:
            schemas.check_params(one.method, request["params"])
            schemas.check_result(one.method, request["params"], answer["result"])


def test_the_example_run_is_one_that_says_something(replayed: list[Exchange]) -> None:
    rows = [json.loads(one.answer)["result"]["rows"] for one in replayed if one.method == "state/query"]
    assert [row["outcome"] for row in rows[0]] == ["succeeded"]


def test_every_capability_and_every_method_stands_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in ASKED if f"`{name}`" not in text] == []
    assert [name for name in schemas.METHODS if f"### {name}\n" not in text] == []

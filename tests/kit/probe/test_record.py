"""A capability record: its form, what it says as a whole, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import UsageFault
from tck_kit.probe.record import (
    Abilities,
    Circumstances,
    Fact,
    Finding,
    Probe,
    Record,
    decode,
    encode,
    order,
    read,
    schema,
)
from tck_kit.probe.words import FACTS, MEANINGS, Outcome

AROUND = Circumstances("npm", "2026-11-30", "0.1.0", "network namespace with loopback alone", "Linux x86_64")


def finding(case: str, outcome: Outcome, **facts: Fact) -> Finding:
    return Finding(case, outcome, facts)


def able(
    since: str | None,
    *,
    keeps: bool | None = None,
    chooses: bool | None = None,
    early: bool | None = None,
    label: bool | None = None,
) -> Abilities:
    path = "/home/agent/.codex/sessions" if since else None
    return Abilities(since is not None, since, path, keeps, chooses, early, label)


def probe(version: str = "1.0.0", **outcomes: Outcome) -> Probe:
    shown = {"fresh": Outcome.FRESH, "resume": Outcome.RESUMED, **outcomes}
    return Probe(version, AROUND, tuple(finding(case.replace("_", "-"), one) for case, one in shown.items()))


def record(held: Probe | None, *also: Probe) -> Record:
    return Record(AdapterId.CODEX, "codex", "@openai/codex", "/home/agent/.codex/sessions", held, also)


def test_a_record_reads_as_it_was_written() -> None:
    facts: dict[str, Fact] = {"exit": None, "id": "asked", "needs": ("<id>/events.jsonl",), "said": ()}
    held = Probe("1.2.3", AROUND, (Finding("resume", Outcome.HUNG, facts),), ("help",), "interrupted")
    made = record(held, probe("0.9.0"))

    assert decode(encode(made), "here") == made


def test_the_facts_of_the_schema_are_those_of_the_table() -> None:
    case = schema()["$defs"]["case"]

    assert list(case["properties"]) == ["case", "outcome", *FACTS]
    assert {name: case["properties"][name]["description"] for name in FACTS} == {
        name: kind.meaning for name, kind in FACTS.items()
    }


def test_the_outcomes_of_the_schema_are_those_of_the_table_and_each_is_explained() -> None:
    assert schema()["$defs"]["outcome"]["enum"] == [one.value for one in Outcome]
    assert set(MEANINGS) == set(Outcome)


@pytest.mark.parametrize(
    ("held", "also", "comes_to"),
    [
        (None, (), able(None)),
        (
            probe("2.0.0", choose_id=Outcome.YES, id_early=Outcome.NO, label=Outcome.NOT_OFFERED),
            (),
            able("2.0.0", keeps=True, chooses=True, early=False, label=False),
        ),
        (
            probe("2.0.0"),
            (probe("0.9.0"), probe("0.10.0")),
            able("0.9.0", keeps=True),
        ),
        (
            probe("2.0.0"),
            (probe("0.9.0", resume=Outcome.FORGOT),),
            able("2.0.0", keeps=True),
        ),
        (
            probe("2.0.0"),
            (probe("1.0.0", resume=Outcome.RENAMED),),
            able("1.0.0", keeps=False),
        ),
        (probe("2.0.0", resume=Outcome.ELSEWHERE), (), able(None, keeps=True)),
        (probe("2.0.0", resume=Outcome.FORGOT), (probe("1.0.0"),), able(None, keeps=True)),
        (probe("2.0.0"), (probe("2.1.0", resume=Outcome.FORGOT),), able(None, keeps=True)),
        (
            probe("2.0.0"),
            (probe("1.0.0", resume=Outcome.RENAMED), probe("1.5.0", resume=Outcome.FORGOT)),
            able("2.0.0", keeps=True),
        ),
        (probe("2.0.0"), (Probe("1.5.0", AROUND, (), ("resume",)), probe("1.0.0")), able("1.0.0", keeps=True)),
        (probe("2.0.0", fresh=Outcome.SILENT), (), able(None, keeps=True)),
    ],
)
def test_what_a_record_comes_to_is_worked_out_of_its_cases(
    held: Probe | None, also: tuple[Probe, ...], comes_to: Abilities
) -> None:
    assert record(held, *also).abilities == comes_to


@pytest.mark.parametrize(
    ("older", "newer"),
    [("0.9.0", "0.10.0"), ("1.0.0", "1.0.1"), ("0.122.0-alpha.1", "0.122.0"), ("9.0.0", "10.0.0")],
)
def test_versions_are_ordered_by_number_and_a_release_after_its_pre_releases(older: str, newer: str) -> None:
    assert order(older) < order(newer)


def test_a_probe_that_lacks_a_case_is_never_a_whole_one() -> None:
    whole = probe()

    assert whole.complete
    assert not replace(whole, lacking=("resume",)).complete
    assert not replace(whole, reason="interrupted").complete
    assert '"complete": false' in encode(record(replace(whole, lacking=("resume",)))).decode()


def test_a_short_list_is_no_whole_probe_and_reads_as_it_was_written() -> None:
    made = record(probe(), replace(probe("0.9.0"), short=True))

    held = decode(encode(made), "here")

    assert held == made
    assert [(one.ended, one.complete) for one in held.also] == [(True, False)]


def changed(change: Callable[[dict[str, Any]], None]) -> bytes:
    held = json.loads(encode(record(probe())))
    change(held)
    return json.dumps(held).encode()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "it is no JSON"),
        (b"{", "it is no JSON"),
        (b"[" * 100_000, "it is no JSON"),
        (b"\xff\xfe{}", "it is no JSON"),
        (b"[]", "is not of type 'object'"),
        (b"{}", "is a required property"),
        (changed(lambda held: held.update(adapter="nobody")), "$.adapter: 'nobody' is not one of"),
        (changed(lambda held: held["probe"]["cases"][0].update(outcome="well")), "'well' is not one of"),
        (changed(lambda held: held["probe"]["cases"][0].update(mood="well")), "'mood' was unexpected"),
        (
            changed(lambda held: held["abilities"].update(resumes=False)),
            "what it says of the CLI is not what its cases",
        ),
        (changed(lambda held: held["abilities"].update(verified_from="0.0.1")), "is not what its cases say"),
        (changed(lambda held: held["probe"].update(lacking=["help"])), "is not what its cases say"),
    ],
)
def test_what_is_no_record_or_contradicts_itself_is_refused_in_one_line(content: bytes, told: str) -> None:
    with pytest.raises(UsageFault) as raised:
        decode(content, "record.json")

    text = str(raised.value)
    assert text.startswith("record.json: ")
    assert told in text
    assert text.endswith("; make a new one: session-tck probe CLI --record FILE")
    assert "\n" not in text


def test_a_file_that_is_not_there_or_far_too_large_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(5 * 1024 * 1024)

    with pytest.raises(UsageFault, match="it cannot be read"):
        read(tmp_path / "none.json")
    with pytest.raises(UsageFault, match="it is too large"):
        read(large)
    with pytest.raises(UsageFault, match="it cannot be read"):
        read(tmp_path)

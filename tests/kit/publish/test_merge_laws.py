"""However a run is shared out, its parts merge into the report that the whole run gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.reports.samples import DIGEST, broke, held

from tck_reports.baseline.entries import Baseline, Known
from tck_reports.merging import merge, records_of
from tck_reports.outcomes import Outcome
from tck_reports.plain import MAX_ITEMS, MAX_TEXT, Plainer
from tck_reports.reading import decode
from tck_reports.records import Attempt, BaselineEntry, CheckRecord
from tck_reports.report import encode
from tck_reports.shape import Report

from .made import IDS, TODAY, Made, parts_of

WAYS: Sequence[Mapping[str, Any]] = (
    {"outcome": Outcome.PASSED, "expectations": (held(),)},
    {"outcome": Outcome.PASSED, "expectations": (held("reported"),)},
    {"outcome": Outcome.FAILED, "expectations": (broke(),), "reason": "assertion", "blame": "engine"},
    {"outcome": Outcome.FAILED, "expectations": (held(),), "reason": "crashed: it is gone", "blame": "engine"},
    {"outcome": Outcome.FAILED, "reason": "timeout: it never ended", "blame": "engine"},
    {"outcome": Outcome.UNTESTABLE, "reason": "view.mailboxes is undeclared"},
    {"outcome": Outcome.UNSUPPORTED, "reason": "adapter.grok is declared unsupported"},
    {"outcome": Outcome.ERROR, "reason": "KeyError", "blame": "kit"},
    {
        "outcome": Outcome.FLAKY,
        "expectations": (held(),),
        "attempts": (Attempt(Outcome.FAILED, "assertion"), Attempt(Outcome.PASSED)),
    },
)


@st.composite
def made(draw: st.DrawFn) -> Made:
    given: dict[CheckRecord, bool] = {}
    for place in range(draw(st.integers(1, 10))):
        requirements = draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True))
        way = draw(st.sampled_from(WAYS))
        record = CheckRecord(f"c{place}", f"Scenario {place}", f"a.feature:{place + 3}", tuple(requirements), **way)
        given[record] = draw(st.integers(0, 9)) > 0
    return Made(
        given,
        profiles=draw(st.sampled_from([("core",), ("hardened",), ("core", "hardened")])),
        only=draw(st.none() | st.frozensets(st.sampled_from(IDS), min_size=1)),
        baseline=draw(st.none() | baselines()),
        faults=draw(st.sampled_from([(), ("driver: it said nothing",)])),
    )


@st.composite
def baselines(draw: st.DrawFn) -> Baseline:
    names = draw(st.lists(st.sampled_from([*IDS, "c0", "c1", "c2", "c3", "gone"]), min_size=1, unique=True))
    return Baseline(
        DIGEST,
        tuple(
            Known(
                BaselineEntry(
                    kind=draw(st.sampled_from(["failure", "flaky"])),
                    target="requirement" if name in IDS else "check",
                    name=name,
                    reason="issue 12",
                    owner="mk",
                    since="2026-10-01",
                    until=draw(st.sampled_from([None, "2026-11-01", "2027-01-01"])),
                )
            )
            for name in names
        ),
        TODAY,
    )


def without_the_joining(report: Report) -> dict[str, Any]:
    """Leave out what says how a report was made, and no more than that."""
    plain: dict[str, Any] = dict(report)
    del plain["digest"]
    plain["run"] = {name: value for name, value in report["run"].items() if name not in {"parts", "workers"}}
    if report["baseline"] is not None and report["run"]["filtered"] is not None:
        # Of a requirement that was left out no part can tell whether all of its scenarios were chosen for another one.
        left = {one["id"] for one in report["requirements"] if one["reason"] in {"filter", "profile"}}
        plain["baseline"] = [one for one in report["baseline"]["entries"] if one["name"] not in left]
        plain["stale_entries"] = [one for one in report["stale_entries"] if one.partition(":")[0] not in left]
    return plain


@given(run=made(), count=st.integers(1, 4), data=st.data())
def test_the_parts_of_a_run_merge_into_the_report_of_the_whole(run: Made, count: int, data: st.DataObject) -> None:
    share = {record.id: data.draw(st.integers(1, count), record.id) for record in run.given}
    merged = merge(parts_of(run, share, count))
    assert without_the_joining(merged) == without_the_joining(run.report())
    assert [one["number"] for one in merged["run"]["parts"]] == list(range(1, count + 1))
    assert decode(encode(merged), "merged") == merged


@given(run=made(), data=st.data())
def test_what_a_missing_part_would_have_run_never_passes(run: Made, data: st.DataObject) -> None:
    share = {record.id: data.draw(st.integers(1, 3), record.id) for record in run.given}
    merged = merge(parts_of(run, share, 3)[:2], allow_missing=True)
    absent = {record.id for record in run.chosen if share[record.id] == 3}
    outcomes = {check["id"]: check["outcome"] for check in merged["checks"]}
    assert {outcomes[name] for name in absent} <= {"not_run"}
    assert not merged["complete"]
    assert merged["exit_code"] != 0
    assert "merged without part 3 of 3" in (merged["run"]["filtered"] or "")
    rows = [one for one in merged["requirements"] if absent & {*one["checks"]}]
    assert all(one["outcome"] != "passed" for one in rows)


@given(run=made(), data=st.data())
def test_no_scenario_of_another_part_passes_or_fails_in_the_report_of_a_part(run: Made, data: st.DataObject) -> None:
    share = {record.id: data.draw(st.integers(1, 2), record.id) for record in run.given}
    report = parts_of(run, share, 2)[0].report
    others = {record.id for record in run.chosen if share[record.id] == 2}
    assert all(
        (check["outcome"], check["reason"]) == ("not_run", "shard")
        for check in report["checks"]
        if check["id"] in others
    )
    assert {check["id"] for check in report["checks"]} >= others
    if others:
        assert report["exit_code"] in {1, 3, 4}


@given(made())
def test_the_records_of_a_report_are_those_that_it_was_made_of(run: Made) -> None:
    report = replace(run, baseline=None).report()
    again = {record.id: record for record in records_of(report)}
    for record in run.chosen:
        if run.given[record] and record.expectations:
            assert again[record.id] == record


def nested() -> st.SearchStrategy[object]:
    text = st.text(max_size=40) | st.just("https://user:secret@host/") | st.just("\ud800" * 20)
    return st.recursive(
        text | st.integers() | st.floats() | st.none() | st.just("x" * (MAX_TEXT + 5)) | st.just("\ud800" * MAX_TEXT),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(text, inner, max_size=4)
            | st.just(["y"] * (MAX_ITEMS + 2))
            | st.just({str(place): place for place in range(MAX_ITEMS + 2)})
        ),
        max_leaves=12,
    )


@given(nested())
def test_what_is_plain_stays_as_it_is(value: object) -> None:
    plain = Plainer().value(value)
    again = Plainer()
    assert again.value(plain) == plain
    assert again.redactions == 0

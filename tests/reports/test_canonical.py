"""The fast way to a report's digest gives the same digest, or none."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.canonical import as_written, parsed, quick_digest
from tck_reports.errors import ReportReadError
from tck_reports.reading import decode
from tck_reports.report import content_digest, encode
from tck_reports.shape import Report

from .samples import check, entry, graded, mixed_report, report_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=30,
)


def slow(value: dict[str, Any]) -> str:
    return content_digest(cast("Report", value))


@given(st.dictionaries(TEXTS, VALUES, max_size=6))
def test_of_any_value_the_digest_is_the_same_or_left_to_the_slow_way(value: dict[str, Any]) -> None:
    read = json.loads(json.dumps(value))
    assert quick_digest(read) in {slow(read), None}


@given(st.dictionaries(TEXTS, VALUES, max_size=6))
def test_what_is_written_as_a_kit_writes_it_is_what_it_writes(value: dict[str, Any]) -> None:
    content = f"{json.dumps(value, indent=2)}\n".encode("ascii")
    read = json.loads(content)
    # Some numbers are written in two ways: then the answer is no.
    assert as_written(read, content) in {True, False}
    assert not as_written(read, content + b"\n")
    assert not as_written({**read, "another": 1}, content)


@pytest.mark.parametrize(
    "value",
    [{}, {"a": [], "b": {}}, {"z": 1, "a": [1, [2.5, None, True]]}, {'Zürich 日本 😀 \x7f \x00 \u2028 " \\ /': "é"}],
)
def test_what_a_kit_has_written_is_known_as_that(value: dict[str, Any]) -> None:
    content = f"{json.dumps(value, indent=2)}\n".encode("ascii")
    assert as_written(parsed(content), content)


@pytest.mark.parametrize(
    "content",
    [
        b'{\n  "a": 1,\n  "a": 1\n}\n',
        b'{\n  "a": 2,\n  "a": 1\n}\n',
        b'{\n  "a": 2, "\\u0061": 1\n}\n',
        b'{"a": 1}\n',
        b'{\n  "a": "\\u0061"\n}\n',
        b'{\n  "a": 1\n}',
    ],
)
def test_what_is_written_otherwise_is_not(content: bytes) -> None:
    assert not as_written(parsed(content), content)


@pytest.mark.parametrize(
    "value",
    [
        {"a": "plain"},
        {"a": 'Zürich 日本 😀 \x7f \x00 \u2028 " \\ /'},
        {"ü": 1, "z": 2, "😀": 3, "\uffff": 4},
        {"a": [0, -1, 1.5, 0.001, -0.0, 123456.789, 2**63, True, None, {}, []]},
        {"digest": "left out", "a": 1},
        {"many of them": "αβγδεζηθικλμνξοπρστυφχψω😀🚀\x7f\x80\ufffd"},
    ],
)
def test_of_what_reports_hold_the_digest_comes_the_fast_way(value: dict[str, Any]) -> None:
    assert quick_digest(value) == slow(value)


@pytest.mark.parametrize("number", [1e16, 1e-5, 1.5e300, -2.5e-7, 123456789012345680.0])
def test_numbers_that_are_written_in_two_ways_are_left_to_the_slow_way(number: float) -> None:
    assert quick_digest({"a": [number]}) is None
    assert quick_digest({"a": number}) is None


def test_a_report_is_read_the_fast_way() -> None:
    made = mixed_report()
    assert quick_digest(cast("dict[str, Any]", made)) == made["digest"]
    assert decode(encode(made), "report.json") == made


@pytest.mark.parametrize("value", [1e-7, 1e22, 2**70, "\ud800", 123456789012345680.0])
def test_a_report_that_only_the_slow_way_reads_right_is_read(value: object) -> None:
    made = cast("dict[str, Any]", report_of(graded([entry("RESUME-1")], [check("a", "RESUME-1")])))
    made["checks"][0]["expectations"][0]["expected"] = value
    made["digest"] = slow(made)
    assert decode(json.dumps(made).encode("ascii"), "report.json") == made


def test_neither_way_lets_an_edited_report_through() -> None:
    edited = encode(mixed_report()).replace(b'"seed": 42', b'"seed": 43')
    with pytest.raises(ReportReadError, match="digest does not fit"):
        decode(edited, "report.json")


@pytest.mark.parametrize("content", [b"", b"{", b"[1,]", b"NaN", b'{"a": 01}', b'"\\ud800"', b"\xff", b"[" * 2_000])
def test_what_the_fast_parser_does_not_take_is_left_to_the_other(content: bytes) -> None:
    assert parsed(content) is None


def test_what_is_nested_without_end_is_one_clear_error() -> None:
    made = encode(mixed_report())
    for depth in (200, 900, 100_000):
        deep = made.replace(b'"seed": 42', b'"more": ' + b"[" * depth + b"]" * depth + b', "seed": 42')
        with pytest.raises(ReportReadError):
            decode(deep, "report.json")

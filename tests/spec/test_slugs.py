"""Slugs; the right values are github-slugger's (2.0.0)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import Slugger, parse, slug


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4.2 Beta", "42-beta"),
        ("§4.2 Beta", "42-beta"),
        ("C++/C# v1.2", "cc-v12"),
        ("a — b", "a--b"),
        ("code & x", "code--x"),
        ("tab\there", "tabhere"),
        ("no\u00a0break", "nobreak"),
        ("x² ½ ①", "x--"),
        (":rocket: up", "rocket-up"),
        ("up 🚀", "up-"),
        ("warn ⚠\ufe0f", "warn-\ufe0f"),
        ("zero\u200bwidth", "zerowidth"),
        ("हिन्दी", "हिन्दी"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ("Ⓐ is alphabetic", "ⓐ-is-alphabetic"),
        ("Ⅷ is a letter number", "ⅷ-is-a-letter-number"),
        ("snake_case‿tie", "snake_case‿tie"),
        ("  -trimmed- ", "-trimmed-"),
        ("ÜBER", "über"),
        ("", ""),
    ],
)
def test_a_heading_has_githubs_slug(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["foo", "foo", "foo-1", "foo", "foo-1"], ["foo", "foo-1", "foo-1-1", "foo-2", "foo-1-2"]),
        (["Foo", "foo!", "FOO?"], ["foo", "foo-1", "foo-2"]),
        (["!", "?"], ["", "-1"]),
    ],
)
def test_duplicates_are_numbered_past_taken_slugs(texts: list[str], expected: list[str]) -> None:
    slugger = Slugger()
    assert [slugger(text) for text in texts] == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "a-1", "a-1-1", "A", "a 1", "b"]) | st.text(max_size=5)))
def test_slugs_of_one_document_are_unique(texts: list[str]) -> None:
    slugger = Slugger()
    slugs = [slugger(text) for text in texts]
    assert len(set(slugs)) == len(slugs)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("## The `run_id` *of* **a** [run](#x)", "the-run_id-of-a-run"),
        ("## <a name='x'></a>Named", "named"),
        ("## a &amp; b", "a--b"),
        ("## `a &amp; b`", "a-amp-b"),
        ("## snake_case_name", "snake_case_name"),
        (r"## escaped\_name \& more", "escaped_name--more"),
        ("## ![logo](x.png)Logo", "logo"),
        ("## closed ##", "closed"),
        ("Two\nlines\n---", "twolines"),
    ],
)
def test_a_slug_is_made_from_the_text_content_of_the_heading(heading: str, expected: str) -> None:
    assert [section.slug for section in parse(heading + "\n", "x").sections] == [expected]

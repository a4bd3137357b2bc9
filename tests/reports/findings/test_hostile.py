"""Whatever text a document holds, each format stays what it is, and no terminal obeys it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from tck_reports.findings import FORMATS, render
from tck_reports.findings.one_line import lines
from tck_spec.findings import Edit, Finding

from .listings import ordinary
from .test_github import commands
from .test_gitlab import read_back as gitlab
from .test_sarif import read_back as sarif

SIGNS = st.sampled_from(
    ["\n", "\r", "\x1b[2J", "::", "%0A", "%", ",", "<![CDATA[", "]]>", "&#0;", "\u202e", "{1}", "](1)", "["]
)
TEXT = st.lists(SIGNS | st.text(max_size=5) | st.characters(), max_size=6).map("".join)
LENGTH = st.integers(0, 40)
LINE = TEXT.map(lambda text: " ".join(text.splitlines()).replace("\n", "").replace("\r", ""))


@settings(max_examples=40, deadline=None)
@given(message=TEXT.map("x".__add__), hint=TEXT, name=TEXT, line=LINE, place=st.tuples(st.integers(1, 40), LENGTH))
def test_it_stays_what_it_is(message: str, hint: str, name: str, line: str, place: tuple[int, int]) -> None:
    source, (column, length) = f"docs/{name}", place
    finding = Finding("XREF001", "E", 1, column, message, hint, source, length, (Edit(1, 1, 1, message),))
    listing = ordinary(findings=(finding, finding), files=(source,), texts={source: line})
    texts = {form: render(form, listing) for form in FORMATS}
    for form, text in texts.items():
        assert all(one.isprintable() or one in "\n\u00a0\u200d\ufe0f\u3000" for one in text), form
    assert len(texts["text"].splitlines()) == 3
    assert len(list(lines(listing, context=True, color=True, width=60))) <= 9
    assert [one["message"] for one in json.loads(texts["json"])["findings"]] == [message, message]
    assert len(sarif(listing)["runs"][0]["results"]) == 2
    assert len(commands(texts["github"])) == 2
    assert len({one["fingerprint"] for one in gitlab(listing)}) == 2
    assert len(ET.fromstring(texts["junit"])[0]) == 2  # noqa: S314 -- our own

"""Nothing that an engine supplies becomes markup, whatever it is called and whatever it says."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tck_reports.matrix.model import Site
from tck_reports.matrix.pages import render

from .site_samples import columns, engine, requirement_set, row, site

HOSTILE = {
    "script": "<script>alert('mine')</script>",
    "out of the island": "</script><script>alert('mine')</script>",
    "comment": "<!-- mine -->",
    "quote": "\" autofocus onfocus=\"alert('mine')",
    "image": "'><img src=https://elsewhere.example/mine.png onerror=alert(1)>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "entity": "&lt;script&gt;&#60;mine&#62;",
    "hebrew": "מנוע שיחות (1.0)",
    "ten megabytes": "mine " * 2_000_000,
}


def hostile(text: str) -> Site:
    """An engine that puts a text wherever it has a say."""
    under = requirement_set(columns(6))
    one = row(
        "PFPPPP",
        under,
        "1.0.0",
        reasons={"NAME-2": text},
        obstacles=[text],
        capabilities={text[:100]: text[:100]},
    )
    said = replace(
        one,
        version=text,
        asked=text,
        surroundings=text,
        transport=text,
        exit_reason=text,
        kit_version=text,
        verdicts={name: replace(verdict, why=text) for name, verdict in one.verdicts.items()},
        claims=(text,),
    )
    named = replace(engine("one", [said, replace(said, slug="two", version=f"{text}2", digest="sha256:0")]), name=text)
    return site([replace(named, label=text, language=text)], [under])


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_an_engine_says_is_never_markup(text: str) -> None:
    harmless = {path: _tags(content) for path, content in render(hostile("mine"))}

    for path, content in render(hostile(text)):
        assert _tags(content) == harmless[path], path


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_pages_stay_small_whatever_an_engine_says(text: str) -> None:
    assert max(len(content) for _, content in render(hostile(text))) < 200_000


def _tags(content: bytes) -> list[str]:
    """Return the names of all elements and attributes in their order."""
    tags = re.findall(r"<(/?\w+)((?:\s+[\w:-]+(?:=\"[^\"]*\")?)*)\s*/?>", content.decode())
    return [" ".join([tag, *re.findall(r"([\w:-]+)(?:=|$|\s)", re.sub(r'"[^"]*"', "", rest))]) for tag, rest in tags]

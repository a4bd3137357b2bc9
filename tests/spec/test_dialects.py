"""Anchors of headings in each dialect, held against values from the places themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import parse
from tck_spec.dialects import DIALECTS, split_braces
from tck_spec.settings import DIALECTS as NAMES
from tck_spec.slugs import Slugger
from tck_spec.targets import targets_of

_FIXTURE: Final = Path(__file__).parent / "fixtures" / "slugs.txt"


def _pairs() -> list[tuple[str, list[str], list[str]]]:
    pairs: list[tuple[str, list[str], list[str]]] = []
    for line in _FIXTURE.read_text(encoding="utf-8").partition("\n\n")[2].splitlines():
        if line and not line.startswith("# "):
            dialect, _, rest = line.partition(" | ")
            left, several, right = rest.partition(" || ")
            headings, anchors = (left, right) if several else rest.rsplit(" | ", 1)
            pairs.append((dialect, headings.split(" | ") if several else [headings], anchors.split(" | ")))
    return pairs


@pytest.mark.parametrize(("dialect", "headings", "anchors"), _pairs())
def test_headings_have_the_anchors_that_the_place_gives_them(
    dialect: str, headings: list[str], anchors: list[str]
) -> None:
    assert list(DIALECTS[dialect].anchors(headings)) == anchors


def test_every_dialect_that_can_be_set_is_known() -> None:
    assert tuple(DIALECTS) == NAMES
    assert {dialect for dialect, _, _ in _pairs()} == set(NAMES)


_HEADINGS: Final = st.lists(
    st.sampled_from(["a", "a-1", "a_1", "A", "a_1_1", "", "33", "b {#a}"]) | st.text(max_size=5)
)


@settings(deadline=None)
@given(_HEADINGS)
def test_githubs_dialect_is_that_of_the_slugger(headings: list[str]) -> None:
    slugger = Slugger()
    assert list(DIALECTS["github"].anchors(headings)) == [slugger(text) for text in headings]


@settings(deadline=None)
@given(st.sampled_from(["github", "forgejo", "mkdocs", "pandoc"]), _HEADINGS)
def test_made_anchors_of_one_document_are_unique(dialect: str, headings: list[str]) -> None:
    rule = DIALECTS[dialect]
    plain = [text for text in headings if not split_braces(text)[0]]
    made = list(rule.anchors(plain))
    assert len(set(made)) == len(made)


@pytest.mark.parametrize(
    ("text", "own", "rest"),
    [
        ("Brewing {#own}", "own", "Brewing"),
        ("Brewing {: #own }", "own", "Brewing"),
        ("Brewing {:#own .big}", "own", "Brewing"),
        ("Brewing {.big #own}", "own", "Brewing"),
        ("Brewing {.big}", "", "Brewing"),
        ("Brewing {own}", "", "Brewing {own}"),
        ("GET /pots/{id}", "", "GET /pots/{id}"),
        ("{#own} Brewing", "", "{#own} Brewing"),
        ("Brewing", "", "Brewing"),
    ],
)
def test_braces_at_the_end_of_a_heading_are_no_part_of_it(text: str, own: str, rest: str) -> None:
    assert split_braces(text) == (own, rest)


def test_braces_are_no_part_of_a_title() -> None:
    (section,) = parse("## 4.2 Beta {#beta}\n", "tea.md").sections
    assert (section.number, section.title, section.slug) == ("4.2", "Beta", "42-beta-beta")


def test_a_document_has_targets_in_each_dialect() -> None:
    spec = parse('# Tea\n\n## 3. Čaj & tea {#caj}\n\n## Lids — all\n\n<a id="here"></a>Text.\n', "tea.md")
    targets = targets_of(spec)
    assert targets.has("3-čaj--tea-caj", "github")
    assert not targets.has("caj", "github")
    assert all(targets.has("caj", dialect) for dialect in ("forgejo", "mkdocs", "pandoc"))
    assert [dialect for dialect in DIALECTS if targets.has("lids--all", dialect)] == ["github", "forgejo"]
    assert all(targets.has("here", dialect) and targets.has("TOP", dialect) for dialect in DIALECTS)
    assert targets.section_at("lids-all", ("github", "gitlab")) == spec.sections[2]
    assert targets.section_at("here", ("github",)) is None


def test_mkdocs_may_be_set_to_keep_all_letters() -> None:
    targets = targets_of(parse("# Žlutý kůň\n", "tea.md"))
    assert targets.has("zluty-kun", "mkdocs")
    assert targets.has("žlutý-kůň", "mkdocs")


@pytest.mark.parametrize(
    ("anchor", "label", "meant"),
    [
        ("Lids--All", "x", "lids--all"),
        ("lids-all", "x", "lids--all"),
        ("lidsall", "x", "lids--all"),
        ("beta", "x", "42-beta"),
        ("nothing", "Lids — all", "lids--all"),
        ("nothing", "Beta", "42-beta"),
        ("nothing", "4.2 beta", "42-beta"),
        ("nothing", "x", None),
        ("cups", "Cups", None),
        ("lids-all", "Beta", None),
    ],
)
def test_a_dead_anchor_means_at_most_one_other(anchor: str, label: str, meant: str | None) -> None:
    spec = parse("# Tea\n\n## Lids — all\n\n## 4.2 Beta\n\n## Cups!\n\n## Cups?\n\n<a id='c-ups'></a>\n", "tea.md")
    assert targets_of(spec).meant(anchor, ("github",), label) == meant

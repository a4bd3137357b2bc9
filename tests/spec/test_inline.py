"""Inline content and its places in the source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tck_spec.blocks import Definition
from tck_spec.inline import Inline, read_plainly
from tck_spec.markdown import InlineReader

READER = InlineReader([Definition("ref", "#ref", 1, 1), Definition("Other Label", "#other", 2, 1)])


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("a **b** _c_ `d` e", "a b c d e"),
        ("a [b](c) d", "a b d"),
        ("a [b][ref] [ref] [ref][] d", "a b ref ref d"),
        ("<https://a.b> and <b>bold</b>", "https://a.b and bold"),
        ("![alt](x) y", " y"),
        (r"a \* b \\ c", r"a * b \ c"),
        ("a &amp; b &lt;c&gt; `&amp;`", "a & b <c> &amp;"),
        ("one\ntwo", "one\ntwo"),
        ("`` a ` b ``", "a ` b"),
        ("a ** b", "a ** b"),
        ("x[0][1]", "x[0][1]"),
        ("<a id='x'></a>[y](z)", "y"),
        ("<a id='x'>[y](z)", "y"),
    ],
)
def test_the_plain_text_is_what_a_reader_sees(source: str, plain: str) -> None:
    assert READER.read(source).plain == plain


@pytest.mark.parametrize(
    ("source", "links"),
    [
        ("see [a](b) and [c](<d e> 'f')", [(4, "a", "b"), (15, "c", "d%20e")]),
        ("**[a](b)** [x [y](z)]", [(2, "a", "b"), (14, "y", "z")]),
        ("[a][ref] then [ref] [Other  label]", [(0, "a", "#ref"), (14, "ref", "#ref"), (20, "Other  label", "#other")]),
        ("[a](b(c)d) [e](f)", [(0, "a", "b(c)d"), (11, "e", "f")]),
        ('[a](b "c) d") [e](f)', [(0, "a", "b"), (14, "e", "f")]),
        ("`[a](b)` [c](d)", [(9, "c", "d")]),
        ("[`a` *b*](c)", [(0, "a b", "c")]),
        ("one\n  [a](b)", [(6, "a", "b")]),
        ("<https://a.b> [c](d)", [(0, "https://a.b", "https://a.b"), (14, "c", "d")]),
        ("![i](j) [c](d)", [(0, "", "j"), (8, "c", "d")]),
        ("![[x](y) `z`](j) [c](d)", [(0, "", "j"), (17, "c", "d")]),
        ("[a](b?c&section=2&amp;sect)", [(0, "a", "b?c&section=2&sect")]),
    ],
)
def test_a_link_has_its_label_target_and_place(source: str, links: list[tuple[int, str, str]]) -> None:
    inline = READER.read(source)
    found = [(link.source, inline.plain[link.label.start : link.label.end], link.target) for link in inline.links]
    assert found == links


_PARTS = st.sampled_from(
    [
        "word ",
        "§4.2 ",
        "*em* ",
        "**bold** ",
        "`co*de` ",
        "[l](#a) ",
        "[ref] ",
        "\\* ",
        "&amp; ",
        "<br> ",
        "\n",
        "(x) ",
        "_",
        "*",
        "[",
        "]",
        "`",
        "![i](j) ",
        "<https://x.y> ",
        "a_b_c ",
        "[**x** y](z 't') ",
    ]
)


@settings(deadline=None)
@given(st.lists(_PARTS, max_size=15).map("".join))
def test_every_visible_character_is_found_in_the_source(source: str) -> None:
    # The content of a block holds no blank line: that would end the block.
    source = "\n".join(line.strip() for line in source.split("\n") if line.strip())
    inline = READER.read(source)
    for offset, char in enumerate(inline.plain):
        place = inline.source_of(offset)
        assert source[place : place + 1] in (char, "&") or char.isspace()


@settings(deadline=None)
@given(st.lists(_PARTS, max_size=15).map("".join))
def test_links_are_those_that_markdown_it_finds(source: str) -> None:
    source = source.strip().replace("\n", " ")
    tokens = MarkdownIt("commonmark").parseInline(source, {"references": {"REF": {"href": "#ref", "title": ""}}})
    theirs = [child.attrs["href"] for child in tokens[0].children or () if child.type == "link_open"]
    inline = READER.read(source)
    assert [link.target for link in inline.links if not link.image] == theirs
    assert all(source[link.source] in "[<!" for link in inline.links)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_read(source: str) -> None:
    inline = READER.read(source)
    assert all(0 <= inline.source_of(offset) <= len(source) for offset in range(len(inline.plain)))


_PLAIN_PARTS = st.sampled_from(
    [
        *("word", "é_é", "1", "a_b", "_", "!", "]", "[", "](", "(", ".", ">", "&", "&x;", "\\", " ", "\n"),
        *("`", "``", "`x`", "*", "**", "***", "**MUST** ", " *x*", "**a `b` c**:", "[l](#a-1)", "[a b](c.md#d)"),
    ]
)


def _seen(inline: Inline) -> tuple[object, ...]:
    places = [inline.source_of(offset) for offset in range(len(inline.plain))]
    return inline.plain, inline.code, inline.claimed, inline.links, inline.html, inline.emphasised, places


@settings(deadline=None)
@given(st.lists(_PLAIN_PARTS, max_size=15).map("".join))
def test_text_without_markup_is_read_as_the_library_reads_it(source: str) -> None:
    source = "\n".join(line.strip() for line in source.split("\n") if line.strip())
    assert _seen(READER.read(source)) == _seen(READER.parsed(source))


@pytest.mark.parametrize(
    ("source", "plain", "code"),
    [
        ("a `b` c", "a b c", [(2, 3)]),
        ("`` a`b ``", "a`b", [(0, 3)]),
        ("`  ` and ` `", "   and  ", [(0, 2), (7, 8)]),
        ("``a` b", "``a` b", []),
        ("`a\nb` a_b ]", "a b a_b ]", [(0, 3)]),
        ("``  a  ``", " a ", [(0, 3)]),
        ("**a `b`** c", "a b c", [(2, 3)]),
        ("**[a b](#c)** `[d](e)`", "a b [d](e)", [(4, 10)]),
    ],
)
def test_code_is_found_without_the_library(source: str, plain: str, code: list[tuple[int, int]]) -> None:
    inline = read_plainly(source)
    assert inline is not None
    assert (inline.plain, [(span.start, span.end) for span in inline.code]) == (plain, code)
    assert _seen(inline) == _seen(READER.parsed(source))


@pytest.mark.parametrize(
    "source",
    [
        *("_a_", "a_", "a*b*", "*a**", "**a*", "*a *b* c*", "***a***", "* a *", "*a", "`a` a*b*"),
        *("![a](b)", "[a](b(c))", "[a](b 't')", "[a](ä)", "[a]", "[a][b]", "[`a`](b)", "[a](b&c)", "[[a](b)](c)"),
        *("<br>", "a\\*", "a  \nb", "a\n b", "&amp;", "https://[a]"),
    ],
)
def test_text_that_may_have_markup_is_left_to_the_library(source: str) -> None:
    assert read_plainly(source) is None


def test_code_is_masked_by_as_many_characters() -> None:
    assert READER.read("a `MUST` *b* ``c``").masked() == "a \ufffc\ufffc\ufffc\ufffc b \ufffc"


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("*a ", "a* "), ("_a *b ", "b* a_ "), ("(**a", "a**)"), ("*😀 ", "😀* "), (" **a*", ":a*"), ("**", ":a*> ")],
    ids=["asterisks", "both", "parentheses", "pictures", "halves", "one mark"],
)
def test_emphasis_inside_emphasis_takes_time_in_proportion_to_its_depth(opening: str, closing: str) -> None:
    # By the square of the depth, this would take minutes.
    source = (opening * 20_000 + closing * 20_000).strip()
    inline = READER.read(source + " [l](#a) `c`")
    assert not inline.emphasised
    assert [link.target for link in inline.links] == ["#a"]
    assert inline.source_of(len(inline.plain) - 1) == len(source) + 10


def test_emphasis_that_is_not_deep_is_read_however_much_there_is() -> None:
    inline = READER.read("*a* <b> **_c_** " * 1000)
    assert inline.plain == "a  c " * 1000
    assert len(inline.emphasised) == 2000

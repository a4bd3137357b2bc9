"""Our reading of Markdown, held against markdown-it-py's by the comparison that benchmarks/ runs over real files."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tck_spec import Specification, parse

_ROOT: Final = Path(__file__).parents[2]
_SHARED: Final = runpy.run_path(str(_ROOT / "benchmarks" / "agree_with_markdown_it.py"))
_differences: Final = cast("Callable[[Specification, MarkdownIt], list[object]]", _SHARED["differences"])
_PARSER: Final = cast("Callable[[], MarkdownIt]", _SHARED["reference_parser"])()

_LETTER: Final = """\
---
title: Kettle
---
Kettle protocol
===============

Version: 1.2

[home]: https://example.org/kettle  "The kettle's
home"
[odd one]: <a path>

1. [Scope](#scope)
2. [Terms](#terms)
   1. [Cold](#21-cold)

<a id="scope"></a>
## 1 Scope ##

A kettle **MUST** [boil](#terms "to boil") as the [home] page says, or *as [it][odd  One] says*.
It *may* `whistle | sing` \\*softly\\*; see <https://example.org/a?b&section=2> and ![a kettle](kettle.png).

    $ kettle --boil

    boiling

> Note: quoted
> - a list in a quote
lazy

## 2 Terms

| term | meaning |
|:--|--:|
| hot | above [90 °C](#hot) \\| or so |
| cold | |
| lukewarm
text of a row
"""
_LISTS: Final = """\
# Steps

- [ ] one
  continued

  second paragraph of [one](#steps)
  ```json
  {"a": "|"}

  ```
* another list
  1) inner
  2) inner
     | a | b |
     |---|---|
     | 1 | 2 |
  + | x |
    |---|

Text
1. a list that interrupts

~~~~ text with `ticks`
~~~
# no heading
~~~~

<details>
<summary>More</summary>

Hidden [text](#steps)

</details>

<!-- # no
heading -->
After &amp; `code` with [brackets](a(b)c) and [none](a b).

    - code

\tcode by a tab
- - nested
    - deeper

      paragraph

***
Setext with `code`
---
"""
_TABLES: Final = """\
text before
| a | b | c |
| - | :-: | --- |
| `x` | [l](m) | ![i](j)
| too | few |
| one | two | three | four |
> quote

a | b
---|---
1 | 2

| a | b |
|---|

| a |
| b |

| **x** |
|:-:|
"""
_FOOTNOTES: Final = """\
Text[^1] and [x] and [y][x].

[^1]: A note.
[x]: <#text> (title)
[x]: second
   [late]:
   #late
[bad]: a b
[unclosed]: (y

[late] [bad]
"""


@pytest.mark.parametrize(
    "text",
    [_LETTER, _LISTS, _TABLES, _FOOTNOTES, _LETTER.replace("\n", "\r\n"), "\ufeff" + _LISTS.replace("\n", "\r")],
    ids=["letter", "lists", "tables", "footnotes", "windows", "mark"],
)
def test_a_document_is_read_as_markdown_it_reads_it(text: str) -> None:
    assert _differences(parse(text, "x.md"), _PARSER) == []


def test_our_own_documents_are_read_as_markdown_it_reads_them() -> None:
    paths = [_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))]
    assert len(paths) > 5
    found = [_differences(parse(path.read_text("utf-8"), path.name), _PARSER) for path in paths]
    assert found == [[] for _ in paths]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("# a\n", "# b\n"),
        ("# a\n", "## a\n"),
        ("# a\n", "\n# a\n"),
        ("[a](b)\n", "[a](c)\n"),
        ("[a](b)\n", "![a](b)\n"),
        ("| a |\n|---|\n| b |\n", "| a |\n|---|\n| c |\n"),
        ("| a |\n|---|\n| b |\n", "| a |\n|---|\n"),
        ("[a]: b\n", "[a]: c\n"),
        ("```x\n```\n", "```y\n```\n"),
        ("a\n", "a\n\nb\n"),
    ],
)
def test_a_difference_is_seen(ours: str, theirs: str) -> None:
    find, other = _SHARED["ours"], _SHARED["theirs"]
    assert sorted(find(parse(ours, "x.md"))) != sorted(other(theirs, _PARSER))


_WORD: Final = st.sampled_from(["kettle", "MUST", "§2.1", "a_b", "C++", "§", "übrig", "x"])
_INLINE: Final = st.recursive(
    _WORD,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        inner.map(lambda text: f"*{text}*"),
        inner.map(lambda text: f"**{text}**"),
        _WORD.map(lambda text: f"`{text}`"),
        _WORD.map(lambda text: f"[{text}](#to-{text})"),
        _WORD.map(lambda text: f"[{text}][home]"),
        _WORD.map(lambda text: f"![{text}](image.png)"),
        st.just("<https://example.org>"),
        st.just("<br>"),
    ),
    max_leaves=6,
)
_LEAVES: Final = st.one_of(
    st.builds(lambda level, text: f"{'#' * level} {text}", st.integers(1, 6), _INLINE),
    st.builds(lambda text, mark: f"{text}\n{mark}", _INLINE, st.sampled_from(["===", "---"])),
    st.lists(_INLINE, min_size=1, max_size=3).map("\n".join),
    st.builds(lambda code: f"```json\n{code}\n\n```", _WORD),
    st.builds(lambda code: f"    {code}\n\n    {code}", _WORD),
    st.builds(
        lambda rows: "\n".join(["| a | b |", "|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]),
        st.lists(st.lists(_INLINE, min_size=1, max_size=3), max_size=3),
    ),
    st.builds(lambda text: f"<div>\n{text}\n</div>", _WORD),
    st.just("***"),
    st.just("[home]: https://example.org"),
)


def _indented(text: str, first: str, rest: str) -> str:
    lines = text.split("\n")
    return "\n".join([first + lines[0], *(rest + line if line else line for line in lines[1:])])


_BLOCKS: Final = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("\n\n".join),
        inner.map(lambda text: _indented(text, "- ", "  ")),
        inner.map(lambda text: _indented(text, "12. ", "    ")),
        inner.map(lambda text: _indented(text, "> ", "> ")),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(_BLOCKS, min_size=1, max_size=4).map("\n\n".join))
def test_any_tidy_document_is_read_as_markdown_it_reads_it(text: str) -> None:
    assume(not text.startswith("---"))
    assert _differences(parse(text, "x.md"), _PARSER) == []

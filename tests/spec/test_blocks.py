"""The block scan, held against markdown-it-py (CommonMark with tables)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tck_spec.blocks import scan
from tck_spec.rows import is_delimiter, split_row

_FIXTURES: Final = Path(__file__).parent / "fixtures"
_KINDS: Final = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "table_open": "table",
    "code_block": "code",
    "html_block": "html",
}
_REFERENCE: Final = MarkdownIt("commonmark").enable("table")


def _theirs(text: str, parser: MarkdownIt = _REFERENCE) -> list[tuple[str, int]]:
    tokens = [token for token in parser.parse(text) if token.type in _KINDS]
    return [(_KINDS[token.type], token.map[0] + 1 if token.map else 0) for token in tokens]


def _ours(text: str) -> list[tuple[str, int]]:
    return [(block.kind, block.line) for block in scan(text.split("\n")).blocks]


@pytest.mark.parametrize(
    "text",
    [
        "# One\n\nTwo\n===\n\n- a\n- b\n  c\n\n  d\n",
        "> quote\nlazy\n> # in\n\n>> deep\n",
        "- a\n  - b\n    - c\n\n      text\n\n          code\n",
        "1. one\n2. two\n\n   ```\n   x\n   ```\n3. three\n",
        "para\n2. not a list\n1. a list\n",
        "para\n- \n-\n",
        "- \n\n  no item content\n",
        "* * *\n- - -\n___\n",
        "\tcode\n\n-\tfoo\n\n\tbar\n",
        "- foo\n\n\tbar\n  \tbaz\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\ntext\n\nafter\n",
        "text\n| a | b |\n|---|---|\n| 1 | 2 |\n> quote\n",
        "- | a |\n  |---|\n  | 1 |\n- b\n",
        "> | a |\n> |---|\n> | 1 |\nafter\n",
        "a | b\n- | -\n",
        "| a |\n|---|---|\n",
        "[a]: b\n[c]: <d e>\n  'title'\ntext\n",
        "[a]: b 'open\ntext\n",
        "[a]:\nb\n===\n",
        "[a]: b\n===\n",
        "<div>\n# no\n</div>\n\n# yes\n",
        "<!-- a\n\n# no -->\n# yes\n",
        "<a id='x'></a>\n# yes\n",
        "<a id='x'>\n# no\n\n# yes\n",
        "text\n<a id='x'>\n# yes\n",
        "~~~ info `x`\n# no\n~~~~\n# yes\n",
        "``` a`b\n# yes\n",
        "```\n# no\n",
        "- ```\n  # no\n# yes\n",
        "    # code\n   # yes\n#no\n#\n####### no\n",
        "# a #\n# a\\#\n# #\n## \n",
        "<pre>\n\n# no\n</pre>\n# yes\n",
    ],
)
def test_blocks_start_where_commonmark_says(text: str) -> None:
    assert _ours(text) == _theirs(text)


def test_blocks_of_every_fixture_start_where_commonmark_says() -> None:
    documents = re.findall(
        r"^=== .*\n((?:.*\n)*?)--- findings", (_FIXTURES / "rules.txt").read_text("utf-8"), re.MULTILINE
    )
    assert len(documents) > 30
    assert [_ours(text) for text in documents] == [_theirs(text) for text in documents]


_LINES: Final = st.sampled_from(
    [
        "",
        "text",
        "# head",
        "- item",
        "  more",
        "    deep",
        "> quote",
        "```",
        "| a | b |",
        "|---|---|",
        "1. one",
        "---",
        "  - inner",
        "2) two",
        "===",
        "<div>",
        "[x]: y",
        "~~~ z",
        "> - both",
        "      code",
        "* x",
        "   ```",
    ]
)


#: After a definition markdown-it-py takes the next line as the start of a block; CommonMark reads definitions off the
#: beginning of a paragraph once it has ended, so that a line that cannot interrupt a paragraph goes on with it.
_LATE: Final = MarkdownIt("commonmark").enable("table").disable("reference")


def _past_definitions(lines: list[str], line: int) -> int:
    while lines[line - 1] == "[x]: y":
        line += 1
    return line


@settings(deadline=None)
@given(st.lists(_LINES, max_size=12))
def test_headings_and_fences_of_any_document_start_where_commonmark_says(lines: list[str]) -> None:
    text = "\n".join(lines)
    # Nothing but definitions is left over a rule, which the late reader takes for the underline of a heading.
    assume(not re.search(r"\[x\]: y\n(?:===|---)", text) and not text.startswith("---\n"))
    kinds = ("heading", "fence")
    theirs = [(kind, _past_definitions(lines, line)) for kind, line in _theirs(text, _LATE) if kind in kinds]
    assert [one for one in _ours(text) if one[0] in kinds] == theirs


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("[x]: y\n2) two\n# head\n", [("paragraph", 2), ("heading", 3)]),
        ("[x]: y\n    deep\n", [("paragraph", 2)]),
        ("> [x]: y\nlazy\n", [("paragraph", 2)]),
        ("[x]: y\n===\n", [("paragraph", 2)]),
        ("[x]: y\n- item\n", [("paragraph", 2)]),
        ("[x]: y\ntext\n===\n", [("heading", 2)]),
        ("[x]: (y\n\n[z]: <(y>\n", [("paragraph", 1)]),
        ("[a\\\nb]: y\n", []),
        ('[x]: y "a \\" b"\n', []),
    ],
)
def test_a_definition_is_read_off_a_paragraph_that_has_ended(text: str, blocks: list[tuple[str, int]]) -> None:
    assert _ours(text) == blocks


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("    a\n\n    b\n\ntext\n", [1, 2, 3]),
        ("    a\n\n\n# head\n", [1]),
        ("- x\n\n      a\n\n      b\n", [3, 4, 5]),
        (">     a\n\n>     b\n", [1]),
    ],
)
def test_indented_code_goes_on_after_blank_lines(text: str, lines: list[int]) -> None:
    code = next(block for block in scan(text.split("\n")).blocks if block.kind == "code")
    assert [one.line for one in code.segments] == lines


def test_front_matter_is_no_part_of_the_document() -> None:
    assert _ours("---\ntitle: x\n---\n# One\n") == [("heading", 4)]


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    assert _ours("---\n\n# One\n\n---\n") == [("heading", 3)]


def test_every_line_of_a_block_has_its_place() -> None:
    (block,) = scan(["> - one", ">   two", "lazy"]).blocks
    assert [(one.line, one.column, one.text) for one in block.segments] == [
        (1, 5, "one"),
        (2, 5, "two"),
        (3, 1, "lazy"),
    ]
    assert block.quoted
    assert block.leading


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("a | b", ["a", "b"]),
        ("| a | `x|y` |", ["a", "`x", "y`"]),
        (r"| a \| b | c", [r"a \| b", "c"]),
        (r"| a \\| b |", [r"a \\| b"]),
        ("| a || b |", ["a", "", "b"]),
        ("|", []),
        ("| |", [""]),
        ("one", ["one"]),
        ("  | a |  ", ["a"]),
    ],
)
def test_a_row_is_split_at_its_unescaped_pipes(row: str, cells: list[str]) -> None:
    assert [cell.text for cell in split_row(row)] == cells


@settings(deadline=None)
@given(st.lists(st.text(st.characters(blacklist_characters="|\\\n\r"), min_size=1).map(str.strip).filter(bool)))
def test_cells_joined_by_pipes_are_split_again(cells: list[str]) -> None:
    row = "".join(f"| {cell} " for cell in cells) + "|"
    found = split_row(row)
    assert [cell.text for cell in found] == cells
    assert all(row.startswith(cell.text, cell.column - 1) for cell in found)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("|---|", True),
        ("--- | :-:", True),
        ("---", False),
        (":-", True),
        ("| a |", False),
        ("|- -|", False),
        ("", False),
    ],
)
def test_a_delimiter_row_is_dashes_in_cells(line: str, expected: bool) -> None:  # noqa: FBT001 - a right value
    assert is_delimiter(line) is expected

"""Laws: parsing and checking any text succeeds, in bounded time, with places inside the text."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import check, coverage, parse

_FRAGMENTS = st.sampled_from(
    [
        "# ",
        "## 4.1 ",
        "- ",
        "> ",
        "1. ",
        "```",
        "~~~",
        "|",
        "---",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "[",
        "](",
        ")",
        "[a]: ",
        "<a id='x'>",
        "</a>",
        "<!--",
        "-->",
        "**",
        "*",
        "_",
        "`",
        "§",
        "Section ",
        "4.2",
        "–",
        "RFC 1 ",
        "POT-1",
        "**POT-1** (agreed): ",
        "MUST ",
        "*Reason: ",
        "\\",
        "&amp;",
        "\ufeff",
        "\r",
        "\r\n",
        "\u2028",
        "\x0b",
        "\x00",
        "\ud800",
        "é",
        "😀",
        "#",
        "](#a)",
        "mermaid",
    ]
)
_TEXTS = st.text(max_size=300) | st.lists(_FRAGMENTS, max_size=60).map("".join)


@settings(max_examples=400, deadline=None)
@given(_TEXTS)
def test_any_text_is_parsed_and_checked(text: str) -> None:
    spec = parse(text, "x.md")
    lines = re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff"))
    found = check(spec) + coverage(spec, {})
    places = [(one.line, one.column) for one in found]
    places += [(one.line, one.column) for one in spec.references]
    places += [(one.line, one.column) for one in spec.sections]
    places += [(one.line, one.column) for one in spec.requirements]
    assert all(1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1 for line, column in places)
    slugs = [section.slug for section in spec.sections]
    assert len(set(slugs)) == len(slugs)


@settings(deadline=None)
@given(_TEXTS)
def test_parsing_is_a_function_of_the_text(text: str) -> None:
    first, second = parse(text, "x.md"), parse(text, "x.md")
    assert first == second
    assert check(first) == check(second)


_SIZE = 100_000
_HOSTILE = {
    "quotes": ">" * _SIZE,
    "lists": "- " * _SIZE,
    "brackets": "[" * _SIZE,
    "images": "![" * _SIZE,
    "link openers": "[a](" * (_SIZE // 4),
    "labels": "[a][b] " * (_SIZE // 7),
    "definitions": '[a]: b "\n' * (_SIZE // 9),
    "definition without end": "[a]: " + " " * _SIZE + "<",
    "code": "`a" * (_SIZE // 2),
    "emphasis": "**a" * (_SIZE // 3),
    "tags": "<a " * (_SIZE // 3),
    "attributes": "<a" + " b" * (_SIZE // 2),
    "comments": "<!--" * (_SIZE // 4),
    "pipes": "|" * _SIZE,
    "spaces": "Section" + " " * _SIZE + "4",
    "digits": "§" + "1." * _SIZE,
    "references": "Section 9.9, " * (_SIZE // 13),
    "links and references": "[a](#b) §4 " * (_SIZE // 11),
    "ids": "POT-1 " * (_SIZE // 6) + '\n\n- <a id="pot-1"></a>**POT-1** (agreed): It MUST be.\n',
    "reasons": '- <a id="a-1"></a>**A-1** (proposed): x ' + "*Reason: " * (_SIZE // 9),
    "letters": "A" * _SIZE,
    "headings": "# a\n" * (_SIZE // 4),
    "tabs": "\t" * _SIZE + "x",
    "names": "(RFC 1 " * (_SIZE // 7),
    "words before a number": "a." * (_SIZE // 2) + " §4",
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE.keys())
def test_hostile_text_takes_time_in_proportion_to_its_size(text: str) -> None:
    start = time.process_time()
    check(parse(text, "x.md"))
    # The slowest takes one second here; anything quadratic takes minutes.
    assert time.process_time() - start < 8

"""Statements, held against pairs of a small document and all it requires."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import check, parse
from tck_spec.settings import SETTINGS_FILE, Form, read_settings
from tck_spec.statements import Statement, describe, find_statements, place_of

FIXTURES: Final = Path(__file__).parent / "fixtures"


def _pairs(name: str) -> list[tuple[str, str, str, list[str]]]:
    """Return name, document, settings of ``[requirements]`` and the expected statements."""
    text = (FIXTURES / name).read_text(encoding="utf-8")
    pairs: list[tuple[str, str, str, list[str]]] = []
    for part in text.split("\n=== ")[1:]:
        title, _, rest = part.partition("\n")
        document, *parts = re.split(r"\n--- (settings|statements)(?=\n|\Z)", rest)
        by_kind = dict(zip(parts[::2], parts[1::2], strict=True))
        lines = [line for line in by_kind["statements"].split("\n") if line]
        pairs.append((title, document + "\n", by_kind.get("settings", ""), lines))
    return pairs


def _shown(one: Statement, document: str) -> list[str]:
    spec = parse(document, "tea.md")
    marker = f" [{one.marker}]" if one.marker else ""
    head = f"{one.line}:{one.column}{marker} {','.join(one.keywords) or '-'} {one.place} {place_of(one, spec)}"
    more = {"led in by": one.lead_in, "under": one.header, "about": one.subject}
    if one.keyed != one.text:
        more["keyed"] = one.keyed
    return [head, one.text, *(f"{name}: {value}" for name, value in more.items() if value)]


PAIRS: Final = _pairs("statements.txt") + _pairs("statements_marked.txt")


@pytest.mark.parametrize(
    ("document", "toml", "expected"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS]
)
def test_a_document_requires_this_and_nothing_else(
    document: str, toml: str, expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / SETTINGS_FILE).write_text(f"[requirements]\n{toml}\n", encoding="utf-8")
    form = read_settings(tmp_path / SETTINGS_FILE).form
    found = find_statements(parse(document, "tea.md"), form)
    assert [line for one in found for line in _shown(one, document) if line] == expected


def test_the_level_is_the_strongest_key_word() -> None:
    spec = parse("# Tea\n\nIt MAY boil, SHOULD cool and MUST NOT burn.\n", "tea.md")
    (one,) = find_statements(spec, Form())
    assert (one.level, one.keywords) == ("MUST NOT", ("MAY", "SHOULD", "MUST NOT"))


def test_a_statement_is_described_with_its_place() -> None:
    spec = parse("# Tea\n\n## 4 Brewing\n\n### 4.2 Leaves\n\nSteps:\n\n- **Heat**: It MUST rise.\n", "tea.md")
    (one,) = find_statements(spec, Form())
    assert describe(one, spec) == {
        "id": None,
        "level": "MUST",
        "keywords": ["MUST"],
        "text": "Heat: It MUST rise.",
        "at": "§4.2 ¶2",
        "section": "4.2",
        "title": "Leaves",
        "anchor": "42-leaves",
        "paragraph": 2,
        "kind": "item",
        "lead_in": "Steps:",
        "header": None,
        "subject": "Heat",
        "file": "tea.md",
        "line": 9,
        "column": 5,
    }


def test_a_statement_before_every_heading_has_no_section() -> None:
    spec = parse("It MUST boil.\n", "tea.md")
    (one,) = find_statements(spec, Form())
    assert (describe(one, spec)["section"], describe(one, spec)["at"]) == (None, "¶1")


def test_a_lead_in_is_keyed_as_the_text_is() -> None:
    spec = parse("# Tea\n\n## 2 Pots\n\nAs Section 2 says:\n\n- It MUST boil.\n", "tea.md")
    (one,) = find_statements(spec, Form())
    assert (one.lead_in, one.keyed_lead_in) == ("As Section 2 says:", "As {§1} says:")


def test_renumbering_the_sections_changes_no_key() -> None:
    text = "# Tea\n\n## 4 Cups\n\n## 7 Pots\n\nAs [§7](#7-pots) and Section 4 say, it MUST boil.\n"
    renumbered = text.replace("7", "8").replace("4", "5")
    (before,), (after,) = (find_statements(parse(one, "tea.md"), Form()) for one in (text, renumbered))
    assert before.text != after.text
    assert before.keyed == after.keyed == "As {§2} and {§1} say, it MUST boil."


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_change_no_statement(end: str) -> None:
    text = "# Tea\n\nThe cook MUST\nwarm the pot. It MAY wait:\n\n- a\n- b\n"
    one, other = (find_statements(parse(each, "x"), Form()) for each in (text, text.replace("\n", end)))
    assert one == other


_PIECES: Final = st.sampled_from(
    [
        "The cook MUST warm the pot. ",
        "It MAY wait ",
        "(see §4, e.g. ",
        ") ",
        '"MUST" ',
        "`MUST` ",
        "**REQ-1**: ",
        "**REQ-2** ",
        "{#REQ-3} ",
        "<!-- req: a.b --> ",
        "<br>",
        "r[a.b]\n",
        "\nr[c.d]\n",
        "#### Requirement 1.2\n\n",
        "> ",
        "- ",
        "  - ",
        "\n",
        "\n\n",
        "# 4 Tea\n\n",
        "| REQ-4 | It MUST. |\n",
        "| a | b |\n|---|---|\n",
        "[Section 4](#4-tea) ",
        "Note: ",
        "must ",
        "MUST:\n\n",
        "![MUST](x) ",
        "é。",
        "...",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=40).map("".join), st.sampled_from(["auto", "marked", "prose"]))
def test_any_document_has_statements_in_order_and_in_place(text: str, style: str) -> None:
    spec = parse(text, "x.md")
    lines = re.split(r"\r\n|\n|\r", text)
    form = Form(style=style, phrases=("warm",), lower_case=True)  # type: ignore[arg-type] # a literal, drawn
    found = find_statements(spec, form)
    assert [(one.line, one.column) for one in found] == sorted((one.line, one.column) for one in found)
    for one in found:
        assert 1 <= one.line <= len(lines)
        assert 1 <= one.column <= len(lines[one.line - 1]) + 1
        assert -1 <= one.section < len(spec.sections)
        assert one.paragraph >= 1
        assert one.text == " ".join(one.text.split())
        assert bool(one.marker) == (one.place == "marked")
        assert one.marker or one.text
        assert (one.level in one.keywords) if one.keywords else not one.level
        assert describe(one, spec)["line"] == one.line


_SIZE: Final = 60_000
_HOSTILE: Final = {
    "key words": "MUST " * (_SIZE // 5),
    "sentences": "It MUST. " * (_SIZE // 9),
    "wrong key words": "MAY NOT MUST not " * (_SIZE // 17),
    "lower-case words": "RFC 2119. It must. " * (_SIZE // 19),
    "stops": "." * _SIZE + " MUST",
    "marks": ". " * (_SIZE // 2) + "MUST",
    "parentheses": "(" * (_SIZE // 2) + " MUST. " + ")" * (_SIZE // 2),
    "quotation marks": 'MUST" ' * (_SIZE // 6),
    "breaks": "MUST<br>" * (_SIZE // 8),
    "breaks and links": "[a](#b) MUST<br>" * (_SIZE // 16),
    "braces": "{#REQ-1} " * (_SIZE // 9),
    "braces with text": "It MUST be. {#REQ-1} " * (_SIZE // 21),
    "comments": "<!-- req: a --> " * (_SIZE // 16),
    "comments alone": "<!-- req: a -->\n" * (_SIZE // 16),
    "rules": "r[a.b]\n" * (_SIZE // 7),
    "rules and lists": "r[a]\n* b\n" * (_SIZE // 9),
    "a long rule": "r[" + "a." * (_SIZE // 2) + "]",
    "labels": "- **REQ-1**: It MUST.\n" * (_SIZE // 22),
    "open labels": "**A-" * (_SIZE // 4),
    "capitals": "A" * _SIZE + "-1 MUST",
    "hyphens": "A-" * (_SIZE // 2) + "1: MUST",
    "numbered headings": "# Requirement 1.2\n" * (_SIZE // 18),
    "conditions": "# Condition 1.2\n\nx\n\n# Conditional Requirement 1.2.3\n\n> y\n\n" * (_SIZE // 60),
    "a deep list": "".join("  " * (depth % 90) + "- It MUST:\n" for depth in range(_SIZE // 100)),
    "a long list": "Each MUST:\n\n" + "- do it\n" * (_SIZE // 8),
    "a long list of parts": "It MUST have:\n\n" + "- a part\n" * (_SIZE // 9),
    "many lead-ins": "It MUST have:\n\n- a\n\n" * (_SIZE // 20),
    "a table of ids": "| a | b |\n|---|---|\n" + "| REQ-1 | It MUST. |\n" * (_SIZE // 21),
    "a wide table": "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n|" + " MUST |" * 500 + "\n",
    "a row of references": "# 4 Tea\n\n|" + "a|" * 3000 + "\n|" + "-|" * 3000 + "\n|" + "§4 MUST|" * 3000 + "\n",
    "references": "# 4 Tea\n\n" + "See §4, it MUST. " * (_SIZE // 17),
    "links": "# 4 Tea\n\n" + "[§4](#4-tea) MUST. " * (_SIZE // 19),
    "spaces": "# Tea\n\nEach MUST " + "all " * 20 + " " * _SIZE + ":\n\n- x\n",
    "terms": "**" + "a" * _SIZE + "**: MUST",
    "tags": "<a " + "b " * (_SIZE // 2) + "id=REQ-1> MUST",
    "words about words": "word " * (_SIZE // 5) + "MUST, MAY and RFC 2119",
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE.keys())
def test_hostile_text_takes_time_in_proportion_to_its_size(text: str) -> None:
    start = time.process_time()
    spec = parse(text, "x.md")
    find_statements(spec, Form(phrases=("warm",), lower_case=True, pattern="[A-Z]+-[0-9]+"))
    check(spec)
    # The slowest takes a second or two here; anything quadratic takes minutes.
    assert time.process_time() - start < 20

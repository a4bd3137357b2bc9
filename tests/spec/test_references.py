"""References: what points where."""

from __future__ import annotations

import pytest

from tck_spec import parse

HEAD = "# Tea\n\n## 4 Brewing\n\n"


def _sections(text: str) -> list[tuple[str, str]]:
    spec = parse(f"{HEAD}{text}\n", "tea.md")
    return [(one.target, one.document) for one in spec.references if one.kind == "section"]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("§4", ["4"]),
        ("§ 4.2 and Section 4.3", ["4.2", "4.3"]),
        ("sections 4.1, 4.2, and 4.4", ["4.1", "4.2", "4.4"]),
        ("§4.1–4.3", ["4.1", "4.2", "4.3"]),
        ("§4.1, §4.3", ["4.1", "4.3"]),
        ("Sections 2 to 4", ["2", "3", "4"]),
        ("Sections 4 through 2", ["4", "2"]),
        ("Section 4.1 or 4.2", ["4.1", "4.2"]),
        ("Section 4 and 5 cups", ["4"]),
        ("Sec. 4, sect. 5; clause 6.1", ["4", "5", "6.1"]),
        ("Appendix A, Annex B.2, appendices C and D", ["A", "B.2", "C", "D"]),
        ("appendices A–C, annexes D through F", ["A", "B", "C", "D", "E", "F"]),
        ("Chapter 4, chapters 4 to 6, Chap. 7, CHAPTER 8", ["4", "4", "5", "6", "7", "8"]),
        ("subsection 4.1, Sub-Section 4.2, sub-clause 4.3", ["4.1", "4.2", "4.3"]),
        ("Sec 4.1, Sec 5, Secs. 6 and 7", ["4.1", "6", "7"]),
        ("Section 4, sections 5 and 6", ["4", "5", "6"]),
        ("an annex B2, a chapter, chapters of 9", []),
        ("Appendix 1", ["Appendix 1"]),
        ("§5.b.viii", ["5.b.viii"]),
        ("Section 4.see", ["4"]),
        ("section 4.xxx", ["4.xxx"]),
        ("Section 12%, section 4th, sections of 9, intersection 4", []),
        ("`§4` and `Section 5`", []),
        ("§1.2.3.4.5.6", ["1.2.3.4.5.6"]),
    ],
)
def test_section_numbers_are_found_in_prose(text: str, targets: list[str]) -> None:
    assert [target for target, _ in _sections(text)] == targets


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("RFC 2324 §2.3", "RFC 2324"),
        ("as in RFC2324, Section 2", "RFC2324"),
        ("Section 2 of RFC 2324", "RFC 2324"),
        ("Section 2 (Pots) of the Kettle Specification", "Kettle"),
        ("[RFC 2324](https://example.org/x) §2", "RFC 2324"),
        ("[pots](https://example.org/x) §2", "https://example.org/x"),
        ("§2 of [pots](https://example.org/x)", "https://example.org/x"),
        ("[§2](https://example.org/x)", "https://example.org/x"),
        ("the Samovar §2", "Samovar"),
        ("[POTS], §2", "[POTS]"),
        ("Section 2 of `kettle.md`", "kettle.md"),
        ("`lids/cups.md`, §2", "lids/cups.md"),
        ("the `pot` in §2", ""),
        ("`kettle.md` says more. §2", ""),
        ("as the lids draft §2 says", "lids draft"),
        ("as this draft §2 says", ""),
        ("Fair Tea Licence 1.0 §2", "Fair Tea Licence 1.0"),
        ("Brewing 1.0 §2", ""),
        ("by GPL-3.0, section 2", "GPL-3.0"),
        ("warm the Samovar (§2)", "Samovar"),
        ("warm the Samovar (§4.2)", ""),
        ("warm it as WBA (§4.2) says", "WBA"),
        ("see [pots](https://example.org/x) and §2", ""),
        ("RFC 2324 is funny. §2", ""),
        ("RFC 2324 is funny, e.g. in §2", "RFC 2324"),
        ("See §2", ""),
        ("Check §2", ""),
        ("Section 2 of this specification", ""),
        ("[§2](#4-brewing)", ""),
        ("[pot](#4-brewing) §2", ""),
    ],
)
def test_a_reference_belongs_to_the_document_that_is_named(text: str, document: str) -> None:
    ((_, found),) = _sections(text)
    assert found == document


def test_a_cell_belongs_to_the_document_in_the_cell_before() -> None:
    table = "| Where | What |\n|---|---|\n| RFC 2324 | §2 |\n| Pots | §3 |"
    assert _sections(table) == [("2", "RFC 2324"), ("3", "")]


def test_an_unnumbered_document_means_others_where_it_names_others() -> None:
    text = "# Tea\n\n## Pots\n\nThis follows RFC 2324. The pot is warm (§2).\n\n## Lids\n\nSee §3.\n"
    spec = parse(text, "tea.md")
    assert [(one.target, bool(one.document)) for one in spec.references] == [("2", True), ("3", False)]


def test_links_have_kinds() -> None:
    text = '[a](#b) [c](d.md#e) [f](https://g.h) <i@j.k> [l](//m.n) <a href="#o">p</a> ![q](r.png)\n'
    spec = parse(text, "tea.md")
    assert [(one.kind, one.label, one.target, one.column) for one in spec.references] == [
        ("anchor", "a", "b", 1),
        ("file", "c", "d.md#e", 9),
        ("url", "f", "https://g.h", 21),
        ("url", "i@j.k", "mailto:i@j.k", 38),
        ("url", "l", "//m.n", 46),
        ("anchor", "", "o", 57),
        ("file", "", "r.png", 76),
    ]


def test_a_section_reference_knows_the_link_around_it() -> None:
    spec = parse(f"{HEAD}See [§4](#4-brewing) and §4.\n", "tea.md")
    found = [(one.label, one.link, one.line, one.column) for one in spec.references if one.kind == "section"]
    assert found == [("§4", "#4-brewing", 5, 6), ("§4", "", 5, 26)]


def test_ids_of_requirements_in_prose_are_references_but_for_their_definition() -> None:
    text = (
        '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST do it after POT-1.\n\n'
        "See [POT-1](#pot-1), **POT-7** and SHA-256.\n\n### About POT-1\n"
    )
    spec = parse(text, "tea.md")
    found = [(one.target, one.line, one.column) for one in spec.references if one.kind == "requirement"]
    assert found == [("POT-1", 1, 67), ("POT-1", 3, 6), ("POT-7", 3, 24), ("POT-1", 5, 11)]


def test_tables_and_diagrams_are_kept_with_their_section() -> None:
    text = f"{HEAD}| a | b |\n|---|---|\n| `x` | 1 \\| 2 |\n\n```mermaid\n\n%% c\nstateDiagram-v2\n  [*] --> A\n```\n"
    spec = parse(text, "tea.md")
    (table,) = spec.tables
    assert (table.header, table.rows, table.line, table.section) == (("a", "b"), (("`x`", "1 | 2"),), 5, "4")
    (diagram,) = spec.diagrams
    assert (diagram.kind, diagram.line, diagram.section) == ("stateDiagram-v2", 9, "4")
    assert diagram.text.splitlines()[-1] == "  [*] --> A"

"""Parsing with a memory gives what parsing afresh gives, whatever was edited."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import Specification, check, parse
from tck_spec import blocks as blocks_module
from tck_spec.cursor import Cursor
from tck_spec.markdown import InlineReader
from tck_spec.memory import Memory

_LINES = st.sampled_from(
    [
        "",
        "",
        "text with `code` and [a link](#one)",
        "# One",
        "## 2.1 Two",
        "- item",
        "  more",
        "1. one",
        "    deep",
        "> quote",
        "```",
        "~~~",
        "| a | b |",
        "|---|---|",
        "---",
        "===",
        "<div>",
        "<!--",
        "-->",
        "[x]: #one",
        "[y]: 'no",
        "[x] and [y], see Section 2.1",
        '- <a id="tea-1"></a>**TEA-1** (agreed): It MUST be hot.',
        "Version: 2",
    ]
)
_EDITS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 4), st.lists(_LINES, max_size=4)), max_size=5)


def _seen(spec: Specification) -> tuple[object, ...]:
    return spec, spec.text, spec.document, spec.prose


@settings(deadline=None)
@given(st.lists(_LINES, max_size=40), _EDITS, st.sampled_from(["\n", "\r\n"]))
def test_an_edited_text_is_parsed_as_if_for_the_first_time(
    lines: list[str], edits: list[tuple[int, int, list[str]]], end: str
) -> None:
    memory = Memory()
    parse(end.join(lines), "tea.md", memory=memory)
    for place, removed, added in edits:
        lines[place : place + removed] = added
        text = end.join(lines)
        assert _seen(parse(text, "tea.md", memory=memory)) == _seen(parse(text, "tea.md"))


@settings(deadline=None)
@given(st.text(alphabet="a#-> \n`|[]*:<!\t1.", max_size=60), st.text(alphabet="a#-> \n`|[]*:<!\t1.", max_size=60))
def test_any_text_is_parsed_after_any_other_as_if_for_the_first_time(first: str, second: str) -> None:
    memory = Memory()
    parse(first, "tea.md", memory=memory)
    assert _seen(parse(second, "tea.md", memory=memory)) == _seen(parse(second, "tea.md"))


def test_the_same_question_has_the_same_answer() -> None:
    memory = Memory()
    first = parse("# One\n", "tea.md", memory=memory)
    assert parse("# One\n", "tea.md", memory=memory) is first
    assert parse("# One\n", "coffee.md", memory=memory).source == "coffee.md"
    other = parse("# One\n", "coffee.md", id_pattern="X-[0-9]", memory=memory)
    assert other is not first
    assert parse("# One\n", "coffee.md", memory=memory) is not other


_DOCUMENT = "# One\n\n" + "".join(f"## {n} Part\n\nText *{n}* and `{n}`.\n\n- item\n- item\n\n" for n in range(300))


@pytest.mark.parametrize(
    ("place", "new", "most"),
    [
        (0, "#", 3),
        (len(_DOCUMENT) // 2, "x", 25),
        (len(_DOCUMENT) // 2, "\n\n", 25),
        (len(_DOCUMENT) // 2, "\n- item\n", 25),
        (len(_DOCUMENT), "\nend", 25),
    ],
)
def test_only_what_is_around_an_edit_is_scanned_and_read_again(
    monkeypatch: pytest.MonkeyPatch, place: int, new: str, most: int
) -> None:
    memory = Memory()
    parse(_DOCUMENT, "tea.md", memory=memory)
    scanned: list[str] = []
    read: list[str] = []
    parsed = InlineReader.read

    def counted(text: str) -> object:
        scanned.append(text)
        return Cursor(text)

    def counting(reader: InlineReader, source: str) -> object:
        read.append(source)
        return parsed(reader, source)

    monkeypatch.setattr(blocks_module, "Cursor", counted)
    monkeypatch.setattr(InlineReader, "read", counting)
    edited = _DOCUMENT[:place] + new + _DOCUMENT[place:]
    spec = parse(edited, "tea.md", memory=memory)
    assert len(scanned) <= most
    assert len(read) <= 3
    monkeypatch.undo()
    assert _seen(spec) == _seen(parse(edited, "tea.md"))


def test_a_new_definition_changes_links_far_away() -> None:
    memory = Memory()
    text = "[a]\n\n# One\n\ntext\n"
    assert not parse(text, "tea.md", memory=memory).references
    (reference,) = parse(text + "\n[a]: #one\n", "tea.md", memory=memory).references
    assert (reference.target, reference.line) == ("one", 1)
    assert not parse(text, "tea.md", memory=memory).references


def test_findings_are_those_of_a_text_that_was_parsed_afresh() -> None:
    memory = Memory()
    parse("# One\n\nSee Section 4.\n\n```\n", "tea.md", memory=memory)
    text = "# One\n\n\nSee Section 5.\n\n```\n"
    assert check(parse(text, "tea.md", memory=memory)) == check(parse(text, "tea.md"))

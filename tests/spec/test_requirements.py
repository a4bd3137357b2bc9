"""Requirements, as read from the text."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tck_spec import Requirement, check, parse
from tck_spec.keywords import find_keywords

TEXT = """\
# Tea

Version: 2.1.0
**Identifier:** `tea-making`

The key words "MUST" and "SHOULD" are those of BCP 14.

## 4 Brewing

### 4.2 Leaves

- <a id="pot-3"></a>**POT-3** (agreed): The cook MUST take the *prior*
  pot from `shelf.pot` (see [§4](#4-brewing)),
  unless it is &lt;hot&gt;.
- <a id="pot-11"></a>**POT-11** (proposed): The cook MUST NOT fill `pot = MUST` again. *Reason: `tea`
  gets **cold**.*

1. <a id="lid-1"></a>**LID-1** (reuse): A lid
   is OPTIONAL for:

   - small pots
   - cups

   and mugs.

#### Notes

* <a name="lid-2"></a>**LID-2** (redelegation): A lid SHOULD NOT be hot.
"""


def _one(line: str) -> Requirement:
    (requirement,) = parse(line + "\n", "x").requirements
    return requirement


def test_a_requirement_has_all_its_parts() -> None:
    spec = parse(TEXT, "tea.md")
    assert (spec.identifier, spec.version, spec.title) == ("tea-making", "2.1.0", "Tea")
    rows = [
        (one.id, one.area, one.level, one.status, one.profile, one.section, one.anchor, one.line, one.column)
        for one in spec.requirements
    ]
    assert rows == [
        ("POT-3", "POT", "MUST", "agreed", "core", "4.2", "pot-3", 12, 23),
        ("POT-11", "POT", "MUST NOT", "proposed", "hardened", "4.2", "pot-11", 15, 24),
        ("LID-1", "LID", "OPTIONAL", "reuse", "reuse", "4.2", "lid-1", 18, 24),
        ("LID-2", "LID", "SHOULD NOT", "redelegation", "redelegation", "4.2", "lid-2", 28, 25),
    ]
    assert [one.text for one in spec.requirements] == [
        "The cook MUST take the prior pot from shelf.pot (see §4), unless it is <hot>.",
        "The cook MUST NOT fill pot = MUST again.",
        "A lid is OPTIONAL for: small pots cups and mugs.",
        "A lid SHOULD NOT be hot.",
    ]
    assert [one.reason for one in spec.requirements] == [None, "tea gets cold.", None, None]
    assert spec.requirement("LID-1") is spec.requirements[2]
    with pytest.raises(KeyError):
        spec.requirement("LID-9")
    assert check(spec) == ()


def test_a_document_without_settings_is_named_by_its_file() -> None:
    spec = parse("# Tea\n", "docs/tea-spec.md")
    assert (spec.identifier, spec.version) == ("tea-spec", "")


def test_settings_count_in_front_of_the_first_section_only() -> None:
    spec = parse("# Tea\n\n## History\n\nVersion: 9\n", "tea.md")
    assert spec.version == ""


def test_requirements_nested_in_another_are_their_own() -> None:
    text = (
        '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot.\n'
        '  - <a id="pot-2"></a>**POT-2** (agreed): The cook MUST dry the pot.\n'
    )
    spec = parse(text, "x")
    assert [one.text for one in spec.requirements] == ["The cook MUST warm the pot.", "The cook MUST dry the pot."]


def test_a_digest_is_that_of_the_composed_text() -> None:
    one = _one('- <a id="pot-1"></a>**POT-1** (agreed): Cafe\u0301 MUST be closed.')
    assert one.text_digest == sha256("Café MUST be closed.".encode()).hexdigest()


@pytest.mark.parametrize(
    "line",
    [
        '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST   warm\n  the **pot**.',
        '* <a name="pot-1"></a>**POT-1** (agreed): The cook MUST warm\nthe [pot](#x).',
        '1. <a id="p"></a>**POT-1** (agreed): The `cook` MUST warm the pot. *Reason: it cracks.*',
        "- **POT-1** (agreed):\n  The cook MUST warm the pot.",
    ],
)
def test_layout_markup_and_reason_do_not_change_a_digest(line: str) -> None:
    plain = _one('- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot.')
    assert _one(line).text_digest == plain.text_digest


def test_the_set_digest_says_what_is_demanded_and_nothing_else() -> None:
    first = '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot.\n'
    second = '- <a id="pot-2"></a>**POT-2** (agreed): The cook MAY sing in the kitchen.\n'
    digest = parse(first + second, "a").set_digest
    assert parse(f"# New title\n\n{second}\nProse.\n\n{first}", "b").set_digest == digest
    changed = [
        first,
        first + second.replace("sing", "hum"),
        first + second.replace("MAY", "SHOULD"),
        first + second.replace("agreed", "proposed"),
        first + second.replace("POT-2", "POT-3"),
    ]
    assert digest not in {parse(text, "a").set_digest for text in changed}


def test_ids_of_another_form_can_be_asked_for() -> None:
    text = '- <a id="r123"></a>**Requirement 1.2.3** (agreed): The cook MUST warm the pot.\n'
    spec = parse(text, "x", id_pattern=r"Requirement \d+(?:\.\d+)*")
    assert [(one.id, one.area) for one in spec.requirements] == [("Requirement 1.2.3", "Requirement")]
    assert check(spec) == ()


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("It MUST be.", ("MUST",)),
        ("It MUST NOT be, and MUST\nNOT go.", ("MUST NOT", "MUST NOT")),
        ("It SHALL NOT, SHOULD NOT, is NOT RECOMMENDED.", ("SHALL NOT", "SHOULD NOT", "NOT RECOMMENDED")),
        ("REQUIRED, RECOMMENDED, OPTIONAL, MAY, SHALL", ("REQUIRED", "RECOMMENDED", "OPTIONAL", "MAY", "SHALL")),
        ("It must, Must, MUSTARD, MAYBE, X-MUST and MUST-HAVE.", ()),
        ("It MAY NOT be.", ("MAY",)),
    ],
)
def test_key_words_count_in_capitals_only(text: str, keywords: tuple[str, ...]) -> None:
    assert find_keywords(text) == keywords


_WORDS = st.lists(st.sampled_from(["pot", "`cup`", "*warm*", "[lid](#x)", "(see §4)", "a_b", "&amp;", "§"]), min_size=1)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["POT", "LID"]), st.integers(1, 99), _WORDS, st.booleans()), max_size=8),
    st.sampled_from(["- ", "* ", "1. ", "   - "]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_line_and_column_of_a_requirement_point_at_its_id(
    items: list[tuple[str, int, list[str], bool]], bullet: str, end: str
) -> None:
    lines = ["# Tea", ""]
    for area, number, words, wrapped in items:
        name = f"{area}-{number}"
        lines.append(f'{bullet}<a id="{name.lower()}"></a>**{name}** (agreed): It MUST be')
        if wrapped:
            lines.append("  " * len(bullet) + " ".join(words))
    spec = parse(end.join(lines), "x")
    assert [one.id for one in spec.requirements] == [f"{area}-{number}" for area, number, _, _ in items]
    for one in spec.requirements:
        assert lines[one.line - 1].startswith(one.id, one.column - 1)

"""The page of the rules: a section for each, whose first example has the fault and whose second has not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tck_kit.authors.checked import check_files
from tck_spec import RULES, Rule, parse
from tck_spec.findings import SEVERITY_NAMES
from tck_spec.settings import Settings

PAGE: Final = parse((Path(__file__).parents[3] / "docs" / "rules.md").read_text(encoding="utf-8"), "rules.md")
#: What no Markdown text can show: it takes bytes, a lock file or scenarios. Their own tests hold both cases.
ELSEWHERE: Final = ("MMD003", "ID002", "ID003", "ID005", "DOC001", "DOC002", "DOC003", "COV", "LCK", "SCN")
COMPANION: Final = "# Cups\n\n## Sizes\n"


def _sections() -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield code, name, first paragraph and Markdown examples of each rule's section."""
    starts = [
        (section.line, match)
        for section in PAGE.sections
        if (match := re.fullmatch(r"([A-Z]{2,4}\d{3}) ([a-z0-9-]+)", section.title))
    ]
    for index, (line, match) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(PAGE.text)
        inside = [block for block in PAGE.document.blocks if line < block.line < end]
        first = next(block.text for block in inside if block.kind == "paragraph")
        yield match[1], match[2], first, [block.text for block in inside if block.info == "markdown"]


SECTIONS: Final = {code: (name, first, examples) for code, name, first, examples in _sections()}
SHOWN: Final = [code for code in SECTIONS if not code.startswith(ELSEWHERE)]


def test_every_rule_has_a_section_and_every_section_a_rule() -> None:
    assert {code: name for code, (name, _, _) in SECTIONS.items()} == {rule.code: rule.name for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_section_begins_with_the_severity_of_its_rule(rule: Rule) -> None:
    first = SECTIONS[rule.code][1]
    if rule.code == "COV003":
        assert "error in CI" in first
    else:
        assert first.split()[0].strip(".,").lower() == SEVERITY_NAMES[rule.severity]


@pytest.mark.parametrize("code", SHOWN)
def test_the_first_example_has_the_fault_and_the_second_has_not(code: str, tmp_path: Path) -> None:
    wrong, right = SECTIONS[code][2]
    (tmp_path / "cups.md").write_text(COMPANION, encoding="utf-8")
    settings = Settings(
        root=tmp_path,
        anchors=("github", "gitlab") if code == "ANC002" else ("github",),
        required_columns={"Methods": ("name", "meaning")},
        rules={"all": "on"},
    )
    found: list[set[str]] = []
    for example in (wrong, right):
        path = tmp_path / "tea.md"
        path.write_text(example + "\n", encoding="utf-8")
        found.append({one.rule for one in check_files([path], settings).findings})
    assert code in found[0]
    assert code not in found[1]

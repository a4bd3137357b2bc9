"""Rules, held against pairs of a small document and all its findings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from tck_spec import RULES, Finding, check, load, parse
from tck_spec.files import file_library
from tck_spec.settings import SETTINGS_FILE, read_settings

FIXTURES: Final = Path(__file__).parent / "fixtures"


@dataclass(frozen=True, slots=True)
class Pair:
    """A document, what is set and what lies around it, and every finding it has."""

    name: str
    document: str
    findings: tuple[str, ...]
    #: None for a text without files around it.
    settings: str | None = None
    files: tuple[tuple[str, str], ...] = ()

    def check(self) -> tuple[Finding, ...]:
        if self.settings is None:
            return check(parse(self.document, "tea.md"))
        with TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in (*self.files, (SETTINGS_FILE, self.settings)):
                path = folder / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            settings = read_settings(folder / SETTINGS_FILE)
            spec = parse(self.document, str(folder / "tea.md"))
            others = [load(folder / file) for file, _ in self.files if file.endswith(".md")]
            return check(spec, settings, file_library([spec, *others], settings))


def _pairs() -> list[Pair]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(FIXTURES.glob("rules*.txt"))]
    pairs: list[Pair] = []
    for part in (part for text in texts for part in text.split("\n=== ")[1:]):
        name, _, rest = part.partition("\n")
        document, *parts = re.split(r"\n--- (settings|file .+|findings)(?=\n|\Z)", rest)
        by_kind = {kind: text.removeprefix("\n") for kind, text in zip(parts[::2], parts[1::2], strict=True)}
        files = ((kind[5:], text + "\n") for kind, text in by_kind.items() if kind.startswith("file "))
        findings = tuple(line for line in by_kind["findings"].split("\n") if line)
        pairs.append(Pair(name, document + "\n", findings, by_kind.get("settings"), tuple(files)))
    return pairs


PAIRS: Final = _pairs()


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_a_document_has_these_findings_and_no_others(pair: Pair) -> None:
    found = tuple(f"{one.line}:{one.column} {one.rule} {one.severity}" for one in pair.check())
    assert found == pair.findings


def test_every_rule_about_text_has_a_pair() -> None:
    in_pairs = {line.split()[1] for pair in PAIRS for line in pair.findings}
    elsewhere = {"DOC001", "DOC002", "DOC003"} | {rule.code for rule in RULES if rule.code.startswith(("COV", "SCN"))}
    assert {rule.code for rule in RULES} == in_pairs | elsewhere


def test_no_finding_is_more_severe_than_its_rule_says() -> None:
    severities = {rule.code: rule.severity for rule in RULES}
    found = [one for pair in PAIRS for one in pair.check()]
    assert not [one for one in found if "IWE".index(one.severity) > "IWE".index(severities[one.rule])]


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len(RULES) == len({rule.name for rule in RULES})


def _malformed() -> list[tuple[str, str]]:
    text = (FIXTURES / "malformed.txt").read_text(encoding="utf-8").partition("\n\n")[2]
    return [(line.partition("  →  ")[0], line.partition("  →  ")[2]) for line in text.splitlines()]


@pytest.mark.parametrize(("line", "problem"), _malformed())
def test_what_was_meant_as_a_requirement_never_vanishes(line: str, problem: str) -> None:
    good = '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot.'
    spec = parse(f"# Tea\n\n{good}\n\n# Next\n\n{line}\n", "tea.md")
    found = [one for one in check(spec) if one.rule == "ID004"]
    assert [one.line for one in found] == [7]
    assert problem in found[0].message


def test_a_requirement_glued_to_the_one_above_does_not_vanish() -> None:
    text = (
        '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot.\n'
        '<a id="pot-2"></a>**POT-2** (agreed): The cook MUST fill the pot.\n'
    )
    found = [one for one in check(parse(text, "tea.md")) if one.rule == "ID004"]
    assert [(one.line, one.column) for one in found] == [(2, 21)]
    assert "inside another paragraph" in found[0].message


def test_a_requirement_inside_html_does_not_vanish() -> None:
    text = '<div>\n- <a id="pot-2"></a>**POT-2** (agreed): The cook MUST fill the pot.\n</div>\n'
    assert [(one.rule, one.line) for one in check(parse(text, "tea.md"))] == [("ID004", 2)]


@pytest.mark.parametrize(
    "line",
    [
        "- **SHA-256** is a hash that MUST be used.",
        "- **SHA-256** (default): MUST be used.",
        "- **Name** (optional): MAY be there.",
        "- **HTTP/2** (required): MUST be spoken.",
        "- **POT-1**, as said above, MUST hold.",
        "<!-- - <a id='pot-2'></a>**POT-2** (agreed): The cook MUST. -->",
        "    **POT-2** is only mentioned here",
    ],
)
def test_a_bold_label_is_not_taken_for_a_requirement(line: str) -> None:
    spec = parse(f"# Tea\n\n{line}\n", "tea.md")
    assert not spec.requirements
    assert [one for one in check(spec) if one.rule == "ID004"] == []


def test_a_document_that_declares_itself_is_read_strictly() -> None:
    text = "# Tea\n\nIdentifier: tea\n\n- **pot-1**: The cook MUST warm the pot.\n"
    assert [(one.rule, one.line) for one in check(parse(text, "tea.md"))] == [("ID004", 5)]


def test_a_dead_anchor_is_reported_with_the_nearest_one() -> None:
    (finding,) = check(parse("# Tea\n\n## Brewing time\n\n[x](#brewing-tme)\n", "tea.md"))
    assert finding.hint == "did you mean brewing-time?"


def test_an_unknown_requirement_is_reported_with_the_nearest_one() -> None:
    good = '- <a id="pot-12"></a>**POT-12** (agreed): The cook MUST warm the pot.\n\nSee POT-21.\n'
    (finding,) = check(parse(good, "tea.md"))
    assert (finding.rule, finding.hint) == ("IDR001", "did you mean POT-12?")


def test_a_byte_order_mark_is_a_warning_and_the_first_heading_counts() -> None:
    spec = parse("\ufeff# Tea\n\n[x](#tea)\n", "tea.md")
    assert [(one.rule, one.severity) for one in check(spec)] == [("DOC001", "W")]
    assert spec.title == "Tea"


def test_mixed_line_ends_are_reported_where_they_first_change() -> None:
    (finding,) = check(parse("# Tea\n\nOne\nTwo\r\nThree\n", "tea.md"))
    assert (finding.rule, finding.line) == ("DOC002", 4)
    assert "CRLF" in finding.message


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_one_kind_of_line_end_is_fine(end: str) -> None:
    text = end.join(["# Tea", "", "## 1 Pots", "", "See §7."])
    assert [(one.rule, one.line, one.column) for one in check(parse(text, "tea.md"))] == [("XREF001", 5, 5)]


def test_a_replacement_character_is_lost_text() -> None:
    assert [(one.rule, one.line, one.column) for one in check(parse("# Tea\n\nab\ufffdc\n", "x"))] == [("DOC003", 3, 3)]


def test_findings_come_by_place() -> None:
    text = "".join(pair.document for pair in PAIRS)
    places = [(one.line, one.column) for one in check(parse(text, "tea.md"))]
    assert len(places) > 50
    assert places == sorted(places)


def test_a_message_stays_on_one_line() -> None:
    findings = [one for pair in PAIRS for one in pair.check()]
    assert not [one for one in findings if re.search(r"[\n\r]", one.message + one.hint)]

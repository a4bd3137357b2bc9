"""Rules on statements and their ids across the documents of a set, and what their findings say."""

from __future__ import annotations

import pytest

from tck_spec import Finding, Specification, SpecificationError, check, parse
from tck_spec.library import Lone
from tck_spec.settings import Form, Settings

DECLARED = "# Tea\n\nThe key words are those of RFC 2119.\n\n"


def _found(rule: str, text: str, *earlier: str, form: Form | None = None) -> list[Finding]:
    documents: list[Specification] = [parse(one, f"earlier{number}.md") for number, one in enumerate(earlier)]
    spec = parse(text, "tea.md")
    settings = Settings(form=form or Form())
    return [one for one in check(spec, settings, Lone((*documents, spec))) if one.rule == rule]


def _labels(*numbers: int) -> str:
    return DECLARED + "".join(f"- **REQ-{number}**: The cook MUST do {number} things.\n" for number in numbers)


def test_an_id_of_an_earlier_document_is_named_with_its_place() -> None:
    (finding,) = _found("ID001", _labels(1, 2), _labels(2, 3))
    assert (finding.line, finding.column) == (6, 5)
    assert finding.message == "REQ-2 is defined in earlier0.md:5 already"


def test_the_earlier_document_itself_is_not_reported() -> None:
    first, second = parse(_labels(1, 2), "a.md"), parse(_labels(2, 3), "b.md")
    library = Lone((first, second))
    assert [[one.rule for one in check(spec, None, library)] for spec in (first, second)] == [[], ["ID001"]]


def test_an_id_of_several_earlier_documents_is_reported_once() -> None:
    assert len(_found("ID001", _labels(1), _labels(1, 4), _labels(1, 5))) == 1


def test_versions_of_one_document_may_share_their_ids() -> None:
    assert _found("ID001", _labels(1, 2, 3, 4), _labels(1, 2, 3)) == []
    assert len(_found("ID001", _labels(1, 2, 3, 4, 5, 6, 7), _labels(1, 2, 3, 11, 12, 13, 14))) == 3


def test_an_id_of_this_kits_form_is_looked_for_in_the_whole_set_as_well() -> None:
    text = '- <a id="pot-1"></a>**POT-1** (agreed): The cook MUST warm the pot.\n'
    (finding,) = _found("ID001", text, text)
    assert finding.message == "POT-1 is defined in earlier0.md:1 already"


def test_an_unknown_id_is_reported_with_the_nearest_one() -> None:
    (finding,) = _found("IDR001", _labels(11, 12) + "\nSee REQ-21.\n")
    assert finding.hint == "did you mean REQ-12?"


def test_a_wrong_key_word_is_shown_with_what_to_write() -> None:
    (finding,) = _found("REQ004", DECLARED + "It MAY\nNOT boil.\n")
    assert finding.message.startswith("'MAY NOT' may mean")
    assert "MUST NOT" in finding.hint
    assert finding.length == len("MAY NOT")


def test_mixing_shall_and_must_is_reported_at_the_rarer_one() -> None:
    (finding,) = _found("REQ004", DECLARED + "It MUST boil. It MUST cool. It SHALL stop.\n")
    assert (finding.line, finding.column) == (5, 29)
    assert finding.message == "SHALL (1) is used beside MUST (2), which means the same"


def test_a_hint_says_how_a_quotation_is_made_to_bind() -> None:
    (finding,) = _found("REQ005", DECLARED + "> It MUST boil.\n")
    assert (finding.severity, "requirements.quotes" in finding.hint) == ("I", True)
    assert _found("REQ005", DECLARED + "> It MUST boil.\n", form=Form(quotes=True)) == []


def test_a_lower_case_word_is_doubted_or_denied_by_what_the_document_says() -> None:
    (doubted,) = _found("REQ001", DECLARED + "It must boil.\n")
    (denied,) = _found("REQ001", DECLARED + "They count in all capitals only.\n\nIt must boil.\n")
    assert doubted.message == "'must' is in lower case: whether it requires is unclear"
    assert denied.message == "'must' in lower case requires nothing here"


@pytest.mark.parametrize("style", ["marked", "prose"])
def test_the_style_that_is_set_decides_what_is_judged(style: str) -> None:
    text = _labels(1, 1) + "\nIt MUST boil and MAY cool.\n"
    form = Form(style=style)  # type: ignore[arg-type] # a literal, as a parameter
    rules = {"marked": ["ID001", "REQ007"], "prose": ["REQ003"]}
    assert [one.rule for one in check(parse(text, "tea.md"), Settings(form=form))] == rules[style]


def test_a_pattern_that_never_ends_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tck_spec.patterns.MOST_SECONDS", 0.05)
    text = DECLARED + "a" * 60 + "!\n"
    with pytest.raises(SpecificationError, match=r"requirements\.phrases: '\(a\|aa\)\+\$' takes too long"):
        _found("REQ002", text, form=Form(phrases=(r"(a|aa)+$",)))

"""Tags of feature files, in the middle of writing them as well."""

from __future__ import annotations

from tck_kit.authors.language_server.positions import Text
from tck_kit.authors.language_server.tags import find_tags


def _seen(text: str) -> list[tuple[str, int, int, str]]:
    return [(tag.name, tag.line, tag.column, tag.title) for tag in find_tags(Text(text))]


def test_a_tag_is_found_with_its_place_and_what_it_stands_on() -> None:
    text = "@kitchen\nFeature: Tea\n\n  @POT-1 @pot-2\n  @wip\n  # a remark\n  Scenario: Warm\n    Given @nobody\n"
    assert _seen(text) == [
        ("kitchen", 1, 1, "Tea"),
        ("POT-1", 4, 3, "Warm"),
        ("pot-2", 4, 10, "Warm"),
        ("wip", 5, 3, "Warm"),
    ]


def test_what_follows_a_hash_is_a_comment() -> None:
    assert _seen("@a #@b\n@c#d\nScenario: S\n") == [("a", 1, 1, "S"), ("c", 2, 1, "S")]


def test_doc_strings_hold_text_and_no_tags() -> None:
    text = (
        'Feature: F\n  Scenario: S\n    Given a text\n      """\n      @no\n      ```\n      @no\n      """\n  @yes\n'
    )
    assert [(name, line) for name, line, _, _ in _seen(text)] == [("yes", 9)]


def test_a_tag_at_the_end_of_the_file_stands_on_nothing_yet() -> None:
    assert _seen("Feature: F\n\n  @po") == [("po", 3, 3, "")]


def test_what_is_no_gherkin_has_tags_all_the_same() -> None:
    assert _seen("Scenaro: x\n@a@b\n*** \n") == [("a", 2, 1, "***"), ("b", 2, 3, "***")]

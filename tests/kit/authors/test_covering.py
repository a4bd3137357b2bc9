"""Coverage of any document: ids of its own, ids of its lock, earlier ids, and scenarios for an earlier text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tck_kit.authors.covering import covered
from tck_kit.command_line import cli
from tck_spec import load
from tck_spec.settings import Form, Settings

PROSE = """\
# Tea

Identifier: tea

The key words MUST and MAY are to be interpreted as described in RFC 2119.

## 1 Pots

The cook MUST warm the pot before the leaves go in.

## 2 Milk

Milk MAY be added last, once the leaves are out of the pot.
"""

MARKED = """\
# Tea

#### Requirement 1.1.1

> The cook MUST warm the pot before the leaves go in.

#### Requirement 1.1.2

> Milk MAY be added last, once the leaves are out of the pot.
"""

Found = Callable[[], list[tuple[str, str, str, int]]]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Found:
    """Give rule, severity, file name and line of everything that coverage has to say of ``tea.md``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    (tmp_path / "features").mkdir()

    def look() -> list[tuple[str, str, str, int]]:
        findings = covered(Path("features"), Settings(root=tmp_path), [load(Path("tea.md"))])
        return [(one.rule, one.severity, Path(one.source or "").name, one.line) for one in findings]

    return look


def _scenario(*tags: str) -> None:
    marks = " ".join(f"@{tag}" for tag in tags)
    Path("features/tea.feature").write_text(
        f"Feature: Tea\n  {marks}\n  Scenario: It is warm\n    Then it is warm\n", encoding="utf-8"
    )


def _lock(*options: str) -> None:
    cli.main(["lock", "tea.md", "--features", "features", *options], standalone_mode=False)


def _ids() -> list[str]:
    from tck_spec.lock.file import read_lock  # noqa: PLC0415 -- after the lock is written

    return [one.id for one in read_lock(Path("tea.lock.jsonl"))[0].active]


def _id_of(level: str) -> str:
    from tck_spec.lock.file import read_lock  # noqa: PLC0415 -- after the lock is written

    return next(one.id for one in read_lock(Path("tea.lock.jsonl"))[0].active if one.level == level)


def test_requirements_without_ids_can_be_covered_by_nothing(found: Found) -> None:
    Path("tea.md").write_text(PROSE, encoding="utf-8")
    _scenario("smoke")
    assert found() == [("COV001", "I", "tea.md", 9)]


def test_ids_of_the_document_count(found: Found) -> None:
    Path("tea.md").write_text(MARKED, encoding="utf-8")
    _scenario("requirement-1.1.1", "Requirement-1.1.7")
    assert found() == [("COV001", "I", "tea.md", 7), ("COV002", "E", "tea.feature", 3)]


def test_minted_ids_count_as_soon_as_there_is_a_lock(found: Found) -> None:
    Path("tea.md").write_text(PROSE, encoding="utf-8")
    _scenario("smoke")
    _lock()
    assert found() == [("COV001", "E", "tea.md", 9), ("COV001", "I", "tea.md", 13)]
    _scenario(*(one.lower() for one in _ids()))
    assert found() == []


def test_a_tag_that_misses_an_id_by_a_letter_is_an_orphan(found: Found) -> None:
    Path("tea.md").write_text(PROSE, encoding="utf-8")
    _scenario("smoke")
    _lock()
    must, may = _id_of("MUST").lower(), _id_of("MAY").lower()
    _scenario(must, may, f"{must[:-1]}{'1' if must[-1] != '1' else '2'}")
    assert found() == [("COV002", "E", "tea.feature", 3)]


@pytest.mark.parametrize(("where", "severity"), [("", "W"), ("true", "E")])
def test_a_scenario_for_an_earlier_text_is_suspect_until_somebody_accepts_it(
    found: Found, monkeypatch: pytest.MonkeyPatch, where: str, severity: str
) -> None:
    Path("tea.md").write_text(PROSE, encoding="utf-8")
    _scenario("smoke")
    _lock()
    must, may = _id_of("MUST"), _id_of("MAY")
    _scenario(must.lower(), may.lower())
    _lock("--update")
    assert found() == []
    Path("tea.md").write_text(PROSE.replace("warm the pot before", "warm the pot well before"), encoding="utf-8")
    if where:
        monkeypatch.setenv("CI", where)
    assert found() == [("COV003", severity, "tea.feature", 3)]
    _lock("--update")
    assert found() == [("COV003", severity, "tea.feature", 3)]
    cli.main(["accept", must, "--file", "tea.md", "--features", "features"], standalone_mode=False)
    assert found() == []


def test_a_file_of_scenarios_that_cannot_be_read_is_a_finding(found: Found) -> None:
    Path("tea.md").write_text(PROSE, encoding="utf-8")
    Path("features/tea.feature").write_text("Feature: a\n  Scenario: b\n    Then c\nFeature: d\n", encoding="utf-8")
    assert ("SCN001", "E", "tea.feature", 4) in found()


def test_lower_case_requirements_count_where_the_settings_say_so(tmp_path: Path) -> None:
    document = tmp_path / "tea.md"
    document.write_text("# Tea\n\nThe cook must warm the pot.\n", encoding="utf-8")
    (tmp_path / "tea.feature").write_text("Feature: Tea\n  Scenario: a\n    Then b\n", encoding="utf-8")
    spec = load(document)
    assert list(covered(tmp_path, Settings(), [spec])) == []
    with_form = Settings(form=Form(lower_case=True))
    assert [one.line for one in covered(tmp_path, with_form, [spec])] == [3]


def test_a_tag_that_names_what_is_gone_says_so(found: Found) -> None:
    Path("tea.md").write_text(PROSE, encoding="utf-8")
    _scenario("smoke")
    _lock()
    must, may = _id_of("MUST").lower(), _id_of("MAY").lower()
    Path("tea.md").write_text(
        PROSE.replace("The cook MUST warm the pot before the leaves go in.\n", ""), encoding="utf-8"
    )
    _lock("--update")
    _scenario(must, may)
    assert found() == [("LCK003", "E", "tea.feature", 3)]


def test_ids_of_the_document_keep_their_form_beside_a_lock(found: Found) -> None:
    Path("tea.md").write_text(MARKED, encoding="utf-8")
    _scenario("requirement-1.1.1")
    _lock()
    assert found() == [("COV001", "I", "tea.md", 7)]

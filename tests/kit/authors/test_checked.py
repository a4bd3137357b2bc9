"""Checking files together: what an editor holds, what settings say, and in which order findings come."""

from __future__ import annotations

from pathlib import Path

import pytest

from tck_kit.authors.checked import check_files, graded, settings_for
from tck_kit.faults import UsageFault
from tck_spec.findings import Finding, Severity
from tck_spec.settings import Settings

TEA = "# Tea\n\n## 1 Pots\n\nSee section 9 and [cups](cups.md#small).\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "tea.md").write_text(TEA, encoding="utf-8")
    (tmp_path / "cups.md").write_text("# Cups\n\n## Small\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rules(*paths: str, overlay: dict[Path, str] | None = None) -> list[tuple[str | None, str]]:
    checked = check_files([Path(path) for path in paths], settings_for(None, Path.cwd()), overlay=overlay or {})
    return [(one.source, one.rule) for one in checked.findings]


def test_every_finding_names_its_file_as_it_was_named(folder: Path) -> None:
    assert rules("tea.md") == [("tea.md", "XREF001")]
    assert rules(str(folder / "tea.md")) == [(str(folder / "tea.md"), "XREF001")]


def test_the_text_of_an_editor_counts_in_place_of_the_files(folder: Path) -> None:
    assert rules("tea.md", overlay={folder / "tea.md": TEA.replace("section 9", "section 8 and section 9")}) == [
        ("tea.md", "XREF001"),
        ("tea.md", "XREF001"),
    ]


def test_the_text_of_an_editor_counts_for_what_links_to_it(folder: Path) -> None:
    assert rules("tea.md", overlay={folder / "cups.md": "# Cups\n\n## Large\n"}) == [
        ("tea.md", "XREF001"),
        ("tea.md", "ANC006"),
    ]


def test_a_file_that_only_an_editor_has_is_checked(folder: Path) -> None:
    assert rules("new.md", overlay={folder / "new.md": "# New\n\nSee section 9.\n"}) == [("new.md", "XREF001")]


def test_what_was_counted_is_what_was_found(folder: Path) -> None:
    checked = check_files([folder], settings_for(None, folder))
    assert checked.counts == {"E": 1, "W": 0, "I": 0}
    assert checked.sections == 4
    assert checked.files == (str(folder / "cups.md"), str(folder / "tea.md"))


def test_the_root_is_the_repository(folder: Path) -> None:
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    assert settings_for(None, deep).root == folder


def test_settings_are_the_nearest_and_their_mistakes_name_them(folder: Path) -> None:
    (folder / "session-tck.toml").write_text('[check]\nanchors = ["gitlab"]\n', encoding="utf-8")
    (folder / "a").mkdir()
    assert settings_for(None, folder / "a").anchors == ("gitlab",)
    (folder / "a" / "session-tck.toml").write_text('[check]\nanchors = ["gitlub"]\n', encoding="utf-8")
    with pytest.raises(UsageFault, match=r"a/session-tck\.toml\b.*gitlub"):
        settings_for(None, folder / "a")


@pytest.mark.parametrize(
    ("level", "before", "after"),
    [("E", "W", "W"), ("W", "E", "W"), ("W", "I", "I"), ("I", "E", "I"), (None, "E", None)],
)
def test_findings_beside_documents_have_the_severity_that_was_set(
    level: Severity | None, before: Severity, after: Severity | None
) -> None:
    settings = Settings(rules={"COV002": level})
    found = [Finding("COV002", before, 1, 1, "x", source="a.feature")]
    assert [one.severity for one in graded(found, settings)] == ([after] if after else [])


def test_a_rule_that_is_raised_raises_all_its_findings() -> None:
    found = [Finding("COV005", "I", 1, 1, "x", source="a.feature")]
    assert [one.severity for one in graded(found, Settings(rules={"COV005": "E"}))] == ["E"]

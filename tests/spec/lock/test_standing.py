"""Which lock belongs to which document."""

from __future__ import annotations

from pathlib import Path

import pytest

from tck_spec import parse
from tck_spec.lock.file import write_lock
from tck_spec.lock.standing import lock_path, source_of, standing_of
from tck_spec.rules import check
from tck_spec.settings import Settings
from tck_spec.statements import find_statements

from .documents import FORM, held

TEA = "# Tea\n\n## 1 Pots\n\nThe cook MUST warm the pot.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tea.md").write_text(TEA, encoding="utf-8")
    return tmp_path


def test_a_lock_beside_a_document_is_its_own(folder: Path) -> None:
    source = str(folder / "tea.md")
    assert lock_path(source, Settings()) is None
    write_lock(folder / "tea.lock.jsonl", held(None, TEA).lock)
    assert lock_path(source, Settings()) == folder / "tea.lock.jsonl"


def test_a_lock_of_the_settings_belongs_to_the_document_that_it_names(folder: Path) -> None:
    path = folder / "all.jsonl"
    settings = Settings(lock=path)
    write_lock(path, held(None, TEA).lock)
    assert lock_path(str(folder / "tea.md"), settings, only=False) == path
    assert lock_path(str(folder / "cups.md"), settings, only=False) is None
    assert lock_path(str(folder / "cups.md"), settings) is None


@pytest.mark.parametrize("text", [None, "", "no json", "[1]", '{"source":7}', "[" * 50_000])
def test_a_lock_that_nobody_can_read_belongs_to_the_first_document(text: str | None, folder: Path) -> None:
    path = folder / "all.jsonl"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    settings = Settings(lock=path)
    assert lock_path(str(folder / "tea.md"), settings) == path
    assert lock_path(str(folder / "tea.md"), settings, only=False) is None
    found = [one for one in check(parse(TEA, str(folder / "tea.md")), settings) if one.rule.startswith("LCK")]
    assert [one.rule for one in found] == ["LCK001" if text is None else "LCK002"]


def test_a_lock_names_its_document_from_its_own_folder() -> None:
    assert source_of(Path("docs/tea.md"), Path("docs/tea.lock.jsonl")) == "tea.md"
    assert source_of(Path("docs/tea.md"), Path("locks/tea.jsonl")) == "../docs/tea.md"


def test_a_source_that_is_no_path_has_no_lock() -> None:
    for source in ("", "\0", "a\nb", "x" * 5000, "<text>"):
        assert lock_path(source, Settings()) is None


def test_a_lock_that_was_written_again_is_read_again(folder: Path) -> None:
    spec = parse(TEA, str(folder / "tea.md"))
    path = folder / "tea.lock.jsonl"
    write_lock(path, held(None, TEA.replace("warm", "heat the inside of")).lock)
    first = standing_of(spec, find_statements(spec, FORM), Settings())
    write_lock(path, held(None, TEA).lock)
    second = standing_of(spec, find_statements(spec, FORM), Settings())
    assert first is not None
    assert second is not None
    assert first.update != second.update
    assert second.lock is not None
    assert second.lock.active[0].text == "The cook MUST warm the pot."

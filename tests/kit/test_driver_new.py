"""`session-tck driver new`: a whole skeleton into a new or empty folder, or nothing at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tck_kit import skeleton
from tck_kit.driver_commands import driver_group
from tck_kit.faults import UsageFault
from tck_kit.skeleton import LANGUAGES

from .needs import SOURCES


def _new(*arguments: str) -> Result:
    return CliRunner().invoke(driver_group, ["new", *arguments], standalone_mode=False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_writes_source_configuration_and_first_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = _new(language)

    names = {path.name for path in (tmp_path / f"driver-{language}").iterdir()}
    assert done.exception is None
    assert {SOURCES[language], "session-tck.toml", "README.md"} <= names
    assert all(name in done.output for name in names)
    assert [path.name for path in tmp_path.iterdir()] == [f"driver-{language}"]


def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    _new("python", str(tmp_path / "a" / "b"))

    assert os.access(tmp_path / "a" / "b" / "driver.py", os.X_OK)


def test_an_empty_folder_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino

    _new("go", ".")

    assert {path.name for path in tmp_path.iterdir()} == {"main.go", "go.mod", "session-tck.toml", "README.md"}
    assert tmp_path.stat().st_ino == before


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = _new("python", str(tmp_path))

    assert isinstance(done.exception, UsageFault)
    assert str(tmp_path) in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_in_the_way_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")

    for folder in ("file", "file/below"):
        assert isinstance(_new("node", str(tmp_path / folder)).exception, UsageFault), folder
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("there", [True, False], ids=["empty folder", "no folder"])
def test_what_cannot_be_written_as_a_whole_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    folder = tmp_path / "driver"
    if there:
        folder.mkdir()
    files = (*skeleton.files_of("php"), tmp_path / "missing")

    def with_one_that_is_missing(_language: str) -> tuple[Path, ...]:
        return files

    monkeypatch.setattr(skeleton, "files_of", with_one_that_is_missing)

    assert isinstance(_new("php", str(folder)).exception, UsageFault)
    assert list(tmp_path.rglob("*")) == ([folder] if there else [])

"""The list of requirements: of the kit, and of any Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tck_kit.command_line import cli
from tck_kit.faults import UsageFault

TEA = """\
# Tea

## 1 Pots

Before the tea is poured:

- the lid MUST be on;
- the leaves SHOULD have stood for three minutes.
"""


def _listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    cli.main(["requirements", *arguments], standalone_mode=False)
    return capsys.readouterr().out


def test_sentences_are_listed_with_place_and_lead_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "tea.md").write_text(TEA, encoding="utf-8")
    lines = _listed(capsys, str(tmp_path / "tea.md")).splitlines()
    assert " ".join(lines[1].split()) == "MUST §1 ¶2, line 7 Before the tea is poured: … the lid MUST be on;"
    assert lines[-1] == "2 of 2 requirements"


def test_json_has_every_field_and_levels_choose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tea.md").write_text(TEA, encoding="utf-8")
    (one,) = json.loads(_listed(capsys, str(tmp_path), "--level", "should", "--format", "json"))
    assert (one["level"], one["line"], one["column"], one["at"], one["id"]) == ("SHOULD", 8, 3, "§1 ¶3", None)
    assert (one["lead_in"], one["file"]) == ("Before the tea is poured:", str(tmp_path / "tea.md"))


def test_the_ids_are_those_of_the_lock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "tea.md"
    document.write_text(TEA, encoding="utf-8")
    cli.main(["lock", str(document)], standalone_mode=False)
    capsys.readouterr()
    locked = [json.loads(line) for line in (tmp_path / "tea.lock.jsonl").read_text(encoding="utf-8").splitlines()]
    ids = {one["level"]: one["id"] for one in locked if one.get("kind") == "req"}
    listed = json.loads(_listed(capsys, str(document), "--format", "json"))
    assert {one["level"]: one["id"] for one in listed} == ids


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.md"], "nowhere.md: there is no such file"),
        (["tea.md", "--area", "OFF"], "--area: files are named as well"),
        (["tea.md", "--specification", "x.md"], "--specification: files are named as well"),
        (["."], ".: there is no Markdown below this folder"),
    ],
)
def test_a_mistake_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageFault) as caught:
        cli.main(["requirements", *arguments], standalone_mode=False)
    assert str(caught.value).startswith(message)

"""Requirements in whatever form a document has them, and the ids that only a lock knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tck_kit.authors.language_server.completion import complete
from tck_kit.authors.language_server.definitions import occurrences
from tck_kit.authors.language_server.diagnostics import find
from tck_kit.authors.language_server.hover import hover
from tck_kit.authors.language_server.navigation import definition
from tck_kit.authors.lock_command import lock

from .rooms import FEATURE, Room

MARKED = """\
# Tea

The key words are those of RFC 2119.

## 1 Pots

#### Requirement 1.1

The host **MUST** warm the pot.

#### Requirement 1.2

The host **SHOULD** rinse the pot.
"""

PROSE = """\
# Tea

The key words are those of RFC 2119.

## 1 Pots

The host MUST warm the pot. The host SHOULD rinse it.
"""


def test_ids_in_another_form_are_requirements_as_well(tmp_path: Path) -> None:
    feature = FEATURE.replace("@pot-1 @slow", "@requirement-1.1 @requirement-1.3").replace("@pot-1", "@requirement-1.2")
    room = Room(tmp_path, {"tea.md": MARKED, "tea.feature": feature})
    room.write("session-tck.toml", '[check]\nfiles = ["tea.md"]\n')
    (found,) = find(room.workspace, room.key("tea.feature")).findings
    assert (found.rule, found.line, found.column, found.length) == ("COV002", 3, 20, len("@requirement-1.3"))
    (place,) = definition(room.workspace, room.key("tea.feature"), room.at("tea.feature", "@requirement-1.2"))
    assert place.target_range.start.line in (10, 12)
    said = hover(room.workspace, room.key("tea.feature"), room.at("tea.feature", "@requirement-1.2"))
    assert said is not None
    assert "SHOULD" in str(said.contents)
    offered = complete(room.workspace, room.key("tea.feature"), room.at("tea.feature", "@requirement-1.3", after=4))
    assert [one.label for one in offered.items] == ["@requirement-1.1", "@requirement-1.2"]


def test_ids_that_a_lock_has_made_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tea.md").write_text(PROSE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(lock, ["tea.md"], standalone_mode=False)
    assert done.exception is None, done.output
    room = Room(tmp_path, {"tea.md": PROSE})
    known = room.workspace.definitions(room.workspace.project(room.key("tea.md")))
    assert sorted(one.text for one in known.values()) == ["The host MUST warm the pot.", "The host SHOULD rinse it."]
    tag = next(tag for tag, one in known.items() if one.level == "MUST")
    room.open("tea.feature", FEATURE.replace("@pot-1 @slow", f"@{tag} @slow"))
    (place,) = definition(room.workspace, room.key("tea.feature"), room.at("tea.feature", f"@{tag}"))
    assert place.target_range.start.line == 6
    assert place.target_range.start.character == 0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A-1", 1),
        ("(A-1), A-1. A-1.\nA-1", 4),
        ("A-11 BA-1 A-1b A-1-2 A-1.2 _A-1 A-1_", 0),
        ("`A-1` [A-1](#a-1) <a id='a-1'> id = a-1 #a-1- #a-12", 5),
        ("a-1 x#a-1", 1),
    ],
)
def test_an_id_is_named_by_itself_and_by_its_anchor(text: str, count: int) -> None:
    assert sum(1 for _ in occurrences(text, "A-1", "a-1")) == count

"""Scenarios of anybody's feature files, by the requirements that their tags name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tck_kit.authors.tagged import read_tagged
from tck_kit.faults import UsageFault

FEATURE = """\
@kitchen
Feature: Tea

  @POT-1
  Scenario: Warm pot
    Then it is warm

  @pot-2 @wip
  Scenario: Warm cup
    Then it is warm

  @pot-3
  Scenario: Nothing yet

  Rule: Milk
    @pot-4
    Scenario Outline: Milk first
      Then <who> is happy

      @pot-5
      Examples:
        | who   |
        | Alice |
        | Bob   |
"""


def _written(folder: Path, text: str, name: str = "tea.feature") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_tags_of_scenarios_rows_and_features_are_found_once_each(tmp_path: Path) -> None:
    found = read_tagged(_written(tmp_path, FEATURE))
    shown = {name: [(one.scenario, one.line, one.idle) for one in tags] for name, tags in found.tags.items()}
    assert shown.pop("KITCHEN") == [
        ("Warm pot", 5, ""),
        ("Warm cup", 9, "is tagged @wip"),
        ("Nothing yet", 13, "has no steps"),
        ("Milk first", 17, ""),
    ]
    assert shown == {
        "POT-1": [("Warm pot", 5, "")],
        "POT-2": [("Warm cup", 9, "is tagged @wip")],
        "WIP": [("Warm cup", 9, "is tagged @wip")],
        "POT-3": [("Nothing yet", 13, "has no steps")],
        "POT-4": [("Milk first", 17, "")],
        "POT-5": [("Milk first", 17, "")],
    }


ROWS = """\
Feature: Tea
  @pot-1
  Scenario Outline: Some rows run
    Then <who> is happy

    @skip @pot-2
    Examples:
      | who   |
      | Alice |

    @pot-3
    Examples:
      | who |
      | Bob |

  @pot-4
  Scenario Outline: No rows run
    Then <who> is happy

    @wip
    Examples:
      | who   |
      | Alice |

  @pot-5
  Scenario Outline: No rows
    Then <who> is happy

    @pot-6
    Examples:
      | who |
"""


@pytest.mark.parametrize("quickly", [False, True])
def test_rows_that_never_run_leave_the_others_alone(tmp_path: Path, quickly: bool) -> None:  # noqa: FBT001 -- a pair
    found = read_tagged(_written(tmp_path, ROWS), quickly=quickly)
    assert {name: one.idle for name, (one,) in found.tags.items()} == {
        "POT-1": "",
        "SKIP": "is tagged @skip",
        "POT-2": "is tagged @skip",
        "POT-3": "",
        "POT-4": "is tagged @wip",
        "WIP": "is tagged @wip",
        "POT-5": "has no rows",
    }


def test_only_tags_that_were_meant_as_ids_count(tmp_path: Path) -> None:
    found = read_tagged(_written(tmp_path, FEATURE.replace("@pot-3", "@pot-33")))
    assert set(found.meant({"POT-1", "POT-2"})) == {"POT-1", "POT-2", "POT-33", "POT-4", "POT-5"}


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    _written(tmp_path, "Feature: x\n  Scenario: a\n    Then b\nFeature: c\n", "broken.feature")
    (tmp_path / "latin.feature").write_bytes(b"Feature: caf\xe9\n")
    found = read_tagged(_written(tmp_path, FEATURE))
    assert "POT-1" in found.tags
    assert sorted(Path(fault.place.partition(":")[0]).name for fault in found.faults) == [
        "broken.feature",
        "latin.feature",
    ]


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_no_folder_and_no_feature_are_a_users_mistake(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageFault, match=r"give a folder that holds"):
        read_tagged(tmp_path / name)

from __future__ import annotations

from pathlib import Path

import pytest

from tck_features.library import LIBRARY
from tck_kit import assets
from tck_kit.families import GRADED_PROFILES
from tck_kit.scenarios import read_suite, trimmed, write_suite
from tck_spec import load

GOOD = """\
Feature: Good

  @name-1
  Scenario: One thing
    Given an issue served by codex
    When a development run of the issue is due
    Then no branch has been pushed
"""

#: What a feature file says, and what must be found wrong with it: place and words.
FAULTY: dict[str, tuple[str, str, str]] = {
    "a description that looks like a step": (
        GOOD.replace("    Then no branch has been pushed\n", "").replace(
            "  Scenario: One thing\n", "  Scenario: One thing\n    Then: no branch has been pushed\n\n"
        ),
        "x.feature:4",
        "has no Then",
    ),
    "no steps": ("Feature: F\n\n  @name-1\n  Scenario: Empty\n", "x.feature:4", "has no steps"),
    "no When": (GOOD.replace("    When a development run of the issue is due\n", ""), "x.feature:4", "has no When"),
    "a When after the Then": (
        GOOD + "    When a ci_fix run of the issue is due\n    Then no branch has been pushed\n",
        "x.feature:4",
        "in this order",
    ),
    "a name that stands twice": (
        GOOD + "\n" + GOOD.partition("\n\n")[2],
        "x.feature:10",
        "the name 'One thing' stands twice",
    ),
    "an outline without Examples": (
        GOOD.replace("Scenario:", "Scenario Outline:").replace("codex", "<adapter>"),
        "x.feature:4",
        "has no Examples",
    ),
    "Examples without rows": (
        GOOD.replace("Scenario:", "Scenario Outline:").replace("codex", "<adapter>")
        + "\n    Examples:\n      | adapter |\n",
        "x.feature:9",
        "have no rows",
    ),
    "a row that stands twice": (
        GOOD.replace("Scenario:", "Scenario Outline:").replace("codex", "<adapter>")
        + "\n    Examples:\n      | adapter |\n      | codex |\n      | codex |\n",
        "x.feature:11",
        "this row stands twice",
    ),
    "an unknown tag": (GOOD.replace("@name-1", "@name-99"), "x.feature:4", "@name-99 names no requirement"),
    "no tag": (GOOD.replace("  @name-1\n", ""), "x.feature:3", "names no requirement in a tag"),
    "a tag on the feature": ("@name-1\n" + GOOD, "x.feature:2", "a tag stands on the feature"),
    "a sentence without a step": (
        GOOD.replace("no branch has been pushed", "everybody is happy"),
        "x.feature:7",
        "no step is defined for: Then everybody is happy",
    ),
    "no feature at all": ("# nothing but a comment\n", "x.feature:1", "no feature"),
    "a feature without a scenario": ("Feature: F\n  Scenario without a colon\n", "x.feature:1", "no scenario in this"),
    "broken Gherkin": (GOOD + "  and what is this\n", "x.feature:8", "expected"),
}


@pytest.mark.parametrize("case", FAULTY)
def test_what_could_let_a_scenario_prove_nothing_is_found_with_its_place(tmp_path: Path, case: str) -> None:
    text, place, words = FAULTY[case]
    (tmp_path / "x.feature").write_text(text, encoding="utf-8")

    faults = read_suite(tmp_path, {"name-1"}).faults

    assert any(fault.place == place and words in fault.message for fault in faults), [str(fault) for fault in faults]


def test_a_good_scenario_has_no_faults(tmp_path: Path) -> None:
    (tmp_path / "x.feature").write_text(GOOD, encoding="utf-8")

    suite = read_suite(tmp_path, {"name-1"})

    assert suite.faults == ()
    assert [scenario.requirements for scenario in suite.scenarios] == [("NAME-1",)]


def test_a_file_that_is_no_text_is_one_fault_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.feature").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "b.feature").write_text(GOOD, encoding="utf-8")

    suite = read_suite(tmp_path, {"name-1"})

    assert [str(fault) for fault in suite.faults] == ["a.feature: the file is not UTF-8 text"]
    assert len(suite.scenarios) == 1


def test_a_row_is_named_after_its_values_and_found_by_its_line(tmp_path: Path) -> None:
    text = GOOD.replace("Scenario:", "Scenario Outline:").replace("codex", "<adapter>")
    (tmp_path / "x.feature").write_text(
        text + "\n    Examples:\n      | adapter |\n      | copilot |\n", encoding="utf-8"
    )

    (scenario,) = read_suite(tmp_path, {"name-1"}).scenarios

    assert scenario.id == "x.feature::One thing[copilot]"
    assert scenario.place == "x.feature:11"
    assert scenario.steps[0].text == "an issue served by copilot"


def test_the_kits_own_scenarios_have_no_faults_and_cover_every_graded_requirement() -> None:
    specification = load(assets.specification_file())
    suite = read_suite(assets.scenario_folder(), {one.id.lower() for one in specification.requirements})

    assert [str(fault) for fault in suite.faults] == []
    covered = {requirement for scenario in suite.scenarios for requirement in scenario.requirements}
    graded = {one.id for one in specification.requirements if one.profile in GRADED_PROFILES}
    assert graded - covered == set()


def test_every_step_is_used_by_some_scenario() -> None:
    suite = read_suite(assets.scenario_folder(), ())
    steps = [step for one in suite.scenarios for step in one.steps]
    used = {call.definition.origin for step in steps for call in LIBRARY.calls(step.kind, step.text)}

    # The sentences of histories are for scenarios that nobody wrote; that each can be said is tested with the wording.
    written = [one for one in LIBRARY.definitions if "history" not in Path(one.origin).name]
    unused = {f"{one.kind} {one.source}" for one in written if one.origin not in used}

    assert unused == set()


OUTLINE = """\
Feature: Outlines

  @name-1
  Scenario Outline: One thing
    Given an issue served by <adapter>
    When a development run of the issue is due
    Then no branch has been pushed

    Examples:
      | adapter |
      | codex   |

    @name-2
    Examples: more combinations
      | adapter |
      | copilot |

      | opencode |

  @name-1
  Scenario: Another thing
    Given an issue served by codex
    When a development run of the issue is due
    Then no branch has been pushed
"""


def test_more_combinations_are_left_out_with_their_tags_and_no_line_moves() -> None:
    text, left_out = trimmed(OUTLINE)

    assert left_out == 2
    assert "copilot" not in text
    assert "opencode" not in text
    assert "@name-2" not in text
    assert [number for number, line in enumerate(text.split("\n")) if "Another thing" in line] == [
        number for number, line in enumerate(OUTLINE.split("\n")) if "Another thing" in line
    ]
    assert trimmed(text) == (text, 0)


def test_a_suite_says_how_many_rows_were_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.feature").write_text(OUTLINE, encoding="utf-8")

    assert len(read_suite(tmp_path, {"name-1", "name-2"}).scenarios) == 4
    quick = read_suite(tmp_path, {"name-1", "name-2"}, thorough=False)
    assert [scenario.name for scenario in quick.scenarios] == ["One thing[codex]", "Another thing"]
    assert quick.left_out == 2


def test_what_workers_read_is_what_was_read_before(tmp_path: Path) -> None:
    (tmp_path / "source" / "area").mkdir(parents=True)
    (tmp_path / "source" / "area" / "x.feature").write_text(OUTLINE, encoding="utf-8")

    write_suite(tmp_path / "source", tmp_path / "target", thorough=False)

    first = read_suite(tmp_path / "source", {"name-1", "name-2"}, thorough=False)
    second = read_suite(tmp_path / "target", {"name-1", "name-2"})
    assert first.scenarios == second.scenarios

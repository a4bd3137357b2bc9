from __future__ import annotations

from pathlib import Path

import pytest

from tck_kit.catalogue import Catalogue, quick, read_catalogue, refuse_faults, select
from tck_kit.families import COURSES, FAMILIES, GRADED_PROFILES, MAILBOXES, Family, family_of, profiles_asked
from tck_kit.faults import UsageFault
from tck_kit.scenarios import LABELS, read_suite
from tck_spec.requirements import STATUSES

SPECIFICATION = """\
# Of two kinds

Version: 0.1.0
Identifier: kinds

## 1 Behaviour

- <a id="name-1"></a>**NAME-1** (agreed): The engine MUST name the session after the branch.
- <a id="continuity-1"></a>**CONTINUITY-1** (continuity): The engine MUST begin fresh.
- <a id="reuse-1"></a>**REUSE-1** (reuse): The engine MUST forget what failed.
"""
STEPS = "    Given an issue served by codex\n    When a development run is due\n    Then no branch has been pushed\n"


def _scenario(name: str, *tags: str) -> str:
    return f"  {' '.join(f'@{tag}' for tag in tags)}\n  Scenario: {name}\n{STEPS}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "specification.md").write_text(SPECIFICATION, encoding="utf-8")
    (tmp_path / "features").mkdir()
    texts = {
        "mailboxes": _scenario("It is named", "name-1"),
        "courses": _scenario("It begins", "continuity-1", "quick") + _scenario("It forgets", "reuse-1", "continuity-1"),
    }
    for name, text in texts.items():
        (tmp_path / "features" / f"{name}.feature").write_text(f"Feature: {name}\n\n{text}", encoding="utf-8")
    return tmp_path


def _read(folder: Path, family: Family | None) -> Catalogue:
    return read_catalogue(folder / "specification.md", folder / "features", sentences=False, family=family)


def test_every_profile_of_the_specification_is_of_one_family() -> None:
    assert set(GRADED_PROFILES) == set(STATUSES.values())
    assert [sum(family.holds(profile) for family in FAMILIES) for profile in GRADED_PROFILES] == [1, 1, 1, 1, 1]
    assert all(family_of(profile).holds(profile) for profile in GRADED_PROFILES)


def test_what_is_asked_for_is_each_profile_once_in_the_order_of_the_specification() -> None:
    assert profiles_asked(["all", "core"]) == ("core", "hardened")
    assert profiles_asked(["redelegation", "continuity", "redelegation"]) == ("continuity", "redelegation")
    assert profiles_asked([]) == ()


@pytest.mark.parametrize("choices", [("core", "reuse"), ("all", "continuity"), ("redelegation", "hardened")])
def test_no_run_is_of_two_families(choices: tuple[str, ...]) -> None:
    with pytest.raises(UsageFault, match="by mailboxes and by courses at once"):
        profiles_asked(choices)


@pytest.mark.parametrize(
    ("family", "entries", "scenarios"),
    [
        (MAILBOXES, ["NAME-1"], ["It is named"]),
        (COURSES, ["CONTINUITY-1", "REUSE-1"], ["It begins", "It forgets"]),
        (None, ["NAME-1", "CONTINUITY-1", "REUSE-1"], ["It begins", "It forgets", "It is named"]),
    ],
    ids=["mailboxes", "courses", "both"],
)
def test_a_catalogue_holds_what_is_of_its_family_alone(
    folder: Path, family: Family | None, entries: list[str], scenarios: list[str]
) -> None:
    catalogue = _read(folder, family)

    assert [entry.id for entry in catalogue.entries] == entries
    assert [scenario.name for scenario in catalogue.suite.scenarios] == scenarios
    assert catalogue.suite.faults == ()


def test_a_scenario_of_several_profiles_is_run_for_each_of_them(folder: Path) -> None:
    catalogue = _read(folder, COURSES)

    assert [one.name for one in select(catalogue, ("reuse",), (), ()).scenarios] == ["It forgets"]
    assert len(select(catalogue, ("continuity",), (), ()).scenarios) == 2
    assert select(catalogue, "all", (), ()).profiles == COURSES.profiles


def test_a_requirement_of_the_other_family_is_said_to_be_of_its_profile(folder: Path) -> None:
    with pytest.raises(UsageFault, match="NAME-1: it is of the profile core; use --profile core"):
        select(_read(folder, COURSES), "all", (), ("name-1",))
    with pytest.raises(UsageFault, match="REUSE-1: it is of the profile reuse; use --profile reuse"):
        select(_read(folder, MAILBOXES), "all", ("reuse",), ())


def test_a_file_of_two_families_is_a_fault_in_each(folder: Path) -> None:
    both = folder / "features" / "both.feature"
    both.write_text(f"Feature: B\n\n{_scenario('One', 'name-1')}{_scenario('Two', 'reuse-1')}", encoding="utf-8")

    for family in (MAILBOXES, COURSES, None):
        (fault,) = _read(folder, family).suite.faults
        assert (fault.place, "put them in two files" in fault.message) == ("both.feature:10", True)


def test_without_scenarios_or_requirements_of_a_family_that_family_is_named(folder: Path) -> None:
    (folder / "features" / "courses.feature").unlink()
    with pytest.raises(UsageFault, match="there is no scenario of continuity, reuse, redelegation below this folder"):
        refuse_faults(_read(folder, COURSES), own=False)
    (folder / "specification.md").write_text(SPECIFICATION.partition("- <a")[0] + "Nothing.\n", encoding="utf-8")
    with pytest.raises(UsageFault, match="no requirement of status agreed or proposed"):
        refuse_faults(_read(folder, MAILBOXES), own=False)


def test_a_label_is_no_tag_and_names_no_requirement(folder: Path) -> None:
    first, second = _read(folder, COURSES).suite.scenarios

    assert (first.tags, first.labels) == (("continuity-1",), LABELS)
    assert second.labels == frozenset()


def test_a_requirement_of_the_name_of_a_label_is_a_requirement(tmp_path: Path) -> None:
    (tmp_path / "x.feature").write_text(f"Feature: X\n\n{_scenario('One', 'quick')}", encoding="utf-8")

    (scenario,) = read_suite(tmp_path, {"quick"}, None).scenarios

    assert (scenario.tags, scenario.labels) == (("quick",), frozenset())


def test_a_quick_selection_is_of_labelled_scenarios_and_never_the_whole(folder: Path) -> None:
    catalogue = _read(folder, COURSES)
    chosen = quick(catalogue, select(catalogue, "all", (), ()))

    assert [one.name for one in chosen.scenarios] == ["It begins"]
    assert chosen.only == frozenset({"CONTINUITY-1"})
    assert chosen.unasked == {"courses.feature::It forgets"}


def test_a_quick_selection_of_nothing_is_refused(folder: Path) -> None:
    catalogue = _read(folder, COURSES)
    with pytest.raises(UsageFault, match="nothing of what is selected is labelled quick"):
        quick(catalogue, select(catalogue, ("reuse",), (), ("reuse-1",)))

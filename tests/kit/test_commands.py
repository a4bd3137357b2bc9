from __future__ import annotations

import json
from pathlib import Path

from .conftest import SPECIFICATION, Command


def test_requirements_are_listed_as_a_table(small: Path, command: Command) -> None:
    done = command("requirements", "--specification", "specification.md", cwd=small)

    assert done.returncode == 0
    assert "NAME-1" in done.stdout
    assert "§1" in done.stdout
    assert "3 of 3 requirements" in done.stdout


def test_requirements_are_filtered_by_area_level_and_status(command: Command, small: Path) -> None:
    done = command(
        "requirements",
        "--specification",
        "specification.md",
        "--status",
        "Proposed",
        "--level",
        "must",
        "--format",
        "json",
        cwd=small,
    )

    (one,) = json.loads(done.stdout)
    assert one["id"] == "ISOLATE-11"
    assert one["profile"] == "hardened"
    assert (one["line"], one["anchor"], one["section"]) == (10, "isolate-11", "1")


def test_the_kits_own_specification_lists_all_requirements(command: Command) -> None:
    done = command("requirements", "--format", "json")

    statuses = [one["status"] for one in json.loads(done.stdout)]
    assert statuses.count("agreed") == 62
    assert statuses.count("proposed") == 34


def test_check_is_clean_on_the_kits_own_specification_and_scenarios(command: Command) -> None:
    done = command("check")

    assert done.returncode == 0, done.stdout
    assert "0 errors, 0 warnings" in done.stdout


def test_check_finds_a_dead_reference_with_its_place(command: Command, small: Path) -> None:
    (small / "specification.md").write_text(SPECIFICATION + "\nSee §9.9 and [there](#nowhere).\n", encoding="utf-8")

    done = command("check", "--specification", "specification.md", cwd=small)

    assert done.returncode == 1
    assert "specification.md:12:5: error XREF001" in done.stdout
    assert "specification.md:12:" in done.stdout
    assert "error ANC001" in done.stdout


def test_check_finds_requirements_without_a_scenario_and_tags_without_a_requirement(
    on_small: Command, small: Path
) -> None:
    text = SPECIFICATION.replace("RESUME-2", "RESUME-3").replace("resume-2", "resume-3")
    (small / "specification.md").write_text(text, encoding="utf-8")

    done = on_small("check", "--format", "json")

    rules = {(one["rule"], one.get("file", "")) for one in json.loads(done.stdout)["findings"]}
    assert done.returncode == 1
    assert ("COV001", "specification.md") in {(rule, Path(file).name) for rule, file in rules}
    assert ("COV002", "small.feature") in {(rule, Path(file).name) for rule, file in rules}


def test_the_version_is_the_packages(command: Command) -> None:
    done = command("--version")

    assert done.stdout.startswith("session-tck, version ")
    assert done.returncode == 0

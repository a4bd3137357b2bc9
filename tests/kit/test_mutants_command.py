"""`session-tck mutants` as its users start it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tck_fakes.faults import FAULTS
from tck_kit.catalogue import read_catalogue

from .conftest import SPECIFICATION, Command

#: A scenario of NAME-8 that looks at nothing that a fault of it could change.
WEAK = """\
Feature: A weak suite

  @name-8
  Scenario: Something was run
    Given issue 7 served by codex, titled "Mend the door"
    When a development run of the issue is due
    Then the last run has succeeded
"""


def _faults(*requirements: str) -> list[str]:
    return sorted(one.name for one in FAULTS.values() if one.requirement in requirements)


def test_the_faults_of_a_requirement_are_hunted_and_counted(command: Command, tmp_path: Path) -> None:
    names = _faults("NAME-8")

    done = command("mutants", "--requirement", "name-8", "--report-dir", "report")

    assert done.returncode == 0, done.stdout + done.stderr
    counts = f"{len(names)} of {len(names)} faults killed by scenarios of their own requirement"
    assert done.stdout.splitlines()[-2:] == [
        f"{counts}; 1 of 1 requirements shown able to fail",
        "Report: report/kill-matrix.md",
    ]
    assert f"{len(names)} of {len(names)} faults, 0 not killed" in done.stderr
    made = json.loads((tmp_path / "report" / "kill-matrix.json").read_text(encoding="utf-8"))
    assert sorted(one["name"] for one in made["faults"]) == names
    assert (made["narrowed"], made["breadth"], made["seed"], made["exit_code"]) == (True, "first", 1, 0)
    page = (tmp_path / "report" / "kill-matrix.md").read_text(encoding="utf-8")
    assert [name for name in names if f"| NAME-8 | {name} |" not in page] == []
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == ["kill-matrix.json", "kill-matrix.md"]


def test_a_suite_that_looks_at_nothing_lets_every_fault_survive(command: Command, tmp_path: Path) -> None:
    (tmp_path / "weak.feature").write_text(WEAK, encoding="utf-8")
    names = _faults("NAME-8")

    done = command("mutants", "--requirement", "NAME-8", "--features", str(tmp_path))

    assert done.returncode == 1, done.stderr
    assert [name for name in names if f"SURVIVED {name} " not in done.stdout] == []
    assert f"0 of {len(names)} faults killed" in done.stdout
    assert "0 of 1 requirements shown able to fail" in done.stdout


def test_a_requirement_that_no_fault_breaks_is_vacuous(command: Command, tmp_path: Path) -> None:
    text = SPECIFICATION + '- <a id="name-99"></a>**NAME-99** (agreed): The engine MUST be kind.\n'
    (tmp_path / "specification.md").write_text(text, encoding="utf-8")
    feature = WEAK.replace("@name-8", "@name-99 @name-1 @resume-2 @isolate-11")
    (tmp_path / "weak.feature").write_text(feature, encoding="utf-8")

    done = command("mutants", "--specification", "specification.md", "--features", ".")

    assert done.returncode == 1, done.stderr
    assert "VACUOUS NAME-99  no fault breaks it" in done.stdout


def test_a_hunt_of_single_faults_judges_no_requirement(command: Command) -> None:
    name = _faults("NAME-8")[0]

    done = command("mutants", "--fault", name, "--workers", "1")

    assert done.returncode == 0, done.stderr
    assert f"killed {name}  by naming/" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 of 1 faults killed by scenarios of their own requirement"


def test_in_full_and_with_pairs_a_hunt_is_the_same_each_time(command: Command, tmp_path: Path) -> None:
    (tmp_path / "few.feature").write_text(
        (Path(__file__).parents[2] / "features" / "scenarios" / "naming" / "slugs.feature").read_text("utf-8"), "utf-8"
    )
    given = ("mutants", "--requirement", "NAME-8", "--features", str(tmp_path), "--full", "--pairs", "4")

    one = command(*given, "--workers", "1", "--report-dir", "one")
    other = command(*given, "--workers", "3", "--report-dir", "other")

    assert "4 of 4 pairs of faults killed" in one.stdout, one.stdout + one.stderr
    assert one.returncode == other.returncode
    for name in ("kill-matrix.md", "kill-matrix.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    assert "## Two at once" in (tmp_path / "one" / "kill-matrix.md").read_text("utf-8")


#: Scenarios of which one kills no fault of its own requirement, and one no fault at all.
FEW = """\
Feature: A few scenarios

  @name-1
  Scenario: Named
    Given issue 7 served by codex, titled "Mend the door"
    When a development run of the issue is due
    Then the name of the issue is "agent/issue-7-mend-the-door"

  @record-1
  Scenario: Named by luck
    Given issue 7 served by codex, titled "Mend the door"
    When a development run of the issue is due
    Then the name of the issue is "agent/issue-7-mend-the-door"

  @name-8
  Scenario: Nothing happened
    Given issue 7 served by codex, titled "Mend the door"
    When 2 minutes pass
    Then no container was started
"""


def test_for_the_matrix_what_kills_nothing_of_its_own_meets_the_faults_of_others(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "few.feature").write_text(FEW, encoding="utf-8")
    given = ("mutants", "--features", str(tmp_path), "--matrix")

    one = command(*given, "--workers", "1", "--report-dir", "one")
    other = command(*given, "--workers", "3", "--report-dir", "other")

    assert "scenarios killed nothing so far: they meet" in one.stderr
    for name in ("kill-matrix.md", "kill-matrix.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    assert one.returncode == other.returncode == 1
    made = json.loads((tmp_path / "one" / "kill-matrix.json").read_text("utf-8"))
    stray = {row["id"].rpartition("::")[2]: row["stray_kill"] for row in made["scenarios"]}
    assert stray["Named"] is None
    assert stray["Named by luck"] in FAULTS
    assert "idle few.feature::Nothing happened  kills no fault" in one.stdout


def test_a_hunt_that_is_out_of_time_says_so(command: Command, tmp_path: Path) -> None:
    done = command("mutants", "--full", "--time-limit", "1", "--report-dir", "report")

    assert done.returncode == 3, done.stdout
    assert "incomplete the time limit was reached" in done.stdout
    assert json.loads((tmp_path / "report" / "kill-matrix.json").read_text("utf-8"))["cut_short"]


def test_the_list_has_every_fault_in_the_order_of_the_requirements(command: Command) -> None:
    table = command("mutants", "--list")
    rows = json.loads(command("mutants", "--list", "--format", "json").stdout)

    assert table.returncode == 0, table.stderr
    assert [name for name in FAULTS if f"\n{name} " not in table.stdout] == []
    assert f"{len(FAULTS)} faults" in table.stdout
    assert {row["name"]: (row["requirement"], row["kind"], row["sin"]) for row in rows} == {
        one.name: (one.requirement, one.kind.value, one.sin) for one in FAULTS.values()
    }
    whole = read_catalogue(None, None, thorough=False, sentences=False, family=None)
    order = [entry.id for entry in whole.entries]
    places = [order.index(row["requirement"]) for row in rows]
    assert places == sorted(places)


WRONG = [
    (("--fault", "slug-of-6"), "slug-of-6: there is no fault of this name; did you mean slug-of-60?"),
    (("--fault", "zzz"), "zzz: there is no fault of this name; `session-tck mutants --list` shows all"),
    (("--requirement", "NAME-99"), "NAME-99: the specification has no such requirement; did you mean NAME-9?"),
    (("--area", "NAMES"), "NAMES: the specification has no such area; did you mean NAME?"),
    (("--fault", "slug-of-60", "--area", "CLEAN"), "slug-of-60, CLEAN: no fault is left; ask for more"),
    (("--format", "json"), "--format json: it says how to list faults; add --list, or leave it out"),
    (("--matrix", "--full"), "--matrix with --full: a full hunt has the matrix in it; leave one of them out"),
    (("--features", "nowhere"), "nowhere: there is no such folder; give a folder that holds .feature files"),
    (("--workers", "0"), "0 is not in the range 1<=x<=64"),
]


@pytest.mark.parametrize(
    ("given", "message"), WRONG, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_what_cannot_be_meant_is_one_clear_error(given: tuple[str, ...], message: str, command: Command) -> None:
    done = command("mutants", *given)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""

"""`session-tck lock`, `accept` and `drift`: what they say, what they write, and with which code they end."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tck_kit.authors import revisions
from tck_kit.authors.accept_command import accept
from tck_kit.authors.drift_command import drift
from tck_kit.authors.lock_command import lock
from tck_kit.authors.revisions import Repository
from tck_kit.authors.tagged import read_tagged
from tck_kit.faults import UsageFault

POT = "The cook MUST warm the pot with water from the kettle."
HEAT = "The cook MUST heat the pot with water from the kettle."
STOVE = "The cook MUST heat the pot on the stove with water."
SONG = "Every guest MAY sing until the lamps are out."
FEATURE = """Feature: Tea

  @smoke @{tag}
  Scenario: Warm
    Given a pot
    When it is warmed
    Then it is warm
"""
Run = Callable[..., tuple[int, str]]


def tea(*statements: str) -> str:
    return "# Tea\n\n## 1 Pots\n" + "".join(f"\n{one}\n" for one in statements)


def own(*requirements: tuple[int, str]) -> str:
    items = (f'- <a id="pot-{number}"></a>**POT-{number}** (agreed): {text}\n' for number, text in requirements)
    return "# Tea\n\n## 1 Pots\n\n" + "".join(items)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder of its own, where nothing above has settings."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")

    def call(command: click.Command, *arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(command, list(arguments), standalone_mode=False)
        if isinstance(result.exception, UsageFault | click.ClickException):
            return 2, str(result.exception)
        if result.exception is not None:
            raise result.exception
        return int(result.return_value or 0), result.output

    return call


def ids(name: str = "tea.lock.jsonl") -> dict[str, str]:
    records = [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]
    return {one["text"]: one["id"] for one in records if one.get("state") == "active"}


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def test_a_first_lock_is_written_beside_the_document(run: Run) -> None:
    write("docs/tea.md", tea(POT, SONG))
    code, said = run(lock, "docs/tea.md")
    assert (code, said) == (0, "docs/tea.lock.jsonl: written, 2 requirements in 2 sections, 0 links\n")
    assert set(ids("docs/tea.lock.jsonl")) == {POT, SONG}
    assert run(lock, "docs/tea.md", "--check")[0] == 0
    assert "unchanged" in run(lock, "docs/tea.md")[1]


def test_an_update_never_writes_a_first_lock_and_a_check_writes_none(run: Run) -> None:
    write("tea.md", tea(POT))
    for option in ("--update", "--check"):
        code, said = run(lock, "tea.md", option)
        assert code == 2
        assert "there is no such file" in said
    assert not Path("tea.lock.jsonl").exists()


def test_a_check_says_what_has_changed_and_writes_nothing(run: Run) -> None:
    write("tea.md", tea(POT, SONG))
    run(lock, "tea.md")
    before = Path("tea.lock.jsonl").read_bytes()
    write("tea.md", tea(HEAT))
    code, said = run(lock, "tea.md", "--check")
    assert code == 1
    assert said.splitlines()[0].startswith("tea.md:5:1: edited TEA-")
    assert said.splitlines()[-1].startswith("tea.lock.jsonl: out of date: 1 gone, 1 edited;")
    assert Path("tea.lock.jsonl").read_bytes() == before
    assert run(lock, "tea.md")[0] == 0
    assert run(lock, "tea.md", "--check")[0] == 0


def test_the_lock_of_the_settings_is_used(run: Run) -> None:
    write("tea.md", tea(POT))
    write(
        "session-tck.toml", '[check]\nfiles = ["tea.md"]\nlock = "locks/all.jsonl"\n[requirements]\ndocument = "cup"\n'
    )
    Path("locks").mkdir()
    code, said = run(lock)
    assert (code, said.split(":")[0]) == (0, "locks/all.jsonl")
    assert ids("locks/all.jsonl")[POT].startswith("CUP-")
    assert json.loads(Path("locks/all.jsonl").read_text(encoding="utf-8").splitlines()[0])["source"] == "../tea.md"


def test_one_of_several_documents_has_to_be_named(run: Run) -> None:
    write("session-tck.toml", '[check]\nfiles = ["tea.md", "cups.md"]\n')
    code, said = run(lock)
    assert code == 2
    assert "name one of them" in said


def test_several_documents_are_checked_at_once(run: Run) -> None:
    write("tea.md", tea(POT))
    write("cups.md", tea(SONG))
    code, said = run(lock, "tea.md", "cups.md")
    assert (code, said.count("written")) == (0, 2)
    write("tea.md", tea(HEAT))
    code, said = run(lock, "--check", "tea.md", "cups.md")
    assert (code, "cups.lock.jsonl: up to date" in said) == (1, True)
    assert run(lock, "tea.md", "cups.md", "--lock", "all.jsonl")[0] == 2


def test_windows_line_ends_do_not_make_a_lock_out_of_date(run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    path = Path("tea.lock.jsonl")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert run(lock, "tea.md", "--check")[0] == 0


def test_a_lock_edited_by_hand_is_not_written_over(run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    path = Path("tea.lock.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace("warm the pot", "heat the pot"), encoding="utf-8")
    before = path.read_bytes()
    for option in ("--check", "--update"):
        code, said = run(lock, "tea.md", option)
        assert code == 2
        assert re.search(r"tea\.lock\.jsonl:4: the record of TEA-\w{6} was edited by hand", said)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "<<<<<<< HEAD\n", "not json\n", '{"lock":9}\n'])
def test_a_lock_that_is_none_is_one_error(text: str, run: Run) -> None:
    write("tea.md", tea(POT))
    write("tea.lock.jsonl", text)
    for command, arguments in (
        (lock, ["tea.md"]),
        (accept, ["--all", "--file", "tea.md"]),
        (drift, ["tea.lock.jsonl", "tea.md"]),
    ):
        code, said = run(command, *arguments)
        assert code == 2
        assert said.startswith("tea.lock.jsonl:1: ")
        assert "\n" not in said


def test_links_come_from_tags_and_are_suspect_until_accepted(run: Run) -> None:
    write("tea.md", tea(POT, SONG))
    run(lock, "tea.md")
    write("features/tea.feature", FEATURE.format(tag=ids()[POT].lower()))
    code, said = run(lock, "tea.md", "--check", "--features", "features")
    assert (code, "scenarios have other tags" in said) == (1, True)
    assert "1 links" in run(lock, "tea.md", "--features", "features")[1]
    write("tea.md", tea(HEAT, SONG))
    assert "1 suspect" in run(lock, "tea.md", "--features", "features")[1]
    code, said = run(lock, "tea.md", "--check")
    assert (code, "1 suspect" in said) == (0, True)
    code, said = run(accept, ids()[HEAT].lower(), "--file", "tea.md")
    assert (code, said) == (0, "tea.lock.jsonl: reviewed 1 scenario of 1 requirement\n")
    assert "suspect" not in run(lock, "tea.md", "--check")[1]
    assert "reviewed 0 scenarios" in run(accept, "--all", "--file", "tea.md")[1]


def test_a_scenario_of_what_is_gone_needs_another_tag(run: Run) -> None:
    write("tea.md", tea(POT, SONG))
    run(lock, "tea.md")
    write("features/tea.feature", FEATURE.format(tag=ids()[SONG].lower()))
    run(lock, "tea.md", "--features", "features")
    write("tea.md", tea(POT))
    code, said = run(lock, "tea.md", "--features", "features")
    assert (code, "1 of a retired id: tag these scenarios anew" in said, "suspect" in said) == (0, True, False)
    write("features/tea.feature", FEATURE.format(tag=ids()[POT].lower()))
    assert "retired" not in run(lock, "tea.md", "--features", "features")[1]


def test_a_comma_is_accepted_as_editorial(run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    write("features/tea.feature", FEATURE.format(tag=ids()[POT].lower()))
    run(lock, "tea.md", "--features", "features")
    write("tea.md", tea(POT.replace("pot with", "pot, with")))
    code, said = run(lock, "tea.md")
    assert (code, "1 editorial" in said, "suspect" in said) == (0, True, False)
    assert '"verdict":"editorial"' in Path("tea.lock.jsonl").read_text(encoding="utf-8")
    assert "reviewed 1 scenario" in run(accept, "--editorial", "--file", "tea.md")[1]
    assert '"verdict":"reviewed"' in Path("tea.lock.jsonl").read_text(encoding="utf-8")


def test_nothing_is_accepted_that_the_lock_has_not_seen(run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    write("tea.md", tea(HEAT))
    code, said = run(accept, "--all", "--file", "tea.md")
    assert code == 2
    assert "is out of date" in said


def test_a_question_is_asked_until_it_is_answered(run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    old = ids()[POT]
    write("tea.md", tea(STOVE))
    code, said = run(lock, "tea.md")
    assert code == 1
    new = re.search(r"session-tck accept (TEA-\w{6}) --as (TEA-\w{6})", said)
    assert new is not None
    assert new[2] == old
    assert ids() == {POT: old}
    assert run(lock, "tea.md", "--check")[0] == 1
    before = Path("tea.lock.jsonl").read_bytes()
    assert run(accept, new[1], "--as", old, "--file", "tea.md")[0] == 0
    assert ids() == {STOVE: old}
    assert run(lock, "tea.md", "--check")[0] == 0
    Path("tea.lock.jsonl").write_bytes(before)
    assert run(accept, new[1], "--new", "--file", "tea.md")[0] == 0
    assert ids() == {STOVE: new[1]}
    assert run(lock, "tea.md", "--check")[0] == 0


def test_an_id_with_another_meaning_is_written_when_somebody_says_so(run: Run) -> None:
    write("tea.md", own((1, POT)))
    run(lock, "tea.md")
    write("tea.md", own((1, SONG)))
    code, said = run(lock, "tea.md")
    assert (code, "session-tck accept POT-1 --new" in said) == (1, True)
    assert run(accept, "pot-1", "--new", "--file", "tea.md")[0] == 0
    assert ids() == {SONG: "tea:POT-1"}


def test_a_requirement_can_be_told_to_be_one_that_is_gone(run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    old = ids()[POT]
    write("tea.md", tea(SONG))
    run(lock, "tea.md")
    code, said = run(accept, ids()[SONG], "--as", old, "--file", "tea.md")
    assert code == 0
    assert f"{old} is {ids()[SONG]} now" in said
    assert run(lock, "tea.md", "--check")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "nothing is named"),
        (["TEA-1", "--all"], "ID and --all are given together"),
        (["--all", "--editorial"], "--all and --editorial are given together"),
        (["--all", "--new"], "it answers for an id"),
        (["TEA-1", "TEA-2", "--as", "TEA-3"], "it answers for one id"),
        (["TEA-NOPE"], "the lock has no such id"),
        (["TEA-NOPE", "--new"], "nothing is asked of this id"),
    ],
)
def test_what_cannot_be_accepted_is_a_mistake(arguments: list[str], what: str, run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    code, said = run(accept, *arguments, "--file", "tea.md")
    assert (code, what in said) == (2, True), said


def test_two_files_are_compared(run: Run) -> None:
    write("old.md", tea(POT, SONG))
    write("new.md", tea(HEAT, SONG))
    code, said = run(drift, "old.md", "new.md")
    assert code == 0
    assert "[-warm-] {+heat+} the pot" in " ".join(said.split())
    assert said.splitlines()[-1] == "1 edited, 1 unchanged"
    code, said = run(drift, "old.md", "new.md", "--format", "json")
    told = json.loads(said)
    assert (told["summary"], told["changes"][0]["kind"]) == ({"edited": 1, "unchanged": 1}, "edited")
    assert (told["changes"][0]["line"], told["changes"][0]["effect"]) == (5, "suspect")
    code, said = run(drift, "old.md", "new.md", "--format", "markdown")
    assert "## Edited: its words are others" in said
    assert "Unchanged" not in said
    assert "Unchanged" in run(drift, "old.md", "new.md", "--format", "markdown", "--all")[1]


def test_a_kind_of_change_can_fail_a_job(run: Run) -> None:
    write("old.md", tea(POT))
    write("new.md", tea(HEAT))
    assert run(drift, "old.md", "new.md", "--fail-on", "edited")[0] == 1
    assert run(drift, "old.md", "new.md", "--fail-on", "gone")[0] == 0


def test_drift_says_what_it_does_to_scenarios(run: Run) -> None:
    write("old.md", tea(POT, SONG))
    run(lock, "old.md")
    known = ids("old.lock.jsonl")
    write("features/a.feature", FEATURE.format(tag=known[POT].lower()))
    write("features/b.feature", FEATURE.format(tag=known[SONG].lower()))
    write("new.md", tea(HEAT, "Windows SHOULD stay shut in winter."))
    code, said = run(drift, "old.md", "new.md", "--features", "features")
    assert code == 0
    assert "suspect: a.feature::Warm" in said
    assert "orphan: b.feature::Warm" in said
    assert "no scenario yet: OLD-" in said
    assert said.splitlines()[-1].endswith("scenarios: 1 suspect, 1 orphans; requirements without one: 1")


def test_a_lock_is_compared_with_a_file(run: Run) -> None:
    write("tea.md", tea(POT))
    run(lock, "tea.md")
    write("tea.md", tea(HEAT))
    code, said = run(drift, "tea.lock.jsonl", "tea.md")
    assert (code, "1 edited" in said) == (0, True)
    code, said = run(drift, "tea.md", "tea.lock.jsonl")
    assert (code, "give the lock first" in said) == (2, True)


def test_the_table_has_colours_where_they_are_asked_for(run: Run) -> None:
    write("old.md", tea(POT))
    write("new.md", tea(HEAT))
    assert "\x1b[" in run(drift, "old.md", "new.md", "--color")[1]
    assert "\x1b[" not in run(drift, "old.md", "new.md", "--no-color")[1]


def test_a_statement_of_mischief_stays_text(run: Run) -> None:
    write("old.md", tea(POT))
    write("new.md", tea("The [red]cook[/red] **MUST** never write `<script>` or [/] or \\x1b[31m into the book."))
    code, said = run(drift, "old.md", "new.md")
    assert code == 0
    assert "[/]" in said
    assert "<script>" not in run(drift, "old.md", "new.md", "--format", "markdown")[1].replace("\\<script\\>", "")


def git(*arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *arguments],
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    )


@pytest.fixture
def repository(run: Run, tmp_path: Path) -> Run:
    """Give two commits of a document, the first with a lock."""
    (tmp_path / ".git").rmdir()
    git("init", "--quiet", ".")
    write("docs/tea.md", tea(POT))
    run(lock, "docs/tea.md")
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    git("tag", "v1")
    write("docs/tea.md", tea(HEAT))
    git("commit", "--quiet", "-am", "second")
    return run


def test_two_revisions_are_compared_with_the_ids_of_the_older_lock(repository: Run) -> None:
    known = ids("docs/tea.lock.jsonl")[POT]
    code, said = repository(drift, "v1", "HEAD", "--file", "docs/tea.md", "--format", "json")
    assert code == 0
    assert [(one["kind"], one["id"]) for one in json.loads(said)["changes"]] == [("edited", known)]


def test_a_revision_is_found_from_below_from_outside_and_in_a_bare_repository(
    repository: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("clone", "--quiet", "--bare", ".", "bare.git")
    monkeypatch.chdir(tmp_path / "docs")
    assert "1 edited" in repository(drift, "v1", "HEAD", "--file", "tea.md")[1]
    assert "1 edited" in repository(drift, "v1", "HEAD", "--file", str(tmp_path / "docs" / "tea.md"))[1]
    assert "1 edited" in repository(drift, "v1", "HEAD", "--file", "docs/tea.md", "--repository", "..")[1]
    assert "1 edited" in repository(drift, "v1", "HEAD", "--file", "docs/tea.md", "--repository", "../bare.git")[1]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["v1", "v9", "--file", "docs/tea.md"], "v9: there is no such revision"),
        (["--", "v1", "--output=x"], "there is no such file"),
        (["--file", "docs/tea.md", "--", "--output=x", "HEAD"], "--output=x: there is no such revision"),
        (["v1", "HEAD", "--file", "docs/no.md"], "v1:docs/no.md: there is no such file in this revision"),
        (["v1", "HEAD", "--file", "docs"], "v1:docs: is no file in this revision"),
        (["v1", "HEAD", "--file", "../tea.md"], "is outside of the repository"),
        (["v1", "HEAD"], "name a file, or give --file"),
        (["v1", "HEAD", "--repository", "."], "it says nothing without a file"),
        (["v1", "HEAD", "--file", "docs/tea.md", "--repository", "nowhere"], "git cannot be asked"),
    ],
)
def test_what_cannot_be_compared_is_a_mistake(arguments: list[str], what: str, repository: Run) -> None:
    code, said = repository(drift, *arguments)
    assert (code, what in said) == (2, True), said
    assert not Path("x").exists()


def test_a_folder_that_is_no_repository_is_said_to_be_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").rmdir()
    code, said = run(drift, "v1", "HEAD", "--file", "tea.md")
    assert (code, "is no git repository" in said) == (2, True), said


def test_variables_of_a_hook_do_not_lead_git_elsewhere(repository: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    assert repository(drift, "v1", "HEAD", "--file", "docs/tea.md")[0] == 0


@pytest.mark.usefixtures("repository")
def test_a_file_of_a_revision_is_read_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Repository(tmp_path).text("v1", "docs/tea.md") == tea(POT)
    assert len(Repository(tmp_path).commits("docs/tea.md")) == 2
    monkeypatch.setattr(revisions, "MOST_BYTES", 4)
    with pytest.raises(UsageFault, match="is larger than"):
        Repository(tmp_path).text("v1", "docs/tea.md")


def test_git_that_is_not_there_is_told(repository: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    code, said = repository(drift, "v1", "HEAD", "--file", "docs/tea.md")
    assert (code, "git cannot be asked" in said) == (2, True)


def test_tags_of_features_rules_outlines_and_rows_are_read(tmp_path: Path) -> None:
    text = """@all
Feature: Tea

  Rule: In the morning
    @Pot-1
    Scenario Outline: Warm the <pot>
      Given a table
        | a | b |
      When the <pot> is warmed
      Then it is warm

      @pot-2
      Examples:
        | pot   |
        | small |
        | large |

  # language of the house
  Scenario: Sing
    Given a song
      \"\"\"
      @no-tag
      | no row
      \"\"\"
"""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "tea.feature").write_text(text, encoding="utf-8")
    warm, sing = "below/tea.feature::Warm the <pot>", "below/tea.feature::Sing"
    assert read_tagged(tmp_path, quickly=True).links() == {"all": [warm, sing], "pot-1": [warm], "pot-2": [warm]}


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"Feature: Tea\n  nonsense\n\n  Scenario: x\n    Given y\n    nonsense\n", r"tea\.feature:6: .*expected"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"# " + b"x" * 1_100_000, "larger than 1 MiB"),
    ],
)
def test_features_that_cannot_be_read_are_a_mistake(data: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "tea.feature").write_bytes(data)
    with pytest.raises(UsageFault, match=what):
        read_tagged(tmp_path, quickly=True).links()
    with pytest.raises(UsageFault, match="no such folder"):
        read_tagged(tmp_path / "nowhere")


def test_the_kits_own_specification_has_a_lock_with_links_to_its_scenarios(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])
    path = str(tmp_path / "own.lock.jsonl")
    written = CliRunner().invoke(lock, ["docs/specification.md", "--lock", path], standalone_mode=False)
    assert written.return_value == 0, written.output
    checked = CliRunner().invoke(lock, ["docs/specification.md", "--check", "--lock", path], standalone_mode=False)
    assert checked.return_value == 0, checked.output
    assert re.search(r"up to date, 1\d\d requirements, [34]\d\d links", checked.output)

"""`session-tck check` and `rules`: what they say, and with which code they end."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tck_kit.command_line import main
from tck_spec import MOST_BYTES, RULES

Check = Callable[..., subprocess.CompletedProcess[str]]

CLEAN = "# Tea\n\n## 1 Pots\n\nWarm the pot.\n"
WRONG = "# Tea\n\n## 1 Pots\n\nSee [the lids](#2-lids), and section 9.\n"
GAP = "# Tea\n\n## 1 Pots\n\n## 3 Cups\n"
DIAGRAM = "# Tea\n\n```mermaid\nflowchart LR\n  pot --> cup\n```\n"


def _mistake(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that a user's mistake is told in."""
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith(("session-tck: ", "Error: "))]
    assert len(lines) == 1, done.stderr
    return lines[0]


def _places(done: subprocess.CompletedProcess[str]) -> list[tuple[str, int, str, str]]:
    return [(one["file"], one["line"], one["rule"], one["severity"]) for one in json.loads(done.stdout)["findings"]]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Run `session-tck check` in a folder of its own, where nothing above has settings; in this process, for speed."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "clean.md").write_text(CLEAN, encoding="utf-8")
    (tmp_path / "wrong.md").write_text(WRONG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    def run(*arguments: str, command: str = "check") -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["session-tck", command, *arguments])
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
        texts: list[str] = []
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
        return subprocess.CompletedProcess(arguments, int(str(ended.value.code)), *texts)

    return run


def test_a_clean_file_is_one_line_and_code_0(check: Check) -> None:
    done = check("clean.md")
    assert (done.returncode, done.stdout) == (0, "2 sections: 0 errors, 0 warnings, 0 infos\n")
    assert done.stderr == ""


def test_what_is_wrong_has_its_place_as_it_was_named(check: Check, tmp_path: Path) -> None:
    done = check("wrong.md")
    assert done.returncode == 1
    assert "wrong.md:5:5: error ANC001: " in done.stdout
    assert "wrong.md:5:30: error XREF001: " in done.stdout
    absolute = tmp_path / "wrong.md"
    assert f"\n{absolute}:5:30: error XREF001: " in f"\n{check(str(absolute)).stdout}"


def test_files_come_in_the_order_in_which_they_are_named(check: Check) -> None:
    done = check("wrong.md", "clean.md", "--format", "json")
    assert {one[0] for one in _places(done)} == {"wrong.md"}
    assert json.loads(done.stdout)["files"] == ["wrong.md", "clean.md"]
    assert json.loads(done.stdout)["counts"]["error"] == 2


def test_of_a_folder_all_markdown_is_checked_but_what_is_hidden_or_installed(check: Check, tmp_path: Path) -> None:
    for name in ("docs/b.md", "docs/a/z.markdown", "docs/.cache/x.md", "docs/node_modules/y.md", "docs/note.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(WRONG, encoding="utf-8")
    done = check("docs", "--format", "json")
    assert json.loads(done.stdout)["files"] == ["docs/b.md", "docs/a/z.markdown"]


def test_a_link_between_files_is_looked_up(check: Check, tmp_path: Path) -> None:
    (tmp_path / "more.md").write_text("# More\n\n[Pots](clean.md#1-pots), [lids](clean.md#2-lids), [cups](cups.md)\n")
    assert [one[2] for one in _places(check("more.md", "--format", "json"))] == ["ANC006", "ANC005"]


def test_a_file_that_is_no_text_does_not_hide_the_others(check: Check, tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes("# Grüße\n\nDas ist für dich\n".encode("latin-1"))
    (tmp_path / "wide.md").write_bytes("# Tea\n".encode("utf-16"))
    (tmp_path / "nul.md").write_bytes(b"# Tea\n\nab\0c\n")
    done = check("latin.md", "nul.md", "wide.md", "wrong.md")
    assert done.returncode == 1
    assert "latin.md:1:5: error DOC003: byte FC is not UTF-8" in done.stdout
    assert "nul.md:3:3: error DOC003: a NUL byte is no text" in done.stdout
    assert "wide.md:1:1: error DOC003: " in done.stdout
    assert "wrong.md:5:5: error ANC001" in done.stdout
    assert check("latin.md", "--rule", "DOC003=warning").returncode == 0


def test_an_empty_file_is_a_mistake_if_named_and_an_info_if_found(check: Check, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "empty.md").write_text("", encoding="utf-8")
    assert "docs/empty.md: is empty" in _mistake(check("docs/empty.md"))
    (tmp_path / "docs" / "blank.md").write_bytes(b"\xef\xbb\xbf \n")
    done = check("docs")
    assert "docs/empty.md:1:1: info DOC003: is empty" in done.stdout
    assert "docs/blank.md:1:1: info DOC003: is empty" in done.stdout
    assert done.returncode == 0


def test_a_file_that_is_too_large_is_a_mistake_if_named_and_an_error_if_found(check: Check, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with (tmp_path / "docs" / "huge.md").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert "docs/huge.md: is larger than" in _mistake(check("docs/huge.md"))
    done = check("docs")
    assert "docs/huge.md:1:1: error DOC003: is larger than" in done.stdout
    assert done.returncode == 1


def test_a_name_that_is_no_text_can_be_written_in_every_format(check: Check, tmp_path: Path) -> None:
    name = os.fsdecode(b"docs/b\xff.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / name).write_text(WRONG, encoding="utf-8")
    assert _places(check("docs", "--format", "json"))[0][0] == "docs/b\\udcff.md"
    for form, words in (
        ("sarif", "docs/b%FF.md"),
        ("gitlab", "docs/b\\\\udcff.md"),
        ("junit", "ANC001"),
        ("github", "ANC001"),
    ):
        assert words in check("docs", "--format", form).stdout


def test_warnings_fail_a_strict_check_only(check: Check, tmp_path: Path) -> None:
    (tmp_path / "gap.md").write_text(GAP, encoding="utf-8")
    assert check("gap.md").returncode == 0
    done = check("gap.md", "--strict")
    assert done.returncode == 1
    assert "warning NUM002" in done.stdout


def test_a_rule_is_lowered_raised_and_switched_by_code_or_name(check: Check, tmp_path: Path) -> None:
    (tmp_path / "gap.md").write_text(GAP, encoding="utf-8")
    assert _places(check("gap.md", "--rule", "NUM002=error", "--format", "json")) == [("gap.md", 5, "NUM002", "error")]
    assert _places(check("gap.md", "--rule", "gap=info", "--format", "json")) == [("gap.md", 5, "NUM002", "info")]
    assert _places(check("gap.md", "--rule", "num002=off", "--format", "json")) == []


def test_settings_are_found_above_and_options_win_over_them(check: Check, tmp_path: Path) -> None:
    (tmp_path / "gap.md").write_text(GAP, encoding="utf-8")
    (tmp_path / "session-tck.toml").write_text('[rules]\ngap = "error"\n', encoding="utf-8")
    assert check("gap.md").returncode == 1
    assert check("gap.md", "--rule", "NUM002=warning").returncode == 0
    (tmp_path / "other.toml").write_text('[rules]\ngap = "off"\n', encoding="utf-8")
    assert _places(check("gap.md", "--config", "other.toml", "--format", "json")) == []


def test_the_files_of_the_settings_are_checked_where_none_is_named(check: Check, tmp_path: Path) -> None:
    (tmp_path / "session-tck.toml").write_text('[check]\nfiles = ["wrong.md", "docs/**/*.md"]\n', encoding="utf-8")
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "deep" / "gap.md").write_text(GAP, encoding="utf-8")
    assert json.loads(check("--format", "json").stdout)["files"] == ["wrong.md", "docs/deep/gap.md"]
    (tmp_path / "session-tck.toml").write_text('[check]\nfiles = ["nothing/*.md"]\n', encoding="utf-8")
    assert "nothing/*.md: nothing fits this pattern" in _mistake(check())


def test_excluded_files_are_not_checked(check: Check, tmp_path: Path) -> None:
    text = '[check]\nfiles = ["."]\nexclude = ["wrong.md", "old"]\n'
    (tmp_path / "session-tck.toml").write_text(text, encoding="utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "gap.md").write_text(GAP, encoding="utf-8")
    assert json.loads(check("--format", "json").stdout)["files"] == ["clean.md"]


def test_opt_in_rules_are_off_until_all_are_asked_for(check: Check) -> None:
    off = {rule.code for rule in RULES if not rule.on}
    listed = json.loads(check("--format", "json", command="rules").stdout)["rules"]
    assert {one["code"] for one in listed if not one["on"]} == off
    assert check("clean.md", "--all-rules").returncode == 0


def test_a_link_has_to_work_in_each_dialect_that_is_named(check: Check, tmp_path: Path) -> None:
    (tmp_path / "two.md").write_text("# Tea\n\n## A -- B\n\n[x](#a----b)\n", encoding="utf-8")
    assert check("two.md", "--anchors", "github").returncode == 0
    assert check("two.md", "--anchors", "gitlab").returncode == 1


def test_diagrams_need_not_be_looked_into(check: Check, tmp_path: Path) -> None:
    (tmp_path / "flow.md").write_text(DIAGRAM, encoding="utf-8")
    done = check("flow.md", "--no-mermaid")
    assert done.returncode == 0
    assert "info MMD003" in done.stdout


FEATURE = """\
Feature: Pots
  @smoke @tea-1
  Scenario: It is warmed
    Given a pot
"""
REQUIRED = """\
# Tea

The key words are those of BCP 14 (RFC 2119, RFC 8174) when they are in capitals.

## 1 Pots

- <a id="tea-1"></a>**TEA-1** (agreed): The cook MUST warm the pot.
- <a id="tea-2"></a>**TEA-2** (agreed): The cook MUST use a lid.
"""


def test_requirements_and_scenarios_are_held_against_each_other(check: Check, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(REQUIRED, encoding="utf-8")
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "pots.feature").write_text(
        FEATURE + "\n  @tea-3\n  Scenario: None\n    Given a cup\n", encoding="utf-8"
    )
    (tmp_path / "features" / "broken.feature").write_text("Scenario\n", encoding="utf-8")
    assert _places(check("tea.md", "--features", "features", "--format", "json")) == [
        ("tea.md", 8, "COV001", "error"),
        ("features/broken.feature", 1, "SCN001", "error"),
        ("features/pots.feature", 7, "COV002", "error"),
    ]


def test_features_of_the_settings_count_where_all_documents_are_checked(check: Check, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(REQUIRED, encoding="utf-8")
    (tmp_path / "pots.feature").write_text(FEATURE, encoding="utf-8")
    text = '[check]\nfiles = ["tea.md", "clean.md"]\nfeatures = "pots.feature"\n'
    (tmp_path / "session-tck.toml").write_text(text, encoding="utf-8")
    assert [one[2] for one in _places(check("--format", "json"))] == ["COV001"]
    assert [one[2] for one in _places(check("tea.md", "clean.md", "--format", "json"))] == ["COV001"]
    assert _places(check("clean.md", "--format", "json")) == []


def test_an_excuse_in_the_document_covers_what_scenarios_leave_open(check: Check, tmp_path: Path) -> None:
    excuse = "<!-- check-off-file COV001: lids cannot be seen from outside -->\n"
    (tmp_path / "tea.md").write_text(REQUIRED + "\n" + excuse, encoding="utf-8")
    (tmp_path / "pots.feature").write_text(FEATURE, encoding="utf-8")
    assert _places(check("tea.md", "--features", "pots.feature", "--format", "json")) == []


def test_a_scenario_that_proves_nothing_is_a_finding(check: Check, small: Path) -> None:
    feature = small / "features" / "small.feature"
    text = feature.read_text(encoding="utf-8")
    feature.write_text(text.replace("Then the state directory", "And the state directory"), encoding="utf-8")
    done = check("--specification", "specification.md", "--features", "features", "--format", "json")
    assert _places(done) == [
        ("features/small.feature", 23, "SCN001", "error"),
        ("features/small.feature", 26, "SCN001", "error"),
    ]
    assert done.returncode == 1


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github", "gitlab", "text"])
def test_a_format_is_written_to_a_file_and_the_counts_are_told(check: Check, tmp_path: Path, form: str) -> None:
    done = check("wrong.md", "--format", form, "--output", "out")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "2 sections: 2 errors, 0 warnings, 0 infos\n"
    assert (tmp_path / "out").read_text(encoding="utf-8") == check("wrong.md", "--format", form).stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", "clean.md", "out", "wrong.md"]


def test_a_rule_in_sarif_has_its_page(check: Check) -> None:
    run = json.loads(check("wrong.md", "--format", "sarif").stdout)["runs"][0]
    rules = {one["id"]: one for one in run["tool"]["driver"]["rules"]}
    assert run["tool"]["driver"]["version"][0].isdigit()
    assert set(rules) == {rule.code for rule in RULES}
    assert rules["ANC001"]["shortDescription"]["text"].endswith(".")


def test_a_link_to_a_file_is_written_through_and_a_pipe_is_not_replaced(check: Check, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old", encoding="utf-8")
    (tmp_path / "link.json").symlink_to("real.json")
    check("clean.md", "--format", "json", "--output", "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text(encoding="utf-8"))["findings"] == []
    assert check("clean.md", "--output", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()
    assert "0 errors" in check("clean.md", "--output", "-").stdout


def test_colours_are_for_terminals_and_for_those_who_ask(check: Check) -> None:
    assert "\x1b" not in check("wrong.md").stdout
    assert "\x1b[1;31merror\x1b[0m ANC001" in check("wrong.md", "--color").stdout
    assert "\x1b" not in check("wrong.md", "--no-color", "--context").stdout


def test_context_shows_the_line_and_the_place(check: Check) -> None:
    lines = check("wrong.md", "--context").stdout.splitlines()
    assert lines[1] == "    5 | See [the lids](#2-lids), and section 9."
    assert lines[2].startswith("      |     ^")


def test_a_terminal_gets_colours_and_context_unless_no_color_is_set(check: Check, tmp_path: Path) -> None:
    del check
    pty = pytest.importorskip("pty")

    def seen(**variables: str) -> str:
        reader, terminal = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tck_kit.command_line", "check", "wrong.md"],
            stdout=terminal,
            cwd=tmp_path,
            env={**os.environ, "TERM": "xterm", **variables},
        )
        os.close(terminal)
        text = b""
        try:
            while part := os.read(reader, 65536):
                text += part
        except OSError:  # how Linux says that nobody writes any more
            pass
        os.close(reader)
        assert process.wait(timeout=60) == 1
        return text.decode()

    coloured, plain = seen(NO_COLOR=""), seen(NO_COLOR="1")
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert "\x1b" not in plain
    assert "    5 | See [the lids]" in plain


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.md",), "nowhere.md: there is no such file"),
        (("--specification", "nowhere.md"), "nowhere.md: there is no such file"),
        (("clean.md", "--specification", "wrong.md"), "--specification wrong.md: files are named as well"),
        (("empty",), "empty: there is no Markdown below this folder"),
        (("clean.md", "--rule", "FOO=bad"), "--rule FOO=bad: 'bad' is no severity"),
        (("clean.md", "--rule", "ANC01=off"), "--rule ANC01=off: there is no rule 'ANC01'; did you mean ANC001?"),
        (("clean.md", "--rule", "ANC001"), "--rule ANC001: it gives no severity"),
        (("clean.md", "--anchors", "githib"), "'githib' is no known dialect; did you mean github?"),
        (("clean.md", "--anchors", ""), "'' is no known dialect"),
        (("clean.md", "--format", "yaml"), "'yaml' is not one of"),
        (("clean.md", "--config", "nowhere.toml"), "nowhere.toml: cannot be read"),
        (("clean.md", "--config", "empty"), "empty: is no file of settings"),
        (("clean.md", "--config", "bad.toml"), "did you mean anchors?"),
        (("clean.md", "--config", "rule.toml"), "there is no rule 'NUM02'; did you mean NUM002?"),
        (("clean.md", "--features", "nowhere"), "nowhere: there is no such folder"),
        (("clean.md", "--features", "empty"), "empty: there is no .feature file in it"),
        (("clean.md", "--output", "nowhere/out.json"), "nowhere: there is no such folder"),
        (("clean.md", "--output", "empty"), "empty: is a folder"),
        (("clean.md", "--output", "clean.md/out"), "clean.md: there is no such folder"),
        (("clean.md", "--dry-run"), "--dry-run: there is nothing to try without --fix"),
        (("clean.md", "--watch", "--fix"), "--watch: --fix is given as well"),
        (("clean.md", "--watch", "--format", "json"), "--watch: nobody watches json"),
        (("clean.md", "--watch", "--output", "x"), "--watch: it shows findings here"),
        (("clean.md", "--fix", "--dry-run", "--format", "json"), "--dry-run: it prints changes, not json"),
        (("--fix",), "--fix: the kit's own specification is not yours to mend"),
        (("--watch",), "--watch: the kit's own specification does not change"),
        (("clean.md", "--fixx"), "No such option"),
        (("pipe.md",), "pipe.md: is not a regular file"),
        (("te\x1b[31m.md",), "te\\x1b[31m.md: nothing fits this pattern"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing_behind(
    check: Check, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "bad.toml").write_text('[check]\nanchor = ["github"]\n', encoding="utf-8")
    (tmp_path / "rule.toml").write_text('[rules]\nNUM02 = "off"\n', encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    assert words in _mistake(check(*arguments))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_one_line(check: Check, tmp_path: Path) -> None:
    del check
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "tck_kit.command_line", "check", "wrong.md"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            check=False,
        )
    assert "No space left" in _mistake(subprocess.CompletedProcess(done.args, done.returncode, "", done.stderr))


def test_a_closed_pipe_is_one_line(check: Check, tmp_path: Path) -> None:
    del check
    (tmp_path / "wrong.md").write_text("# Tea\n" + "\nSee [x](#y).\n" * 5_000, encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -P -m tck_kit.command_line check wrong.md | head -n 1"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("session-tck: ")


def test_the_rules_are_listed_one_a_line(check: Check) -> None:
    done = check(command="rules")
    rows = {line.split()[0]: line.split()[1:4] for line in done.stdout.splitlines()}
    assert done.returncode == 0
    assert rows["ANC001"] == ["dead-anchor", "error", "on"]
    assert set(rows) == {rule.code for rule in RULES}


def test_rules_are_listed_as_the_settings_have_them(check: Check, tmp_path: Path) -> None:
    text = '[rules]\nANC001 = "warning"\ngap = "off"\n'
    (tmp_path / "session-tck.toml").write_text(text, encoding="utf-8")
    rows = {one["code"]: one for one in json.loads(check("--format", "json", command="rules").stdout)["rules"]}
    assert (rows["ANC001"]["severity"], rows["ANC001"]["on"]) == ("warning", True)
    assert rows["NUM002"]["on"] is False


@pytest.mark.parametrize("name", ["ANC001", "anc001", "dead-anchor"])
def test_a_rule_is_explained_by_code_or_name(check: Check, name: str) -> None:
    done = check(name, command="rules")
    assert done.stdout.startswith("ANC001 dead-anchor (error, on)\n\n")
    assert len(done.stdout.splitlines()) >= 3


def test_a_rule_that_nobody_knows_is_a_mistake(check: Check) -> None:
    assert "ANC01: there is no such rule; did you mean ANC001?" in _mistake(check("ANC01", command="rules"))


LOADED = """
import sys
from tck_kit.command_line import cli
cli.main(["check", "clean.md", "--no-mermaid"], standalone_mode=False)
print(*sorted(sys.modules), file=sys.stderr)
"""


def test_a_check_loads_no_more_than_it_needs(check: Check, tmp_path: Path) -> None:
    del check
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOADED], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert loaded.isdisjoint(
        {"hypothesis", "jinja2", "jsonschema", "jsonschema_rs", "pytest", "rich", "sqlalchemy", "watchfiles", "pygls"}
    )
    assert loaded.isdisjoint({"mermaidx", "gherkin", "tck_features", "tck_simulator", "tck_fakes"})


def test_help_lists_all_commands(check: Check) -> None:
    done = check("--help", command="--help")
    listed = {line.split()[0] for line in done.stdout.partition("Commands:")[2].splitlines() if line.strip()}
    assert listed >= {"check", "crash", "driver", "fuzz", "mutants", "requirements", "rules", "run"}

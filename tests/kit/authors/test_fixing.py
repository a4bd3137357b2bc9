"""`--fix`: edits that mend are done exactly, edits that do harm are not done at all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tck_kit.authors import asked_check, fixing
from tck_kit.authors.asked_check import Asked
from tck_kit.authors.checked import Checked
from tck_kit.authors.showing import Shown
from tck_kit.faults import UsageFault
from tck_spec import parse
from tck_spec.findings import Edit, Finding, Severity
from tck_spec.settings import Settings

#: Rules of a language of its own: ``bad`` is to be ``good``, and so on. Each word is a finding with its fix.
Words = Mapping[str, str]
WORDS: Words = {"bad": "good", "worse": "poor", "poor": "good", "stuck": "stuck", "bomb": "boom", "long": "lo\nng"}
#: A word that is an error without a fix.
BOOM = "boom"


def found(source: str, text: str, words: Words = WORDS) -> Iterator[Finding]:
    body = text.removeprefix("\ufeff")
    for number, line in enumerate(re.split("\r\n|\n|\r", body), start=1):
        for match in re.finditer(r"\w+", line):
            word, column = match.group(), match.start() + 1
            if word in words:
                edit = Edit(number, column, column + len(word), words[word])
                severity: Severity = "W" if word == "poor" else "E"
                yield Finding("WORD", severity, number, column, f"'{word}'", "", source, len(word), (edit,))
            elif word == BOOM:
                yield Finding("BOOM", "E", number, column, "boom", "", source)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asked]:
    """Ask for a check of files by the rules above, in place of those of specifications."""

    def check_files(
        paths: tuple[Path, ...], settings: Settings, *, overlay: Mapping[Path, str], scenarios: object
    ) -> Checked:
        assert scenarios is None
        texts = {path: overlay.get(path.absolute(), path.read_bytes().decode("utf-8")) for path in paths}
        documents = tuple(parse(text, str(path)) for path, text in texts.items())
        findings = tuple(one for path, text in texts.items() for one in found(str(path), text))
        return Checked(documents, findings, settings, tuple(map(str, paths)))

    monkeypatch.setattr(asked_check, "check_files", check_files)
    monkeypatch.chdir(tmp_path)

    def ask(**texts: str) -> Asked:
        for name, text in texts.items():
            (tmp_path / f"{name}.md").write_bytes(text.encode("utf-8"))
        return Asked(files=tuple(Path(f"{name}.md") for name in texts))

    return ask


def read(name: str) -> str:
    return Path(f"{name}.md").read_bytes().decode("utf-8")


def fix(asked: Asked, *, dry_run: bool = False) -> int:
    return fixing.fix(asked, Shown(), dry_run=dry_run)


def test_all_edits_of_all_files_are_done(asked: Callable[..., Asked], capsys: pytest.CaptureFixture[str]) -> None:
    code = fix(asked(a="bad tea, bad cup\nbad lid\n", b="no fault\n", c="so bad\n"))
    assert code == 0
    assert (read("a"), read("b"), read("c")) == ("good tea, good cup\ngood lid\n", "no fault\n", "so good\n")
    out, err = capsys.readouterr()
    assert err == "4 findings in 2 files mended\n"
    assert out.endswith("0 errors, 0 warnings, 0 infos\n")


def test_what_an_edit_brings_to_light_is_mended_as_well(asked: Callable[..., Asked]) -> None:
    assert fix(asked(a="worse than bad\n")) == 0
    assert read("a") == "good than good\n"


@pytest.mark.parametrize(
    "text",
    ["\ufeffé bad\n", "a\r\nbad\r\nb", "bad\rbad\r", "a\n\r\n\rbad\r\n", "日本 bad 🫖 bad", "bad\u2028bad\x0bbad\n"],
    ids=["byte-order mark", "CR LF", "CR", "mixed", "no line end", "what is no line end"],
)
def test_all_else_stays_byte_for_byte(asked: Callable[..., Asked], text: str) -> None:
    fix(asked(a=text))
    assert read("a") == text.replace("bad", "good")


def test_a_line_that_is_inserted_ends_as_the_others_do(asked: Callable[..., Asked]) -> None:
    fix(asked(a="a\r\nlong\r\n", b="a\nlong\n"))
    assert read("a") == "a\r\nlo\r\nng\r\n"
    assert read("b") == "a\nlo\nng\n"


def test_an_edit_that_brings_an_error_is_not_done_and_the_others_are(asked: Callable[..., Asked]) -> None:
    text = "bad bad bomb bad\nbad\n"
    assert fix(asked(a=text, b="bad\n")) == 1
    assert read("a") == text.replace("bad", "good")
    assert read("b") == "good\n"


def test_an_edit_that_does_not_mend_is_not_done(asked: Callable[..., Asked]) -> None:
    assert fix(asked(a="stuck\nbad\n")) == 1
    assert read("a") == "stuck\ngood\n"


def test_a_file_of_edits_that_do_harm_is_not_touched(asked: Callable[..., Asked]) -> None:
    ask = asked(a="bomb stuck\n")
    before = Path("a.md").stat()
    assert fix(ask) == 1
    assert Path("a.md").stat() == before


def test_a_dry_run_changes_nothing_and_its_patch_does(
    asked: Callable[..., Asked], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    texts = {"a": "1\n2\nbad\n4\n5\n6\n7\n8\n9\nbad", "b": "\ufeffx\r\nbad\r\n", "c": "fine\n"}
    ask = asked(**texts)
    assert fix(ask, dry_run=True) == 1
    patch, err = capsys.readouterr()
    assert {name: read(name) for name in texts} == texts
    assert err == "3 findings in 2 files would be mended\n"
    assert "\\ No newline at end of file\n" in patch
    git = shutil.which("git")
    assert git is not None
    subprocess.run([git, "apply", "-p1", "-"], input=patch.encode(), cwd=tmp_path, check=True)
    assert {name: read(name) for name in texts} == {name: text.replace("bad", "good") for name, text in texts.items()}


def test_a_dry_run_without_changes_has_the_code_of_the_check(asked: Callable[..., Asked]) -> None:
    assert fix(asked(a="fine\n"), dry_run=True) == 0
    assert fix(asked(a="boom\n"), dry_run=True) == 1


def test_a_patch_on_a_terminal_is_shown_and_not_obeyed(
    asked: Callable[..., Asked], capsys: pytest.CaptureFixture[str]
) -> None:
    fixing.fix(asked(a="bad \x1b[2J\n"), Shown(color=True), dry_run=True)
    out = capsys.readouterr().out
    assert "\x1b[2J" not in out
    assert "\x1b[32m+good \\x1b[2J\x1b[0m\n" in out


def test_permissions_stay(asked: Callable[..., Asked]) -> None:
    ask = asked(a="bad\n")
    Path("a.md").chmod(0o640)
    fix(ask)
    assert Path("a.md").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in Path().iterdir()] == ["a.md"]


def test_a_file_with_two_names_is_mended_once(asked: Callable[..., Asked]) -> None:
    asked(a="bad\n")
    Path("b.md").symlink_to("a.md")
    assert fix(Asked(files=(Path("b.md"), Path("a.md")))) == 0
    assert Path("b.md").is_symlink()
    assert read("a") == "good\n"


def test_a_file_that_changes_meanwhile_is_left_alone(
    asked: Callable[..., Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = asked(a="bad\n")
    mend = fixing.mend

    def slow(first: Checked, again: Callable[[Mapping[Path, str]], Checked]) -> fixing.Mended:
        mended = mend(first, again)
        Path("a.md").write_text("bad, and more\n", encoding="utf-8")
        return mended

    monkeypatch.setattr(fixing, "mend", slow)
    with pytest.raises(UsageFault, match=r"a\.md: has changed in the meantime"):
        fix(ask)
    assert read("a") == "bad, and more\n"


def test_a_full_disk_leaves_the_old_text(asked: Callable[..., Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    ask = asked(a="bad\n")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageFault, match=r"a\.md: cannot be written \(No space left on device\)"):
        fix(ask)
    assert read("a") == "bad\n"
    assert [path.name for path in Path().iterdir()] == ["a.md"]


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([Edit(1, 1, 4, "tea")], "tea two\nthree"),
        ([Edit(1, 5, 8, "2"), Edit(2, 1, 6, "3"), Edit(1, 1, 4, "1")], "1 2\n3"),
        ([Edit(1, 4, 4, "!")], "one! two\nthree"),
        ([Edit(1, 1, 4, ""), Edit(1, 4, 5, "")], "two\nthree"),
        ([Edit(2, 6, 6, "\nfour")], "one two\nthree\nfour"),
        ([Edit(1, 1, 4, "1"), Edit(1, 1, 4, "1")], "1 two\nthree"),
    ],
    ids=["one", "several, in any order", "insertion", "side by side", "a line more", "one edit twice"],
)
def test_edits_are_done_where_they_say(edits: list[Edit], after: str) -> None:
    assert fixing.apply("one two\nthree", edits) == after


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(1, 1, 4, "a"), Edit(1, 3, 6, "b")],
        [Edit(1, 1, 4, "a"), Edit(1, 1, 4, "b")],
        [Edit(1, 4, 4, "a"), Edit(1, 4, 4, "b")],
        [Edit(3, 1, 1, "a")],
        [Edit(0, 1, 1, "a")],
        [Edit(1, 7, 9, "a")],
        [Edit(1, 5, 4, "a")],
        [Edit(1, 0, 1, "a")],
    ],
    ids=["overlap", "two texts", "two insertions", "no line", "line 0", "behind the end", "backwards", "column 0"],
)
def test_edits_that_contradict_or_miss_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match=r"."):
        fixing.apply("one two\nthree", edits)


def test_of_edits_that_contradict_the_first_is_done(asked: Callable[..., Asked]) -> None:
    ask = asked(a="bad\n")
    first = ask.check()
    (one,) = first.findings
    other = Finding("OTHER", "W", 1, 1, "x", "", one.source, 3, (Edit(1, 2, 3, "x"),))
    mended = fixing.mend(Checked(first.documents, (one, other), first.settings, first.files), ask.check)
    assert mended.texts == {"a.md": "good\n"}


def test_the_command_mends_a_specification(tmp_path: Path) -> None:
    """A link whose label names the right section and whose anchor has the wrong capitals, or whatever can be mended."""
    (tmp_path / "tea.md").write_text("# Tea\n\n## 1 Pots\n\nSee [pots](#1-Pots).\n", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "tck_kit.command_line", "check", "tea.md", "--fix"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    assert "mended" in done.stderr

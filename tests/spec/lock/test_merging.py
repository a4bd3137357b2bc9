"""Two branches with one lock, merged by git itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tck_spec.lock.file import beside, format_lock, read_lock, write_lock
from tck_spec.lock.reading import LockFault, parse_lock
from tck_spec.lock.records import Lock

from .documents import Part, held, with_statement, written

NOUNS = ("Pots", "Lids", "Cups", "Trays", "Spoons", "Jugs", "Bowls", "Towels")
PARTS = [
    Part(noun, tuple(f"The {who} MUST wash the {noun.lower()} after use." for who in ("cook", "guest", "waiter")))
    for noun in NOUNS
]
STATEMENTS = [
    f"The {noun.lower()} SHOULD be counted by two people on {day}." for noun, day in zip(NOUNS, "ABCDEFGH", strict=True)
]


def git(folder: Path, *arguments: str, good: bool = True) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) is good, done.stdout + done.stderr
    return done.stdout


class Repository:
    """A document and its lock under git."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.document = folder / "tea.md"
        self.lock = beside(self.document)
        git(folder, "init", "--quiet", "--initial-branch=main", ".")

    def commit(self, parts: list[Part]) -> Lock:
        text = written(parts)
        lock = held(read_lock(self.lock)[0] if self.lock.exists() else None, text).lock
        self.document.write_text(text, encoding="utf-8")
        write_lock(self.lock, lock)
        git(self.folder, "add", ".")
        git(self.folder, "commit", "--quiet", "--message", "another state")
        return lock


@pytest.mark.parametrize(("here", "there"), [(0, 7), (2, 5), (6, 1)])
def test_two_branches_that_each_add_a_statement_merge_without_a_conflict(here: int, there: int, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    base = repository.commit(PARTS)
    git(tmp_path, "checkout", "--quiet", "-b", "other")
    repository.commit(with_statement(PARTS, there, STATEMENTS[there]))
    git(tmp_path, "checkout", "--quiet", "main")
    repository.commit(with_statement(PARTS, here, STATEMENTS[here]))
    git(tmp_path, "merge", "--quiet", "--no-edit", "other")
    merged, edited = read_lock(repository.lock)
    both = with_statement(with_statement(PARTS, here, STATEMENTS[here]), there, STATEMENTS[there])
    assert not edited
    assert len(merged.active) == len(base.active) + 2
    assert format_lock(held(merged, written(both)).lock) == repository.lock.read_text(encoding="utf-8")


def test_two_branches_that_add_the_same_statement_merge_to_one(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    base = repository.commit(PARTS)
    git(tmp_path, "checkout", "--quiet", "-b", "other")
    repository.commit(with_statement(PARTS, 3, STATEMENTS[3]))
    git(tmp_path, "checkout", "--quiet", "main")
    repository.commit(with_statement(PARTS, 3, STATEMENTS[3]))
    git(tmp_path, "merge", "--quiet", "--no-edit", "other")
    assert len(read_lock(repository.lock)[0].active) == len(base.active) + 1


def test_two_branches_that_edit_one_statement_leave_markers_that_are_told_of(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit(PARTS)
    git(tmp_path, "checkout", "--quiet", "-b", "other")
    first, *rest = PARTS[0].statements
    repository.commit([Part("Pots", (first.replace("wash", "wash and dry"), *rest)), *PARTS[1:]])
    git(tmp_path, "checkout", "--quiet", "main")
    repository.commit([Part("Pots", (first.replace("wash", "slowly wash"), *rest)), *PARTS[1:]])
    git(tmp_path, "merge", "--quiet", "--no-edit", "other", good=False)
    with pytest.raises(LockFault) as caught:
        parse_lock(repository.lock.read_text(encoding="utf-8"))
    assert "markers of a merge" in caught.value.what
    assert caught.value.line > 1

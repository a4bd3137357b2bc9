"""The source of a peer is the pinned one, whatever lies in the copy that it is taken from, and whoever takes it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tck_kit.faults import UsageFault
from tck_kit.peers.fetching import fetch

from .made import of_repository, repository

Git = Callable[..., str]


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return tmp_path / "origin"


@pytest.fixture
def git(origin: Path) -> Git:
    names = {f"GIT_{who}_{what}": "a@example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def run(*words: str) -> str:
        done = subprocess.run(
            ("git", "-C", str(origin), *words),
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull},
        )
        return done.stdout.strip()

    return run


def _forge(origin: Path, name: str, kind: str, text: bytes) -> None:
    """Put other words into an object, which git does not look at when it reads them."""
    path = origin / ".git" / "objects" / name[:2] / name[2:]
    path.unlink()
    path.write_bytes(zlib.compress(b"%s %d\0" % (kind.encode(), len(text)) + text))


def _nothing_is_left(folder: Path) -> bool:
    return not folder.exists() and not any(path.name.startswith(".there") for path in folder.parent.iterdir())


def test_a_forged_folder_is_never_taken_for_the_one_that_is_pinned(tmp_path: Path, origin: Path, git: Git) -> None:
    peer = of_repository(repository(origin))
    (origin / "evil").write_text("evil\n", encoding="utf-8")
    blob = git("hash-object", "-w", "evil")
    _forge(origin, git("rev-parse", "HEAD:empty"), "tree", b"100644 kept\0" + bytes.fromhex(blob))

    with pytest.raises(UsageFault, match=r"the tree [0-9a-f]{40} is not what its name says"):
        fetch(peer, tmp_path / "there", str(origin))
    assert _nothing_is_left(tmp_path / "there")


def test_a_forged_commit_is_never_taken_for_the_pin(tmp_path: Path, origin: Path, git: Git) -> None:
    pin = repository(origin)
    tree = git("rev-parse", "HEAD:empty")
    _forge(origin, pin, "commit", f"tree {tree}\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\na\n".encode())

    with pytest.raises(UsageFault, match=r"the commit [0-9a-f]{40} is not what its name says"):
        fetch(of_repository(pin), tmp_path / "there", str(origin))


def test_a_forged_file_is_neither_laid_down_nor_called_lacking(tmp_path: Path, origin: Path, git: Git) -> None:
    peer = of_repository(repository(origin))
    _forge(origin, git("rev-parse", "HEAD:program.txt"), "blob", b"two\n")

    with pytest.raises(UsageFault, match=r"the blob [0-9a-f]{40} is not what its name says"):
        fetch(peer, tmp_path / "there", str(origin))
    assert _nothing_is_left(tmp_path / "there")


def test_a_file_that_cannot_be_read_is_not_called_lacking(tmp_path: Path, origin: Path, git: Git) -> None:
    peer = of_repository(repository(origin))
    name = git("rev-parse", "HEAD:program.txt")
    path = origin / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(b"nothing that was ever packed")

    with pytest.raises(UsageFault, match="git could not read it"):
        fetch(peer, tmp_path / "there", str(origin))


def test_a_replacement_in_the_copy_replaces_nothing(tmp_path: Path, origin: Path, git: Git) -> None:
    peer = of_repository(repository(origin))
    (origin / "evil").write_text("two\n", encoding="utf-8")
    git("replace", git("rev-parse", "HEAD:program.txt"), git("hash-object", "-w", "evil"))

    fetch(peer, tmp_path / "there", str(origin))
    assert (tmp_path / "there" / "program.txt").read_text(encoding="utf-8") == "one\n"


@pytest.mark.parametrize("form", ["{}", "file://{}"], ids=["a folder", "a URL"])
def test_no_filter_of_the_users_own_changes_a_file(
    form: str, tmp_path: Path, origin: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(origin)
    (origin / ".gitattributes").write_text("*.txt filter=mine text eol=crlf ident\n", encoding="utf-8")
    git("add", ".")
    git("commit", "--quiet", "--message", "attributes")
    settings = tmp_path / "gitconfig"
    settings.write_text('[filter "mine"]\n\tsmudge = tr a-z A-Z\n[core]\n\tautocrlf = true\n', encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))

    stamp = fetch(of_repository(git("rev-parse", "HEAD")), tmp_path / "there", form.format(origin))

    assert (tmp_path / "there" / "program.txt").read_bytes() == b"one\n"
    assert stamp.digest == f"git tree {git('rev-parse', 'HEAD^{tree}')}"


def test_links_and_programs_are_laid_down_as_such(tmp_path: Path, origin: Path, git: Git) -> None:
    repository(origin)
    (origin / "link").symlink_to("program.txt")
    (origin / "run").write_text("#!/bin/sh\n", encoding="utf-8")
    (origin / "run").chmod(0o755)
    git("add", ".")
    git("commit", "--quiet", "--message", "more")

    fetch(of_repository(git("rev-parse", "HEAD")), tmp_path / "there", str(origin))

    assert (tmp_path / "there" / "link").readlink() == Path("program.txt")
    assert (tmp_path / "there" / "run").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "there" / "program.txt").stat().st_mode & 0o777 == 0o644


def test_a_lacking_file_with_a_line_break_in_its_name_is_one_file(tmp_path: Path, origin: Path, git: Git) -> None:
    repository(origin)
    (origin / "a\nb ü").write_text("three\n", encoding="utf-8")
    git("add", ".")
    git("commit", "--quiet", "--message", "more")
    name = git("rev-parse", "HEAD:a\nb ü")
    (origin / ".git" / "objects" / name[:2] / name[2:]).unlink()

    assert fetch(of_repository(git("rev-parse", "HEAD")), tmp_path / "there", str(origin)).lacking == ("a\nb ü",)


@pytest.mark.parametrize("name", [b"..", b".git", b"a/b"])
def test_a_tree_that_would_write_elsewhere_is_refused(name: bytes, tmp_path: Path, origin: Path, git: Git) -> None:
    repository(origin)
    blob = bytes.fromhex(git("rev-parse", "HEAD:program.txt"))
    trees = (b"100644 %s\0" % name) + blob
    digest = hashlib.sha1(b"tree %d\0" % len(trees) + trees, usedforsecurity=False).hexdigest()
    path = origin / ".git" / "objects" / digest[:2]
    path.mkdir(exist_ok=True)
    (path / digest[2:]).write_bytes(zlib.compress(b"tree %d\0" % len(trees) + trees))
    pin = git("commit-tree", "-m", "elsewhere", digest)

    with pytest.raises(UsageFault, match="no file can be called"):
        fetch(of_repository(pin), tmp_path / "there", str(origin))
    assert _nothing_is_left(tmp_path / "there")


@pytest.mark.parametrize("origin", ["--upload-pack=touch ran;", "-x", ""])
def test_an_origin_that_git_would_take_for_an_option_is_refused(
    origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageFault, match="this is no repository; give the URL or the folder of one"):
        fetch(of_repository("0" * 40), tmp_path / "there", origin)
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_begins_as_an_option_does_is_none_for_git(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with pytest.raises(UsageFault, match="git could not do it"):
        fetch(of_repository("0" * 40, source=f"--upload-pack=touch {ran};"), tmp_path / "there")
    assert not ran.exists()


def test_a_full_disk_is_told_with_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\necho 'fatal: write error: No space left on device' >&2\nexit 128\n", encoding="utf-8"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    with pytest.raises(UsageFault, match="No space left on device; make room on the disk"):
        fetch(of_repository("0" * 40), tmp_path / "there", "https://example.invalid/x.git")

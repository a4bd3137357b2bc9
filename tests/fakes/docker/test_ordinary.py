"""A process of root that goes on as an ordinary user: what it may do from there, and what it may not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tck_fakes.docker.order import ORDINARY
from tck_fakes.docker.ordinary import become_ordinary

ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root becomes somebody else")


def _becomes(folder: Path, code: str, listens: str = "None") -> str:
    """Run this in a process that becomes an ordinary user, and give what it prints."""
    begin = (
        "import os, socket, sys\nfrom pathlib import Path\nfrom tck_fakes.docker.ordinary import become_ordinary\n"
        f"become_ordinary(Path({str(folder)!r}), {listens})\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", begin + code], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


@ROOT
def test_it_is_the_ordinary_user_and_owns_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_text("x", encoding="utf-8")
    (tmp_path / "link").symlink_to("/etc/passwd")
    code = "print(os.getuid(), os.geteuid(), os.getgid(), os.getgroups())"
    assert _becomes(tmp_path, code) == f"{ORDINARY} {ORDINARY} {ORDINARY} []"
    assert {path.lstat().st_uid for path in (tmp_path, *tmp_path.rglob("*"))} == {ORDINARY}
    assert Path("/etc/passwd").stat().st_uid == 0


@ROOT
@pytest.mark.parametrize(
    "attempt",
    [
        "Path('held').write_text('x')",
        "Path('held').unlink()",
        "Path('held').chmod(0o777)",
        "os.chown('held', 1, 1)",
        "os.kill(1, 0)",
        "os.mkdir('new')",
    ],
)
def test_what_belongs_to_root_is_safe_from_it(tmp_path: Path, attempt: str) -> None:
    folder, roots = tmp_path / "mine", tmp_path / "roots"
    folder.mkdir()
    roots.mkdir()
    (roots / "held").write_text("root's", encoding="utf-8")
    assert "Operation not permitted" in (said := _becomes(folder, f"os.chdir({str(roots)!r})\n{attempt}")) or (
        "Permission denied" in said
    )


@ROOT
def test_it_can_read_where_python_lies_for_root_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    (hidden / "module").write_text("found", encoding="utf-8")
    (hidden / "module").chmod(0o600)
    assert _becomes(tmp_path / "mine", f"print(Path({str(hidden / 'module')!r}).read_text())") == "found"


@ROOT
@pytest.mark.parametrize(("mode", "answer"), [(0o660, "connected"), (0o600, "PermissionError")])
def test_it_may_use_the_socket_that_a_group_may_use(tmp_path: Path, mode: int, answer: str) -> None:
    (tmp_path / "mine").mkdir()
    tmp_path.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        os.chown(tmp_path / "s", 0, 54321)
        (tmp_path / "s").chmod(mode)
        code = f"link = socket.socket(socket.AF_UNIX)\nlink.connect({str(tmp_path / 's')!r})\nprint('connected')"
        assert answer in _becomes(tmp_path / "mine", code, f"Path({str(tmp_path / 's')!r})")


def test_whoever_is_ordinary_already_stays_who_that_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)

    def refused(*_: object) -> None:
        raise AssertionError

    for name in ("setresuid", "setresgid", "setgroups", "lchown"):
        monkeypatch.setattr(os, name, refused)
    become_ordinary(tmp_path, None)

"""An engine that runs as another user than the kit: what it may start, and whose what it leaves is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_driver.witness import CliAnswered
from tck_fakes.direct import other_user

from .box import Box, fresh, resume
from .desk import Desk
from .outside import PATIENCE, Outside

NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")


@pytest.mark.parametrize("user", ["", "0:0", "agent", "agent:1", "7", "-1:7"])
def test_a_caller_that_is_the_kit_s_own_user_or_no_number_is_no_other_user(user: str) -> None:
    assert other_user(user) is None


@root_only
def test_a_number_and_a_group_are_another_user_to_root() -> None:
    assert other_user(f"{NOBODY}:7") == (NOBODY, 7)


@root_only
def test_what_a_stand_in_leaves_is_its_caller_s(box: Box) -> None:
    for name in ("home", "work"):
        (box.root / name).mkdir()
        os.chown(box.root / name, 7, 7)
    desk = Desk(box, {"HOME": str(box.root / "home")})
    assert desk.start("claude", *fresh("claude", "hello"), cwd=str(box.root / "work")).code == 0
    left = [*(box.root / "home").rglob("*")]
    assert {(path.stat().st_uid, path.stat().st_gid) for path in left} == {(7, 7)}
    assert any(path.is_file() for path in left)


@root_only
def test_nobody_gets_the_kit_to_write_where_he_could_not(box: Box) -> None:
    for name in ("home", "work"):
        (box.root / name).mkdir(mode=0o755)
    desk = Desk(box, {"HOME": str(box.root / "home")})
    desk.start("claude", *fresh("claude", "hello"), cwd=str(box.root / "work"))
    assert [*(box.root / "home").rglob("*")] == []
    assert [answer.saved for answer in box.witness.of(CliAnswered)] == [False]


@pytest.fixture
def outside(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    folder = tmp_path_factory.mktemp("served")
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)
    made = Outside(box, folder / "bin", folder / "socket")
    made.socket.chmod(0o666)
    yield made
    made.listener.close()


def test_the_programs_can_be_read_and_started_by_everybody(outside: Outside) -> None:
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in outside.folder.iterdir()}
    assert {modes.pop(".client.pyc"), *modes.values()} == {0o644, 0o755}
    assert stat.S_IMODE(outside.folder.stat().st_mode) == 0o755


@root_only
def test_another_user_s_process_starts_a_cli_and_can_read_its_session(outside: Outside, tmp_path: Path) -> None:
    interpreter = Path(os.path.realpath(sys.executable))
    if not interpreter.stat().st_mode & stat.S_IXOTH or not all(
        above.stat().st_mode & stat.S_IXOTH for above in (*interpreter.parents, *tmp_path.parents[2:])
    ):
        pytest.skip("another user cannot get to the interpreter")
    home = outside.folder.parent / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)

    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            env=outside.environment({"HOME": str(home)}),
            cwd=home,
            user=NOBODY,
            group=NOBODY,
            extra_groups=(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    assert run("claude", *fresh("claude", "first")).returncode == 0
    (session,) = [answer.session_id for answer in outside.box.witness.of(CliAnswered)]
    read = run("sh", "-c", 'cat "$HOME"/.claude/projects/*/*.jsonl')
    assert (read.returncode, "first" in read.stdout) == (0, True)
    assert run("claude", *resume("claude", str(session), "second")).returncode == 0

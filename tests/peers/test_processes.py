"""Processes of a peer: run within a time, and found again by the HOME that they have."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tck_driver.errors import EngineTimeoutError
from tck_peers.processes import end_all, left_over, run, running, start

ON_LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found where /proc is")
SLEEPS = (sys.executable, "-c", "import time; time.sleep(60)")


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.defpath}


def test_a_process_is_told_by_its_exit_code_and_what_it_wrote(tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    ended = run((sys.executable, "-c", code), environment=environment(tmp_path), cwd=tmp_path, seconds=30)
    assert (ended.code, ended.out, ended.err) == (3, "out\n", "err\n")


def test_bytes_that_are_no_text_do_not_break_it(tmp_path: Path) -> None:
    code = r"import os; os.write(1, b'\xff\xfe')"
    ended = run((sys.executable, "-c", code), environment=environment(tmp_path), cwd=tmp_path, seconds=30)
    assert ended.out == "��"


@ON_LINUX
def test_a_process_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    code = f"import subprocess; subprocess.run({list(SLEEPS)!r})"
    with pytest.raises(EngineTimeoutError, match=r"did not end within 0\.5 s"):
        run((sys.executable, "-c", code), environment=environment(tmp_path), cwd=tmp_path, seconds=0.5)
    assert left_over(tmp_path, 5.0) == ()


@ON_LINUX
def test_processes_are_found_by_their_home_whoever_started_them(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    with start(SLEEPS, environment=environment(here), cwd=tmp_path) as one:
        with start(SLEEPS, environment=environment(elsewhere), cwd=tmp_path) as other:
            try:
                assert [left.pid for left in left_over(here, 0.0)] == [one.pid]
                end_all(here)
                assert one.wait(5.0) < 0
                assert running(here) == ()
                assert other.poll() is None
            finally:
                end_all(elsewhere)
                other.communicate()
        one.communicate()

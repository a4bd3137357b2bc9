"""Processes of a peer: run within a time, and found again by the HOME that they have."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tck_driver.errors import EngineTimeoutError
from tck_peers.processes import end_all, left_over, parent_of, run, running, start

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
def test_nobody_waits_for_what_holds_the_output_of_a_process_that_took_too_long(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    # In a session and with a home of its own, so that neither leads to it.
    code = (
        "import pathlib, subprocess, time\n"
        f"one = subprocess.Popen({list(SLEEPS)!r}, start_new_session=True, env={{'HOME': '/elsewhere'}})\n"
        f"pathlib.Path({str(told)!r}).write_text(str(one.pid))\n"
        "time.sleep(60)"
    )
    try:
        with pytest.raises(EngineTimeoutError):
            run((sys.executable, "-c", code), environment=environment(tmp_path), cwd=tmp_path, seconds=2.0)
        # It still holds it: nobody could have read to the end.
        os.kill(int(told.read_text(encoding="utf-8")), 0)
    finally:
        os.kill(int(told.read_text(encoding="utf-8")), signal.SIGKILL)


@ON_LINUX
def test_what_left_the_group_of_a_process_that_took_too_long_is_ended_by_its_home(tmp_path: Path) -> None:
    code = f"import subprocess, time; subprocess.Popen({list(SLEEPS)!r}, start_new_session=True); time.sleep(60)"
    with pytest.raises(EngineTimeoutError):
        run((sys.executable, "-c", code), environment=environment(tmp_path), cwd=tmp_path, seconds=2.0)
    assert running(tmp_path) == ()


@ON_LINUX
def test_processes_are_found_by_whom_they_descend_from_whatever_home_they_have(tmp_path: Path) -> None:
    code = f"import subprocess; subprocess.run({list(SLEEPS)!r}, env={{'HOME': '/elsewhere'}})"
    with start((sys.executable, "-c", code), environment=environment(tmp_path), cwd=tmp_path) as parent:
        until = time.monotonic() + 20
        while not (found := running(tmp_path / "none", parent.pid)) and time.monotonic() < until:
            time.sleep(0.02)
        assert len(found) == 1
        assert parent_of(found[0].pid) == parent.pid
        end_all(tmp_path / "none", parent.pid)
        parent.communicate()


@ON_LINUX
def test_processes_are_found_by_their_home_whoever_started_them(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    with start(SLEEPS, environment=environment(here), cwd=tmp_path) as one:
        with start(SLEEPS, environment=environment(elsewhere), cwd=tmp_path) as other:
            try:
                # For a moment after its start a process has no variables yet.
                until = time.monotonic() + 20
                while not running(here) and time.monotonic() < until:
                    time.sleep(0.01)
                assert [left.pid for left in left_over(here, 0.0)] == [one.pid]
                end_all(here)
                assert one.wait(5.0) < 0
                assert running(here) == ()
                assert other.poll() is None
            finally:
                end_all(elsewhere)
                other.communicate()
        one.communicate()

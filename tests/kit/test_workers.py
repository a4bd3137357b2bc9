"""What a run leaves behind: nothing, not even what an earlier one could not take away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tck_kit.workers import Workers, memory_folder, undisturbed


def _home() -> Path:
    return memory_folder() or Path(tempfile.gettempdir())


def test_the_folder_of_a_run_that_was_killed_goes_with_the_next_run() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = _home() / f"session-tck-{gone.pid}-test"
    (left / "worker-0").mkdir(parents=True)

    with Workers(0) as pool:
        assert pool.folder.is_dir()
        assert not left.exists()
    assert not pool.folder.exists()


def test_the_folder_of_a_run_that_goes_on_stays() -> None:
    with Workers(0) as one, Workers(0) as other:
        assert one.folder.is_dir()
        assert other.folder.is_dir()


def _interrupted(reached: list[str]) -> None:
    with undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
        reached.append("the end")


def test_an_interrupt_waits_until_what_was_begun_is_known() -> None:
    reached: list[str] = []

    with pytest.raises(KeyboardInterrupt):
        _interrupted(reached)

    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

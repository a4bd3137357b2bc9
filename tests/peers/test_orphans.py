"""What a peer leaves running stays in the driver's family, and a driver ends as it would alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where the system adopts orphans by wish")
#: Has a child that leaves a process in a session of its own, with another home, and ends; tells what is found of it.
PROGRAM = """
import subprocess, sys, time
from pathlib import Path
from tck_peers.orphans import keep_orphans
from tck_peers.processes import end_all, parent_of, running
root = keep_orphans()
sleeps = [sys.executable, "-c", "import time; time.sleep(60)"]
child = f"import subprocess; subprocess.Popen({sleeps!r}, start_new_session=True, env=dict(HOME='/elsewhere'))"
subprocess.run([sys.executable, "-c", child], check=True)
(left,) = running(Path("/none"), root)
print(parent_of(left.pid) == root)
end_all(Path("/none"), root)
# Whoever has ended is taken note of, or an engine that waits for that would wait for ever.
until = time.monotonic() + 20
while Path(f"/proc/{left.pid}").exists() and time.monotonic() < until:
    time.sleep(0.02)
print(Path(f"/proc/{left.pid}").exists(), sys.stdin.read())
"""


def _run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", program], input="heard", capture_output=True, text=True, check=False
    )


def test_a_process_whose_parent_has_ended_is_still_found_and_taken_note_of() -> None:
    done = _run(PROGRAM)
    assert (done.returncode, done.stdout.split()) == (0, ["True", "False", "heard"]), done.stderr


@pytest.mark.parametrize(("how", "code"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", -9), ("None", 0)])
def test_a_driver_ends_as_it_would_alone(how: str, code: int) -> None:
    done = _run(f"import os, sys; from tck_peers.orphans import keep_orphans; keep_orphans(); {how}")
    assert done.returncode == code


def test_a_driver_does_not_outlive_the_process_that_stays_behind() -> None:
    program = (
        "import os, time; from tck_peers.orphans import keep_orphans; keep_orphans()\n"
        "print(os.getpid(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-P", "-c", program], stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        assert int(one.stdout.readline()) != one.pid
        one.kill()
        # Its end closes the pipe.
        assert not one.stdout.read()

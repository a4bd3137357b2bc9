"""How long peers take: the whole profile run of each that is on this machine, and a quick one, over what is granted.

Prints wall seconds, the share of the seconds that are granted, and the same over a run of the simulator by the profile
continuity, which was made just before on the same machine. A peer that is not there is said, and not measured.

    python benchmarks/bench_peers.py [NAME...]
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Final

from tck_kit.peers.table import PEERS
from tck_reports.outcomes import ExitCode

#: Seconds that are granted: to a whole run, and to a quick one.
WHOLE, QUICK = 600.0, 180.0
#: A peer may fail what it is held against; it has been run all the same.
_RUN: Final = (ExitCode.CONFORMANT, ExitCode.NONCONFORMANT)
_TCK: Final = (sys.executable, "-P", "-m", "tck_kit.command_line")


def main() -> None:
    """Measure, and print."""
    inside, _ = _timed("run", "--engine", "sim:continuity", "--seed", "1", "--no-project-file")
    print(f"the simulator by the profile continuity: {inside:.1f} s")
    print("peer             whole   of 600 s  over the simulator     quick   of 180 s")
    for name in sys.argv[1:] or PEERS:
        whole, code = _timed("peers", "run", name, "--seed", "1")
        if code not in _RUN:
            print(f"{name:13}  not measured: exit code {code}")
            continue
        quick, _ = _timed("peers", "run", name, "--quick", "--seed", "1")
        ratios = f"{whole / WHOLE:9.0%} {whole / inside:19.1f}"
        print(f"{name:13} {whole:6.1f} s {ratios} {quick:8.1f} s {quick / QUICK:9.0%}")


def _timed(*words: str) -> tuple[float, int]:
    begun = time.perf_counter()
    done = subprocess.run((*_TCK, *words), capture_output=True, check=False)
    return time.perf_counter() - begun, done.returncode


if __name__ == "__main__":
    main()

"""How long all formats of a run take to render, over what the run itself took.

    python benchmarks/bench_rendering.py REPORT...

Each report is rendered in a process of its own, as after a run: importing what a format needs is part of it, reading
the report is not. Rendering waits for nothing, so its processor time is what it takes where nothing else is done. The
aim is a tenth of the run.
"""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

AIM = 0.10
TIMES = 3


def rendered(path: Path) -> None:
    """Print the seconds that each format took, its bytes, and the sum."""
    from tck_reports.reading import read  # noqa: PLC0415 -- in a process of its own only

    report = read(path)
    started = time.process_time()
    from tck_reports.formats import table as formats  # noqa: PLC0415 -- measured
    from tck_reports.formats.bounded import bounded  # noqa: PLC0415 -- the same
    from tck_reports.report import encode  # noqa: PLC0415 -- the same

    short = bounded(report)
    before = time.process_time()
    print(f"{'bounds':<16} {before - started:8.3f} s")
    for one in formats.ALL:
        size = len(one.render(short).encode())
        now = time.process_time()
        print(f"{one.file:<16} {now - before:8.3f} s {size:>10,} bytes")
        before = now
    encode(report)
    print(f"{'report.json':<16} {time.process_time() - before:8.3f} s")
    took = time.process_time() - started
    begun, ended = (datetime.fromisoformat(report["run"][word]) for word in ("started", "finished"))
    wall = (ended - begun).total_seconds()
    print(f"sum {took:.3f} s of a run of {wall:.1f} s: {took / wall:.4f}")


def main() -> int:
    """Measure each report a few times, and judge the best of them."""
    if sys.argv[1:2] == ["--once"]:
        rendered(Path(sys.argv[2]))
        return 0
    late = 0
    for path in sys.argv[1:]:
        outputs = [
            subprocess.run(
                [sys.executable, __file__, "--once", path], capture_output=True, text=True, check=True
            ).stdout
            for _ in range(TIMES)
        ]
        best = min(outputs, key=lambda output: float(output.split()[-1]))
        ratio = float(best.split()[-1])
        print(f"{path}\n{best}{'within' if ratio < AIM else 'beyond'} the aim of {AIM}\n")
        late += ratio >= AIM
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())

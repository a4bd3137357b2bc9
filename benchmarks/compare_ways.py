"""Says whether runs of one engine and seed, reached in different ways, gave the same, with all that was looked at.

Used as `python benchmarks/compare_ways.py REPORT.json REPORT.json...`; exit code 1 where something differs.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

#: The folder of a scenario and the times of files, which are other ones in each run, and the user, who on a real
#: container engine is never root.
_OF_THE_RUN = re.compile(r'/[^"\s]*/worker-\d+/scenarios/\d+|\b1\d{18}\b|(?<="user": ")\d+:\d+')


def read(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give outcome and evidence of each requirement, and what each check gave, without folders and times."""
    report = json.loads(_OF_THE_RUN.sub("<…>", Path(path).read_text(encoding="utf-8")))
    requirements = {one["id"]: (one["outcome"], one["evidence"]) for one in report["requirements"]}
    return requirements, {one["id"]: {**one, "duration_ms": 0} for one in report["checks"]}


def main() -> int:
    """Compare, and print what differs."""
    first, *others = [(path, *read(path)) for path in sys.argv[1:]]
    different = 0
    for path, requirements, checks in others:
        for name, before, now in (("requirement", first[1], requirements), ("check", first[2], checks)):
            wrong = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
            different += len(wrong)
            print(f"{path}: {len(now) - len(wrong)} of {len(before)} {name}s as in {first[0]}", *wrong[:10], sep="\n  ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

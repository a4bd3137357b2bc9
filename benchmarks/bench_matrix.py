"""What `session-tck matrix` takes for a thousand reports, and how soon its main page can be used in a browser.

The reports are made here, by the kit's own grading and writer: 120 requirements with one to two checks each, forty
engines with twenty-five versions, some of which fail some. The whole process is measured as a user starts it, with all
of its children: their memories are added up, shared pages more than once. With --real FILE, copies of a real report,
each on a version of its own, are put together as well. What is in the folder of --keep already is not made again.

    python benchmarks/bench_matrix.py [--reports N] [--requirements N] [--real FILE] [--real-reports N] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import psutil

from tck_reports.grading import grade
from tck_reports.outcomes import Outcome
from tck_reports.reading import read
from tck_reports.records import (
    CheckRecord,
    Control,
    Declaration,
    Expectation,
    Implementation,
    KitFacts,
    RequirementEntry,
    RunFacts,
    SpecFacts,
)
from tck_reports.report import build, content_digest, encode
from tck_reports.verdict import conclude

AREAS = ("NAME", "RESUME", "FALLBACK", "OFF", "ISOLATE", "CLEAN", "CONTRACT", "CAPABILITY", "RECORD")
VERSIONS = 25
BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)
MEBI = 1024 * 1024
#: Seconds between two looks at the memory.
PACE = 0.02
#: Asked of the page once it is there: when its scripts had run, and when the first thing could be seen.
TIMES = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [page.domInteractive, page.loadEventEnd, paint ? paint.startTime : 0];
}"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took, its children included."""

    seconds: float
    processor: float
    mebibytes: float


def requirements(count: int) -> list[RequirementEntry]:
    """Return the requirements of a specification of this size."""
    made: list[RequirementEntry] = []
    for place in range(count):
        area = AREAS[place * len(AREAS) // count]
        status = "proposed" if place % 3 == 0 else "agreed"
        text = f"The engine MUST, at run {place} of an issue mailbox, do what the rules of {area} say of sessions" * 2
        made.append(
            RequirementEntry(
                id=f"{area}-{place + 1}",
                area=area,
                level="MUST",
                status=status,
                profile="hardened" if status == "proposed" else "core",
                section=f"{place // 9}.{place % 9}",
                anchor=f"{area.lower()}-{place}",
                text=text,
                text_digest=sha256(text.encode()).hexdigest(),
            )
        )
    return made


def records(entries: Sequence[RequirementEntry], drawn: random.Random, failing: float) -> Iterator[CheckRecord]:
    """Yield one or two checks for each requirement, with as many expectations as real ones have."""
    for place, entry in enumerate(entries):
        for number in range(1 + place % 2):
            failed = drawn.random() < failing
            looked = [
                Expectation(
                    f"what the run of the issue that comes {step} was given",
                    ["--", "--format", "--model", f"--resume=s-{step}", "<prompt>"],
                    [
                        "--",
                        "--format",
                        "--model",
                        "--fresh" if failed and step == 3 else f"--resume=s-{step}",
                        "<prompt>",
                    ],
                    not (failed and step == 3),
                    "witnessed" if place % 4 else "reported",
                    (f"argv: claude --resume s-{step}", f"log: run {step} began"),
                )
                for step in range(6)
            ]
            yield CheckRecord(
                id=f"{entry.area.lower()}/runs.feature::A run does what {entry.id} says[{number}]",
                scenario=f"A run does what {entry.id} says[issue-42 → {number}]",
                feature=f"{entry.area.lower()}/runs.feature:{place}",
                requirements=(entry.id,),
                outcome=Outcome.FAILED if failed else Outcome.PASSED,
                reason="assertion" if failed else None,
                blame="engine" if failed else None,
                expectations=tuple(looked),
                duration_ms=drawn.random() * 100,
                steps=tuple(f"Given the issue had {step} runs before" for step in range(6)),
                failed_step="Then it resumes" if failed else None,
            )


def write_report(folder: Path, entries: Sequence[RequirementEntry], number: int) -> None:
    """Write the report of one version of one engine; later versions fail less."""
    engine, version = divmod(number, VERSIONS)
    drawn = random.Random(number)  # noqa: S311 -- nothing secret is drawn
    checks = list(records(entries, drawn, max(0.0, 0.2 - engine * 0.005 - version * 0.008)))
    grading = grade(entries, checks, {one.id: one.requirements for one in checks}, profiles=("core", "hardened"))
    begun = BEGINNING + timedelta(days=30 * version, minutes=engine)
    controls = [Control("silent engine", "failed", "failed")]
    report = build(
        kit=KitFacts("0.1.0", "0" * 64),
        spec=SpecFacts("session-resume", "1.0.0", "0" * 64, "1" * 64),
        implementation=Implementation(f"engine {engine}", f"1.{version}.0", "Python", "https://engine.example"),
        declared=Declaration(("core", "hardened"), {}),
        run=RunFacts(
            seed=number,
            argv=("session-tck", "run"),
            started=begun.isoformat(),
            finished=(begun + timedelta(minutes=1)).isoformat(),
            host={"system": "Linux"},
            workers=2,
            transport="stdio",
            budgets={"run": 900.0},
        ),
        grading=grading,
        conclusion=conclude(grading, controls=controls),
        controls=controls,
    )
    place = folder / f"engine-{engine}" / f"1.{version}.0"
    place.mkdir(parents=True)
    (place / "report.json").write_bytes(encode(report))


def write_some(folder: Path, count: int, numbers: Sequence[int]) -> None:
    """Write these reports; a process does some of them."""
    entries = requirements(count)
    for number in numbers:
        write_report(folder, entries, number)


def write_reports(folder: Path, reports: int, count: int) -> None:
    """Write this many reports on this many requirements."""
    parts = [range(start, reports, 8) for start in range(8)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for written in [pool.submit(write_some, folder, count, part) for part in parts]:
            written.result()


def write_copies(folder: Path, real: Path, reports: int) -> None:
    """Write copies of a real report, each on a version of its own."""
    report = read(real)
    for number in range(reports):
        report["implementation"]["version"] = f"1.{number}.0"
        report["digest"] = content_digest(report)
        (folder / f"{number}.json").write_bytes(encode(report))


def measured(words: Sequence[str]) -> Cost:
    """Run a command to its end, and look at the memory of all its processes meanwhile."""
    begun, used = time.perf_counter(), _used()
    process = psutil.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _resident(process))
        time.sleep(PACE)
    seconds = time.perf_counter() - begun
    if process.returncode != 0:
        said = process.stderr.read().decode() if process.stderr else ""
        raise SystemExit(f"{' '.join(words)} failed, a figure of it means nothing:\n{said[-2000:]}")
    return Cost(seconds, _used() - used, peak / MEBI)


def _used() -> float:
    """Return the processor time of all children so far, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _resident(process: psutil.Process) -> int:
    total = 0
    try:
        for one in (process, *process.children(recursive=True)):
            try:
                total += one.memory_info().rss
            except psutil.Error:
                continue
    except psutil.Error:
        pass
    return total


def interactive(site: Path, times: int) -> list[list[float]] | None:
    """Open the main page several times, from the disk; return what each took in milliseconds, or None."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if find_spec("playwright") is None or program is None:
        return None
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- an optional package

    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        taken: list[list[float]] = []
        for _ in range(times):
            page = browser.new_page()
            page.goto((site / "index.html").as_uri(), wait_until="load")
            taken.append(page.evaluate(TIMES))
            page.close()
        browser.close()
    return taken


def tell(what: str, reports: Path, site: Path, *, browser: bool) -> None:
    """Make the site, and print what it took."""
    size = sum(path.stat().st_size for path in reports.rglob("*.json"))
    count = sum(1 for _ in reports.rglob("*.json"))
    print(f"\n{what}: {count} reports, {size / MEBI:,.0f} MiB")
    words = [sys.executable, "-P", "-m", "tck_kit.command_line", "matrix", str(reports), "-o", str(site)]
    cost = measured(words)
    files = [path for path in site.rglob("*") if path.is_file()]
    largest = max(files, key=lambda path: path.stat().st_size if path.suffix == ".html" else 0)
    print(f"{'wall':28}{cost.seconds:10.2f} s")
    print(f"{'processor':28}{cost.processor:10.2f} s")
    print(f"{'peak, all processes':28}{cost.mebibytes:10.0f} MiB")
    print(f"{'site':28}{sum(path.stat().st_size for path in files) / MEBI:10.1f} MiB in {len(files)} files")
    print(f"{'largest page':28}{largest.stat().st_size / MEBI:10.2f} MiB, {largest.relative_to(site)}")
    data = (site / "data" / "matrix.json").read_bytes()
    print(f"{'data/matrix.json':28}{len(data) / MEBI:10.2f} MiB, {len(json.loads(data)['engines'])} engines")
    if browser:
        taken = interactive(site, 5)
        if taken is None:
            print("there is no Chromium with playwright here: the main page was not opened")
            return
        ready, loaded, painted = sorted(taken, key=lambda one: one[1])[len(taken) // 2]
        print(f"{'main page interactive':28}{ready:10.0f} ms, loaded {loaded:.0f} ms, first paint {painted:.0f} ms")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure session-tck matrix.")
    parser.add_argument("--reports", type=int, default=1000)
    parser.add_argument("--requirements", type=int, default=120)
    parser.add_argument("--real", type=Path, help="a real report.json to be copied")
    parser.add_argument("--real-reports", type=int, default=200, help="how many copies of it  [default: 200]")
    parser.add_argument("--keep", type=Path, help="leave reports and sites in this folder")
    return parser.parse_args()


def main() -> None:
    """Measure, and print."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as temporary:
        place = asked.keep or Path(temporary)
        made, real = place / "made", place / "real"
        if not made.exists():
            write_reports(made, asked.reports, asked.requirements)
        tell(f"made, {asked.requirements} requirements", made, place / "made-site", browser=True)
        if asked.real:
            if not real.exists():
                real.mkdir()
                write_copies(real, asked.real, asked.real_reports)
            tell("copies of a real report", real, place / "real-site", browser=False)


if __name__ == "__main__":
    main()

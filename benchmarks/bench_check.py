"""What `session-tck check` takes for a document and for a folder of them, against peers; and how that grows with size.

The whole process is measured, as a user starts it, without looking inside diagrams. The peers are markdownlint-cli2 for
the document and remark with remark-validate-links for the folder, which check less and other things; they are installed
with npm below build/ where there is one. Each is run several times, in turns; times depend on the machine, the ratios
of their medians are what to compare.

    python benchmarks/bench_check.py [--document FILE] [--folder FOLDER] [--repetitions N] [--sizes MB,MB,…]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "build" / "peers"
PACKAGES = ("markdownlint-cli2@0.22.1", "remark-cli@12.0.1", "remark-validate-links@13.1.0")
KILO, MEGA = 1_000, 1_000_000
DOCUMENT, FOLDER, FILES = 160 * KILO, MEGA, 90
SIZES = "0.16,1,5,10,20"
#: Seconds for a megabyte may differ by this much between the sizes of a curve that is called linear.
LINEAR = 1.5
WORDS = (
    *("kettle", "client", "server", "session", "request", "answer", "header", "token", "field", "value", "state"),
    *("engine", "record", "message", "frame", "retry", "limit", "order", "reply", "queue", "lease", "owner", "cache"),
    *("region", "key", "node", "stream", "offset", "batch", "schema", "event", "clock"),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took."""

    seconds: float
    processor: float
    mebibytes: float


class Author:
    """Writes specifications that have nothing wrong with them, the same ones for the same seed."""

    def __init__(self, seed: int, others: Sequence[str] = ()) -> None:
        """`others` are files that may be linked."""
        self._random = random.Random(seed)  # noqa: S311 -- nothing secret is drawn
        self._others = others

    def document(self, size: int) -> str:
        """Write a document of about this many characters."""
        parts = [
            "# Protocol of the kettle\n",
            f"Version: 1.0\n\n{self._paragraph(3, ())}\n\n[home]: https://example.org\n",
        ]
        sections: list[tuple[str, str]] = []
        written = sum(map(len, parts))
        for number in _numbers(size):
            if written >= size:
                break
            text = self._section(number, sections)
            parts.append(text)
            written += len(text)
        return "\n".join(parts)

    def _section(self, number: str, sections: list[tuple[str, str]]) -> str:
        title = f"The {self._words(2)} of {self._random.choice(WORDS)}"
        slug = f"{number.replace('.', '')}-{title.lower().replace(' ', '-')}"
        level = "#" * (number.count(".") + 2)
        parts = [f"{level} {number} {title}\n", self._paragraph(4, sections) + "\n"]
        kinds = (self._list, self._table, self._code, self._quote)
        for kind in self._random.sample(kinds, 2):
            parts += [kind(sections) + "\n", self._paragraph(3, sections) + "\n"]
        sections.append((number, slug))
        return "\n".join(parts)

    def _words(self, count: int) -> str:
        return " ".join(self._random.choice(WORDS) for _ in range(count))

    def _sentence(self, sections: Sequence[tuple[str, str]]) -> str:
        number, slug = self._random.choice(sections[-200:]) if sections else ("", "")
        word = self._random.choice(WORDS)
        choices = [
            f"The {self._words(2)} **{word}** holds `{self._random.choice(WORDS)}_id` of {self._words(6)}.",
            f"A {word} MUST NOT send the {self._words(3)} before its {self._words(2)} has ended.",
            f"Every {word} is kept for {self._random.randint(2, 90)} s, *then* forgotten with the {self._words(4)}.",
            f"The [home] page tells more about {self._words(5)}, and so does <https://example.org/{word}>.",
            f"The {self._words(9)}, where the {self._words(5)}.",
        ]
        if sections:
            choices += [
                f"How the {self._words(3)} begins is told in [§{number}](#{slug}).",
                f"The {self._random.choice(WORDS)} follows Section {number} as the {self._words(4)} does.",
            ]
        if self._others:
            choices.append(f"Read [another part]({self._random.choice(self._others)}) about {self._words(4)}.")
        return self._random.choice(choices)

    def _paragraph(self, sentences: int, sections: Sequence[tuple[str, str]]) -> str:
        return "\n".join(self._sentence(sections) for _ in range(sentences))

    def _list(self, sections: Sequence[tuple[str, str]]) -> str:
        return "\n".join(f"- {self._sentence(sections)}" for _ in range(5))

    def _table(self, sections: Sequence[tuple[str, str]]) -> str:
        rows = [f"| `{word}_{row}` | {self._sentence(sections)} | yes |" for row, word in enumerate(WORDS[:6])]
        return "\n".join(["| field | meaning | required |", "|---|---|---|", *rows])

    def _code(self, _: Sequence[tuple[str, str]]) -> str:
        lines = [f'  "{self._random.choice(WORDS)}": "{self._words(3)}",' for _ in range(8)]
        return "\n".join(["```json", "{", *lines, "}", "```"])

    def _quote(self, sections: Sequence[tuple[str, str]]) -> str:
        return "\n".join(f"> {self._sentence(sections)}" for _ in range(2))


def _numbers(size: int) -> Iterator[str]:
    """Yield numbers of sections; there are less than a hundred chapters in the largest document, too."""
    parts = max(5, size // (50 * KILO))
    for chapter in range(1, 100):
        yield f"{chapter}"
        for part in range(1, parts + 1):
            yield f"{chapter}.{part}"


def write_folder(folder: Path, size: int, files: int) -> Path:
    """Write files that link each other, of this size together."""
    folder.mkdir()
    names = [f"part-{number}.md" for number in range(files)]
    for number, name in enumerate(names):
        (folder / name).write_text(Author(number, names).document(size // files), "utf-8")
    return folder


def measured(words: Sequence[str], where: Path) -> Cost:
    """Run a command to its end; findings are no failure."""
    begun = time.perf_counter()
    process = subprocess.Popen(words, cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1) or b"Traceback" in said or b"Cannot " in said:
        raise SystemExit(f"{' '.join(words)} failed, a figure of it means nothing:\n{said.decode()[-2000:]}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def check(path: Path) -> list[str]:
    """Return the command that checks a file or a folder."""
    return [sys.executable, "-P", "-m", "tck_kit.command_line", "check", "--no-mermaid", str(path)]


def install_peers() -> Path | None:
    """Install the peers, once; return the folder of their commands, or None where there is no npm."""
    commands = PEERS / "node_modules" / ".bin"
    npm = shutil.which("npm")
    if npm is None:
        print("there is no npm here: nothing to compare with")
        return None
    if not all((commands / name).exists() for name in ("markdownlint-cli2", "remark")):
        PEERS.mkdir(parents=True, exist_ok=True)
        (PEERS / "package.json").write_text('{"private": true}\n', "utf-8")
        done = subprocess.run(
            [npm, "install", "--no-fund", "--no-audit", *PACKAGES],
            cwd=PEERS,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(f"the peers cannot be installed, so there is nothing to compare with: {done.stderr.strip()[-300:]}")
            return None
    return commands


def compare(what: str, ours: Sequence[str], peer: str, theirs: Sequence[str], *, where: Path, times: int) -> None:
    """Run both in turns, and print the medians and their ratio."""
    costs: dict[str, list[Cost]] = {"session-tck": [], peer: []}
    for _ in range(times):
        costs["session-tck"].append(measured(ours, where))
        if theirs:
            costs[peer].append(measured(theirs, where))
    print(f"\n{what}, medians of {times}")
    print(f"{'':24}{'wall':>10}{'processor':>12}{'peak':>10}")
    middle = {name: median(several) for name, several in costs.items() if several}
    for name, cost in middle.items():
        print(f"{name:24}{cost.seconds:8.2f} s{cost.processor:10.2f} s{cost.mebibytes:6.0f} MiB")
    if peer in middle:
        mine, other = middle["session-tck"], middle[peer]
        print(f"{'ratio':24}{mine.seconds / other.seconds:10.2f}{mine.processor / other.processor:12.2f}")


def median(costs: Sequence[Cost]) -> Cost:
    """Return the medians of each figure."""
    return Cost(
        statistics.median(one.seconds for one in costs),
        statistics.median(one.processor for one in costs),
        statistics.median(one.mebibytes for one in costs),
    )


def growth(folder: Path, sizes: Sequence[float]) -> None:
    """Check one document of each size, and print how the time grows."""
    print("\none document, by its size")
    print(f"{'MB':>6}{'wall':>10}{'processor':>12}{'MB/s':>8}{'peak':>10}{'MiB a MB':>10}")
    pace: list[float] = []
    for size in sizes:
        path = folder / f"{size}.md"
        path.write_text(Author(1).document(int(size * MEGA)), "utf-8")
        real = path.stat().st_size / MEGA
        cost = measured(check(path), folder)
        line = f"{real:6.2f}{cost.seconds:8.2f} s{cost.processor:10.2f} s{real / cost.processor:8.2f}"
        print(f"{line}{cost.mebibytes:6.0f} MiB{cost.mebibytes / real:10.0f}", flush=True)
        path.unlink()
        # Below a megabyte the start of the process is most of it.
        if size >= 1:
            pace.append(cost.processor / real)
    if len(pace) > 1:
        spread = max(pace) / min(pace)
        verdict = "linear" if spread <= LINEAR else "NOT linear"
        print(f"seconds for a megabyte differ by a factor of {spread:.2f} from 1 MB on: {verdict}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure session-tck check.")
    parser.add_argument("--document", type=Path, help="a document of your own, instead of one of 160 KB that is made")
    parser.add_argument("--folder", type=Path, help="a folder of your own, instead of one with 90 files, 1 MB")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--sizes", default=SIZES, help=f"for the curve, in MB; empty for none  [default: {SIZES}]")
    return parser.parse_args()


def _size(paths: Iterator[Path]) -> str:
    sizes = [path.stat().st_size for path in paths]
    return f"{len(sizes)} files, {sum(sizes) / KILO:,.0f} KB"


def main() -> None:
    """Measure, and print."""
    asked = _arguments()
    peers = install_peers()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        document = place / "document.md"
        if asked.document:
            shutil.copy(asked.document, document)
        else:
            document.write_text(Author(1).document(DOCUMENT), "utf-8")
        folder = place / "folder"
        if asked.folder:
            shutil.copytree(asked.folder, folder)
        else:
            write_folder(folder, FOLDER, FILES)
        lint, remark = list[str](), list[str]()
        if peers:
            links = f"{PEERS / 'node_modules' / 'remark-validate-links' / 'index.js'}=repository:false"
            lint = [str(peers / "markdownlint-cli2"), document.name]
            remark = [str(peers / "remark"), "--no-stdout", "--use", links, "folder"]
        times = asked.repetitions
        what = f"document, {_size(iter([document]))}"
        compare(what, check(document), "markdownlint-cli2", lint, where=place, times=times)
        compare(f"folder, {_size(folder.rglob('*.md'))}", check(folder), "remark", remark, where=place, times=times)
        if asked.sizes:
            growth(place, [float(size) for size in asked.sizes.split(",")])


if __name__ == "__main__":
    main()

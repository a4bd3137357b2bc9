"""What a person sees of a hunt: how it goes, then each requirement with its faults, what is wrong, and the counts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tck_kit.mutants import words
from tck_kit.mutants.matrix import Fate, Matrix, RequirementRow
from tck_kit.mutants.unit import Hunted, Unit
from tck_kit.progress import PLAIN_LINES
from tck_reports.plain import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

#: Notes of one kind that are listed one by one; the files have all.
_MOST_NOTES = 10


class _Count:
    """How far a hunt is: in faults until the first kill, in scenarios where each fault meets every one."""

    def __init__(self, units: Iterable[Unit], what: str) -> None:
        """Begin with nothing done."""
        held = tuple(units)
        self.full = any(unit.full for unit in held)
        self.total = sum(len(unit.scenarios) for unit in held) if self.full else len(held)
        self.what = "scenarios" if self.full else what
        self.done = self.survived = 0

    def add(self, hunted: Hunted) -> int:
        """Take in a piece; give how much further that is."""
        self.survived += not self.full and not any(meeting.kills for meeting in hunted.meetings)
        step = len(hunted.meetings) if self.full else 1
        self.done += step
        return step


@contextmanager
def progress(console: Console, units: Iterable[Unit], what: str = "faults") -> Generator[Callable[[Hunted], None]]:
    """Give a display that is to be told each piece that is done, and goes when the hunt ends."""
    count = _Count(units, what)
    if not console.is_terminal:
        yield _plain(console, count)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as display:
        task = display.add_task(count.what, total=count.total)

        def heard(hunted: Hunted) -> None:
            step = count.add(hunted)
            told = f"{count.what}, [red]{count.survived} not killed[/]" if count.survived else count.what
            display.update(task, advance=step, description=told)

        yield heard


def _plain(console: Console, count: _Count) -> Callable[[Hunted], None]:
    line = max(1, count.total // PLAIN_LINES)

    def heard(hunted: Hunted) -> None:
        before = count.done
        count.add(hunted)
        if count.done == count.total or count.done // line > before // line:
            told = "" if count.full else f", {count.survived} not killed"
            console.print(f"{count.done} of {count.total} {count.what}{told}", highlight=False)

    return heard


def write(matrix: Matrix, console: Console) -> None:
    """Write what came of a hunt."""
    if matrix.requirements:
        _table(matrix, console)
    else:
        for row in matrix.of(Fate.KILLED):
            first = row.killers[0]
            console.print(_line("killed", row.fault.name, f"by {first.scenario} ({first.way})", "green"))
    for word, about, rest in words.findings(matrix):
        console.print(_line(word, about, rest, "bold red"))
    _notes(matrix, console)
    if matrix.cut_short is not None:
        left = len(matrix.of(Fate.OPEN))
        console.print(_line("incomplete", matrix.cut_short, f"{left} faults were not run, or not wholly", "yellow"))
    if matrix.pairs:
        console.print(words.pair_counts(matrix), highlight=False)
    console.print(words.counts(matrix), highlight=False, style="bold")


def _table(matrix: Matrix, console: Console) -> None:
    from rich import box  # noqa: PLC0415 -- slow to import, and only terminals need it
    from rich.table import Table  # noqa: PLC0415 -- the same

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head, right in (("area", False), ("able to fail", True), ("killed", True), ("faults of each", False)):
        table.add_column(head, justify="right" if right else "left", overflow="fold")
    areas = dict.fromkeys(row.entry.area for row in matrix.requirements)
    for area in areas:
        rows = [row for row in matrix.requirements if row.entry.area == area]
        killed, faults = sum(len(row.killed) for row in rows), sum(len(row.faults) for row in rows)
        shown = sum(bool(row.killed) for row in rows)
        table.add_row(area, f"{shown}/{len(rows)}", f"{killed}/{faults}", _each(rows))
    console.print(table)


def _each(rows: Iterable[RequirementRow]) -> Text:
    from rich.text import Text  # noqa: PLC0415 -- as above

    text = Text()
    for row in rows:
        fine = bool(row.killed) and len(row.killed) == len(row.faults) and not row.one_sided
        number = row.entry.id.rpartition("-")[2]
        # No break between the two.
        text.append(f"{number}:\u00a0{len(row.killed)}/{len(row.faults)}", style="" if fine else "bold red")
        text.append("  ")
    text.rstrip()
    return text


def _notes(matrix: Matrix, console: Console) -> None:
    seen: dict[str, int] = {}
    for word, about, rest in words.notes(matrix):
        seen[word] = seen.get(word, 0) + 1
        if seen[word] <= _MOST_NOTES:
            console.print(_line(word, about, rest, "yellow"))
    for word, count in seen.items():
        if count > _MOST_NOTES:
            console.print(_line(word, f"and {count - _MOST_NOTES} more", "", "yellow"))


def _line(word: str, about: str, rest: str, style: str) -> Text:
    from rich.text import Text  # noqa: PLC0415 -- as above

    told = f"  {visible(rest)}" if rest else ""
    return Text.assemble((word, style), " ", (visible(about), "bold"), told)

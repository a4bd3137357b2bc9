"""What a person sees of a probe: how far it is, what came of it, and what is different."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tck_kit.probe.configured import CONFIGURED
from tck_kit.probe.record import Finding, Probe, Record
from tck_kit.probe.words import MEANINGS, Outcome
from tck_reports.plain import visible

if TYPE_CHECKING:
    from tck_kit.probe.difference import Comparison
    from tck_kit.probe.lanes import Told
    from tck_kit.probe.table import Case

#: How many plain lines a probe of one CLI prints on its way.
PLAIN_LINES = 5
#: How much is shown of what a CLI said.
_QUOTED = 70
#: Facts that are worth a place in a line, in their order; the record has all of them.
_SHOWN = ("exit", "then", "second", "prompt", "unanswered", "reported", "needs", "holds", "could_hold", "waits")
#: Facts that say nothing as long as they are so.
_USUAL = {("exit", 0), ("then", "resumed"), ("prompt", "as given"), ("unanswered", "not asked")}


@contextmanager
def progress(console: Console, totals: Mapping[str, int]) -> Generator[Callable[[Told], None]]:
    """Give a display for a probe: bars on a terminal, a few plain lines anywhere else."""
    if console.is_terminal:
        with _bars(console, totals) as heard:
            yield heard
    else:
        yield _plain(console, totals)


@contextmanager
def _bars(console: Console, totals: Mapping[str, int]) -> Generator[Callable[[Told], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as display:
        tasks = {name: display.add_task(name, total=total) for name, total in totals.items()}

        def heard(told: Told) -> None:
            name = CONFIGURED[told.adapter].program
            if told.finding is None:
                display.update(tasks[name], description=f"{name} {told.case}")
            else:
                display.advance(tasks[name])

        yield heard


def _plain(console: Console, totals: Mapping[str, int]) -> Callable[[Told], None]:
    done = dict.fromkeys(totals, 0)

    def heard(told: Told) -> None:
        if told.finding is None:
            return
        name = CONFIGURED[told.adapter].program
        done[name] += 1
        if done[name] == totals[name] or done[name] % max(1, totals[name] // PLAIN_LINES) == 0:
            console.print(f"{name}: {done[name]} of {totals[name]} cases", highlight=False, markup=False)

    return heard


def findings(record: Record) -> None:
    """Write what came of every case."""
    probe = record.probe
    if probe is None:
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(_title(record, probe), markup=False)
    width = max((len(one.case) for one in probe.findings), default=0)
    for one in probe.findings:
        told = _facts(one)
        console.print(visible(f"{one.case:{width}}  {one.outcome.value}{f': {told}' if told else ''}"), markup=False)
    console.print(_ending(record, probe), markup=False)


def _facts(one: Finding) -> str:
    shown: list[str] = []
    for name in _SHOWN:
        fact = one.facts.get(name, ())
        if (name, fact) in _USUAL:
            continue
        if isinstance(fact, tuple):
            shown += [f"{name} {', '.join(fact)}"] if fact else []
        else:
            shown.append(f"{name} {'none' if fact is None else fact}")
    said = one.facts.get("said", ())
    if isinstance(said, tuple) and said and one.outcome not in {Outcome.FRESH, Outcome.RESUMED}:
        shown.append(f"“{said[0][:_QUOTED]}{'…' * (len(said[0]) > _QUOTED)}”")
    return "; ".join(shown)


def _title(record: Record, probe: Probe) -> str:
    return f"\n{record.program} {probe.version} ({probe.circumstances.origin}), {probe.circumstances.network}\n"


def _ending(record: Record, probe: Probe) -> str:
    if not probe.ended:
        return f"\nIncomplete: {probe.reason}. {len(probe.lacking)} cases are lacking: {', '.join(probe.lacking)}"
    if probe.short:
        return f"\nNo whole probe: the short list of older versions, {len(probe.findings)} cases."
    able = record.abilities
    if not able.resumes:
        return "\nIt was not seen to resume a session."
    kept = "keeps its id" if able.keeps_id else "gives it a new id"
    return f"\nIt resumes a session without interaction and {kept}. What has to be kept: {record.state_path}"


def differences(record: Record, compared: Comparison) -> None:
    """Write every difference in a line of its own, those that matter first."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"\n{record.program}: {compared.before} → {compared.after}", markup=False)
    for one in sorted(compared.differences, key=lambda each: each.why is None):
        console.print(visible(one.line), markup=False)
    if compared.not_compared:
        console.print(f"not compared: {', '.join(compared.not_compared)}", markup=False)
    count = len(compared.matters)
    others = len(compared.differences) - count
    console.print(f"{count or 'no'} differences that matter, {others or 'no'} others", markup=False)


def cases(rows: Iterable[Case]) -> None:
    """List the cases."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Case", no_wrap=True)
    table.add_column("Asks", overflow="fold")
    table.add_column("Matters because", overflow="fold")
    for one in rows:
        table.add_row(f"{one.name}{' (slow)' if one.slow else ''}", escape(one.asks), escape(one.matters))
    console = Console(highlight=False)
    console.print(table)
    console.print("\nWhat outcomes mean:")
    for outcome, meaning in MEANINGS.items():
        console.print(f"  {outcome.value}: {meaning}", markup=False)

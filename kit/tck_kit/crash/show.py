"""What a person sees of a crash sweep: how it goes, what was lost, and the counts."""

from __future__ import annotations

import shlex
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tck_kit.campaign.units import Ended, Harvest
from tck_kit.crash.sweep import Cut, Swept
from tck_kit.progress import PLAIN_LINES
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.plain import visible

if TYPE_CHECKING:
    from rich.console import Console

    from tck_kit.campaign.units import Watch

#: Losses that are listed one by one; the file has all.
_MOST = 10
_LONGEST = 300


class _Lines:
    """Tells how far it is, in a few lines."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def ended(self, unit: Ended[object], done: int, total: int) -> None:
        """Say every tenth part of the way."""
        if unit.state == "failed" or done * PLAIN_LINES // total > (done - 1) * PLAIN_LINES // total:
            self._console.print(f"{done} of {total} parts", highlight=False)

    def told(self, text: str) -> None:
        """Say it."""
        self._console.print(text, highlight=False)


@contextmanager
def watched(console: Console, total: int) -> Generator[Watch]:
    """Give a display for so many parts."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as display:
        task = display.add_task("parts", total=total)

        class Bar:
            def ended(self, unit: Ended[object], done: int, total: int) -> None:  # noqa: ARG002 -- a bar shows no names
                display.update(task, completed=done, total=total)

            def told(self, text: str) -> None:
                display.console.print(text, highlight=False)

        yield Bar()


def write(harvest: Harvest[tuple[Swept, ...]], engine: str, console: Console) -> int:
    """Say what was lost and the counts; give the exit code."""
    swept = [one for part in harvest.results for one in part]
    cuts = [(one, cut) for one in swept for cut in one.cuts]
    lost = [(one, cut) for one, cut in cuts if cut.record.outcome is Outcome.FAILED and cut.record.blame == "engine"]
    wrong = [(one, cut) for one, cut in cuts if cut.record.outcome is Outcome.ERROR or cut.record.blame == "driver"]
    left_out = [one for one in swept if one.left_out is not None]
    for one, cut in [*lost[:_MOST], *wrong[:_MOST]]:
        _tell(one, cut, engine, console)
    if len(lost) > _MOST:
        console.print(f"{len(lost) - _MOST} more are in the report.")
    for one in left_out[:_MOST]:
        console.print(f"left out: {visible(one.scenario)}: {visible(one.left_out or '')[:_LONGEST]}", soft_wrap=True)
    for part in harvest.failed:
        console.print(f"{part.name}: {part.kind}: {visible(part.text)}", soft_wrap=True)
    if harvest.cut_short is not None:
        console.print(f"not everything was swept: {harvest.cut_short}")
    code = _code(harvest, lost=bool(lost), wrong=bool(wrong), swept=swept)
    console.print(
        f"{len(swept) - len(left_out)} scenarios, {len(cuts)} power cuts: something was lost after {len(lost)} of them"
        + (f"; {len(left_out)} scenarios were left out" if left_out else "")
    )
    return code


def _code(harvest: Harvest[tuple[Swept, ...]], *, lost: bool, wrong: bool, swept: list[Swept]) -> int:
    if harvest.failed or wrong:
        return ExitCode.FAULT
    if lost:
        return ExitCode.NONCONFORMANT
    if harvest.cut_short is not None or not any(one.cuts for one in swept):
        return ExitCode.INCOMPLETE
    return ExitCode.CONFORMANT


def _tell(one: Swept, cut: Cut, engine: str, console: Console) -> None:
    late = " --late" if cut.late else ""
    when = "just before the next effect" if cut.late else "just after it"
    console.print(f"\n{visible(one.scenario)}", soft_wrap=True)
    console.print(f"  cut: event {cut.events} of {one.events}, {when}, in: {visible(cut.step)}", soft_wrap=True)
    failed = [held for held in cut.record.expectations if not held.held]
    for held in failed[:1]:
        console.print(f"  {visible(held.statement)}: {visible(repr(held.actual))[:_LONGEST]}", soft_wrap=True)
        console.print(f"  expected: {visible(repr(held.expected))[:_LONGEST]}", soft_wrap=True)
    if not failed:
        console.print(f"  {visible(cut.record.reason or str(cut.record.outcome))[:_LONGEST]}", soft_wrap=True)
    words = f"--engine {shlex.quote(engine)} --scenario {shlex.quote(one.scenario)} --at {cut.events}{late}"
    console.print(f"  again: session-tck crash {visible(words)}", soft_wrap=True)

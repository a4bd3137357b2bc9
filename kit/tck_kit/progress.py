"""What a person sees while a run goes on: a moving bar on a terminal, a few plain lines anywhere else."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from tck_kit.events import Ended, Event
from tck_reports.outcomes import Outcome

if TYPE_CHECKING:
    from rich.console import Console

#: What nobody has to look at.
_FINE = (Outcome.PASSED, Outcome.UNSUPPORTED)
#: How many plain lines a run prints on its way.
PLAIN_LINES = 10


class Watcher(Protocol):
    """Is told every event of a run."""

    def __call__(self, event: Event) -> None:
        """Take an event in."""
        ...


@contextmanager
def progress(console: Console, total: int) -> Generator[Watcher]:
    """Give a display for a run of so many scenarios, that goes when the run ends."""
    if console.is_terminal:
        with _bar(console, total) as watcher:
            yield watcher
    else:
        yield _plain(console, total)


@contextmanager
def _bar(console: Console, total: int) -> Generator[Watcher]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as display:
        task = display.add_task("scenarios", total=total)
        failed = 0

        def watch(event: Event) -> None:
            nonlocal failed
            if isinstance(event, Ended):
                failed += event.record.outcome not in _FINE
                words = f"scenarios, [red]{failed} not passed[/]" if failed else "scenarios"
                display.update(task, advance=1, description=words)

        yield watch


def _plain(console: Console, total: int) -> Watcher:
    done = failed = 0

    def watch(event: Event) -> None:
        nonlocal done, failed
        if not isinstance(event, Ended):
            return
        done += 1
        failed += event.record.outcome not in _FINE
        if done == total or done % max(1, total // PLAIN_LINES) == 0:
            console.print(f"{done} of {total} scenarios, {failed} not passed", highlight=False)

    return watch

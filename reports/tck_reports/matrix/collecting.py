"""Reading all reports of a folder, by several processes: what comes back is condensed, or says what is wrong.

A report of megabytes becomes a few kilobytes in the process that read it, so a thousand of them need no more memory
than a few.
"""

import gc
import os
import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, resource_tracker
from pathlib import Path
from typing import Final

from tck_reports.errors import ReportReadError
from tck_reports.files import rendered, write_whole
from tck_reports.matrix.condensed import Given, condense, line
from tck_reports.matrix.model import LeftOut
from tck_reports.matrix.sources import Source, content
from tck_reports.reading import MAX_BYTES, decode

#: Where whole reports stand in a site.
REPORTS: Final = "reports"
#: The page beside a report that makes the site show one, too.
PAGE: Final = "report.html"
#: What one process is handed at a time; requirements go between processes once for each.
_HANDED: Final = 16
#: Fewer bytes are read before processes would have started.
_WORTH: Final = 8 * 1024 * 1024
_MOST_PROCESSES: Final = 8
#: A fault may quote what is in the file.
_LONGEST_FAULT: Final = 400


@dataclass(frozen=True, slots=True)
class Collected:
    """What there is in a folder: the reports, and what is none."""

    given: tuple[Given, ...]
    refused: tuple[LeftOut, ...]


def collect(sources: Sequence[Source], pages: Path | None = None, *, processes: int | None = None) -> Collected:
    """Read and condense every source, in their order.

    Where `pages` is the folder of a site in the making, a report that has a `report.html` beside it gets a page there.
    It is rendered anew: nobody vouches for that file, but the report's own digest was checked.
    """
    batches = [sources[start : start + _HANDED] for start in range(0, len(sources), _HANDED)]
    wanted = min(processes or os.cpu_count() or 1, _MOST_PROCESSES, len(batches))
    if processes is None and sum(_size(one) for one in sources) < _WORTH:
        wanted = 1
    if wanted <= 1:
        results = [one for source in sources if (one := _condensed(source, pages))]
    else:
        results = [one for batch in _shared(batches, pages, wanted) for one in batch]
    return Collected(
        tuple(one for one in results if isinstance(one, Given)),
        tuple(one for one in results if isinstance(one, LeftOut)),
    )


def _size(source: Source) -> int:
    try:
        return os.stat(source.path).st_size  # noqa: PTH116 -- a path for each of a thousand files
    except (OSError, ValueError):
        return 0


def _shared(batches: Sequence[Sequence[Source]], pages: Path | None, processes: int) -> Iterator[list[Given | LeftOut]]:
    """Yield what each batch gave, in their order; a few batches are under way for each process, never all."""
    # Spawned, not forked: whoever calls may have threads.
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin)
    try:
        rest = iter(batches)
        with _deaf_to_interrupts():  # which processes that start here inherit
            under_way = [pool.submit(_batch, batch, pages) for batch in islice(rest, 2 * processes)]
        while under_way:
            yield _result(under_way.pop(0))
            under_way += [pool.submit(_batch, batch, pages) for batch in islice(rest, 1)]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(batch: Future[list[Given | LeftOut]]) -> list[Given | LeftOut]:
    try:
        return batch.result()
    except BrokenProcessPool as error:
        raise ReportReadError(
            "a process that read the reports was ended from outside",
            "matrix",
            "give it more memory, or fewer processes",
        ) from error


@contextmanager
def _deaf_to_interrupts() -> Generator[None]:
    """Leave Ctrl-C, which a terminal sends to every process, to the one that hands out the work."""
    # It would be started with the first process, and unblock the signal for that one.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Leave garbage, which has no cycles, to the counts of references: looking for cycles takes half of the time."""
    gc.disable()


def _batch(batch: Sequence[Source], pages: Path | None) -> list[Given | LeftOut]:
    results = [_condensed(source, pages) for source in batch]
    gc.collect(0)
    return results


def _condensed(source: Source, pages: Path | None) -> Given | LeftOut:
    try:
        report = decode(content(source, MAX_BYTES), source.name)
        page = None
        if pages is not None and Path(source.path).with_name(PAGE).is_file():
            page = f"{REPORTS}/{report['digest'].partition(':')[2][:32]}.html"
        given = condense(report, source.name, page)
        if page is not None and pages is not None:
            (pages / REPORTS).mkdir(exist_ok=True)
            write_whole(pages / page, rendered(report, [PAGE])[PAGE])
    except ReportReadError as error:
        return LeftOut(source.name, f"{line(error.what, _LONGEST_FAULT)}; {line(error.cure)}")
    return given

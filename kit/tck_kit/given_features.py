"""Feature files that are named one by one, to be run in place of a suite, such as the counterexamples of `fuzz`."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tck_kit.faults import UsageFault


@contextmanager
def gathered(files: Sequence[Path], features: Path | None, specification: Path | None) -> Generator[Path | None]:
    """Give a folder with these files alone, where some are named, else the one that was.

    Raises `UsageFault` for whatever keeps one of them from being run, with its own name.
    """
    if not files:
        yield features
        return
    if features is not None:
        raise UsageFault("both --features and --feature are given", f"--feature {files[0]}", "give one of them")
    folder = Path(tempfile.mkdtemp(prefix="session-tck-features-"))
    try:
        for number, file in enumerate(files, 1):
            place = folder / f"{number}" if len(files) > 1 else folder
            place.mkdir(exist_ok=True)
            _check(file, _copied(file, place), specification)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copied(file: Path, place: Path) -> Path:
    if file.is_dir():
        raise UsageFault("this is a folder", f"--feature {file}", "give a file; --features takes a folder")
    if file.exists() and not file.is_file():
        raise UsageFault("this is no regular file", f"--feature {file}", "give a feature file")
    try:
        # Only what ends so is read, whatever the user calls it.
        shutil.copyfile(file, place / f"{file.stem}.feature")
    except (OSError, ValueError) as fault:
        what = getattr(fault, "strerror", None) or str(fault)
        raise UsageFault(f"it cannot be read: {what}", f"--feature {file}", "give a feature file") from fault
    return place


def _check(file: Path, place: Path, specification: Path | None) -> None:
    from tck_kit.catalogue import read_specification  # noqa: PLC0415 -- a run without such a file starts faster
    from tck_kit.scenarios import read_suite  # noqa: PLC0415 -- the same

    known = {requirement.id.lower() for requirement in read_specification(specification).requirements}
    suite = read_suite(place, known)
    if suite.faults:
        first, *more = suite.faults
        line = first.place.rpartition(":")[2]
        where = f"--feature {file}:{line}" if line.isdecimal() else f"--feature {file}"
        others = f" (and {len(more)} more faults)" if more else ""
        raise UsageFault(f"{first.message}{others}", where, "mend the file, or give one that fuzz has written")
    if not suite.scenarios:
        raise UsageFault("there is no scenario in it", f"--feature {file}", "give one that fuzz has written")

"""Checking again whenever a file changes, until somebody ends it.

The system says when something changed; once a second the files' own stamps are asked as well, because not every file
system says it, and because a change may fall between a check and the moment from which the watcher listens. What is
gone or half-written at a moment is told and waited for, like any other finding.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tck_kit.authors.checked import files_of
from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode
from tck_reports.plain import visible
from tck_spec.settings import SETTINGS_FILE, find_settings

if TYPE_CHECKING:
    from tck_kit.authors.asked_check import Asked
    from tck_kit.authors.showing import Shown

__all__ = ["watch"]

#: How long a watcher listens before the stamps are asked.
_PATIENCE: Final = 1.0
#: What takes part in a check.
_ENDINGS: Final = (".md", ".markdown", ".mdx", ".feature", SETTINGS_FILE, ".jsonl")
_CLEAR: Final = "\x1b[2J\x1b[3J\x1b[H"

Stamps = dict[Path, tuple[int, int, int] | None]


def watch(asked: Asked, shown: Shown) -> int:
    """Check and show, again and again; what is wrong at the start already is a mistake of the user."""
    if find_spec("watchfiles") is None:
        what, cure = "the package watchfiles is not installed", "install it: pip install 'session-tck[authors]'"
        raise UsageFault(what, "--watch", cure)
    try:
        named = asked.named(asked.settings())
        if not named:
            raise UsageFault("the kit's own specification does not change", "--watch", "name a file or a folder")
        before = _stamps(asked)
        _show(asked, shown)
        for changed in _changes(named):
            now = _stamps(asked)
            if changed or now != before:
                before = now
                try:
                    _show(asked, shown)
                except UsageFault as fault:
                    _say(f"{datetime.now().astimezone():%H:%M:%S} {visible(str(fault))}\n")
    except KeyboardInterrupt:
        _say("\n")
    return ExitCode.CONFORMANT


def _show(asked: Asked, shown: Shown) -> None:
    start = time.monotonic()
    checked = asked.check()
    text = shown.text(checked)
    took = time.monotonic() - start
    files = f"{len(checked.files)} files" if len(checked.files) != 1 else "1 file"
    _say(f"{text}{datetime.now().astimezone():%H:%M:%S} in {took:.2f} s; watching {files}, Ctrl-C ends\n")


def _say(text: str) -> None:
    sys.stdout.write(_CLEAR + text if sys.stdout.isatty() and text.strip() else text)
    sys.stdout.flush()


def _stamps(asked: Asked) -> Stamps:
    """Return what tells one state of the files from another; a file that is not there has None."""
    paths: list[Path] = []
    try:
        settings = asked.settings()
        paths += files_of(asked.named(settings), settings)
        features = asked.features or settings.features
        if features is not None:
            paths += (features, *features.rglob("*.feature"))
    except UsageFault:
        paths += asked.files
    config = asked.config or find_settings(Path.cwd())
    return {path: _stamp(path) for path in (*paths, *((config,) if config else ()))}


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _changes(named: Sequence[Path]) -> Iterator[bool]:
    """Yield whether something was seen to change, at the latest after a second."""
    from watchfiles import Change  # noqa: PLC0415 -- as above
    from watchfiles import watch as listen  # noqa: PLC0415 -- as above

    def wanted(_change: Change, path: str) -> bool:
        return path.endswith(_ENDINGS)

    folders = [path for path in named if path.is_dir()]
    watched = folders or sorted({path.parent for path in named if path.parent.is_dir()})
    while watched:
        try:
            for changes in listen(
                *watched,
                watch_filter=wanted,
                recursive=bool(folders),
                rust_timeout=int(_PATIENCE * 1000),
                yield_on_timeout=True,
            ):
                yield bool(changes)
        except (OSError, RuntimeError):
            # A folder that was taken away, or more folders than the system watches; the stamps will do.
            watched = []
    while True:
        time.sleep(_PATIENCE)
        yield False

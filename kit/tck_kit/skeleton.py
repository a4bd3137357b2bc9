"""Skeleton drivers: what `session-tck driver new` writes, one folder of package data for each language."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from tck_kit.faults import UsageFault

_DATA = Path(__file__).resolve().parent / "skeletons"

#: The languages there is a skeleton for.
LANGUAGES: tuple[str, ...] = ("python", "node", "php", "go")


def files_of(language: str) -> tuple[Path, ...]:
    """Give the files of a language's skeleton."""
    return tuple(sorted(path for path in (_DATA / language).iterdir() if path.is_file()))


def write_skeleton(language: str, folder: Path) -> tuple[str, ...]:
    """Write a skeleton into a folder that is new or empty, all of it or nothing; give the names of its files."""
    files = files_of(language)
    try:
        target = folder.resolve()
        if target.exists():
            _fill(target, files, folder)
        else:
            _make(target, files)
    except OSError as fault:
        raise UsageFault(f"cannot be written: {fault.strerror or fault}", str(folder), "name another folder") from fault
    return tuple(path.name for path in files)


def _make(target: Path, files: tuple[Path, ...]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{secrets.token_hex(8)}")
    try:
        _copy(files, draft)
        draft.rename(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _fill(target: Path, files: tuple[Path, ...], folder: Path) -> None:
    """Fill an empty folder in place: somebody may stand in it, and would be left in a deleted one by a rename."""
    if not target.is_dir():
        raise UsageFault("is no folder", str(folder), "name a folder that is new or empty")
    if any(target.iterdir()):
        raise UsageFault("is not empty, and nothing was written", str(folder), "name a folder that is new or empty")
    draft = target / f".{secrets.token_hex(8)}"
    try:
        _copy(files, draft)
        for path in files:
            (draft / path.name).rename(target / path.name)
        draft.rmdir()
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        for path in files:
            (target / path.name).unlink(missing_ok=True)
        raise


def _copy(files: tuple[Path, ...], draft: Path) -> None:
    draft.mkdir()
    for path in files:
        content = path.read_bytes()
        copied = draft / path.name
        copied.write_bytes(content)
        if content.startswith(b"#!"):
            copied.chmod(copied.stat().st_mode | 0o111)

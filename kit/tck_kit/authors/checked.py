"""Checking files: what the command line, the watcher and the language server all do, in one place.

What a user named and nobody can read is a mistake of the user. What was found in a folder and is no text is a finding
like any other, because one such file must not hide what is wrong with the ninety beside it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tck_kit.faults import UsageFault
from tck_spec.errors import SpecificationError
from tck_spec.findings import SEVERITY_NAMES, Finding, Severity
from tck_spec.library import Lone
from tck_spec.rules import check, severities
from tck_spec.settings import Settings, find_settings, read_settings
from tck_spec.specification import MOST_BYTES, Specification, load, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tck_spec.library import Library

__all__ = ["NOT_TEXT", "Checked", "check_files", "files_of", "settings_for"]

#: The rule that speaks of files that are no text.
NOT_TEXT: Final = "DOC003"
_MARKDOWN: Final = (".md", ".markdown")
_NOTHING: Final[Mapping[Path, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Checked:
    """What was checked, and what was found; every finding names its file."""

    documents: tuple[Specification, ...]
    findings: tuple[Finding, ...]
    settings: Settings

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity, the gravest first."""
        return {level: sum(one.severity == level for one in self.findings) for level in SEVERITY_NAMES}

    @property
    def requirements(self) -> int:
        """How many requirements with ids the documents have."""
        return sum(len(one.requirements) for one in self.documents)

    @property
    def sections(self) -> int:
        """How many headings the documents have."""
        return sum(len(one.sections) for one in self.documents)

    def text_of(self, source: str) -> str | None:
        """Return the text of a document that was checked."""
        return next((one.text for one in self.documents if one.source == source), None)


def settings_for(config: Path | None, start: Path) -> Settings:
    """Read the settings that were named, or those nearest to a folder; raises `UsageFault`."""
    path = config or find_settings(start.absolute())
    if path is None:
        return Settings(root=_root(start.absolute()))
    try:
        settings = read_settings(path)
        severities(settings)
    except SpecificationError as error:
        raise UsageFault(error.what, error.where, error.cure) from error
    return settings


def _root(start: Path) -> Path:
    """Return the repository that a folder is in, or the folder."""
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)


def files_of(paths: Sequence[Path], settings: Settings) -> tuple[Path, ...]:
    """Return the files that are meant: those named, and the Markdown below the folders named; raises `UsageFault`."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            below = sorted(one for one in path.rglob("*") if one.suffix in _MARKDOWN and one.is_file())
            if not below:
                raise UsageFault("there is no Markdown below this folder", str(path), "name another, or a file")
            found |= dict.fromkeys(below)
        else:
            found[path] = None
    del settings
    return tuple(found)


def check_files(paths: Sequence[Path], settings: Settings, *, overlay: Mapping[Path, str] = _NOTHING) -> Checked:
    """Check files and all Markdown below folders together; raises `UsageFault` for what cannot be read.

    `overlay` holds the text of files, by absolute path, as an editor has it: that is read in place of the file.
    """
    named = {path for path in paths if not path.is_dir()}
    documents: list[Specification] = []
    findings: list[Finding] = []
    for path in files_of(paths, settings):
        try:
            text = overlay.get(Path(os.path.abspath(path)))
            documents.append(load(path) if text is None else parse(text, str(path)))
        except SpecificationError as error:
            flaw = _flaw(path, error)
            if path in named and flaw.line == 0:
                raise UsageFault(error.what, error.where, error.cure) from error
            findings.append(replace(flaw, line=max(1, flaw.line)))
    level = severities(settings)[NOT_TEXT]
    findings = [replace(one, severity=min(one.severity, level, key="EWI".index)) for one in findings if level]
    library = _library(documents, settings, overlay)
    for document in documents:
        findings += _sourced(document.source, check(document, settings, library))
    order = {str(path): number for number, path in enumerate(files_of(paths, settings))}
    findings.sort(key=lambda one: (order.get(one.source or "", len(order)), one.source, one.line, one.column))
    return Checked(tuple(documents), tuple(findings), settings)


def _sourced(source: str, findings: Iterable[Finding]) -> Iterable[Finding]:
    return (one if one.source else replace(one, source=source) for one in findings)


def _flaw(path: Path, error: SpecificationError) -> Finding:
    """Return what keeps a file from being read; the line is 0 where that is not about a place in it."""
    data = b""
    with suppress(OSError, ValueError):
        if path.is_file() and path.stat().st_size <= MOST_BYTES:
            data = path.read_bytes()
    cause = error.__cause__
    at = cause.start if isinstance(cause, UnicodeDecodeError) else data.find(b"\0")
    if not 0 <= at < len(data):
        empty = bool(data) and not data.strip()
        return Finding(NOT_TEXT, "I" if empty or not data else "E", 0, 1, error.what, error.cure, str(path))
    before = data[:at]
    line, column = before.count(b"\n") + 1, len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    message = f"byte {data[at]:02X} is not UTF-8; nothing in this file was checked"
    return Finding(NOT_TEXT, "E", line, column, message, "save it as UTF-8" + ", not UTF-16" * wide, str(path))


def _library(documents: Sequence[Specification], settings: Settings, overlay: Mapping[Path, str]) -> Library:
    del settings, overlay
    return Lone(tuple(documents))

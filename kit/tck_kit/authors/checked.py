"""Checking files: what the command line, the watcher and the language server all do, in one place.

What a user named and nobody can read is a mistake of the user. What was found in a folder and is no text is a finding
like any other, because one such file must not hide what is wrong with the ninety beside it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tck_kit.faults import UsageFault
from tck_spec.collecting import collect
from tck_spec.errors import SpecificationError
from tck_spec.files import file_library
from tck_spec.findings import SEVERITY_NAMES, Finding, Severity
from tck_spec.remembered import Remembered
from tck_spec.rules import RULES, check, severities
from tck_spec.settings import Settings, find_settings, read_settings
from tck_spec.specification import MOST_BYTES, Specification, load, parse
from tck_spec.statements import find_statements

__all__ = [
    "NOT_TEXT",
    "Checked",
    "absolute",
    "check_files",
    "files_of",
    "graded",
    "in_order",
    "root_of",
    "settings_for",
    "sourced",
]

#: The rule that speaks of files that are no text.
NOT_TEXT: Final = "DOC003"
#: Folders whose Markdown is somebody else's.
_INSTALLED: Final = frozenset({"node_modules", "vendor", "venv", "site-packages", "__pycache__"})
_NOTHING: Final[Mapping[Path, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Checked:
    """What was checked, and what was found; every finding names its file."""

    documents: tuple[Specification, ...]
    findings: tuple[Finding, ...]
    settings: Settings
    #: All files that were looked at, also those that are no text.
    files: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity, the gravest first."""
        return {level: sum(one.severity == level for one in self.findings) for level in SEVERITY_NAMES}

    @property
    def requirements(self) -> int:
        """How many requirements the documents state, with or without ids."""
        return sum(_stated(one, self.settings.form) for one in self.documents)

    @property
    def sections(self) -> int:
        """How many headings the documents have."""
        return sum(len(one.sections) for one in self.documents)

    def text_of(self, source: str) -> str | None:
        """Return the text of a document that was checked."""
        return next((one.text for one in self.documents if one.source == source), None)


#: How many requirements a document states.
_stated: Final = Remembered(lambda spec, form: len(spec.requirements or find_statements(spec, form)))


def settings_for(config: Path | None, start: Path) -> Settings:
    """Read the settings that were named, or those nearest to a folder; raises `UsageFault`."""
    path = config or find_settings(start.absolute())
    if path is None:
        return Settings(root=root_of(start))
    if path.exists() and not path.is_file():
        raise UsageFault("is no file of settings", str(path), "name one")
    try:
        settings = read_settings(path)
        severities(settings)
    except SpecificationError as error:
        raise UsageFault(error.what, error.where, error.cure) from error
    return settings


def root_of(start: Path) -> Path:
    """Return the repository that a folder is in, or the folder."""
    start = start.absolute()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)


def files_of(paths: Sequence[Path], settings: Settings, *, overlay: Mapping[Path, str] = _NOTHING) -> tuple[Path, ...]:
    """Return the files that are meant: those named, and the Markdown below the folders named; raises `UsageFault`.

    What an overlay holds need not be there.
    """
    unsaved = [path for path in paths if absolute(path) in overlay]
    saved = [path for path in paths if path not in unsaved]
    try:
        return (*unsaved, *(collect(saved, settings) if saved or not paths else ()))
    except SpecificationError as error:
        raise UsageFault(error.what, error.where, error.cure) from error


def check_files(
    paths: Sequence[Path],
    settings: Settings,
    *,
    overlay: Mapping[Path, str] = _NOTHING,
    scenarios: Callable[[Sequence[Specification]], Iterable[Finding]] | None = None,
) -> Checked:
    """Check files and all Markdown below folders together; raises `UsageFault` for what cannot be read.

    `overlay` holds the text of files, by absolute path, as an editor has it: that is read in place of the file.
    `scenarios` looks at scenarios for documents; what it finds in them can be excused in them, as all else.
    """
    named = {path for path in paths if not path.is_dir()}
    documents: list[Specification] = []
    findings: list[Finding] = []
    files = files_of(paths, settings, overlay=overlay)
    for path in files:
        try:
            text = overlay.get(absolute(path))
            documents.append(load(path) if text is None else parse(text, str(path)))
        except SpecificationError as error:
            flaw = _flaw(path, error)
            if path in named and flaw.line == 0:
                raise UsageFault(error.what, error.where, error.cure) from error
            findings += graded([replace(flaw, line=max(1, flaw.line))], settings)
    library = file_library(documents, settings, overlay)
    beside = None if scenarios is None else _by_source(scenarios(documents))
    for document in documents:
        more = None if beside is None else beside.pop(document.source, ())
        findings += sourced(document.source, check(document, settings, library, more))
        # Its statements are at hand now, and will not be when they are counted.
        _stated(document, settings.form)
    findings += graded(chain.from_iterable((beside or {}).values()), settings)
    sources = tuple(str(path) for path in files)
    return Checked(tuple(documents), tuple(in_order(findings, sources)), settings, sources)


def _by_source(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    grouped: dict[str, list[Finding]] = {}
    for one in findings:
        grouped.setdefault(one.source or "", []).append(one)
    return grouped


def absolute(path: Path) -> Path:
    """Return the path under which an overlay has a file."""
    return Path(os.path.normpath(path.absolute()))


def sourced(source: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Let each finding name its file."""
    return (one if one.source else replace(one, source=source) for one in findings)


def graded(findings: Iterable[Finding], settings: Settings) -> Iterator[Finding]:
    """Give findings in what is no document, such as a feature file, the severities that were set."""
    levels, own = severities(settings), {rule.code: rule.severity for rule in RULES}
    order = "IWE".index
    for one in findings:
        level = levels.get(one.rule, one.severity)
        if level is not None:
            raised = order(level) > order(own.get(one.rule, level))
            yield replace(one, severity=level if raised else min(one.severity, level, key=order))


def in_order(findings: Iterable[Finding], sources: Sequence[str]) -> list[Finding]:
    """Sort findings by file, as the files were named, and by place."""
    order = {source: number for number, source in enumerate(sources)}

    def place(one: Finding) -> tuple[int, str, int, int, str]:
        source = one.source or ""
        return order.get(source, len(order)), source, one.line, one.column, one.rule

    return sorted(findings, key=place)


def _flaw(path: Path, error: SpecificationError) -> Finding:
    """Return what keeps a file from being read; the line is 0 where that is not about a place in it."""
    data: bytes | None = None
    with suppress(OSError, ValueError):
        if path.is_file() and path.stat().st_size <= MOST_BYTES:
            data = path.read_bytes()
    if data is None:
        return Finding(NOT_TEXT, "E", 0, 1, error.what, error.cure, str(path))
    cause = error.__cause__
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    at = 0 if wide else cause.start if isinstance(cause, UnicodeDecodeError) else data.find(b"\0")
    if not 0 <= at < len(data):
        empty = not data.decode("utf-8-sig", "replace").strip()
        return Finding(NOT_TEXT, "I" if empty else "E", 0, 1, error.what, error.cure, str(path))
    before = data[:at]
    line, column = before.count(b"\n") + 1, len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    what = f"byte {data[at]:02X} is not UTF-8" if data[at] else "a NUL byte is no text"
    message = f"{what}; nothing in this file was checked"
    return Finding(NOT_TEXT, "E", line, column, message, "save it as UTF-8" + ", not UTF-16" * wide, str(path))

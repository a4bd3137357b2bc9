"""Settings: what an author has decided about a check, read from ``session-tck.toml``.

Nothing has to be set. A name that is not known is an error with the nearest one that is, because a setting that is
silently ignored is a rule that somebody believes to be on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from pathlib import Path
from typing import Final, Literal, NoReturn, cast

from tck_spec.errors import SpecificationError
from tck_spec.findings import Severity, did_you_mean

__all__ = ["DIALECTS", "SETTINGS_FILE", "Form", "Settings", "Style", "Waiver", "find_settings", "read_settings"]

SETTINGS_FILE: Final = "session-tck.toml"
MOST_BYTES: Final = 1024 * 1024

#: The places whose rules for heading anchors are known.
DIALECTS: Final = ("github", "gitlab", "forgejo", "mkdocs", "pandoc")

#: How requirements are found: ``auto`` takes the forms with ids that the document uses, and prose where it uses none.
Style = Literal["auto", "marked", "prose"]

#: The tables that are read here, and those of the same file that say how an engine is put under test.
_OWN: Final = ("check", "rules", "requirements", "tables", "waivers")
_OF_RUNS: Final = ("engine", "run", "capabilities", "observe")

_LEVELS: Final[Mapping[str, Severity | None]] = {
    "error": "E",
    "warning": "W",
    "info": "I",
    "on": None,
    "off": None,
}


@dataclass(frozen=True, slots=True)
class Form:
    """How requirements are written in a document."""

    style: Style = "auto"
    #: A regular expression for the ids of a document that has its own, such as ``Requirement \\d+(\\.\\d+)+``.
    pattern: str = ""
    #: What minted ids begin with, and the prefix of explicit ones in the lock; made of the file's name if empty.
    document: str = ""
    #: Regular expressions, ignoring case, that make a sentence a requirement without a key word in capitals.
    phrases: tuple[str, ...] = ()
    #: Whether ``must`` in lower case requires as ``MUST`` does.
    lower_case: bool = False
    #: Whether what stands in a block quote counts as well.
    quotes: bool = False


@dataclass(frozen=True, slots=True)
class Waiver:
    """A requirement that has no scenario, or a suspect one, and may stay so until a day."""

    requirement: str
    reason: str
    until: date | None
    #: Where it stands in the settings file, for findings.
    line: int = 1


@dataclass(frozen=True, slots=True)
class Settings:
    """All that can be set; paths are absolute, or relative to the working directory."""

    #: The settings file; None for the defaults.
    path: Path | None = None
    #: What to check where nothing is named on the command line: paths and patterns.
    files: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    #: No file above this folder is looked at.
    root: Path = field(default_factory=Path)
    #: What ``/guide.md`` is relative to; the root where it is not given.
    site_root: Path | None = None
    #: Whether ``guide`` may mean ``guide.md`` or ``guide/index.md``.
    extensionless: bool = False
    #: A link has to work in each of these.
    anchors: tuple[str, ...] = ("github",)
    #: Whether diagrams are checked by the grammar of Mermaid, where that is installed.
    mermaid: bool = True
    #: Headings that the tables of a document must have, by a word of the section's title that they stand under.
    required_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    #: Rules by code or name: a severity, or None for off. ``on`` is the rule's own severity.
    rules: Mapping[str, Severity | Literal["on"] | None] = field(
        default_factory=dict[str, "Severity | Literal['on'] | None"]
    )
    form: Form = field(default_factory=Form)
    lock: Path | None = None
    features: Path | None = None
    waivers: tuple[Waiver, ...] = ()


def find_settings(start: Path) -> Path | None:
    """Return the nearest settings file in a folder or above it, up to the root of the repository."""
    for folder in (start, *start.parents):
        candidate = folder / SETTINGS_FILE
        if candidate.is_file():
            return candidate
        if (folder / ".git").exists():
            return None
    return None


def read_settings(path: Path) -> Settings:
    """Read a settings file. Raises `SpecificationError`, which names the file and the setting."""
    where = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SpecificationError(f"cannot be read ({error.strerror})", where, "check the path") from error
    if len(data) > MOST_BYTES:
        raise SpecificationError("is larger than 1 MiB", where, "name a settings file")
    try:
        text = data.decode("utf-8-sig")
        table = cast("dict[str, object]", tomllib.loads(text))
    except UnicodeDecodeError as error:
        raise SpecificationError("is not UTF-8", where, "save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecificationError(f"is not TOML ({error})", where, "correct it") from error
    return _Reader(path, text).settings(table)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one table after the other; every error names the setting."""

    path: Path
    text: str

    def settings(self, table: Mapping[str, object]) -> Settings:
        self._known(table, (*_OWN, *_OF_RUNS), "")
        check = self._table(table, "check")
        known = (
            "files",
            "exclude",
            "features",
            "anchors",
            "site_root",
            "extensionless_links",
            "mermaid",
            "lock",
        )
        self._known(check, known, "check.")
        folder = self.path.absolute().parent
        anchors = self._strings(check, "anchors", "check.") or ("github",)
        for name in anchors:
            if name not in DIALECTS:
                self._fail(f"'check.anchors' has '{name}'", f"known are {', '.join(DIALECTS)}", "check.anchors")
        return Settings(
            path=self.path,
            files=self._strings(check, "files", "check."),
            exclude=self._strings(check, "exclude", "check."),
            root=folder,
            site_root=self._path(check, "site_root", folder),
            extensionless=self._truth(check, "extensionless_links", "check.", default=False),
            anchors=anchors,
            mermaid=self._truth(check, "mermaid", "check.", default=True),
            required_columns=self._columns(self._table(table, "tables")),
            rules=self._rules(self._table(table, "rules")),
            form=self._form(self._table(table, "requirements")),
            lock=self._path(check, "lock", folder),
            features=self._path(check, "features", folder),
            waivers=self._waivers(table.get("waivers", [])),
        )

    def _fail(self, what: str, cure: str, key: str = "") -> NoReturn:
        raise SpecificationError(what, f"{self.path}:{line}" if (line := self._line(key)) else str(self.path), cure)

    def _line(self, key: str) -> int:
        """Return the line in which a key, or else its table, seems to be set; 0 where that cannot be told."""
        table, _, name = key.rpartition(".")
        found, section = 0, ""
        for number, line in enumerate(self.text.split("\n"), start=1):
            header = re.match(r"\s*\[\[?\s*([\w.]+)\s*\]", line)
            if header:
                section = header[1]
                found = found or (number if section in (table, key) else 0)
            elif name and section == table and re.match(rf"\s*\"?{re.escape(name)}\"?\s*[=.]", line):
                return number
        return found

    def _known(self, table: Mapping[str, object], names: tuple[str, ...], prefix: str) -> None:
        for name in table:
            if name not in names:
                near = did_you_mean(name, names) or f"known are {', '.join(names)}"
                self._fail(f"'{prefix}{name}' is no setting", near, f"{prefix}{name}")

    def _table(self, table: Mapping[str, object], name: str) -> Mapping[str, object]:
        value = table.get(name, {})
        if not isinstance(value, dict):
            self._fail(f"'{name}' is not a table", f"write [{name}]", name)
        return cast("Mapping[str, object]", value)

    def _strings(self, table: Mapping[str, object], name: str, prefix: str) -> tuple[str, ...]:
        value = table.get(name, [])
        values = cast("list[object]", [value] if isinstance(value, str) else value)
        if not isinstance(value, str | list) or not all(isinstance(one, str) and one for one in values):
            self._fail(f"'{prefix}{name}' is not a list of texts", f'write {name} = ["…"]', f"{prefix}{name}")
        return tuple(cast("list[str]", values))

    def _string(self, table: Mapping[str, object], name: str, prefix: str) -> str:
        value = table.get(name, "")
        if not isinstance(value, str):
            self._fail(f"'{prefix}{name}' is not a text", f'write {name} = "…"', f"{prefix}{name}")
        return value

    def _truth(self, table: Mapping[str, object], name: str, prefix: str, *, default: bool) -> bool:
        value = table.get(name, default)
        if not isinstance(value, bool):
            self._fail(f"'{prefix}{name}' is neither true nor false", f"write {name} = true", f"{prefix}{name}")
        return value

    def _path(self, table: Mapping[str, object], name: str, folder: Path) -> Path | None:
        value = self._string(table, name, "check.")
        return folder / value if value else None

    def _columns(self, table: Mapping[str, object]) -> Mapping[str, tuple[str, ...]]:
        self._known(table, ("required_columns",), "tables.")
        columns = self._table(table, "required_columns")
        return {name: self._strings(columns, name, "tables.required_columns.") for name in columns}

    def _rules(self, table: Mapping[str, object]) -> Mapping[str, Severity | Literal["on"] | None]:
        rules: dict[str, Severity | Literal["on"] | None] = {}
        for name, value in table.items():
            if not isinstance(value, str) or value not in _LEVELS:
                self._fail(
                    f"'rules.{name}' has no known severity", f"write one of {', '.join(_LEVELS)}", f"rules.{name}"
                )
            rules[name] = "on" if value == "on" else _LEVELS[value]
        return rules

    def _form(self, table: Mapping[str, object]) -> Form:
        names = ("style", "pattern", "document", "phrases", "lower_case", "quotes")
        self._known(table, names, "requirements.")
        style = self._string(table, "style", "requirements.") or "auto"
        if style not in ("auto", "marked", "prose"):
            self._fail(f"'requirements.style' is '{style}'", "write auto, marked or prose", "requirements.style")
        pattern = self._string(table, "pattern", "requirements.")
        phrases = self._strings(table, "phrases", "requirements.")
        for name, expression in (("pattern", pattern), *(("phrases", one) for one in phrases)):
            try:
                re.compile(expression)
            except (re.error, RecursionError, OverflowError) as error:
                self._fail(
                    f"'requirements.{name}' is no regular expression ({error})", "correct it", f"requirements.{name}"
                )
        return Form(
            style=cast("Style", style),  # pyright: ignore[reportUnnecessaryCast] -- mypy does not narrow by `in`
            pattern=pattern,
            document=self._string(table, "document", "requirements."),
            phrases=phrases,
            lower_case=self._truth(table, "lower_case", "requirements.", default=False),
            quotes=self._truth(table, "quotes", "requirements.", default=False),
        )

    def _waivers(self, value: object) -> tuple[Waiver, ...]:
        if not isinstance(value, list):
            self._fail("'waivers' is not a list", "write [[waivers]]", "waivers")
        lines = [number for number, line in enumerate(self.text.split("\n"), start=1) if "[[waivers]]" in line]
        waivers: list[Waiver] = []
        for index, one in enumerate(cast("list[object]", value)):
            if not isinstance(one, dict):
                self._fail("'waivers' is not a list of tables", "write [[waivers]]", "waivers")
            table = cast("Mapping[str, object]", one)
            self._known(table, tuple(f.name for f in fields(Waiver) if f.name != "line"), "waivers.")
            until = table.get("until")
            if until is not None and (not isinstance(until, date) or isinstance(until, datetime)):
                self._fail("'waivers.until' is no date", "write until = 2030-01-31", "waivers.until")
            name = self._string(table, "requirement", "waivers.")
            if not name:
                self._fail("a waiver names no requirement", 'write requirement = "…"', "waivers")
            line = lines[index] if index < len(lines) else 1
            waivers.append(Waiver(name, self._string(table, "reason", "waivers."), until, line))
        return tuple(waivers)

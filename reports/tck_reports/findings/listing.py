"""What every writer of findings is given, and what they all ask about a finding's place."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tck_reports.plain import visible
from tck_spec.findings import SEVERITY_NAMES, Finding, Severity

__all__ = ["Listing", "RuleText", "counted", "encodable", "shown", "told"]

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_DIGITS: Final = re.compile(r"\d+")
#: A message is a sentence; what is longer quotes a document that has no lines.
_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True)
class RuleText:
    """What is said of a rule where its findings are shown."""

    code: str
    name: str
    severity: Severity
    #: One sentence.
    summary: str = ""
    #: Its section of the documentation, in Markdown.
    help: str = ""
    #: Where that section can be read; empty where nobody knows.
    uri: str = ""
    on: bool = True


@dataclass(frozen=True)
class Listing:
    """What was found, in the order in which it is to be shown; every finding has its source."""

    findings: Sequence[Finding]
    #: All files that were looked at, also those without a finding.
    files: Sequence[str] = ()
    #: Their texts, as far as they could be read.
    texts: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    rules: Mapping[str, RuleText] = field(default_factory=dict[str, RuleText], repr=False)
    #: The folder that other tools know the files by their path in: the root of the repository.
    root: Path = field(default_factory=Path.cwd)
    #: The severities that make the check fail.
    failing: frozenset[Severity] = frozenset({"E"})
    requirements: int = 0
    sections: int = 0
    version: str = "0"

    @cached_property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity, the gravest first."""
        return counted(self.findings)

    @cached_property
    def by_file(self) -> dict[str, list[Finding]]:
        """The findings of each file; first all files that were looked at, then others that have some."""
        grouped: dict[str, list[Finding]] = {name: [] for name in self.files}
        for one in self.findings:
            grouped.setdefault(one.source or "", []).append(one)
        return grouped

    @cached_property
    def _lines(self) -> dict[str, list[str]]:
        return {}

    def line_of(self, finding: Finding) -> str | None:
        """Return the line that a finding is in, without a byte-order mark; None where the text is not at hand."""
        source = finding.source or ""
        if source not in self._lines:
            text = self.texts.get(source)
            self._lines[source] = [] if text is None else _LINE_END.split(text.removeprefix("\ufeff"))
        lines = self._lines[source]
        return lines[finding.line - 1] if 0 < finding.line <= len(lines) else None

    def path_of(self, finding: Finding) -> str:
        """Return the path below the root, or the absolute path of a file that is elsewhere."""
        absolute = os.path.normpath(Path(finding.source or "").absolute())
        below = os.path.relpath(absolute, self.root.absolute())
        return absolute if below.split(os.sep, 1)[0] == os.pardir else below

    def uri_of(self, finding: Finding) -> str:
        """Return the same as a URI reference; of a file that is elsewhere, with its scheme."""
        path = self.path_of(finding)
        quoted = quote(os.fsencode(path))
        return f"file://{quoted}" if Path(path).is_absolute() else quoted

    def fingerprints(self) -> Iterator[str]:
        """Yield a name for each finding that it keeps when lines above it come and go, and shares with no other.

        It is made of the rule, the file, and the text of the line; of equal ones, the how-manieth it is.
        """
        seen: Counter[tuple[str, str, str]] = Counter()
        for one in self.findings:
            line = self.line_of(one)
            where = _DIGITS.sub("#", one.message) if line is None else " ".join(line.split())
            key = (one.rule, self.path_of(one), where)
            seen[key] += 1
            told = "\0".join((*key, str(seen[key])))
            yield sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def counted(findings: Iterable[Finding]) -> dict[Severity, int]:
    """Return how many there are of each severity."""
    found = Counter(one.severity for one in findings)
    return {severity: found[severity] for severity in SEVERITY_NAMES}


def shown(text: str) -> str:
    """Return a text on one line, such that no terminal obeys it and no reader is misled."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    return visible(text).replace("\n", "\\n").replace("\t", " ")


def told(finding: Finding) -> str:
    """Return message and hint on one line."""
    return shown(f"{finding.message} ({finding.hint})" if finding.hint else finding.message)


def encodable(text: str) -> str:
    """Return a text that UTF-8 can hold: file names need not be such."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")

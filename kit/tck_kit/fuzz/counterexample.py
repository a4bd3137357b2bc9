"""Keeps a history that shows something: as a feature file that says what was expected, and can be run by itself."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tck_features.history.spelling import quoted
from tck_features.history.wording import BEGINNING, END, word
from tck_kit.fuzz.trial import Finding
from tck_reports.errors import ReportWriteError
from tck_reports.files import write_whole

#: What stands on a counterexample that no requirement is named for, such as an engine that broke off: every run needs
#: a request, and an engine that is gone makes none.
BROAD = "RESUME-1"
_LONGEST = 600
_LONGEST_NAME = 110
_NOT_IN_A_NAME = re.compile(r"[^0-9A-Za-z .,:;'()=/#!_-]+")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a finding came from, as far as its reader needs it. `engine` is what `--engine` was told, if anything."""

    engine: str | None
    name: str
    shown: str
    seed: int
    example: int
    events: int
    tries: int
    kit: str
    #: The requirements of the specification, each with its text.
    texts: Mapping[str, str]
    #: Whether it showed the same when it was run once more from its feature file.
    shows_again: bool = True


def requirements_of(finding: Finding, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Give the requirements that a finding is about, of those that the specification has."""
    named = tuple(dict.fromkeys(one for one in finding.requirements if one in texts))
    return named or (BROAD,)


def told(finding: Finding) -> str:
    """Say in one line what was found."""
    expectation = finding.expectation
    if expectation is not None:
        return expectation.statement
    what = {"engine": "the engine broke off", "driver": "the driver is at fault", "kit": "the kit is at fault"}
    words = " ".join(str(finding.fault).split()) or type(finding.fault).__name__
    return f"{what.get(finding.judged.blame or 'kit', 'something is at fault')}: {words}"


def feature(finding: Finding, origin: Origin, path: Path) -> str:
    """Give the text of a feature file."""
    tags = requirements_of(finding, origin.texts)
    *before, last = [word(event) for event in finding.events] or ["time passes"]
    lines = [
        *(f"# {line}".rstrip() for line in _comments(finding, origin, path, tags)),
        f"Feature: {_name(f'A history that {origin.name} does not get right')}",
        "",
        f"  {' '.join(f'@{tag.lower()}' for tag in tags)}",
        f"  Scenario: {_name(told(finding))}",
        f"    Given {BEGINNING}",
        *(f"    And {sentence}" for sentence in before),
        f"    When {last}",
        f"    Then {END}",
    ]
    return "\n".join(lines) + "\n"


def file_name(finding: Finding, texts: Mapping[str, str]) -> str:
    """Give a name that says what it is about, the same for the same history."""
    digest = hashlib.sha256("\n".join(map(word, finding.events)).encode()).hexdigest()[:8]
    return f"{requirements_of(finding, texts)[0].lower()}-{digest}.feature"


def replay(engine: str | None, path: Path) -> str:
    """Give the command that runs a counterexample again."""
    words = ["session-tck", "run", *(() if engine is None else ("--engine", engine)), "--feature", str(path)]
    return shlex.join(words)


def keep(text: str, path: Path) -> str | None:
    """Write it, wholly or not at all; give what keeps it from being written, None where nothing does."""
    try:
        write_whole(path, text.encode("utf-8"))
    except ReportWriteError as fault:
        return f"{fault.where}: {fault.what.removeprefix('the report ')}; {fault.cure}"
    return None


def _comments(finding: Finding, origin: Origin, path: Path, tags: tuple[str, ...]) -> list[str]:
    again = "" if origin.shows_again else ", and not shown again when it was played from this file"
    shorter = f"of {origin.events} events, made shorter in {origin.tries} tries{again}"
    lines = [
        f"Found by session-tck fuzz {origin.kit}: {_line(told(finding))}",
        f"  engine: {_line(origin.shown)}",
        f"  seed: {origin.seed}, history {origin.example} {shorter}",
        f"  again: {_line(replay(origin.engine, path))}",
    ]
    lines.extend(f"{tag}: {_line(origin.texts[tag])}" for tag in tags if finding.requirements)
    expectation = finding.expectation
    if expectation is not None:
        lines.append(f"  expected: {_line(_value(expectation.expected))}")
        lines.append(f"  actual: {_line(_value(expectation.actual))}")
        lines.extend(f"  evidence: {_line(one)}" for one in (*expectation.evidence, *finding.hints))
    return lines


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _line(text: str) -> str:
    """Give a text on one line that can be read, and not too long."""
    shown = quoted(text)[1:-1] if not text.isprintable() else text
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} …"


def _name(text: str) -> str:
    plain = " ".join(_NOT_IN_A_NAME.sub(" ", text).split())
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[:_LONGEST_NAME].rpartition(' ')[0]} and so on"

"""Mending files by the edits that findings bring along, and believing none of them.

What would be mended is checked again before a byte is written: the findings have to be gone and no error may have
come. Where that is not so the edits are halved until the one that does harm is alone, and left out. A file is written
whole or not at all, with its byte-order mark, its line ends and its permissions as they were.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tck_kit.authors.checked import absolute
from tck_kit.authors.showing import say
from tck_kit.faults import UsageFault
from tck_reports.findings.listing import shown as on_one_line
from tck_reports.outcomes import ExitCode
from tck_reports.plain import visible
from tck_spec.findings import Finding

if TYPE_CHECKING:
    from tck_kit.authors.asked_check import Asked
    from tck_kit.authors.checked import Checked
    from tck_kit.authors.showing import Shown
    from tck_spec.findings import Edit

__all__ = ["Mended", "apply", "difference", "fix", "mend"]

_BOM: Final = "\ufeff"
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")
_DIGITS: Final = re.compile(r"\d+")
#: An edit may bring a fault to light that another one mends; more often than this it is a game.
_MOST_ROUNDS: Final = 5
#: How often a round checks again to find the edit that does harm.
_MOST_TRIALS: Final = 64
_COLOURS: Final[Mapping[str, str]] = {"-": "31", "+": "32", "@": "36"}


@dataclass(frozen=True, slots=True)
class Mended:
    """What came of mending: the new text of each file that changes, and what is left to find."""

    checked: Checked
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    #: How many findings were mended.
    findings: int = 0


def fix(asked: Asked, shown: Shown, *, dry_run: bool) -> int:
    """Mend the files, or print what would be changed; return the exit code."""
    if not asked.named(asked.settings()):
        raise UsageFault("the kit's own specification is not yours to mend", "--fix", "name a file or a folder")
    first = asked.check()
    mended = mend(first, asked.check)
    before = {one.source: one.text for one in first.documents}
    done = f"{_number(mended.findings, 'finding')} in {_number(len(mended.texts), 'file')}"
    if dry_run:
        for source, text in mended.texts.items():
            for line in difference(source, before[source], text):
                say(_painted(line) if shown.color else line)
        sys.stderr.write(f"{done} would be mended\n")
        return ExitCode.NONCONFORMANT if mended.texts else shown.code(mended.checked)
    for source, text in mended.texts.items():
        _replace(Path(source), before[source], text)
    sys.stderr.write(f"{done} mended\n")
    return shown.show(asked.check() if mended.texts else first)


def mend(first: Checked, again: Callable[[Mapping[Path, str]], Checked]) -> Mended:
    """Find out what can be mended. `again` checks once more with the texts that are laid over the files."""
    texts: dict[str, str] = {}
    mended = 0
    current, refused = first, set[Finding]()
    for _ in range(_MOST_ROUNDS):
        turn = _Round(current, texts, again)
        turn.take(_candidates(current, refused))
        if not turn.taken:
            break
        mended += len(turn.taken)
        refused |= turn.refused
        current = turn.after
        texts |= turn.texts(turn.taken)
    return Mended(current, texts, mended)


def _candidates(checked: Checked, refused: set[Finding]) -> list[Finding]:
    """Return the findings to mend: of each document, and of a file that has two names under the first of them."""
    texts: dict[str, str] = {}
    real: set[str] = set()
    for one in checked.documents:
        path = os.path.realpath(one.source)
        if path not in real:
            real.add(path)
            texts[one.source] = one.text
    return [one for one in checked.findings if one.fix and one.source in texts and one not in refused]


def _name(one: Finding) -> tuple[str, str, str]:
    """Name a finding such that it keeps its name when lines and numbers change."""
    return one.source or "", one.rule, _DIGITS.sub("#", one.message)


class _Round:
    """One round: edits of one text, taken together as far as they do no harm."""

    def __init__(self, before: Checked, texts: dict[str, str], again: Callable[[Mapping[Path, str]], Checked]) -> None:
        self.before = before
        self.after = before
        self.taken: list[Finding] = []
        #: Those that do harm, or do not mend what they should.
        self.refused: set[Finding] = set()
        self._earlier = texts
        self._again = again
        self._originals = {one.source: one.text for one in before.documents}
        self._trials = 0

    def take(self, candidates: Sequence[Finding]) -> None:
        """Take what can be taken of some findings; of those that do harm together, the half that does not."""
        if not candidates or self._trials >= _MOST_TRIALS:
            return
        self._trials += 1
        together = [*self.taken, *candidates]
        with suppress(ValueError):
            overlay = {absolute(Path(source)): text for source, text in (self._earlier | self.texts(together)).items()}
            after = self._again(overlay)
            if _better(self.before, after, together):
                self.taken, self.after = together, after
                return
            if len(candidates) == 1:
                self.refused.update(candidates)
        if len(candidates) > 1:
            half = len(candidates) // 2
            self.take(candidates[:half])
            self.take(candidates[half:])

    def texts(self, findings: Iterable[Finding]) -> dict[str, str]:
        """Return the texts with the edits of some findings; raises `ValueError` where they contradict."""
        edits: dict[str, list[Edit]] = {}
        for one in findings:
            edits.setdefault(one.source or "", []).extend(one.fix)
        return {source: apply(self._originals[source], some) for source, some in edits.items()}


def _better(before: Checked, after: Checked, mended: Iterable[Finding]) -> bool:
    """Tell whether findings are gone and no error has come."""
    old, new = Counter(map(_name, before.findings)), Counter(map(_name, after.findings))
    gone = Counter(map(_name, mended))
    if any(new[name] > old[name] - number for name, number in gone.items()):
        return False
    errors = [Counter(_name(one) for one in checked.findings if one.severity == "E") for checked in (before, after)]
    return not errors[1] - errors[0]


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits done, all of which speak of it as it is.

    Raises `ValueError` for edits of one place that contradict, and for places that are not there.
    """
    mark, body = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    spans = list(_spans(body))
    places: dict[tuple[int, int], str] = {}
    for edit in edits:
        if not 0 < edit.line <= len(spans):
            raise ValueError(edit)
        start, end = spans[edit.line - 1]
        first, last = start + edit.column - 1, start + edit.end_column - 1
        if not start <= first <= last <= end or places.get((first, last), edit.text) != edit.text:
            raise ValueError(edit)
        places[first, last] = edit.text
    if any(two[0] < one[1] or two[0] == one[0] for one, two in pairwise(sorted(places))):
        raise ValueError(text)
    ending = next((match.group() for match in _LINE_END.finditer(body)), "\n")
    for (first, last), new in sorted(places.items(), reverse=True):
        body = body[:first] + _LINE_END.sub(ending, new) + body[last:]
    return mark + body


def _spans(body: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _LINE_END.finditer(body):
        yield start, match.start()
        start = match.end()
    yield start, len(body)


def difference(source: str, before: str, after: str) -> Iterator[str]:
    """Yield the lines of a patch that `git apply` and `patch -p1` take."""
    name = on_one_line(source).lstrip("/")
    old, new = _LINES.findall(before), _LINES.findall(after)
    for line in unified_diff(old, new, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _painted(line: str) -> str:
    """Return a line for a terminal, which must not obey it."""
    text, colour = visible(line.rstrip("\n")), _COLOURS.get(line[:1])
    return f"\x1b[{colour}m{text}\x1b[0m\n" if colour else f"{text}\n"


def _number(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _replace(path: Path, before: str, after: str) -> None:
    """Put a text in the place of another that is still there, with the file's permissions, at once."""
    real = Path(os.path.realpath(path))
    beside = real.with_name(f".{real.name}.{secrets.token_hex(4)}")
    try:
        if real.read_bytes() != before.encode("utf-8"):
            raise UsageFault("has changed in the meantime and was left as it is", str(path), "run it again")
        if not os.access(real, os.W_OK):
            raise UsageFault("may not be written", str(path), "change its permissions, or leave --fix out")
        status = real.stat()
        with beside.open("xb") as file:
            os.fchmod(file.fileno(), status.st_mode & 0o7777)
            with suppress(OSError):
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            file.write(after.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(real)
    except OSError as error:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        cure = "make room, or change the permissions of its folder"
        raise UsageFault(f"cannot be written ({error.strerror})", str(path), cure) from error

"""Texts and file names without what changes from run to run: ids, dates, paths, ports, times, the version itself.

Two probes of one version have to give the same record, byte for byte, or no difference between two records would mean
anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Final, cast

from tck_simulator.adapters.base import events, text_of

#: More lines than these say nothing new, and longer ones are somebody's stack trace.
MOST_LINES, MOST_CHARACTERS = 6, 300

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
#: Pattern → what stands in its place; in this order, for a date lies within a file name and a port within a URL.
_VOLATILE: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"tck-[0-9a-f]{8}", "<mark>"),
        (rf"\b{_UUID}\b", "<id>"),
        (r"\b(?:ses|msg|prt|err|req|resp)_[0-9A-Za-z]{6,}", "<id>"),
        (r"\b(?:127\.0\.0\.1|localhost|\[::1\]):\d+", "<model>"),
        (r"\d{4}-\d{2}-\d{2}[T_ -]\d{2}[:-]\d{2}[:-]\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?", "<time>"),
        (r"\b\d{4}/\d{2}/\d{2}\b", "<date>"),
        (r"\b\d{4}-\d{2}-\d{2}\b", "<date>"),
        (r"\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?\b", "<time>"),
        (r"\b\d+(?:\.\d+)?\s?(?:ms|µs|s|sec|seconds)\b", "<duration>"),
        (r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b", "<hash>"),
        (r"\b\d{7,}\b", "<number>"),
    )
)
_NUMBER = re.compile(r"(?<=[._-])\d{3,}(?=\.|$)")
#: Event type → where in it an error is told.
_ERRORS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "turn.failed": (("error", "message"),),
    "error": (("message",), ("error", "data", "message"), ("error", "message"), ("error", "name")),
    "session.error": (("data", "message"), ("message",)),
}


class Plain:
    """Makes texts plain; `places` maps what stands for one arena alone to the word that stands for all."""

    def __init__(self, places: Mapping[str, str]) -> None:
        longest_first = sorted((one for one in places if one), key=len, reverse=True)
        self._places = tuple((one, places[one]) for one in longest_first)

    def text(self, text: str) -> str:
        """Give one text without what is volatile."""
        for place, word in self._places:
            text = text.replace(place, word)
        for pattern, word in _VOLATILE:
            text = pattern.sub(word, text)
        return text

    def file(self, path: PurePath) -> str:
        """Give a file's name; a process number in it is as volatile as an id."""
        return _NUMBER.sub("<number>", self.text(path.as_posix()))

    def lines(self, text: str) -> tuple[str, ...]:
        """Give the lines that say something, each once."""
        bare = (" ".join(self.text(line).split()) for line in _COLOUR.sub("", text).splitlines())
        return tuple(dict.fromkeys(line[:MOST_CHARACTERS] for line in bare if line))

    def said(self, stdout: str, stderr: str) -> tuple[str, ...]:
        """Give what a CLI told people: standard error, errors within events, and output that is no event."""
        loose = "\n".join(line for line in stdout.splitlines() if not line.startswith("{"))
        told = (
            *self.lines(stderr),
            *(f"stdout: {line}" for line in self.lines(loose)),
            *(f"event: {line}" for text in _errors(stdout) for line in self.lines(text)),
        )
        return tuple(line[:MOST_CHARACTERS] for line in tuple(dict.fromkeys(told))[:MOST_LINES])


def _errors(stdout: str) -> Iterable[str]:
    for event in events(stdout):
        kind = str(event.get("type", ""))
        if kind == "result" and event.get("is_error") is True:
            told = event.get("errors")
            yield " ".join(map(str, cast("list[object]", told))) if isinstance(told, list) else text_of(event, "result")
        for path in _ERRORS.get(kind, ()):
            text = text_of(event, *path)
            if text:
                yield text
                break


def kinds(stdout: str) -> tuple[str, ...]:
    """Give the kinds of the events on standard output, each once, in the order of their first appearance."""
    return tuple(dict.fromkeys(kind(event) for event in events(stdout)))


def kind(event: Mapping[str, object]) -> str:
    """Give what kind of event one is: its type, and what more precise word the CLI has for it."""
    finer = text_of(event, "subtype") or text_of(event, "item", "type")
    shown = text_of(event, "type") or "without a type"
    return f"{shown}/{finer}" if finer else shown


def place_of(stdout: str, native_id: str) -> str:
    """Say where in the events an id stands: the field, the event and its place among all."""
    held = tuple(events(stdout))
    for number, event in enumerate(held):
        for name, value in event.items():
            if value == native_id:
                rank = "first" if number == 0 else "last" if number == len(held) - 1 else "later"
                return f"{name} of the {rank} event, {kind(event)}"
    inside = next((one for one in held if native_id in json.dumps(one)), None)
    return "nowhere" if inside is None else f"within {kind(inside)}"

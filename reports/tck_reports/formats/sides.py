"""What was expected and what was there, beside each other, with the places marked at which they differ.

People look for a difference in two long values that are nearly the same, so what is the same is cut short, and what
differs never is before it fills the page. The values are the engine's: they are bounded here, and escaped by whoever
shows them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from tck_reports.plain import visible
from tck_reports.shape import Json

#: A value longer than this is cut before it is compared: twice what a report lets a text have.
_MAX_TEXT: Final = 40_000
#: Lines of one value that are compared; the rest is counted.
_MAX_LINES: Final = 240
#: Of a stretch that is the same on both sides, so much stays at either end.
_CONTEXT: Final = 60
#: Of a stretch that differs, so much is shown.
_MAX_STRETCH: Final = 1_600
_MAX_SHOWN: Final = 8_000
#: Lines of context around lines that differ.
_LINES_AROUND: Final = 3
#: A container that fits is shown on one line.
_ONE_LINE: Final = 72
#: Two lines that share less than this part of the shorter one are wholly different, not partly the same.
_ALIKE: Final = 0.34


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some text of a line, and whether the other side has something else there."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a value; `sign` says how it stands to the other side: - expected alone, + there alone, or empty."""

    stretches: tuple[Stretch, ...]
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Sides:
    """Both values as lines, and in a few words what is easily overlooked; empty where the marks say it all."""

    expected: tuple[Line, ...]
    actual: tuple[Line, ...]
    remark: str


def beside(expected: Json, actual: Json) -> Sides:
    """Return both values with what differs marked."""
    left, right = _lines(expected), _lines(actual)
    before: list[Line] = []
    after: list[Line] = []
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            before += _same(left[a:b], first=a == 0, last=b == len(left))
            after += _same(right[c:d], first=c == 0, last=d == len(right))
        elif b - a == d - c:
            pairs = [_marked(one, other) for one, other in zip(left[a:b], right[c:d], strict=True)]
            before += [Line(one, "-") for one, _ in pairs]
            after += [Line(other, "+") for _, other in pairs]
        else:
            before += [Line(_whole(one), "-") for one in left[a:b]]
            after += [Line(_whole(one), "+") for one in right[c:d]]
    return Sides(tuple(_bounded(before)), tuple(_bounded(after)), _remark(expected, actual))


def brief(value: Json, limit: int = 48) -> str:
    """Return a value on one short line, cut in its middle where it is longer."""
    text = visible(json.dumps(value, ensure_ascii=False)[: limit * 40]).replace("\n", "\\n").replace("\t", "\\t")
    return text if len(text) <= limit else f"{text[: limit * 2 // 3]}…{text[-limit // 4 :]}"


def _lines(value: Json) -> list[str]:
    """Return a value as JSON on as many lines as it takes to read it; a text goes on where it has a new line."""
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, dict)) and len(text) > _ONE_LINE and value:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    cut = f"{text[:_MAX_TEXT]}\n… ({len(text) - _MAX_TEXT:,} more characters)" if len(text) > _MAX_TEXT else text
    lines = visible(cut).replace("\\n", "\\n\n").removesuffix("\n").split("\n")
    rest = len(lines) - _MAX_LINES
    return lines if rest <= 0 else [*lines[:_MAX_LINES], f"… ({rest:,} more lines)"]


def _same(lines: Sequence[str], *, first: bool, last: bool) -> Iterator[Line]:
    """Yield lines that both sides have, without those that are far from any difference."""
    lead, trail = 0 if first else _LINES_AROUND, 0 if last else _LINES_AROUND
    left_out = len(lines) - lead - trail
    if left_out <= _LINES_AROUND or (first and last):
        yield from (Line((Stretch(_cut(one)),)) for one in lines)
        return
    yield from (Line((Stretch(_cut(one)),)) for one in lines[:lead])
    yield Line((Stretch(f"… {left_out:,} lines that are the same"),))
    yield from (Line((Stretch(_cut(one)),)) for one in lines[len(lines) - trail :])


def _marked(one: str, other: str) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """Return both lines with what lies between their common beginning and their common end marked."""
    shorter = min(len(one), len(other))
    head = next((place for place in range(shorter) if one[place] != other[place]), shorter)
    tail = next((place for place in range(shorter - head) if one[-1 - place] != other[-1 - place]), shorter - head)
    if head + tail < _ALIKE * shorter:
        return _whole(one), _whole(other)
    return _around(one, head, tail), _around(other, head, tail)


def _around(line: str, head: int, tail: int) -> tuple[Stretch, ...]:
    end = len(line) - tail
    same = (f"…{line[head - _CONTEXT : head]}" if head > 2 * _CONTEXT else line[:head]) if head else ""
    rest = f"{line[end : end + _CONTEXT]}…" if tail > 2 * _CONTEXT else line[end:]
    parts = (Stretch(same), Stretch(_cut(line[head:end]), differs=True), Stretch(rest))
    return tuple(part for part in parts if part.text)


def _whole(line: str) -> tuple[Stretch, ...]:
    return (Stretch(_cut(line), differs=True),)


def _cut(text: str) -> str:
    rest = len(text) - _MAX_STRETCH
    return text if rest <= 0 else f"{text[:_MAX_STRETCH]}… ({rest:,} more characters)"


def _bounded(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield lines until they have filled their share of a page."""
    room = _MAX_SHOWN
    for place, line in enumerate(lines):
        room -= sum(len(one.text) for one in line.stretches)
        if room < 0 and place:
            yield Line((Stretch(f"… {len(lines) - place:,} more lines"),))
            return
        yield line


#: What JSON calls the values that can look alike.
_KINDS: Final = {bool: "a truth value", int: "a number", float: "a number", str: "a text", type(None): "null"} | {
    list: "a list",
    dict: "an object",
}


def _remark(expected: Json, actual: Json) -> str:
    wanted, found = _KINDS[type(expected)], _KINDS[type(actual)]
    if wanted != found:
        return f"{wanted} was expected, and {found} came" if str(expected) == str(actual) else ""
    if wanted == "a text":
        return _texts(expected, actual)
    return _lists(expected, actual) if wanted == "a list" else ""


def _texts(expected: str, actual: str) -> str:
    if len(expected) + len(actual) > _MAX_TEXT:
        return ""
    if expected.split() == actual.split():
        return "they differ in white space alone"
    if "".join(expected.split()).casefold() == "".join(actual.split()).casefold():
        return "they differ in upper and lower case alone"
    if len(expected) == len(actual) and not (expected.isascii() and actual.isascii()):
        places = [place for place, one in enumerate(expected) if one != actual[place]]
        if len(places) == 1:
            one, other = expected[places[0]], actual[places[0]]
            return f"at character {places[0] + 1}, U+{ord(one):04X} was expected, and U+{ord(other):04X} came"
    return ""


def _lists(expected: list[Json], actual: list[Json]) -> str:
    if len(expected) + len(actual) > _MAX_LINES:
        return ""
    wanted, found = ([json.dumps(one, sort_keys=True) for one in side] for side in (expected, actual))
    if sorted(wanted) == sorted(found):
        return "the same items in another order" if wanted != found else ""
    missing, extra = list(wanted), list[str]()
    for one in found:
        if one in missing:
            missing.remove(one)
        else:
            extra.append(one)
    said = [f"{len(missing)} of {len(wanted)} items missing"] if missing else []
    return ", ".join(
        [*said, f"{len(extra)} that {'was' if len(extra) == 1 else 'were'} not expected"] if extra else said
    )

"""Making any value a plain JSON value: bounded, encodable, and without secrets.

Engines and drivers hand over whatever they like. What reaches a report must survive every format, so lone surrogates
become escapes, numbers that JSON does not know become text, endless strings and deep structures are cut with a note,
and known secrets and passwords in URLs are replaced and counted.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Final, cast

from tck_reports.shape import Json

MAX_TEXT: Final = 16_384
MAX_ITEMS: Final = 2_000
MAX_DEPTH: Final = 20
#: Over all levels of one value: a structure that contains itself twice would otherwise double at each level.
MAX_NODES: Final = 20_000
REDACTED: Final = "[redacted]"
#: The password in `scheme://user:password@host`.
_URL_PASSWORD: Final = re.compile(r"(?<=://)([^\s/:@]{0,200}):(?!\[redacted\]@)([^\s/@]{1,500})(?=@)")
#: How a cut text, list or table ends. What is plain already stays as it is, so that a report can be made of reports.
_CUT_TEXT: Final = re.compile(r"… \([0-9]{1,12} more characters\)")
_CUT_LIST: Final = re.compile(r"… \([0-9]{1,12} more\)")
_CUT_TABLE: Final = re.compile(r"[0-9]{1,12} more")
#: A secret shorter than this would take ordinary words with it.
_SHORTEST_SECRET: Final = 4
#: Written so, a number is exact for every reader of JSON.
_SAFE_INTEGER: Final = 2**53


class Plainer:
    """Turns values into plain JSON and counts what it redacted."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        usable = sorted({one for one in secrets if len(one) >= _SHORTEST_SECRET}, key=len, reverse=True)
        self._secrets = re.compile("|".join(re.escape(one) for one in usable)) if usable else None
        self._nodes = 0
        self.redactions = 0

    def text(self, value: str) -> str:
        """Return the text without secrets, encodable, and cut at `MAX_TEXT` characters."""
        if not value.isascii():
            value = value.encode("utf-8", "backslashreplace").decode("utf-8")
        if self._secrets is not None:
            value, times = self._secrets.subn(REDACTED, value)
            self.redactions += times
        if "://" in value:
            value, times = _URL_PASSWORD.subn(rf"\1:{REDACTED}", value)
            self.redactions += times
        if len(value) > MAX_TEXT and not _CUT_TEXT.fullmatch(value, MAX_TEXT):
            value = f"{value[:MAX_TEXT]}… ({len(value) - MAX_TEXT} more characters)"
        return value

    def texts(self, values: Iterable[str]) -> list[str]:
        """Return each text as `text` does."""
        return [self.text(value) for value in values]

    def value(self, value: object, depth: int = 0) -> Json:
        """Return the value as plain JSON; what JSON cannot say becomes text."""
        self._nodes = 1 if depth == 0 else self._nodes + 1
        match value:
            case Enum():
                return self.value(cast("object", value.value), depth)
            case None | bool():
                return value
            case int() | float():
                return self._number(value)
            case str():
                return self.text(str(value))
            case _:
                return self._structure(value, depth)

    def _number(self, value: float) -> Json:
        if isinstance(value, int):
            return int(value) if abs(value) <= _SAFE_INTEGER else self.text(_digits(value))
        return float(value) if math.isfinite(value) else str(value)

    def _structure(self, value: object, depth: int) -> Json:
        if depth >= MAX_DEPTH or self._nodes > MAX_NODES:
            return "… (too deep or too large to show)"
        match value:
            case Mapping():
                return self._mapping(cast("Mapping[object, object]", value), depth)
            case AbstractSet():
                return self._items(sorted(cast("AbstractSet[object]", value), key=repr), depth)
            case Sequence() if not isinstance(value, bytes | bytearray):
                return self._items(cast("Sequence[object]", value), depth)
            case _ if is_dataclass(value) and not isinstance(value, type):
                return self._mapping({one.name: getattr(value, one.name) for one in fields(value)}, depth)
            case _:
                return self.text(str(value) if isinstance(value, PurePath) else repr(value))

    def _mapping(self, value: Mapping[object, object], depth: int) -> Json:
        held = list(value.items())
        plain = {
            self.text(key if isinstance(key, str) else str(key)): self.value(item, depth + 1)
            for key, item in held[:MAX_ITEMS]
        }
        if rest := [item if key == "…" else None for key, item in held[MAX_ITEMS:]]:
            plain["…"] = _left(rest, "{} more", _CUT_TABLE)
        return plain

    def _items(self, value: Collection[object], depth: int) -> Json:
        held = list(value)
        plain = [self.value(item, depth + 1) for item in held[:MAX_ITEMS]]
        if rest := held[MAX_ITEMS:]:
            plain.append(_left(rest, "… ({} more)", _CUT_LIST))
        return plain


def _left(rest: Sequence[object], told: str, form: re.Pattern[str]) -> str:
    """Say how much was cut off, unless what is left says that already."""
    first = rest[0]
    done = len(rest) == 1 and isinstance(first, str) and form.fullmatch(first)
    return str(first) if done else told.format(len(rest))


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # longer than Python turns into decimal digits
        return hex(value)


def visible(text: str) -> str:
    """Return the text with control characters spelled out, so that no terminal obeys and no XML parser refuses them.

    Newline and tab stay; so do all printable characters. Direction marks are spelled out, too: they can make one text
    look like another.
    """
    if text.isprintable():
        return text
    return "".join(one if one in "\n\t" or _shown(one) else _spelled(one) for one in text)


def _shown(one: str) -> bool:
    return one.isprintable() or one in "\u00a0\u200d\ufe0f\u3000"


def _spelled(one: str) -> str:
    number = ord(one)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"  # noqa: PLR2004 - the widths of Python's escapes

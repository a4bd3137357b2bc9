"""Session files of one JSON object a line, read as forgivingly as the real CLIs read them.

A line that is no JSON object is passed over without a word: that is how claude, codex and copilot lose turns of a
damaged transcript in silence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import cast

from tck_fakes.standins.seen import View

Entry = Mapping[str, object]


def compact(entry: Entry) -> str:
    """Give an object as one line of JSON, as Node and Rust write it."""
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


def made_id(number: int) -> str:
    """Give a UUID for what is no session; real output has many of them, and nobody may take one for the session's."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def stamp(now: datetime) -> str:
    """Give a moment as Node and Rust write it."""
    return f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"


def entries(data: bytes) -> list[Entry]:
    """Give the objects of all lines that can be read."""
    found: list[Entry] = []
    for line in data.splitlines():
        try:
            value = cast("object", json.loads(line))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(cast("Entry", value))
    return found


def inner(entry: Entry, *path: str) -> object:
    """Give the value at a path of keys, None where there is none."""
    value: object = entry
    for key in path:
        if not isinstance(value, dict):
            return None
        value = cast("Entry", value).get(key)
    return value


def texts(content: object) -> str:
    """Give the text of a message's content: a text itself, or a list of parts of which some have one."""
    if not isinstance(content, list):
        return str(content)
    parts = (inner(cast("Entry", part), "text") for part in cast("list[object]", content) if isinstance(part, dict))
    return "".join(text for text in parts if isinstance(text, str))


def append(view: View, path: str, lines: Iterable[Entry], mode: int) -> None:
    """Add lines to a file. Raises `OSError`."""
    view.append(path, "".join(f"{compact(line)}\n" for line in lines).encode("utf-8", "surrogatepass"), mode)

"""Session files of one JSON object a line, read as forgivingly as the real CLIs read them.

A line that is no JSON object is passed over without a word: that is how claude, codex and copilot lose turns of a
damaged transcript in silence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import cast

from tck_fakes.view import ContainerView

Entry = Mapping[str, object]


def compact(entry: Entry) -> str:
    """Give an object as one line of JSON, as Node and Rust write it."""
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


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


def append(view: ContainerView, path: str, lines: Iterable[Entry], mode: int) -> None:
    """Add lines to a file. Raises `OSError`."""
    view.append(path, "".join(f"{compact(line)}\n" for line in lines).encode("utf-8", "surrogatepass"), mode)

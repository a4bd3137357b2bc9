"""The lines of a trace: what each is called, and how it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tck_kit.trace.places import hidden

SCHEMA_ID: Final = "urn:session-tck:schemas/trace-1.json"
#: The name of the file, in a report's folder and in a worker's.
FILE: Final = "trace.ndjson"
#: How the first and the last line of a scenario begin.
BEGIN, END = '{"scenario":', '{"end":'
#: What changes nothing that anybody looks at afterwards, neither on the disk nor in what the engine goes on to do.
BLIND: Final = frozenset(
    {"engine", "ending", "close", "script", "set_version", "tracker_answers", "tracker_ends", "tamper_native_id"}
)
#: Where the disk is not looked at: besides these, in a course, whose engine may keep whatever it likes in its folder.
UNSEEN: Final = BLIND | {"cast", "cast_clis", "play"}
#: How the last line of a trace begins.
LAST: Final = '{"complete":'
_ENCODE: Final = json.JSONEncoder(separators=(",", ":")).encode


def written(fields: Mapping[str, Any]) -> str:
    """Give a line, without the passwords that a report would not show either."""
    line = _ENCODE(fields)
    return _ENCODE(hidden(fields)) if "://" in line and "@" in line else line

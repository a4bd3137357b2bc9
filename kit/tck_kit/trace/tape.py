"""One scenario out of a trace: its acts in order, and what could be seen between them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tck_kit.trace.wire import Json, canonical


@dataclass(slots=True)
class Act:
    """Something that was asked and that changed something."""

    name: str
    given: Json
    fields: Mapping[str, Any]


@dataclass(slots=True)
class Between:
    """What was seen after one act and before the next: looks by what was asked, each answer with when it began."""

    looks: dict[str, list[tuple[int, Mapping[str, Any]]]] = field(
        default_factory=dict[str, list[tuple[int, Mapping[str, Any]]]]
    )
    #: Records that came in while nothing was asked, after so many glances into the log.
    meanwhile: list[tuple[int, Json]] = field(default_factory=list[tuple[int, Json]])


@dataclass(slots=True)
class Tape:
    """A scenario as it was recorded. `between[n]` follows on `acts[n - 1]`."""

    acts: list[Act] = field(default_factory=list[Act])
    between: list[Between] = field(default_factory=lambda: [Between()])
    end: Mapping[str, Any] = field(default_factory=dict[str, Any])


def read_tape(lines: Iterable[str]) -> Tape:
    """Read the lines of a scenario, spelled as in its folder."""
    tape = Tape()
    for line in lines:
        fields: dict[str, Any] = json.loads(line)
        if "act" in fields:
            tape.acts.append(Act(fields["act"], fields.get("with"), fields))
            tape.between.append(Between())
        elif "look" in fields:
            asked = look_key(fields["look"], fields.get("with"))
            tape.between[-1].looks.setdefault(asked, []).append((fields.get("after", 0), fields))
        elif "meanwhile" in fields:
            tape.between[-1].meanwhile.append((fields["glances"], fields["meanwhile"]))
        elif "end" in fields:
            tape.end = fields
    return tape


def look_key(name: str, given: Json) -> str:
    """Give the words by which a look is found."""
    return f"{name} {canonical(given)}" if given else name

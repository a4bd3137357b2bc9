"""Which files below a state directory are a CLI's own: what it may have made or changed in the runs of one event.

Whatever else is made or changed there is the engine's doing, since nobody else can reach the place (ISOLATE-13).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tck_driver.vocabulary import AdapterId
from tck_features.laws.runs import Leg

_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
#: Of each CLI, the files that sessions consist of, by path below the state directory (§16.5.1).
_SHAPES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE.value: re.compile(rf"[^/]+/{_UUID}\.jsonl"),
        AdapterId.CODEX.value: re.compile(rf"\d+/\d+/\d+/rollout-[^/]*{_UUID}\.jsonl"),
        AdapterId.OPENCODE.value: re.compile(r"sessions-\d+\.db(?:-wal|-shm|-journal)?"),
        AdapterId.COPILOT.value: re.compile(rf"{_UUID}/(?:events\.jsonl|workspace\.yaml)"),
    }
)
#: Files that grow at their end and nowhere else.
GROWING = ".jsonl"
_PASSING = ("-wal", "-shm", "-journal")


def is_session_file(adapter: str, name: str) -> bool:
    """Say whether a CLI makes files of this name, given by its path below the state directory."""
    shape = _SHAPES.get(adapter)
    return shape is not None and shape.fullmatch(name) is not None


def is_passing(name: str) -> bool:
    """Say whether a file comes and goes with a database that is in use."""
    return name.endswith(_PASSING)


def touched(legs: Iterable[Leg]) -> tuple[str, ...]:
    """Give the words of which one stands in the name of every file that these starts can have changed.

    A CLI that has ended without a session has changed nothing; one that has not ended may yet be at any.
    """
    words: list[str] = []
    for leg in legs:
        known = (leg.cli.asked_id, leg.cli.chosen_id) if leg.answer is None else (leg.answer.session_id,)
        words += [one for one in known if one]
        database = dict(leg.cli.environment).get("OPENCODE_DB")
        if database is not None:
            words.append(database.rpartition("/")[2])
    return tuple(words)

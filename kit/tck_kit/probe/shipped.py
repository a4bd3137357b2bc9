"""The records that come with the kit, one for each adapter; the one of Grok Build says that nobody has verified it."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.record import Record, decode

#: The adapters that have a record, in the order of the specification.
ADAPTERS: Final = (
    AdapterId.CLAUDE_CODE,
    AdapterId.CODEX,
    AdapterId.OPENCODE,
    AdapterId.COPILOT,
    AdapterId.GROK_BUILD,
)


def shipped(adapter: AdapterId) -> Record:
    """Give the record of an adapter."""
    name = f"{adapter.value}.json"
    return decode((files("tck_kit") / "records" / name).read_bytes(), name)


def all_shipped() -> tuple[Record, ...]:
    """Give all of them."""
    return tuple(shipped(adapter) for adapter in ADAPTERS)

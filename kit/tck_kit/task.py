"""What a worker is told before it begins."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is to do. `lead` workers also ask the engine who it is, and run the controls."""

    features: str
    folder: str
    known: tuple[str, ...]
    seed: int
    version: str
    database_url: str | None
    scenario_seconds: int
    lead: bool

    def encode(self) -> str:
        """Give it as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def decode(cls, text: str) -> Task:
        """Read what `encode` made."""
        fields: dict[str, Any] = json.loads(text)
        known = tuple(fields.pop("known"))
        return cls(**fields, known=known)

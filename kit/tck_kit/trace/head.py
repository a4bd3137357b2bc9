"""The first line of a trace: which run it is of, and what one must know of that to judge it again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cattrs import Converter

from tck_kit.trace.lines import SCHEMA_ID
from tck_reports.records import Implementation, KitFacts, Shard, SpecFacts, Surroundings

_CONVERTER = Converter()
# What a policy holds stays as it is: texts and lists of texts.
_CONVERTER.register_structure_hook(str | Sequence[str], lambda value, _: value)


@dataclass(frozen=True, slots=True)
class Head:
    """A run whose trace this is. Times are ISO 8601; `only` is None without a filter."""

    kit: KitFacts
    spec: SpecFacts
    implementation: Implementation
    capabilities: Mapping[str, str]
    seed: int
    engine: str
    transport: str
    surroundings: Surroundings
    profiles: tuple[str, ...]
    only: tuple[str, ...] | None
    thorough: bool
    shard: Shard | None
    retries: int
    workers: int
    #: Seconds by name.
    budgets: Mapping[str, float]
    #: The digest of the list of known failures, where there was one.
    baseline: str | None
    #: The mask of new files' modes: steps make some.
    umask: int
    started: str
    finished: str
    host: Mapping[str, str]
    #: Why the run was cut short, and what the driver did wrong outside of any scenario.
    cut_short: str | None = None
    misdeeds: tuple[str, ...] = field(default=())
    #: By which rules of its own the engine resumes, as it stands in messages; None for an engine of mailboxes.
    policy: Mapping[str, str | Sequence[str]] | None = None

    def line(self) -> str:
        """Give it as it is written."""
        held: dict[str, Any] = _CONVERTER.unstructure(self)
        if self.policy is None:
            # A kit that knows of no policies can read all other traces.
            del held["policy"]
        return json.dumps({"schema": SCHEMA_ID, **held}, separators=(",", ":"))

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Head:
        """Read what `line` gave. Raises an exception of any kind for anything else."""
        return _CONVERTER.structure(fields, cls)

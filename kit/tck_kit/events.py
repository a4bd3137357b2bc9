"""What a worker tells the run while it works, one JSON object a line.

A stream of small typed events outlives whatever happens to the worker that wrote them, so a run that is cut short still
has everything up to then.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from tck_reports.outcomes import Outcome
from tck_reports.records import Attempt, CheckRecord, Control, Excuse, Expectation


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has collected this many scenarios and begins."""

    collected: int


@dataclass(frozen=True, slots=True)
class Declared:
    """What the engine said of itself; `policy` as it stands in messages, for an engine that plays courses."""

    name: str
    version: str
    language: str
    homepage: str
    capabilities: dict[str, str]
    policy: dict[str, str | list[str]] | None = None


@dataclass(frozen=True, slots=True)
class Controlled:
    """A known-bad engine went through scenarios: what its worker makes of that, and what each of them gave."""

    control: Control
    records: tuple[CheckRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """A scenario has begun."""

    id: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A scenario has ended, and gave this."""

    record: CheckRecord


@dataclass(frozen=True, slots=True)
class Misbehaved:
    """The engine's driver did something wrong that belongs to no scenario."""

    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The worker has done all that it was given, and has really started this many containers for it."""

    exit_code: int
    containers: int = 0


@dataclass(frozen=True, slots=True)
class Broken:
    """The worker cannot go on; the kit is to blame."""

    message: str


Event = Ready | Declared | Controlled | Started | Ended | Misbehaved | Finished | Broken
_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Ready, Declared, Controlled, Started, Ended, Misbehaved, Finished, Broken)
}


def encode(event: Event) -> str:
    """Give an event as one line of JSON."""
    return json.dumps({"event": type(event).__name__, **asdict(event)}, ensure_ascii=True)


def decode(line: str) -> Event:
    """Read a line that `encode` made. Raises `ValueError` for any other."""
    fields: dict[str, Any] = json.loads(line)
    kind = _KINDS.get(fields.pop("event", ""))
    if kind is None:
        raise ValueError(f"not an event: {line[:200]}")
    if kind is Ended:
        return Ended(_record(fields["record"]))
    if kind is Controlled:
        return Controlled(Control(**fields["control"]), tuple(_record(one) for one in fields["records"]))
    event: Event = kind(**fields)
    return event


def _record(fields: dict[str, Any]) -> CheckRecord:
    expectations = tuple(_expectation(one) for one in fields.pop("expectations"))
    outcome = Outcome(fields.pop("outcome"))
    requirements, steps = tuple(fields.pop("requirements")), tuple(fields.pop("steps"))
    attempts = tuple(Attempt(Outcome(one["outcome"]), one["reason"]) for one in fields.pop("attempts"))
    failed_for = tuple(fields.pop("failed_for", ()))
    excuse = fields.pop("excused")
    return CheckRecord(
        **fields,
        outcome=outcome,
        requirements=requirements,
        steps=steps,
        expectations=expectations,
        attempts=attempts,
        failed_for=failed_for,
        excused=None if excuse is None else Excuse(**excuse),
    )


def _expectation(fields: dict[str, Any]) -> Expectation:
    evidence, requirements = tuple(fields.pop("evidence")), tuple(fields.pop("requirements"))
    return Expectation(**fields, evidence=evidence, requirements=requirements)

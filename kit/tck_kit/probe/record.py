"""A capability record: what one CLI was seen to do, in which version, on what system, by which kit.

It is shipped, published as a page, and compared with the next probe. What it says of the CLI as a whole (`Abilities`)
is worked out of its cases and never written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import UsageFault
from tck_kit.probe.words import FACTS, Outcome
from tck_simulator.versions import Version

SCHEMA_ID: Final = "urn:session-tck:schemas/capability-record-1.json"
#: No honest record comes near; a larger file is something else.
_MOST_BYTES = 4 * 1024 * 1024
#: The word for the list of cases that older versions go through; a record that says nothing has the whole one.
_SHORT = "older"

Fact = str | int | None | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one case came to. `facts` stand in the order of `FACTS`; one that was not looked at is not among them."""

    case: str
    outcome: Outcome
    facts: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """By whom and where a CLI was probed; nothing of it is compared."""

    origin: str
    date: str
    kit: str
    network: str
    system: str


@dataclass(frozen=True, slots=True)
class Probe:
    """One version of one CLI. `lacking` names the cases that were not run to their end, and makes it incomplete.

    `short` says that it was asked for the short list of older versions alone, which is no whole probe.
    """

    version: str
    circumstances: Circumstances
    findings: tuple[Finding, ...]
    lacking: tuple[str, ...] = ()
    reason: str | None = None
    short: bool = False

    @property
    def ended(self) -> bool:
        """Whether every case was tried of the list that it was asked for."""
        return not self.lacking and self.reason is None

    @property
    def complete(self) -> bool:
        """Whether every case was tried that a whole probe has."""
        return self.ended and not self.short

    def finding(self, case: str) -> Finding | None:
        """Give what a case came to."""
        return next((one for one in self.findings if one.case == case), None)

    def fact(self, case: str, name: str) -> Fact:
        """Give one fact of a case; None where either is not there."""
        found = self.finding(case)
        return None if found is None else found.facts.get(name)

    def outcome(self, case: str) -> Outcome | None:
        """Give the outcome of a case that was run."""
        found = self.finding(case)
        return None if found is None else found.outcome


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a record comes to.

    `verified_from` is the oldest version that was seen to resume without interaction, as was every newer one.
    """

    resumes: bool
    verified_from: str | None
    state_path: str | None
    keeps_id: bool | None
    chooses_id: bool | None
    early_id: bool | None
    label: bool | None


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of an adapter's CLI; `probe` is of the version that the stand-ins imitate, `also` of older ones."""

    adapter: AdapterId
    program: str
    package: str | None
    state_path: str | None
    probe: Probe | None
    also: tuple[Probe, ...] = ()

    @property
    def abilities(self) -> Abilities:
        """Work out what all of it comes to."""
        probes = [one for one in (self.probe, *self.also) if one is not None]
        resuming = _resuming(probes)
        probe = self.probe
        if probe is None:
            return Abilities(
                resumes=False,
                verified_from=None,
                state_path=None,
                keeps_id=None,
                chooses_id=None,
                early_id=None,
                label=None,
            )
        return Abilities(
            resumes=bool(resuming),
            verified_from=resuming[-1].version if resuming else None,
            state_path=self.state_path if resuming else None,
            keeps_id=all(one.outcome("resume") is Outcome.RESUMED for one in resuming),
            chooses_id=_so(probe, "choose-id"),
            early_id=_so(probe, "id-early"),
            label=_so(probe, "label"),
        )

    def without_circumstances(self) -> Record:
        """Give what another probe of the same must give, too."""
        bare = Circumstances("", "", "", "", "")
        probe = None if self.probe is None else replace(self.probe, circumstances=bare)
        return replace(self, probe=probe, also=tuple(replace(one, circumstances=bare) for one in self.also))


def resumes(probe: Probe) -> bool:
    """Say whether a version was seen to resume: the history reached the model under an id that an engine can follow."""
    return probe.outcome("resume") in {Outcome.RESUMED, Outcome.RENAMED} and probe.outcome("fresh") is Outcome.FRESH


def _resuming(probes: Sequence[Probe]) -> list[Probe]:
    """Give the versions that resume from the newest down to the first that does not: older ones are out of date."""
    found: list[Probe] = []
    for one in sorted(probes, key=lambda each: order(each.version), reverse=True):
        if resumes(one):
            found.append(one)
        elif not _untried(one):
            break
    return found


def _untried(probe: Probe) -> bool:
    """Say whether a version was not brought as far as to show whether it resumes, and showed nothing against it."""
    first, then = probe.outcome("fresh"), probe.outcome("resume")
    return None in {first, then} and first in {None, Outcome.FRESH} and then in {None, Outcome.RESUMED, Outcome.RENAMED}


def order(version: str) -> Version:
    """Give what versions are compared by; what is no version is older than all."""
    return Version.parse(version) or Version(0, 0, 0, release=False)


def _so(probe: Probe, case: str) -> bool | None:
    return {Outcome.YES: True, Outcome.NO: False, Outcome.NOT_OFFERED: False}.get(probe.outcome(case) or Outcome.HUNG)


def encode(record: Record) -> bytes:
    """Give the bytes of a record: ASCII, two spaces of indent."""
    able = record.abilities
    content = {
        "schema": SCHEMA_ID,
        "adapter": record.adapter.value,
        "program": record.program,
        "package": record.package,
        "session_state_path": record.state_path,
        "abilities": {
            "resumes": able.resumes,
            "verified_from": able.verified_from,
            "session_state_path": able.state_path,
            "keeps_id": able.keeps_id,
            "caller_chooses_id": able.chooses_id,
            "id_before_answer": able.early_id,
            "label_option": able.label,
        },
        "probe": None if record.probe is None else _probe(record.probe),
        "also": [_probe(one) for one in record.also],
    }
    return f"{json.dumps(content, indent=2, allow_nan=False)}\n".encode("ascii")


def _probe(probe: Probe) -> dict[str, object]:
    around = probe.circumstances
    return {
        "version": probe.version,
        "origin": around.origin,
        "date": around.date,
        "kit": around.kit,
        "network": around.network,
        "system": around.system,
        "complete": probe.complete,
        "reason": probe.reason,
        "lacking": list(probe.lacking),
        **({"list": _SHORT} if probe.short else {}),
        "cases": [finding_fields(one) for one in probe.findings],
    }


def finding_fields(one: Finding) -> dict[str, object]:
    """Give a finding as JSON."""
    facts = {name: one.facts[name] for name in FACTS if name in one.facts}
    return {"case": one.case, "outcome": one.outcome.value, **facts}


def schema() -> dict[str, Any]:
    """Give the JSON Schema (2020-12) of a record."""
    from importlib.resources import files  # noqa: PLC0415 -- only readers need it

    text = (files("tck_kit") / "schemas" / "capability-record-1.json").read_text(encoding="utf-8")
    held: dict[str, Any] = json.loads(text)
    return held


def read(path: Path) -> Record:
    """Read a record that somebody gave; UsageFault says what is wrong with it."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as fault:
        raise UsageFault(f"it cannot be read: {fault}", str(path), "name a capability record") from fault
    if len(content) > _MOST_BYTES:
        raise UsageFault("it is too large for a capability record", str(path), "name the right file")
    return decode(content, str(path))


def decode(content: bytes, where: str) -> Record:
    """Make a record of its bytes; what does not follow the schema, or contradicts itself, is a UsageFault."""
    from jsonschema import Draft202012Validator, exceptions  # noqa: PLC0415 -- only readers need it

    cure = "make a new one: session-tck probe CLI --record FILE"
    try:
        held: Any = json.loads(content)
    except (ValueError, RecursionError) as fault:
        raise UsageFault(f"it is no JSON: {fault}", where, cure) from fault
    validator: Any = Draft202012Validator(schema())
    # Neither is typed as far as it would have to be.
    errors: Any = exceptions
    wrong = errors.best_match(validator.iter_errors(held))
    if wrong is not None:
        raise UsageFault(f"{wrong.json_path}: {wrong.message[:200]}", where, cure)
    record = Record(
        AdapterId(held["adapter"]),
        held["program"],
        held["package"],
        held["session_state_path"],
        None if held["probe"] is None else _read_probe(held["probe"]),
        tuple(_read_probe(one) for one in held["also"]),
    )
    if json.loads(encode(record)) != held:
        raise UsageFault("what it says of the CLI is not what its cases say", where, cure)
    return record


def _read_probe(held: Mapping[str, Any]) -> Probe:
    around = Circumstances(held["origin"], held["date"], held["kit"], held["network"], held["system"])
    return Probe(
        held["version"],
        around,
        tuple(read_finding(one) for one in held["cases"]),
        tuple(held["lacking"]),
        held["reason"],
        short=held.get("list") == _SHORT,
    )


def read_finding(held: Mapping[str, Any]) -> Finding:
    """Make a finding of its JSON."""
    facts: dict[str, Fact] = {
        name: tuple(held[name]) if isinstance(held[name], list) else held[name] for name in FACTS if name in held
    }
    return Finding(held["case"], Outcome(held["outcome"]), facts)


def in_order(findings: Sequence[Finding], names: Sequence[str]) -> tuple[Finding, ...]:
    """Give findings in the order of the table, whatever the order in which they came."""
    place = {name: number for number, name in enumerate(names)}
    return tuple(sorted(findings, key=lambda one: place[one.case]))

"""What a new probe of a CLI shows that the record of another version does not: line by line, and which of it matters.

This is what an engine's CI asks when it takes up a new version of a CLI. A text that reads differently matters to
nobody as long as the reference engine makes the same of it; an id that stands elsewhere breaks every adapter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tck_kit.probe.record import Fact, Finding, Probe, Record
from tck_kit.probe.words import FACTS


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `why` says why it matters to an engine, and is None where it does not."""

    case: str
    what: str
    before: str
    after: str
    why: str | None

    @property
    def line(self) -> str:
        """Say it in one line."""
        ending = f"matters: {self.why}" if self.why is not None else "does not matter"
        return f"{self.case}: {self.what}: {self.before} → {self.after} ({ending})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A new probe held against the record of the same version, or else of the version that the kit knows best."""

    before: str
    after: str
    differences: tuple[Difference, ...]
    #: Cases that were asked for and stand in one of the two alone, or in neither.
    not_compared: tuple[str, ...]

    @property
    def matters(self) -> tuple[Difference, ...]:
        """Give the differences that an engine would notice."""
        return tuple(one for one in self.differences if one.why is not None)

    def fields(self) -> dict[str, object]:
        """Give it as JSON."""
        return {
            "before": self.before,
            "after": self.after,
            "matters": bool(self.matters),
            "lines": [
                {"case": one.case, "what": one.what, "before": one.before, "after": one.after, "why": one.why}
                for one in self.differences
            ],
            "not_compared": list(self.not_compared),
        }


def compare(before: Record, after: Record, asked: Collection[str], matters: Mapping[str, str]) -> Comparison:
    """Compare the cases that were asked for. `matters` says of each why its outcome matters.

    Of one case that is not known nothing can be said, so it is named and never taken for one that is the same.
    """
    new = after.probe
    held = [one for one in (before.probe, *before.also) if one is not None]
    if new is None or not held:
        raise ValueError("a record without a probe cannot be compared")
    ran = {one.case for one in new.findings}
    old = next((one for one in held if one.version == new.version and _fits(one, ran)), held[0])
    known = {one.case: one for one in old.findings}
    lines = tuple(
        difference for one in new.findings if one.case in known for difference in _within(known[one.case], one, matters)
    )
    cases = dict.fromkeys((*known, *(one.case for one in new.findings), *asked))
    missing = tuple(case for case in cases if case in {*asked, *ran} and not (case in known and case in ran))
    return Comparison(old.version, new.version, lines, missing)


def _fits(old: Probe, ran: Collection[str]) -> bool:
    """Say whether a probe of the same version can be compared with: a whole one, or a short one that has all of it."""
    return old.complete or (old.ended and {one.case for one in old.findings}.issuperset(ran))


def _within(old: Finding, new: Finding, matters: Mapping[str, str]) -> Iterator[Difference]:
    if old.outcome is not new.outcome:
        why = matters.get(old.case, "an engine rests on it")
        yield Difference(old.case, "outcome", old.outcome.value, new.outcome.value, why)
    for name, kind in FACTS.items():
        if name not in old.facts and name not in new.facts:
            continue
        before, after = old.facts.get(name, ()), new.facts.get(name, ())
        if before != after or (name in old.facts) != (name in new.facts):
            yield Difference(old.case, name, _shown(old, name), _shown(new, name), kind.matters)


def _shown(one: Finding, name: str) -> str:
    if name not in one.facts:
        return "nothing"
    fact: Fact = one.facts[name]
    if fact is None:
        return "none"
    return (" | ".join(fact) or "nothing") if isinstance(fact, tuple) else str(fact)

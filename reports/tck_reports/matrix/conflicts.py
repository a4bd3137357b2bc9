"""Reports that cannot stand beside each other: which of two is the truth, a matrix cannot know.

- The same report twice: the copy has to go.
- Two reports that claim one place: the same version of one engine, over the same transport, in the same surroundings,
  judged by the same kit against the same requirements for the same profile. Another seed is no other place, or the
  luckiest of many runs could be chosen.
- Two reports that say of one requirement set different things.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tck_reports.matrix.condensed import Given
from tck_reports.matrix.model import Column, LeftOut


@dataclass(frozen=True, slots=True)
class Sifted:
    """What can be shown, and what is left out of it, with reasons."""

    given: tuple[Given, ...]
    refused: tuple[LeftOut, ...]


def sift(given: Iterable[Given]) -> Sifted:
    """Return the reports that can stand beside each other.

    Of copies the first by its path stays. Of reports that claim one place none does: whoever adds a second one must not
    be able to replace the first. Of a requirement set it is the oldest report whose word counts.
    """
    ones = sorted(given, key=lambda one: one.source)
    refused: dict[str, LeftOut] = {}
    for check in (_copies, _rivals, _strangers):
        for bad in check([one for one in ones if one.source not in refused]):
            refused.setdefault(bad.source, bad)
    kept = tuple(one for one in ones if one.source not in refused)
    return Sifted(kept, tuple(refused[source] for source in sorted(refused)))


def _copies(ones: Sequence[Given]) -> Iterator[LeftOut]:
    first: dict[str, str] = {}
    for one in ones:
        if one.digest in first:
            yield LeftOut(one.source, f"is the same report as {first[one.digest]}; remove one of them")
        first.setdefault(one.digest, one.source)


def _rivals(ones: Sequence[Given]) -> Iterator[LeftOut]:
    claims: dict[tuple[str, ...], list[Given]] = {}
    for one in ones:
        for profile in {verdict.profile for verdict in one.verdicts} or {""}:
            claims.setdefault(_place(one, profile), []).append(one)
    for rivals in claims.values():
        for one in rivals:
            other = next((rival for rival in rivals if rival is not one), None)
            if other is not None:
                cure = "merge them with session-tck merge" if one.shard and other.shard else "keep one of them"
                yield LeftOut(
                    one.source,
                    f"is a second report on {one.name} {one.version}, as {other.source} is, "
                    f"of the same kit and requirements; {cure}",
                )


def _place(one: Given, profile: str) -> tuple[str, ...]:
    judged = (one.spec, one.spec_version, one.set_digest, one.kit_version, one.suite_digest)
    return (one.identity, one.version, one.transport, one.surroundings, *judged, profile)


def _strangers(ones: Sequence[Given]) -> Iterator[LeftOut]:
    """Find what contradicts the oldest report of its requirement set in what a requirement demands."""
    known: dict[tuple[str, str, str], dict[str, tuple[Column, str]]] = {}
    for one in sorted(ones, key=lambda one: (one.started, one.digest)):
        demands = known.setdefault((one.spec, one.spec_version, one.set_digest), {})
        other = next((column for column in one.columns if not _agree(column, demands.get(column.id))), None)
        if other is not None:
            yield LeftOut(
                one.source,
                f"says otherwise than {demands[other.id][1]} what {other.id} demands in the same requirement set; "
                "run both again with one specification",
            )
            continue
        for column in one.columns:
            demands.setdefault(column.id, (column, one.source))


def _agree(column: Column, known: tuple[Column, str] | None) -> bool:
    if known is None or known[0] is column:
        return True
    one = known[0]
    return (one.text, one.text_digest, one.level, one.status, one.profile, one.area) == (
        column.text,
        column.text_digest,
        column.level,
        column.status,
        column.profile,
        column.area,
    )

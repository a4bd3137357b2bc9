"""What a report brought against the one before it: the entries of the feed."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from tck_reports.matrix.condensed import Given
from tck_reports.matrix.model import (
    ABSENT,
    SIGNS,
    Change,
    ChangeKind,
    Column,
    Engine,
    ProfileVerdict,
    RequirementSet,
    Result,
    Row,
    VerdictChange,
)
from tck_reports.matrix.requirement_sets import SetKey, set_key
from tck_reports.outcomes import Outcome

_PASSED = SIGNS[Outcome.PASSED]
#: What says nothing of an engine: not run, of another profile or version, not observable.
_UNTOLD = frozenset({ABSENT, *(SIGNS[one] for one in (Outcome.NOT_RUN, Outcome.NOT_APPLICABLE, Outcome.EXCLUDED))})


def changes_of(engine: Engine, sets: Mapping[SetKey, RequirementSet]) -> Iterator[Change]:
    """Yield what each row of an engine brought."""
    by_slug = {one.slug: one for one in sets.values()}
    rows = tuple(reversed(engine.rows))
    for place, row in enumerate(rows):
        under = by_slug[row.set]
        before = next((old for old in reversed(rows[:place]) if by_slug[old.set].spec == under.spec), None)
        if before is None:
            yield Change(
                kind="new_engine",
                id=_id(engine.slug, row.digest),
                at=row.finished,
                engine=engine.slug,
                row=row.slug,
                before=None,
                set=row.set,
                verdicts=tuple(VerdictChange(one.profile, None, one.result) for one in row.verdicts.values()),
            )
        else:
            yield compared(engine, before, row, by_slug)


def compared(engine: Engine, before: Row, row: Row, sets: Mapping[str, RequirementSet]) -> Change:
    """Return what has changed from one row of an engine to another."""
    old, new = sets[before.set], sets[row.set]
    kind: ChangeKind = "new_run" if before.version == row.version else "new_version"
    regressions: list[str] = []
    fixes: list[str] = []
    reworded: list[str] = []
    added: list[str] = []
    for column, now in zip(new.columns, row.cells, strict=True):
        place = old.places.get(column.id)
        if place is None:
            added.append(column.id)
        elif _reworded(old.columns[place], column):
            reworded.append(column.id)
        else:
            was = before.cells[place]
            if was == _PASSED and now != _PASSED and now not in _UNTOLD:
                regressions.append(column.id)
            elif now == _PASSED and was != _PASSED and was not in _UNTOLD:
                fixes.append(column.id)
    return Change(
        kind=kind,
        id=_id(engine.slug, row.digest),
        at=row.finished,
        engine=engine.slug,
        row=row.slug,
        before=before.slug,
        set=row.set,
        regressions=tuple(regressions),
        fixes=tuple(fixes),
        reworded=tuple(reworded),
        added=tuple(added),
        removed=tuple(column.id for column in old.columns if column.id not in new.places),
        verdicts=tuple(_verdicts(before, row)),
    )


def _reworded(old: Column, new: Column) -> bool:
    return old is not new and (old.text_digest, old.level, old.status) != (new.text_digest, new.level, new.status)


def _verdicts(before: Row, row: Row) -> Iterator[VerdictChange]:
    for profile in {**row.verdicts, **before.verdicts}:
        old, new = _result(before.verdicts.get(profile)), _result(row.verdicts.get(profile))
        if old != new:
            yield VerdictChange(profile, old, new)


def _result(verdict: ProfileVerdict | None) -> Result | None:
    return None if verdict is None else verdict.result


def new_specs(given: Sequence[Given], sets: Mapping[SetKey, RequirementSet]) -> Iterator[Change]:
    """Yield an entry for each requirement set but the first of its specification; older reports come first."""
    first: dict[SetKey, Given] = {}
    for one in given:
        first.setdefault(set_key(one), one)
    oldest_first = tuple(sets)[::-1]
    for place, key in enumerate(oldest_first):
        before = next((one for one in reversed(oldest_first[:place]) if (one[0], one[3]) == (key[0], key[3])), None)
        if before is None:
            continue
        old, new = sets[before], sets[key]
        known = {column.id: column for column in old.columns}
        yield Change(
            kind="new_spec",
            id=_id("", "\0".join(key)),
            at=first[key].finished,
            engine="",
            row="",
            before=old.slug,
            set=new.slug,
            reworded=tuple(one.id for one in new.columns if one.id in known and _reworded(known[one.id], one)),
            added=tuple(one.id for one in new.columns if one.id not in known),
            removed=tuple(one.id for one in old.columns if one.id not in new.places),
        )


def _id(who: str, what: str) -> str:
    return sha256(f"{who}\0{what}".encode("utf-8", "backslashreplace")).hexdigest()[:32]

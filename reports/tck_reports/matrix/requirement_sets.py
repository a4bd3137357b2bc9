"""The columns of the matrix: the requirement sets that reports were judged by, and requirements over all of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tck_reports.matrix import versions
from tck_reports.matrix.condensed import Given
from tck_reports.matrix.model import ABSENT, Column, Requirement, RequirementSet, Wording
from tck_reports.matrix.slugs import slug_of, told_apart

#: The specification, its version, the digest of its set, and the family of profiles where it has several.
SetKey = tuple[str, str, str, str]


def set_key(one: Given) -> SetKey:
    """Return what a report's requirement set is told from others by."""
    return one.spec, one.spec_version, one.set_digest, ", ".join(one.family)


def related(given: Sequence[Given], order: Sequence[str]) -> tuple[Given, ...]:
    """Return the reports, each with the family of its profiles where its specification has several.

    Profiles are of one family where a report lists requirements of both. A specification may have some for one kind of
    engine and some for another: no report is about both, and what is asked of the one kind is not missing of the other.
    `order` is that of the profiles in a name, and of the families.
    """
    families: dict[str, list[set[str]]] = {}
    for one in given:
        own = {column.profile for column in one.columns}
        others = families.setdefault(one.spec, [])
        near = [other for other in others if own & other]
        families[one.spec] = [other for other in others if not own & other] + [own.union(*near)]
    names = {
        (spec, profile): tuple(sorted(family, key=order.index))
        for spec, own in families.items()
        if len(own) > 1
        for family in own
        for profile in family
    }
    return tuple(
        replace(one, family=names.get((one.spec, one.columns[0].profile if one.columns else ""), ())) for one in given
    )


def sets_of(given: Sequence[Given], order: Sequence[str] = ()) -> dict[SetKey, RequirementSet]:
    """Return the requirement sets, newest first; the reports come in the order of their starts.

    Where there are families, all sets of the one that `order` begins with come before those of the next.
    A report may list fewer requirements than another of the same set, and in another order: the latest report's order
    counts, and what only others list follows.
    """
    by_key: dict[SetKey, list[Given]] = {}
    for one in given:
        by_key.setdefault(set_key(one), []).append(one)
    slugs = told_apart(
        by_key, lambda key: (slug_of("-".join(filter(None, (*key[:2], key[3])))),), "\0".join, otherwise="specification"
    )
    newest_first = sorted(
        slugs.items(), key=lambda pair: (versions.order(pair[1][1]), by_key[pair[1]][0].started, pair[1]), reverse=True
    )
    ranks = {key: order.index(own[0].family[0]) if own[0].family else 0 for key, own in by_key.items()}
    return {key: _set(slug, key, by_key[key]) for slug, key in sorted(newest_first, key=lambda pair: ranks[pair[1]])}


def _set(slug: str, key: SetKey, given: Sequence[Given]) -> RequirementSet:
    columns: dict[str, Column] = {}
    told: set[int] = set()
    for one in reversed(given):
        if id(one.columns) not in told:  # most share one tuple
            told.add(id(one.columns))
            for column in one.columns:
                columns.setdefault(column.id, column)
    places = {name: place for place, name in enumerate(columns)}
    return RequirementSet(slug, *key[:3], tuple(columns.values()), places, key[3])


def arranged(one: Given, under: RequirementSet) -> tuple[str, str]:
    """Return the cells and the evidence of a report in the order of its set's columns."""
    if len(one.columns) == len(under.columns) and all(
        mine.id == its.id for mine, its in zip(one.columns, under.columns, strict=True)
    ):
        return one.cells, one.evidence
    at = {column.id: place for place, column in enumerate(one.columns)}
    places = [at.get(column.id) for column in under.columns]
    return (
        "".join(ABSENT if place is None else one.cells[place] for place in places),
        "".join("-" if place is None else one.evidence[place] for place in places),
    )


def joined(sets: Sequence[RequirementSet]) -> tuple[Requirement, ...]:
    """Return the requirements of all sets, which come newest first, each with its wordings."""
    found: dict[str, list[tuple[str, Column]]] = {}
    for one in sets:
        for column in one.columns:
            found.setdefault(column.id, []).append((one.slug, column))
    # The oldest first, so that a requirement keeps its URL when another comes whose name makes the same.
    ages = dict.fromkeys(name for one in reversed(sets) for name in one.places)
    slugs = told_apart(ages, lambda name: (slug_of(name, lower=False),), str, otherwise="requirement")
    slug_by_name = {name: slug for slug, name in slugs.items()}
    return tuple(
        Requirement(slug_by_name[name], having[0][1], tuple(_wordings(having))) for name, having in found.items()
    )


def _wordings(having: Iterable[tuple[str, Column]]) -> Iterator[Wording]:
    demands: dict[tuple[str, str, str], list[tuple[str, Column]]] = {}
    for slug, column in having:
        demands.setdefault((column.text_digest, column.level, column.status), []).append((slug, column))
    for (digest, level, status), ones in demands.items():
        yield Wording(ones[0][1].text, digest, level, status, tuple(slug for slug, _ in ones))

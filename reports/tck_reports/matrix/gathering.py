"""From many condensed reports to one site: engines told apart, versions ordered, requirements joined, changes found."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tck_reports.matrix import versions
from tck_reports.matrix.changes import changes_of, new_specs
from tck_reports.matrix.condensed import Given
from tck_reports.matrix.model import Change, Engine, LeftOut, RequirementSet, Row, Site
from tck_reports.matrix.requirement_sets import SetKey, arranged, joined, related, set_key, sets_of
from tck_reports.matrix.slugs import slug_of, told_apart

#: The order of profiles; others follow by name.
PROFILES: Final = ("core", "hardened", "continuity", "reuse", "redelegation")
#: What an engine is told from another by: its name, the transport, the surroundings, the family of profiles.
EngineKey = tuple[str, str, str, str]


def gathered(reports: Iterable[Given], left_out: Iterable[LeftOut] = ()) -> Site:
    """Return the site of these reports, the same for every order of them.

    They are such that they can stand beside each other (`conflicts.sift`).
    """
    ordered = sorted(reports, key=lambda one: (one.started, one.digest))
    asked = _ordered(column.profile for one in ordered for column in one.columns)
    given = related(ordered, asked)
    sets = sets_of(given, asked)
    profiles = _ordered(verdict.profile for one in given for verdict in one.verdicts)
    engines = _engines(given, sets, profiles)
    changes = [*new_specs(given, sets), *(change for engine in engines for change in changes_of(engine, sets))]
    return Site(
        engines=engines,
        sets=tuple(sets.values()),
        requirements=joined(tuple(sets.values())),
        profiles=profiles,
        changes=tuple(sorted(changes, key=_newest, reverse=True)),
        kits=tuple(
            sorted({one.kit_version for one in given}, key=lambda one: (versions.order(one), one), reverse=True)
        ),
        reports=len(given),
        updated=max((one.finished for one in given), default=""),
        left_out=tuple(sorted(left_out, key=lambda one: one.source)),
    )


def _newest(change: Change) -> tuple[str, bool, str]:
    """Of one moment, what is new of the specification comes before what is new of an engine."""
    return change.at, change.kind == "new_spec", change.id


def _ordered(profiles: Iterable[str]) -> tuple[str, ...]:
    known = {*profiles}
    return (*(one for one in PROFILES if one in known), *sorted(known - {*PROFILES}))


def _key(one: Given) -> EngineKey:
    return one.identity, one.transport, one.surroundings, ", ".join(one.family)


def _engines(
    given: Sequence[Given], sets: Mapping[SetKey, RequirementSet], profiles: Sequence[str]
) -> tuple[Engine, ...]:
    """Return the engines; whichever was there first keeps the URL that is its name alone."""
    by_key: dict[EngineKey, list[Given]] = {}
    for one in given:  # in the order of their starts
        by_key.setdefault(_key(one), []).append(one)
    labels = _labels(by_key)
    slugs = told_apart(
        by_key,
        lambda key: (slug_of(by_key[key][-1].name), slug_of(" ".join((by_key[key][-1].name, *key[1:])))),
        "\0".join,
        otherwise="engine",
    )
    engines = [_engine(slug, labels[key], by_key[key], sets, profiles) for slug, key in slugs.items()]
    return tuple(sorted(engines, key=lambda one: (one.faulty, one.title.casefold(), one.slug)))


def _labels(keys: Iterable[EngineKey]) -> dict[EngineKey, str]:
    """Name transport and family where an engine was run through several, and surroundings that are real."""
    ones = tuple(keys)
    transports, families = (Counter(name for name, _ in {(key[0], key[at]) for key in ones}) for at in (1, 3))
    return {
        key: ", ".join(
            filter(None, (key[1] if transports[key[0]] > 1 else "", key[2], key[3] if families[key[0]] > 1 else ""))
        )
        for key in ones
    }


def _engine(
    slug: str,
    label: str,
    given: Sequence[Given],
    sets: Mapping[SetKey, RequirementSet],
    profiles: Sequence[str],
) -> Engine:
    """Its rows get their slugs in the order of their dates, and stand in the order of their versions."""
    places = {key: place for place, key in enumerate(tuple(sets)[::-1])}
    slugs = told_apart(given, lambda one: (slug_of(one.version),), lambda one: one.digest, otherwise="version")
    newest_first = sorted(
        slugs.items(),
        key=lambda pair: (pair[1].order, places[set_key(pair[1])], pair[1].started, pair[1].digest),
        reverse=True,
    )
    newest = newest_first[0][1]
    return Engine(
        slug=slug,
        name=newest.name,
        label=label,
        language=newest.language,
        homepage=newest.homepage,
        faulty=any(one.faulty for one in given),
        rows=tuple(_row(name, one, sets[set_key(one)], profiles) for name, one in newest_first),
    )


def _row(slug: str, one: Given, under: RequirementSet, profiles: Sequence[str]) -> Row:
    cells, evidence = arranged(one, under)
    verdicts = {verdict.profile: verdict for verdict in one.verdicts}
    return Row(
        slug=slug,
        digest=one.digest,
        source=one.source,
        version=one.version,
        transport=one.transport,
        surroundings=one.surroundings,
        asked=one.asked,
        set=under.slug,
        spec_version=one.spec_version,
        kit_version=one.kit_version,
        started=one.started,
        finished=one.finished,
        seed=one.seed,
        complete=one.complete,
        obstacles=one.obstacles,
        shard=one.shard,
        regraded=one.regraded,
        retries=one.retries,
        exit_code=one.exit_code,
        exit_reason=one.exit_reason,
        verdicts={profile: verdicts[profile] for profile in profiles if profile in verdicts},
        cells=cells,
        evidence=evidence,
        reasons=dict(one.reasons),
        page=one.page,
        claims=one.claims,
        capabilities=dict(one.capabilities),
        policy=dict(one.policy),
        commands=dict(one.commands),
        absence=one.absence,
    )

"""Made-up sites of any size, straight from the values of the model; the same for the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from random import Random

from tck_reports.matrix.model import (
    SIGNS,
    Change,
    Column,
    Engine,
    ProfileVerdict,
    Requirement,
    RequirementSet,
    Result,
    Row,
    Site,
    VerdictChange,
    Wording,
)
from tck_reports.outcomes import MEANINGS, Outcome

#: Areas of the sample specification, with how many requirements each has.
AREAS = {
    "NAME": 11,
    "RESUME": 16,
    "FALLBACK": 20,
    "OFF": 11,
    "ISOLATE": 13,
    "CLEAN": 13,
    "CAPABILITY": 7,
    "CONTRACT": 5,
}
_COUNTED = {SIGNS[outcome] for outcome, meaning in MEANINGS.items() if meaning.counted}
_TEXT = (
    "The engine {level} do what {name} says, for every issue, in every phase, whatever happened to the run before it."
)


def column(name: str, *, text: str | None = None, level: str = "MUST", hardened: bool = False) -> Column:
    return Column(
        id=name,
        area=name.rpartition("-")[0],
        level=level,
        status="proposed" if hardened else "agreed",
        profile="hardened" if hardened else "core",
        section="7.3",
        anchor=name.lower(),
        text=text or _TEXT.format(level=level, name=name),
        text_digest=sha256(f"{name}/{text}".encode()).hexdigest(),
    )


def columns(count: int = 96) -> tuple[Column, ...]:
    names = [f"{area}-{number}" for area, most in AREAS.items() for number in range(1, most + 1)]
    names += [f"RECORD-{number}" for number in range(1, max(count - len(names), 0) + 1)]
    return tuple(
        column(name, hardened=at % 3 == 2, level="MUST NOT" if at % 7 == 0 else "MUST")
        for at, name in enumerate(names[:count])
    )


def requirement_set(own: Sequence[Column], version: str = "1.0.0") -> RequirementSet:
    return RequirementSet(
        slug=f"session-resume-{version}",
        spec="session-resume",
        version=version,
        digest=f"{version:0>64}",
        columns=tuple(own),
        places={one.id: at for at, one in enumerate(own)},
    )


def requirements(sets: Sequence[RequirementSet]) -> tuple[Requirement, ...]:
    newest: dict[str, Column] = {}
    wordings: dict[str, dict[str, list[str]]] = {}
    for one in sets:
        for own in one.columns:
            newest.setdefault(own.id, own)
            wordings.setdefault(own.id, {}).setdefault(own.text, []).append(one.slug)
    return tuple(
        Requirement(
            slug=name,
            column=own,
            wordings=tuple(
                Wording(text, f"{at}", own.level, own.status, tuple(slugs))
                for at, (text, slugs) in enumerate(wordings[name].items())
            ),
        )
        for name, own in newest.items()
    )


def verdicts(cells: str, under: RequirementSet, *, whole: bool = True) -> Mapping[str, ProfileVerdict]:
    made: dict[str, ProfileVerdict] = {}
    for profile in ("core", "hardened"):
        own = [sign for sign, one in zip(cells, under.columns, strict=True) if one.profile == profile]
        passed, counted = own.count("P"), sum(sign in _COUNTED for sign in own)
        open_ = not whole or "N" in own or "E" in own or not counted
        result: Result = "indeterminate" if open_ else "conformant" if passed == counted else "nonconformant"
        why = {
            "conformant": "every requirement passed",
            "nonconformant": f"{counted - passed} of {counted} requirements did not pass",
            "indeterminate": f"{own.count('N')} of {len(own)} requirements were not run, or not wholly",
        }[result]
        made[profile] = ProfileVerdict(profile, result, result == "conformant", passed, counted, why)
    return made


def row(
    cells: str,
    under: RequirementSet,
    version: str = "1.0.0",
    *,
    reasons: Mapping[str, str] | None = None,
    obstacles: Sequence[str] = (),
    at: str = "2026-11-30T16:00:00Z",
    kit: str = "0.1.0",
    page: str | None = None,
    capabilities: Mapping[str, str] | None = None,
    name: str = "",
) -> Row:
    return Row(
        slug=version,
        digest=f"sha256:{sha256(f'{cells}/{version}/{name}/{under.version}'.encode()).hexdigest()}",
        source=f"{name or 'engine'}/{version}/report.json",
        version=version,
        transport="stdio",
        surroundings="",
        asked="node driver.js",
        set=under.slug,
        spec_version=under.version,
        kit_version=kit,
        started=at,
        finished=at,
        seed=7,
        complete=not obstacles,
        obstacles=tuple(obstacles),
        shard=None,
        regraded=None,
        retries=0,
        exit_code=0 if set(cells) <= {"P", " ", "D", "A", "X"} else 1,
        exit_reason="nothing speaks against it",
        verdicts=verdicts(cells, under, whole=not obstacles),
        cells=cells,
        evidence="".join("w" if sign == "P" else "-" for sign in cells),
        reasons=reasons or {},
        page=page,
        claims=("core",),
        capabilities=capabilities or {},
    )


def engine(slug: str, rows: Sequence[Row], *, name: str | None = None, label: str = "", faulty: bool = False) -> Engine:
    return Engine(slug, name or slug, label, "Node 20", "https://engine.example/", faulty, tuple(rows))


def changes(engines: Sequence[Engine]) -> tuple[Change, ...]:
    """What a feed says of them, put together simply: every version against the one before."""
    made: list[Change] = []
    for one in engines:
        for new, old in zip(one.rows, [*one.rows[1:], None], strict=True):
            lost: list[str] = []
            won: list[str] = []
            turned: list[VerdictChange] = []
            if old is not None and old.set == new.set:
                names = [f"NAME-{at}" for at in range(len(new.cells))]
                lost = [name for name, a, b in zip(names, old.cells, new.cells, strict=True) if a == "P" != b]
                won = [name for name, a, b in zip(names, old.cells, new.cells, strict=True) if b == "P" != a]
                turned = [
                    VerdictChange(profile, old.verdicts[profile].result, verdict.result)
                    for profile, verdict in new.verdicts.items()
                    if old.verdicts[profile].result != verdict.result
                ]
            made.append(
                Change(
                    kind="new_version" if old else "new_engine",
                    id=f"{one.slug}/{new.slug}",
                    at=new.finished,
                    engine=one.slug,
                    row=new.slug,
                    before=old.slug if old else None,
                    set=new.set,
                    regressions=tuple(lost),
                    fixes=tuple(won),
                    verdicts=tuple(turned),
                )
            )
    return tuple(sorted(made, key=lambda one: (one.at, one.id), reverse=True))


def site(engines: Sequence[Engine], sets: Sequence[RequirementSet], *, feed: Sequence[Change] | None = None) -> Site:
    rows = [one for each in engines for one in each.rows]
    return Site(
        engines=tuple(engines),
        sets=tuple(sets),
        requirements=requirements(sets),
        profiles=("core", "hardened"),
        changes=tuple(changes(engines) if feed is None else feed),
        kits=tuple(dict.fromkeys(one.kit_version for one in rows)),
        reports=len(rows),
        updated=max((one.finished for one in rows), default=""),
    )


def many(
    engines: int, versions: int, count: int = 120, *, reason: str = "it went on with the session of another issue"
) -> Site:
    """A site of many engines that get better from version to version."""
    draw = Random(f"{engines}/{versions}/{count}")  # noqa: S311 -- nothing secret
    under = requirement_set(columns(count))
    made: list[Engine] = []
    for number in range(engines):
        rows: list[Row] = []
        for version in range(versions):
            worth = 0.75 + 0.25 * (version + draw.random()) / versions
            cells = "".join("P" if draw.random() < worth else draw.choice("FFFUDNK") for _ in range(count))
            reasons = {
                own.id: f"{number}/{version}/{own.id}: {reason}"
                for own, sign in zip(under.columns, cells, strict=True)
                if sign != "P"
            }
            rows.append(
                row(
                    cells,
                    under,
                    f"1.{version}.0",
                    reasons=reasons,
                    at=f"2026-{1 + version % 12:02}-{1 + number % 28:02}T12:00:00Z",
                    name=f"engine {number}",
                )
            )
        made.append(engine(f"engine-{number}", rows[::-1], name=f"engine {number}"))
    return site(made, [under])


def cells_of(under: RequirementSet, **outcomes: Outcome) -> str:
    """All passed but these, by name with _ for -."""
    return "".join(SIGNS[outcomes.get(one.id.replace("-", "_"), Outcome.PASSED)] for one in under.columns)

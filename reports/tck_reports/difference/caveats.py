"""What keeps two reports from being compared fairly, each said before anything is compared."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from tck_reports.outcomes import Outcome
from tck_reports.shape import Report, SurroundingsPart

Subject = Literal[
    "engine", "specification", "profiles", "incomplete", "invalid", "kit", "transport", "surroundings", "seed", "tries"
]
Side = Literal["old", "new", "both"]


@dataclass(frozen=True, slots=True)
class Caveat:
    """One thing that is not the same on both sides, or not whole on one.

    With one that `spoils`, nothing can be called a regression of the engine, or its absence taken for none.
    """

    subject: Subject
    old: str
    new: str
    #: What may come of it, in one clause.
    effect: str
    spoils: bool = False


#: What a caveat means for what is told after it.
_EFFECTS: Final = {
    "engine": "the differences are between two engines, and none of them is a regression",
    "specification": "requirements with the same id may mean something else",
    "kit": "a difference may come from other scenarios or steps",
    "transport": "a difference may come from the way to the engine",
    "surroundings": "a difference may come from what the engine met",
    "seed": "a difference may come from other names, numbers and order",
    "tries": "what passes on a second try only is seen where scenarios are tried again",
    "profiles": "what was not asked for on one side cannot be compared",
}


def caveats(old: Report, new: Report, *, one_engine: bool = False) -> tuple[Caveat, ...]:
    """Return everything that stands in the way of a fair comparison, the worst first."""
    return tuple(sorted(_all(old, new, one_engine=one_engine), key=lambda one: not one.spoils))


def _all(old: Report, new: Report, *, one_engine: bool) -> Iterator[Caveat]:
    if not one_engine:
        yield from _other("engine", _name(old), _name(new), spoils=True)
    yield from _other("specification", old["spec"]["id"], new["spec"]["id"], spoils=True)
    yield from _unfinished("incomplete", old["incomplete_reasons"], new["incomplete_reasons"])
    yield from _unfinished("invalid", _faults(old), _faults(new))
    if old["spec"]["id"] == new["spec"]["id"]:
        yield from _other("specification", _specification(old), _specification(new))
    yield from _other("profiles", ", ".join(old["run"]["profiles"]), ", ".join(new["run"]["profiles"]))
    yield from _other("kit", _kit(old), _kit(new))
    yield from _other("transport", old["run"]["transport"], new["run"]["transport"])
    yield from _other(
        "surroundings", _surroundings(old["run"]["surroundings"]), _surroundings(new["run"]["surroundings"])
    )
    yield from _other("seed", str(old["run"]["seed"]), str(new["run"]["seed"]))
    yield from _other("tries", _tries(old), _tries(new))


def _other(subject: Subject, old: str, new: str, *, spoils: bool = False) -> Iterator[Caveat]:
    if old != new:
        yield Caveat(subject, old, new, _EFFECTS[subject], spoils)


def _unfinished(subject: Subject, old: list[str], new: list[str]) -> Iterator[Caveat]:
    """Tell what is wanting: in the new report it hides regressions, in the old one what there was to lose."""
    if old or new:
        effect = (
            "what is missing in the new report may be a regression"
            if new
            else "what is missing in the old report may have passed, and be a regression now"
        )
        yield Caveat(subject, "; ".join(old), "; ".join(new), effect, spoils=True)


def _name(report: Report) -> str:
    return report["implementation"]["name"]


def _specification(report: Report) -> str:
    spec = report["spec"]
    return f"{spec['id']} {spec['version']} (requirements {_short(spec['set_digest'])})"


def _kit(report: Report) -> str:
    kit = report["kit"]
    return f"{kit['version']} (suite {_short(kit['suite_digest'])})"


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12]


def _tries(report: Report) -> str:
    return f"{report['run']['retries']} further tries"


def _surroundings(met: SurroundingsPart) -> str:
    return (
        f"containers: {met['containers']}, isolation {met['isolation']}; CLIs: {met['clis']}; "
        f"database: {met['database']}"
    )


def _faults(report: Report) -> list[str]:
    """Return what makes a run worth nothing: its faults, controls not told from a right engine, and errors."""
    asked = [one for one in report["requirements"] if one["profile"] in report["run"]["asked"]]
    errors = sum(one["outcome"] == Outcome.ERROR for one in asked)
    return [
        *report["faults"],
        *(
            f"control {one['name']} gave {one['observed']}"
            for one in report["controls"]
            if one["expected"] != one["observed"]
        ),
        *([f"error in {errors} of {len(asked)} requirements"] if errors else []),
    ]

"""The catalogue joins the two foundations: what is required, and which scenarios prove it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from tck_features.library import LIBRARY
from tck_kit import assets
from tck_kit.families import GRADED_PROFILES, MAILBOXES, Family, family_of
from tck_kit.faults import SuiteFault, UsageFault
from tck_kit.scenarios import Scenario, ScenarioFault, Suite, read_suite
from tck_reports.records import RequirementEntry, profiles_named
from tck_spec import Finding, Requirement, ScenarioTag, Specification, SpecificationError, coverage, load
from tck_spec.requirements import STATUSES

#: The areas in the order in which reports tell of them; others follow by name.
AREAS: tuple[str, ...] = (
    "NAME",
    "RESUME",
    "FALLBACK",
    "OFF",
    "ISOLATE",
    "CLEAN",
    "CONTRACT",
    "CAPABILITY",
    "RECORD",
    "CONTINUITY",
    "REUSE",
    "REDELEGATION",
)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A specification and its suite of scenarios, of one family or, where `family` is None, of all of them."""

    specification: Specification
    suite: Suite
    #: The ids of the scenarios that only a thorough run has; empty where nobody asked for them.
    left_out: frozenset[str]
    entries: tuple[RequirementEntry, ...]
    family: Family | None = MAILBOXES

    @property
    def expected(self) -> Mapping[str, tuple[str, ...]]:
        """The requirements of each scenario, by the scenario's id."""
        return {scenario.id: scenario.requirements for scenario in self.suite.scenarios}


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a catalogue is to be run. `only` is None without a filter.

    `elsewhere` are scenarios that were chosen and are run by the other parts of a run that is shared out. `unasked` are
    the ids of those that a quick run does without, as if there were no such scenarios.
    """

    profiles: tuple[str, ...]
    only: frozenset[str] | None
    scenarios: tuple[Scenario, ...]
    elsewhere: tuple[Scenario, ...] = ()
    unasked: frozenset[str] = frozenset()


def read_specification(path: Path | None) -> Specification:
    """Read the user's specification, or the kit's own. Raises `UsageFault` or `SuiteFault`."""
    try:
        return load(path or assets.specification_file())
    except SpecificationError as fault:
        if path is None:
            raise SuiteFault(f"the kit's own specification cannot be read: {fault}") from fault
        raise UsageFault(fault.what, fault.where, fault.cure) from fault


def read_catalogue(
    specification: Path | None,
    features: Path | None,
    *,
    thorough: bool = True,
    sentences: bool = True,
    family: Family | None = MAILBOXES,
) -> Catalogue:
    """Read what of both is of a family, the user's or the kit's own. What is wrong with scenarios is in `suite.faults`.

    Without `thorough`, the rows of the Examples called `more combinations` are left out. Without `sentences` nobody
    looks whether each is defined: of the kit's own that is known, and another would end its scenario as an error.
    """
    spec = read_specification(specification)
    folder = features or assets.scenario_folder()
    if not folder.is_dir():
        raise UsageFault("there is no such folder", str(folder), "give a folder that holds .feature files")
    known = {requirement.id.lower() for requirement in spec.requirements}
    suite = read_suite(
        folder, known, LIBRARY if sentences else None, thorough=thorough, wanted=_wanted(spec.requirements, family)
    )
    suite = replace(suite, faults=(*suite.faults, *_mixed(spec.requirements, suite.scenarios)))
    graded = GRADED_PROFILES if family is None else family.profiles
    entries = tuple(
        RequirementEntry(
            id=requirement.id,
            area=requirement.area,
            level=requirement.level or "",
            status=requirement.status,
            profile=requirement.profile,
            section=requirement.section or "",
            anchor=requirement.anchor or "",
            text=requirement.text,
            text_digest=requirement.text_digest,
        )
        for requirement in sorted(spec.requirements, key=_reading_order)
        if requirement.profile in graded
    )
    return Catalogue(spec, suite, frozenset(), entries, family)


def _families(requirements: Sequence[Requirement]) -> Mapping[str, Family]:
    """Give the family of every requirement that is graded, by its tag."""
    return {one.id.lower(): family_of(one.profile) for one in requirements if one.profile in GRADED_PROFILES}


def _wanted(requirements: Sequence[Requirement], family: Family | None) -> Callable[[Sequence[Scenario]], bool] | None:
    """Say how to tell a file of another family; what names nothing that is known is looked at in each."""
    if family is None:
        return None
    families = _families(requirements)

    def wanted(scenarios: Sequence[Scenario]) -> bool:
        named = [families[tag] for one in scenarios for tag in one.tags if tag in families]
        return not named or family in named

    return wanted


def _mixed(requirements: Sequence[Requirement], scenarios: Sequence[Scenario]) -> Iterator[ScenarioFault]:
    """Find files with scenarios of two families: a run has the files of one."""
    families = _families(requirements)
    first: dict[str, Family] = {}
    told: set[str] = set()
    for one in scenarios:
        for tag in one.tags:
            family = families.get(tag)
            if family is None or first.setdefault(one.path, family) is family or one.path in told:
                continue
            told.add(one.path)
            message = f"@{tag} is shown with {family.name}, and what stands above with {first[one.path].name}"
            yield ScenarioFault(one.place, f"{message}; put them in two files")


def with_left_out(catalogue: Catalogue) -> Catalogue:
    """Add the ids of the scenarios that only a thorough run has, as something may be said of them all the same."""
    suite = catalogue.suite
    if not suite.left_out:
        return catalogue
    known = {requirement.id.lower() for requirement in catalogue.specification.requirements}
    wanted = _wanted(catalogue.specification.requirements, catalogue.family)
    every = {scenario.id for scenario in read_suite(suite.folder, known, None, wanted=wanted).scenarios}
    return replace(catalogue, left_out=frozenset(every - {scenario.id for scenario in suite.scenarios}))


def _reading_order(requirement: Requirement) -> tuple[int, str, int]:
    """Order requirements by area, as one tells what an engine does, and then by number."""
    area = requirement.area
    number = requirement.id.rpartition("-")[2]
    rank = AREAS.index(area) if area in AREAS else len(AREAS)
    return rank, area, int(number) if number.isdecimal() else 0


def refuse_faults(catalogue: Catalogue, *, own: bool) -> None:
    """Stop where a scenario could pass without proving anything; `own` says that the scenarios are the kit's."""
    faults = catalogue.suite.faults
    if not catalogue.suite.scenarios and not faults:
        raise UsageFault(*_without_scenarios(catalogue.suite.folder, catalogue.family))
    if not catalogue.entries:
        statuses = [status for status, profile in STATUSES.items() if _of(catalogue.family, profile)]
        raise UsageFault(
            f"it states no requirement of status {', '.join(statuses[:-1])} or {statuses[-1]}",
            catalogue.specification.source,
            f"write requirements as list items: - **AREA-1** ({statuses[0]}): The engine MUST …",
        )
    if not faults:
        return
    shown = "\n".join(f"  {fault}" for fault in faults[:20])
    more = f"\n  … and {len(faults) - 20} more" if len(faults) > 20 else ""  # noqa: PLR2004 -- one screen of them
    message = f"{len(faults)} faults in the scenarios, nothing was run:\n{shown}{more}"
    if own:
        raise SuiteFault(message)
    raise UsageFault(message, str(catalogue.suite.folder), "mend them; `session-tck check` lists all")


def quick(catalogue: Catalogue, selection: Selection) -> Selection:
    """Keep of a selection what is labelled `quick`. It shows less than all of it, so it is never the whole of a run.

    Raises `UsageFault` where nothing is.
    """
    kept = tuple(one for one in selection.scenarios if "quick" in one.labels)
    if not kept:
        raise UsageFault("nothing of what is selected is labelled quick", "--quick", "leave it out, or select more")
    covered = {requirement for one in kept for requirement in one.requirements}
    graded = {entry.id for entry in catalogue.entries if entry.profile in selection.profiles}
    chosen = graded if selection.only is None else graded & selection.only
    unasked = frozenset(one.id for one in catalogue.suite.scenarios if "quick" not in one.labels)
    return replace(selection, only=frozenset(chosen & covered), scenarios=kept, unasked=unasked)


def _without_scenarios(folder: Path, family: Family | None) -> tuple[str, str, str]:
    if family is None or family is MAILBOXES or not any(folder.rglob("*.feature")):
        return "there is no scenario below this folder", str(folder), "give a folder with .feature files"
    profiles = ", ".join(family.profiles)
    return f"there is no scenario of {profiles} below this folder", str(folder), "write some, or leave out --features"


def _of(family: Family | None, profile: str) -> bool:
    return family is None or family.holds(profile)


def select(
    catalogue: Catalogue,
    profile: str | Sequence[str],
    areas: Collection[str],
    requirements: Collection[str],
    *,
    own_features: bool = False,
) -> Selection:
    """Choose what to run: of the profiles named, or of `all` that the catalogue has.

    Raises `UsageFault` for an area or requirement that does not exist, or that is of another family. Somebody's own
    scenarios need not be about everything: what they are not about is left out by choice.
    """
    profiles = _profiles(catalogue, profile)
    known = {entry.id: entry for entry in catalogue.entries}
    for one in catalogue.specification.requirements:
        if one.id not in known and {one.id, one.area} & {name.upper() for name in (*areas, *requirements)}:
            raise UsageFault(f"it is of the profile {one.profile}", one.id, f"use --profile {one.profile}")
    wanted_areas = {_known(area.upper(), {entry.area for entry in catalogue.entries}, "area") for area in areas}
    wanted = {_known(requirement.upper(), set(known), "requirement") for requirement in requirements}
    only: frozenset[str] | None = None
    if wanted_areas or wanted:
        only = frozenset(entry.id for entry in catalogue.entries if entry.area in wanted_areas or entry.id in wanted)
    covered = {requirement for one in catalogue.suite.scenarios for requirement in one.requirements}
    if own_features and only is None and covered and not covered.issuperset(known):
        only = frozenset(covered & known.keys())
    in_profiles = {entry.id for entry in catalogue.entries if entry.profile in profiles}
    graded = in_profiles if only is None else in_profiles & only
    scenarios = tuple(one for one in catalogue.suite.scenarios if graded.intersection(one.requirements))
    return Selection(profiles, only, scenarios)


def _profiles(catalogue: Catalogue, profile: str | Sequence[str]) -> tuple[str, ...]:
    if profile == "all" and catalogue.family is not None:
        return catalogue.family.profiles
    return profiles_named(profile) if isinstance(profile, str) else tuple(profile)


def _known(name: str, names: Collection[str], kind: str) -> str:
    if name in names:
        return name
    near = get_close_matches(name, sorted(names), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(names)[:20])}"
    raise UsageFault(f"the specification has no such {kind}", name, hint)


def coverage_findings(catalogue: Catalogue) -> tuple[Finding, ...]:
    """Say which requirements have no scenario, and which tags no requirement."""
    links: dict[str, list[ScenarioTag]] = {}
    for scenario in catalogue.suite.scenarios:
        for tag in scenario.tags:
            links.setdefault(tag.upper(), []).append(ScenarioTag(scenario.name, scenario.path, scenario.line))
    return coverage(catalogue.specification, links)

"""The catalogue joins the two foundations: what is required, and which scenarios prove it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from tck_features.library import LIBRARY
from tck_kit import assets
from tck_kit.faults import SuiteFault, UsageFault
from tck_kit.scenarios import Scenario, Suite, read_suite
from tck_reports.records import PROFILE_OF_STATUS, RequirementEntry, profiles_named
from tck_spec import Finding, Requirement, ScenarioTag, Specification, SpecificationError, coverage, load

#: Profiles of the specification that this kit has scenarios for; annexes are listed and not graded.
GRADED_PROFILES: tuple[str, ...] = tuple(PROFILE_OF_STATUS.values())


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
)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A specification and its suite of scenarios."""

    specification: Specification
    suite: Suite
    #: The ids of the scenarios that only a thorough run has; empty where nobody asked for them.
    left_out: frozenset[str]
    entries: tuple[RequirementEntry, ...]

    @property
    def expected(self) -> Mapping[str, tuple[str, ...]]:
        """The requirements of each scenario, by the scenario's id."""
        return {scenario.id: scenario.requirements for scenario in self.suite.scenarios}


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a catalogue is to be run. `only` is None without a filter.

    `elsewhere` are scenarios that were chosen and are run by the other parts of a run that is shared out.
    """

    profiles: tuple[str, ...]
    only: frozenset[str] | None
    scenarios: tuple[Scenario, ...]
    elsewhere: tuple[Scenario, ...] = ()


def read_specification(path: Path | None) -> Specification:
    """Read the user's specification, or the kit's own. Raises `UsageFault` or `SuiteFault`."""
    try:
        return load(path or assets.specification_file())
    except SpecificationError as fault:
        if path is None:
            raise SuiteFault(f"the kit's own specification cannot be read: {fault}") from fault
        raise UsageFault(fault.what, fault.where, fault.cure) from fault


def read_catalogue(
    specification: Path | None, features: Path | None, *, thorough: bool = True, sentences: bool = True
) -> Catalogue:
    """Read both, the user's or the kit's own. What is wrong with scenarios is in `suite.faults`.

    Without `thorough`, the rows of the Examples called `more combinations` are left out. Without `sentences` nobody
    looks whether each is defined: of the kit's own that is known, and another would end its scenario as an error.
    """
    spec = read_specification(specification)
    folder = features or assets.scenario_folder()
    if not folder.is_dir():
        raise UsageFault("there is no such folder", str(folder), "give a folder that holds .feature files")
    known = {requirement.id.lower() for requirement in spec.requirements}
    suite = read_suite(folder, known, LIBRARY if sentences else None, thorough=thorough)
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
        if requirement.profile in GRADED_PROFILES
    )
    return Catalogue(spec, suite, frozenset(), entries)


def with_left_out(catalogue: Catalogue) -> Catalogue:
    """Add the ids of the scenarios that only a thorough run has, as something may be said of them all the same."""
    suite = catalogue.suite
    if not suite.left_out:
        return catalogue
    known = {requirement.id.lower() for requirement in catalogue.specification.requirements}
    every = {scenario.id for scenario in read_suite(suite.folder, known, None).scenarios}
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
        raise UsageFault(
            "there is no scenario below this folder", str(catalogue.suite.folder), "give a folder with .feature files"
        )
    if not catalogue.entries:
        raise UsageFault(
            "it states no requirement of status agreed or proposed",
            catalogue.specification.source,
            "write requirements as list items: - **AREA-1** (agreed): The engine MUST …",
        )
    if not faults:
        return
    shown = "\n".join(f"  {fault}" for fault in faults[:20])
    more = f"\n  … and {len(faults) - 20} more" if len(faults) > 20 else ""  # noqa: PLR2004 -- one screen of them
    message = f"{len(faults)} faults in the scenarios, nothing was run:\n{shown}{more}"
    if own:
        raise SuiteFault(message)
    raise UsageFault(message, str(catalogue.suite.folder), "mend them; `session-tck check` lists all")


def select(
    catalogue: Catalogue,
    profile: str,
    areas: Collection[str],
    requirements: Collection[str],
    *,
    own_features: bool = False,
) -> Selection:
    """Choose what to run. Raises `UsageFault` for an area or requirement that does not exist.

    Somebody's own scenarios need not be about everything: what they are not about is left out by choice.
    """
    profiles = profiles_named(profile)
    known = {entry.id: entry for entry in catalogue.entries}
    for one in catalogue.specification.requirements:
        if one.profile not in GRADED_PROFILES and {one.id, one.area} & {
            name.upper() for name in (*areas, *requirements)
        }:
            raise UsageFault("this kit does not grade its profile", one.id, f"it grades {', '.join(GRADED_PROFILES)}")
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


def _known(name: str, names: Collection[str], kind: str) -> str:
    if name in names:
        return name
    near = get_close_matches(name, sorted(names), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(names)[:20])}"
    raise UsageFault(f"the specification has no such {kind}", name, hint)


def coverage_findings(catalogue: Catalogue) -> tuple[Finding, ...]:
    """Say which requirements have no scenario, and which tags no requirement.

    The annexes' requirements are for engines of another kind, and this kit does not grade them: that is said, not held
    against the specification.
    """
    links: dict[str, list[ScenarioTag]] = {}
    for scenario in catalogue.suite.scenarios:
        for tag in scenario.tags:
            links.setdefault(tag.upper(), []).append(ScenarioTag(scenario.name, scenario.path, scenario.line))
    annex = {
        (one.line, one.column) for one in catalogue.specification.requirements if one.profile not in GRADED_PROFILES
    }
    return tuple(
        replace(finding, severity="I", hint="this kit does not grade its profile")
        if finding.rule == "COV001" and (finding.line, finding.column) in annex
        else finding
        for finding in coverage(catalogue.specification, links)
    )

"""The values of the site: what every page, file of data and feed is made of.

Everything here is plain and bounded: texts that an engine supplied have no control characters and no direction marks
left, a homepage is an http(s) address or empty, and every slug is safe as a name of a folder and in a URL. What is made
of it still has to be escaped for the format that it goes into.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from tck_reports.outcomes import Outcome

Result = Literal["conformant", "nonconformant", "indeterminate"]
EvidenceSign = Literal["w", "r", "-"]
Absence = Literal["not obtained", "driver incompatible"]
ChangeKind = Literal["new_engine", "new_version", "new_run", "new_spec"]

#: A cell is one character, so that a row of outcomes is one text.
SIGNS: Final[Mapping[Outcome, str]] = MappingProxyType(
    {
        Outcome.PASSED: "P",
        Outcome.FAILED: "F",
        Outcome.UNTESTABLE: "U",
        Outcome.ERROR: "E",
        Outcome.NOT_RUN: "N",
        Outcome.UNSUPPORTED: "D",  # declined
        Outcome.NOT_APPLICABLE: "A",
        Outcome.EXCLUDED: "X",
        Outcome.FLAKY: "K",
        Outcome.EXPECTED_FAILURE: "B",  # excused by the baseline
        Outcome.STALE: "S",
    }
)
#: The way back.
OUTCOMES: Final[Mapping[str, Outcome]] = MappingProxyType({sign: outcome for outcome, sign in SIGNS.items()})
#: The cell of a requirement that a row's specification does not have, or whose profile was not run.
ABSENT: Final = " "

#: Why there is a row of an engine that was never run, each with the outcome that all its requirements have.
ABSENCES: Final[Mapping[Absence, Outcome]] = MappingProxyType(
    {"not obtained": Outcome.NOT_RUN, "driver incompatible": Outcome.ERROR}
)


@dataclass(frozen=True, slots=True)
class Column:
    """One requirement as one requirement set has it."""

    id: str
    area: str
    level: str
    status: str
    profile: str
    section: str
    anchor: str
    text: str
    text_digest: str


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """The frozen requirements of one version of a specification, in its order; `digest` is that of the set.

    A version of a text that was edited may have two sets, and two versions may have the same demands, so version and
    digest together tell sets apart. The slug says the specification and its version, with a piece of the digest where
    two sets would share it.

    Of one version there are two sets as well where no engine is held against both, as are those of profiles for
    different kinds of engines; `family` then says the profiles, and is empty otherwise.
    """

    slug: str
    spec: str
    version: str
    digest: str
    columns: tuple[Column, ...]
    #: Where each requirement stands among the columns.
    places: Mapping[str, int] = field(compare=False, repr=False)
    family: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """One text of a requirement, and the slugs of the sets that have it, newest first."""

    text: str
    text_digest: str
    level: str
    status: str
    sets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement over all sets: as the newest set that has it says it, and every wording, newest first."""

    slug: str
    column: Column
    wordings: tuple[Wording, ...]

    @property
    def id(self) -> str:
        """Its name in the specification."""
        return self.column.id


@dataclass(frozen=True, slots=True)
class ProfileVerdict:
    """What one report comes to for one profile; never `conformant` where the run was not whole."""

    profile: str
    result: Result
    #: Whether every pass rests on what the kit itself saw.
    witnessed: bool
    numerator: int
    denominator: int
    #: One line: what decided it.
    why: str


@dataclass(frozen=True, slots=True)
class Row:
    """One report: one version of an engine, judged by one version of the kit against one requirement set."""

    #: Unique within its engine: the version, with a piece of the report's digest where two rows would share it.
    slug: str
    #: Of the report, `sha256:` and 64 digits.
    digest: str
    #: Where the report.json lies below the folder that was read, with `/`.
    source: str
    version: str
    transport: str
    surroundings: str
    #: What was named as the engine: `sim`, `mutant:NAME`, a command, a URL.
    asked: str
    #: Slug of its `RequirementSet`.
    set: str
    spec_version: str
    kit_version: str
    #: ISO 8601 in UTC, seconds, with Z.
    started: str
    finished: str
    seed: int
    complete: bool
    #: Why it is not complete; what is wrong with the run itself stands here, too.
    obstacles: tuple[str, ...]
    #: `2/5` where the report is of one part of a run that was shared out and never merged.
    shard: str | None
    #: The version of the kit that recorded the run, where it was judged again from its trace.
    regraded: str | None
    retries: int
    exit_code: int
    exit_reason: str
    #: By profile, in the order of `Site.profiles`; profiles that were not run are absent.
    verdicts: Mapping[str, ProfileVerdict]
    #: One character of `SIGNS` per column of its set.
    cells: str
    #: `w` witnessed, `r` reported by the engine, `-` none; one per column of its set.
    evidence: str
    #: By requirement, only where it did not pass.
    reasons: Mapping[str, str]
    #: Where the whole report stands as a page, below the site, with `/`; null where there is none.
    page: str | None
    #: The profiles that it claims.
    claims: tuple[str, ...] = ()
    #: What it declares: by name `supported`, `unsupported` or `undeclared`.
    capabilities: Mapping[str, str] = field(default_factory=dict[str, str])
    #: By which rules of its own it resumes, as it declares; empty where it has none.
    policy: Mapping[str, str] = field(default_factory=dict[str, str])
    #: By requirement that failed, the command that runs it again.
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    #: Why it was not run at all; null where it was.
    absence: Absence | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """One row of the matrix: an engine by its own name, over one transport and in one kind of surroundings.

    `label` tells apart engines of one name: the transport where the name was run through several, the surroundings
    where they are real, the profiles where it was held against more than one family of them. It is empty where the name
    alone is enough.
    """

    slug: str
    name: str
    label: str
    language: str
    #: An http(s) address, or empty.
    homepage: str
    #: Whether it is one of the kit's engines that are wrong on purpose.
    faulty: bool
    #: Newest version first; of one version the newest specification first, then the latest run.
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """Its name with the label."""
        return f"{self.name} ({self.label})" if self.label else self.name

    @property
    def newest(self) -> Row:
        """The row that speaks for it."""
        return self.rows[0]


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A profile whose result is another one; null where there was none."""

    profile: str
    old: Result | None
    new: Result | None


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the feed: what a report brought against the row before it of the same engine.

    The row before is the next older one in the order of versions, not of dates: a mended 1.0.5 is held against 1.0.4
    even where 2.0.0 is out. Outcomes are compared only where the requirement's text is the same in both. A `new_spec`
    belongs to no engine: its slug and row are empty.
    """

    kind: ChangeKind
    #: Stable over time: made of the digests of what it compares.
    id: str
    #: ISO 8601 in UTC with Z, of the report that brought it.
    at: str
    engine: str
    #: `Row.slug` of the new row, and of the one before; of a `new_spec`, `before` is the set before.
    row: str
    before: str | None
    #: Slug of the requirement set.
    set: str
    #: Ids of requirements that passed and do not any more.
    regressions: tuple[str, ...] = ()
    #: Ids of requirements that did not pass and now do.
    fixes: tuple[str, ...] = ()
    #: Ids of requirements that both sets have with different texts.
    reworded: tuple[str, ...] = ()
    #: Ids of requirements that only the new set has, and only the old one.
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()

    @property
    def quiet(self) -> bool:
        """Whether nothing that anybody waits for has changed."""
        told = (self.regressions, self.fixes, self.reworded, self.added, self.removed, self.verdicts)
        return self.kind == "new_run" and not any(told)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is no report to be shown, and was left out because the user asked for that."""

    source: str
    #: What is wrong with it, and what to do.
    why: str


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that the reports of a folder come to; a pure function of the reports, whatever their order."""

    #: By title, the engines that are wrong on purpose last.
    engines: tuple[Engine, ...]
    #: Newest first.
    sets: tuple[RequirementSet, ...]
    #: In the order of the newest set, then those that only older sets have.
    requirements: tuple[Requirement, ...]
    #: core, hardened, continuity, reuse, redelegation, then others by name.
    profiles: tuple[str, ...]
    #: Newest first.
    changes: tuple[Change, ...]
    #: Newest first.
    kits: tuple[str, ...]
    #: How many reports there are.
    reports: int
    #: When the latest of the runs ended, ISO 8601 in UTC with Z; empty for a site without reports.
    updated: str
    left_out: tuple[LeftOut, ...] = ()

    def set_of(self, row: Row) -> RequirementSet:
        """Return the columns that a row's cells stand under."""
        return next(one for one in self.sets if one.slug == row.set)

    def cell(self, row: Row, requirement: str) -> str:
        """Return the sign of a requirement in a row, `ABSENT` where its set does not have it."""
        place = self.set_of(row).places.get(requirement)
        return ABSENT if place is None else row.cells[place]

    def engine(self, slug: str) -> Engine:
        """Return the engine with a slug."""
        return next(one for one in self.engines if one.slug == slug)

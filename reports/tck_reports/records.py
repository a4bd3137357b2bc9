"""The values that a run hands over to be graded and reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tck_reports.outcomes import Outcome

#: Anything that JSON can say; other values are turned into text when the report is built.
JsonLike = object
EvidenceClass = Literal["witnessed", "reported"]
Blame = Literal["engine", "driver", "kit"]

#: The outcomes of a check in which something did not hold, and that may yet spare some of its requirements.
BROKEN: Final = frozenset({Outcome.FAILED, Outcome.EXPECTED_FAILURE, Outcome.FLAKY})

#: Which profile a status leads to; any other status names its own annex profile.
PROFILE_OF_STATUS: Final[Mapping[str, str]] = {"agreed": "core", "proposed": "hardened"}
#: What `--profile` may say beyond the name of one profile.
PROFILE_SETS: Final[Mapping[str, tuple[str, ...]]] = {"all": ("core", "hardened")}


def profiles_named(choice: str) -> tuple[str, ...]:
    """Return the profiles that a user's choice stands for: `all` is core and hardened, every other name is itself."""
    return PROFILE_SETS.get(choice, (choice,))


@dataclass(frozen=True, slots=True)
class RequirementEntry:
    """One requirement of the frozen set, as the specification's lock states it.

    A proposed requirement outside the profile that belongs to its status is refused (ValueError): what is merely
    proposed must never decide `core`.
    """

    id: str
    area: str
    level: str
    status: str
    profile: str
    section: str
    anchor: str
    text: str
    text_digest: str

    def __post_init__(self) -> None:
        due = PROFILE_OF_STATUS.get(self.status, self.status)
        if self.profile != due:
            raise ValueError(
                f"{self.id}: status {self.status!r} belongs to profile {due!r}, not {self.profile!r}; correct the entry"
            )

    @property
    def mandatory(self) -> bool:
        """Whether its keyword leaves an engine no choice."""
        return self.level in {"MUST", "MUST NOT", "SHALL", "SHALL NOT", "REQUIRED"}


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing a step looked at: what it expected, what was there, and what that rests on."""

    statement: str
    expected: JsonLike
    actual: JsonLike
    held: bool
    evidence_class: EvidenceClass
    evidence: tuple[str, ...] = ()
    #: The requirements that it was about, where its check has failed for some of its own alone.
    requirements: tuple[str, ...] = ()
    #: The step that it did not hold in, where its check went on after that.
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """Another try of a scenario that was tried again than the one that decided."""

    outcome: Outcome
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Excuse:
    """The entry of the baseline that excuses a check; `since` is a date, YYYY-MM-DD."""

    name: str
    reason: str
    owner: str
    since: str


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """What one scenario (one row of its examples) gave."""

    id: str
    scenario: str
    #: `path:line` of the scenario.
    feature: str
    requirements: tuple[str, ...]
    outcome: Outcome
    #: One word (`assertion`, `timeout`, `crashed`, `false_advertising`, `filter`, `budget`) or a message.
    reason: str | None = None
    #: Whose fault it is, where there is one.
    blame: Blame | None = None
    expectations: tuple[Expectation, ...] = ()
    #: Milliseconds.
    duration_ms: float = 0.0
    steps: tuple[str, ...] = ()
    failed_step: str | None = None
    #: Earlier tries, where there was more than one.
    attempts: tuple[Attempt, ...] = ()
    excused: Excuse | None = None
    #: Those of its requirements that something did not hold for, where the others were looked at as well and held.
    failed_for: tuple[str, ...] = ()

    def spares(self, requirement: str) -> bool:
        """Say whether it has failed, and yet everything held that it looked at for this requirement."""
        others = {*self.requirements}.difference(self.failed_for) if self.failed_for else frozenset[str]()
        return self.outcome in BROKEN and requirement in others

    @property
    def breaks(self) -> tuple[str, ...]:
        """The requirements that it breaks if it has failed: all of its own, where it does not say which."""
        return self.failed_for or self.requirements

    @property
    def broken(self) -> Expectation | None:
        """The first expectation that did not hold."""
        return next((one for one in self.expectations if not one.held), None)

    @property
    def expected(self) -> JsonLike:
        """What the first broken expectation expected, null where none broke."""
        return None if self.broken is None else self.broken.expected

    @property
    def actual(self) -> JsonLike:
        """What the first broken expectation found, null where none broke."""
        return None if self.broken is None else self.broken.actual

    @property
    def evidence_class(self) -> EvidenceClass | None:
        """`witnessed` only if all its expectations are; null where it has none."""
        if not self.expectations:
            return None
        return "witnessed" if all(one.evidence_class == "witnessed" for one in self.expectations) else "reported"


@dataclass(frozen=True, slots=True)
class KitFacts:
    """Which kit judged: its version, and a digest over its scenarios and steps."""

    version: str
    suite_digest: str


@dataclass(frozen=True, slots=True)
class SpecFacts:
    """Which specification was judged by: the digest of its text, and that of its frozen requirement set."""

    id: str
    version: str
    digest: str
    set_digest: str


@dataclass(frozen=True, slots=True)
class Implementation:
    """The engine under test, by its own words."""

    name: str
    version: str
    language: str = ""
    homepage: str = ""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the engine claims: profiles, and per capability `supported`, `unsupported` or `undeclared`.

    `policy` says by which rules it resumes, where it has rules of its own.
    """

    profiles: tuple[str, ...] = ()
    capabilities: Mapping[str, str] = field(default_factory=dict[str, str])
    policy: Mapping[str, str | Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class NotExercised:
    """A real part that had no share in the run, so that nothing in the report rests on it, and how it would get one."""

    part: str
    how: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the engine met: real parts, or the kit's stand-ins for them.

    A stand-in for a container engine writes down what an engine asks for and closes nothing, so its evidence is of the
    kind `recorded`; only a real one makes it `enforced`.
    """

    containers: str = "stand-in"
    isolation: Literal["recorded", "enforced"] = "recorded"
    clis: str = "stand-ins"
    database: str = "not looked into"
    not_exercised: tuple[NotExercised, ...] = ()


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a run that is shared out: its number, from 1, and how many there are."""

    number: int
    count: int


@dataclass(frozen=True, slots=True)
class MergedOf:
    """The report of one part that a report was merged of."""

    digest: str
    number: int
    started: str
    finished: str


@dataclass(frozen=True, slots=True)
class Regraded:
    """The run whose trace was judged again: digest of the trace, version of the kit that recorded it, its report."""

    trace: str
    kit: str
    report: str | None = None


#: What became of an entry of a baseline in a run.
#: unused: nothing that it speaks of was run, or it fails in a way that it does not excuse, or, of a flaky check, there
#: was nothing to excuse; stale: what it excuses does not happen any more; expired: its last day is over; unknown: there
#: is nothing of its name.
EntryState = Literal["used", "unused", "stale", "unknown", "expired"]


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """One known failure, or one check that is known to be flaky. Dates are YYYY-MM-DD; `until` is the last day."""

    kind: Literal["failure", "flaky"]
    target: Literal["requirement", "check"]
    name: str
    reason: str
    owner: str
    since: str
    until: str | None = None


@dataclass(frozen=True, slots=True)
class UsedEntry:
    """An entry of the baseline with what became of it, and the checks that it excused."""

    entry: BaselineEntry
    state: EntryState
    checks: tuple[str, ...] = ()
    #: Which failure it means, where it is narrowed down: an expectation by its statement, a way of failing, a step.
    statement: str | None = None
    fails: str | None = None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class UsedBaseline:
    """The baseline that was held against a run; `digest` is that of its file."""

    digest: str
    entries: tuple[UsedEntry, ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """How the run was made; `started` and `finished` are ISO 8601 with an offset, `budgets` are seconds by name.

    `engine` is what `--engine` would say to name the engine under test.
    """

    seed: int
    argv: tuple[str, ...]
    started: str
    finished: str
    host: Mapping[str, str]
    workers: int
    transport: str
    budgets: Mapping[str, float]
    surroundings: Surroundings = field(default_factory=Surroundings)
    engine: str = "sim"
    shard: Shard | None = None
    parts: tuple[MergedOf, ...] = ()
    retries: int = 0
    regraded: Regraded | None = None


@dataclass(frozen=True, slots=True)
class Control:
    """A known engine that went through the same steps before grading: what it had to give, and what it gave."""

    name: str
    expected: str
    observed: str
    #: What it does wrong, in one line.
    sin: str = ""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A further file of the run, with its digest."""

    path: str
    digest: str

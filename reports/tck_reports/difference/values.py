"""The values of a difference between two reports, and what follows from them: what is worse, and the exit code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tck_reports.difference.caveats import Caveat
from tck_reports.difference.kinds import MIRROR, WORSE, Kind, passes
from tck_reports.outcomes import ExitCode, Outcome

#: Why a change may not be the engine's.
Judged = Literal["other words", "other scenarios"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The report that one side of a difference comes from."""

    digest: str
    engine: str
    version: str
    specification: str
    set_digest: str
    kit: str
    suite_digest: str
    seed: int
    started: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class Move:
    """A requirement or check whose outcome is another one."""

    id: str
    old: Outcome
    new: Outcome
    kind: Kind
    old_reason: str | None
    new_reason: str | None
    #: The requirements that it speaks on; of a requirement, its own id.
    requirements: tuple[str, ...]
    #: Set where the two sides were not judged by the same.
    judged: Judged | None = None
    #: What did not hold on the side that fails: the statement, what was expected, and what was there.
    broke: str | None = None

    @property
    def worse(self) -> bool:
        """Whether the engine is to be called worse for it."""
        return self.kind in WORSE and self.judged is None


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A check that failed and fails still, for another reason, or by another expectation."""

    id: str
    requirements: tuple[str, ...]
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Present:
    """A requirement or check that is on one side only, with its outcome there."""

    id: str
    outcome: Outcome
    reason: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A requirement that rests on something else than before: what the kit saw, the engine's word, or nothing."""

    id: str
    profile: str
    outcome: Outcome
    old: str | None
    new: str | None
    #: Whether it passed and passes still, and on less than before.
    weaker: bool
    #: Set where the two sides were not judged by the same.
    judged: Judged | None = None


@dataclass(frozen=True, slots=True)
class Redefined:
    """A requirement that says something else, or weighs otherwise: `what` is text, level, status or profile."""

    id: str
    what: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Standing:
    """The verdict on a profile on one side."""

    result: str
    numerator: int
    denominator: int
    witnessed: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on a profile on both sides; None where that side gave none."""

    profile: str
    old: Standing | None
    new: Standing | None
    #: Whether the profile was asked for on either side.
    asked: bool

    @property
    def changed(self) -> bool:
        """Whether it is another one."""
        return self.old != self.new

    @property
    def fallen(self) -> bool:
        """Whether a profile that was asked for was conformant, and is not any more."""
        conformant = self.old is not None and self.old.result == "conformant"
        return self.asked and conformant and (self.new is None or self.new.result != "conformant")

    @property
    def unwitnessed(self) -> bool:
        """Whether everything that passed was witnessed, and is not any more."""
        return self.old is not None and self.new is not None and self.old.witnessed and not self.new.witnessed


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs between two reports, in the order of the new requirement set."""

    old: Origin
    new: Origin
    caveats: tuple[Caveat, ...]
    verdicts: tuple[Judgement, ...]
    #: How many checks came out so, by outcome, on both sides.
    totals: Mapping[Outcome, tuple[int, int]]
    requirements: tuple[Move, ...]
    checks: tuple[Move, ...]
    new_requirements: tuple[Present, ...]
    gone_requirements: tuple[Present, ...]
    new_checks: tuple[Present, ...]
    gone_checks: tuple[Present, ...]
    evidence: tuple[Evidence, ...]
    redefined: tuple[Redefined, ...]
    reasons: tuple[Reasoned, ...]

    @property
    def comparable(self) -> bool:
        """Whether what is told of the engine can be told at all."""
        return not any(one.spoils for one in self.caveats)

    @property
    def regressions(self) -> tuple[Move, ...]:
        """The requirements by which the engine is worse."""
        return tuple(one for one in self.requirements if one.worse)

    @property
    def withdrawn(self) -> tuple[Move, ...]:
        """What the engine passed and declines now: requirements, and checks below one that is not declined whole."""
        return tuple(one for one in (*self.regressions, *self.hidden) if one.kind == "withdrawn")

    @property
    def fixes(self) -> tuple[Move, ...]:
        """The requirements by which the engine is better: those that would be regressions the other way round."""
        return tuple(one for one in self.requirements if MIRROR[one.kind] in WORSE and one.judged is None)

    @property
    def hidden(self) -> tuple[Move, ...]:
        """The checks by which the engine is worse, and none of whose requirements tells.

        Those failed before, or pass without it where it is declined.
        """
        told = {one.id for one in self.regressions}
        return tuple(one for one in self.checks if one.worse and told.isdisjoint(one.requirements))

    @property
    def judged_otherwise(self) -> tuple[Move, ...]:
        """The requirements, or checks below one that is none of them, that look worse, judged by something else."""
        rows = [one for one in self.requirements if one.kind in WORSE and one.judged is not None]
        told = {one.id for one in (*rows, *self.regressions)}
        below = [
            one
            for one in self.checks
            if one.kind in WORSE and one.judged is not None and told.isdisjoint(one.requirements)
        ]
        return (*rows, *below)

    @property
    def lost(self) -> tuple[Move, ...]:
        """The requirements, or else the checks, of which nothing can be said any more."""
        rows = tuple(one for one in self.requirements if one.kind == "lost")
        return rows or tuple(one for one in self.checks if one.kind == "lost")

    @property
    def same_set(self) -> bool:
        """Whether both were judged by the same requirements."""
        return self.old.set_digest == self.new.set_digest

    @property
    def same_suite(self) -> bool:
        """Whether both were judged by the same scenarios."""
        return self.old.suite_digest == self.new.suite_digest

    @property
    def missed_requirements(self) -> tuple[Present, ...]:
        """The requirements that passed and are gone."""
        return tuple(one for one in self.gone_requirements if passes(one.outcome))

    @property
    def missed_checks(self) -> tuple[Present, ...]:
        """The checks that passed and are gone."""
        return tuple(one for one in self.gone_checks if passes(one.outcome))

    @property
    def vanished(self) -> tuple[Present, ...]:
        """What passed and is gone, though it was there to be judged: nothing that it is judged by has changed."""
        return (
            *(self.missed_requirements if self.same_set else ()),
            *(self.missed_checks if self.same_suite else ()),
        )

    @property
    def weaker(self) -> tuple[Evidence, ...]:
        """The requirements that pass as before, and on less."""
        return tuple(one for one in self.evidence if one.weaker)

    @property
    def unwitnessed(self) -> tuple[Judgement, ...]:
        """The profiles that are not witnessed any more because the engine gives less to see."""
        guilty = {one.profile for one in self.weaker if one.judged is None}
        return tuple(one for one in self.verdicts if one.unwitnessed and one.profile in guilty)

    @property
    def fallen(self) -> tuple[Judgement, ...]:
        """The profiles that were asked for, were conformant, and are not any more."""
        return tuple(one for one in self.verdicts if one.fallen)

    @property
    def empty(self) -> bool:
        """Whether the two say the same of the engine; what cannot be compared is another matter."""
        return not (
            any(one.changed for one in self.verdicts)
            or self.requirements
            or self.checks
            or self.new_requirements
            or self.gone_requirements
            or self.new_checks
            or self.gone_checks
            or self.evidence
            or self.redefined
            or self.reasons
        )

    @property
    def exit_code(self) -> ExitCode:
        """0 nothing is worse; 1 regressions; 3 that cannot be said, since the two are not comparable.

        Between two engines nothing is a regression. What was seen to be worse is so even in a run that was cut short.
        A verdict that has fallen is never 0, whatever else there is to be seen of it.
        """
        if any(one.subject in {"engine", "specification"} and one.spoils for one in self.caveats):
            return ExitCode.INCOMPLETE
        if self.regressions or self.hidden or self.unwitnessed:
            return ExitCode.NONCONFORMANT
        unsaid = self.lost or self.judged_otherwise or self.vanished or self.weaker or self.fallen
        return ExitCode.INCOMPLETE if unsaid or not self.comparable else ExitCode.CONFORMANT

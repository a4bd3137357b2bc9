"""The shape of `report.json` as types; `schemas/report-2.json` says the same, and a test holds the two together."""

from typing import Any, Final, NotRequired, TypedDict

SCHEMA_ID: Final = "urn:session-tck:schemas/report-2.json"

#: A value as JSON has it. Writers show it as text and never look inside.
Json = Any


class KitPart(TypedDict):
    """The kit that judged."""

    version: str
    suite_digest: str


class SpecPart(TypedDict):
    """The specification that was judged by."""

    id: str
    version: str
    digest: str
    set_digest: str


class ImplementationPart(TypedDict):
    """The engine under test."""

    name: str
    version: str
    language: str
    homepage: str


class DeclaredPart(TypedDict):
    """What the engine claims; `policy` only where it has declared by which rules of its own it resumes."""

    profiles: list[str]
    capabilities: dict[str, str]
    policy: NotRequired[dict[str, str | list[str]]]


class NotExercisedPart(TypedDict):
    """A real part that had no share in the run, and how it would get one."""

    part: str
    how: str


class SurroundingsPart(TypedDict):
    """What the engine met: real parts, or stand-ins."""

    containers: str
    isolation: str
    clis: str
    database: str
    not_exercised: list[NotExercisedPart]


class ShardPart(TypedDict):
    """Which part of the scenarios was run, counted from 1."""

    number: int
    count: int


class MergedPart(TypedDict):
    """The report of one part of a run that was shared out."""

    digest: str
    number: int
    started: str
    finished: str


class RegradedPart(TypedDict):
    """The run whose trace was judged again: digest of the trace, version of the kit that recorded it, its report."""

    trace: str
    kit: str
    report: str | None


class RunPart(TypedDict):
    """How the run was made."""

    seed: int
    argv: list[str]
    engine: str
    started: str
    finished: str
    host: dict[str, str]
    workers: int
    shard: ShardPart | None
    parts: list[MergedPart]
    retries: int
    regraded: RegradedPart | None
    transport: str
    surroundings: SurroundingsPart
    budgets: dict[str, float]
    profiles: list[str]
    asked: list[str]
    filtered: str | None
    cut_short: str | None


class ControlPart(TypedDict):
    """A known engine, and what it gave."""

    name: str
    expected: str
    observed: str
    sin: str


class VerdictPart(TypedDict):
    """What can be said of one profile."""

    result: str
    witnessed: bool
    numerator: int
    denominator: int
    counts: dict[str, int]
    why: str


class RequirementPart(TypedDict):
    """One requirement with its outcome."""

    id: str
    area: str
    level: str
    status: str
    profile: str
    section: str
    anchor: str
    text: str
    text_digest: str
    outcome: str
    reason: str | None
    evidence: str | None
    checks: list[str]
    missing: list[str]
    killed: list[str]


class ExpectationPart(TypedDict):
    """One thing a step looked at.

    `requirements` only where its check has failed for some of its own alone; `step` only where it did not hold and its
    check went on.
    """

    statement: str
    expected: Json
    actual: Json
    held: bool
    evidence_class: str
    evidence: list[str]
    requirements: NotRequired[list[str]]
    step: NotRequired[str]


class AttemptPart(TypedDict):
    """Another try of a scenario than the one that decided."""

    outcome: str
    reason: str | None


class ExcusePart(TypedDict):
    """The entry of the baseline that excuses a check."""

    name: str
    reason: str
    owner: str
    since: str


class CheckPart(TypedDict):
    """One scenario with its outcome; `expected` and `actual` are those of the first expectation that did not hold.

    `failed_for` is there where it has failed for some of its requirements, and holds for the others.
    """

    id: str
    scenario: str
    feature: str
    requirements: list[str]
    outcome: str
    reason: str | None
    blame: str | None
    expected: Json
    actual: Json
    evidence: list[str]
    evidence_class: str | None
    expectations: list[ExpectationPart]
    duration_ms: float
    steps: list[str]
    failed_step: str | None
    attempts: list[AttemptPart]
    excused: ExcusePart | None
    failed_for: NotRequired[list[str]]


class ArtifactPart(TypedDict):
    """A further file of the run."""

    path: str
    digest: str


class BaselineEntryPart(TypedDict):
    """One known failure, or one known flaky check, and what it came to in this run."""

    kind: str
    target: str
    name: str
    reason: str
    owner: str
    since: str
    until: str | None
    state: str
    checks: list[str]
    statement: str | None
    fails: str | None
    step: str | None


class BaselinePart(TypedDict):
    """The list of known failures that was held against the run."""

    digest: str
    entries: list[BaselineEntryPart]


class Report(TypedDict):
    """The whole of `report.json`."""

    schema: str
    digest: str
    kit: KitPart
    spec: SpecPart
    implementation: ImplementationPart
    declared: DeclaredPart
    run: RunPart
    complete: bool
    incomplete_reasons: list[str]
    faults: list[str]
    controls: list[ControlPart]
    verdict: dict[str, VerdictPart]
    exit_code: int
    exit_reason: str
    baseline: BaselinePart | None
    stale_entries: list[str]
    requirements: list[RequirementPart]
    checks: list[CheckPart]
    missing_checks: list[str]
    artifacts: list[ArtifactPart]
    redactions: int

"""Judging a trace again: the same run, with a newer kit's scenarios, steps, grading and verdict, and no engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from tck_driver.capabilities import Support
from tck_driver.course_messages import read_policy
from tck_driver.engine import Declaration
from tck_kit.catalogue import Catalogue, Selection, quick, read_catalogue, refuse_faults, with_left_out
from tck_kit.engine_choice import PEER
from tck_kit.events import Event
from tck_kit.families import GRADED_PROFILES, MAILBOXES, family_of
from tck_kit.faults import UsageFault
from tck_kit.run import Options, Run
from tck_kit.trace.head import Head
from tck_kit.trace.held import Held
from tck_kit.trace.of_run import Retold
from tck_kit.trace.reading import Trace
from tck_kit.trace.wire import plain
from tck_kit.workers import Workers
from tck_reports.baseline.entries import Baseline
from tck_reports.grading import SHARD
from tck_reports.outcomes import Outcome
from tck_reports.records import Regraded
from tck_reports.shape import Report
from tck_reports.shortened import shortened


@dataclass(frozen=True, slots=True)
class Again:
    """A trace, and by what it is to be judged. Times are seconds."""

    trace: Trace
    report: Report
    argv: tuple[str, ...]
    time_limit: int
    scenario_limit: int
    specification: Path | None = None
    features: Path | None = None
    baseline: Baseline | None = None


def suite(again: Again) -> tuple[Catalogue, Selection]:
    """Read what it is judged by, and choose what the run had chosen. Raises `UsageFault` or `SuiteFault`."""
    own, head = again.features is None, again.trace.head
    family = next((family_of(one) for one in head.profiles if one in GRADED_PROFILES), MAILBOXES)
    catalogue = read_catalogue(
        again.specification, again.features, thorough=head.thorough, sentences=not own, family=family
    )
    refuse_faults(catalogue, own=own and again.specification is None)
    if again.baseline is not None:
        catalogue = with_left_out(catalogue)
    return catalogue, _selected(catalogue, again)


def _selected(catalogue: Catalogue, again: Again) -> Selection:
    head = again.trace.head
    known = {entry.id for entry in catalogue.entries}
    graded_here = catalogue.family or MAILBOXES
    profiles = tuple(one for one in head.profiles if graded_here.holds(one))
    if not profiles:
        named = ", ".join(head.profiles) or "none"
        raise UsageFault(
            f"this kit has no scenarios for its profiles ({named})", str(again.trace.path), "use another kit"
        )
    only = None if head.only is None else known & {*head.only}
    covered = {requirement for one in catalogue.suite.scenarios for requirement in one.requirements}
    if again.features is not None and again.specification is None and only is None and not covered.issuperset(known):
        only = covered & known
    in_profiles = {entry.id for entry in catalogue.entries if entry.profile in profiles}
    graded = in_profiles if only is None else in_profiles & only
    chosen = tuple(one for one in catalogue.suite.scenarios if graded.intersection(one.requirements))
    if not chosen:
        raise UsageFault(
            "of what its run had selected, this kit has no scenario", str(again.trace.path), "use another kit"
        )
    selection = Selection(profiles, None if only is None else frozenset(only), chosen)
    if _was_quick(again.report):
        selection = quick(catalogue, selection)
    others = {
        one["id"] for one in again.report["checks"] if one["outcome"] == Outcome.NOT_RUN and one["reason"] == SHARD
    }
    return replace(
        selection,
        scenarios=tuple(one for one in selection.scenarios if one.id not in others),
        elsewhere=tuple(one for one in selection.scenarios if one.id in others),
    )


def _was_quick(report: Report) -> bool:
    """Tell whether its run was of an engine of somebody else's, and of a few scenarios alone."""
    run = report["run"]
    return run["engine"].startswith(PEER) and "--quick" in run["argv"]


def perform(
    again: Again, catalogue: Catalogue, selection: Selection, pool: Workers, watch: Callable[[Event], None]
) -> Report:
    """Judge the trace and give the report. Raises `SuiteFault`.

    What a run did not come to do is no part of its trace: whatever cut it short cuts short what is judged by that.
    """
    head = again.trace.head
    options = Options(
        seed=head.seed,
        time_limit=again.time_limit,
        scenario_limit=again.scenario_limit,
        argv=again.argv,
        thorough=head.thorough,
        shard=head.shard,
        baseline=again.baseline,
        retries=head.retries,
        retold=Retold(
            head,
            _held(again.trace, pool.folder),
            Regraded(again.trace.digest, head.kit.version, again.report["digest"]),
        ),
    )
    report = Run(catalogue, selection, options, pool, watch).perform()
    why = "; ".join(_cut_short(again.trace))
    return shortened(report, why) if why else report


def _cut_short(trace: Trace) -> Iterator[str]:
    if not trace.complete:
        yield "the trace breaks off"
    if trace.head.cut_short is not None:
        yield f"the run was cut short: {trace.head.cut_short}"


def _held(trace: Trace, folder: Path) -> Held:
    """Write the index for the workers."""
    place = folder / "trace"
    place.mkdir()
    index = place / "index.json"
    found = {name: [(one.offset, one.length) for one in tries] for name, tries in trace.scenarios.items()}
    index.write_text(json.dumps(found), encoding="ascii")
    return Held(str(trace.path.absolute()), str(index), json.dumps(plain(_declaration(trace.head))), trace.head.umask)


def _declaration(head: Head) -> Declaration:
    said = head.implementation
    supports: dict[str, Support] = {
        name: "supported" if support == "supported" else "unsupported"
        for name, support in head.capabilities.items()
        if support in get_args(Support)
    }
    policy = None if head.policy is None else read_policy(dict(head.policy))
    return Declaration(said.name, said.version, said.language, said.homepage, supports, policy)

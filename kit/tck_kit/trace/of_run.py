"""A run and its trace: what a run writes down of itself, and what a run that judges a trace again takes from it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tck_kit.trace.head import Head
from tck_kit.trace.held import Held
from tck_kit.trace.joining import WITHOUT, join
from tck_kit.trace.lines import FILE
from tck_reports.plain import Plainer
from tck_reports.records import (
    Artifact,
    CheckRecord,
    Declaration,
    Implementation,
    KitFacts,
    Regraded,
    RunFacts,
    SpecFacts,
)


@dataclass(frozen=True, slots=True)
class Retold:
    """The trace that is judged in the place of an engine, and the run that it was recorded in."""

    head: Head
    held: Held
    regraded: Regraded

    def facts(self, run: RunFacts) -> RunFacts:
        """Give how a run was made, where the engine is that of another one."""
        head = self.head
        return replace(
            run,
            transport=head.transport,
            surroundings=head.surroundings,
            engine=head.engine,
            shard=head.shard,
            regraded=self.regraded,
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a run knows of itself once it is over."""

    kit: KitFacts
    spec: SpecFacts
    implementation: Implementation
    declared: Declaration
    run: RunFacts
    only: frozenset[str] | None
    thorough: bool
    baseline: str | None
    cut_short: str | None
    misdeeds: Sequence[str]

    def head(self) -> Head:
        """Give the first line of its trace, without what its report would not show either."""
        run, plainer = self.run, Plainer()
        return Head(
            kit=self.kit,
            spec=self.spec,
            implementation=replace(self.implementation, name=plainer.text(self.implementation.name)),
            capabilities=dict(self.declared.capabilities),
            seed=run.seed,
            engine=plainer.text(run.engine),
            transport=run.transport,
            surroundings=run.surroundings,
            profiles=tuple(self.declared.profiles),
            only=None if self.only is None else tuple(sorted(self.only)),
            thorough=self.thorough,
            shard=run.shard,
            retries=run.retries,
            workers=run.workers,
            budgets=dict(run.budgets),
            baseline=self.baseline,
            umask=_umask(),
            started=run.started,
            finished=run.finished,
            host=dict(run.host),
            cut_short=self.cut_short,
            misdeeds=tuple(plainer.text(one) for one in self.misdeeds),
            policy=self.declared.policy,
        )

    def write(self, waiting: Path, workers: Iterable[Path], records: Iterable[CheckRecord]) -> Artifact:
        """Join the traces in the workers' folders into one, where it waits. Raises `ReportWriteError`."""
        files = [folder / FILE for folder in workers]
        return join(files, waiting, self.head(), _killed(records), WITHOUT)


def _killed(records: Iterable[CheckRecord]) -> Mapping[str, str]:
    """Give what became of scenarios that looked at nothing: those of workers that died are among them."""
    return {one.id: one.reason or "" for one in records if not one.expectations}


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask

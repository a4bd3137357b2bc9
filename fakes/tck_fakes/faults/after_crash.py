"""Faults that show only after a power cut: engines that are right for as long as nobody pulls the plug.

They are no part of the catalogue that scenarios have to kill. The crash sweep is what has to notice them, and proves
with them that it can.
"""

from __future__ import annotations

from typing import cast

from tck_driver.vocabulary import MailboxRef, RunOutcome
from tck_fakes.faults.changed import instead
from tck_fakes.faults.fault import Fault, Kind, Sabotage
from tck_fakes.faults.inside import unless
from tck_fakes.faults.register import Real
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerRuntime, Forge
from tck_simulator.reconciler import Reconciler
from tck_simulator.run import Ended, RunSequence
from tck_simulator.states import PUSHING
from tck_simulator.store import Store


def _always(*_given: object, **_named: object) -> bool:
    return True


class _Mute:
    """A tracker to which comments are lost, because they have been posted already."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge

    def __getattr__(self, name: str) -> object:
        return getattr(self._forge, name)

    def comment(self, mailbox: MailboxRef, text: str) -> None:
        """Post nothing."""


class _Blind:
    """A container runtime that finds nothing."""

    def __init__(self, runtime: ContainerRuntime) -> None:
        self._runtime = runtime

    def __getattr__(self, name: str) -> object:
        return getattr(self._runtime, name)

    def find(self, _label: str, _value: str | None) -> list[str]:
        """Find nothing."""
        return []


def _publishes_first(sabotage: Sabotage) -> None:
    def finish(real: Real, engine: Engine, live: LiveRun, ended: Ended) -> None:
        held = vars(engine)
        forge = cast("Forge", held["_forge"])
        if ended.outcome is RunOutcome.SUCCEEDED and live.phase not in PUSHING:
            forge.comment(live.mailbox.ref, ended.result.text)
            held["_forge"] = _Mute(forge)
        try:
            real(engine, live, ended)
        finally:
            held["_forge"] = forge

    sabotage.replace(Engine, "_finish", instead(finish))


def _leaves_containers(sabotage: Sabotage) -> None:
    sabotage.replace(Reconciler, "_containers", unless(_always))


def _leaves_worktrees(sabotage: Sabotage) -> None:
    sabotage.replace(Reconciler, "_worktrees", unless(_always))


def _forgets_ids(sabotage: Sabotage) -> None:
    def end(real: Real, *given: object, **named: object) -> None:
        real(*given, **{**named, "native_id": None})

    sabotage.replace(Store, "note_native_id", unless(_always))
    sabotage.replace(Store, "end_run", instead(end))


def _never_reclaims(sabotage: Sabotage) -> None:
    sabotage.replace(Engine, "_reclaim", unless(_always))


def _reclaims_beside(sabotage: Sabotage) -> None:
    def reclaim(real: Real, sequence: RunSequence, row: object) -> object:
        held = vars(sequence)
        runtime = cast("ContainerRuntime", held["_runtime"])
        held["_runtime"] = _Blind(runtime)
        try:
            return real(sequence, row)
        finally:
            held["_runtime"] = runtime

    sabotage.replace(RunSequence, "reclaim", instead(reclaim))


def _missing(name: str, requirement: str, sin: str, commit: object) -> Fault:
    return Fault(name, requirement, Kind.MISSING_EFFECT, sin, cast("Real", commit))


#: What only a crash shows.
AFTER_CRASH: tuple[Fault, ...] = (
    Fault("publishes-first", "FALLBACK-10", Kind.WRONG_MOMENT, "posts an answer, then notes it", _publishes_first),
    _missing("leaves-containers", "ISOLATE-6", "never sweeps orphaned containers", _leaves_containers),
    _missing("leaves-worktrees", "ISOLATE-6", "never sweeps orphaned worktrees", _leaves_worktrees),
    _missing("forgets-ids", "RESUME-15", "keeps no id of a run that died with it", _forgets_ids),
    _missing("never-reclaims", "CLEAN-6", "never takes an expired lease over", _never_reclaims),
    _missing("reclaims-beside", "RESUME-13", "lets a dead worker's container run on", _reclaims_beside),
)

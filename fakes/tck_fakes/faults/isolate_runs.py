"""Faults at the edges of a run: what is left when it ends, who stops its container, and who else writes its state."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from tck_driver.vocabulary import RunOutcome
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import cleaner_of, clock_of, first, layout_of, runtime_of, then, unless
from tck_fakes.faults.register import Real, fault
from tck_simulator import run
from tck_simulator.cleanup import Cleaner
from tck_simulator.contract import LlmResult
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerRuntime
from tck_simulator.reconciler import Reconciler
from tck_simulator.run import Ended, RunSequence

_PRIVATE_FILE = 0o600

# --- ISOLATE-6: what goes with a run, and what stays -----------------------------------------------------------------


@fault("worktree-left", "ISOLATE-6", Kind.MISSING_EFFECT, "leaves the worktree of a run that has ended")
def _worktree_left(sabotage: Sabotage) -> None:
    def holds(_cleaner: Cleaner, _path: Path, kind: str, *_: object) -> bool:
        return kind == "worktree"

    sabotage.replace(Cleaner, "remove", unless(holds, instead=True))


@fault("container-left", "ISOLATE-6", Kind.MISSING_EFFECT, "leaves the container of a run that has ended")
def _container_left(sabotage: Sabotage) -> None:
    def make(_: Real) -> Real:
        def clear(sequence: RunSequence, live: LiveRun, now: datetime) -> None:
            cleaner_of(sequence).remove(live.worktree, "worktree", now)

        return clear

    sabotage.replace(RunSequence, "clear", make)


@fault("container-of-refused-left", "ISOLATE-6", Kind.ONCE, "removes a run's last container, and not the refused one")
def _container_of_refused_left(sabotage: Sabotage) -> None:
    def forgotten(_sequence: RunSequence, live: LiveRun) -> None:
        live.container = ""

    sabotage.replace(RunSequence, "_start_afresh", first(forgotten))


def _clears_only(sabotage: Sabotage, holds: Callable[[Ended], bool]) -> None:
    """Let nothing be taken away at the end of some runs."""
    ends: list[Ended] = []

    def noted(_engine: Engine, _live: LiveRun, ended: Ended) -> None:
        ends.append(ended)

    def left(*_: object) -> bool:
        return bool(ends) and not holds(ends[-1])

    sabotage.replace(Engine, "_finish", first(noted))
    sabotage.replace(RunSequence, "clear", unless(left))


@fault("cleared-after-success", "ISOLATE-6", Kind.WRONG_SCOPE, "clears up after a run that succeeded, and no other")
def _cleared_after_success(sabotage: Sabotage) -> None:
    def holds(ended: Ended) -> bool:
        return ended.outcome is RunOutcome.SUCCEEDED

    _clears_only(sabotage, holds)


@fault("time-out-not-cleared", "ISOLATE-6", Kind.WRONG_SCOPE, "leaves worktree and container of a run that timed out")
def _time_out_not_cleared(sabotage: Sabotage) -> None:
    def holds(ended: Ended) -> bool:
        return ended.outcome is not RunOutcome.TIMED_OUT

    _clears_only(sabotage, holds)


@fault(
    "abandoned-not-cleared", "ISOLATE-6", Kind.MISSING_EFFECT, "leaves the worktree of a run whose lease was reclaimed"
)
def _abandoned_not_cleared(sabotage: Sabotage) -> None:
    reclaiming: list[bool] = []

    def make(real: Real) -> Real:
        def left_behind(*given: object) -> object:
            reclaiming.append(True)
            phases: object = real(*given)
            reclaiming.clear()
            return phases

        return left_behind

    def holds(_cleaner: Cleaner, _path: Path, kind: str, *_: object) -> bool:
        return bool(reclaiming) and kind == "worktree"

    sabotage.replace(Engine, "_end_left_behind", make)
    sabotage.replace(Cleaner, "remove", unless(holds, instead=True))


@fault("cleared-by-the-sweep", "ISOLATE-6", Kind.WRONG_MOMENT, "leaves worktree and container to the next sweep")
def _cleared_by_the_sweep(sabotage: Sabotage) -> None:
    waiting: list[Callable[[], None]] = []

    def make(real: Real) -> Real:
        def clear(*given: object) -> None:
            waiting.append(lambda: real(*given))

        return clear

    def swept(*_: object) -> None:
        while waiting:
            waiting.pop()()

    sabotage.replace(RunSequence, "clear", make)
    sabotage.replace(Reconciler, "sweep", first(swept))


def _state_removed(sabotage: Sabotage, holds: Callable[[Ended], bool]) -> None:
    def removed(engine: Engine, live: LiveRun, ended: Ended) -> None:
        if live.state is not None and holds(ended):
            cleaner_of(engine).remove(live.state, "session", clock_of(engine).now())

    sabotage.replace(Engine, "_finish", then(removed))


@fault("state-goes-with-the-run", "ISOLATE-6", Kind.EXTRA_EFFECT, "removes the session state at the end of every run")
def _state_goes_with_the_run(sabotage: Sabotage) -> None:
    def holds(_ended: Ended) -> bool:
        return True

    _state_removed(sabotage, holds)


@fault("state-goes-after-failure", "ISOLATE-6", Kind.EXTRA_EFFECT, "removes the session state after a run that failed")
def _state_goes_after_failure(sabotage: Sabotage) -> None:
    def holds(ended: Ended) -> bool:
        return ended.outcome is not RunOutcome.SUCCEEDED

    _state_removed(sabotage, holds)


# --- ISOLATE-12: the container is stopped, and its end waited for ----------------------------------------------------


def _runs_on(sabotage: Sabotage, holds: Callable[[LiveRun], bool]) -> None:
    """Let a run time out without a word to its container, as when only the client that started it is killed."""

    def make(real: Real) -> Real:
        def poll(sequence: RunSequence, live: LiveRun) -> Ended | None:
            late = clock_of(sequence).now() >= live.deadline and live.adapter is not None
            state = runtime_of(sequence).poll(live.container)
            if late and not state.ended and holds(live):
                live.container = ""
                return Ended(RunOutcome.TIMED_OUT, sequence.result(live, state))
            ended: Ended | None = real(sequence, live)
            return ended

        return poll

    sabotage.replace(RunSequence, "poll", make)


@fault("runs-on-after-time-out", "ISOLATE-12", Kind.MISSING_EFFECT, "does not stop the container at a time-out")
def _runs_on_after_time_out(sabotage: Sabotage) -> None:
    def holds(_live: LiveRun) -> bool:
        return True

    _runs_on(sabotage, holds)


@fault("fresh-start-runs-on", "ISOLATE-12", Kind.ONCE, "stops a run's first container at a time-out, not its second")
def _fresh_start_runs_on(sabotage: Sabotage) -> None:
    def holds(live: LiveRun) -> bool:
        return live.leg > 1

    _runs_on(sabotage, holds)


@fault("plain-run-runs-on", "ISOLATE-12", Kind.WRONG_SCOPE, "stops containers with a session mount, and no others")
def _plain_run_runs_on(sabotage: Sabotage) -> None:
    def holds(live: LiveRun) -> bool:
        return live.state is None

    _runs_on(sabotage, holds)


@fault(
    "stopped-too-late", "ISOLATE-12", Kind.WRONG_MOMENT, "stops a container that timed out once the next has started"
)
def _stopped_too_late(sabotage: Sabotage) -> None:
    waiting: list[str] = []

    def make(real: Real) -> Real:
        def poll(sequence: RunSequence, live: LiveRun) -> Ended | None:
            container, state = live.container, runtime_of(sequence).poll(live.container)
            if live.adapter is None or state.ended or clock_of(sequence).now() < live.deadline:
                ended: Ended | None = real(sequence, live)
                return ended
            waiting.append(container)
            live.container = ""
            return Ended(RunOutcome.TIMED_OUT, sequence.result(live, state))

        return poll

    def stopped(sequence: RunSequence, _live: LiveRun) -> None:
        while waiting:
            runtime_of(sequence).remove(waiting.pop())

    sabotage.replace(RunSequence, "poll", make)
    sabotage.replace(RunSequence, "_start", then(stopped))


class _BlindRuntime:
    """A container runtime that, where it is to, finds nothing by a label."""

    def __init__(self, real: ContainerRuntime, blind: Callable[[], bool]) -> None:
        self._real = real
        self._blind = blind

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)

    def find(self, label: str, value: str | None) -> Sequence[str]:
        """Give the containers of this label, or none."""
        return () if self._blind() else self._real.find(label, value)


def _cancelled_alone(sabotage: Sabotage, holds: Callable[[], bool]) -> None:
    """Let runs be cancelled without a word to their containers."""

    def make(real: Real) -> Real:
        def stop(sequence: RunSequence, live: LiveRun) -> LlmResult:
            if holds():
                result = sequence.result(live, runtime_of(sequence).poll(live.container))
                live.container = ""
            else:
                result = real(sequence, live)
            return result

        return stop

    def blinded(engine: Engine, **_: object) -> None:
        vars(engine)["_runtime"] = _BlindRuntime(runtime_of(engine), holds)

    sabotage.replace(RunSequence, "stop", make)
    sabotage.replace(Engine, "__init__", then(blinded))


@fault("runs-on-when-cancelled", "ISOLATE-12", Kind.MISSING_EFFECT, "does not stop the container of a cancelled run")
def _runs_on_when_cancelled(sabotage: Sabotage) -> None:
    def holds() -> bool:
        return True

    _cancelled_alone(sabotage, holds)


@fault(
    "sweep-stops-nothing", "ISOLATE-12", Kind.WRONG_SCOPE, "does not stop the container where the sweep ends the issue"
)
def _sweep_stops_nothing(sabotage: Sabotage) -> None:
    sweeping: list[bool] = []

    def begun(*_: object) -> None:
        sweeping.append(True)

    def ended(*_: object) -> None:
        sweeping.clear()

    def holds(*_: object) -> bool:
        return bool(sweeping)

    sabotage.replace(Reconciler, "sweep", first(begun))
    sabotage.replace(Reconciler, "sweep", then(ended))
    sabotage.replace(Reconciler, "_containers", unless(holds))
    _cancelled_alone(sabotage, holds)


# --- ISOLATE-13: nobody but the CLI writes there ---------------------------------------------------------------------


@fault("id-written-down", "ISOLATE-13", Kind.EXTRA_EFFECT, "writes the name of the session into the state directory")
def _id_written_down(sabotage: Sabotage) -> None:
    def written(state: Path) -> None:
        (state / ".session").write_text(json.dumps({"directory": state.parent.name}), encoding="utf-8")

    sabotage.replace(run, "prepare", then(written))


@fault("damaged-moved-away", "ISOLATE-13", Kind.EXTRA_EFFECT, "moves a session that was refused out of the way")
def _damaged_moved_away(sabotage: Sabotage) -> None:
    def moved(_sequence: RunSequence, live: LiveRun) -> None:
        for path in () if live.state is None else tuple(live.state.rglob("*")):
            if path.is_file() and not path.is_symlink():
                path.rename(f"{path}.bak")

    sabotage.replace(RunSequence, "_start_afresh", first(moved))


@fault("session-repaired", "ISOLATE-13", Kind.WRONG_VALUE, "ends a cut-off file with a line break before it resumes")
def _session_repaired(sabotage: Sabotage) -> None:
    def repaired(state: Path) -> None:
        for path in state.rglob("*"):
            if path.is_file() and not path.is_symlink() and not path.read_bytes().endswith(b"\n"):
                with path.open("ab") as file:
                    file.write(b"\n")

    sabotage.replace(run, "prepare", then(repaired))


@fault("modes-of-files-set", "ISOLATE-13", Kind.WRONG_SCOPE, "sets the mode of every file in the state directory")
def _modes_of_files_set(sabotage: Sabotage) -> None:
    def made_private(state: Path) -> None:
        for path in state.rglob("*"):
            if path.is_file() and not path.is_symlink():
                path.chmod(_PRIVATE_FILE)

    sabotage.replace(run, "prepare", then(made_private))


@fault("state-touched-by-sweep", "ISOLATE-13", Kind.EXTRA_EFFECT, "touches the files of every session at each sweep")
def _state_touched_by_sweep(sabotage: Sabotage) -> None:
    def touched(reconciler: Reconciler, _now: datetime) -> None:
        for path in layout_of(reconciler).sessions.rglob("*"):
            if path.is_file() and not path.is_symlink():
                path.touch()

    sabotage.replace(Reconciler, "sweep", then(touched))

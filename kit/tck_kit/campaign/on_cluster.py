"""Units on the workers of a cluster: who has which in hand, whose worker was lost, and when it is over.

Which worker executes a unit is decided here and not by the scheduler of the cluster: only workers that were looked at
are given any, one that joins later is looked at first, and of one that is lost it is known what it had in hand.
"""

from __future__ import annotations

import queue
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, cast

from tck_kit.campaign import hand
from tck_kit.campaign.alone import judged
from tck_kit.campaign.apart import GRACE, Answer, packed, unpacked
from tck_kit.campaign.fitness import Facts, Suites, facts, misfit
from tck_kit.campaign.units import Ended, Harvest, Order, Result, Unit, Watch, collected, failure, refuse_doubled
from tck_kit.faults import UsageFault

#: How many workers a unit may lose before it is given up: it may well be what brings them down.
MOST_LOSSES = 3
#: Seconds between two looks at which workers there are.
LOOK = 0.5
#: Seconds for the first worker to come, and for another one where all were lost.
PATIENCE = 5.0
PATIENCE_FOR_ANOTHER = 30.0


class ClusterLost(Exception):  # noqa: N818 -- named as the faults of the kit are
    """The scheduler of the cluster is gone."""


class WorkerLost(Exception):  # noqa: N818 -- the same
    """The worker that had a unit in hand is gone, or the unit's result with it."""


class Handle(Protocol):
    """Something that was handed to a worker."""

    def result(self) -> object:
        """Give what came of it once it is done. Raises `WorkerLost`, or whatever went wrong."""
        ...

    def drop(self) -> None:
        """Want it no longer."""
        ...


class Cluster(Protocol):
    """The workers that can be reached. Every call may raise `ClusterLost`."""

    @property
    def shown(self) -> str:
        """What a person calls it."""
        ...

    def workers(self) -> Mapping[str, int]:
        """Give the addresses of the workers that there are now, and how many things each can be given at a time."""
        ...

    def versions(self) -> Mapping[str, Mapping[str, str]]:
        """Give the versions of `python` and `session-tck` of each worker, as far as it can tell."""
        ...

    def ask(
        self, function: Callable[..., object], argument: object, workers: Sequence[str], seconds: float
    ) -> Mapping[str, object]:
        """Call a function on each of these workers at once, and wait so long; what one raises is its answer."""
        ...

    def submit(
        self, worker: str, done: Callable[[Handle], None], function: Callable[..., object], *arguments: object
    ) -> Handle:
        """Have a worker call a function, and call `done` with what is given here when it has ended in any way."""
        ...


@dataclass(frozen=True, slots=True)
class OnCluster:
    """Executes units on a cluster's workers."""

    cluster: Cluster
    suites: Suites
    #: What a worker has to have; without it, what this process has.
    here: Facts | None = None

    def perform(
        self,
        function: Callable[[Order], Result],
        units: Sequence[Unit[Order]],
        *,
        watch: Watch,
        seconds: float | None = None,
    ) -> Harvest[Result]:
        """Call the function with what each unit holds, on whichever worker is free."""
        refuse_doubled(units)
        here = self.here or facts(self.suites)
        try:
            fit = self._first_workers(here)
        except ClusterLost as fault:
            raise UsageFault(
                f"the scheduler is gone: {fault}", f"--cluster {self.cluster.shown}", "start it, and run again"
            ) from fault
        campaign: _Campaign[Order, Result] = _Campaign(self.cluster, self.suites, here, function, units, watch)
        return campaign.perform(fit, seconds)

    def _first_workers(self, here: Facts) -> set[str]:
        """Wait for a worker, and refuse to begin where one would give something else than this process."""
        where = f"--cluster {self.cluster.shown}"
        latest = time.monotonic() + PATIENCE
        while not (there := self.cluster.workers()):
            if time.monotonic() > latest:
                raise UsageFault("it has no workers", where, f"start some: dask worker {self.cluster.shown}")
            time.sleep(LOOK / 5)
        complaints = looked_at(self.cluster, self.suites, here, sorted(there))
        wrong = [f"worker {worker}: {what}" for worker, what in complaints.items() if what is not None]
        if wrong:
            raise UsageFault("; ".join(wrong), where, "install the same there as here, and start the workers again")
        return set(there)


def looked_at(cluster: Cluster, suites: Suites, here: Facts, workers: Sequence[str]) -> dict[str, str | None]:
    """Say of each worker why it cannot be used; None where it can.

    Versions come first, since a worker of another Python or kit may not even understand what it is asked.
    """
    versions = cluster.versions()
    complaints: dict[str, str | None] = {}
    for worker in workers:
        held = versions.get(worker, {})
        kit, python = held.get("session-tck", ""), ".".join(held.get("python", "").split(".")[:2])
        if not kit:
            complaints[worker] = f"it has no session-tck, and {here.kit} is needed"
        else:
            complaints[worker] = misfit(here, Facts(kit, python, here.specification, here.scenarios))
    able = [worker for worker in workers if complaints[worker] is None]
    said: Mapping[str, object] = cluster.ask(hand.look, suites, able, hand.LONGEST_LOOK + 10) if able else {}
    for worker in able:
        there = said.get(worker, "it did not answer")
        if isinstance(there, Facts):
            complaints[worker] = misfit(here, there)
        else:
            complaints[worker] = f"it cannot be looked at: {there}"
    return complaints


@dataclass(frozen=True, slots=True)
class _InHand:
    """A unit that a worker has in hand."""

    at: int
    worker: str
    since: float


@dataclass(slots=True)
class _Campaign(Generic[Order, Result]):
    """One campaign, from its first unit to its harvest."""

    cluster: Cluster
    suites: Suites
    here: Facts
    function: Callable[[Order], Result]
    units: Sequence[Unit[Order]]
    watch: Watch
    _name: str = field(default_factory=lambda: secrets.token_hex(8))
    _fit: set[str] = field(default_factory=set[str])
    _unfit: set[str] = field(default_factory=set[str])
    _threads: Mapping[str, int] = field(default_factory=dict[str, int])
    _waiting: deque[int] = field(default_factory=deque[int])
    _in_hand: dict[Handle, _InHand] = field(default_factory=dict[Handle, _InHand])
    _came: queue.Queue[Handle] = field(default_factory=queue.Queue[Handle])
    _losses: Counter[int] = field(default_factory=Counter[int])
    _ended: list[Ended[Result]] = field(default_factory=list[Ended[Result]])
    _last_seen: float = 0.0

    def perform(self, fit: set[str], seconds: float | None) -> Harvest[Result]:
        """Execute everything, or as much as there is time and there are workers for."""
        self._fit = fit
        self._waiting.extend(range(len(self.units)))
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            cut_short = self._all(deadline, seconds)
        except KeyboardInterrupt:
            cut_short = "interrupted"
        except ClusterLost as fault:
            cut_short = "the scheduler of the cluster was lost"
            self.watch.told(f"{cut_short}: {' '.join(str(fault).split())}")
        except BaseException:
            self._end()
            raise
        if self._in_hand:
            self._end()
        return collected([unit.name for unit in self.units], self._ended, cut_short)

    def _all(self, deadline: float | None, seconds: float | None) -> str | None:
        self._last_seen = time.monotonic()
        latest_look = 0.0
        while self._waiting or self._in_hand:
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                return f"the time limit of {seconds:g} s was reached"
            if now - latest_look >= LOOK:
                self._look()
                latest_look = now
            if not self._in_hand and now - self._last_seen > PATIENCE_FOR_ANOTHER:
                return f"no worker was left for {PATIENCE_FOR_ANOTHER:g} s"
            self._hand_out(deadline)
            try:
                self._take(self._came.get(timeout=LOOK))
            except queue.Empty:
                continue
        return None

    def _look(self) -> None:
        """See which workers are gone, and look at those that have come."""
        self._threads = self.cluster.workers()
        for worker in sorted(self._fit - self._threads.keys()):
            self._fit.discard(worker)
            mine = [handle for handle, one in self._in_hand.items() if one.worker == worker]
            if not mine:
                self.watch.told(f"worker {worker} is gone; it had nothing in hand")
            for handle in mine:
                self._lost(handle)
        came = sorted(self._threads.keys() - self._fit - self._unfit)
        for worker, what in (looked_at(self.cluster, self.suites, self.here, came) if came else {}).items():
            if what is None:
                self._fit.add(worker)
                self.watch.told(f"worker {worker} has come")
            elif worker in self.cluster.workers():
                self._unfit.add(worker)
                self.watch.told(f"worker {worker} has come and is left out: {what}")
        if any(self._threads.get(worker, 0) for worker in self._fit):
            self._last_seen = time.monotonic()

    def _hand_out(self, deadline: float | None) -> None:
        """Give each worker as much as it can do at a time, and no more, so that none waits while another has much."""
        busy = Counter(one.worker for one in self._in_hand.values())
        free = [worker for worker in sorted(self._fit) for _ in range(self._threads.get(worker, 0) - busy[worker])]
        # One for each worker, before a second one for any.
        free.sort(key=lambda worker: busy[worker])
        for worker in free:
            if not self._waiting:
                return
            at = self._waiting.popleft()
            now = time.monotonic()
            left = None if deadline is None else max(deadline - now, 0.0)
            call = packed(self.function, self.units[at].order)
            handle = self.cluster.submit(worker, self._came.put, hand.do, self._name, call, left)
            self._in_hand[handle] = _InHand(at, worker, now)

    def _take(self, handle: Handle) -> None:
        """Take in what a unit came to."""
        one = self._in_hand.get(handle)
        if one is None:
            return
        name, seconds = self.units[one.at].name, time.monotonic() - one.since
        try:
            answer: Answer[Result] = unpacked(cast("bytes", handle.result()))
        except WorkerLost:
            self._lost(handle)
            return
        except ClusterLost:
            raise
        except Exception as fault:  # noqa: BLE001 -- whatever it is, it is an error of this unit alone
            self._done(handle, failure(name, type(fault).__name__, str(fault), seconds))
            return
        if answer.stopped:
            # Its time was up there a moment before it is here.
            self._waiting.appendleft(self._in_hand.pop(handle).at)
            handle.drop()
            return
        self._done(handle, judged(name, answer, seconds))

    def _done(self, handle: Handle, ended: Ended[Result]) -> None:
        del self._in_hand[handle]
        handle.drop()
        self._ended.append(ended)
        self.watch.ended(ended, len(self._ended), len(self.units))

    def _lost(self, handle: Handle) -> None:
        """Begin a unit again whose worker is gone; give it up where that goes on and on."""
        one = self._in_hand[handle]
        name = self.units[one.at].name
        self._losses[one.at] += 1
        lost = self._losses[one.at]
        if lost >= MOST_LOSSES:
            self._done(handle, failure(name, "WorkerLost", f"the worker that executed it was lost {lost} times"))
            return
        del self._in_hand[handle]
        handle.drop()
        self._waiting.appendleft(one.at)
        self.watch.told(f"worker {one.worker} is gone; {name} begins again ({lost} of {MOST_LOSSES - 1} times)")

    def _end(self) -> None:
        """End what is at work. Workers of a scheduler that is gone end theirs in time; so they do on another Ctrl-C."""
        workers = sorted({one.worker for one in self._in_hand.values()})
        try:
            for handle in self._in_hand:
                handle.drop()
            self.cluster.ask(hand.end, self._name, workers, GRACE + 5)
        except (ClusterLost, KeyboardInterrupt):
            return

"""A cluster in memory: what its workers say, when they come and go, and what becomes of what they have in hand."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tck_kit.campaign import hand
from tck_kit.campaign.apart import GRACE, Answer
from tck_kit.campaign.fitness import Facts, Suites, facts
from tck_kit.campaign.on_cluster import ClusterLost, Handle, WorkerLost

HERE = facts(Suites())
#: What may become of a unit on a worker, instead of being executed.
LOSE_WORKER, LOSE_RESULT, HANG, LOSE_SCHEDULER, STOP = "lose worker", "lose result", "hang", "lose scheduler", "stop"


@dataclass(eq=False)
class FakeHandle:
    """Something that a fake worker has in hand."""

    cluster: FakeCluster
    worker: str
    gave: object
    dropped: bool = False

    def result(self) -> object:
        """Give it, or raise it."""
        if isinstance(self.gave, Exception):
            raise self.gave
        return self.gave

    def drop(self) -> None:
        """Take note of it."""
        self.dropped = True


@dataclass
class FakeCluster:
    """Workers with so many threads each. `fates` say what becomes of the next units that a worker is given."""

    threads: dict[str, int]
    fates: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    said: dict[str, Facts | str] = field(default_factory=dict[str, Facts | str])
    pretended: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    #: Workers that come when one is lost.
    reserve: dict[str, int] = field(default_factory=dict[str, int])
    executed: list[str] = field(default_factory=list[str])
    most_in_hand: dict[str, int] = field(default_factory=dict[str, int])
    ended: list[Sequence[str]] = field(default_factory=list[Sequence[str]])
    lost: bool = False
    _handles: list[FakeHandle] = field(default_factory=list[FakeHandle])

    @property
    def shown(self) -> str:
        """What a person calls it."""
        return "tcp://fake:1"

    def workers(self) -> Mapping[str, int]:
        """Give those that there are."""
        if self.lost:
            raise ClusterLost("it was switched off")
        return dict(self.threads)

    def versions(self) -> Mapping[str, Mapping[str, str]]:
        """Say what is true, or pretended."""
        true = {"python": f"{HERE.python}.99.final.0", "session-tck": HERE.kit}
        return {worker: self.pretended.get(worker, true) for worker in self.threads}

    def ask(
        self, function: Callable[..., object], argument: object, workers: Sequence[str], seconds: float
    ) -> Mapping[str, object]:
        """Say what a worker is, or take note that it was told to end."""
        assert seconds > GRACE
        if function is hand.look:
            return {worker: self.said.get(worker, HERE) for worker in workers}
        assert isinstance(argument, str)
        self.ended.append(workers)
        return {}

    def submit(
        self, worker: str, done: Callable[[Handle], None], function: Callable[..., object], *arguments: object
    ) -> Handle:
        """Execute a unit here and now, unless its fate is another."""
        assert function is hand.do
        assert worker in self.threads
        _, call, _ = arguments
        assert isinstance(call, bytes)
        fates = self.fates.get(worker, [])
        fate = fates.pop(0) if fates else ""
        handle = FakeHandle(self, worker, None)
        self._handles.append(handle)
        in_hand = sum(one.worker == worker and not one.dropped for one in self._handles)
        self.most_in_hand[worker] = max(in_hand, self.most_in_hand.get(worker, 0))
        self._befall(handle, fate, call)
        if fate not in {HANG, LOSE_WORKER}:
            done(handle)
        return handle

    def _befall(self, handle: FakeHandle, fate: str, call: bytes) -> None:
        match fate:
            case "lose worker":
                del self.threads[handle.worker]
                self.threads |= self.reserve
                self.reserve = {}
            case "lose result":
                handle.gave = WorkerLost("it went with its worker")
            case "lose scheduler":
                self.lost = True
                handle.gave = ClusterLost("it was switched off")
            case "stop":
                handle.gave = pickle.dumps(Answer(stopped=True))
            case "hang":
                pass
            case _:
                function, order = pickle.loads(call)  # noqa: S301 -- made here
                handle.gave = pickle.dumps(Answer(function(order)))
                self.executed.append(handle.worker)

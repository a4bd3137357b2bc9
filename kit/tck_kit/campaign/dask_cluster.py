"""The one place that knows dask.distributed: a scheduler that runs already, or one with its workers on this machine."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import tempfile
import threading
from asyncio import CancelledError as AsyncCancelledError
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any, TypeVar, cast

from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker

from tck_kit.campaign.on_cluster import ClusterLost, Handle, WorkerLost
from tck_kit.faults import UsageFault
from tck_kit.workers import memory_folder

T = TypeVar("T")
#: Most of distributed carries no types.
_CLIENT: Any = Client
_LOCAL_CLUSTER: Any = LocalCluster
#: Seconds for a scheduler to answer at all.
CONNECTION = 5
#: Seconds for scheduler and workers to answer.
_ANSWER = 30.0
#: Seconds to bring a result from its worker, which may go at this very moment.
_RESULT = 30.0
_LOOPBACK = "127.0.0.1"


class DaskHandle:
    """A call that a worker has in hand."""

    def __init__(self, client: Any, future: Any) -> None:  # noqa: ANN401 -- distributed's own, which has no types
        """Hold what distributed gave."""
        self._client = client
        self._future = future

    def result(self) -> object:
        """Give what came of it."""
        if self._future.status == "error":
            fault = self._future.exception(timeout=_RESULT)
            raise WorkerLost(str(fault)) if isinstance(fault, KilledWorker) else fault
        try:
            return cast("object", self._future.result(timeout=_RESULT))
        except (CancelledError, AsyncCancelledError, TimeoutError, OSError) as fault:
            if self._client.status != "running":
                raise ClusterLost(str(fault)) from fault
            raise WorkerLost(str(fault)) from fault

    def drop(self) -> None:
        """Let the cluster forget it."""
        with suppress(Exception):
            self._future.cancel(force=True)


class DaskCluster:
    """The workers of a scheduler."""

    def __init__(self, client: Any, shown: str) -> None:  # noqa: ANN401 -- as above
        """Hold a client that is connected."""
        self._client = client
        self._shown = shown

    @property
    def shown(self) -> str:
        """What stands behind --cluster."""
        return self._shown

    def workers(self) -> Mapping[str, int]:
        """Give the workers with their threads; one that is to get nothing more has none."""
        # Not by scheduler_info, in which a refresh of the client's own can leave out every worker at any moment.
        there = self._soon(lambda: self._client.sync(self._client.scheduler.ncores, workers=None))
        running = self._soon(lambda: self._client.sync(self._client.scheduler.ncores_running, workers=None))
        return {worker: int(running.get(worker, 0)) for worker in there}

    def versions(self) -> Mapping[str, Mapping[str, str]]:
        """Give the versions that each worker says."""
        said = self._soon(lambda: self._client.get_versions(packages=["session-tck"]))
        packages = {worker: about.get("packages", {}) for worker, about in said["workers"].items()}
        return {worker: {name: held for name, held in one.items() if held} for worker, one in packages.items()}

    def ask(
        self, function: Callable[..., object], argument: object, workers: Sequence[str], seconds: float
    ) -> Mapping[str, object]:
        """Call a function beside the work of these workers."""

        def ask() -> object:
            return self._client.run(function, argument, workers=list(workers), on_error="return")

        return cast("Mapping[str, object]", self._soon(ask, seconds))

    def submit(
        self, worker: str, done: Callable[[Handle], None], function: Callable[..., object], *arguments: object
    ) -> Handle:
        """Hand a call to this worker and to no other."""
        if self._client.status != "running":
            raise ClusterLost("the connection has ended")
        future = self._client.submit(
            function,
            *arguments,
            key=f"session-tck-{secrets.token_hex(8)}",
            workers=[worker],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        handle = DaskHandle(self._client, future)

        def has_ended(_: object) -> None:
            done(handle)

        future.add_done_callback(has_ended)
        return handle

    def _soon(self, ask: Callable[[], Any], seconds: float = _ANSWER) -> Any:  # noqa: ANN401 -- whatever is answered
        """Ask, and do not wait for ever."""
        try:
            return _in_time(ask, seconds)
        except Exception as fault:
            raise ClusterLost(f"{type(fault).__name__}: {fault}") from fault


def _in_time(ask: Callable[[], T], seconds: float) -> T:
    """Give what a call gives, or raise what it raises; it may take so long, since who hangs keeps his connection."""
    answers: list[T] = []
    faults: list[Exception] = []

    def call() -> None:
        try:
            answers.append(ask())
        except Exception as fault:  # noqa: BLE001 -- raised again where it was asked
            faults.append(fault)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    if faults:
        raise faults[0]
    if not answers:
        raise TimeoutError(f"no answer in {seconds:g} s")
    return answers[0]


@contextmanager
def existing(address: str) -> Generator[DaskCluster]:
    """Connect to a scheduler. Raises `UsageFault` where there is none."""
    try:
        client = _in_time(lambda: _CLIENT(address, timeout=CONNECTION, set_as_default=False), CONNECTION + 1)
    except Exception as fault:
        raise UsageFault(
            f"no scheduler answers there in {CONNECTION} s",
            f"--cluster {address}",
            "start one (dask scheduler), or give local:2 for two workers on this machine",
        ) from fault
    _hush()
    try:
        yield DaskCluster(client, address)
    finally:
        with suppress(Exception):
            client.close(timeout=CONNECTION)


@contextmanager
def local(count: int) -> Generator[DaskCluster]:
    """Start a scheduler and so many workers, each a process of one thread, that listen on this machine alone."""
    with ExitStack() as held:
        scratch = held.enter_context(
            tempfile.TemporaryDirectory(
                prefix=f"session-tck-{os.getpid()}-", dir=memory_folder(), ignore_cleanup_errors=True
            )
        )
        with _deaf_to_interrupts():
            cluster: Any = _LOCAL_CLUSTER(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                host=_LOOPBACK,
                scheduler_kwargs={"dashboard": False, "dashboard_address": f"{_LOOPBACK}:0"},
                worker_dashboard_address=None,
                silence_logs=logging.CRITICAL,
                memory_limit=0,
                local_directory=scratch,
            )
        held.callback(cluster.close, timeout=CONNECTION)
        _hush()
        client: Any = _CLIENT(cluster, timeout=CONNECTION, set_as_default=False)
        held.callback(client.close, timeout=CONNECTION)
        yield DaskCluster(client, f"local:{count}")


@contextmanager
def _deaf_to_interrupts() -> Generator[None]:
    """Start what is started here with SIGINT blocked, which is inherited.

    Ctrl-C goes to every process of a terminal. The workers must outlive it, for they are told to end what they have in
    hand; and it has to come to the main thread, not to that of distributed's loop.
    """
    # It would be started with the first worker, and unblock the signal for that one.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hush() -> None:
    """Keep distributed's own log from the terminal: what a person should know of lost workers is told in our words."""
    for name in ("distributed", "distributed.client"):
        for handler in logging.getLogger(name).handlers:
            handler.setLevel(logging.CRITICAL)

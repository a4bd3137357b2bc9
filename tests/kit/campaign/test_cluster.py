"""A scheduler and workers as separate processes: whatever befalls them, what comes of a campaign is the same."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tck_kit import assets
from tck_kit.campaign import dask_cluster
from tck_kit.campaign.alone import Alone
from tck_kit.campaign.choice import executor
from tck_kit.campaign.fitness import Suites
from tck_kit.campaign.on_cluster import OnCluster
from tck_kit.campaign.units import Executor, Harvest, Unit
from tck_kit.faults import UsageFault

from .conftest import Dask, Seen, is_gone, until
from .errands import begun, double, refuse, units


@contextmanager
def sharing(dask: Dask, workers: int) -> Generator[Executor]:
    """Give an executor on the scheduler once it has so many workers."""
    with executor(dask.address, Suites()) as work:
        assert isinstance(work, OnCluster)
        until(lambda: len(work.cluster.workers()) == workers, f"{workers} workers")
        yield work


def killing(folder: Path, kill: Callable[[int], None], ready: Callable[[], int | None]) -> threading.Thread:
    """Kill the worker that `ready` gives, see the process of its unit go with it, and let all others go on."""

    def act() -> None:
        until(lambda: ready() is not None, "a unit in hand")
        worker = ready() or 0
        process = next(pid for _, pid, waits in begun(folder) if waits == worker)
        kill(worker)
        until(lambda: is_gone(process), "the process of the unit to go with its worker")
        (folder / "go").touch()

    thread = threading.Thread(target=act)
    thread.start()
    return thread


def plain(harvest: Harvest[int]) -> list[tuple[str, str, int | None, str, str]]:
    """Give what can be compared."""
    return [(one.name, one.state, one.result, one.kind, one.text) for one in harvest.ended]


def test_a_worker_that_is_killed_with_a_unit_in_hand_costs_nothing(dask: Dask, seen: Seen, tmp_path: Path) -> None:
    doomed = dask.worker()

    def both_at_work() -> int | None:
        held = {waits for _, _, waits in begun(tmp_path)}
        return doomed if doomed in held and len(held) == 2 else None

    with sharing(dask, 2) as work:
        killer = killing(tmp_path, dask.kill, both_at_work)
        harvest = work.perform(double, units(5, tmp_path), watch=seen)
        killer.join()

    assert harvest.cut_short is None
    assert plain(harvest) == plain(Alone(apart=False).perform(double, units(5), watch=Seen()))
    lost = {number for number, _, waits in begun(tmp_path) if waits == doomed}
    assert len(lost) == 1
    assert any(f"is gone; errand {lost.pop()} begins again (1 of 2 times)" in text for text in seen.texts)


def test_a_killed_worker_on_this_machine_is_replaced_and_the_replacement_looked_at(seen: Seen, tmp_path: Path) -> None:
    def at_work() -> int | None:
        return next((waits for _, _, waits in begun(tmp_path)), None)

    killer = killing(tmp_path, lambda pid: os.kill(pid, signal.SIGKILL), at_work)
    with executor("local:1", Suites()) as work:
        harvest = work.perform(double, units(2, tmp_path), watch=seen)
    killer.join()

    assert plain(harvest) == plain(Alone(apart=False).perform(double, units(2), watch=Seen()))
    assert [text.split(" ", 2)[2] for text in seen.texts] == [
        "is gone; errand 0 begins again (1 of 2 times)",
        "has come",
    ]


def test_a_worker_of_another_version_is_refused_by_name_before_anything_is_executed(
    dask: Dask, seen: Seen, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(PRETENDED, encoding="utf-8")
    other = dask.worker(PYTHONPATH=str(tmp_path))

    with sharing(dask, 2) as work, pytest.raises(UsageFault) as caught:
        work.perform(double, units(1, tmp_path), watch=seen)
    dask.kill(other)

    (message,) = str(caught.value).splitlines()
    assert message.startswith(f"--cluster {dask.address}: worker tcp://127.0.0.1:")
    assert f"it has session-tck 0.0.9, not {assets.version()}; install the same" in message
    assert message.count("worker tcp://") == 1
    assert begun(tmp_path) == []


PRETENDED = """\
import importlib.metadata
real = importlib.metadata.version
importlib.metadata.version = lambda name: "0.0.9" if name == "session-tck" else real(name)
"""


def test_a_unit_that_raises_on_a_worker_is_an_error_of_that_unit(dask: Dask, seen: Seen) -> None:
    with sharing(dask, 1) as work:
        harvest = work.perform(refuse, [Unit(f"number {one}", one) for one in (0, 1, 2)], watch=seen)

    assert plain(harvest) == [
        ("number 0", "done", 0, "", ""),
        ("number 1", "failed", None, "ValueError", "1 is odd"),
        ("number 2", "done", 2, "", ""),
    ]
    assert seen.names == ["number 0", "number 1", "number 2"]


def test_what_is_at_work_when_the_time_is_up_is_ended(dask: Dask, seen: Seen, tmp_path: Path) -> None:
    with sharing(dask, 1) as work:
        harvest = work.perform(double, units(2, tmp_path), watch=seen, seconds=2)

    assert harvest.cut_short == "the time limit of 2 s was reached"
    assert [one.state for one in harvest.ended] == ["not run", "not run"]
    assert all(is_gone(pid) for _, pid, _ in begun(tmp_path))


def test_ctrl_c_ends_everything_and_keeps_what_is_finished(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.kit.campaign.program", "local:2", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until(lambda: len(begun(tmp_path)) == 2 or process.poll() is not None, "both workers to be at work")
        # As a terminal does: to every process of the group.
        os.killpg(process.pid, signal.SIGINT)
        said, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()

    assert (said.strip(), errors) == ("[2, None, None] interrupted", "")
    assert len(begun(tmp_path)) == 2
    assert all(is_gone(pid) and is_gone(worker) for _, pid, worker in begun(tmp_path))


def test_a_scheduler_that_is_not_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECTION", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(UsageFault, match=r"no scheduler answers there in 0\.5 s; start one") as caught,
            executor(address, Suites()),
        ):
            pass
    assert str(caught.value).startswith(f"--cluster {address}: ")


def test_somebody_else_at_the_address_is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECTION", 0.5)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(UsageFault, match="no scheduler answers there"), executor(address, Suites()):
            pass

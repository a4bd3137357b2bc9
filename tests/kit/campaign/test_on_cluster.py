"""Who is given what, and what becomes of it when workers come and go: with a cluster in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tck_kit.campaign import on_cluster
from tck_kit.campaign.alone import Alone
from tck_kit.campaign.fitness import Facts, Suites
from tck_kit.campaign.on_cluster import Cluster, OnCluster
from tck_kit.campaign.units import Harvest
from tck_kit.faults import UsageFault

from .conftest import Seen
from .errands import double, units
from .fake_cluster import HANG, HERE, LOSE_RESULT, LOSE_SCHEDULER, LOSE_WORKER, STOP, FakeCluster

A, B, C = "tcp://a:1", "tcp://b:2", "tcp://c:3"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nothing longer than a moment."""
    monkeypatch.setattr(on_cluster, "LOOK", 0.01)
    monkeypatch.setattr(on_cluster, "PATIENCE", 0.05)
    monkeypatch.setattr(on_cluster, "PATIENCE_FOR_ANOTHER", 0.05)


def perform(cluster: Cluster, count: int, seen: Seen, seconds: float | None = None) -> Harvest[int]:
    return OnCluster(cluster, Suites(), HERE).perform(double, units(count), watch=seen, seconds=seconds)


def results(harvest: Harvest[int]) -> list[int | None]:
    return [one.result for one in harvest.ended]


def test_each_worker_has_as_much_in_hand_as_it_does_at_a_time(seen: Seen) -> None:
    cluster = FakeCluster({A: 2, B: 1})

    harvest = perform(cluster, 9, seen)

    assert (results(harvest), harvest.cut_short) == ([2 * one for one in range(9)], None)
    assert cluster.most_in_hand == {A: 2, B: 1}
    assert seen.texts == []


def test_a_unit_begins_again_when_its_worker_is_lost_or_its_result(seen: Seen) -> None:
    cluster = FakeCluster({A: 1, B: 1}, {A: [LOSE_WORKER], B: [LOSE_RESULT]})

    harvest = perform(cluster, 3, seen)

    assert (results(harvest), harvest.cut_short) == ([0, 2, 4], None)
    assert sorted(seen.texts) == [
        f"worker {A} is gone; errand 0 begins again (1 of 2 times)",
        f"worker {B} is gone; errand 1 begins again (1 of 2 times)",
    ]
    assert cluster.executed == [B, B, B]


def test_a_unit_that_goes_on_losing_workers_is_given_up_and_named(seen: Seen) -> None:
    harvest = perform(FakeCluster({A: 1}, {A: [LOSE_RESULT] * 3}), 2, seen)

    lost, other = harvest.ended
    assert (lost.name, lost.state, lost.text) == ("errand 0", "failed", "the worker that executed it was lost 3 times")
    assert (other.result, harvest.cut_short) == (2, None)
    assert [text.partition("; ")[2] for text in seen.texts] == [
        "errand 0 begins again (1 of 2 times)",
        "errand 0 begins again (2 of 2 times)",
    ]


def test_a_worker_that_comes_later_is_looked_at_and_given_work(seen: Seen) -> None:
    cluster = FakeCluster({A: 1}, {A: ["", LOSE_WORKER]}, reserve={B: 1})

    assert results(perform(cluster, 3, seen)) == [0, 2, 4]
    assert cluster.executed == [A, B, B]
    assert f"worker {B} has come" in seen.texts


def test_a_worker_that_comes_later_and_is_not_the_same_is_left_out_and_told_once(seen: Seen) -> None:
    other = replace(HERE, scenarios="f" * 64)
    cluster = FakeCluster({A: 1}, {A: ["", LOSE_WORKER]}, said={B: other}, reserve={B: 1, C: 1})

    assert results(perform(cluster, 5, seen)) == [0, 2, 4, 6, 8]
    assert B not in cluster.executed
    assert [text for text in seen.texts if B in text] == [
        f"worker {B} has come and is left out: it has scenarios ffffffffffff, not {HERE.scenarios[:12]}"
    ]


WRONG: list[tuple[Facts | str | None, dict[str, str] | None, str]] = [
    (replace(HERE, specification="sha256:0123456789abcdef"), None, "it has specification 0123456789ab, not "),
    (replace(HERE, scenarios="0" * 64), None, "it has scenarios 000000000000, not "),
    ("no such file", None, "it cannot be looked at: no such file"),
    (None, {"python": "3.99.1.final.0", "session-tck": HERE.kit}, f"it has Python 3.99, not {HERE.python}"),
    (None, {"python": f"{HERE.python}.1.final.0", "session-tck": "9"}, f"it has session-tck 9, not {HERE.kit}"),
    (None, {"python": f"{HERE.python}.1.final.0"}, f"it has no session-tck, and {HERE.kit} is needed"),
    (None, {}, f"it has no session-tck, and {HERE.kit} is needed"),
]


@pytest.mark.parametrize(("said", "versions", "what"), WRONG, ids=[what for _, _, what in WRONG])
def test_a_campaign_does_not_begin_with_a_worker_that_would_give_something_else(
    seen: Seen, said: Facts | str | None, versions: dict[str, str] | None, what: str
) -> None:
    cluster = FakeCluster(
        {A: 1, B: 1}, said={} if said is None else {B: said}, pretended={} if versions is None else {B: versions}
    )

    with pytest.raises(UsageFault) as caught:
        perform(cluster, 3, seen)

    assert f"--cluster tcp://fake:1: worker {B}: {what}" in str(caught.value)
    assert A not in str(caught.value)
    assert cluster.executed == []


def test_a_patch_release_of_python_does_not_matter(seen: Seen) -> None:
    versions = {"python": f"{HERE.python}.0.final.0", "session-tck": HERE.kit}

    assert results(perform(FakeCluster({A: 1}, pretended={A: versions}), 1, seen)) == [0]


def test_a_scheduler_without_workers_is_one_clear_error(seen: Seen) -> None:
    with pytest.raises(UsageFault, match=r"--cluster tcp://fake:1: it has no workers; start some: dask worker tcp://f"):
        perform(FakeCluster({}), 1, seen)


def test_when_no_worker_is_left_what_is_finished_is_kept(seen: Seen) -> None:
    harvest = perform(FakeCluster({A: 1}, {A: ["", LOSE_WORKER]}), 3, seen)

    assert results(harvest) == [0, None, None]
    assert harvest.cut_short == "no worker was left for 0.05 s"
    assert [one.state for one in harvest.ended] == ["done", "not run", "not run"]


def test_a_worker_that_is_to_get_nothing_more_keeps_what_it_has_and_is_waited_for_no_longer_than_one_that_is_gone(
    seen: Seen,
) -> None:
    harvest = perform(FakeCluster({A: 0}), 1, seen)

    assert [one.state for one in harvest.ended] == ["not run"]
    assert harvest.cut_short == "no worker was left for 0.05 s"
    assert results(perform(FakeCluster({A: 0, B: 1}), 3, Seen())) == [0, 2, 4]


def test_two_units_of_one_name_are_refused(seen: Seen) -> None:
    for executor in (OnCluster(FakeCluster({A: 1}), Suites(), HERE), Alone()):
        with pytest.raises(ValueError, match="two units are called 'errand 0'"):
            executor.perform(double, [*units(1), *units(1)], watch=seen)


def test_when_the_scheduler_is_lost_what_is_finished_is_kept(seen: Seen) -> None:
    harvest = perform(FakeCluster({A: 1}, {A: ["", LOSE_SCHEDULER]}), 3, seen)

    assert results(harvest) == [0, None, None]
    assert harvest.cut_short == "the scheduler of the cluster was lost"
    assert seen.texts == ["the scheduler of the cluster was lost: it was switched off"]


def test_when_the_time_is_up_workers_are_told_to_end_what_they_have_in_hand(seen: Seen) -> None:
    cluster = FakeCluster({A: 1, B: 1}, {A: [HANG], B: [STOP, HANG]})

    harvest = perform(cluster, 3, seen, seconds=0.1)

    assert [one.state for one in harvest.ended] == ["not run", "not run", "not run"]
    assert harvest.cut_short == "the time limit of 0.1 s was reached"
    assert cluster.ended == [[A, B]]


def test_ctrl_c_keeps_what_is_finished(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    cluster = FakeCluster({A: 1, B: 1}, {B: [HANG]})

    def interrupt(_text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cluster, "fates", {A: ["", LOSE_WORKER], B: [HANG]})
    monkeypatch.setattr(seen, "told", interrupt)
    harvest = perform(cluster, 4, seen)

    assert results(harvest) == [0, None, None, None]
    assert harvest.cut_short == "interrupted"
    assert B in cluster.ended[0]


def test_what_goes_wrong_here_ends_what_is_at_work_there(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    cluster = FakeCluster({A: 1, B: 1}, {B: [HANG]})

    def full(*_: object) -> None:
        raise OSError("no space is left")

    monkeypatch.setattr(seen, "ended", full)
    with pytest.raises(OSError, match="no space is left"):
        perform(cluster, 2, seen)
    assert cluster.ended == [[B]]

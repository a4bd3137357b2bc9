"""Virtual time, and ids in the real forms."""

from __future__ import annotations

import random
import re
import uuid
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver.errors import KitError
from tck_fakes.clock import EPOCH, VirtualClock
from tck_fakes.ids import Ids


def test_time_stands_still_until_it_is_advanced() -> None:
    clock = VirtualClock()
    assert clock.now() == clock.now() == EPOCH
    clock.advance(1500)
    assert clock.now() - EPOCH == timedelta(seconds=1.5)


def test_time_never_passes_backwards() -> None:
    clock = VirtualClock()
    with pytest.raises(KitError, match="backwards, by -1 ms"):
        clock.advance(-1)
    clock.set(EPOCH - timedelta(days=1))
    assert clock.now() == EPOCH


def test_a_start_without_a_time_zone_is_refused() -> None:
    with pytest.raises(KitError, match="time zone"):
        VirtualClock(datetime(2026, 1, 1))  # noqa: DTZ001 - the mistake under test


@given(st.lists(st.integers(0, 50), max_size=20), st.lists(st.integers(0, 30), max_size=5))
def test_everybody_is_woken_once_in_order_of_time_and_at_that_time(delays: list[int], steps: list[int]) -> None:
    clock = VirtualClock()
    woken: list[tuple[int, datetime]] = []

    def wake(delay: int) -> None:
        woken.append((delay, clock.now()))

    for delay in delays:
        clock.at(EPOCH + timedelta(milliseconds=delay), partial(wake, delay))
    for step in steps:
        clock.advance(step)
    due = sorted(delay for delay in delays if delay <= sum(steps)) if steps else []
    assert woken == [(delay, EPOCH + timedelta(milliseconds=delay)) for delay in due]


def test_a_woken_caller_may_let_time_pass_itself() -> None:
    clock = VirtualClock()
    clock.at(EPOCH + timedelta(milliseconds=10), lambda: clock.advance(100))
    clock.advance(20)
    assert clock.now() == EPOCH + timedelta(milliseconds=110)


@given(st.integers())
def test_ids_have_the_forms_of_the_real_programs(seed: int) -> None:
    ids = Ids(random.Random(seed))  # noqa: S311 - reproducible on purpose
    moment = datetime(2026, 11, 29, 22, tzinfo=UTC)
    four, seven = uuid.UUID(ids.v4()), uuid.UUID(ids.v7(moment))
    assert (four.version, seven.version, four.variant, seven.variant) == (4, 7, uuid.RFC_4122, uuid.RFC_4122)
    assert seven.int >> 80 == moment.timestamp() * 1000
    assert re.fullmatch(r"ses_[0-9a-f]{12}[0-9A-Za-z]{14}", ids.ses(moment))
    assert re.fullmatch(r"[0-9a-f]{12}", ids.container())


def test_one_seed_gives_the_same_ids() -> None:
    first, second = Ids(random.Random(5)), Ids(random.Random(5))  # noqa: S311 - reproducible on purpose
    assert [first.v4() for _ in range(3)] == [second.v4() for _ in range(3)]

"""The stand-ins, held against the records of the CLIs that they stand for, by the cases in which those were probed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.difference import Difference, compare
from tck_kit.probe.explained import EXPLAINED, unexplained, unneeded
from tck_kit.probe.lanes import Probing, run
from tck_kit.probe.record import Record
from tck_kit.probe.shipped import shipped
from tck_kit.probe.subject import stand_in
from tck_kit.probe.table import CASES, MATTERS, PROBED

#: Seconds for all of it, on a machine that has much else to do, and for a stand-in that hangs as the real CLI does.
LIMIT, PATIENCE = 900.0, 20.0


@pytest.fixture(scope="module")
def held() -> Mapping[AdapterId, tuple[Difference, ...]]:
    """Put all stand-ins through all cases, and give what is different from the shipped records."""
    probings = [_probing(adapter, shipped(adapter)) for adapter in PROBED]
    cut_short = run(probings, time.monotonic() + LIMIT, lambda _: None)
    assert cut_short is None
    return {each.subject.adapter: _differences(each, shipped(each.subject.adapter)) for each in probings}


def _probing(adapter: AdapterId, record: Record) -> Probing:
    assert record.probe is not None
    subject = replace(stand_in(adapter), version=record.probe.version)
    return Probing(subject, tuple(CASES.values()), tuple(CASES), "", patience=PATIENCE)


def _differences(probing: Probing, record: Record) -> tuple[Difference, ...]:
    made = replace(record, probe=probing.probe("0", "", None), also=())
    compared = compare(record, made, tuple(CASES), MATTERS)
    assert compared.not_compared == ()
    return compared.differences


@pytest.mark.parametrize("adapter", PROBED)
def test_a_stand_in_does_what_the_real_cli_was_seen_to_do(
    held: Mapping[AdapterId, tuple[Difference, ...]], adapter: AdapterId
) -> None:
    assert [one.line for one in unexplained(adapter, held[adapter])] == []


@pytest.mark.parametrize("adapter", PROBED)
def test_nothing_is_explained_that_is_not_different(
    held: Mapping[AdapterId, tuple[Difference, ...]], adapter: AdapterId
) -> None:
    assert unneeded(adapter, held[adapter]) == ()


def test_every_explanation_is_of_cases_that_there_are_and_says_why() -> None:
    for one in EXPLAINED:
        assert set(one.cases) <= set(CASES), one
        assert len(one.why.split()) > 3, one

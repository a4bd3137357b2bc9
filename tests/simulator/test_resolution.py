"""Session resolution: every row of the table of §16.5.3, their order, and what holds in every situation."""

# ruff: noqa: FBT001 -- pytest and hypothesis hand parameters over by name

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tck_driver.vocabulary import AdapterId, FallbackReason, MailboxKind
from tck_simulator.layout import StateOnDisk
from tck_simulator.resolution import PriorRun, Resolution, Situation, resolve
from tck_simulator.versions import Version

from .laws import law

A, B, C = AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE
OLD, NOW, NEW = Version(2, 1, 100), Version(2, 1, 197), Version(2, 1, 332)


def ran(
    native_id: str | None = "a1",
    adapter: AdapterId = A,
    *,
    asked: str | None = None,
    failed: bool = False,
    finished: bool = True,
    version: Version | None = NOW,
) -> PriorRun:
    return PriorRun(adapter, native_id, version, asked, failed, finished)


#: A situation in which the session "a1" is resumed; each row of the table changes something of it.
GOOD = Situation(
    setting_on=True,
    target="issue",
    adapter=A,
    declared=True,
    verified=True,
    version=NOW,
    prior=(ran(),),
    state=StateOnDisk.PRESENT,
)
FAILING = tuple(ran(native_id="a1", asked="a1", failed=True) for _ in range(3))

WITHOUT = Resolution(session=False)


def fresh(reason: FallbackReason) -> Resolution:
    return Resolution(session=True, reason=reason)


def resumed(native_id: str) -> Resolution:
    return Resolution(session=True, resume_id=native_id)


NO_PRIOR = fresh(FallbackReason.NO_PRIOR_SESSION)
CHANGED = fresh(FallbackReason.ADAPTER_CHANGED)
UNSUPPORTED = fresh(FallbackReason.UNSUPPORTED_VERSION)
MISSING = fresh(FallbackReason.STATE_MISSING)
REFUSED = fresh(FallbackReason.REFUSED)


@pytest.mark.parametrize(
    ("row", "situation", "decision"),
    [
        (1, replace(GOOD, setting_on=False), WITHOUT),
        (2, replace(GOOD, declared=False), WITHOUT),
        (3, replace(GOOD, target="merge_request"), WITHOUT),
        (4, replace(GOOD, prior=()), NO_PRIOR),
        (4, replace(GOOD, prior=(ran(None), ran(None, B))), NO_PRIOR),  # rows without a native id are no session rows
        (5, replace(GOOD, prior=(ran("b1", B),)), CHANGED),
        (5, replace(GOOD, prior=(ran(None), ran("b1", B))), CHANGED),
        (6, replace(GOOD, verified=False), UNSUPPORTED),
        (6, replace(GOOD, prior=(ran(version=NEW),)), UNSUPPORTED),  # older than the version on the row: CAPABILITY-5
        (7, replace(GOOD, state=StateOnDisk.MISSING), MISSING),
        (7, replace(GOOD, state=StateOnDisk.EMPTY), MISSING),
        (8, replace(GOOD, prior=FAILING), REFUSED),
        (9, GOOD, resumed("a1")),
        (9, replace(GOOD, prior=(ran(version=OLD),)), resumed("a1")),
        (9, replace(GOOD, prior=(ran(version=None),)), resumed("a1")),  # §16.6: null on the row, nothing to compare
    ],
)
def test_the_table_decides(row: int, situation: Situation, decision: Resolution) -> None:
    assert resolve(situation) == decision, f"row {row} of §16.5.3"


@pytest.mark.parametrize(
    ("situation", "decision"),
    [
        (replace(GOOD, setting_on=False, declared=False, target="merge_request", prior=()), WITHOUT),
        (replace(GOOD, declared=False, verified=False, prior=()), WITHOUT),
        # FALLBACK-18: the first of the reasons that hold; no_prior_session stands outside of the order.
        (replace(GOOD, prior=(), verified=False, state=StateOnDisk.MISSING), NO_PRIOR),
        (replace(GOOD, prior=(ran("b1", B),), verified=False, state=StateOnDisk.MISSING), CHANGED),
        (replace(GOOD, prior=FAILING, verified=False, state=StateOnDisk.MISSING), UNSUPPORTED),
        (replace(GOOD, prior=FAILING, state=StateOnDisk.EMPTY), MISSING),
    ],
)
def test_the_first_row_that_fits_wins(situation: Situation, decision: Resolution) -> None:
    assert resolve(situation) == decision


def test_the_latest_row_of_the_same_adapter_is_resumed() -> None:
    prior = (ran("b2", B), ran(None), ran("a2"), ran("a1"), ran("b1", B))
    assert resolve(replace(GOOD, prior=prior)) == resumed("a2")


def test_after_runs_with_a_b_and_a_a_run_with_b_resumes_the_session_of_b() -> None:
    prior = (ran("a2"), ran("b1", B, version=None), ran("a1"))
    assert resolve(replace(GOOD, adapter=B, prior=prior)) == resumed("b1")


def test_the_version_is_compared_with_the_row_to_be_resumed_and_with_no_other() -> None:
    prior = (ran(None, version=NEW), ran("b1", B, version=Version(9, 0, 0)), ran("a1", version=NOW))
    assert resolve(replace(GOOD, prior=prior)) == resumed("a1")


@pytest.mark.parametrize(
    ("prior", "given_up"),
    [
        (FAILING, True),
        (FAILING[:2], False),
        ((*FAILING[:2], ran(asked="a1")), False),  # one of the three succeeded
        ((ran("a1", asked="a1"), *FAILING), False),
        ((ran("a1", asked="a1", finished=False), *FAILING), True),  # cancelled and abandoned runs do not count
        ((ran("b1", B, asked="b1"), *FAILING), True),  # nor do runs with another adapter
        ((*FAILING[:2], ran("a1", asked="a0", failed=True)), False),  # not the same id
        (tuple(ran("a1", asked=None, failed=True) for _ in range(3)), False),  # fresh runs asked for none
        ((ran("a2", asked="a1", failed=True), *FAILING[:2]), True),  # the last of them rotated: FALLBACK-20 as written
    ],
)
def test_a_session_is_given_up_after_three_failures_in_a_row_on_its_id(
    prior: tuple[PriorRun, ...],
    given_up: bool,
) -> None:
    decision = resolve(replace(GOOD, prior=(*prior, ran("a1"))))
    assert (decision == REFUSED) is given_up


VERSIONS = st.none() | st.sampled_from([OLD, NOW, NEW])
IDS = st.none() | st.sampled_from(["x1", "x2", "x3"])
PRIOR = st.builds(PriorRun, st.sampled_from([A, B, C]), IDS, VERSIONS, IDS, st.booleans(), st.booleans())
KINDS: st.SearchStrategy[MailboxKind] = st.sampled_from(("issue", "merge_request"))
SITUATIONS = st.builds(
    Situation,
    setting_on=st.sampled_from([True, True, True, False]),
    target=KINDS,
    adapter=st.sampled_from([A, B]),
    declared=st.booleans(),
    verified=st.booleans(),
    version=VERSIONS,
    prior=st.lists(PRIOR, max_size=6).map(tuple),
    state=st.sampled_from(StateOnDisk),
)


@law
@given(SITUATIONS)
@example(GOOD)
@example(replace(GOOD, prior=FAILING))
def test_with_a_session_there_is_either_an_id_or_a_reason_and_without_one_neither(situation: Situation) -> None:
    decision = resolve(situation)
    applies = situation.setting_on and situation.declared and situation.target == "issue"
    assert decision.session is applies
    assert (decision.resume_id is None, decision.reason is None).count(True) == (1 if applies else 2)


@law
@given(SITUATIONS)
def test_an_id_is_resumed_only_if_the_same_adapter_left_it_and_nothing_speaks_against_it(situation: Situation) -> None:
    decision = resolve(situation)
    if decision.resume_id is not None:
        mine = [run.native_id for run in situation.prior if run.adapter is situation.adapter and run.native_id]
        assert decision.resume_id == mine[0]
        assert situation.verified
        assert situation.state is StateOnDisk.PRESENT


@law
@given(SITUATIONS)
def test_rows_of_other_adapters_decide_nothing_but_whether_the_adapter_changed(situation: Situation) -> None:
    own = tuple(run for run in situation.prior if run.adapter is situation.adapter)
    decision = resolve(replace(situation, prior=own))
    if decision.reason is not FallbackReason.NO_PRIOR_SESSION:
        assert resolve(situation) == decision

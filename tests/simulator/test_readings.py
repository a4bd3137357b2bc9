"""Adapters read recorded CLI output; what it cannot have printed never breaks them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters import ADAPTERS
from tck_simulator.adapters.base import events
from tck_simulator.outcomes import Verdict, judge
from tck_simulator.ports import ContainerState

from .laws import law
from .recorded import RECORDED, SES, UUID, Recorded

CASES = [
    pytest.param(adapter, case, id=f"{adapter}: {case.name}") for adapter, cases in RECORDED.items() for case in cases
]
LOCAL = tuple(ADAPTERS)


@pytest.mark.parametrize(("adapter", "case"), CASES)
def test_a_recorded_output_is_read_for_what_it_is(adapter: AdapterId, case: Recorded) -> None:
    assert ADAPTERS[adapter].read(case.state) == case.reading


@pytest.mark.parametrize(("adapter", "case"), CASES)
def test_a_resume_is_refused_exactly_where_the_recorded_output_refuses_it(adapter: AdapterId, case: Recorded) -> None:
    known = ADAPTERS[adapter]
    asked = SES if adapter is AdapterId.OPENCODE else UUID
    judgement = judge(known.read(case.state), asked, known.id_pattern, rotates=known.rotates)
    assert (judgement.verdict is Verdict.REFUSED) is case.reading.cannot_resume


@pytest.mark.parametrize(("adapter", "case"), CASES)
def test_an_output_cut_off_anywhere_is_read_without_a_complaint(adapter: AdapterId, case: Recorded) -> None:
    for end in range(0, len(case.stdout), 13):
        reading = ADAPTERS[adapter].read(ContainerState(137, case.stdout[:end], ""))
        assert not reading.ok
        assert set(reading.reported) <= {*case.reading.reported, ""}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_KEYS = st.sampled_from(
    [
        "type",
        "subtype",
        "is_error",
        "result",
        "session_id",
        "sessionID",
        "sessionId",
        "thread_id",
        "errors",
        "item",
        "text",
        "part",
        "data",
        "content",
        "exitCode",
        "error",
        "response",
    ]
)
_TYPES = st.sampled_from(
    [
        "result",
        "system",
        "assistant",
        "thread.started",
        "turn.completed",
        "item.completed",
        "text",
        "error",
        "step_finish",
        "assistant.message",
        "session.error",
        "turn.failed",
    ]
)
_EVENTS = st.dictionaries(_KEYS, _JSON | _TYPES, max_size=5).map(json.dumps)
_LINES = st.lists(_EVENTS | st.text(max_size=20) | st.sampled_from(["{", "[]", "{}", "null", '{"type":'])).map(
    "\n".join
)


@law
@given(st.sampled_from(LOCAL), st.none() | st.sampled_from([0, 1, 2, 137]), _LINES, st.text(max_size=30))
def test_no_output_whatever_breaks_an_adapter(
    adapter: AdapterId, exit_code: int | None, stdout: str, stderr: str
) -> None:
    reading = ADAPTERS[adapter].read(ContainerState(exit_code, stdout, stderr))
    assert len(set(reading.reported)) == len(reading.reported)
    assert not reading.ok or exit_code == 0


@pytest.mark.parametrize(
    ("stdout", "found"),
    [
        ("", 0),
        ('{"a": 1}\n{"b": 2}\n', 2),
        ('{"a": 1}\r\n{"b": 2}', 2),
        ('warning\n{"a": 1}\n{"b": \n', 1),
        ("[1]\nnull\n3\n", 0),
        (" {}", 0),
        ('{"a":' * 100_000, 0),
        ("{" + '"a":[' * 100_000, 0),
    ],
)
def test_events_are_the_lines_that_are_json_objects(stdout: str, found: int) -> None:
    assert len(list(events(stdout))) == found

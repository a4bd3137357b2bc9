"""The session detail of a run, and the fields of the contract."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tck_driver.vocabulary import FallbackReason
from tck_simulator.contract import LlmResult, SessionRef
from tck_simulator.detail import detail_lines
from tck_simulator.rows import Session

RUN = Session(
    id=1,
    mailbox_id=1,
    adapter_id="codex",
    phase="development",
    provider="p",
    model="m",
    cli_version=None,
    outcome="succeeded",
    created_at=datetime(2026, 1, 5, tzinfo=UTC),
    session_name="agent/issue-7",
    asked_session_id="id-1",
    native_session_id="id-1",
    resumed=True,
    resume_fallback=None,
)


@pytest.mark.parametrize(
    ("session", "name", "native_id", "context"),
    [
        (RUN, "agent/issue-7", "id-1", "resumed"),
        (replace(RUN, resumed=False), "agent/issue-7", "id-1", "not confirmed"),
        (replace(RUN, session_name=None, native_session_id=None, resumed=False), "none", "none", "none"),
        *(
            (
                replace(RUN, native_session_id=None, resumed=False, resume_fallback=reason.value),
                "agent/issue-7",
                "none",
                f"fresh ({reason.value})",
            )
            for reason in FallbackReason
        ),
    ],
)
def test_the_detail_shows_name_native_id_and_resumed_or_the_reason(
    session: Session, name: str, native_id: str, context: str
) -> None:
    shown = dict(detail_lines(session))
    assert (shown["Session name"], shown["Native id"], shown["Context"]) == (name, native_id, context)


def test_request_and_result_have_the_contracts_fields() -> None:
    assert SessionRef("n", None, "/s").as_fields() == {"name": "n", "resumeId": None, "stateDir": "/s"}
    assert LlmResult(ok=False, text="").as_fields() == {"sessionId": None, "resumed": False, "resumeFallback": None}
    whole = LlmResult(ok=True, text="t", session_id="i", resumed=False, resume_fallback=FallbackReason.REFUSED)
    assert whole.as_fields() == {"sessionId": "i", "resumed": False, "resumeFallback": "refused"}

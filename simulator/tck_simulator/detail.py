"""The session detail of a run, as a person reads it.

Specification: RECORD-2, §25.2.
"""

from __future__ import annotations

from tck_simulator.rows import Session

NOTHING = "none"


def detail_lines(session: Session) -> tuple[tuple[str, str], ...]:
    """Give label and value, line by line: name, native id, and resumed or fresh with its reason."""
    if session.session_name is None:
        context = NOTHING
    elif session.resumed:
        context = "resumed"
    elif session.resume_fallback is not None:
        context = f"fresh ({session.resume_fallback})"
    else:
        context = "not confirmed"
    return (
        ("Adapter", session.adapter_id),
        ("Phase", session.phase),
        ("Session name", session.session_name or NOTHING),
        ("Native id", session.native_session_id or NOTHING),
        ("Context", context),
        ("Outcome", session.outcome),
    )

"""What a run asks of an adapter and what it gets back.

Specification: CONTRACT-1, CONTRACT-2, §16.2.
"""

from __future__ import annotations

from dataclasses import dataclass

from tck_driver.vocabulary import FallbackReason, Phase


@dataclass(frozen=True, slots=True)
class SessionRef:
    """The session of a run: its name, the native id to resume (None: start afresh), and its directory on the host."""

    name: str
    resume_id: str | None
    state_dir: str

    def as_fields(self) -> dict[str, str | None]:
        """Give it under the contract's field names."""
        return {"name": self.name, "resumeId": self.resume_id, "stateDir": self.state_dir}


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """One request to a model: the phase's full prompt, and a session or none."""

    phase: Phase
    provider: str
    model: str
    prompt: str
    session: SessionRef | None


@dataclass(frozen=True, slots=True)
class LlmResult:
    """What came of a request. `session_id` is the native id that the CLI reported and that may be trusted."""

    ok: bool
    text: str
    session_id: str | None = None
    resumed: bool = False
    resume_fallback: FallbackReason | None = None

    def as_fields(self) -> dict[str, str | bool | None]:
        """Give the session part under the contract's field names."""
        return {"sessionId": self.session_id, "resumed": self.resumed, "resumeFallback": self.resume_fallback}

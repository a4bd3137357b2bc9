"""The model provider of API mode: it answers everything, and witnesses that no session went with it (OFF-4)."""

from __future__ import annotations

from collections import deque

from tck_driver.witness import ModelCalled, WitnessLog
from tck_simulator.ports import ModelAnswer


class FakeModelProvider:
    """Implements `ModelProvider`, in which nothing of a session has a place; over HTTP an engine may send more."""

    def __init__(self, witness: WitnessLog) -> None:
        self._witness = witness
        self._answers: deque[ModelAnswer] = deque()

    def answers(self, *answers: ModelAnswer) -> None:
        """Queue what the next calls are answered; after the queue every call succeeds."""
        self._answers.extend(answers)

    def complete(self, provider: str, model: str, prompt: str, session_fields: tuple[str, ...] = ()) -> ModelAnswer:
        """Answer one prompt."""
        self._witness.add(ModelCalled(provider, model, prompt, session_fields))
        return self._answers.popleft() if self._answers else ModelAnswer(ok=True, text="Done.")

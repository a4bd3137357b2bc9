"""Grok Build: `grok -p`.

Not verified to resume, so it declares nothing (CAPABILITY-3). The vectors are written down for the day it is verified;
until then only `plain` is used.
"""

from __future__ import annotations

import re

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters.base import (
    Call,
    Invocation,
    Reading,
    declared,
    events,
    once,
    text_of,
)
from tck_simulator.adapters.verified import VERIFIED
from tck_simulator.ports import ContainerState


class GrokBuild:
    """The adapter of Grok Build."""

    id = AdapterId.GROK_BUILD
    capability = declared(AdapterId.GROK_BUILD)
    id_pattern = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}")
    rotates = False
    verified_from = VERIFIED[AdapterId.GROK_BUILD].since

    def version_command(self) -> tuple[str, ...]:
        """`grok --version`."""
        return ("grok", "--version")

    def _argv(self, call: Call, *session: str) -> Invocation:
        return Invocation(("grok", "-p", call.prompt, "--output", "json", "--model", call.model, *session))

    def plain(self, call: Call) -> Invocation:
        """Run without a session of the engine's."""
        return self._argv(call)

    def fresh(self, call: Call) -> Invocation:
        """Start a session; Grok chooses the id."""
        return self._argv(call)

    def resume(self, call: Call, native_id: str) -> Invocation:
        """`--resume <id>`."""
        return self._argv(call, "--resume", native_id)

    def read(self, state: ContainerState) -> Reading:
        """Read the one JSON object."""
        lines = list(events(state.stdout))
        answered = any("response" in line or "result" in line or "text" in line for line in lines)
        return Reading(
            ok=state.exit_code == 0 and answered,
            reported=once(text_of(line, "session_id") for line in lines if "session_id" in line),
            turn=answered,
            cannot_resume=False,
            text=next((text_of(line, "response") or text_of(line, "text") for line in lines), ""),
        )

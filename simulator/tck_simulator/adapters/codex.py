"""Codex: `codex exec`.

Sessions are rollout files below `~/.codex/sessions/`; the id comes in the first event, before the model is called. An
argument of `resume` that is no UUID silently starts a new session, so the form of the id is checked before it gets here
(ISOLATE-10). Options stand before `resume`; after it some versions refuse them.
"""

from __future__ import annotations

from collections.abc import Mapping

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters.base import (
    UUID_PATTERN,
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

_CANNOT_RESUME = (
    "no rollout found",
    "thread not loaded",
    "is empty",
    "failed to read session metadata",
    "not valid UTF-8",
    "missing an ordinal",
    "is not supported yet",
)


#: The session is there: somebody else writes it, or its files may not be read.
_NEVER = ("already has an active writer", "Permission denied")
#: It did not take its arguments, and so has looked for no session.
_USAGE_ERROR = 2


def _is_output(event: Mapping[str, object]) -> bool:
    """Say whether an event is something that the model put out; an item can also be a warning of the CLI's own."""
    return str(event.get("type", "")).startswith("item.") and text_of(event, "item", "type") != "error"


class Codex:
    """The adapter of Codex."""

    id = AdapterId.CODEX
    capability = declared(AdapterId.CODEX)
    id_pattern = UUID_PATTERN
    rotates = False
    verified_from = VERIFIED[AdapterId.CODEX].since

    def version_command(self) -> tuple[str, ...]:
        """`codex --version`."""
        return ("codex", "--version")

    def _argv(self, call: Call, *session: str) -> Invocation:
        sandbox = "read-only" if call.read_only else "workspace-write"
        options = ("--json", "--skip-git-repo-check", "-m", call.model, "-s", sandbox)
        return Invocation(("codex", "exec", *options, *session, call.prompt))

    def plain(self, call: Call) -> Invocation:
        """Run without a session of the engine's."""
        return self._argv(call, "--")

    def fresh(self, call: Call) -> Invocation:
        """Start a session; Codex chooses the id and takes no label."""
        return self._argv(call, "--")

    def resume(self, call: Call, native_id: str) -> Invocation:
        """`resume -- <id> <prompt>`."""
        return self._argv(call, "resume", "--", native_id)

    def read(self, state: ContainerState) -> Reading:
        """Read `thread.started` and whether a turn was completed."""
        lines = list(events(state.stdout))
        answers = [line for line in lines if text_of(line, "item", "type") == "agent_message"]
        text = text_of(answers[-1], "item", "text") if answers else ""
        completed = any(line.get("type") == "turn.completed" for line in lines)
        started = (line for line in lines if line.get("type") == "thread.started")
        return Reading(
            ok=state.exit_code == 0 and completed and bool(text),
            reported=once(text_of(line, "thread_id") for line in started),
            turn=completed or any(_is_output(line) for line in lines),
            cannot_resume="thread/resume failed" in state.stderr
            and any(text in state.stderr for text in _CANNOT_RESUME)
            and not any(text in state.stderr for text in _NEVER)
            and state.exit_code != _USAGE_ERROR
            and not any(line.get("type") == "turn.failed" for line in lines),
            text=text,
        )

"""GitHub Copilot CLI: `copilot --prompt`.

Sessions are folders below `~/.copilot/session-state/`. `--session-id` resumes or creates; only together with `--name`
does it create and nothing else, so a fresh start always carries both. The id comes in the last event alone; a run that
is killed has named nothing, but the engine had chosen the id.
"""

from __future__ import annotations

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters.base import (
    UUID_PATTERN,
    WORKDIR,
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

_CANNOT_RESUME = ("No session, task, or name matched", "was found but could not be loaded")
#: It never came to look for the session, or may not read it.
_NEVER = ("No authentication information found", "Permission denied")
#: A longer name is refused by the CLI; the name then lives in the engine alone (NAME-7).
_LONGEST_LABEL = 100


class Copilot:
    """The adapter of GitHub Copilot CLI."""

    id = AdapterId.COPILOT
    capability = declared(AdapterId.COPILOT)
    id_pattern = UUID_PATTERN
    rotates = False
    verified_from = VERIFIED[AdapterId.COPILOT].since

    def version_command(self) -> tuple[str, ...]:
        """`copilot --version`."""
        return ("copilot", "--version")

    def _argv(self, call: Call, *session: str) -> Invocation:
        output = ("--output-format", "json", "--allow-all-tools")
        return Invocation(("copilot", f"--prompt={call.prompt}", *session, "--model", call.model, *output))

    def plain(self, call: Call) -> Invocation:
        """Run without a session of the engine's."""
        return self._argv(call)

    def fresh(self, call: Call) -> Invocation:
        """Create a session under an id that the engine chose; the label makes it create-only."""
        if call.fresh_id is None or call.label is None or len(call.label) > _LONGEST_LABEL:
            return self._argv(call)
        return self._argv(call, f"--session-id={call.fresh_id}", f"--name={call.label}")

    def resume(self, call: Call, native_id: str) -> Invocation:
        """`--resume=<id>`, held in the working directory; by itself it would change into the stored one."""
        return self._argv(call, f"--resume={native_id}", "-C", WORKDIR)

    def read(self, state: ContainerState) -> Reading:
        """Read the `result` event and the assistant's messages."""
        lines = list(events(state.stdout))
        results = [line for line in lines if line.get("type") == "result"]
        failed = any(line.get("type") == "session.error" for line in lines)
        answered = not failed and (not results or results[-1].get("exitCode") == 0)
        messages = [line for line in lines if line.get("type") == "assistant.message"]
        text = next((text_of(line, "data", "content") or text_of(line, "content") for line in reversed(messages)), "")
        return Reading(
            ok=state.exit_code == 0 and answered and bool(text),
            reported=once(text_of(line, "sessionId") for line in results if "sessionId" in line),
            turn=bool(messages),
            cannot_resume=not failed
            and any(refusal in state.stderr for refusal in _CANNOT_RESUME)
            and not any(other in state.stderr for other in _NEVER),
            text=text,
        )

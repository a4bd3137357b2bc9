"""Claude Code: `claude -p`.

Sessions are files below `~/.claude/projects/`, one folder per working directory. The caller may choose the id of a
fresh session. `stream-json` names the session in its first line, so the id is known even if the run is killed
(RESUME-15). A refusal echoes the id that was asked for in an error result, which therefore proves nothing.
"""

from __future__ import annotations

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
from tck_simulator.versions import Version

_CANNOT_RESUME = (
    "No conversation found with session ID",
    "does not match any session title",
    "Failed to resume session",
)
#: Older versions know no `--name` and would refuse the whole command.
_LABEL_FROM = Version(2, 1, 197)


class ClaudeCode:
    """The adapter of Claude Code."""

    id = AdapterId.CLAUDE_CODE
    capability = declared(AdapterId.CLAUDE_CODE)
    id_pattern = UUID_PATTERN
    rotates = True
    verified_from = VERIFIED[AdapterId.CLAUDE_CODE].since

    def version_command(self) -> tuple[str, ...]:
        """`claude --version`."""
        return ("claude", "--version")

    def _argv(self, call: Call, *session: str) -> Invocation:
        output = ("--output-format", "stream-json", "--verbose")
        return Invocation(("claude", "-p", *session, "--model", call.model, *output, "--", call.prompt))

    def plain(self, call: Call) -> Invocation:
        """Run without a session of the engine's."""
        return self._argv(call)

    def fresh(self, call: Call) -> Invocation:
        """Start a session under an id that the engine chose, labelled with the name (NAME-7)."""
        session = [] if call.fresh_id is None else ["--session-id", call.fresh_id]
        if call.label is not None and call.version is not None and call.version >= _LABEL_FROM:
            session.append(f"--name={call.label}")
        return self._argv(call, *session)

    def resume(self, call: Call, native_id: str) -> Invocation:
        """`--resume=<id>`: with `=`, so that no id can be read as an option."""
        return self._argv(call, f"--resume={native_id}")

    def read(self, state: ContainerState) -> Reading:
        """Read init and result lines; `is_error` decides, since `subtype` says success even for provider faults."""
        lines = list(events(state.stdout))
        results = [line for line in lines if line.get("type") == "result"]
        failed_early = [line for line in results if line.get("subtype") == "error_during_execution"]
        trusted = [line for line in lines if line not in failed_early]
        answered = [line for line in results if line.get("is_error") is False]
        text = text_of(answered[-1], "result") if answered else ""
        errors = " ".join(str(line.get("errors", "")) for line in failed_early)
        return Reading(
            ok=state.exit_code == 0 and bool(text),
            reported=once(text_of(line, "session_id") for line in trusted if "session_id" in line),
            # One with an error is the CLI's own, in place of an answer that never came.
            turn=bool(answered) or any(line.get("type") == "assistant" and "error" not in line for line in lines),
            cannot_resume=any(text in state.stderr or text in errors for text in _CANNOT_RESUME)
            and "already in use" not in state.stderr
            and not any(line.get("is_error") is True for line in results if line not in failed_early),
            text=text,
        )

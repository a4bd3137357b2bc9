"""opencode: `opencode run`.

All sessions live in one SQLite database which by default lies beside `auth.json`. `OPENCODE_DB` moves the database
alone, so the adapter puts it in a directory that holds nothing else; the agent is never logged in, so the credential
tables of the database itself stay empty (ISOLATE-4). Old versions exit 0 on an unknown session, with or without a word
on stderr.
"""

from __future__ import annotations

import re

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters.base import (
    HOME,
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

_STATE = f"{HOME}/.local/state/opencode-sessions"
_DATABASE = re.compile(r"sessions-(\d{1,9})\.db")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_CANNOT_RESUME = re.compile(r"Session not found|NotFoundError|database disk image is malformed|file is not a database")
_NEVER = re.compile(r"Unexpected server error|Permission denied|unable to open database file")
_TURN = frozenset({"text", "reasoning", "tool_use", "step_finish"})


class OpenCode:
    """The adapter of opencode."""

    id = AdapterId.OPENCODE
    capability = declared(AdapterId.OPENCODE)
    id_pattern = re.compile(r"ses_[0-9A-Za-z]{26}")
    rotates = False
    verified_from = VERIFIED[AdapterId.OPENCODE].since

    def version_command(self) -> tuple[str, ...]:
        """`opencode --version`."""
        return ("opencode", "--version")

    def _argv(self, call: Call, *session: str) -> tuple[str, ...]:
        return ("opencode", "run", "--format", "json", "--model", call.model, *session, "--", call.prompt)

    def plain(self, call: Call) -> Invocation:
        """Run without a session of the engine's."""
        return Invocation(self._argv(call))

    def _with_state(self, argv: tuple[str, ...], number: int) -> Invocation:
        return Invocation(argv, (("OPENCODE_DB", f"{_STATE}/sessions-{number}.db"),))

    def _last(self, call: Call) -> int:
        found = (_DATABASE.fullmatch(name) for name in call.state_files)
        return max((int(match[1]) for match in found if match), default=0)

    def fresh(self, call: Call) -> Invocation:
        """Start a session titled with the name, in a new database, so that a damaged one is not in its way."""
        session = () if call.label is None else (f"--title={call.label}",)
        return self._with_state(self._argv(call, *session), self._last(call) + 1)

    def resume(self, call: Call, native_id: str) -> Invocation:
        """`--session=<id>` with the directory it was made in; elsewhere opencode never exits."""
        return self._with_state(self._argv(call, f"--session={native_id}", "--dir", WORKDIR), max(1, self._last(call)))

    def read(self, state: ContainerState) -> Reading:
        """Read `sessionID` of each event; an exit 0 without any event is no success."""
        lines = list(events(state.stdout))
        finished = any(line.get("type") == "step_finish" for line in lines)
        failed = any(line.get("type") == "error" for line in lines)
        answers = [
            text_of(line, "text") or text_of(line, "part", "text") for line in lines if line.get("type") == "text"
        ]
        stderr = _COLOUR.sub("", state.stderr)
        silent = state.exit_code == 0 and not lines
        refused = silent or _CANNOT_RESUME.search(stderr) is not None
        return Reading(
            ok=state.exit_code == 0 and finished and not failed and bool(answers and answers[-1]),
            reported=once(text_of(line, "sessionID") for line in lines if "sessionID" in line),
            turn=any(text_of(line, "type") in _TURN for line in lines),
            cannot_resume=refused and not failed and _NEVER.search(stderr) is None,
            text=answers[-1] if answers else "",
        )

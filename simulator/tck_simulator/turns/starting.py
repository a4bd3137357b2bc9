"""Starts a CLI as a process of the host, and waits for its end."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters import ADAPTERS
from tck_simulator.adapters.base import Call, Invocation, Reading
from tck_simulator.ports import ContainerRequest, ContainerRuntime
from tck_simulator.turns.continuation import Continuation, Due

#: What a CLI is granted, of the time that nobody measures here.
_TIME_LIMIT_MS = 3_600_000
_MODELS = {AdapterId.CLAUDE_CODE: "sonnet", AdapterId.CODEX: "gpt-5"}
#: How each CLI is asked what it offers.
_HELP = {AdapterId.CLAUDE_CODE: ("claude", "--help"), AdapterId.CODEX: ("codex", "exec", "--help")}


@dataclass(frozen=True, slots=True)
class Answered:
    """One start of a CLI: the id that was asked for, what it put out, and whether it was still there then."""

    asked: str | None
    reading: Reading
    ended: bool


class Starter:
    """Starts CLIs, with their sessions in a home of the engine's own."""

    def __init__(self, runtime: ContainerRuntime, home: Path) -> None:
        """Start them with this runtime; what it starts without an image is a process of the host."""
        self._runtime = runtime
        self._home = str(home)

    def offered(self, due: Due) -> bool:
        """Say whether the CLI's help speaks of resuming; of one that has no help, nothing is known to speak against."""
        state = self._runtime.run(self._request(_HELP[due.provider], due))
        return not state.stdout or "resume" in state.stdout

    def start(self, due: Due, prompt: str, resume: Continuation | None) -> Answered:
        """Start the CLI of a turn, and stop it where it does not end."""
        invocation = invoke(due, prompt, resume)
        container = self._runtime.start(self._request(invocation.argv, due, invocation.environment))
        state = self._runtime.poll(container)
        reading = ADAPTERS[due.provider].read(state)
        # Whoever starts a CLI takes it along, be it that its time is up or that the engine itself dies.
        self._runtime.stop(container)
        return Answered(None if resume is None else resume.native_id, reading, state.ended)

    def _request(
        self, argv: tuple[str, ...], due: Due, environment: tuple[tuple[str, str], ...] = ()
    ) -> ContainerRequest:
        return ContainerRequest(
            image="",
            argv=argv,
            environment=(("HOME", self._home), *environment),
            mounts=(),
            labels=(),
            time_limit_ms=_TIME_LIMIT_MS,
            workdir=due.directory,
            home=self._home,
            # A process of the host is whoever starts it.
            user=f"{os.getuid()}:{os.getgid()}",
        )


def invoke(due: Due, prompt: str, resume: Continuation | None) -> Invocation:
    """Give the arguments of a start."""
    adapter = ADAPTERS[due.provider]
    call = Call(prompt, read_only=False, model=_MODELS[due.provider])
    return adapter.fresh(call) if resume is None else adapter.resume(call, resume.native_id)

"""One turn: from the decision whether to resume, through one start of a CLI or two, to what is kept and announced.

Specification: REUSE-1 to REUSE-5, REUSE-8, REDELEGATION-6, REDELEGATION-7, CONTINUITY-7, CONTINUITY-8, CONTINUITY-11,
CONTINUITY-13.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tck_driver.courses import Come
from tck_simulator.turns import prompts
from tck_simulator.turns.continuation import Continuation, Due
from tck_simulator.turns.decision import Ground, candidate, decide
from tck_simulator.turns.judgement import Judgement, judge
from tck_simulator.turns.kinds import Kind
from tck_simulator.turns.log import Log
from tck_simulator.turns.memory import Memory, Notebook, Scope
from tck_simulator.turns.starting import Starter


class KilledError(Exception):
    """The engine dies here."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """Carries out turns: the parts of an engine that one needs.

    `dies` is asked once a CLI was started; where it says so, nothing that comes after is done.
    """

    kind: Kind
    memory: Memory
    notebook: Notebook
    log: Log
    starter: Starter
    dies: Callable[[], bool]

    def carry_out(self, due: Due, *, hook_fails: bool = False) -> Come:
        """Carry out a turn to its end. Raises `KilledError` where the engine dies of it."""
        scope = self.memory.scopes[due.scope]
        if scope.broken:
            return Come("failed", f"{due.scope} has failed for good: its session was lost")
        self.log.add("began", due)
        resume = self._decided(due)
        judged = self._started(scope, due, resume)
        if resume is not None and judged.result in {"lost", "forked"}:
            self._forget(resume)
            if self.kind.policy.fallback == "same_turn":
                judged = self._started(scope, due, None)
            elif self.kind.policy.fallback == "fail":
                scope.broken = True
        return self._ended(due, judged, hook_fails=hook_fails)

    def _decided(self, due: Due) -> Continuation | None:
        """Give what is resumed, once what cannot be has been forgotten."""
        ground = Ground(self.memory.on, self.starter.offered(due), self.kind.proven)
        decision = decide(candidate(self.memory, due), due, ground)
        if decision.forget is not None:
            self._forget(decision.forget)
        return decision.resume

    def _started(self, scope: Scope, due: Due, resume: Continuation | None) -> Judgement:
        """Start the CLI once, and judge its answer."""
        answered = self.starter.start(due, prompt_for(self.kind, scope, due, resume), resume)
        judged = judge(answered, self.kind.policy)
        if self.kind.policy.valid == "init":
            self._keep(due, judged)
        if self.dies():
            raise KilledError
        return judged

    def _ended(self, due: Due, judged: Judgement, *, hook_fails: bool) -> Come:
        """Keep what is to be kept, or forget it, and only then say what the turn came to."""
        valid = self.kind.policy.valid
        told = judged.told
        if judged.result == "went_well":
            if valid == "success":
                self._keep(due, judged)
            told = "what follows the turn failed" if hook_fails else ""
        if not told:
            if valid == "hook":
                self._keep(due, judged)
            self.log.add("completed", due, judged.native_id)
            return Come("done")
        if valid == "hook" and self.memory.on:
            self.memory.clear(due)
        self.notebook.write(self.memory)
        self.log.add("failed", due)
        return Come("failed", told)

    def _keep(self, due: Due, judged: Judgement) -> None:
        """Keep the id that a start has left, where resuming is on; without one there is nothing to go on with."""
        if not self.memory.on:
            return
        if judged.native_id is not None:
            self.memory.keep(due.keeping(judged.native_id, len(self.log)))
        elif self.kind.policy.valid != "init":
            self.memory.clear(due)
        self.notebook.write(self.memory)

    def _forget(self, kept: Continuation) -> None:
        self.memory.drop(kept.scope, kept.native_id)
        self.notebook.write(self.memory)


def prompt_for(kind: Kind, scope: Scope, due: Due, resume: Continuation | None) -> str:
    """Give the prompt of a start: only a session that is resumed can do with less than everything (CONTINUITY-8)."""
    if resume is not None and kind.policy.prompt == "delta":
        return prompts.rest(due)
    return prompts.whole(due, scope.instructions)

"""More of what faults are made of: what a function gives or does, and what a row or a run holds, made another."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import cast

from sqlalchemy import Connection, update

from tck_driver.vocabulary import Phase
from tck_fakes.faults.fault import Sabotage
from tck_fakes.faults.inside import Make
from tck_fakes.faults.register import Real
from tck_simulator import tables
from tck_simulator.rows import Mailbox
from tck_simulator.run import RunSequence
from tck_simulator.store import Store


def gives(change: Callable[..., object]) -> Make:
    """Let a function do what it does, and give `change(what it gave, *what it was called with)`."""

    def make(real: Real) -> Real:
        def called(*given: object, **named: object) -> object:
            return change(real(*given, **named), *given, **named)

        return called

    return make


def instead(does: Callable[..., object]) -> Make:
    """Do `does(the real function, *what it is called with)` in a function's place."""

    def make(real: Real) -> Real:
        def called(*given: object, **named: object) -> object:
            return does(real, *given, **named)

        return called

    return make


def set_run(store: Store, run: int, **values: str | bool | None) -> None:
    """Write columns of one row of `llm_sessions`, whoever holds the lease."""
    once = cast("Callable[[Store], AbstractContextManager[Connection]]", vars(Store)["_once"])
    with once(store) as connection:
        connection.execute(update(tables.llm_sessions).where(tables.llm_sessions.c.id == run).values(**values))


class Begun:
    """The run that is being begun: its phase, which the parts that choose name and session are not told."""

    def __init__(self, sabotage: Sabotage) -> None:
        """Listen to each run that begins, from now on."""
        self.phase = Phase.ANALYSIS
        self.going_on = False

        def begin(real: Real, sequence: RunSequence, mailbox: Mailbox, phase: Phase, *rest: object) -> object:
            self.phase, self.going_on = phase, True
            try:
                return real(sequence, mailbox, phase, *rest)
            finally:
                self.going_on = False

        sabotage.replace(RunSequence, "begin", instead(begin))

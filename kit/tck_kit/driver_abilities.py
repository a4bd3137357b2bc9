"""Checks of what a driver declares: scenarios, views, stimuli, clock and kill are used once, among the kit's fakes.

What the engine makes of it is of no interest here: nothing is graded. An ability must be there where it is declared,
and what comes back must be what the protocol has.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import get_args

from tck_driver.configuration import Binding
from tck_driver.errors import DriverError, EngineError, FalseAdvertisingError
from tck_driver.messages import stimulus_type
from tck_driver.remote import RemoteEngine
from tck_driver.stimuli import (
    STIMULUS_TYPES,
    BindingChanged,
    InstallationChanged,
    IssueBlocked,
    IssueClosed,
    IssueOpened,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    PrefixChanged,
    ReconcileDue,
    RunDue,
    SettingChanged,
    Stimulus,
)
from tck_driver.views import ViewName
from tck_driver.vocabulary import AdapterId, Closing, Phase
from tck_kit.driver_examination import ISSUE, ORGANIZATION, PROJECT, Examination, MootError, ProblemError

#: What to do about something that is declared and not there.
DECLINE = "fill it in, or answer initialize with unsupported for it"
#: How long an engine that is said to be at rest is watched, seconds.
_MOMENT = 0.5
#: How far the clock is moved, milliseconds.
_STEP_MS = 60_000


def _harmless(adapter: AdapterId) -> tuple[Stimulus, ...]:
    """Give what can happen in a scenario that has one issue, in an order in which all of it can."""
    closed = IssueClosed(ISSUE, Closing.UNASSIGNED)
    return (
        SettingChanged("project", ORGANIZATION, PROJECT, "AGENT_SESSION_RESUME", value=True),
        BindingChanged(ORGANIZATION, PROJECT, Binding(adapter)),
        PrefixChanged(ORGANIZATION, PROJECT, "agent/"),
        *(() if adapter is AdapterId.API else (InstallationChanged(adapter, f"runner-{adapter}:1"),)),
        IssueOpened(ISSUE, "Mend the door"),
        IssueRetitled(ISSUE, "Mend the old door"),
        RunDue(ISSUE, Phase.ANALYSIS),
        ReconcileDue(),
        IssueBlocked(ISSUE),
        IssueRetry(ISSUE),
        closed,
        IssueReopened(ISSUE),
    )


def opens_and_closes(exam: Examination) -> str:
    """See that a scenario can be opened and closed."""
    for _ in range(2):
        with exam.scenario():
            pass
    return "two scenarios were opened and closed, one after the other"


def shows_views(exam: Examination) -> str:
    """See that each view that is declared can be asked for, and has the rows that it should have."""
    views: list[ViewName] = [view for view in get_args(ViewName) if exam.declared.supports(f"view.{view}")]
    if not views:
        raise MootError("no view is declared as supported")
    with exam.scenario() as engine:
        # Whether these are taken is another check's matter; rows are better looked at than none.
        for stimulus in (IssueOpened(ISSUE, "Mend the door"), RunDue(ISSUE, Phase.ANALYSIS)):
            with suppress(EngineError):
                if exam.declared.supports(f"stimulus.{stimulus_type(stimulus)}"):
                    engine.send(stimulus)
        counts = {view: _rows(engine, view) for view in views}
    _refuse([f"view.{view}" for view, count in counts.items() if count is None])
    return f"rows: {', '.join(f'{view} {count}' for view, count in counts.items())}"


def _rows(engine: RemoteEngine, view: ViewName) -> int | None:
    """Count the rows of a view; None where it was refused."""
    try:
        return len(engine.query(view))
    except FalseAdvertisingError:
        return None
    except DriverError as fault:
        if type(fault) is not DriverError:
            raise
        raise ProblemError(f"view.{view}: {fault}", "give the columns that docs/driver-protocol.md names") from fault


def takes_stimuli(exam: Examination) -> str:
    """See that no stimulus that is declared is refused as unsupported."""
    harmless = () if exam.declared.adapter is None else _harmless(exam.declared.adapter)
    tried = [one for one in harmless if exam.declared.supports(f"stimulus.{stimulus_type(one)}")]
    declared = [name for name in STIMULUS_TYPES if exam.declared.supports(f"stimulus.{name}")]
    if not declared:
        raise MootError("no stimulus is declared as supported")
    with exam.scenario() as engine:
        refused = [stimulus for stimulus in tried if not _taken(engine, stimulus)]
    _refuse([f"stimulus.{stimulus_type(one)}" for one in refused])
    left = [name for name in declared if name not in {stimulus_type(one) for one in tried}]
    return f"{len(tried)} things happened to the engine" + (f"; not tried: {', '.join(left)}" if left else "")


def comes_to_rest(exam: Examination) -> str:
    """See that nothing more happens once the engine is said to be at rest: answering too early is the usual mistake."""
    wanted = ("stimulus.issue.opened", "stimulus.run.due")
    if not all(exam.declared.supports(name) for name in wanted):
        raise MootError(f"{' and '.join(wanted)} must be declared as supported")
    with exam.scenario() as engine:
        for stimulus in (IssueOpened(ISSUE, "Mend the door"), RunDue(ISSUE, Phase.ANALYSIS)):
            if not _taken(engine, stimulus):
                raise MootError("a stimulus was refused; see the check of stimuli")
        before = exam.witnessed()
        time.sleep(_MOMENT * exam.scale)
        later = exam.witnessed()
    if later > before:
        raise ProblemError(
            f"after the engine was said to be at rest it did {later - before} more things that the kit saw",
            "answer, or say idle, only when nothing is left to do but wait; name the containers that are waited for",
        )
    return "nothing more happened once the engine was said to be at rest"


def lets_time_pass(exam: Examination) -> str:
    """See that the clock can be moved where that is declared."""
    if not exam.declared.supports("control.clock"):
        raise MootError("control.clock is not declared as supported")
    if exam.declared.clock == "wall":
        raise MootError("the clock is the machine's own")
    with exam.scenario() as engine:
        try:
            engine.advance(_STEP_MS)
        except FalseAdvertisingError:
            _refuse(["control.clock"])
    return "the clock was moved on by a minute"


def is_killed_and_started(exam: Examination) -> str:
    """See that the engine can be killed and started again where that is declared."""
    if not exam.declared.supports("control.kill"):
        raise MootError("control.kill is not declared as supported")
    with exam.scenario() as engine:
        try:
            engine.kill()
            refused = engine.start()
        except FalseAdvertisingError:
            _refuse(["control.kill"])
        else:
            _started(refused)
    return "the engine was killed, and started again"


def _started(refused: str | None) -> None:
    if refused is not None:
        raise ProblemError(
            f"after engine/kill, engine/start refused the configuration it had before: {refused}",
            "start the engine on what is there, and answer with refused null",
        )


def _taken(engine: RemoteEngine, stimulus: Stimulus) -> bool:
    """Send a stimulus; say whether it was not refused as unsupported."""
    try:
        engine.send(stimulus)
    except FalseAdvertisingError:
        return False
    return True


def _refuse(refused: list[str]) -> None:
    if refused:
        raise ProblemError(f"declared as supported, and then refused as unsupported: {', '.join(refused)}", DECLINE)

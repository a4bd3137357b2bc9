"""Faults of the sweep over the tracker: issues that have ended without anybody having said so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.vocabulary import MailboxRef
from tck_fakes.faults.changed import gives
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import fault
from tck_simulator.ports import Forge, IssueState
from tck_simulator.reconciler import Reconciler


def _seen(sabotage: Sabotage, change: Callable[[IssueState], IssueState]) -> None:
    """Let the sweep, and nobody else, see the tracker's answer otherwise."""

    class Seen:
        """The tracker as the sweep sees it."""

        def __init__(self, forge: Forge) -> None:
            self._forge = forge

        def issue(self, mailbox: MailboxRef) -> IssueState:
            """Look an issue up."""
            return change(self._forge.issue(mailbox))

    def made(_nothing: object, reconciler: Reconciler, **_parts: object) -> None:
        held = vars(reconciler)
        held["_forge"] = Seen(held["_forge"])

    sabotage.replace(Reconciler, "__init__", gives(made))


@fault("unassigned-goes-on", "CLEAN-2", Kind.MISSING_EFFECT, "does not look whether an issue is still assigned")
def _unassigned_goes_on(sabotage: Sabotage) -> None:
    def change(state: IssueState) -> IssueState:
        return replace(state, assigned=True)

    _seen(sabotage, change)


@fault("closed-goes-on", "CLEAN-2", Kind.MISSING_EFFECT, "does not look whether an issue is still open")
def _closed_goes_on(sabotage: Sabotage) -> None:
    def change(state: IssueState) -> IssueState:
        return replace(state, open=state.open or not state.merged)

    _seen(sabotage, change)


@fault("merged-is-cancelled", "CLEAN-1", Kind.WRONG_VALUE, "takes a merged issue that it finds for a cancelled one")
def _merged_is_cancelled(sabotage: Sabotage) -> None:
    def change(state: IssueState) -> IssueState:
        return replace(state, merged=False)

    _seen(sabotage, change)

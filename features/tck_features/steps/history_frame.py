"""The first and the last sentence of a history: who watches it, and that all of it was as it should be."""

from __future__ import annotations

from tck_driver.errors import KitError, UnsupportedError, UntestableError
from tck_driver.stimuli import IssueOpened
from tck_driver.views import MailboxRow
from tck_features.history.events import Sent
from tck_features.history.play import Player
from tck_features.history.watchers import watchers
from tck_features.history.wording import BEGINNING, END
from tck_features.sentences import given, then
from tck_features.world import World


@given(BEGINNING)
def watched(world: World) -> None:
    """Let the model and the laws of the specification watch whatever happens from now on."""
    if world.history is not None or world.opened:
        raise KitError("a history is watched from its beginning; let this sentence be the first, and stand once")
    world.history = Player(world, watchers())


@then(END)
def all_was_right(world: World) -> None:
    """Look at what is left to be looked at; where the engine went wrong, its history has ended before."""
    if world.history is None:
        raise KitError(f"nothing was watched; let the first sentence be: Given {BEGINNING}")
    played = world.history.played
    world.checks.expect("events that were watched", expected=True, actual=bool(played), rests_on="witnessed")
    if not world.opened or world.refusal is not None:
        return
    issues = {
        str(one.event.stimulus.mailbox)
        for one in played
        if isinstance(one.event, Sent) and isinstance(one.event.stimulus, IssueOpened)
    }
    try:
        rows = world.view("mailboxes", MailboxRow)
    except (UnsupportedError, UntestableError):
        return
    world.checks.expect(
        "the issues that were assigned to the agent and have a mailbox",
        expected=sorted(issues),
        actual=sorted(issues & {str(row.mailbox) for row in rows}),
        rests_on="reported",
        requirements=("RESUME-1",),
    )

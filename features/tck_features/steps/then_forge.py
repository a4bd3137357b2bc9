"""What the tracker saw, and above all what it did not see."""

from __future__ import annotations

import re

from tck_driver.views import CounterRow, MailboxRow
from tck_driver.vocabulary import MailboxRef
from tck_driver.witness import ForgeWrite
from tck_features.sentences import given, then
from tck_features.world import World


@given("everything is noted")
def note(world: World) -> None:
    """Note rows and the position in the sequence of records, to see later what has changed."""
    world.notes["rows"] = [str(row) for row in world.table()]
    world.notes["mark"] = world.bench.witness.mark()


@then("the tracker has seen {int} comment(s) of {party}")
def comments(world: World, count: int, party: str) -> None:
    """Check how many comments were posted."""
    found = [write for write in _writes(world, party) if write.startswith("comment")]
    world.checks.expect("comments", expected=count, actual=len(found), rests_on="witnessed", evidence=tuple(found))


@then("no comment speaks of sessions, resuming or falling back")
def no_talk(world: World) -> None:
    """Check the words of every comment (FALLBACK-10)."""
    pattern = re.compile(r"\b(session|resum|fallback|fell back|memory|fresh)", re.IGNORECASE)
    found = [
        write.text
        for write in world.bench.witness.of(ForgeWrite)
        if write.kind == "comment" and pattern.search(write.text)
    ]
    world.checks.expect("comments about sessions", expected=[], actual=found, rests_on="witnessed")


@then("state and counters of the issue are those of the twin issue")
def same_counters(world: World) -> None:
    """Check that a fallback left no trace in the mailbox (FALLBACK-8, FALLBACK-9)."""
    for party in ("the issue", "the twin issue"):
        world.ref(party)
    states = [_state(world, world.ref(party)) for party in ("the issue", "the twin issue")]
    world.checks.expect("the twin has state and counters", expected=3, actual=len(states[1]), rests_on="reported")
    world.checks.expect("state, LLM retries, fixes", expected=states[1], actual=states[0], rests_on="reported")


def _state(world: World, ref: MailboxRef) -> list[object]:
    mailboxes = [row for row in world.view("mailboxes", MailboxRow) if row.mailbox == ref]
    counters = [row for row in world.view("counters", CounterRow) if row.mailbox == ref]
    if not mailboxes or not counters:
        return []
    return [mailboxes[-1].state, counters[-1].llm_retries, counters[-1].fix_attempts]


@then("nothing was written to the tracker since, and no container was started")
def nothing_since(world: World) -> None:
    """Check that a worker which came too late had no effect (RESUME-14)."""
    mark = world.notes["mark"]
    since = mark if isinstance(mark, int) else 0
    writes = [f"{write.kind} {write.text}" for write in world.bench.witness.of(ForgeWrite, since)]
    world.checks.expect("writes to the tracker", expected=[], actual=writes, rests_on="witnessed")
    started = [
        start.container.container for start in world.starts() if start.cli in world.bench.witness.records[since:]
    ]
    world.checks.expect("starts of a CLI", expected=[], actual=started, rests_on="witnessed")


def _writes(world: World, party: str) -> list[str]:
    return [line for _, line in world.tracker_saw(party)]

"""What goes wrong around an engine: time, workers, power, the tracker, and damage to what it keeps."""

from __future__ import annotations

from collections.abc import Sequence

from tck_driver.bench import Script
from tck_driver.stimuli import LeaseExpired, ReconcileDue, WorkerWoken
from tck_driver.vocabulary import Phase
from tck_features.history.events import (
    Damage,
    Damaged,
    IdOverwritten,
    Released,
    Restarted,
    Sent,
    TimePassed,
    TrackerSet,
)
from tck_kit.fuzz import stock
from tck_kit.fuzz.author import Author, always, due, happening
from tck_kit.fuzz.stock import Pick

_DAMAGES: Sequence[Damage] = ("removed", "emptied", "cut", "zeroed", "linked")


@happening()
def time_passes(author: Author, pick: Pick) -> None:
    """Let time pass, from a second to longer than rows are kept."""
    author.happen(TimePassed(stock.LONG if pick.chance(5) else pick.of(stock.TIMES)))


@happening()
def what_hangs_goes_on(author: Author, pick: Pick) -> None:
    """Let what hangs go on to its end, some time after."""
    if pick.chance(30):
        author.happen(TimePassed(pick.of(stock.TIMES[:6])))
    author.happen(Released())


@happening()
def a_worker_stops(author: Author, pick: Pick) -> None:
    """Let a worker stop answering while it has a run in hand, and perhaps go on later."""
    live = [ref for ref in author.scene.issues() if ref in author.scene.live()]
    if not live:
        drawn = author.local_run(pick)
        if drawn is None:
            return
        run, ref, adapter = drawn
        shape = pick.of(stock.SLOW[:3])
        author.script(adapter, Script(shape, duration_ms=stock.MINUTE if shape == "ok" else 0))
        author.happen(run)
        live = [ref]
    ref = pick.of(live)
    author.happen(Sent(LeaseExpired(ref)))
    if pick.chance(50):
        author.happen(TimePassed(pick.of(stock.TIMES[:5])))
    if pick.chance(50):
        author.happen(Sent(WorkerWoken(ref)))


@happening()
def a_worker_wakes(author: Author, pick: Pick) -> None:
    """Let a worker go on that had stopped answering."""
    stalled = [ref for ref, box in author.scene.mailboxes.items() if box.stalled]
    if stalled:
        author.happen(Sent(WorkerWoken(pick.of(stalled))))


@happening()
def the_power_is_cut(author: Author, pick: Pick) -> None:
    """Cut the power, perhaps in the middle of a run, and start the engine again."""
    if pick.chance(50):
        run, _, adapter = author.run(pick)
        author.script(adapter, *pick.scripts(adapter))
        author.happen(run)
    author.happen(Restarted())
    if pick.chance(60):
        author.happen(TimePassed(pick.of(stock.TIMES[2:6])))


@happening()
def the_tracker_is_in_trouble(author: Author, pick: Pick) -> None:
    """Let the tracker answer with an error, or that there is no such issue, and sweep."""
    ref = pick.of(author.scene.issues())
    answer = "404" if pick.chance(25) else pick.of(stock.TROUBLES)
    author.happen(TrackerSet(ref, answer), Sent(ReconcileDue()))
    if answer != "404" and pick.chance(50):
        author.happen(TrackerSet(ref, "normal"))


@happening(possible=always)
def the_reconciler_sweeps(author: Author, pick: Pick) -> None:
    """Let the sweeps be due, perhaps some time after. Something has to be possible always, and this is it."""
    if pick.chance(30):
        author.happen(TimePassed(6 * stock.MINUTE))
    author.happen(Sent(ReconcileDue()))


@happening()
def state_is_damaged(author: Author, pick: Pick) -> None:
    """Damage the state of a session, and let the next run find it so."""
    drawn = author.local_run(pick)
    if drawn is None:
        return
    run, ref, adapter = drawn
    if not author.scene.rows(ref):
        author.happen(run)
    author.happen(Damaged(ref, adapter, pick.of(_DAMAGES)), run)


@happening()
def an_id_is_overwritten(author: Author, pick: Pick) -> None:
    """Overwrite a stored native id, mostly the latest, and let the next run find it so."""
    ref = pick.of(author.scene.issues())
    rows = author.scene.rows(ref)
    if not rows:
        return
    number = len(rows) - 1 if pick.chance(70) else pick.of(range(len(rows)))
    author.happen(IdOverwritten(ref, number, pick.of(stock.IDS)))
    author.happen(due(ref, Phase(rows[number].phase)))

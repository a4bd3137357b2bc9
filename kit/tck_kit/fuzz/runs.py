"""Runs that are due, and what their CLIs and agents do in them."""

from __future__ import annotations

from tck_driver.bench import Script
from tck_driver.stimuli import MergeRequestEventSent, ReviewRequested
from tck_driver.vocabulary import ISSUE_PHASES, MailboxRef, MergeRequestEvent, Phase
from tck_features.history.events import Sent, TimePassed
from tck_kit.fuzz import stock
from tck_kit.fuzz.author import Author, able, due, happening
from tck_kit.fuzz.stock import Pick


@happening()
def runs_are_due(author: Author, pick: Pick) -> None:
    """Let a few runs of one issue be due, one after the other."""
    ref = pick.of(author.scene.issues())
    for phase in pick.some(ISSUE_PHASES, 1, 3):
        author.happen(due(ref, phase))


@happening()
def a_cli_does_something_else(author: Author, pick: Pick) -> None:
    """Let a run be due in which the CLI does something in particular, and then perhaps another."""
    run, ref, adapter = author.run(pick)
    author.script(adapter, *pick.scripts(adapter))
    author.happen(run)
    if pick.chance(50):
        author.happen(due(ref, pick.of(ISSUE_PHASES)))


@happening()
def a_resume_is_refused(author: Author, pick: Pick) -> None:
    """Let a run be due, then one whose resume the CLI refuses, in one way or another, and then a third."""
    drawn = author.local_run(pick)
    if drawn is None:
        return
    run, _, adapter = drawn
    scripts = [Script(pick.of(stock.REFUSALS[adapter]), duration_ms=pick.of(stock.DURATIONS))]
    if pick.chance(50):
        scripts.extend(pick.scripts(adapter))
    if author.happen(run) and author.script(adapter, *scripts):
        author.happen(run, run)


@happening()
def a_session_fails_again_and_again(author: Author, pick: Pick) -> None:
    """Let a session be poisoned, so that every try with it fails until the retries are used up."""
    drawn = author.local_run(pick)
    if drawn is None:
        return
    run, _, adapter = drawn
    same = pick.of(stock.FAILURES)
    scripts = [Script(shape) for shape in pick.some(stock.FAILURES, 2, 4)]
    if author.happen(run) and author.script(adapter, *([Script(same)] * 4 if pick.chance(60) else scripts)):
        author.happen(run)
        author.happen(*(TimePassed(pick.of((61, 121, 241)) * stock.SECOND) for _ in range(pick.of((1, 2, 3)))))


@happening()
def two_runs_are_due_at_once(author: Author, pick: Pick) -> None:
    """Let a run be due while another one of the same issue goes on, and perhaps a third."""
    drawn = author.local_run(pick)
    if drawn is None:
        return
    run, ref, adapter = drawn
    shape = able(adapter, pick.of(stock.SLOW))
    author.script(adapter, Script(shape, duration_ms=pick.of((10 * stock.SECOND, 2 * stock.MINUTE))))
    author.happen(run)
    for phase in pick.some(ISSUE_PHASES, 1, 2):
        author.happen(due(ref, phase))
    if pick.chance(60):
        author.happen(TimePassed(pick.of((stock.SECOND, 11 * stock.SECOND, 3 * stock.MINUTE, 31 * stock.MINUTE))))


@happening()
def an_agent_reaches_for_files(author: Author, pick: Pick) -> None:
    """Let the agent write or plant a link during its run, and let another run follow."""
    drawn = author.local_run(pick)
    if drawn is None:
        return
    run, _, adapter = drawn
    shape = able(adapter, pick.of(("ok", "ok", "unsaved", "other_id")))
    if author.script(adapter, Script(shape, acts=pick.of(stock.acts(adapter)))):
        author.happen(run, run)


@happening()
def a_merge_request_reports(author: Author, pick: Pick) -> None:
    """Let the agent's merge request tell of something, a human's, or one that nobody knows."""
    scene = author.scene
    known = [(ref, number) for ref in scene.ready() for number in scene.mailboxes[ref].merge_requests]
    known += [(ref, ref.iid) for ref in scene.reviews()]
    if not known or pick.chance(10):
        known = [(ref, stock.NOBODYS) for ref in scene.issues()]
    ref, number = pick.of(known)
    if pick.chance(30) and ref.kind == "issue":
        adapter = scene.binding(ref, Phase.CI_FIX).adapter
        author.script(adapter, *pick.scripts(adapter))
    for event in pick.some(tuple(MergeRequestEvent), 1, 2):
        author.happen(Sent(MergeRequestEventSent(ref.organization, ref.project, number, event)))


@happening()
def a_human_asks_for_a_review(author: Author, pick: Pick) -> None:
    """Hand a human's merge request to the agent, or let a review of it be due."""
    reviews = author.scene.reviews()
    if not reviews or pick.chance(30):
        ref = MailboxRef(*pick.of(tuple(author.scene.bindings)), "merge_request", pick.of(stock.NUMBERS))
        author.happen(Sent(ReviewRequested(ref, pick.title())), due(ref, Phase.HUMAN_REVIEW))
        return
    ref = pick.of(reviews)
    if pick.chance(40):
        adapter = author.scene.binding(ref, Phase.HUMAN_REVIEW).adapter
        author.script(adapter, *pick.scripts(adapter))
    author.happen(due(ref, Phase.HUMAN_REVIEW))

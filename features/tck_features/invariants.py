"""What must be so whenever an engine has come to rest, whatever has happened to it before, a power cut above all.

Nothing here knows what a scenario was about. Specification: §11.7, §21, CLEAN-6, FALLBACK-10, ISOLATE-3, ISOLATE-6,
RESUME-3, RESUME-13, RESUME-15.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tck_driver.stimuli import IssueClosed, IssueRetry, ReconcileDue, RunDue
from tck_driver.views import SessionRow
from tck_driver.vocabulary import Closing, MailboxRef, Phase, RunOutcome
from tck_driver.witness import CliAnswered, ContainerEnded, ContainerStarted, ForgeWrite
from tck_features.world import Start, World

_UNENDED = (RunOutcome.LIVE, RunOutcome.QUEUED)
_FAILED = (RunOutcome.FAILED, RunOutcome.TIMED_OUT)
_FINISHED = (*_FAILED, RunOutcome.SUCCEEDED)
#: Milliseconds within which leases run out, sweeps are done, and retries and time-outs have had their turn.
_STEPS = (5_000, 120_000, 600_000, 3_600_000, 7_200_000)


@dataclass(frozen=True, slots=True)
class Leniency:
    """What a scenario did that may rightly keep a session from being resumed, or a directory from being removed."""

    damaged: bool = False
    guarded: bool = False
    reopened: bool = False


def come_to_rest(world: World) -> None:
    """Let time pass until nothing can be under way any more, and what hangs go on."""
    for milliseconds in _STEPS:
        world.bench.release()
        world.advance(milliseconds)


def check_rest(world: World) -> None:
    """Check that every run has ended, and that neither container nor worktree is left of it."""
    open_ends = [f"run {row.run} of {row.mailbox}" for row in world.table() if row.outcome in _UNENDED]
    world.checks.expect("runs that have not ended", expected=[], actual=open_ends, rests_on=world.evidence)
    world.checks.expect("containers that run on", expected=[], actual=[*world.bench.running()], rests_on="witnessed")
    removed = {record.container for record in world.bench.witness.of(ContainerEnded) if record.how == "removed"}
    kept = [start.container.container for start in world.starts() if start.container.container not in removed]
    world.checks.expect("containers that were not removed", expected=[], actual=kept, rests_on="witnessed")
    worktrees = world.bench.base / ".worktrees"
    left = sorted(path.name for path in worktrees.iterdir()) if worktrees.is_dir() else []
    world.checks.expect("worktrees that are left", expected=[], actual=left, rests_on="witnessed")


def check_writers(world: World) -> None:
    """Check that no two containers ever had the same session state at one time (RESUME-13)."""
    holders: dict[str, str] = {}
    shared: list[str] = []
    for record in world.bench.witness.records:
        if isinstance(record, ContainerStarted):
            for mount in record.mounts:
                if world.is_session_path(mount.source):
                    if mount.source in holders:
                        shared.append(f"{record.container} beside {holders[mount.source]}")
                    holders[mount.source] = record.container
        elif isinstance(record, ContainerEnded):
            holders = {source: one for source, one in holders.items() if one != record.container}
    world.checks.expect("containers that shared a session", expected=[], actual=shared, rests_on="witnessed")


def check_origin(world: World, leniency: Leniency) -> None:
    """Check that no CLI was asked for a session that another mailbox or adapter began (ISOLATE-3)."""
    if leniency.damaged:
        return
    owners: dict[str, tuple[MailboxRef, str]] = {}
    foreign: list[str] = []
    mailboxes = _mailboxes(world)
    for start in world.starts():
        ref = mailboxes.get(start.container.container)
        if ref is None:
            continue
        mine = (ref, start.cli.adapter)
        asked = start.cli.asked_id
        if asked is not None and owners.get(asked, mine) != mine:
            foreign.append(f"{ref} was asked to go on with {asked}, which is {owners[asked][0]}'s")
        for native_id in _named(start):
            owners.setdefault(native_id, mine)
    world.checks.expect("foreign sessions that were asked for", expected=[], actual=foreign, rests_on="witnessed")


def check_reported(world: World, leniency: Leniency) -> None:
    """Check that an abandoned run has kept the one id that its CLI named before it was stopped (RESUME-15)."""
    if leniency.damaged:
        return
    lost: list[str] = []
    for row in world.table():
        starts = world.starts_of(row)
        if row.outcome != RunOutcome.ABANDONED or row.session_name is None or len(starts) != 1:
            continue
        start = starts[0]
        named = () if start.answer is None else start.answer.reported_ids
        if start.cli.asked_id is None and len(named) == 1 and row.native_session_id != named[0]:
            lost.append(f"run {row.run} named {named[0]}, and its row holds {row.native_session_id}")
    world.checks.expect("ids that were named and not kept", expected=[], actual=lost, rests_on=world.evidence)


def check_comments(world: World) -> None:
    """Check that no answer was published twice: there are no more comments of one text than runs that may have it."""
    succeeded = Counter(str(row.mailbox) for row in world.runs.values() if row.outcome == RunOutcome.SUCCEEDED)
    answers = {"Done."}
    posted = Counter(
        write.subject
        for write in world.bench.witness.of(ForgeWrite)
        if write.kind == "comment" and write.text in answers
    )
    twice = [
        f"{subject}: {count} comments, {succeeded[subject]} runs"
        for subject, count in posted.items()
        if count > succeeded[subject]
    ]
    world.checks.expect("answers that were published twice", expected=[], actual=twice, rests_on="witnessed")


def probe(world: World, leniency: Leniency) -> None:
    """Let one more run of each open issue be due, and check that every run went on with the session that there was."""
    issues = [ref for ref in world.titles if ref.kind == "issue"]
    for ref in issues:
        world.send(IssueRetry(ref))
        if world.result.run is None:
            world.send(RunDue(ref, Phase.DEVELOPMENT))
        world.bench.release()
        world.advance(0)
    for ref in issues:
        rows = [row for row in world.table() if row.mailbox == ref]
        for at, row in enumerate(rows):
            _check_continued(world, rows[:at], row, leniency)


def _check_continued(world: World, before: list[SessionRow], row: SessionRow, leniency: Leniency) -> None:
    """Check that a run asked for the latest id of its mailbox and adapter, where it has a session at all."""
    if leniency.damaged or leniency.reopened or row.session_name is None:
        return
    prior = [one for one in before if one.adapter_id == row.adapter_id and one.native_session_id is not None]
    starts = world.starts_of(row)
    failed = [one.outcome in _FAILED for one in before if one.adapter_id == row.adapter_id and one.outcome in _FINISHED]
    given_up = row.resume_fallback == "refused" and len(failed) >= _GIVEN_UP and all(failed[-_GIVEN_UP:])
    if not starts or given_up:
        return
    asked = starts[0].cli.asked_id
    latest = prior[-1].native_session_id if prior else None
    world.checks.expect(
        f"the session that the next run of {row.mailbox} goes on with",
        expected=latest,
        actual=asked,
        rests_on=world.evidence,
        evidence=tuple(str(one) for one in [*before, row]),
    )


#: After so many failures a session is given up (FALLBACK-20).
_GIVEN_UP = 3


def end_all(world: World, leniency: Leniency) -> None:
    """Close every issue, and check that nothing at all is left of any."""
    for ref in [ref for ref in world.titles if ref.kind == "issue"]:
        world.send(IssueClosed(ref, Closing.MERGED))
    world.send(ReconcileDue())
    check_rest(world)
    if not leniency.guarded:
        left = [path.name for path in world.state_paths()]
        world.checks.expect("session directories that are left", expected=[], actual=left, rests_on="witnessed")


def _mailboxes(world: World) -> dict[str, MailboxRef]:
    return {start.container.container: row.mailbox for row in world.runs.values() for start in world.starts_of(row)}


def _named(start: Start) -> tuple[str, ...]:
    answer: CliAnswered | None = start.answer
    if answer is None:
        return ()
    return tuple(dict.fromkeys((*([answer.session_id] if answer.session_id else []), *answer.reported_ids)))

"""The model of the specification: it follows a history and says after each event what the engine had to do.

What the outside world did comes from the events, what the CLIs did from the witness. What must follow is worked out
from the specification's tables, and held against the rows of `llm_sessions`, the starts of CLIs, the writes to the
tracker and the engine's views. Where the specification leaves something open, the model takes what it sees and goes on
from it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from tck_driver.stimuli import BindingChanged, InstallationChanged, IssueRetitled, PrefixChanged, SettingChanged
from tck_driver.vocabulary import AdapterId
from tck_features.history.events import (
    Damaged,
    IdOverwritten,
    Restarted,
    Scripted,
    Sent,
    TimePassed,
    TrackerSet,
)
from tck_features.history.history import Happened
from tck_features.model import blame
from tck_features.model.archive import Archive
from tck_features.model.claims import Claims
from tck_features.model.course import Course
from tck_features.model.files import holds_something, wordless_sessions
from tck_features.model.ledger import Ledger
from tck_features.model.logbook import Logbook
from tck_features.model.mailbox import Mailbox
from tck_features.model.page import Page
from tck_features.model.scene import Scene
from tck_features.model.stage import Stage
from tck_features.model.tracker import Tracker
from tck_features.world import World

#: Stimuli that change nothing but what later runs begin with.
_OF_CONFIGURATION = (SettingChanged, BindingChanged, PrefixChanged, InstallationChanged, IssueRetitled)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the model consists of once there is an engine to follow."""

    claims: Claims
    archive: Archive
    course: Course
    stage: Stage
    tracker: Tracker
    ledger: Ledger


class Model:
    """Watches one history."""

    def __init__(self) -> None:
        """Begin before anything has happened."""
        self._scene = Scene()
        self._logbook = Logbook()
        self._parts: _Parts | None = None
        self._refused = False

    def saw(self, world: World, happened: Happened) -> None:
        """Take an event in, and hold what the engine did against what it had to do."""
        event = happened.event
        if isinstance(event, Scripted):
            self._logbook.scripted(event.adapter, event.scripts)
        if isinstance(event, TrackerSet):
            self._scene.answers[event.mailbox] = event.answer
            self._scene.answered_since[event.mailbox] = happened.begun
        if not world.opened or self._refused:
            return
        if happened.refusal is not None:
            # Whether it had cause to refuse is for whoever gave it that configuration to say.
            self._refused = True
            return
        if self._parts is None:
            self._parts = self._open(world, happened)
        self._parts.claims.table = world.evidence
        page, changed = self._read(world, happened, self._parts)
        self._follow(page, self._parts)
        self._check(world, page, self._parts, changed=changed)
        self._look_around(self._parts, page)

    def _open(self, world: World, happened: Happened) -> _Parts:
        scene, logbook, claims = self._scene, self._logbook, Claims(world.checks)
        scene.open(world.before.projects, world.before.settings)
        course = Course(scene, logbook, claims)
        return _Parts(
            claims,
            Archive(scene, logbook, claims, happened.begun),
            course,
            Stage(scene, course, claims),
            Tracker(scene, logbook, claims),
            Ledger(scene, logbook, claims),
        )

    def _read(self, world: World, happened: Happened, parts: _Parts) -> tuple[Page, bool]:
        """Read what was witnessed and what the table holds; say as well whether that has changed."""
        archive, stage, event = parts.archive, parts.stage, happened.event
        records = world.bench.witness.records[happened.since : happened.until]
        chapter = self._logbook.read(records, happened.since)
        changed = archive.read(happened.table)
        page = Page(happened, chapter, archive.rows)
        stage.turn_page()
        if isinstance(event, IdOverwritten):
            self._overwrite(world, event, parts)
        stage.take_in(page)
        if changed or self._logbook.unlabelled:
            archive.sort(page)
        if _may_have_moved(page, stage):
            page.mailboxes = parts.ledger.read_mailboxes(world)
        stage.settle(page)
        return page, changed

    def _overwrite(self, world: World, event: IdOverwritten, parts: _Parts) -> None:
        """Take in that a stored id was overwritten; a row that was deleted cannot be written."""
        ids = [row.run for row in world.runs.values() if row.mailbox == event.mailbox]
        run = parts.archive.runs.get(ids[event.run]) if event.run < len(ids) else None
        if run is not None and run.id in parts.archive.rows:
            parts.stage.overwrite(run, event.value)

    def _follow(self, page: Page, parts: _Parts) -> None:
        for box in list(parts.stage.current.values()):
            rows = page.fresh.pop(box.ref, None)
            if box.loose is None and (rows or box.live or box.work or box.ending):
                parts.course.follow(box, rows or deque(), page)
                parts.archive.runs.update((run.id, run) for run in box.begun)
        strange = [f"run {row.run} of {row.mailbox}" for rows in page.fresh.values() for row in rows]
        if strange:
            parts.claims.recorded("runs in mailboxes that nothing has opened", [], strange, "RESUME-5")

    def _check(self, world: World, page: Page, parts: _Parts, *, changed: bool) -> None:
        """Check what is left when every run has been followed: other rows, the tracker, the views."""
        stage, ledger, event = parts.stage, parts.ledger, page.happened.event
        if changed:
            parts.archive.check_kept(page)
        parts.archive.check_deleted(page)
        present = [box for box in stage.current.values() if box.loose is None]
        moved = any(box.begun or box.concluded for box in present)
        ledger.check_mailboxes(stage.boxes, page)
        if page.chapter.writes or moved:
            parts.tracker.check(stage.boxes, page)
        counters = None if page.mailboxes is None else ledger.read_counters(world)
        if counters is not None:
            ledger.check_counters(counters, present, late=page.woken)
            stage.find_again(page, counters)
        if moved:
            ledger.check_exchanges(world, present)
        ledger.check_installations(world, page)
        if page.sweeps or (isinstance(event, Sent) and isinstance(event.stimulus, SettingChanged)):
            ledger.check_settings(world)

    def _look_around(self, parts: _Parts, page: Page) -> None:
        """Look into the state directories: what somebody has damaged, and that the engine has removed nothing."""
        event = page.happened.event
        for box in parts.stage.current.values():
            damaged = event if isinstance(event, Damaged) and event.mailbox == box.ref else None
            if damaged is not None:
                _take_damage(box, damaged.adapter)
            if not box.open or box.may_end or not (damaged or page.concerns(box)):
                continue
            for adapter, folder in box.folders.items():
                box.holds[adapter] = (holds_something(folder),)
                if adapter in box.kept and box.loose is None:
                    self._check_state(parts.claims, box, adapter, page)

    def _check_state(self, claims: Claims, box: Mailbox, adapter: str, page: Page) -> None:
        """Check that the session state of an open issue is there, as far as somebody has not damaged it."""
        claims.witnessed(
            f"{box.ref}: what is left of the session state of {adapter}",
            "something",
            "something" if box.holds[adapter] == (True,) else "nothing",
            "ISOLATE-6",
            why=lambda: blame.kept(box, swept=page.sweeps or page.timely, configured=page.configures, ended=page.ends),
        )


def _take_damage(box: Mailbox, adapter: str) -> None:
    """Take in that somebody has damaged a state directory."""
    if box.live is not None:
        box.live.damaged = True
    box.kept.discard(adapter)
    box.sound.pop(adapter, None)
    box.silent |= wordless_sessions(box.folders.get(AdapterId.COPILOT))


def _may_have_moved(page: Page, stage: Stage) -> bool:
    """Say whether mailboxes can have changed, or could if the engine were wrong, so that it is worth asking."""
    event, happened = page.happened.event, page.happened
    witnessed = happened.since != happened.until
    if isinstance(event, Sent):
        return not isinstance(event.stimulus, _OF_CONFIGURATION) or bool(page.chapter.writes)
    if isinstance(event, TimePassed):
        return witnessed or any(answer != "normal" for answer in stage.scene.answers.values())
    return witnessed or isinstance(event, Restarted)

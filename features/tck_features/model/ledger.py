"""The engine's own account, view by view, held against the model.

A view that the engine does not have, or cannot be asked for, is left out from then on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

from tck_driver.errors import UnsupportedError, UntestableError
from tck_driver.views import (
    CounterRow,
    ExchangeRow,
    InstallationRow,
    MailboxRow,
    Row,
    SettingRow,
    ViewName,
)
from tck_driver.vocabulary import AdapterId, MailboxRef, RunOutcome
from tck_features.model import blame
from tck_features.model.claims import Claims
from tck_features.model.facts import BY_ITSELF, FIXES, RESUME_SETTING, STATE_PLACES
from tck_features.model.logbook import Logbook
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.page import Generation, Page
from tck_features.model.scene import Scene
from tck_features.model.versions import is_verified
from tck_features.world import World

R = TypeVar("R", bound=Row)
#: After which a version command is stopped (§16.6).
_VERSION_TIME = timedelta(seconds=10)


class Ledger:
    """Asks for views and compares them."""

    def __init__(self, scene: Scene, logbook: Logbook, claims: Claims) -> None:
        """Work on what the model has."""
        self._scene = scene
        self._logbook = logbook
        self._claims = claims
        self._declined: set[ViewName] = set()
        self._looked_up = 0

    def _ask(self, world: World, name: ViewName, kind: type[R]) -> list[R] | None:
        if name in self._declined:
            return None
        try:
            return world.view(name, kind)
        except (UnsupportedError, UntestableError):
            self._declined.add(name)
            return None

    # Mailboxes

    def read_mailboxes(self, world: World) -> dict[Generation, MailboxRow] | None:
        """Ask for the mailboxes; each generation stands there once."""
        rows = self._ask(world, "mailboxes", MailboxRow)
        if rows is None:
            return None
        found = {(row.mailbox, row.generation): row for row in rows}
        if len(found) != len(rows):
            twice = sorted(f"{row.mailbox} {row.generation}" for row in rows)
            self._claims.reported("rows of mailboxes, one for each generation", sorted(set(twice)), twice, "CLEAN-13")
        return found

    def check_mailboxes(self, boxes: Sequence[Mailbox], page: Page) -> None:
        """Compare what the engine says of its mailboxes, those left out of which nothing is known."""
        rows = page.mailboxes
        if rows is None:
            return
        known = {(box.ref, box.generation) for box in boxes}
        strange = sorted(f"{ref}, generation {generation}" for ref, generation in rows.keys() - known)
        if strange:
            self._claims.reported("mailboxes that nothing has opened", [], strange, "CLEAN-13", "RESUME-5")
        for box in boxes:
            if box.loose is not None:
                continue
            self._check_mailbox(box, rows.get((box.ref, box.generation)))

    def _check_mailbox(self, box: Mailbox, row: MailboxRow | None) -> None:
        shown = (row, box.states, box.open, box.names)
        if shown == box.shown:
            return
        what = f"{box.ref}, generation {box.generation}"
        if row is None:
            self._claims.told(f"{what}: it has a row", "CLEAN-13", holds=False)
            return
        if box.issue:
            possible = box.states.union(*(BY_ITSELF.get(state, ()) for state in box.states))
            state = row.state if row.state in possible else min(box.states)
            self._claims.reported(
                f"{what}: state", state, row.state, "FALLBACK-9", why=lambda: self._of_state(box, row.state)
            )
            box.states = frozenset({row.state})
        self._claims.reported(
            f"{what}: open", box.open, row.open, "CLEAN-10", why=lambda: self._of_state(box, row.state)
        )
        if not box.issue or not box.names:
            none = ("NAME-1", "NAME-2", "CLEAN-13") if box.issue else ("OFF-6",)
            self._claims.reported(f"{what}: branch_name", None, row.branch_name, *none)
            box.shown = (row, box.states, box.open, box.names)
            return
        name = row.branch_name if row.branch_name in box.names else box.names[0]
        first = len(box.runs) == len(box.begun)
        named = (*(("NAME-2",) if first else ()), *blame.name(box, None, first=first))
        self._claims.reported(f"{what}: branch_name", name, row.branch_name, *named)
        box.names = (name,)
        box.shown = (row, box.states, box.open, box.names)

    def _of_state(self, box: Mailbox, state: str) -> tuple[str, ...]:
        """Name what says in which state a mailbox is."""
        if not box.open:
            return (*blame.of_end(next(iter(box.states))), "CLEAN-11", "CLEAN-13")
        if state in {"done", "cancelled", "orphaned"}:
            return ("CLEAN-10", "CLEAN-3")
        ids: tuple[str, ...] = ("FALLBACK-9",)
        if box.blocked or state == "blocked":
            ids = ("FALLBACK-8", "FALLBACK-12", "FALLBACK-9")
        if any(run.work.cause == "human" for run in box.begun):
            ids = ("CLEAN-5", *ids)
        return ("CLEAN-13", *ids) if box.generation > 1 else ids

    # Counters

    def read_counters(self, world: World) -> dict[MailboxRef, CounterRow] | None:
        """Ask for the counters; of an issue that was reopened those of the latest mailbox count."""
        rows = self._ask(world, "counters", CounterRow)
        return None if rows is None else {row.mailbox: row for row in rows}

    def check_counters(self, held: Mapping[MailboxRef, CounterRow], boxes: Iterable[Mailbox], *, late: bool) -> None:
        """Compare the counters of the present mailboxes; `late`: a worker that came too late has just gone on."""
        for box in boxes:
            row = held.get(box.ref)
            if not box.open or not box.issue:
                continue
            known = (row, box.retries, box.fixes, box.fixes_left, box.spent, box.live)
            if known == box.counted:
                continue
            box.counted = known
            ids = ("RESUME-14", "FALLBACK-8") if late else ("FALLBACK-8", "FALLBACK-12")
            retries = None if row is None else row.llm_retries
            spent = (box.retries, box.retries + 1) if box.spent else (box.retries,)
            due = retries if retries in spent else box.retries
            self._claims.reported(f"{box.ref}: llm_retries", due, retries, *ids)
            fixes = None if row is None else row.fix_attempts
            live = box.live is not None and box.live.row.phase in FIXES
            possible = range(box.fixes - box.fixes_left, box.fixes + live + 1)
            due = fixes if fixes in possible else box.fixes
            counted = ("RESUME-14", "FALLBACK-9") if late else ("FALLBACK-9",)
            self._claims.reported(f"{box.ref}: fix_attempts", due, fixes, *counted)

    # Exchanges

    def check_exchanges(self, world: World, boxes: Iterable[Mailbox]) -> None:
        """Compare the request and the result of the runs that began or ended during this event."""
        runs = {run.id: (box, run) for box in boxes if box.begun or box.concluded for run in box.touched}
        if not runs:
            return
        rows = self._ask(world, "exchanges", ExchangeRow)
        if rows is None:
            return
        held = {row.run: row for row in rows if row.run in runs}
        for box, run in runs.values():
            if run.gone:
                continue
            row = held.get(run.id)
            if row is None and run.row.outcome in {RunOutcome.CANCELLED, RunOutcome.ABANDONED}:
                # Its adapter was not given the time to answer.
                continue
            if row is None:
                self._claims.told(f"{run}: it has an exchange", "CONTRACT-1", "CONTRACT-2", holds=False)
                continue
            self._check_request(box, run, row)
            self._check_result(run, row)

    def _check_request(self, box: Mailbox, run: Run, row: ExchangeRow) -> None:
        session = None if row.session is None else dict(row.session)
        if not run.decision.applies:
            self._claims.reported(
                f"{run}: LlmRequest.session",
                None,
                session,
                "RESUME-1",
                "CONTRACT-1",
                why=lambda: ("CONTRACT-1", *blame.without_session(box, run.row.adapter_id, self._scene)),
            )
            return
        legs = self._logbook.of(run.id)
        place = None if not legs or legs[0].state_dir is None else str(legs[0].state_dir)
        due: dict[str, str | None] = {"name": run.row.session_name, "resumeId": run.decision.asked, "stateDir": place}
        # Of a run that was refused the request can be told as it was made for the first start, or for the second.
        if len(legs) > 1 and session is not None and session.get("resumeId", "") is None:
            due["resumeId"] = None
        told = None if session is None else session.get("stateDir")
        if told and place and os.path.realpath(told) == os.path.realpath(place):
            due["stateDir"] = told
        ids = ("RESUME-1", "CONTRACT-1") if session is None else ("CONTRACT-1", "ISOLATE-1", "RESUME-3")
        self._claims.reported(f"{run}: LlmRequest.session", due, session, *ids)

    def _check_result(self, run: Run, row: ExchangeRow) -> None:
        result = None if row.result is None else dict(row.result)
        held = run.row
        if run.live:
            self._claims.reported(f"{run}: LlmResult while it lasts", None, result, "CONTRACT-2")
            return
        if result is None and held.outcome in {RunOutcome.CANCELLED, RunOutcome.ABANDONED}:
            return
        ids = [held.native_session_id]
        legs = self._logbook.of(run.id)
        if legs and not legs[-1].saved and legs[-1].answer is not None:
            # What was not saved is not stored, and may have been reported to the engine all the same (RECORD-3).
            ids.extend(legs[-1].answer.reported_ids)
        told = None if result is None else result.get("sessionId")
        due = {
            "sessionId": told if told in ids else held.native_session_id,
            "resumed": held.resumed,
            "resumeFallback": held.resume_fallback,
        }
        self._claims.reported(f"{run}: LlmResult", due, result, "CONTRACT-2")

    # Installations

    def check_installations(self, world: World, page: Page) -> None:
        """Compare what is on record of the images whose version was asked."""
        asked = self._logbook.asked
        if asked == self._looked_up:
            return
        self._check_times()
        rows = self._ask(world, "installations", InstallationRow)
        if rows is None:
            return
        self._looked_up = asked
        held: dict[tuple[str, str], list[InstallationRow]] = {}
        for row in rows:
            held.setdefault((row.adapter_id, row.image), []).append(row)
        for (adapter, image), answers in self._logbook.versions.items():
            found = held.get((adapter, image), [])
            if not found and answers[-1].version is None and page.until < page.since + _VERSION_TIME:
                # It may still be waited for.
                self._looked_up = -1
                continue
            self._claims.reported(f"rows of {adapter} in {image}", 1, len(found), "CAPABILITY-7", "CAPABILITY-2")
            self._check_installation(found[0], [answer.version for answer in answers])

    def _check_times(self) -> None:
        """Check that no version command ran for longer than it may."""
        for (adapter, image), answers in self._logbook.versions.items():
            longest = max(answer.seconds for answer in answers)
            if longest > _VERSION_TIME.total_seconds() + 1:
                statement = f"for how long the version command of {adapter} ran in {image}"
                self._claims.witnessed(statement, "10 seconds at most", f"{longest} seconds", "CAPABILITY-4")

    def _check_installation(self, row: InstallationRow, versions: Sequence[str | None]) -> None:
        version = row.version if row.version in versions else versions[-1]
        good = is_verified(row.adapter_id, version)
        place = STATE_PLACES.get(row.adapter_id) if good else None
        ids = ("CAPABILITY-2", *(("CAPABILITY-4",) if version is None else ()))
        broken: tuple[str, ...] = ("CAPABILITY-2", "CAPABILITY-1", "CAPABILITY-4", "CAPABILITY-6", "FALLBACK-5")
        if row.adapter_id == AdapterId.GROK_BUILD:
            broken = (*broken, "CAPABILITY-3")
        self._claims.reported(
            f"{row.adapter_id} in {row.image}: version, resumable_sessions, session_state_path",
            [version, good, place],
            [row.version, row.resumable_sessions, row.session_state_path],
            *ids,
            why=lambda: broken,
        )

    # Settings

    def check_settings(self, world: World) -> None:
        """Compare what is stored of `AGENT_SESSION_RESUME`, after somebody wanted to change it somewhere."""
        rows = self._ask(world, "settings", SettingRow)
        if rows is None:
            return
        held = {
            f"{row.scope} {row.organization}/{row.project}".rstrip("/"): row.value
            for row in rows
            if row.name == RESUME_SETTING and row.value is not None
        }
        due = {
            f"{scope} {organization}/{project}".rstrip("/"): value
            for ((scope, organization, project), name), value in self._scene.stored.items()
            if name == RESUME_SETTING
        }
        self._claims.reported(f"{RESUME_SETTING}, as it is stored", due, held, "OFF-10", "OFF-1", "OFF-9")

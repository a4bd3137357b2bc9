"""What the engine wrote to the tracker: the branch, the merge request, and nothing more because of a fallback.

Which comments and labels a run leads to is the engine's own affair. So that a fallback leads to none (FALLBACK-9,
FALLBACK-10) is seen by comparing: what follows must be what followed in this history from a run of the same phase in
the same state with the same outcome that did not fall back. Specification: §7.2, §7.3, §13.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tck_driver.vocabulary import Phase, RunOutcome
from tck_driver.witness import ForgeWrite
from tck_features.model import blame
from tck_features.model.claims import Claims
from tck_features.model.facts import FIXES
from tck_features.model.logbook import Logbook
from tck_features.model.mailbox import Mailbox, Run
from tck_features.model.names import branch_name
from tck_features.model.page import Page
from tck_features.model.scene import Scene

_SESSIONS = re.compile(r"\b(session|resum|fallback|fell back|memory|fresh)", re.IGNORECASE)
#: The labels of an issue that is in development, or has been.
_IN_DEVELOPMENT = frozenset({"status::in_development", "status::in_ci", "status::in_review"})
#: What makes two runs alike: phase, outcome, first of its mailbox, states before, merge request, retries, the answer.
_Kind = tuple[object, ...]
_Trace = tuple[tuple[str, str], ...]


class Tracker:
    """Holds each write against what the mailboxes of the model were about."""

    def __init__(self, scene: Scene, logbook: Logbook, claims: Claims) -> None:
        """Work on what the model has."""
        self._scene = scene
        self._logbook = logbook
        self._claims = claims
        self._traces: dict[tuple[bool, _Kind], tuple[str, _Trace]] = {}

    def check(self, boxes: Sequence[Mailbox], page: Page) -> None:
        """Check what was written during one event, after the mailboxes have been followed through it."""
        by_box: dict[int, list[ForgeWrite]] = {}
        for position, write in page.chapter.writes:
            pushed = write.kind == "branch"
            box = self._branch(write, position, boxes) if pushed else self._owner(write.subject, boxes)
            if box is not None and write.kind == "merge_request" and box.loose is not None:
                self._note_merge_request(write, box)
                box.developed = True
            if box is None or box.loose is not None:
                continue
            box.shown_in_development |= write.kind == "label" and write.text in _IN_DEVELOPMENT
            if write.kind == "merge_request":
                self._merge_request(write, box)
            by_box.setdefault(id(box), []).append(write)
        for box in boxes:
            writes = by_box.get(id(box), [])
            if box.begun or box.concluded or writes:
                self._check_box(box, writes, page)

    def _owner(self, subject: str, boxes: Iterable[Mailbox]) -> Mailbox | None:
        """Find the mailbox that a write is about: its issue or merge request, or the agent's own merge request."""
        found: Mailbox | None = None
        for box in boxes:
            own = f"{box.ref.organization}/{box.ref.project}!{box.request}" if box.request is not None else ""
            if subject in (str(box.ref), own):
                found = box
        return found

    def _branch(self, write: ForgeWrite, position: int, boxes: Sequence[Mailbox]) -> Mailbox | None:
        """Check the name of a branch that was pushed, and give the mailbox whose it is."""
        project = [box for box in boxes if f"{box.ref.organization}/{box.ref.project}" == write.subject and box.issue]
        named = [box for box in project if write.text in box.names]
        if not named and any(box.loose is not None for box in project):
            return None
        if not named:
            running = [box for box in project if box.begun or box.concluded] or project
            box = running[-1] if running else None
            names = sorted({name for one in project for name in one.names})
            ids = ("NAME-6",) if box is None else ("NAME-6", *self._because(write.text, box))
            self._claims.witnessed("names under which branches are pushed", names, write.text, *ids)
            return None
        box = next((one for one in named if one.begun or one.concluded), named[-1])
        if box.loose is None:
            statement = f"{box.ref}: its branch was pushed in development or later"
            developed = box.shown_in_development or position > self._first_development(box)
            self._claims.seen(statement, "NAME-6", holds=box.developed and developed)
        return box

    def _first_development(self, box: Mailbox) -> int:
        """Give where in the log the first run began that changes the code; -1 where that did not start a CLI."""
        runs = [run for run in box.runs if run.row.phase == Phase.DEVELOPMENT or run.row.phase in FIXES]
        legs = self._logbook.of(runs[0].id) if runs else []
        return legs[0].position if legs else -1

    def _because(self, text: str, box: Mailbox) -> tuple[str, ...]:
        """Say which change a wrong branch follows, if one."""
        titles, prefixes = self._scene.titles.get(box.ref, ()), self._scene.prefixes(box.ref)
        anew = {branch_name(prefix, box.ref.iid, title) for title in titles for prefix in prefixes}
        return blame.name(box, None, first=False) if text in anew else ()

    def _merge_request(self, write: ForgeWrite, box: Mailbox) -> None:
        """Check a merge request that the agent opened: one for each issue, for its branch."""
        claims = self._claims
        if box.issue:
            branch = write.text.partition("\n")[0]
            claims.witnessed(f"{box.ref}: branch of the merge request", box.names[:1], (branch,), "NAME-6", "NAME-3")
            claims.witnessed(f"{box.ref}: it had no merge request yet", None, box.request, "NAME-6", "RESUME-5")
            self._note_merge_request(write, box)

    def _note_merge_request(self, write: ForgeWrite, box: Mailbox) -> None:
        """Note whose merge request this is."""
        box.request = write.number
        if write.number is not None:
            key = (box.ref.organization, box.ref.project, write.number)
            self._scene.requests[key] = (box.ref, box.generation)

    def _check_box(self, box: Mailbox, writes: Sequence[ForgeWrite], page: Page) -> None:
        done = [run for run in box.concluded if run.row.outcome == RunOutcome.SUCCEEDED]
        if box.issue and any(run.row.phase == Phase.DEVELOPMENT for run in done) and not box.blocked:
            ids = ("NAME-6", *(("FALLBACK-11",) if done[-1].fell_back else ()))
            pushed = any(write.kind == "branch" and write.text in box.names for _, write in page.chapter.writes)
            self._claims.seen(f"{box.ref}: its branch was pushed after development", *ids, holds=pushed)
            if box.generation == 1:
                statement = f"{box.ref}: its merge request is open after development"
                self._claims.seen(statement, *ids, "RESUME-5", holds=box.request is not None)
        if writes and not box.active and box.issue and not page.addresses(box):
            self._check_idle(box, writes, page)
        for write in writes:
            if write.kind == "comment":
                self._check_words(box, write)
        # One run alone, from its beginning to its end or to where it stands still.
        alone = len(box.begun) == 1 and box.concluded in ([], box.begun) and "blocked" not in box.before
        if alone and box.ending is None and not box.may_end:
            self._compare(box, box.begun[0], writes)

    def _check_idle(self, box: Mailbox, writes: Sequence[ForgeWrite], page: Page) -> None:
        """Check that nothing is said of a mailbox in which nothing happened; labels may be set once more."""
        spoken = [f"{write.kind} {write.text}" for write in writes if page.strict or write.kind == "comment"]
        ids = ("RESUME-14",) if page.woken else ("FALLBACK-10", "FALLBACK-9")
        self._claims.witnessed(f"{box.ref}: what was written though nothing happened to it", [], spoken, *ids)

    def _check_words(self, box: Mailbox, write: ForgeWrite) -> None:
        """Check that a comment beside a fallback does not speak of it, the model's own words left out."""
        runs = box.touched
        if not any(run.fell_back for run in runs):
            return
        scripts = [leg.script for run in runs for leg in self._logbook.of(run.id)]
        if any(script.shape == "prose_id" for script in scripts):
            return
        text = write.text
        for script in scripts:
            text = text.replace(script.answer, "")
        if _SESSIONS.search(text):
            self._claims.witnessed(f"{box.ref}: a comment that speaks of sessions", None, write.text, "FALLBACK-10")

    def _compare(self, box: Mailbox, run: Run, writes: Sequence[ForgeWrite]) -> None:
        """Compare what a run led to with what its like led to, one of them having fallen back."""
        legs = self._logbook.of(run.id)
        answer = legs[-1].script.answer if legs and legs[-1].script.shape != "prose_id" else None
        kind: _Kind = (
            run.row.phase,
            run.row.outcome,
            run.work.cause,
            run is box.runs[0],
            box.before,
            box.generation,
            len([write for write in writes if write.kind == "merge_request"]) > 0,
            box.retries,
            box.blocked,
            answer,
        )
        trace = tuple(
            sorted((write.kind, write.text if write.kind in {"label", "unlabel"} else "") for write in writes)
        )
        fell_back = run.fell_back or run.leg > 0
        self._traces.setdefault((fell_back, kind), (str(run), trace))
        other = self._traces.get((not fell_back, kind))
        if other is None:
            return
        known, theirs = other
        comments = [[one for one in each if one[0] == "comment"] for each in (theirs, trace)]
        rest = [[one for one in each if one[0] != "comment"] for each in (theirs, trace)]
        statement = f"what {run} led to on the tracker, beside {known}, only one of which fell back"
        if comments[0] != comments[1]:
            self._claims.witnessed(statement, comments[0], comments[1], "FALLBACK-10")
        if rest[0] != rest[1]:
            self._claims.witnessed(statement, rest[0], rest[1], "FALLBACK-9")
        self._claims.witnessed(statement, len(theirs), len(trace), "FALLBACK-9", "FALLBACK-10")

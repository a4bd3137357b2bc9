"""The laws of one start: its arguments, its directory, its label, and the id that it asks for.

Specification: RESUME-4, RESUME-8, RESUME-10, RESUME-16, NAME-7, ISOLATE-7, ISOLATE-10, FALLBACK-3, CLEAN-13; §16.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered
from tck_features.laws.known import matches
from tck_features.laws.manuals import FREE, MANUALS, label_due
from tck_features.laws.runs import told

if TYPE_CHECKING:
    from tck_features.laws.known import Known
    from tck_features.laws.runs import Leg, Run

WORKSPACE = "/workspace"


class Arguments:
    """Holds each start against what its run may ask and be given."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._hold = known.judge
        #: Every id that was ever named, chosen or written, so that a fresh session can be told to have a new one.
        self._ids: set[str] = set()

    def started(self, leg: Leg) -> None:
        """Check one start."""
        self._form(leg)
        if leg.run is not None:
            self._legs(leg, leg.run)
            self._asked(leg, leg.run)
            if leg.run.session:
                self._label(leg, leg.run)
            else:
                self._without_session(leg, leg.run)
        if leg.mailbox is not None:
            leg.mailbox.prompts[leg.cli.adapter].add(leg.cli.prompt)
        if leg.cli.chosen_id is not None:
            self._ids.add(leg.cli.chosen_id)

    def _form(self, leg: Leg) -> None:
        cli = leg.cli
        self._hold(
            "working directory of the container and of the CLI",
            expected=[WORKSPACE, WORKSPACE],
            actual=[leg.container.workdir, cli.workdir],
            by=("RESUME-8",),
        )
        self._hold(
            "the CLI was asked for its most recent session, or for one by name",
            expected=False,
            actual=cli.asked_loosely,
            by=("RESUME-10",) if not cli.asked_id else ("ISOLATE-10", "RESUME-10"),
            evidence=lambda: told([leg]),
        )
        # Of a CLI that nobody has measured nobody knows the usage either (§16.5.1).
        if cli.adapter == AdapterId.GROK_BUILD:
            return
        self._hold(
            "what the CLI could not read in its arguments",
            expected=None,
            actual=cli.usage_error,
            by=("RESUME-16",),
            evidence=lambda: told([leg]),
        )
        whole = leg.container.stdin == cli.prompt or any(
            cli.prompt in (word, word.partition("=")[2]) for word in cli.argv
        )
        self._hold(
            "the prompt is one argument, or all of standard input",
            expected=True,
            actual=whole and bool(cli.prompt),
            by=("RESUME-16",),
        )

    # --- ids ---------------------------------------------------------------------------------------------------------

    def _asked(self, leg: Leg, run: Run) -> None:
        asked, adapter = leg.cli.asked_id, leg.cli.adapter
        if asked is None:
            self._new(leg, run)
            return
        self._hold(
            "the asked id as a whole has the form of the adapter's ids",
            expected=True,
            actual=matches(adapter, asked),
            by=("ISOLATE-10",),
            evidence=lambda: (asked[:400],),
        )
        own = run.mailbox.ids[adapter]
        self._hold(
            "the asked id is one that the same CLI named in an earlier run of the same mailbox",
            of=run.mailbox.ref,
            expected=True,
            actual=asked in own,
            by=("RESUME-4",) if asked in own else self._whose(asked, run, adapter),
            evidence=lambda: (asked[:400], *sorted(own)[:10]),
        )

    def _whose(self, native_id: str, run: Run, adapter: str) -> tuple[str, ...]:
        """Say what is broken by an id that this mailbox did not get from this adapter."""
        for mailbox in self._known.mailboxes:
            for other, ids in mailbox.ids.items():
                if native_id not in ids:
                    continue
                if mailbox is run.mailbox and other != adapter:
                    return ("FALLBACK-3", "RESUME-3")
                if mailbox.ref == run.mailbox.ref:
                    return ("CLEAN-13",)
                return ("ISOLATE-3", "ISOLATE-7", "RESUME-4", "RESUME-3")
        return ("RESUME-4", "RESUME-9", "FALLBACK-17")

    def _new(self, leg: Leg, run: Run) -> None:
        """Check that a fresh start has nothing of any session that there was."""
        words = {word.partition("=")[2] if word.startswith("-") else word for word in leg.words()}
        for word in words & self._ids:
            second = ("FALLBACK-19", "FALLBACK-17") if leg.number > 1 else ("FALLBACK-1",)
            own = run.mailbox.ids[leg.cli.adapter]
            self._hold(
                "ids of earlier sessions among the arguments of a fresh start",
                expected=[],
                actual=[word],
                by=second if word in own or leg.number > 1 else self._whose(word, run, leg.cli.adapter),
                evidence=lambda: told([leg]),
            )
        chosen = leg.cli.chosen_id
        if chosen is not None:
            self._hold(
                "the id chosen for a fresh session has the form of the adapter's ids",
                expected=True,
                actual=matches(leg.cli.adapter, chosen),
                by=("ISOLATE-10",),
                evidence=lambda: (chosen[:400],),
            )

    def _legs(self, leg: Leg, run: Run) -> None:
        """Check that a second start is the fresh one after a refusal, and that there is no third."""
        if leg.number == 1:
            return
        before = run.legs[leg.number - 2]
        confirmed = before.answer is not None and before.cli.asked_id in before.answer.reported_ids
        # A refusal names the asked id in the very event that announces it.
        served = before.answer is not None and before.answer.session_id is not None
        self._hold(
            "a second start is fresh, there is no third, and the first asked for an id and got no session",
            expected=[2, True, True, False],
            actual=[leg.number, leg.fresh, not before.fresh, confirmed and served],
            by=("FALLBACK-6",) if leg.number > 2 or leg.cli.asked_id else ("FALLBACK-15", "FALLBACK-12"),  # noqa: PLR2004 -- there are two legs at most
            evidence=lambda: told(run.legs),
        )

    # --- labels ------------------------------------------------------------------------------------------------------

    def _label(self, leg: Leg, run: Run) -> None:
        name = run.mailbox.name
        manual = MANUALS.get(leg.cli.adapter)
        if name is None or manual is None:
            return
        due = label_due(manual, self._known.version(leg), name) if leg.fresh else None
        if due is FREE:
            return
        self._hold(
            "the label that the CLI was given" if leg.fresh else "the label that the CLI was given on a resume",
            expected=due,
            actual=leg.cli.label,
            by=("NAME-7",),
            evidence=lambda: told([leg]),
        )
        if due is None:
            self._hold(
                "arguments that hold the name, which is to stay in the engine",
                expected=[],
                actual=[word for word in leg.words() if name in word],
                by=("NAME-7",),
            )

    def _without_session(self, leg: Leg, run: Run) -> None:
        manual = MANUALS.get(leg.cli.adapter)
        options = manual.session_options if manual else ()
        name = run.mailbox.name
        words = leg.words()
        found = [word for word in words if word in options or word.partition("=")[0] in options]
        found += [word for word in words if name is not None and name in word and word not in found]
        found += [
            f"{key}={value}"
            for key, value in leg.container.environment
            if key == "OPENCODE_DB" or (name is not None and name in value)
        ]
        self._hold(
            "session options, names and variables in a start without a session",
            expected=[],
            actual=found,
            by=run.by,
            evidence=lambda: told([leg]),
        )
        self._hold(
            "starts of a run without a session",
            expected=1,
            actual=leg.number,
            by=run.by,
        )

    # --- answers -----------------------------------------------------------------------------------------------------

    def answered(self, leg: Leg, answer: CliAnswered) -> None:
        """Check what a session remembered: the prompts of its own issue, and on a fresh start none."""
        self._ids.update(one for one in answer.reported_ids if matches(answer.adapter, one))
        run = leg.run
        if run is None:
            return
        mine = run.mailbox.prompts[answer.adapter]
        foreign = [text[:200] for text in answer.remembered if text not in mine]
        self._hold(
            "what the session remembered beside the prompts of its own mailbox",
            of=run.mailbox.ref,
            expected=[],
            actual=foreign,
            by=("ISOLATE-7", "ISOLATE-3", "RESUME-4"),
        )
        if leg.fresh:
            self._hold(
                "what a fresh session remembered",
                expected=[],
                actual=[text[:200] for text in answer.remembered],
                by=("FALLBACK-1",) if leg.number == 1 else ("FALLBACK-19",),
            )

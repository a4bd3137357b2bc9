"""Faults of proof: what counts as a resume, which id is recorded, and what is left of a run that was cut off."""

from __future__ import annotations

import re
from dataclasses import replace

from tck_driver.vocabulary import AdapterId, MailboxRef, RunOutcome
from tck_fakes.faults.changed import gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import first, unless
from tck_fakes.faults.register import Real, fault
from tck_simulator import run
from tck_simulator.adapters import Reading
from tck_simulator.adapters.base import UUID_PATTERN
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.codex import Codex
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.contract import LlmResult
from tck_simulator.layout import Fingerprint
from tck_simulator.live import LiveRun
from tck_simulator.outcomes import Judgement, Verdict
from tck_simulator.ports import ContainerState
from tck_simulator.resolution import PriorRun, Situation
from tck_simulator.rows import Mailbox, Session
from tck_simulator.run import Ended, RunSequence

#: The exit code of what was killed.
_KILLED = 137

# --- RESUME-9: the id that was reported, and whether the run was resumed ---------------------------------------------


@fault("id-as-chosen", "RESUME-9", Kind.WRONG_VALUE, "records the id that it chose for claude, whichever was reported")
def _id_as_chosen(sabotage: Sabotage) -> None:
    def result(made: LlmResult, _: RunSequence, live: LiveRun, *__: object) -> LlmResult:
        chosen = live.adapter is not None and live.adapter.id is AdapterId.CLAUDE_CODE and live.asked is None
        return replace(made, session_id=live.call.fresh_id) if chosen and made.session_id is not None else made

    sabotage.replace(RunSequence, "result", gives(result))


@fault("id-without-a-report", "RESUME-9", Kind.EXTRA_EFFECT, "records the id that it chose where the cli reported none")
def _id_without_a_report(sabotage: Sabotage) -> None:
    def result(made: LlmResult, _: RunSequence, live: LiveRun, *__: object) -> LlmResult:
        silent = live.state is not None and live.asked is None and made.session_id is None and not made.ok
        return replace(made, session_id=live.call.fresh_id) if silent else made

    sabotage.replace(RunSequence, "result", gives(result))


@fault("failures-unrecorded", "RESUME-9", Kind.MISSING_EFFECT, "records neither id nor resume of a run that failed")
def _failures_unrecorded(sabotage: Sabotage) -> None:
    def result(made: LlmResult, *_: object) -> LlmResult:
        return made if made.ok else replace(made, session_id=None, resumed=False)

    sabotage.replace(RunSequence, "result", gives(result))


@fault("id-out-of-prose", "RESUME-9", Kind.WRONG_SCOPE, "takes the last text in codex's output that looks like an id")
def _id_out_of_prose(sabotage: Sabotage) -> None:
    def read(made: Reading, _: Codex, state: ContainerState) -> Reading:
        ids = UUID_PATTERN.findall(state.stdout)
        return replace(made, reported=tuple(ids[-1:]))

    sabotage.replace(Codex, "read", gives(read))


@fault("first-run-only", "RESUME-9", Kind.ONCE, "records the id of an issue's first run, and of none that resumes it")
def _first_run_only(sabotage: Sabotage) -> None:
    def result(made: LlmResult, _: RunSequence, live: LiveRun, *__: object) -> LlmResult:
        return replace(made, session_id=None) if live.asked is not None else made

    sabotage.replace(RunSequence, "result", gives(result))


@fault("new-files-only", "RESUME-9", Kind.WRONG_SCOPE, "drops an id where no file is new, though one has grown")
def _new_files_only(sabotage: Sabotage) -> None:
    def saved(before: Fingerprint | None, after: Fingerprint | None) -> bool:
        return bool(set(after or ()) - set(before or ()))

    sabotage.replace(run, "saved", lambda _: saved)


def _last_word_is_the_id(sabotage: Sabotage, adapter: type) -> None:
    """Take whatever follows the words `session id:` in the output of a CLI for the id, even what its model says."""

    def read(made: Reading, _: object, state: ContainerState) -> Reading:
        told = re.findall(r"session id: (\w+)", state.stdout)
        return replace(made, reported=tuple(told[-1:])) if told else made

    sabotage.replace(adapter, "read", gives(read))


@fault("id-out-of-claudes-prose", "RESUME-9", Kind.WRONG_SCOPE, "takes what claude's model calls a session id for one")
def _id_out_of_claudes_prose(sabotage: Sabotage) -> None:
    _last_word_is_the_id(sabotage, ClaudeCode)


@fault(
    "id-out-of-copilots-prose", "RESUME-9", Kind.WRONG_SCOPE, "takes what copilot's model calls a session id for one"
)
def _id_out_of_copilots_prose(sabotage: Sabotage) -> None:
    _last_word_is_the_id(sabotage, Copilot)


@fault("id-once-resumed", "RESUME-9", Kind.WRONG_MOMENT, "records no id of copilot before it has resumed a session")
def _id_once_resumed(sabotage: Sabotage) -> None:
    def result(made: LlmResult, _: RunSequence, live: LiveRun, *__: object) -> LlmResult:
        first = live.adapter is not None and live.adapter.id is AdapterId.COPILOT and live.asked is None
        return replace(made, session_id=None) if first else made

    sabotage.replace(RunSequence, "result", gives(result))


# --- RESUME-11: resumed only where it was confirmed ------------------------------------------------------------------


@fault("asked-is-resumed", "RESUME-11", Kind.WRONG_VALUE, "records as resumed whatever was asked to resume and ran")
def _asked_is_resumed(sabotage: Sabotage) -> None:
    def judge(made: Judgement, _: Reading, asked: str | None, *__: object, **___: object) -> Judgement:
        ran = asked is not None and made.verdict is not Verdict.REFUSED
        return replace(made, resumed=True, went_fresh=False) if ran else made

    sabotage.replace(run, "judge", gives(judge))


@fault("every-agent-changes-ids", "RESUME-11", Kind.WRONG_SCOPE, "takes a new id for a resume from any agent")
def _every_agent_changes_ids(sabotage: Sabotage) -> None:
    sabotage.replace(Codex, "rotates", lambda _: True)


@fault("first-of-two-ids", "RESUME-11", Kind.EXTRA_EFFECT, "believes the first of two ids that a cli names")
def _first_of_two_ids(sabotage: Sabotage) -> None:
    def judge(real: Real, reading: Reading, *rest: object, **named: object) -> object:
        return real(replace(reading, reported=reading.reported[:1]), *rest, **named)

    sabotage.replace(run, "judge", instead(judge))


@fault(
    "new-id-before-a-word", "RESUME-11", Kind.WRONG_MOMENT, "takes a new id for a resume before the model has answered"
)
def _new_id_before_a_word(sabotage: Sabotage) -> None:
    def judge(real: Real, reading: Reading, *rest: object, **named: object) -> object:
        return real(replace(reading, turn=reading.turn or not reading.cannot_resume), *rest, **named)

    sabotage.replace(run, "judge", instead(judge))


@fault("new-id-no-resume", "RESUME-11", Kind.MISSING_EFFECT, "takes the new id of a resumed claude for a fresh session")
def _new_id_no_resume(sabotage: Sabotage) -> None:
    sabotage.replace(ClaudeCode, "rotates", lambda _: False)


@fault(
    "unproven-id-kept",
    "RESUME-11",
    Kind.WRONG_SCOPE,
    "keeps the id of a session of the cli's own though the run failed",
)
def _unproven_id_kept(sabotage: Sabotage) -> None:
    def judge(made: Judgement, reading: Reading, asked: str | None, *__: object, **___: object) -> Judgement:
        alone = asked is not None and made.verdict is Verdict.FAILED and len(reading.reported) == 1
        return replace(made, native_id=reading.reported[0]) if alone else made

    sabotage.replace(run, "judge", gives(judge))


@fault("asked-id-no-resume", "RESUME-11", Kind.MISSING_EFFECT, "takes claude's word for a resume only with a new id")
def _asked_id_no_resume(sabotage: Sabotage) -> None:
    def judge(
        made: Judgement, reading: Reading, asked: str | None, *_: object, rotates: bool, **__: object
    ) -> Judgement:
        same = rotates and asked is not None and reading.reported == (asked,)
        return replace(made, resumed=False, went_fresh=reading.ok) if same else made

    sabotage.replace(run, "judge", gives(judge))


@fault("unproven-and-over", "RESUME-11", Kind.EXTRA_EFFECT, "gives a session up after a run that proved nothing of it")
def _unproven_and_over(sabotage: Sabotage) -> None:
    unproven: set[MailboxRef] = set()

    def result(made: LlmResult, _: RunSequence, live: LiveRun, *__: object) -> LlmResult:
        if live.asked is not None and made.session_id is None:
            unproven.add(live.mailbox.ref)
        return made

    def resolve(real: Real, situation: Situation) -> object:
        return real(replace(situation, prior=()) if present[-1] in unproven else situation)

    def begun(_: RunSequence, mailbox: Mailbox, *__: object) -> None:
        present.append(mailbox.ref)

    present: list[MailboxRef] = []
    sabotage.replace(RunSequence, "result", gives(result))
    sabotage.replace(RunSequence, "_resolve", first(begun))
    sabotage.replace(run, "resolve", instead(resolve))


# --- RESUME-15: what was named before the end is kept ----------------------------------------------------------------


@fault("id-at-the-end", "RESUME-15", Kind.WRONG_MOMENT, "writes the id down only when the run has ended")
def _id_at_the_end(sabotage: Sabotage) -> None:
    def note(*_: object) -> None:
        return None

    sabotage.replace(RunSequence, "_note", lambda _: note)


@fault("cancelled-and-forgotten", "RESUME-15", Kind.MISSING_EFFECT, "drops the id of a run that was cancelled")
def _cancelled_and_forgotten(sabotage: Sabotage) -> None:
    def stop(made: LlmResult, *_: object) -> LlmResult:
        return replace(made, session_id=None)

    sabotage.replace(RunSequence, "stop", gives(stop))


@fault("timed-out-and-forgotten", "RESUME-15", Kind.WRONG_SCOPE, "drops the id of a run that took too long")
def _timed_out_and_forgotten(sabotage: Sabotage) -> None:
    def poll(ended: Ended | None, *_: object) -> Ended | None:
        if ended is None or ended.outcome is not RunOutcome.TIMED_OUT:
            return ended
        return replace(ended, result=replace(ended.result, session_id=None))

    sabotage.replace(RunSequence, "poll", gives(poll))


@fault("timed-out-and-passed-over", "RESUME-15", Kind.WRONG_VALUE, "asks for no session whose run took too long")
def _timed_out_and_passed_over(sabotage: Sabotage) -> None:
    def prior(made: PriorRun, row: Session) -> PriorRun:
        return replace(made, native_id=None) if row.outcome == RunOutcome.TIMED_OUT else made

    sabotage.replace(run, "_prior", gives(prior))


@fault(
    "crashed-and-forgotten", "RESUME-15", Kind.MISSING_EFFECT, "drops the id of a run that a dead worker left behind"
)
def _crashed_and_forgotten(sabotage: Sabotage) -> None:
    def reclaim(made: LlmResult, *_: object) -> LlmResult:
        return replace(made, session_id=None)

    sabotage.replace(RunSequence, "reclaim", gives(reclaim))


@fault(
    "second-start-forgotten",
    "RESUME-15",
    Kind.ONCE,
    "keeps the id of a first start, and not of the one after a refusal",
)
def _second_start_forgotten(sabotage: Sabotage) -> None:
    def result(made: LlmResult, _: RunSequence, live: LiveRun, *__: object) -> LlmResult:
        return replace(made, session_id=None) if live.leg > 1 and not made.ok else made

    sabotage.replace(RunSequence, "result", gives(result))


@fault("resumed-id-at-the-end", "RESUME-15", Kind.WRONG_MOMENT, "writes the id down early at a fresh start only")
def _resumed_id_at_the_end(sabotage: Sabotage) -> None:
    def resumed(_: RunSequence, live: LiveRun, __: object) -> bool:
        return live.asked is not None

    sabotage.replace(RunSequence, "_note", unless(resumed))


@fault("killed-and-forgotten", "RESUME-15", Kind.MISSING_EFFECT, "drops the id of a run whose cli was killed")
def _killed_and_forgotten(sabotage: Sabotage) -> None:
    def result(made: LlmResult, _: RunSequence, __: LiveRun, state: ContainerState) -> LlmResult:
        return replace(made, session_id=None) if state.exit_code == _KILLED else made

    sabotage.replace(RunSequence, "result", gives(result))

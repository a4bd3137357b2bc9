"""Faults of the profile reuse: when a continuation is valid, what it is held against, and what it is worth then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.courses import Come
from tck_fakes.faults.around import Inside, around
from tck_fakes.faults.continuity_asking import DIRECTORY, GENERATION, PROVIDER
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_fakes.faults.turning import (
    identified,
    invoked,
    judged,
    kept_of,
    loosely,
    made_up,
    prompted,
    resumed_instead,
)
from tck_simulator.adapters.base import Invocation
from tck_simulator.turns import decision, engine, judgement
from tck_simulator.turns.continuation import Continuation, Due
from tck_simulator.turns.decision import Hindrance
from tck_simulator.turns.judgement import Judgement
from tck_simulator.turns.log import Log
from tck_simulator.turns.memory import Memory, Notebook
from tck_simulator.turns.starting import Answered
from tck_simulator.turns.turn import Carrier

_AGENT = "reuse"


def _kept_at_the_end(sabotage: Sabotage, wanted: Callable[[Judgement, bool], str | None]) -> None:
    """Keep the id that this gives of a turn that has failed; it is told whether the hook failed."""

    def ended(real: Real, self: Carrier, due: Due, made: Judgement, *, hook_fails: bool) -> Come:
        come: Come = real(self, due, made, hook_fails=hook_fails)
        native_id = wanted(made, hook_fails) if come.outcome == "failed" else None
        if native_id is not None:
            self.memory.keep(due.keeping(native_id))
            self.notebook.write(self.memory)
        return come

    around(sabotage, Carrier, "_ended", ended)


# --- REUSE-1: valid after success, validation and hook ---------------------------------------------------------------


@fault(
    "valid-before-the-hook",
    "REUSE-1",
    Kind.WRONG_MOMENT,
    "takes a session for valid before the hook has run",
    policy=_AGENT,
)
def _valid_before_the_hook(sabotage: Sabotage) -> None:
    _kept_at_the_end(sabotage, lambda made, hook_fails: made.native_id if hook_fails else None)


@fault("valid-unread", "REUSE-1", Kind.MISSING_EFFECT, "takes a session for valid whatever was answered", policy=_AGENT)
def _valid_unread(sabotage: Sabotage) -> None:
    def body(_real: Real, _answer: str) -> bool:
        return True

    around(sabotage, judgement, "fit", body)


@fault(
    "valid-from-its-first-line",
    "REUSE-1",
    Kind.WRONG_VALUE,
    "takes a session for valid that came to nothing",
    policy=_AGENT,
)
def _valid_from_its_first_line(sabotage: Sabotage) -> None:
    _kept_at_the_end(sabotage, lambda made, hook_fails: None if hook_fails else made.native_id)


# --- REUSE-2: a failure clears the continuation ----------------------------------------------------------------------


def _uncleared(sabotage: Sabotage, wanted: Callable[[Judgement, bool], bool]) -> None:
    """Leave what was kept before as it is, brought up to date, where a turn fails in such a way."""

    def ended(real: Real, self: Carrier, due: Due, made: Judgement, *, hook_fails: bool) -> Come:
        kept = kept_of(self.memory, due.scope)
        come: Come = real(self, due, made, hook_fails=hook_fails)
        if come.outcome == "failed" and kept is not None and wanted(made, hook_fails):
            self.memory.keep(replace(kept, generation=due.generation))
            self.notebook.write(self.memory)
        return come

    around(sabotage, Carrier, "_ended", ended)


@fault("kept-over-a-failure", "REUSE-2", Kind.MISSING_EFFECT, "keeps what it had where a turn fails", policy=_AGENT)
def _kept_over_a_failure(sabotage: Sabotage) -> None:
    _uncleared(sabotage, lambda made, hook_fails: made.result == "failed" or hook_fails)


@fault(
    "cleared-by-the-cli-alone",
    "REUSE-2",
    Kind.WRONG_SCOPE,
    "keeps what it had where the hook fails or the answer has the wrong form",
    policy=_AGENT,
)
def _cleared_by_the_cli_alone(sabotage: Sabotage) -> None:
    _uncleared(sabotage, lambda made, hook_fails: hook_fails or "form" in made.told)


@fault(
    "short-prompt-after-a-failure",
    "REUSE-2",
    Kind.WRONG_VALUE,
    "sends a fresh attempt after a failure the short prompt",
    policy=_AGENT,
)
def _short_prompt_after_a_failure(sabotage: Sabotage) -> None:
    failed: set[str] = set()

    def ended(real: Real, self: Carrier, due: Due, made: Judgement, **named: Inside) -> Come:
        come: Come = real(self, due, made, **named)
        (failed.add if come.outcome == "failed" else failed.discard)(due.scope)
        return come

    around(sabotage, Carrier, "_ended", ended)
    prompted(sabotage, lambda due, resume, _: resume is not None or due.scope in failed)


# --- REUSE-3: what a continuation is held against --------------------------------------------------------------------


def _hindered_no_longer(sabotage: Sabotage, *numbers: int) -> None:
    def make(real: tuple[Hindrance, ...]) -> tuple[Hindrance, ...]:
        return tuple(one for number, one in enumerate(real) if number not in numbers)

    sabotage.replace(decision, "HINDRANCES", make)


@fault("folder-not-compared", "REUSE-3", Kind.MISSING_EFFECT, "does not look at the folder", policy=_AGENT)
def _folder_not_compared(sabotage: Sabotage) -> None:
    _hindered_no_longer(sabotage, DIRECTORY)


@fault("provider-not-compared", "REUSE-3", Kind.WRONG_SCOPE, "does not look at the provider", policy=_AGENT)
def _provider_not_compared(sabotage: Sabotage) -> None:
    _hindered_no_longer(sabotage, PROVIDER)


@fault(
    "generation-skipped",
    "REUSE-3",
    Kind.WRONG_MOMENT,
    "goes back to what a provider left before another had a turn",
    policy=_AGENT,
)
def _generation_skipped(sabotage: Sabotage) -> None:
    left: dict[tuple[str, str], Continuation] = {}

    def keep(real: Real, self: Memory, kept: Continuation) -> None:
        left[kept.scope, kept.provider] = kept
        real(self, kept)

    def change(found: Continuation | None, due: Due, _: Memory) -> Continuation | None:
        return left.get((due.scope, due.provider), found)

    _hindered_no_longer(sabotage, GENERATION)
    around(sabotage, Memory, "keep", keep)
    resumed_instead(sabotage, change)


# --- REUSE-4: a resumed turn reports the asked id, and no other ------------------------------------------------------


def _fork_let_pass(sabotage: Sabotage, wanted: Callable[[Answered], bool]) -> None:
    """Take a resume that should be rejected for one that went on in the asked session, where this says so."""
    passed: list[str | None] = [None]

    def forked(real: Real, answered: Answered, policy: Inside) -> bool:
        rejected: bool = real(answered, policy)
        passed[0] = answered.asked if rejected and wanted(answered) else None
        return rejected and passed[0] is None

    around(sabotage, judgement, "forked", forked)
    judged(
        sabotage, lambda made, answered: replace(made, native_id=passed[0]) if passed[0] and answered.asked else made
    )


@fault("unnamed-resume", "REUSE-4", Kind.MISSING_EFFECT, "asks of a resumed turn no id at all", policy=_AGENT)
def _unnamed_resume(sabotage: Sabotage) -> None:
    _fork_let_pass(sabotage, lambda answered: not answered.reading.reported)


@fault("other-id-let-pass", "REUSE-4", Kind.WRONG_VALUE, "does not compare ids where there is one", policy=_AGENT)
def _other_id_let_pass(sabotage: Sabotage) -> None:
    _fork_let_pass(sabotage, lambda answered: len(answered.reading.reported) == 1)


@fault("asked-id-among-others", "REUSE-4", Kind.WRONG_SCOPE, "is content with the asked id among others", policy=_AGENT)
def _asked_id_among_others(sabotage: Sabotage) -> None:
    _fork_let_pass(sabotage, lambda answered: answered.asked in answered.reading.reported)


def _stray_taken_for_done(sabotage: Sabotage, wanted: Callable[[Answered], bool]) -> None:
    """Call a resumed turn done that should be rejected, where this says so, and keep nothing of it."""

    def change(made: Judgement, answered: Answered) -> Judgement:
        return Judgement("went_well", None) if made.result == "forked" and wanted(answered) else made

    judged(sabotage, change)


@fault("done-unnamed", "REUSE-4", Kind.WRONG_MOMENT, "takes a resume without any id for done", policy=_AGENT)
def _done_unnamed(sabotage: Sabotage) -> None:
    _stray_taken_for_done(sabotage, lambda answered: not answered.reading.reported)


@fault("done-with-two-ids", "REUSE-4", Kind.EXTRA_EFFECT, "takes a resume with two ids for done", policy=_AGENT)
def _done_with_two_ids(sabotage: Sabotage) -> None:
    _stray_taken_for_done(sabotage, lambda answered: len(answered.reading.reported) > 1)


@fault("done-elsewhere", "REUSE-4", Kind.WRONG_VALUE, "takes a resume under another id alone for done", policy=_AGENT)
def _done_elsewhere(sabotage: Sabotage) -> None:
    _stray_taken_for_done(sabotage, lambda answered: len(answered.reading.reported) == 1)


# --- REUSE-5: a fresh turn leaves one id or nothing ------------------------------------------------------------------


@fault("first-of-several-ids", "REUSE-5", Kind.WRONG_VALUE, "keeps the first id of several", policy=_AGENT)
def _first_of_several_ids(sabotage: Sabotage) -> None:
    identified(sabotage, lambda found, answered: next(iter(answered.reading.reported), found))


@fault("last-of-several-ids", "REUSE-5", Kind.WRONG_MOMENT, "keeps the last id of several", policy=_AGENT)
def _last_of_several_ids(sabotage: Sabotage) -> None:
    identified(sabotage, lambda found, answered: next(reversed(answered.reading.reported), found))


@fault("unnamed-session-resumed", "REUSE-5", Kind.EXTRA_EFFECT, "resumes a session that has no id", policy=_AGENT)
def _unnamed_session_resumed(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, due: Due, memory: Memory) -> Continuation | None:
        kept = kept_of(memory, due.scope)
        return due.keeping(made_up(due.scope)) if due.generation > 1 and kept is None and found is None else found

    resumed_instead(sabotage, change)


# --- REUSE-6: an explicit id of the same agent -----------------------------------------------------------------------


@fault(
    "session-of-the-folder", "REUSE-6", Kind.WRONG_VALUE, "resumes the most recent session of a folder", policy=_AGENT
)
def _session_of_the_folder(sabotage: Sabotage) -> None:
    def change(made: Invocation, due: Due, resume: Continuation | None) -> Invocation:
        return made if resume is None else loosely(made, due)

    invoked(sabotage, change)


@fault("session-of-any-agent", "REUSE-6", Kind.WRONG_SCOPE, "resumes what any agent has left last", policy=_AGENT)
def _session_of_any_agent(sabotage: Sabotage) -> None:
    def change(found: Continuation | None, _: Due, memory: Memory) -> Continuation | None:
        held = [scope.present for scope in memory.scopes.values() if scope.present.kept is not None]
        return max(held, key=lambda one: one.touched).kept if held else found

    resumed_instead(sabotage, change)


# --- REUSE-7: what a restart has to prove ----------------------------------------------------------------------------


@fault("restored-unproven", "REUSE-7", Kind.MISSING_EFFECT, "believes what it has written down", policy=_AGENT)
def _restored_unproven(sabotage: Sabotage) -> None:
    def body(real: Real, notebook: Notebook, log: Log, *, proven: bool) -> Memory:
        memory: Memory = real(notebook, log, proven=proven and False)
        return memory

    around(sabotage, engine, "restore", body)


@fault(
    "any-completion-proves",
    "REUSE-7",
    Kind.WRONG_MOMENT,
    "looks for any completion in the log, whatever came after it",
    policy=_AGENT,
)
def _any_completion_proves(sabotage: Sabotage) -> None:
    def last(_real: Real, self: Log, scope: str) -> Inside:
        done = [one for one in self.entries() if one.scope == scope and one.event == "completed"]
        return done[-1] if done else None

    around(sabotage, Log, "last", last)


@fault(
    "completed-at-the-beginning",
    "REUSE-7",
    Kind.WRONG_VALUE,
    "writes a turn down as completed when it begins",
    policy=_AGENT,
)
def _completed_at_the_beginning(sabotage: Sabotage) -> None:
    held: dict[str, str] = {}

    def carried(real: Real, self: Carrier, due: Due, **named: Inside) -> Come:
        kept = kept_of(self.memory, due.scope)
        if kept is not None:
            held[due.scope] = kept.native_id
            self.memory.keep(replace(kept, generation=due.generation - 1, position=len(self.log)))
            self.notebook.write(self.memory)
        come: Come = real(self, due, **named)
        return come

    def add(real: Real, self: Log, event: str, due: Due, native_id: str | None = None) -> None:
        if event == "began":
            real(self, "completed", replace(due, generation=due.generation - 1), held.get(due.scope))
        else:
            real(self, event, due, native_id)

    around(sabotage, Carrier, "carry_out", carried)
    around(sabotage, Log, "add", add)


# --- REUSE-8: a fresh session is sent everything ---------------------------------------------------------------------


@fault(
    "short-prompt-to-another-provider",
    "REUSE-8",
    Kind.WRONG_MOMENT,
    "shortens the prompt before it decides whether to resume",
    policy=_AGENT,
)
def _short_prompt_to_another_provider(sabotage: Sabotage) -> None:
    had: set[str] = set()

    def decided(real: Real, self: Carrier, due: Due) -> Continuation | None:
        (had.add if kept_of(self.memory, due.scope) is not None else had.discard)(due.scope)
        found: Continuation | None = real(self, due)
        return found

    around(sabotage, Carrier, "_decided", decided)
    prompted(sabotage, lambda due, _, __: due.scope in had)


@fault(
    "short-prompt-for-ever", "REUSE-8", Kind.WRONG_SCOPE, "sends the whole prompt to an agent once only", policy=_AGENT
)
def _short_prompt_for_ever(sabotage: Sabotage) -> None:
    prompted(sabotage, lambda due, _, __: due.generation > 1)

"""The parts of an engine of turns: whether it resumes, what it makes of an answer, and what it still knows later."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver.courses import Policy
from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters.base import Reading
from tck_simulator.turns.continuation import Continuation, Due, digest_of
from tck_simulator.turns.decision import Decision, Ground, candidate, decide
from tck_simulator.turns.judgement import Result, judge
from tck_simulator.turns.kinds import KINDS
from tck_simulator.turns.log import Log
from tck_simulator.turns.memory import Memory, Notebook, Scope, Session, restore
from tck_simulator.turns.prompts import ANSWER, FULL, INVALID, fit, instructions_of, pattern_of, rest, whole
from tck_simulator.turns.starting import Answered

CLAUDE, CODEX = AdapterId.CLAUDE_CODE, AdapterId.CODEX
DUE = Due("the door", 1, 3, CLAUDE, "/work", digest_of("paint it"))
KEPT = replace(DUE, generation=2).keeping("a", 5)
USUAL = Ground(on=True, offered=True, proven=False)
PROVEN = replace(USUAL, proven=True)

# Whether a turn resumes


def test_a_turn_resumes_what_is_kept_where_nothing_stands_in_its_way() -> None:
    assert decide(KEPT, DUE, USUAL) == decide(KEPT, DUE, PROVEN) == Decision(resume=KEPT)


def test_a_turn_for_which_nothing_is_kept_is_fresh() -> None:
    assert decide(None, DUE, USUAL) == Decision()


@pytest.mark.parametrize(
    ("kept", "ground"),
    [
        (KEPT, replace(USUAL, offered=False)),
        (replace(KEPT, scope="the window"), USUAL),
        (replace(KEPT, provider=CODEX), USUAL),
        (replace(KEPT, directory="/elsewhere"), USUAL),
        (replace(KEPT, digest=digest_of("tear it down")), PROVEN),
        (replace(KEPT, generation=1), PROVEN),
    ],
)
def test_what_does_not_fit_is_not_resumed_and_forgotten(kept: Continuation, ground: Ground) -> None:
    assert decide(kept, DUE, ground) == Decision(forget=kept)


def test_what_is_kept_outlasts_that_resuming_is_off_for_a_while() -> None:
    assert decide(KEPT, DUE, replace(USUAL, on=False)) == Decision()


@pytest.mark.parametrize("kept", [replace(KEPT, digest=""), replace(KEPT, generation=1)])
def test_without_proof_neither_instructions_nor_generation_count(kept: Continuation) -> None:
    assert decide(kept, DUE, USUAL) == Decision(resume=kept)


# What a further session takes up


def issue(*sessions: Session, record: Continuation | None = None, taking_up: bool = True) -> Memory:
    scope = Scope(DUE.scope, CLAUDE, "/work", "paint it", sessions=[*sessions], record=record)
    return Memory(on=True, taking_up=taking_up, scopes={DUE.scope: scope})


def kept(native_id: str) -> Continuation:
    return replace(KEPT, native_id=native_id)


def test_a_session_that_has_an_id_goes_on_with_it() -> None:
    memory = issue(Session(1, kept("a"), 1), Session(2, kept("b"), 9), record=kept("b"))

    assert candidate(memory, replace(DUE, session=1)) == kept("a")


def test_a_new_session_takes_up_the_live_one_that_was_touched_last() -> None:
    memory = issue(Session(1, kept("a"), 7), Session(2, kept("b"), 3), Session(3), record=kept("c"))

    assert candidate(memory, replace(DUE, session=3)) == kept("a")


def test_a_new_session_takes_up_the_record_where_no_live_one_has_an_id() -> None:
    gone = Session(1, kept("a"), 7, live=False)

    assert candidate(issue(gone, Session(2), Session(3), record=kept("c")), replace(DUE, session=3)) == kept("c")


def test_a_new_session_takes_up_nothing_where_that_is_not_on() -> None:
    memory = issue(Session(1, kept("a"), 1), Session(2), record=kept("a"), taking_up=False)

    assert candidate(memory, replace(DUE, session=2)) is None


def test_a_new_session_is_cold_where_nothing_was_left() -> None:
    assert candidate(issue(Session(1), Session(2)), replace(DUE, session=2)) is None


# What an answer is worth

ADOPTS, REJECTS = KINDS["continuity"].policy, KINDS["reuse"].policy


def answered(asked: str | None, *reported: str, text: str = ANSWER, ended: bool = True) -> Answered:
    return Answered(asked, Reading(bool(text), reported, turn=True, cannot_resume=False, text=text), ended)


@pytest.mark.parametrize(
    ("policy", "answer", "result", "native_id"),
    [
        (ADOPTS, answered(None, "a"), "went_well", "a"),
        (ADOPTS, answered("a", "a"), "went_well", "a"),
        (ADOPTS, answered("a", "b"), "went_well", "b"),
        (ADOPTS, answered("a", "a", "b"), "went_well", "b"),
        (ADOPTS, answered("a"), "went_well", "a"),
        (ADOPTS, answered(None), "went_well", None),
        (ADOPTS, answered("a", "b", text=""), "failed", "b"),
        (ADOPTS, answered("a", "a", text=INVALID), "failed", "a"),
        (ADOPTS, answered("a", "a", ended=False), "failed", "a"),
        (REJECTS, answered(None, "a"), "went_well", "a"),
        (REJECTS, answered(None, "a", "b"), "went_well", None),
        (REJECTS, answered(None), "went_well", None),
        (REJECTS, answered("a", "a"), "went_well", "a"),
        (REJECTS, answered("a", "b"), "forked", None),
        (REJECTS, answered("a"), "forked", None),
        (REJECTS, answered("a", "b", "a"), "forked", None),
        (REJECTS, answered(None, "a", text=INVALID), "failed", "a"),
    ],
)
def test_an_answer_is_judged_as_the_policy_says(
    policy: Policy, answer: Answered, result: Result, native_id: str | None
) -> None:
    judged = judge(answer, policy)

    assert (judged.result, judged.native_id) == (result, native_id)
    assert bool(judged.told) is (result != "went_well")


@pytest.mark.parametrize("policy", [ADOPTS, REJECTS])
def test_a_session_is_lost_where_the_cli_says_so_before_the_model_said_a_word(policy: Policy) -> None:
    refusal = Reading(ok=False, reported=(), turn=False, cannot_resume=True, text="")

    assert judge(Answered("a", refusal, ended=True), policy).result == "lost"
    assert judge(Answered(None, refusal, ended=True), policy).result == "failed"
    assert judge(Answered("a", replace(refusal, turn=True, reported=("a",)), ended=True), policy).result == "failed"


# What a turn is sent


def test_only_the_whole_prompt_has_the_task_and_both_tell_their_scope() -> None:
    prompts = whole(DUE, instructions_of(DUE.scope)), rest(DUE)
    assert [bool(re.search(FULL, prompt)) for prompt in prompts] == [True, False]
    assert all(re.search(pattern_of(DUE.scope), prompt) for prompt in prompts)
    assert not any(re.search(pattern_of("door"), prompt) for prompt in prompts)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), min_size=1))
def test_a_scope_of_any_name_is_told_by_its_prompts(name: str) -> None:
    assert re.search(pattern_of(name), rest(replace(DUE, scope=name)))


@pytest.mark.parametrize("answer", [INVALID, "", "[]", "{}", '{"done": false}', '{"done": "true"}', "true"])
def test_an_answer_of_another_form_is_not_fit(answer: str) -> None:
    assert fit(ANSWER)
    assert not fit(answer)


# What is still known later


def written(folder: Path, *events: str) -> tuple[Memory, Notebook, Log]:
    """Leave a continuation that the log proves, and after it what else is said."""
    log, notebook = Log(folder / "log.jsonl"), Notebook(folder / "memory.json")
    scope = Scope(DUE.scope, CLAUDE, "/work", "paint it", generation=2)
    memory = Memory(on=True, scopes={DUE.scope: scope})
    log.add("began", scope.due())
    memory.keep(scope.due().keeping("a", len(log)))
    log.add("completed", scope.due(), "a")
    for event in events:
        log.add(event, replace(scope.due(), generation=3), "a")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- a parameter
    notebook.write(memory)
    return memory, notebook, log


def test_what_was_written_down_is_read_again_as_it_was(tmp_path: Path) -> None:
    memory, notebook, log = written(tmp_path)

    assert notebook.read() == memory
    assert restore(notebook, log, proven=True) == restore(notebook, log, proven=False) == memory


@pytest.mark.parametrize("event", ["began", "failed", "completed"])
def test_what_the_log_does_not_prove_is_forgotten_where_proof_is_asked_for(tmp_path: Path, event: str) -> None:
    memory, notebook, log = written(tmp_path, event)
    restored = restore(notebook, log, proven=True)

    assert restored.scopes[DUE.scope].present.kept is None
    assert restored.scopes[DUE.scope].record is None
    assert restore(notebook, log, proven=False) == memory


@pytest.mark.parametrize(
    "change",
    [
        {"generation": 1},
        {"provider": CODEX},
        {"digest": "another"},
        {"native_id": "b"},
        {"position": 7},
        {"scope": "x"},
    ],
)
def test_a_record_proves_a_continuation_only_where_all_of_it_is_the_same(
    tmp_path: Path, change: dict[str, object]
) -> None:
    memory, _, log = written(tmp_path)
    held, last = memory.scopes[DUE.scope].present.kept, log.last(DUE.scope)

    assert held is not None
    assert last is not None
    assert last.proves(held)
    assert not last.proves(replace(held, **change))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- a parameter


def test_a_lost_id_is_forgotten_wherever_it_was_kept() -> None:
    memory = issue(Session(1, kept("a"), 1), Session(2, kept("b"), 2), Session(3, kept("a"), 3), record=kept("a"))
    memory.drop(DUE.scope, "a")

    scope = memory.scopes[DUE.scope]
    assert [one.kept for one in scope.sessions] == [None, kept("b"), None]
    assert scope.record is None

"""Starts of CLIs as roles of a course: whose they are, what they do and say, and what is on record of them."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver import patterns
from tck_driver.bench import Script, Shape
from tck_driver.courses import Act, Cast, Course, OtherProvider, Role, Start, Turn, Unadvertised
from tck_driver.errors import DriverError, KitError, UntestableError
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliStarted
from tck_fakes.bench import FakeBench
from tck_fakes.casting import Casting
from tck_fakes.docker.runtime import DockerRuntime
from tck_fakes.stage import Stage

from .box import CHOSEN, Box, Run

CLAUDE, CODEX = AdapterId.CLAUDE_CODE, AdapterId.CODEX


def role(scope: str, prompt: str, *answers: str, adapter: AdapterId = CLAUDE, invalid: str = "") -> Role:
    return Role(scope, adapter, prompt, r"issue text", answers or (f"{scope} says so",), invalid)


def casting(*acts: Act, roles: tuple[Role, ...] = (role("a", "worker"), role("b", "reviewer"))) -> Casting:
    return Casting(Cast(roles), Course(acts))


def said(run: Run) -> str:
    return run.state.stdout


def test_a_start_is_of_the_first_role_whose_prompt_and_adapter_it_has(box: Box) -> None:
    roles = (role("a", "worker"), role("", "worker or", "helping"), role("b", "worker", adapter=CODEX))
    box.runtime.cast(casting(Turn("a"), Turn("b"), roles=roles))
    first, other = box.fresh("claude", "worker or not: issue text"), box.fresh("codex", "the worker goes on")
    assert (first.started.scope, first.started.full) == ("a", True)
    assert (other.started.scope, other.started.full) == ("b", False)


def test_the_starts_of_a_scope_behave_in_order_and_then_all_is_well(box: Box) -> None:
    course = (Turn("a", (Start("unsaved"), Start("server_error"))), Turn("b", (Start("no_output"),)), Turn("a"))
    box.runtime.cast(casting(*course))
    codes = [
        box.fresh("claude", prompt).state.exit_code for prompt in ("worker", "reviewer", "worker", "worker", "reviewer")
    ]
    assert codes == [0, 1, 1, 0, 0]


def test_a_session_that_was_never_saved_is_not_found_later(box: Box) -> None:
    box.runtime.cast(casting(Turn("a", (Start("unsaved"),)), Turn("a"), roles=(role("a", "worker"),)))
    dead = box.fresh("claude", "worker").session
    run = box.resume("claude", dead, "go on")
    assert (run.state.exit_code, run.started.scope, run.started.full) == (1, "a", False)
    assert "No conversation found" in run.state.stderr


def test_a_prompt_that_says_nothing_is_of_the_role_to_which_its_id_was_last_reported(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), Turn("b")))
    box.fresh("claude", "worker")
    session = box.fresh("claude", "reviewer").session
    assert box.resume("claude", session, "go on").started.scope == "b"
    box.resume("claude", session, "worker")
    assert box.resume("claude", session, "go on").started.scope == "a"


def test_an_id_at_another_provider_s_cli_is_still_its_scope_s(box: Box) -> None:
    roles = (role("a", "worker"), role("a", "worker", "codex says", adapter=CODEX))
    box.runtime.cast(casting(Turn("a"), OtherProvider("a"), Turn("a", (Start("no_id"),)), roles=roles))
    session = box.fresh("claude", "worker").session
    run = box.resume("codex", session, "go on")
    assert (run.started.scope, run.started.asked_id) == ("a", session)


def test_it_is_on_record_by_what_a_scope_is_known(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), Turn("b")))
    session = box.fresh("claude", "worker").session
    starts = (box.resume("claude", session, "worker"), box.resume("claude", session, "go on"), box.fresh("claude", "?"))
    assert box.witness.of(CliStarted)[0].scope_by == "prompt"
    assert [(run.started.scope, run.started.scope_by) for run in starts] == [("a", "prompt"), ("a", "id"), (None, None)]


def test_nothing_is_a_helper_s_for_an_id_alone(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), roles=(role("", "planner"), role("a", "worker"))))
    planned, worked = box.fresh("claude", "planner").session, box.fresh("claude", "worker").session
    assert box.resume("claude", planned, "go on").started.scope is None
    box.resume("claude", worked, "planner")
    assert box.resume("claude", worked, "go on").started.scope == "a"


def test_a_prompt_of_two_scopes_is_the_driver_s_fault_and_ends_the_course(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), Turn("b")))
    for prompt in ("worker and reviewer", "worker"):
        with pytest.raises(DriverError, match=r"roles\[0\], of scope 'a', and of roles\[1\], of scope 'b'"):
            box.fresh("claude", prompt)


def test_roles_of_one_scope_may_share_a_prompt_and_a_helper_s_may_hold_a_scope_s(box: Box) -> None:
    roles = (role("", "plan the worker"), role("a", "the worker", "first"), role("a", "worker", "second"))
    box.runtime.cast(casting(Turn("a"), roles=roles))
    runs = [box.fresh("claude", prompt) for prompt in ("plan the worker", "the worker", "worker")]
    assert [run.started.scope for run in runs] == ["", "a", "a"]
    assert ["first" in said(runs[1]), "second" in said(runs[2])] == [True, True]


@pytest.mark.parametrize("which", ["prompt", "full"])
def test_an_expression_that_goes_astray_is_the_driver_s_fault(
    box: Box, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.5)
    endless = "(?:worker|w+o?r?ker)(?:(?:x+)+)+$"
    worker = role("a", "worker")
    known = replace(worker, prompt=endless) if which == "prompt" else replace(worker, full=endless)
    box.runtime.cast(casting(Turn("a"), roles=(role("", "planner"), known)))
    with pytest.raises(DriverError, match=rf"roles\[1\]\.{which} cannot be searched for"):
        box.fresh("claude", f"worker {'x' * 64}! worker{'x' * 64}!")


def test_a_cli_that_refuses_to_resume_without_an_id_is_known_by_its_prompt(box: Box) -> None:
    roles = (role("a", "worker", adapter=CODEX), role("a", "worker"))
    box.runtime.cast(casting(Turn("a"), roles=roles))
    run = box.run(box.request("codex", "exec", "resume", "--json", "--skip-git-repo-check", "worker: issue text"))
    assert run.state.exit_code != 0
    assert (run.started.scope, run.started.full, run.started.asked_loosely) == ("a", True, True)
    strange = box.run(box.request("codex", "exec", "resume", "--json", "--skip-git-repo-check", "who knows"))
    fresh = box.run(box.request("claude", "-p", "--output-format", "stream-json", "worker"))
    assert [(one.started.scope, one.started.asked_loosely) for one in (strange, fresh)] == [(None, False)] * 2


def test_a_cli_that_refuses_its_arguments_has_its_prompt_on_record_with_the_id(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), roles=(role("a", "worker"),)))
    asked = ("-p", "--resume", CHOSEN, "--session-id", CHOSEN, "worker goes on")
    start = box.run(box.request("claude", *asked)).started
    assert start.usage_error is not None
    assert (start.scope, start.scope_by, start.asked_id, start.prompt) == ("a", "prompt", CHOSEN, "worker goes on")


def test_a_start_that_nobody_knows_has_no_scope_and_goes_by_the_queue(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), Turn("b")))
    run = box.fresh("claude", "who knows", script=Script(answer="from the queue"))
    assert (run.started.scope, run.started.full) == (None, None)
    assert "from the queue" in said(run)


def test_without_a_course_no_start_has_a_scope(box: Box) -> None:
    box.fresh("claude", "worker")
    assert [(start.scope, start.full) for start in box.witness.of(CliStarted)] == [(None, None)]


def test_a_role_says_its_answers_in_turn_and_repeats_the_last(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), roles=(role("a", "worker", "one", "two"),)))
    texts = [said(box.fresh("claude", "worker")) for _ in range(3)]
    assert ["one" in texts[0], "two" in texts[1], "two" in texts[2]] == [True, True, True]


def test_an_invalid_answer_is_said_where_the_course_wants_one(box: Box) -> None:
    roles = (role("a", "worker", "fine", invalid="nonsense"),)
    box.runtime.cast(casting(Turn("a", (Start(invalid=True),)), roles=roles))
    texts = [said(box.fresh("claude", "worker")) for _ in range(2)]
    assert ["nonsense" in text for text in texts] == [True, False]


def test_a_helper_is_always_well_and_uses_nothing_up(box: Box) -> None:
    roles = (role("a", "worker"), role("", "planner"))
    box.runtime.cast(casting(Turn("a", (Start("no_output"),)), roles=roles))
    assert box.fresh("claude", "planner").state.exit_code == 0
    run = box.fresh("claude", "worker")
    assert (run.state.exit_code, run.started.scope) == (1, "a")
    assert box.witness.of(CliStarted)[0].scope == ""


def test_the_first_start_of_a_turn_in_which_the_engine_dies_hangs(box: Box) -> None:
    box.runtime.cast(casting(Turn("a"), Turn("a", killed=True), roles=(role("a", "worker"),)))
    states = [box.fresh("claude", "worker").state.exit_code for _ in range(3)]
    assert states == [0, None, 0]


@pytest.mark.parametrize(
    ("cli", "question"), [("claude", ("--help",)), ("codex", ("exec", "--help")), ("codex", ("--help",))]
)
def test_the_help_says_nothing_of_resuming_once_the_course_has_come_there(
    box: Box, cli: str, question: tuple[str, ...]
) -> None:
    def helped() -> str:
        return box.runtime.run(box.request(cli, *question)).stdout

    box.runtime.cast(casting(Turn("a", (Start(), Start())), Turn("b"), Unadvertised(), Turn("a")))
    for prompt in ("worker", "worker", "reviewer"):
        assert "resume" in helped()
        box.fresh("claude", prompt)
    assert "resume" not in helped().lower()
    assert helped().startswith("Usage: ")


@pytest.mark.parametrize(
    ("roles", "what"),
    [
        ((role("a", "("),), r"roles\[0\].prompt is no regular expression"),
        ((role("a", "worker"), role("c", "other")), "for the scope 'c', which has no turn"),
        ((Role("a", CLAUDE, "worker", "issue text", ()),), "no answers"),
        ((role("", "worker"),), "no role for the scope 'a'"),
        ((role("a", ""),), r"roles\[0\].prompt is found even in an empty text"),
        ((Role("a", CLAUDE, "worker", "", ("yes",)),), r"roles\[0\].full is found even in an empty text"),
    ],
)
def test_a_cast_that_does_not_fit_is_the_driver_s_fault(roles: tuple[Role, ...], what: str) -> None:
    with pytest.raises(DriverError, match=what):
        casting(Turn("a"), roles=roles)


def test_a_course_with_an_invalid_answer_needs_a_role_that_knows_one() -> None:
    with pytest.raises(DriverError, match="no answer of the wrong form"):
        casting(Turn("a", (Start(invalid=True),)), roles=(role("a", "worker"),))


def test_a_shape_that_no_role_of_the_scope_can_take_is_the_kit_s_fault() -> None:
    with pytest.raises(KitError, match="rotate"):
        casting(Turn("a", (Start("rotate"),)), roles=(role("a", "worker", adapter=CODEX),))


SHAPES: tuple[Shape, ...] = ("ok", "no_id", "two_ids", "server_error", "no_output")
TURNS = st.lists(
    st.builds(
        Turn,
        st.sampled_from(("a", "b")),
        st.lists(st.builds(Start, st.sampled_from(SHAPES)), max_size=3).map(tuple),
    ),
    max_size=6,
)


@given(TURNS, st.lists(st.sampled_from(("a", "b"))))
def test_every_start_of_a_scope_has_the_next_shape_of_its_turns_however_the_scopes_alternate(
    turns: list[Turn], order: list[str]
) -> None:
    played = casting(*turns, roles=tuple(role(name, name) for name in dict.fromkeys(turn.scope for turn in turns)))
    due = {
        name: [start.shape for turn in turns if turn.scope == name for start in turn.starts or (Start(),)]
        for name in "ab"
    }
    for name in order:
        part = played.take(CLAUDE, name, None)
        expected = due[name].pop(0) if due[name] else "ok"
        known = name in {turn.scope for turn in turns}
        assert (None if part is None else (part.scope, part.script.shape)) == ((name, expected) if known else None)


def test_the_bench_casts_for_whatever_a_stage_runs(tmp_path: Path) -> None:
    stage = Stage.at(tmp_path, 1, threading.RLock(), {})
    FakeBench(stage, tmp_path, None).cast(Cast((role("a", "worker"),)), Course((Turn("a"),)))
    box = Box(tmp_path, stage.clock, stage.witness, stage.programs.daemon.runtime)
    assert box.fresh("claude", "worker").started.scope == "a"
    stage.close()


def test_in_real_containers_roles_are_not_told_apart() -> None:
    nothing = object.__new__(DockerRuntime)
    with pytest.raises(UntestableError, match="real containers"):
        nothing.cast(casting(Turn("a"), Turn("b")))


def test_roles_that_did_not_fit_are_told_before_what_that_has_led_to(tmp_path: Path) -> None:
    stage = Stage.at(tmp_path, 1, threading.RLock(), {})
    roles = Cast((role("a", "worker"), role("b", "reviewer")))
    FakeBench(stage, tmp_path, None).cast(roles, Course((Turn("a"), Turn("b"))))
    box = Box(tmp_path, stage.clock, stage.witness, stage.programs.daemon.runtime)
    stage.raise_faults()
    with pytest.raises(DriverError):
        box.fresh("claude", "worker and reviewer")
    # What a process that started the CLI is told, and whoever listens for it takes note of.
    stage.faults.append("how to begin claude (DriverError)")
    with pytest.raises(DriverError, match="does not tell starts apart"):
        stage.raise_faults()
    stage.close()

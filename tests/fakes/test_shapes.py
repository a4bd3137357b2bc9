"""Every shape on every CLI that can take it: exit code, ids named, history, and what is saved."""

from __future__ import annotations

from typing import get_args

import pytest

from tck_driver.bench import Link, Script, Shape, Write
from tck_driver.errors import KitError
from tck_fakes.standins.shapes import FAULTS, NOT_FOUND_TEXT, TAKEN_BY

from .box import ADAPTERS, CHOSEN, STATE, Box, Run, fresh, resume

CLIS = tuple(ADAPTERS)


def takers(shape: Shape) -> list[str]:
    return [cli for cli in CLIS if ADAPTERS[cli] in TAKEN_BY[shape]]


def pairs(*shapes: Shape) -> list[tuple[str, Shape]]:
    return [(cli, shape) for shape in shapes for cli in takers(shape)]


def resumed(box: Box, cli: str, script: Script) -> tuple[str, Run]:
    """Have a session of one prompt, then resume it under a script."""
    session = box.fresh(cli).session
    return session, box.resume(cli, session, script=script)


def test_every_shape_is_taken_by_some_cli() -> None:
    assert set(TAKEN_BY) == set(get_args(Shape))
    assert all(takers(shape) for shape in TAKEN_BY)


@pytest.mark.parametrize(
    ("cli", "shape"), [(cli, shape) for shape in TAKEN_BY for cli in CLIS if cli not in takers(shape)]
)
def test_a_shape_that_a_cli_cannot_take_is_the_kits_mistake(box: Box, cli: str, shape: Shape) -> None:
    with pytest.raises(KitError, match=shape) as caught:
        box.runtime.script(ADAPTERS[cli], Script(shape))
    assert ADAPTERS[cli] in str(caught.value)


def test_an_odd_id_has_to_be_given(box: Box) -> None:
    with pytest.raises(KitError, match="reported_id"):
        box.runtime.script(ADAPTERS["codex"], Script("odd_id"))


@pytest.mark.parametrize(("cli", "shape"), pairs(*FAULTS))
def test_a_provider_fault_names_the_loaded_session_and_leaves_the_prompt_in_it(
    box: Box, cli: str, shape: Shape
) -> None:
    session, run = resumed(box, cli, Script(shape))
    assert run.answered is not None
    assert (run.state.exit_code, run.answered.session_id) == (1, session)
    assert run.answered.reported_ids == (session,)
    assert run.answered.remembered == ("first",)
    if shape != "bad_request":
        after = box.resume(cli, session, "third").answered
        assert after is not None
        assert after.remembered == ("first", "second")


@pytest.mark.parametrize("cli", CLIS)
def test_a_failing_run_may_say_404_not_found_of_something_else(box: Box, cli: str) -> None:
    _, run = resumed(box, cli, Script("not_found_text"))
    assert NOT_FOUND_TEXT in run.state.stdout + run.state.stderr


@pytest.mark.parametrize("cli", CLIS)
def test_a_bad_request_belongs_to_the_history_and_comes_every_time(box: Box, cli: str) -> None:
    session, _ = resumed(box, cli, Script("bad_request"))
    again = box.resume(cli, session, "third")
    assert again.answered is not None
    assert (again.state.exit_code, again.answered.shape) == (1, "bad_request")
    assert box.fresh(cli, "anew").state.exit_code == 0


@pytest.mark.parametrize(("cli", "shape"), pairs("other_id_fails", "two_ids_fail"))
def test_a_fault_may_leave_unconfirmed_which_session_it_was(box: Box, cli: str, shape: Shape) -> None:
    session, run = resumed(box, cli, Script(shape))
    assert run.answered is not None
    assert run.state.exit_code == 1
    asked, *others = run.answered.reported_ids
    assert (asked == session, len(others)) == ((True, 1) if shape == "two_ids_fail" else (False, 0))
    assert run.answered.remembered == (("first",) if shape == "two_ids_fail" else ())


REFUSING: tuple[Shape, ...] = ("refuse", "refuse_decoy", "refuse_exit_zero", "refuse_silent", "damaged")


@pytest.mark.parametrize(("cli", "shape"), pairs(*REFUSING))
def test_a_refusal_serves_no_session_and_never_the_asked_one(box: Box, cli: str, shape: Shape) -> None:
    session, run = resumed(box, cli, Script(shape))
    assert run.answered is not None
    assert run.answered.session_id is None
    assert run.state.exit_code == (0 if shape in ("refuse_exit_zero", "refuse_silent") else 1)
    assert bool(run.state.stdout + run.state.stderr) == (shape != "refuse_silent")
    if shape == "refuse_decoy":
        assert len(run.answered.reported_ids) == 1
        assert session not in run.answered.reported_ids
    after = box.resume(cli, session, "third").answered
    assert after is not None
    assert after.remembered == ("first",), "a refused prompt is in no history"


@pytest.mark.parametrize(("cli", "shape"), pairs(*REFUSING, "rotate"))
def test_a_fresh_start_cannot_be_refused_a_session(box: Box, cli: str, shape: Shape) -> None:
    run = box.fresh(cli, script=Script(shape))
    assert run.answered is not None
    assert (run.state.exit_code, run.answered.shape) == (0, "ok")


@pytest.mark.parametrize("cli", takers("rotate"))
def test_a_rotation_goes_on_under_a_new_id_with_the_history(box: Box, cli: str) -> None:
    session, run = resumed(box, cli, Script("rotate"))
    assert run.answered is not None
    assert run.session != session
    assert run.answered.reported_ids == (run.session,)
    after = box.resume(cli, run.session, "third").answered
    assert after is not None
    assert after.remembered == ("first", "second")


@pytest.mark.parametrize("cli", CLIS)
def test_another_id_is_another_session_without_the_history(box: Box, cli: str) -> None:
    session, run = resumed(box, cli, Script("other_id"))
    assert run.answered is not None
    assert run.session != session
    assert (run.state.exit_code, run.answered.remembered, run.answered.saved) == (0, (), True)
    assert run.answered.reported_ids == (run.session,)


@pytest.mark.parametrize("cli", CLIS)
def test_no_id_and_two_ids_still_serve_the_asked_session(box: Box, cli: str) -> None:
    session, none = resumed(box, cli, Script("no_id"))
    two = box.resume(cli, session, "third", script=Script("two_ids"))
    assert none.answered is not None
    assert two.answered is not None
    assert (none.answered.session_id, none.answered.reported_ids) == (session, ())
    assert (two.answered.session_id, two.answered.reported_ids[0]) == (session, session)
    assert len(two.answered.reported_ids) == 2
    assert session not in none.state.stdout.replace('"session.resume"', "")


@pytest.mark.parametrize("cli", takers("other_id_fails"))
def test_another_id_and_two_ids_come_with_a_providers_fault_as_well(box: Box, cli: str) -> None:
    session, other = resumed(box, cli, Script("other_id_fails"))
    two = box.resume(cli, session, "third", script=Script("two_ids_fail"))
    assert other.answered is not None
    assert two.answered is not None
    assert (other.state.exit_code, two.state.exit_code) == (1, 1)
    assert len(other.answered.reported_ids) == 1
    assert session not in other.answered.reported_ids
    assert len(two.answered.reported_ids) == 2
    assert two.answered.reported_ids[0] == session


@pytest.mark.parametrize("cli", CLIS)
@pytest.mark.parametrize("odd", ["../../x", "--yolo", "a;b", "x\ny", "", "y" * 10_000])
def test_an_odd_id_is_reported_as_it_is(box: Box, cli: str, odd: str) -> None:
    run = box.fresh(cli, script=Script("odd_id", reported_id=odd))
    assert run.answered is not None
    assert run.answered.reported_ids == (odd,)
    assert run.state.exit_code == 0


@pytest.mark.parametrize("cli", CLIS)
def test_prose_talks_of_another_id_and_the_report_does_not(box: Box, cli: str) -> None:
    session, run = resumed(box, cli, Script("prose_id"))
    assert run.answered is not None
    assert run.answered.reported_ids == (session,)
    assert "session id: management" in run.state.stdout


@pytest.mark.parametrize("cli", takers("id_in_use"))
def test_a_chosen_id_can_be_refused_as_taken(box: Box, cli: str) -> None:
    argv = (*fresh(cli, "first")[:1], f"--session-id={CHOSEN}", *fresh(cli, "first")[1:])
    run = box.go(cli, *argv, script=Script("id_in_use"))
    assert (run.state.exit_code, run.started.chosen_id) == (1, CHOSEN)
    assert list(box.state(cli).rglob("*.jsonl")) == []
    without = box.resume(cli, CHOSEN, script=Script("id_in_use"))
    assert without.answered is not None
    assert without.answered.shape == "ok"


@pytest.mark.parametrize("cli", CLIS)
@pytest.mark.parametrize(("shape", "silent"), [("usage_error", False), ("generic_error", False), ("no_output", True)])
def test_an_error_without_a_session_names_none(box: Box, cli: str, shape: Shape, *, silent: bool) -> None:
    session, run = resumed(box, cli, Script(shape))
    code = 2 if shape == "usage_error" and cli in ("codex", "grok") else 1
    assert run.answered is not None
    assert (run.state.exit_code, run.answered.session_id, run.answered.reported_ids) == (code, None, ())
    assert (run.state.stdout, bool(run.state.stderr)) == ("", not silent)
    assert session not in run.state.stderr


@pytest.mark.parametrize("cli", CLIS)
def test_a_killed_run_has_left_its_prompt(box: Box, cli: str) -> None:
    session, run = resumed(box, cli, Script("killed"))
    assert run.answered is not None
    assert (run.state.exit_code, run.answered.session_id, run.answered.saved) == (137, session, True)
    assert run.answered.reported_ids == (() if cli == "copilot" else (session,))
    after = box.resume(cli, session, "third").answered
    assert after is not None
    assert after.remembered == ("first", "second")


@pytest.mark.parametrize("cli", CLIS)
def test_a_run_killed_early_has_left_nothing(box: Box, cli: str) -> None:
    session, run = resumed(box, cli, Script("killed_early"))
    assert run.answered is not None
    assert (run.state, run.answered.saved) == (type(run.state)(137, "", ""), False)
    after = box.resume(cli, session, "third").answered
    assert after is not None
    assert after.remembered == ("first",)


@pytest.mark.parametrize("cli", CLIS)
@pytest.mark.parametrize("shape", ["hang", "hang_early"])
def test_a_hanging_run_goes_on_to_its_ordinary_end_when_released(box: Box, cli: str, shape: Shape) -> None:
    session, run = resumed(box, cli, Script(shape, acts=(Write("/workspace/late", "x"),)))
    assert (run.state.exit_code, run.answered) == (None, None)
    named = session in run.state.stdout
    assert named == (shape == "hang" and cli != "copilot")
    assert not (box.root / "workspace" / "late").exists()
    box.runtime.release(run.container)
    assert box.runtime.poll(run.container).exit_code == 0
    assert (box.root / "workspace" / "late").read_text() == "x"


@pytest.mark.parametrize("cli", CLIS)
@pytest.mark.parametrize("shape", ["hang", "hang_early"])
def test_a_stopped_run_writes_nothing_any_more(box: Box, cli: str, shape: Shape) -> None:
    session, run = resumed(box, cli, Script(shape, acts=(Write("/workspace/late", "x"),)))
    box.runtime.stop(run.container)
    before = {path: path.read_bytes() for path in box.root.rglob("*") if path.is_file()}
    box.runtime.release()
    box.clock.advance(10_000)
    assert {path: path.read_bytes() for path in box.root.rglob("*") if path.is_file()} == before
    assert box.runtime.poll(run.container).exit_code == 137
    assert session in "".join(map(str, before)) + str(before.values())


@pytest.mark.parametrize("cli", takers("unsaved"))
def test_an_unsaved_run_answers_and_leaves_the_state_as_it_was(box: Box, cli: str) -> None:
    run = box.fresh(cli, script=Script("unsaved"))
    assert run.answered is not None
    assert (run.state.exit_code, run.answered.saved) == (0, False)
    assert run.answered.reported_ids == (run.session,)
    assert [path for path in box.state(cli).rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("cli", CLIS)
def test_a_decoy_is_newer_and_the_most_recent_session_is_the_wrong_one(box: Box, cli: str) -> None:
    session, run = resumed(box, cli, Script("decoy_beside"))
    assert run.answered is not None
    assert run.answered.reported_ids == (session,)
    argv = {
        "claude": ("-p", "--continue", "third"),
        "codex": ("exec", "--skip-git-repo-check", "resume", "--last", "third"),
        "opencode": ("run", "--continue", "third"),
        "copilot": ("-p", "third", "--continue"),
        "grok": ("-p", "third", "--continue"),
    }[cli]
    loose = box.go(cli, *argv)
    assert loose.answered is not None
    assert loose.answered.remembered == ("Something else entirely.",)
    assert loose.started.asked_loosely
    strict = box.resume(cli, session, "fourth").answered
    assert strict is not None
    assert strict.remembered == ("first", "second")


@pytest.mark.parametrize("cli", takers("empty_beside"))
def test_an_empty_folder_beside_the_session_has_another_id(box: Box, cli: str) -> None:
    session, _ = resumed(box, cli, Script("empty_beside"))
    empty = [path for path in box.state(cli).rglob("*") if path.is_dir() and not list(path.iterdir())]
    assert len(empty) == 1
    assert session not in empty[0].name
    assert box.resume(cli, session, "third").state.exit_code == 0


@pytest.mark.parametrize("cli", CLIS)
def test_acts_are_done_in_the_containers_view_and_a_failing_one_ends_nothing(box: Box, cli: str) -> None:
    secret = box.root / "secret"
    secret.write_text("s")
    acts = (
        Link("/workspace/out", str(secret)),
        Write("/workspace/out", "through the link"),
        Write("/workspace", "a directory is there"),
        Write(f"{STATE[cli]}/planted", "p"),
    )
    run = box.fresh(cli, script=Script(acts=acts))
    assert run.state.exit_code == 0
    assert secret.read_text() == "s"
    assert (box.root / "workspace" / "out").is_symlink()
    assert (box.state(cli) / "planted").read_text() == "p"


@pytest.mark.parametrize("cli", CLIS)
def test_after_its_queue_of_scripts_a_cli_answers_as_usual(box: Box, cli: str) -> None:
    box.runtime.script(ADAPTERS[cli], Script("generic_error"), Script("no_output"))
    codes = [box.go(cli, *fresh(cli, "x")).state.exit_code for _ in range(3)]
    assert codes == [1, 1, 0]


@pytest.mark.parametrize("cli", CLIS)
def test_what_was_started_is_read_from_the_arguments(box: Box, cli: str) -> None:
    first = box.fresh(cli, "a prompt with 'quotes'\nand lines")
    second = box.go(cli, *resume(cli, first.session, "go on"))
    assert (first.started.prompt, first.started.asked_id) == ("a prompt with 'quotes'\nand lines", None)
    assert first.started.label == (None if cli in ("codex", "grok") else "n")
    assert (second.started.prompt, second.started.asked_id) == ("go on", first.session)
    assert not second.started.asked_loosely
    assert second.started.usage_error is None

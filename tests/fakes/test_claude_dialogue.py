"""A dialogue with claude over its standard input, as its vendor's SDK holds it; measured on the real one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tck_driver.bench import Script
from tck_driver.courses import Cast, Course, Role, Turn
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted
from tck_fakes.casting import Casting
from tck_fakes.programs.call import ProgramCall
from tck_fakes.programs.programs import Programs

from .box import CHOSEN, Box
from .desk import Reply
from .outside import PATIENCE, Outside, until

SDK = ("--output-format", "stream-json", "--verbose", "--input-format", "stream-json")
INITIALIZE = {"type": "control_request", "request_id": "r1", "request": {"subtype": "initialize"}}
OTHER = "baa62f74-fa32-4fee-bf27-aeac3b92b2a0"


def user(text: str) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": text}]}, "session_id": ""}


def request(kind: str, **more: object) -> dict[str, object]:
    return {"type": "control_request", "request_id": kind, "request": {"subtype": kind, **more}}


def lines(*messages: object) -> str:
    return "".join(f"{message if isinstance(message, str) else json.dumps(message)}\n" for message in messages)


def said(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def kinds(text: str) -> list[str]:
    return [str(line.get("subtype") or line["type"]) for line in said(text)]


def held(box: Box, *messages: object, more: tuple[str, ...] = ()) -> tuple[int | None, str, str]:
    """Hold a dialogue whose lines are all there from the start."""
    container = box.runtime.start(box.request("claude", *SDK, *more, stdin=lines(*messages)))
    state = box.runtime.poll(container)
    return state.exit_code, state.stdout, state.stderr


def test_requests_are_answered_before_there_is_a_prompt_and_every_prompt_is_a_turn(box: Box) -> None:
    code, out, err = held(box, INITIALIZE, user("first"), user("second"))
    assert (code, err) == (0, "")
    assert kinds(out) == ["control_response", *(["init", "assistant", "success"] * 2)]
    assert len({line["session_id"] for line in said(out)[1:]}) == 1
    (started,) = box.witness.of(CliStarted)
    assert started.prompt == "first"


def test_a_later_run_remembers_every_prompt_of_a_dialogue(box: Box) -> None:
    held(box, user("first"), user("second"), more=("--session-id", CHOSEN))
    held(box, user("third"), more=("--resume", CHOSEN))
    answers = box.witness.of(CliAnswered)
    assert [(answer.session_id, answer.remembered) for answer in answers] == [
        (CHOSEN, ()),
        (CHOSEN, ("first", "second")),
    ]


def test_a_session_that_is_not_there_ends_it_before_anything_is_read(box: Box) -> None:
    code, out, err = held(box, INITIALIZE, user("go on"), more=("--resume", OTHER))
    (result,) = said(out)
    assert (code, err) == (1, f"No conversation found with session ID: {OTHER}\n")
    assert (result["subtype"], result["is_error"], result["session_id"]) == ("error_during_execution", True, OTHER)
    assert result["errors"] == [f"No conversation found with session ID: {OTHER}"]
    (started,) = box.witness.of(CliStarted)
    assert (started.asked_id, started.prompt) == (OTHER, "")


def test_the_answer_to_an_initialization_has_the_parts_of_the_real_one(box: Box) -> None:
    _, out, _ = held(box, INITIALIZE)
    (answer,) = said(out)
    inner = cast("dict[str, object]", answer["response"])
    assert (inner["subtype"], inner["request_id"]) == ("success", "r1")
    assert set(cast("dict[str, object]", inner["response"])) == {
        "commands",
        "agents",
        "output_style",
        "available_output_styles",
        "models",
        "account",
        "pid",
    }


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (request("set_permission_mode", mode="plan"), {"mode": "plan"}),
        (request("mcp_status"), {"mcpServers": []}),
        (request("interrupt"), None),
        (request("set_model", model="opus"), None),
    ],
)
def test_other_requests_succeed(box: Box, asked: dict[str, object], answer: dict[str, object] | None) -> None:
    code, out, _ = held(box, asked)
    inner = cast("dict[str, object]", said(out)[0]["response"])
    assert (code, inner["subtype"], inner.get("response")) == (0, "success", answer)


def test_a_request_that_it_does_not_know_is_told_so(box: Box) -> None:
    _, out, _ = held(box, request("nonsense"))
    inner = cast("dict[str, object]", said(out)[0]["response"])
    assert inner == {
        "subtype": "error",
        "request_id": "nonsense",
        "error": "Unsupported control request subtype: nonsense",
    }


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("not json", "Error parsing streaming input line: not json: SyntaxError"),
        ({"type": "user"}, 'Error parsing streaming input line: {"type": "user"}: TypeError'),
        ({"type": "user", "message": {"role": "assistant"}}, "Error: Expected message role 'user', got 'assistant'"),
    ],
)
@pytest.mark.parametrize("before", [(), (user("first"),)])
def test_a_line_that_it_cannot_read_ends_it(
    box: Box, line: object, text: str, before: tuple[dict[str, object], ...]
) -> None:
    code, _, err = held(box, *before, line)
    assert (code, err[: len(text)]) == (1, text)


def test_empty_lines_and_messages_of_other_kinds_are_passed_over(box: Box) -> None:
    code, out, _ = held(box, "", {"type": "keep_alive"}, 5, {"type": "odd"}, user("first"))
    assert (code, kinds(out)) == (0, ["init", "assistant", "success"])


def test_the_words_of_a_prompt_may_be_a_text_and_the_prompt_argument_is_not_looked_at(box: Box) -> None:
    held(box, {"type": "user", "message": {"role": "user", "content": "as text"}}, more=("an argument",))
    assert box.witness.of(CliStarted)[0].prompt == "as text"


def test_input_that_ends_without_a_prompt_is_an_ordinary_end_and_no_start(box: Box) -> None:
    assert held(box) == (0, "", "")
    code, out, _ = held(box, request("get_settings"), more=("--print", "--no-session-persistence", "--safe-mode"))
    assert (code, kinds(out)) == (0, ["control_response"])
    assert box.witness.of(CliStarted) == []


def test_a_turn_s_beginning_and_end_are_told_where_the_environment_asks_for_it(box: Box) -> None:
    box.environment["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"] = "1"
    box.runtime.script(AdapterId.CLAUDE_CODE, Script("server_error"))
    _, out, _ = held(box, user("first"), user("second"))
    told = [line.get("state", line["type"]) for line in said(out)]
    assert [word for word in told if word in ("running", "result", "idle")] == ["running", "result", "idle"] * 2
    assert "session_state_changed" not in box.fresh("claude").state.stdout


def test_a_prompt_is_said_again_where_that_is_asked_for(box: Box) -> None:
    _, out, _ = held(box, user("first"), more=("--replay-user-messages",))
    again = [line for line in said(out) if line.get("isReplay")]
    assert kinds(out) == ["init", "user", "assistant", "success"]
    assert cast("dict[str, object]", again[0]["message"])["content"] == [{"type": "text", "text": "first"}]


def test_the_exit_code_is_that_of_the_last_turn(box: Box) -> None:
    box.runtime.script(AdapterId.CLAUDE_CODE, Script("server_error"), Script("server_error"))
    code, out, _ = held(box, user("first"))
    assert (code, said(out)[-1]["is_error"]) == (1, True)
    code, out, _ = held(box, user("first"), user("second"))
    assert (code, said(out)[-1]["is_error"]) == (0, False)


def test_a_course_tells_whose_dialogue_it_is_by_the_first_prompt_or_by_the_asked_id(box: Box) -> None:
    roles = tuple(Role(name, AdapterId.CLAUDE_CODE, f"for {name}", "issue", (f"{name} said",)) for name in ("a", "b"))
    box.runtime.cast(Casting(Cast(roles), Course((Turn("a"), Turn("b")))))
    held(box, user("the issue for b"), user("for a"), more=("--session-id", CHOSEN))
    held(box, user("go on"), more=("--resume", CHOSEN))
    held(box, user("go on"), more=("--resume", OTHER))
    started = [(start.scope, start.full) for start in box.witness.of(CliStarted)]
    assert started == [("b", True), ("b", False), (None, None)]


@given(st.integers(1, 40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
def test_it_does_not_matter_in_what_pieces_the_lines_come(box: Box, size: int) -> None:
    data = lines(INITIALIZE, user("fürst"), user("second")).rstrip("\n").encode()
    programs, reply = Programs(box.runtime, box.clock), Reply()
    call = ProgramCall("claude", SDK, str(box.root), {"HOME": str(box.root)})
    process = programs.begin(call, reply)
    for at in range(0, len(data), size):
        process.heard(data[at : at + size])
    before = reply.code
    process.heard(b"")
    assert before is None
    assert (reply.code, kinds(reply.stdout)) == (0, ["control_response", *(["init", "assistant", "success"] * 2)])
    assert box.witness.of(CliStarted)[-1].prompt == "fürst"


@pytest.fixture
def outside(box: Box, tmp_path: Path) -> Iterator[Outside]:
    served = Outside(box, tmp_path / "bin", tmp_path / "socket")
    yield served
    served.listener.close()


def tell(process: subprocess.Popen[str], *messages: object) -> None:
    pipe = cast("IO[str]", process.stdin)
    pipe.write(lines(*messages))
    pipe.flush()


def hear(process: subprocess.Popen[str]) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(cast("IO[str]", process.stdout).readline()))


def test_a_process_outside_holds_its_dialogue_line_by_line(outside: Outside) -> None:
    with outside.start("claude", *SDK, stdin=subprocess.PIPE, HOME=str(outside.box.root)) as process:
        tell(process, INITIALIZE)
        assert hear(process)["type"] == "control_response"
        for prompt in ("first", "second"):
            tell(process, user(prompt))
            assert [hear(process)["type"] for _ in range(3)] == ["system", "assistant", "result"]
        cast("IO[str]", process.stdin).close()
        assert process.wait(PATIENCE) == 0
    assert [start.prompt for start in outside.box.witness.of(CliStarted)] == ["first"]


def test_a_process_outside_is_told_at_once_that_its_session_is_not_there(outside: Outside) -> None:
    with outside.start("claude", *SDK, "--resume", OTHER, stdin=subprocess.PIPE, HOME=str(outside.box.root)) as process:
        assert process.wait(PATIENCE) == 1
        assert hear(process)["subtype"] == "error_during_execution"


def test_a_process_that_is_killed_between_two_prompts_is_on_record(outside: Outside) -> None:
    with outside.start("claude", *SDK, stdin=subprocess.PIPE, HOME=str(outside.box.root)) as process:
        tell(process, user("first"))
        assert [hear(process)["type"] for _ in range(3)] == ["system", "assistant", "result"]
        process.kill()
    until(lambda: outside.box.witness.of(CliAnswered), "the end is on record")
    (answered,) = outside.box.witness.of(CliAnswered)
    assert (answered.exit_code, answered.saved) == (137, True)


def test_the_stand_in_alone_holds_the_same_dialogue_but_for_the_model(tmp_path: Path) -> None:
    done = subprocess.run(
        (sys.executable, "-P", "-m", "tck_fakes.standins.alone", "claude", *SDK, "--resume", OTHER),
        input=lines(INITIALIZE, user("first")),
        capture_output=True,
        env={"HOME": str(tmp_path)},
        cwd=tmp_path,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, kinds(done.stdout)) == (1, ["error_during_execution"])

"""The documents for zeroshot's Node line; their scripts are run by node, on a ledger of our own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.real import lacking

from tck_driver.courses import Act, Course, Moved, OtherProvider, Restart, Start, Turn
from tck_driver.vocabulary import AdapterId
from tck_peers.zeroshot_cluster import (
    DONE,
    FAILED,
    TASK,
    Site,
    agent,
    cluster,
    instructions,
    plan_of,
    prompt_of,
    through,
    whole,
)

SITE = Site(("/one", "/two", "/three"), (AdapterId.CLAUDE_CODE, AdapterId.CODEX))
#: A prompt that holds the whole task, and one that goes on from before, by what the engine puts around what it is told.
FULL = 'You are agent "{agent}" with role "implementation".\n## Instructions\n\n{told}\n\n## Messages\n{task}'
DELTA = "## Continuation Turn\n\nAgent: {agent}\nIteration: 2\n\n## Triggering Message\n\nanother is through.\n"
#: Runs one script as the engine does, and prints what it comes to.
RUN = """
const [script, said, running, agent] = JSON.parse(process.argv[1]);
const scope = {ledger: {query: () => said}, cluster: {getAgent: (id) => ({id, running})}, agent: {id: agent}};
const vm = require('vm');
let came;
try { came = vm.runInContext(`(function() { 'use strict'; ${script} })()`, vm.createContext(scope)); }
catch (error) { came = {thrown: error.message}; }
console.log(JSON.stringify(came ?? null));
"""


def documents(*acts: Act) -> dict[str, dict[str, Any]]:
    """Give each agent of a course by its name."""
    return {one["id"]: one for one in cluster(Course(acts), SITE)["agents"]}


def evaluated(script: str, said: Sequence[tuple[str, str]], *, running: bool = True, me: str = "") -> object:
    """Run a script on a ledger that holds these messages, each a topic and who sent it."""
    if shutil.which("node") is None:
        lacking("node", "node is missing; install it with: apt-get install nodejs")
    given = [script, [{"topic": topic, "sender": sender} for topic, sender in said], running, me]
    done = subprocess.run(
        ["node", "-e", RUN, json.dumps(given)], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(done.stdout)


def begins(one: dict[str, Any], said: Sequence[tuple[str, str]], *, running: bool = True) -> bool:
    answers = [evaluated(trigger["logic"]["script"], said, running=running) for trigger in one["triggers"]]
    assert len(set(answers)) == 1
    return bool(answers[0])


def after(one: dict[str, Any], said: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Give what the hook of an agent's turn comes to, empty where it does nothing of its own."""
    came = evaluated(one["hooks"]["onComplete"]["logic"]["script"], said, me=one["id"])
    return cast("dict[str, Any] | None", came) or {}


def test_agents_take_turns_in_the_order_of_the_course_and_then_it_ends() -> None:
    agents = documents(Turn("a"), Turn("b"), Turn("a"))
    said: list[tuple[str, str]] = [("ISSUE_OPENED", "system")]
    for due in ("worker-a", "worker-b", "worker-a"):
        assert {name for name, one in agents.items() if begins(one, said)} == {due}
        said.append((DONE, due))
    assert {name for name, one in agents.items() if begins(one, said)} == {"closing"}


def test_a_turn_that_failed_is_over_and_what_its_agent_does_besides_counts_for_nothing() -> None:
    agents = documents(Turn("a"), Turn("b"), Turn("a"))
    said = [(FAILED, "worker-a"), (DONE, "worker-a")]
    assert begins(agents["worker-b"], said)
    assert not begins(agents["worker-a"], said)


def test_before_a_restart_nobody_begins_until_the_engine_was_stopped() -> None:
    agents = documents(Turn("a"), Restart(), Turn("a"))
    said = [(DONE, "worker-a")]
    assert not begins(agents["worker-a"], said, running=True)
    assert begins(agents["worker-a"], said, running=False)


def test_the_hook_of_a_turn_fails_where_the_course_says_so_and_nowhere_else() -> None:
    worker = documents(Turn("a"), Turn("a", hook_fails=True), Turn("a"))["worker-a"]
    assert after(worker, []) == {}
    assert after(worker, [(DONE, "worker-a")]) == {"thrown": "the hook of the turn fails"}
    assert after(worker, [(DONE, "worker-a"), (FAILED, "worker-a")]) == {}


def test_what_changes_between_two_turns_is_ordered_by_the_hook_of_the_first() -> None:
    worker = documents(Turn("a"), OtherProvider("a"), Moved("a"), Turn("a"), OtherProvider("a"), Turn("a"))["worker-a"]
    ordered = after(worker, [])
    assert ordered["topic"] == "CLUSTER_OPERATIONS"
    assert ordered["content"]["data"]["operations"] == [
        {"action": "update_agent", "agentId": "worker-a", "updates": {"provider": "codex"}},
        {"action": "update_agent", "agentId": "worker-a", "updates": {"cwd": "/two"}},
        {"action": "publish", "topic": DONE, "content": {"text": "worker-a is through."}},
    ]
    back = after(worker, [(DONE, "worker-a")])["content"]["data"]["operations"][0]
    assert back["updates"] == {"provider": "claude"}


def test_what_changes_before_the_first_turn_is_so_from_the_beginning() -> None:
    agents = documents(OtherProvider("a"), Moved("b"), Turn("a"), Turn("b"))
    assert (agents["worker-a"]["provider"], agents["worker-a"]["cwd"]) == ("codex", "/one")
    assert (agents["worker-b"]["provider"], agents["worker-b"]["cwd"]) == ("claude", "/two")


def test_a_plan_has_the_place_of_each_pause_and_each_death() -> None:
    plan = plan_of(Course((Restart(), Turn("a"), Restart(), Turn("b", (Start("hang"),), killed=True), Restart())))
    assert plan.order == ("worker-a", "worker-b")
    assert plan.pauses == {1}
    assert plan.kills == {1}
    assert plan.before == (0, 0, 1, 1, 2)


@given(
    st.text("abz -_#7", min_size=1, max_size=12).filter(lambda text: agent(text) != "worker-"),
    st.text("abz -_#7", min_size=1, max_size=12),
)
def test_a_prompt_is_known_by_its_own_agent_alone_and_only_a_whole_one_is_full(own: str, other: str) -> None:
    full = FULL.format(agent=agent(own), told=instructions(own), task=TASK)
    delta = DELTA.format(agent=agent(own))
    for prompt in (full, delta):
        assert re.search(prompt_of(own), prompt)
        assert agent(other) == agent(own) or not re.search(prompt_of(other), prompt)
    assert re.search(whole(own), full)
    assert not re.search(whole(own), f"{delta}\n{TASK}")


@pytest.mark.parametrize(
    ("said", "came"),
    [
        ([], []),
        ([(DONE, "worker-b", "early"), (DONE, "worker-a", "well")], [(True, "well")]),
        (
            [(FAILED, "worker-a", "ill"), (DONE, "worker-b", "well"), (DONE, "worker-b", "more")],
            [(False, "ill"), (True, "well")],
        ),
    ],
)
def test_what_became_of_the_turns_is_read_in_their_order(
    said: list[tuple[str, str, str]], came: list[tuple[bool, str]]
) -> None:
    assert list(through(("worker-a", "worker-b"), said)) == came

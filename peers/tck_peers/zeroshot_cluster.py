"""The documents that zeroshot's Node line is given for a course: a cluster of agents that take turns in a fixed order.

A scope is an agent, and a turn one task of it. What an agent's task came to is a message in the ledger of the cluster;
every agent reads from there, in the scripts that a cluster's configuration may hold, how far the course has come, and
goes to work when it is its turn. Whatever is to change between two turns is ordered by the hook of the first of them,
as a conductor of theirs orders it: by a list of operations on the cluster.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

from tck_driver.courses import Course, Moved, OtherProvider, Restart, Turn
from tck_driver.vocabulary import AdapterId

Json: TypeAlias = dict[str, Any]

#: What an agent's hook says when its task went well; the engine itself goes on from this topic after a restart.
DONE = "IMPLEMENTATION_READY"
#: What the engine says when an agent's attempts are used up.
FAILED = "AGENT_ERROR"
#: What an agent answers that is through with its task, and what is no answer: the engine wants a JSON object.
ANSWER = json.dumps({"summary": "done"})
NO_ANSWER = "It is finished."
#: The agent that ends the cluster when the course is through.
LAST = "closing"
#: The task, as it stands in the issue.
TASK = "Greet whoever comes in."
#: Adapter → the provider that zeroshot knows it by.
PROVIDERS: Mapping[AdapterId, str] = {AdapterId.CLAUDE_CODE: "claude", AdapterId.CODEX: "codex"}


@dataclass(frozen=True, slots=True)
class Site:
    """Where the agents work, and with what: a folder for every time that a scope has moved, and the two CLIs."""

    folders: tuple[str, ...]
    adapters: tuple[AdapterId, AdapterId]


@dataclass(frozen=True, slots=True)
class Plan:
    """A course as the engine plays it; the places of turns are counted from 0."""

    #: The agent of each turn.
    order: tuple[str, ...]
    #: The turns before which the engine is stopped and started again.
    pauses: frozenset[int]
    #: The turns that are killed.
    kills: frozenset[int]
    #: Act → how many turns come before it.
    before: tuple[int, ...]


def agent(scope: str) -> str:
    """Give the name of the agent that is a scope."""
    return f"worker-{re.sub('[^a-z0-9]+', '-', scope.lower())}"


def instructions(scope: str) -> str:
    """Give what an agent is told once, in a prompt that holds the whole task, and not again where it is resumed."""
    return f"Carry out the part of the task that is named {agent(scope)}, and answer with one JSON object."


def prompt_of(scope: str) -> str:
    """Give the pattern by which any prompt of an agent is known, whether it holds the task or goes on from before."""
    name = re.escape(agent(scope))
    return rf'\A\s*(?:You are agent "{name}" |## Continuation Turn\s+Agent: {name}\s)'


def whole(scope: str) -> str:
    """Give the pattern of a prompt that holds the whole task: what the agent is told, and the issue."""
    return rf"(?s){re.escape(instructions(scope))}.*{re.escape(TASK)}"


def plan_of(course: Course) -> Plan:
    """Give a course as the engine plays it."""
    turns = [act for act in course.acts if isinstance(act, Turn)]
    before = tuple(accumulate((isinstance(act, Turn) for act in course.acts), initial=0))[: len(course.acts)]
    pauses = frozenset(
        at for at, act in zip(before, course.acts, strict=True) if isinstance(act, Restart) and 0 < at < len(turns)
    )
    kills = frozenset(number for number, turn in enumerate(turns) if turn.killed)
    return Plan(tuple(agent(turn.scope) for turn in turns), pauses, kills, before)


def cluster(course: Course, site: Site) -> Json:
    """Give the configuration of the cluster that plays a course."""
    plan = plan_of(course)
    turns = [act for act in course.acts if isinstance(act, Turn)]
    changes = _changes(course, site)
    failing = [number for number, turn in enumerate(turns) if turn.hook_fails]
    agents = [
        {
            "id": agent(scope),
            "role": "implementation",
            "modelLevel": "level2",
            "outputFormat": "stream-json",
            "timeout": 0,
            "prompt": instructions(scope),
            "contextStrategy": {"sources": [{"topic": "ISSUE_OPENED", "limit": 1}], "maxTokens": 20000},
            **_at_first(changes, scope, site),
            "triggers": [
                {"topic": topic, "action": "execute_task", "logic": _script(_may_begin(plan, scope))}
                for topic in ("ISSUE_OPENED", DONE)
            ],
            "hooks": {
                "onComplete": {
                    "action": "publish_message",
                    "config": {"topic": DONE, "content": {"text": f"{agent(scope)} is through with a turn."}},
                    "logic": _script(_after_turn(plan, failing, _ordered(changes, len(turns)))),
                }
            },
        }
        for scope in course.scopes
    ]
    return {"agents": [*agents, _last(plan)]}


@dataclass(frozen=True, slots=True)
class _Change:
    """What is different for a scope from a certain turn on."""

    at: int
    scope: str
    updates: Json


def _changes(course: Course, site: Site) -> list[_Change]:
    adapter = dict.fromkeys(course.scopes, 0)
    folder = dict.fromkeys(course.scopes, 0)
    found: list[_Change] = []
    for at, act in zip(plan_of(course).before, course.acts, strict=True):
        match act:
            case OtherProvider(scope=scope) if scope in adapter:
                adapter[scope] = 1 - adapter[scope]
                found.append(_Change(at, scope, {"provider": PROVIDERS[site.adapters[adapter[scope]]]}))
            case Moved(scope=scope) if scope in folder:
                folder[scope] += 1
                found.append(_Change(at, scope, {"cwd": site.folders[folder[scope]]}))
            case _:
                pass
    return found


def _at_first(changes: Sequence[_Change], scope: str, site: Site) -> Json:
    """Give what holds for a scope when the course begins."""
    first: Json = {"provider": PROVIDERS[site.adapters[0]], "cwd": site.folders[0]}
    for change in changes:
        if change.at == 0 and change.scope == scope:
            first |= change.updates
    return first


def _ordered(changes: Sequence[_Change], turns: int) -> dict[int, list[Json]]:
    """Give the operations on the cluster by the turn that comes after them."""
    ordered: dict[int, list[Json]] = {}
    for change in changes:
        if 0 < change.at < turns:
            operation = {"action": "update_agent", "agentId": agent(change.scope), "updates": change.updates}
            ordered.setdefault(change.at, []).append(operation)
    return ordered


def _script(body: str) -> Json:
    return {"engine": "javascript", "script": body}


def _how_far(plan: Plan) -> str:
    """Give the beginning of every script: whose turn each is, and how many of them are through.

    An agent that failed is set to work once more when the engine is told to go on. Where the next turn is another
    agent's, that is a task beside the course, and counts for nothing.
    """
    return (
        f"const order = {json.dumps(plan.order)}; let at = 0;"
        "for (const one of ledger.query({}))"
        f" if ((one.topic === '{DONE}' || one.topic === '{FAILED}') && one.sender === order[at]) at++;"
    )


def _may_begin(plan: Plan, scope: str) -> str:
    """Give the condition on which an agent goes to work; before a pause, not until the engine has been stopped."""
    waits = f"if ({json.dumps(sorted(plan.pauses))}.includes(at) && cluster.getAgent('{LAST}').running) return false;"
    return f"{_how_far(plan)}{waits} return order[at] === {json.dumps(agent(scope))};"


def _after_turn(plan: Plan, failing: Sequence[int], changes: Mapping[int, Sequence[Json]]) -> str:
    """Give what the hook of a turn does besides saying that it is through: fail, or order what is to change."""
    return (
        f"{_how_far(plan)} if (order[at] !== agent.id) return null;"
        f"if ({json.dumps(list(failing))}.includes(at)) throw new Error('the hook of the turn fails');"
        f"const changes = {json.dumps({str(at): list(these) for at, these in changes.items()})}[at + 1];"
        "if (!changes) return null;"
        f"const through = {{action: 'publish', topic: '{DONE}', content: {{text: agent.id + ' is through.'}}}};"
        "const data = {operations: [...changes, through]};"
        "return {topic: 'CLUSTER_OPERATIONS', content: {text: 'Something changes.', data}};"
    )


def _last(plan: Plan) -> Json:
    ends = {"topic": DONE, "action": "stop_cluster", "logic": _script(f"{_how_far(plan)} return at >= order.length;")}
    return {"id": LAST, "role": "orchestrator", "modelLevel": "level1", "timeout": 0, "triggers": [ends]}


def through(order: Sequence[str], said: Sequence[tuple[str, str, str]]) -> Iterator[tuple[bool, str]]:
    """Yield of each turn that is over whether it went well, and what was said of it.

    `said` are topic, sender and text of the messages of the cluster, oldest first.
    """
    at = 0
    for topic, sender, text in said:
        if at < len(order) and topic in (DONE, FAILED) and sender == order[at]:
            yield topic == DONE, text
            at += 1

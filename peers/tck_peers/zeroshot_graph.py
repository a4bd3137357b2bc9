"""The documents that zeroshot 10 is given for a course: a graph that visits nodes in a certain order, and its runtime.

A node is what zeroshot keeps a session for, so a scope is a node, and a turn a visit of it. A node is visited again
only in a loop: the turns of a run are the rounds of one loop, with the scopes in it one after the other. Where they do
not come round like that, a node of its own says before each turn whose it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

#: What a node can come to other than an answer.
_ERRORS = ("crash", "malformed", "refusal", "timeout")
#: The node that says whose turn it is, where that does not follow from the order.
DIRECTOR = "director"
#: What an agent answers that is through with a node's work, and what no node takes for an answer.
DONE = json.dumps({"response": None})
NO_ANSWER = "It is done."
#: The state of a run, and the input of every node: the task.
_TASK: Json = {"kind": "record", "fields": {"task": {"type": {"kind": "string"}, "required": True}}}
_NOTHING: Json = {"kind": "null"}
_REMARK: Json = {"kind": "record", "fields": {"message": {"type": {"kind": "string"}, "required": True}}}


def turn_of(name: str) -> str:
    """Give the sentence by which a prompt shows whose turn it is."""
    return f"This turn is of {name}."


def rounds(order: Sequence[str]) -> int:
    """Give how often the same nodes come one after the other, 0 where they do not."""
    once = len(set(order))
    full, rest = divmod(len(order), once)
    return full if not rest and list(order) == list(order[:once]) * full else 0


def graph(order: Sequence[str], scopes: Mapping[str, str]) -> Json:
    """Give the graph that visits nodes in this order; `scopes` says of each what its prompt is to tell.

    A visit that fails does not end the run, as nothing but the graph decides that. Where the nodes come in rounds, the
    run fails at its end if the last visit of any node did.
    """
    nodes = [_step(node, scopes[node]) for node in dict.fromkeys(order)]
    if count := rounds(order):
        failed = [_one_of(node["name"], "error", None, _ERRORS) for node in nodes]
        end = _choice(
            "end", [(_any(failed), {"kind": "fail", "name": "not_done", "reason": "turn_failed"})], _succeed()
        )
        children = [_loop(_sequence("round", nodes), count), end]
    else:
        astray: Json = {"kind": "fail", "name": "astray", "reason": "astray"}
        whose = [(_one_of(DIRECTOR, "signal", "next", (node["name"],)), node) for node in nodes]
        body = _sequence("round", [_director(sorted(dict.fromkeys(order))), _choice("whose", whose, astray)])
        children = [_loop(body, len(order)), _succeed()]
    return {
        "profile": "openengine.graph.full/v1",
        "initialInput": _TASK,
        "policy": {"policy": "policy.native-v2@1", "default": "deny"},
        "root": _sequence("run", children),
    }


def directions(order: Sequence[str]) -> tuple[str, ...]:
    """Give what the director answers, visit by visit; nothing where the graph has none."""
    if rounds(order):
        return ()
    remark = {"message": "next"}
    return tuple(
        json.dumps({"response": {"output": None, "signals": {"next": node}, "diagnostic": remark}}) for node in order
    )


def runtime(order: Sequence[str], harness: str, provider: str, model: str, scope: str) -> Json:
    """Give the runtime: one agent for all nodes, with this `sessionScope`, and none that looks back at the run."""
    agent: Json = {"kind": "agent", "model": model}
    nodes: Json = {node: {**agent, "sessionScope": scope} for node in dict.fromkeys(order)}
    if not rounds(order):
        nodes[DIRECTOR] = agent
    return {
        "harness": harness,
        "provider": provider,
        "size": "small",
        "nodes": nodes,
        "activeMemory": {"repository": False, "graph": False, "budgetBytes": 1},
        "globalAgents": {"postmortem": {"enabled": False}},
    }


def _step(name: str, scope: str) -> Json:
    return {
        **_executable("step", name, "builtin.agent.worker@1"),
        "instructions": f"Do the task. {turn_of(scope)}",
    }


def _director(names: Sequence[str]) -> Json:
    return {
        **_executable("verifier", DIRECTOR, "builtin.agent.acceptance-verifier@1"),
        "instructions": f"Say which node is next. {turn_of(DIRECTOR)}",
        "signals": {"next": list(names)},
        "diagnostic": _REMARK,
    }


def _executable(kind: str, name: str, worker: str) -> Json:
    return {
        "kind": kind,
        "name": name,
        "worker": worker,
        "input": _TASK,
        "output": _NOTHING,
        "inputBindings": [{"target": ["task"], "value": {"source": "state", "path": ["task"]}}],
        "writeBindings": [],
        "attempts": 1,
    }


def _sequence(name: str, children: Sequence[Json]) -> Json:
    return {"kind": "seq", "name": name, "state": _TASK, "children": list(children), "promotedStatePaths": []}


def _loop(body: Json, count: int) -> Json:
    return {
        "kind": "loop",
        "name": "again",
        "state": _TASK,
        "body": body,
        "maxIterations": count,
        "promotedStatePaths": [],
    }


def _choice(name: str, branches: Sequence[tuple[Json, Json]], otherwise: Json) -> Json:
    return {
        "kind": "choice",
        "name": name,
        "state": _TASK,
        "branches": [{"when": guard, "node": node} for guard, node in branches],
        "otherwise": otherwise,
        "promotedStatePaths": [],
    }


def _one_of(node: str, source: str, field: str | None, labels: Sequence[str]) -> Json:
    return {"kind": "in", "value": {"name": node, "source": source, "field": field}, "labels": list(labels)}


def _any(guards: Sequence[Json]) -> Json:
    return guards[0] if len(guards) == 1 else {"kind": "any", "guards": list(guards)}


def _succeed() -> Json:
    return {"kind": "succeed", "name": "done", "output": _NOTHING, "bindings": []}

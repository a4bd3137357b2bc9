"""The graphs that zeroshot 10 is given: walked by what their nodes mean, they visit the nodes in the right order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_peers.zeroshot_graph import DIRECTOR, directions, graph, rounds, runtime, turn_of

ORDERS = st.lists(st.sampled_from(["node1", "node2", "node3"]), min_size=1, max_size=8)


def walked(node: dict[str, Any], answers: Iterator[str], signal: list[str]) -> Iterator[str]:
    """Give the names of the nodes that an engine visits which reads the graph as zeroshot documents it."""
    match node["kind"]:
        case "seq":
            for child in node["children"]:
                yield from walked(child, answers, signal)
        case "loop":
            for _ in range(node["maxIterations"]):
                yield from walked(node["body"], answers, signal)
        case "verifier":
            signal[:] = [json.loads(next(answers))["response"]["signals"]["next"]]
        case "step":
            yield node["name"]
        case "choice":
            taken = [
                branch["node"]
                for branch in node["branches"]
                if branch["when"].get("value", {}).get("source") == "signal" and branch["when"]["labels"] == signal
            ]
            yield from walked([*taken, node["otherwise"]][0], answers, signal)
        case kind:
            assert kind in {"succeed", "fail"}


def kinds(node: object) -> Iterator[tuple[str, str]]:
    """Give kind and name of every node of a graph."""
    if isinstance(node, dict):
        if "kind" in node and "name" in node:
            yield node["kind"], node["name"]
        for value in node.values():
            yield from kinds(value)
    elif isinstance(node, list):
        for one in node:
            yield from kinds(one)


@given(ORDERS)
def test_a_graph_visits_the_nodes_in_the_order_that_was_asked_for(order: list[str]) -> None:
    document = graph(order, {one: one for one in order})
    assert [*walked(document["root"], iter(directions(order)), [])] == order


@given(ORDERS)
def test_every_node_stands_in_the_graph_once_and_has_an_agent(order: list[str]) -> None:
    document = graph(order, {one: one for one in order})
    executable = [name for kind, name in kinds(document["root"]) if kind in {"step", "verifier"}]
    assert len(executable) == len(set(executable))
    assert set(executable) == set(runtime(order, "claude", "anthropic", "m", "execution")["nodes"])


@pytest.mark.parametrize(
    ("order", "count"),
    [(["a"], 1), (["a", "a", "a"], 3), (["a", "b", "a", "b"], 2), (["a", "b", "a"], 0), (["a", "b", "b", "a"], 0)],
)
def test_turns_come_in_rounds_where_the_same_scopes_follow_each_other(order: list[str], count: int) -> None:
    assert rounds(order) == count


def test_a_director_is_there_only_where_the_order_needs_one() -> None:
    assert directions(["a", "b", "a", "b"]) == ()
    assert len(directions(["a", "b", "b"])) == 3
    assert DIRECTOR not in runtime(["a", "b", "a", "b"], "codex", "openai", "m", "execution")["nodes"]


def test_the_run_fails_at_its_end_if_the_last_visit_of_any_node_failed() -> None:
    end = graph(["a", "b"], {"a": "x", "b": "y"})["root"]["children"][-1]
    guards = end["branches"][0]["when"]["guards"]
    assert [(one["value"]["name"], one["value"]["source"]) for one in guards] == [("a", "error"), ("b", "error")]
    assert end["branches"][0]["node"]["kind"] == "fail"
    assert end["otherwise"]["kind"] == "succeed"


def test_a_prompt_shows_whose_turn_it_is() -> None:
    steps = graph(["a", "b"], {"a": "ant", "b": "bee"})["root"]["children"][0]["body"]["children"]
    assert [turn_of("ant") in steps[0]["instructions"], turn_of("bee") in steps[1]["instructions"]] == [True, True]


def test_no_agent_of_zeroshots_own_looks_back_at_the_run() -> None:
    document = runtime(["a"], "codex", "openai", "m", "node_instance")
    assert document["globalAgents"] == {"postmortem": {"enabled": False}}
    assert document["nodes"]["a"]["sessionScope"] == "node_instance"

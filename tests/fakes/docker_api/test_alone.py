"""The API by itself, in real time."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from tck_fakes.container import Container
from tck_fakes.docker_api.alone import Alone
from tck_fakes.standins.base import Conversation

from .house import ask

CLAUDE = {"Image": "image", "Cmd": ["claude", "-p", "--", "hello"]}


def test_what_has_been_removed_is_forgotten(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("d") / "s"
    told: list[dict[str, Any]] = []
    with Alone(place, told.append) as alone:
        for _ in range(3):
            assert _run(place) == 0
        ask(place, "GET", "/_ping")
        assert len(alone._runtime._containers) == 0
        assert alone._daemon.bodies == {}
        assert alone._witness.records == []
    assert [line["exit_code"] for line in told if line.get("how") == "removed"] == [0, 0, 0]


def _broken() -> Conversation:
    raise RuntimeError("out of order")
    yield


def test_a_fault_while_time_passes_is_told_and_lets_clients_go(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("d") / "s"
    told: list[dict[str, Any]] = []
    with Alone(place, told.append, duration_ms=60_000) as alone:
        made = ask(place, "POST", "/containers/create", CLAUDE).json["Id"]
        assert ask(place, "POST", f"/containers/{made}/start").status == 204
        with alone._lock:
            live = alone._daemon.find(made)
            live.talk = _broken()
            alone._clock.at(alone._clock.now(), lambda: _wake(alone, live))
        assert ask(place, "POST", f"/containers/{made}/wait").json["StatusCode"] == 125
        assert alone._ticking.is_alive()
    assert [line["unknown"] for line in told if "unknown" in line] == [["how to go on (RuntimeError: out of order)"]]


def _wake(alone: Alone, live: Container) -> None:
    live.due = None
    alone._runtime._drive(live)


def test_a_request_is_answered_even_where_it_cannot_be_noted(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("d") / "s"
    told: list[dict[str, Any]] = []

    def tell(line: dict[str, Any]) -> None:
        if line.get("status") == 200:
            raise RuntimeError("out of order")
        told.append(line)

    with Alone(place, tell):
        assert ask(place, "GET", "/containers/json").status == 200
        assert ask(place, "GET", "/containers/nobody/json").status == 404
    assert [line["unknown"] for line in told] == [["how to take note of a request (RuntimeError: out of order)"]]


def test_nobody_but_the_owner_may_connect(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("d") / "s"
    with Alone(place, lambda _: None):
        assert stat.S_IMODE(place.stat().st_mode) == 0o600


def _run(place: Path) -> int:
    made = ask(place, "POST", "/containers/create", CLAUDE).json["Id"]
    assert ask(place, "POST", f"/containers/{made}/start").status == 204
    code = ask(place, "POST", f"/containers/{made}/wait").json["StatusCode"]
    assert ask(place, "DELETE", f"/containers/{made}").status == 204
    return int(code)

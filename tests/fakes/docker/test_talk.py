"""What kit and stand-in say to each other, and how the kit hears it beside what the container puts out."""

from __future__ import annotations

import json
import os
import random
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from tck_driver.bench import Link, Script, Shape, VersionShape, Write
from tck_driver.errors import KitError
from tck_fakes.docker import kept as module
from tck_fakes.docker.engine import Attached
from tck_fakes.docker.kept import Kept, Line, listening
from tck_fakes.docker.talk import Orders, account_from, account_of, chance_of, line, take_chance
from tck_fakes.standins.base import Account
from tck_simulator.ports import ContainerRequest

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
CHANCE = chance_of(random.Random(7))  # noqa: S311 -- an id is no secret
REQUEST = ContainerRequest("i", ("codex",), (), (), (), 1)


@pytest.mark.parametrize("shape", get_args(Shape))
def test_orders_are_read_as_they_were_written(shape: Shape) -> None:
    acts = (Write("/workspace/ü\ud800", "a\nb"), Link("/home/agent/l", "/etc"))
    script = Script(shape, 5, "odd\nid", acts, "Fertig „gut“")
    orders = Orders(script, None, NOW, CHANCE, ("a", "b"), ("/host",), 80, "name")
    written = orders.encode()
    assert Orders.decode(written) == orders
    assert written.count(b"\n") == 1


@pytest.mark.parametrize("shape", get_args(VersionShape))
def test_a_version_is_ordered_with_the_way_it_is_told(shape: VersionShape) -> None:
    orders = Orders(Script(), ("1.2.3", shape), NOW, CHANCE)
    assert Orders.decode(orders.encode()) == orders


def test_whoever_takes_a_source_over_draws_what_it_would_have_drawn() -> None:
    source, other = random.Random(1), random.Random(2)  # noqa: S311 -- an id is no secret
    source.getrandbits(48)
    take_chance(other, json.loads(line({"chance": chance_of(source)}))["chance"])
    assert [other.getrandbits(48) for _ in range(700)] == [source.getrandbits(48) for _ in range(700)]


def test_an_account_is_read_as_it_was_written() -> None:
    account = Account("rotate", "id", ("one", "two"), ["id", "other"], saved=True)
    assert account_from(json.loads(line(account_of(account)))) == account


class Ends:
    """A container that is played: its word, and its output."""

    def __init__(self, folder: Path) -> None:
        self.output, attached = socket.socketpair()
        listener = listening(folder / "kit", f"{os.getuid()}:{os.getgid()}")
        self.kept = Kept("c", REQUEST, NOW, line=Line(listener, Orders(Script(), None, NOW, CHANCE)))
        self.kept.attached = Attached(attached)
        self.word = socket.socket(socket.AF_UNIX)

    def come(self, folder: Path) -> None:
        self.word.connect(str(folder / "kit"))

    def say(self, out: int, err: int, word: str = "turn") -> None:
        self.word.sendall(line({"say": word, "printed": [out, err]}))

    def print(self, stream: int, data: bytes) -> None:
        self.output.sendall(bytes((stream + 1, 0, 0, 0)) + len(data).to_bytes(4) + data)

    def close(self) -> None:
        self.kept.let_go()
        self.word.close()
        self.output.close()


def test_a_word_is_heard_once_all_is_here_that_was_printed_before_it(tmp_path: Path) -> None:
    ends = Ends(tmp_path)
    ends.come(tmp_path)
    ends.say(4, 2)
    ends.print(0, b"on")
    ends.print(1, b"er")
    ends.print(0, b"e\n")
    said = ends.kept.next_word()
    assert said is not None
    assert said["say"] == "turn"
    assert ends.kept.state().stdout == "one\n"
    assert ends.kept.state().stderr == "er"
    ends.close()


def test_output_that_comes_in_pieces_is_put_together(tmp_path: Path) -> None:
    ends = Ends(tmp_path)
    ends.come(tmp_path)
    data = "ü".encode() * 70_000
    frame = b"\x01\0\0\0" + len(data).to_bytes(4) + data
    ends.output.setblocking(False)  # noqa: FBT003 -- the socket's own word
    ends.say(len(data), 0)
    sent = 0
    while sent < len(frame):
        try:
            sent += ends.output.send(frame[sent : sent + 9_999])
        except BlockingIOError:
            ends.kept._take(1e12)
    said = ends.kept.next_word()
    assert said is not None
    assert ends.kept.state().stdout == "ü" * 70_000
    ends.close()


def test_the_last_word_is_heard_although_all_output_has_ended(tmp_path: Path) -> None:
    ends = Ends(tmp_path)
    ends.come(tmp_path)
    ends.print(0, b"x")
    ends.output.close()
    ends.say(1, 0, "end")
    said = ends.kept.next_word()
    assert said is not None
    assert said["say"] == "end"
    ends.close()


def test_a_container_that_ends_without_a_word_gives_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LAST", 0.05)
    ends = Ends(tmp_path)
    ends.print(1, b"exec format error")
    ends.output.close()
    assert ends.kept.next_word() is None
    ends.kept.drain()
    assert ends.kept.state().stderr == "exec format error"
    ends.close()


def test_a_stand_in_that_breaks_off_gives_none(tmp_path: Path) -> None:
    ends = Ends(tmp_path)
    ends.come(tmp_path)
    ends.word.close()
    assert ends.kept.next_word() is None
    ends.close()


def test_a_container_that_says_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    ends = Ends(tmp_path)
    with pytest.raises(KitError, match="container c says nothing"):
        ends.kept.next_word()
    ends.close()


def test_a_socket_may_lie_deeper_than_its_path_has_room(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    listening(deep / "kit", f"{os.getuid()}:{os.getgid()}").close()
    assert (deep / "kit").is_socket()


@pytest.mark.parametrize(("me", "mode"), [(0, 0o600), (12345, 0o600), (1000, 0o666)])
def test_a_socket_is_for_the_user_of_its_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, me: int, mode: int
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "getuid", lambda: me)
    monkeypatch.setattr(os, "chown", lambda _, uid, gid: given.append((uid, gid)))
    listening(tmp_path / "kit", "12345:54321").close()
    assert (tmp_path / "kit").stat().st_mode & 0o777 == mode
    assert given == ([(12345, 54321)] if me == 0 else [])

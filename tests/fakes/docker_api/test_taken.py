"""Time must not pass while a client has not yet seen what a container did: when a client counts as having seen it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_fakes.docker_api import taken
from tck_fakes.docker_api.taken import Peer, rests

from ..outside import PATIENCE, until  # noqa: TID252 -- the room that this one is in
from .house import CODEX, House

#: A client in a process of its own that follows the log, and does with each line what its argument says.
CLIENT = """
import os, socket, sys, time
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
link.sendall(b"GET /containers/nn/logs?stdout=1&follow=1 HTTP/1.1\\r\\n\\r\\n")
data = b""
while b"turn.started" not in data:
    data += link.recv(65536)
print("seen", flush=True)
if sys.argv[2] == "reads":
    link.recv(65536)
if sys.argv[2] == "works":
    while True:
        pass
sys.stdin.read()
"""


@contextmanager
def client(house: House, habit: str) -> Iterator[subprocess.Popen[str]]:
    running = subprocess.Popen(
        (sys.executable, "-I", "-S", "-c", CLIENT, str(house.socket), habit),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == "seen\n"
        yield running
    finally:
        running.kill()
        running.communicate()


@pytest.fixture
def followed(house: House) -> House:
    """A codex that has named its session, and says the rest when its time has passed."""
    house.box.runtime.script(AdapterId.CODEX, Script(duration_ms=1000))
    house.run()
    return house


def later(house: House) -> None:
    with house.lock:
        house.box.clock.advance(1000)


def test_a_client_that_waits_for_more_has_seen_everything(followed: House) -> None:
    with client(followed, "reads"):
        until(followed.listener.relayed, "everything was taken")


def test_a_client_that_sleeps_with_something_unread_has_not(followed: House) -> None:
    with client(followed, "sleeps") as running:
        until(followed.listener.relayed, "everything was taken")
        later(followed)
        until(lambda: rests(running.pid), "the client sleeps")
        assert not followed.listener.relayed()
    until(followed.listener.relayed, "nobody is left")


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is known on Linux alone")
def test_a_client_that_still_works_on_what_it_read_has_not_until_one_loses_patience(
    followed: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taken, "PATIENCE", 1e9)
    with client(followed, "works") as running:
        until(lambda: not rests(running.pid), "the client works")
        assert not followed.listener.relayed()
        monkeypatch.setattr(taken, "PATIENCE", 0.0)
        until(followed.listener.relayed, "patience is lost")


def test_a_request_that_is_under_way_is_not_taken(house: House) -> None:
    link = socket.socket(socket.AF_UNIX)
    link.connect(str(house.socket))
    until(house.listener.relayed, "nothing has been asked")
    link.sendall(b"GET /containers/json HTTP/1.1\r\n")
    until(lambda: not house.listener.relayed(), "something is being asked")
    link.sendall(b"\r\n")
    until(lambda: link.recv(1, socket.MSG_PEEK), "it was answered")
    assert not house.listener.relayed()
    link.close()
    until(house.listener.relayed, "nobody is left")


def test_the_command_counts_until_it_has_shown_what_it_read(house: House) -> None:
    house.box.runtime.script(AdapterId.CODEX, Script("hang"))
    run = house.spawn("run", "--rm", "--name", "nn", "image", *CODEX)
    house.parked("nn")
    until(house.listener.relayed, "everything was shown")
    assert run.stdout is not None
    os.set_blocking(run.stdout.fileno(), False)
    # Not a line of it is still on its way.
    assert "thread.started" in os.read(run.stdout.fileno(), 65_536).decode()
    run.kill()
    run.communicate(timeout=PATIENCE)


def test_a_process_that_nothing_is_known_of_is_given_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taken, "_process", lambda _: 0)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(ours)
        monkeypatch.setattr(taken, "MOMENT", 1e9)
        assert not peer.took({})
        monkeypatch.setattr(taken, "MOMENT", -1.0)
        assert peer.took({})
    assert peer.took({})


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")
def test_one_thread_that_works_is_enough() -> None:
    go_on = threading.Event()

    def work() -> None:
        while not go_on.is_set():
            pass

    # This very thread runs while it asks.
    assert not rests(os.getpid())
    thread = threading.Thread(target=work)
    thread.start()
    assert not rests(os.getpid())
    go_on.set()
    thread.join()
    assert rests(2**22 + 1)

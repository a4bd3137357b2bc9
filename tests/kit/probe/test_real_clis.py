"""The agents' own CLIs in an arena: a session goes on, the model server proves it, and none of them sees the caller."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from tests.real import real_cli

from tck_driver.vocabulary import AdapterId
from tck_fakes.modelserver.asked import heard
from tck_kit.probe.arena import Arena, arena
from tck_kit.probe.configured import CONFIGURED
from tck_kit.probe.run_of_cli import MARK, Ended, Start
from tck_kit.probe.subject import Subject, installed
from tck_simulator.adapters import ADAPTERS, Call
from tck_simulator.outcomes import Judgement, Verdict, judge
from tck_simulator.ports import ContainerState

from ..needs import need  # noqa: TID252 -- the room that this one is in

#: Seconds for a run, on a machine that has other things to do.
LIMIT = 180.0
PLANTED = "planted-secret"
VARIABLES = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY",
    "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN", "OPENCODE_AUTH_CONTENT", "AWS_SECRET_ACCESS_KEY",
)  # fmt: skip
FILES = (
    ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".copilot/config.json", ".config/gh/hosts.yml",
    ".local/share/opencode/auth.json", ".config/opencode/opencode.json", ".netrc", ".gitconfig", ".npmrc",
)  # fmt: skip


#: Answers every question for a name with an address, takes every connection there, and says both.
SINK = """
import socket, sys, threading
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("0.0.0.0", 53))
calls = socket.create_server(("0.0.0.0", 443))
def take():
    while True:
        connection, _ = calls.accept()
        print("call", *connection.getsockname()[:2], flush=True)
        connection.close()
threading.Thread(target=take, daemon=True).start()
print("ready", flush=True)
while True:
    asked, whence = names.recvfrom(2000)
    end = asked.index(0, 12)
    labels, at = [], 12
    while asked[at]:
        labels.append(asked[at + 1 : at + 1 + asked[at]].decode("latin-1"))
        at += asked[at] + 1
    print("name", ".".join(labels), flush=True)
    question = asked[12 : end + 5]
    four = question[-4:-2] == bytes([0, 1])
    answer = bytes.fromhex("c00c000100010000003c00040a630001") if four else b""
    names.sendto(asked[:2] + bytes([0x81, 0x80, 0, 1, 0, four, 0, 0, 0, 0]) + question + answer, whence)
"""


CALLER = """
import socket
socket.create_connection(("telemetry.example.org", 443), 5).recv(1)
"""


@contextmanager
def internet(place: Arena) -> Iterator[Callable[[], list[str]]]:
    """Let every address be one of the sealed place's own; give what has asked for any."""
    if os.geteuid() != 0 or place.seal.holder is None:
        pytest.skip("routes in a network of one's own take a privilege: needs root")
    enter = [need("nsenter", "util-linux"), "-t", str(place.seal.holder), "-n"]
    subprocess.run([*enter, need("ip", "iproute2"), "route", "add", "local", "0.0.0.0/0", "dev", "lo"], check=True)
    said: list[str] = []
    with subprocess.Popen([*enter, sys.executable, "-c", SINK], stdout=subprocess.PIPE, text=True) as sink:
        assert sink.stdout is not None
        assert sink.stdout.readline() == "ready\n"
        reader = threading.Thread(target=lambda stream=sink.stdout: said.extend(stream))
        reader.start()

        def told() -> list[str]:
            sink.kill()
            reader.join()
            return said

        try:
            yield told
        finally:
            told()


@dataclass
class Watch:
    """Whatever was started with our mark, while it ran: its environment, its words and the files that it held open."""

    environments: dict[int, bytes] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)

    def look(self, folder: Path) -> None:
        for process in psutil.process_iter():
            try:
                environment = Path(f"/proc/{process.pid}/environ").read_bytes()
                if MARK.encode() not in environment or str(folder).encode() not in environment:
                    continue
                self.environments[process.pid] = environment
                self.files.update(file.path for file in process.open_files())
                self.files.add(process.cwd())
            except (OSError, psutil.Error):
                continue


@contextmanager
def watched(folder: Path) -> Iterator[Watch]:
    watch, over = Watch(), threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            watch.look(folder)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()


def judged(place: Arena, ended: Ended, asked: str | None) -> Judgement:
    adapter = ADAPTERS[place.subject.adapter]
    state = ContainerState(ended.exit_code, ended.stdout, ended.stderr)
    return judge(adapter.read(state), asked, adapter.id_pattern, rotates=adapter.rotates)


def said(place: Arena, ended: Ended) -> tuple[str, ...] | None:
    return heard(ADAPTERS[place.subject.adapter].read(ContainerState(ended.exit_code, ended.stdout, ended.stderr)).text)


@pytest.fixture(name="home")
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "caller"
    for name in FILES:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PLANTED, encoding="utf-8")
    tmp_path.chmod(0o755)
    for name in VARIABLES:
        monkeypatch.setenv(name, PLANTED)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.mark.parametrize("adapter", [*CONFIGURED])
def test_a_session_goes_on_and_none_of_the_callers_things_was_seen(adapter: AdapterId, home: Path) -> None:
    configured, known = CONFIGURED[adapter], ADAPTERS[adapter]
    with arena(installed(adapter, str(real_cli(configured.program)))) as first, watched(first.home.parents[1]) as watch:
        call = Call("hello tck-0000aaaa", False, configured.model, label="agent/issue-7-x", fresh_id=str(uuid.uuid4()))  # noqa: FBT003 -- read_only
        fresh = known.fresh(call)
        began = first.run(Start(fresh.argv, environment=dict(fresh.environment), limit=LIMIT))
        start = judged(first, began, None)
        assert start.verdict is Verdict.DONE, began
        assert start.native_id is not None
        assert said(first, began) == ("tck-0000aaaa",)

        files = tuple(path.name for path in first.state.iterdir())
        call = Call("again tck-0000bbbb", False, configured.model, state_files=files)  # noqa: FBT003 -- read_only
        resume = known.resume(call, start.native_id)
        went = first.run(Start(resume.argv, environment=dict(resume.environment), limit=LIMIT))
        end = judged(first, went, start.native_id)
        assert (end.verdict, end.native_id) == (Verdict.DONE, start.native_id), went
        # What reached the model says more than any answer: the first run's prompt was sent again.
        assert said(first, went) == ("tck-0000aaaa", "tck-0000bbbb")
        assert went.asked[-1].marks == ("tck-0000aaaa", "tck-0000bbbb")
        assert {asked.protocol for asked in (*began.asked, *went.asked)} == {configured.protocol}

        written = [path for path in first.home.parents[1].rglob("*") if path.is_file() and not path.is_symlink()]
        assert first.files()
        assert not [path for path in written if PLANTED.encode() in path.read_bytes()]
        folder = first.home.parents[1]
    assert watch.environments
    assert not [each for each in watch.environments.values() if PLANTED.encode() in each or str(home).encode() in each]
    assert not [path for path in watch.files if path.startswith(str(home))]
    assert not folder.exists()


@pytest.mark.parametrize("adapter", [*CONFIGURED])
def test_it_does_not_even_try_to_call_anybody_but_the_model_server(adapter: AdapterId) -> None:
    configured = CONFIGURED[adapter]
    with arena(installed(adapter, str(real_cli(configured.program)))) as first, internet(first) as told:
        call = Call("hello tck-0000dddd", False, configured.model, label="x", fresh_id=str(uuid.uuid4()))  # noqa: FBT003 -- read_only
        fresh = ADAPTERS[adapter].fresh(call)
        ended = first.run(Start(fresh.argv, environment=dict(fresh.environment), limit=LIMIT))
        assert judged(first, ended, None).verdict is Verdict.DONE, ended
        assert told() == []


def test_whoever_calls_somebody_is_heard() -> None:
    words = (os.path.realpath(sys.executable), "-I", "-S", "-c", CALLER)
    with arena(Subject(AdapterId.CLAUDE_CODE, words, "installed", "1.0.0")) as first, internet(first) as told:
        first.run(Start(("claude",)))
        assert "name telemetry.example.org\n" in told()
        assert "call 10.99.0.1 443\n" in told()


@pytest.mark.parametrize("adapter", [*CONFIGURED])
def test_an_unknown_id_is_refused_before_the_model_is_asked(adapter: AdapterId) -> None:
    configured, known = CONFIGURED[adapter], ADAPTERS[adapter]
    unknown = "ses_dd6a30a4effeiY5w2zPmP9jZZZ" if adapter is AdapterId.OPENCODE else str(uuid.uuid4())
    with arena(installed(adapter, str(real_cli(configured.program)))) as first:
        resume = known.resume(Call("hello tck-0000cccc", False, configured.model), unknown)  # noqa: FBT003 -- read_only
        ended = first.run(Start(resume.argv, environment=dict(resume.environment), limit=LIMIT))
        assert judged(first, ended, unknown).verdict is Verdict.REFUSED, ended
        assert not [asked for asked in ended.asked if asked.marks]

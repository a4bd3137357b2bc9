"""The driver of zeroshot's Node line, held against a program that writes down what zeroshot would."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tck_driver.courses import COURSE_FEATURES, Act, Course, Moved, Restart, Start, Switch, Turn
from tck_driver.errors import DriverError, DriverIncompatibleError, EngineError, EngineTimeoutError, UnsupportedError
from tck_peers import zeroshot_play
from tck_peers.common import PeerDriver
from tck_peers.zeroshot_ledger import Ledger, Message, since
from tck_peers.zeroshot_node import LEANS_ON, POLICIES, ZeroshotNode

#: Stands in the place of node, and does of zeroshot's command line what `told.json` says: each start of the engine
#: writes some messages, and then ends with an exit code or stays (`null`).
PROGRAM = """#!{python}
import json, os, signal, sqlite3, sys, time
home, argv = os.environ["HOME"], sys.argv[2:]
told = json.load(open({told!r}))
with open({calls!r}, "a") as file:
    file.write(json.dumps({{"argv": argv, "environment": dict(os.environ)}}) + "\\n")
if argv[0] == "--version" or sys.argv[1] == "-e":
    print("node: 1\\nError: fault of the build\\n  at 1", file=sys.stderr)
    sys.exit(told["native"] if sys.argv[1] == "-e" else told["version"])
pids, ledger = os.path.join(home, "pid"), os.path.join(home, ".zeroshot", "calm-river-7.db")
if argv[0] == "stop":
    os.kill(int(open(pids).read()), signal.SIGTERM)
    sys.exit(told["stop"])
lives = [json.loads(line)["argv"][0] for line in open({calls!r})]
number = sum(word in ("run", "resume") for word in lives) - 1
messages, code = told["lives"][number]
open(pids, "w").write(str(os.getpid()))
print("it begins")
if messages is None:
    sys.exit("Error: no provider")
os.makedirs(os.path.dirname(ledger), exist_ok=True)
with sqlite3.connect(ledger) as base:
    base.execute("create table if not exists messages (topic, sender, content_text, content_data)")
    for topic, sender, text, event in messages:
        base.execute("insert into messages values (?, ?, ?, ?)", (topic, sender, text, json.dumps({{"event": event}})))
base.close()
time.sleep(60 if code is None else 0)
sys.exit(code)
"""
DONE = ["IMPLEMENTATION_READY", "worker-a", "worker-a is through.", ""]
OVER = ["AGENT_LIFECYCLE", "worker-a", "worker-a: TASK_COMPLETED", "TASK_COMPLETED"]
BEGUN = ["AGENT_LIFECYCLE", "worker-a", "worker-a: TASK_STARTED", "TASK_STARTED"]
SPAWNED = ["AGENT_LIFECYCLE", "worker-a", "worker-a: PROCESS_SPAWNED", "PROCESS_SPAWNED"]
OUTPUT = ["AGENT_OUTPUT", "worker-a", "", ""]
ILL = ["AGENT_ERROR", "worker-a", "It failed three times: no session", ""]
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found where /proc is")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of stand-ins, with a node among them that knows of zeroshot what the test tells it."""
    programs = tmp_path / "programs"
    programs.mkdir()
    node = programs / "node"
    node.write_text(
        PROGRAM.format(python=sys.executable, told=str(tmp_path / "told.json"), calls=str(tmp_path / "calls"))
    )
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(zeroshot_play, "_LOOK_SECONDS", 0.01)
    return programs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that has of the peer what the driver leans on."""
    for name, words in LEANS_ON.items():
        path = tmp_path / "peer" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(words))
    return tmp_path / "peer"


def tell(tmp_path: Path, *lives: tuple[list[list[str]] | None, int | None], **codes: int) -> None:
    """Say what the program does: one life after the other, and the exit codes of what it is asked besides."""
    told = {"lives": lives, "version": 0, "native": 0, "stop": 0, **codes}
    (tmp_path / "told.json").write_text(json.dumps(told))


def commands(tmp_path: Path) -> list[list[str]]:
    return [json.loads(line)["argv"] for line in (tmp_path / "calls").read_text().splitlines()]


Driving = Callable[..., PeerDriver]


@pytest.fixture
def driving(folder: Path, tmp_path: Path) -> Iterator[Driving]:
    """A driver that is to play a course; what it has started is ended with the test."""
    driver = PeerDriver(ZeroshotNode(folder))

    def with_course(*acts: Act) -> PeerDriver:
        (tmp_path / "course").mkdir()
        driver.prepare(str(tmp_path / "course"), {"path": str(tmp_path / "programs")})
        driver.cast(Course(acts))
        return driver

    yield with_course
    driver.close()


@pytest.mark.usefixtures("programs")
def test_it_claims_reuse_and_has_no_switch(folder: Path, tmp_path: Path) -> None:
    tell(tmp_path)
    declared = PeerDriver(ZeroshotNode(folder)).declare(("adapter.codex", "adapter.opencode", *COURSE_FEATURES))
    assert (declared.name, declared.version) == ("zeroshot-node", "6.42.0+2b0b35b7")
    assert declared.policy == POLICIES["zeroshot-node"]
    assert POLICIES["zeroshot-node"].switch == ""
    unclaimed = ("act.switch", "act.new_session", "profile.redelegation", "adapter.opencode")
    assert {declared.capabilities[one] for one in unclaimed} == {"unsupported"}
    assert {declared.capabilities[one] for one in ("profile.reuse", "act.hook", "act.killed")} == {"supported"}


@pytest.mark.usefixtures("programs")
def test_a_file_that_is_missing_or_a_seam_that_moved_makes_the_driver_incompatible(
    folder: Path, tmp_path: Path
) -> None:
    tell(tmp_path)
    (folder / "src" / "ledger.js").write_text("topic, sender")
    with pytest.raises(DriverIncompatibleError, match="no longer has content_text, content_data"):
        ZeroshotNode(folder).check()
    (folder / "src" / "ledger.js").unlink()
    with pytest.raises(DriverIncompatibleError, match=r"there is no src/ledger\.js in .* install and build it"):
        ZeroshotNode(folder).check()


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("asked", ["version", "native"])
def test_a_peer_that_cannot_be_started_makes_the_driver_incompatible(folder: Path, tmp_path: Path, asked: str) -> None:
    tell(tmp_path, **{asked: 1})
    with pytest.raises(DriverIncompatibleError, match="node of the search path: Error: fault of the build"):
        ZeroshotNode(folder).check()


@pytest.mark.usefixtures("programs")
def test_a_course_without_incident_is_one_run_with_its_own_home_and_settings(driving: Driving, tmp_path: Path) -> None:
    tell(tmp_path, ([BEGUN, DONE, OVER, BEGUN, DONE, OVER], 0))
    driver = driving(Turn("a"), Turn("a"))
    played = driver.play()
    assert [act.outcome for act in played.acts] == ["done", "done"]
    assert played.visible == ""
    call: dict[str, Any] = json.loads((tmp_path / "calls").read_text())
    assert call["argv"][0] == "run"
    assert "--no-isolation" in call["argv"]
    course = tmp_path / "course"
    assert call["environment"]["HOME"] == str(course / "home")
    assert json.loads((course / "papers" / "settings.json").read_text())["defaultProvider"] == "claude"
    assert "TCK_PEER_FOLDER" not in call["environment"]
    assert driver.close().runs == ()


@pytest.mark.usefixtures("programs")
def test_a_turn_that_failed_is_told_with_what_the_user_sees_and_the_cluster_goes_on(
    driving: Driving, tmp_path: Path
) -> None:
    tell(tmp_path, ([BEGUN, ILL], 21), ([BEGUN, DONE, OVER], 0))
    played = driving(Turn("a"), Turn("a")).play()
    assert [act.outcome for act in played.acts] == ["failed", "done"]
    assert played.acts[0].visible == ILL[2]
    assert played.visible == ""
    assert commands(tmp_path)[1] == ["resume", "calm-river-7"]


@pytest.mark.usefixtures("programs")
def test_a_course_that_ends_with_a_failure_shows_it(driving: Driving, tmp_path: Path) -> None:
    tell(tmp_path, ([BEGUN, DONE, OVER, BEGUN, ILL], 21))
    played = driving(Turn("a"), Turn("a")).play()
    assert [act.outcome for act in played.acts] == ["done", "failed"]
    assert played.visible == f"exit code 21: {ILL[2]}"


@pytest.mark.usefixtures("programs")
def test_an_engine_that_goes_no_further_is_not_told_to_go_on_for_ever(driving: Driving, tmp_path: Path) -> None:
    tell(tmp_path, *[([BEGUN], 0)] * 9)
    played = driving(Turn("a"), Moved("a"), Turn("a")).play()
    assert [act.outcome for act in played.acts] == ["not_reached"] * 3
    assert len(commands(tmp_path)) <= 4


@pytest.mark.usefixtures("programs")
def test_of_an_engine_that_was_not_let_begin_nothing_is_said(driving: Driving, tmp_path: Path) -> None:
    tell(tmp_path, (None, 1))
    with pytest.raises(DriverError, match="began no cluster: it begins / Error: no provider"):
        driving(Turn("a")).play()


@pytest.mark.usefixtures("programs")
def test_a_restart_is_a_stop_of_the_idle_engine_and_a_resume(driving: Driving, tmp_path: Path) -> None:
    tell(tmp_path, ([BEGUN, DONE, OVER], None), ([BEGUN, DONE, OVER], 0))
    played = driving(Turn("a"), Restart(), Turn("a")).play()
    assert [act.outcome for act in played.acts] == ["done", "done", "done"]
    assert [words[0] for words in commands(tmp_path)] == ["run", "stop", "resume"]


@pytest.mark.usefixtures("programs")
def test_a_stop_that_fails_is_the_engines_fault(driving: Driving, tmp_path: Path) -> None:
    tell(tmp_path, ([BEGUN, DONE, OVER], None), stop=1)
    with pytest.raises(EngineError, match="has not stopped"):
        driving(Turn("a"), Restart(), Turn("a")).play()


@ON_LINUX
@pytest.mark.usefixtures("programs")
def test_the_engine_dies_in_the_middle_of_a_turn_once_its_cli_is_at_work(driving: Driving, tmp_path: Path) -> None:
    tell(tmp_path, ([BEGUN, SPAWNED, OUTPUT], None), ([BEGUN, DONE, OVER], 0))
    played = driving(Turn("a", (Start("hang"),), killed=True)).play()
    assert [act.outcome for act in played.acts] == ["done"]
    assert [words[0] for words in commands(tmp_path)] == ["run", "resume"]


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(
    ("patience", "fault"),
    [
        (60.0, DriverError("zeroshot was still at work after 0.5 s; the machine is too slow")),
        (0.0, EngineTimeoutError("zeroshot has not come to the end of the course, and said nothing for 0 s")),
    ],
)
def test_an_engine_that_has_fallen_silent_is_told_from_one_that_is_slow(
    driving: Driving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float, fault: Exception
) -> None:
    monkeypatch.setattr(zeroshot_play, "COURSE_SECONDS", 0.5)
    monkeypatch.setattr(zeroshot_play, "_SILENT_SECONDS", patience)
    tell(tmp_path, ([BEGUN], None))
    driver = driving(Turn("a"))
    with pytest.raises(type(fault), match=str(fault)):
        driver.play()
    assert driver.close().runs == ()


def test_what_it_does_not_claim_it_does_not_play(driving: Driving) -> None:
    with pytest.raises(UnsupportedError, match=r"act\.switch"):
        driving(Switch(on=True), Turn("a"))


def test_a_ledger_is_read_while_it_is_not_there_while_it_is_made_and_whatever_its_data(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert (ledger.cluster, ledger.messages()) == (None, ())
    (tmp_path / ".zeroshot").mkdir()
    path = tmp_path / ".zeroshot" / "calm-river-7.db"
    path.touch()
    assert (ledger.cluster, ledger.messages()) == ("calm-river-7", ())
    with closing(sqlite3.connect(path)) as base:
        base.execute("create table messages (topic, sender, content_text, content_data)")
        for data in (None, "[1]", "{", '{"event": "STARTED"}', '{"event": 1}'):
            base.execute("insert into messages values ('T', 's', null, ?)", (data,))
        base.commit()
    assert [one.event for one in ledger.messages()] == ["", "", "", "STARTED", ""]


def test_only_what_came_after_the_last_turn_that_is_over_is_of_the_present_one() -> None:
    messages = tuple(Message(topic, "a", str(place), "") for place, topic in enumerate(("x", "over", "y", "z")))
    assert [one.text for one in since(messages, ("over",))] == ["2", "3"]
    assert since(messages, ("never",)) == messages

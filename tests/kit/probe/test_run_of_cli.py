"""One run of a CLI: what it is given, what is kept of it, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tck_fakes.modelserver.asked import Asked
from tck_kit.faults import UsageFault
from tck_kit.probe import run_of_cli
from tck_kit.probe.run_of_cli import KEPT, CliProcess, Ended, Launch, Start, run
from tck_kit.probe.sealed import Seal, sealed

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
#: An ELF header of a machine that nobody has: 64 bits, little-endian, machine 0xfefe.
ELSEWHERE = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xfe\xfe\x01\x00\x00\x00" + bytes(40)


@dataclass
class Model:
    """A model server that nobody asks anything, and that says that somebody waits once it is held."""

    told: list[str] = field(default_factory=list)
    waits: threading.Event = field(default_factory=threading.Event)

    def mark(self) -> int:
        return 0

    def since(self, mark: int, /) -> tuple[Asked, ...]:
        assert mark == 0
        return ()

    def hold(self) -> None:
        self.told.append("hold")

    def release(self) -> None:
        self.told.append("release")

    def waiting(self) -> int:
        return int(self.waits.is_set())


@dataclass(frozen=True)
class Place:
    seal: Seal
    folder: Path
    model: Model

    def launch(self, *words: str, directory: Path | None = None, stdin: str | None = None) -> Launch:
        return Launch(words, directory or self.folder, ENVIRONMENT, stdin)

    def run(self, script: str, *, limit: float = 60, stdin: str | None = None, kill_when_asked: bool = False) -> Ended:
        start = Start(("sh",), limit=limit, stdin=stdin, kill_when_asked=kill_when_asked)
        return run(self.seal, self.model, self.launch("/bin/sh", "-c", script, stdin=stdin), start)

    def file(self, name: str, content: bytes, mode: int = 0o755) -> str:
        path = self.folder / name
        path.write_bytes(content)
        path.chmod(mode)
        self.seal.own(path)
        return str(path)


@pytest.fixture(name="place")
def _place(tmp_path: Path) -> Iterator[Place]:
    with sealed([(tmp_path, True)]) as seal:
        seal.own(tmp_path)
        yield Place(seal, tmp_path, Model())


def pids(folder: Path, name: str) -> list[int]:
    """Give the process numbers that a script wrote to a file, once it has."""
    until = time.monotonic() + 30
    path = folder / name
    while time.monotonic() < until and not (path.exists() and path.read_text(encoding="ascii").endswith("\n")):
        time.sleep(0.01)
    return [int(line) for line in path.read_text(encoding="ascii").split()]


def lives(pid: int) -> bool:
    """Say whether a process runs; one that is dead may still be listed until somebody has looked after it."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_exit_code_and_both_streams_are_told(place: Place) -> None:
    ended = place.run("echo out; echo err >&2; exit 3")
    assert (ended.exit_code, ended.stdout, ended.stderr) == (3, "out\n", "err\n")
    assert (ended.asked, ended.cut, ended.left) == ((), False, ())


def test_a_signal_that_ended_it_is_told_as_a_negative_number(place: Place) -> None:
    assert place.run("kill -TERM $$").exit_code == -signal.SIGTERM


def test_a_pipe_whose_reader_has_gone_ends_a_program_as_in_a_shell(place: Place) -> None:
    assert place.run("(yes; echo $? >&2) | head -n 1; true").stderr == f"{128 + signal.SIGPIPE}\n"


def test_its_input_is_nothing_unless_something_is_given(place: Place) -> None:
    assert place.run("readlink /proc/self/fd/0; wc -c").stdout == "/dev/null\n0\n"


def test_what_is_given_is_read_to_its_end(place: Place) -> None:
    text = "a prompt with ünïcode\n" * 20000
    assert place.run("cat", stdin=text).stdout == text


def test_a_program_that_does_not_read_is_not_waited_for(place: Place) -> None:
    assert place.run("exit 0", stdin="x" * 1_000_000).exit_code == 0


def test_it_leads_a_group_and_a_session_of_its_own(place: Place) -> None:
    pid, group, session = place.run("ps -o pid=,pgid=,sid= -p $$").stdout.split()
    assert pid == group == session != str(os.getpid())


def test_out_of_time_is_no_exit_code_and_what_was_said_is_kept(place: Place) -> None:
    ended = place.run("echo begun; sleep 300", limit=1)
    assert (ended.exit_code, ended.stdout) == (None, "begun\n")


def test_what_it_left_running_is_ended_and_named(place: Place) -> None:
    ended = place.run("sleep 301 & echo $! > pids; exit 0")
    assert ended.exit_code == 0
    (pid,) = pids(place.folder, "pids")
    assert not lives(pid)
    assert ended.left == (f"sleep ({pid})",)


def test_what_left_the_group_is_ended_and_named_too(place: Place) -> None:
    ended = place.run(
        "setsid sh -c 'echo $$ > pids; exec sleep 302' & while ! [ -s pids ]; do sleep 0.01; done; exit 4"
    )
    assert ended.exit_code == 4
    (pid,) = pids(place.folder, "pids")
    assert not lives(pid)
    assert ended.left == (f"sleep ({pid})",)


def test_a_descendant_that_holds_the_output_open_holds_up_nobody(place: Place) -> None:
    ended = place.run("setsid sleep 303 & echo done")
    assert (ended.exit_code, ended.stdout) == (0, "done\n")


def test_of_an_endless_output_only_so_much_is_kept_and_it_is_said(place: Place) -> None:
    ended = place.run(f"head -c {KEPT + 7} /dev/zero | tr '\\0' x; echo; echo short >&2")
    assert (len(ended.stdout), ended.stderr, ended.cut) == (KEPT, "short\n", True)


def test_an_output_of_just_that_size_is_whole(place: Place) -> None:
    ended = place.run(f"head -c {KEPT} /dev/zero | tr '\\0' x")
    assert (len(ended.stdout), ended.cut) == (KEPT, False)


def test_output_that_is_no_text_is_read_all_the_same(place: Place) -> None:
    assert place.run("printf 'a\\377b'").stdout == "a\ufffdb"


def test_it_is_killed_once_a_request_waits_and_requests_go_on_afterwards(place: Place) -> None:
    place.model.waits.set()
    ended = place.run("sleep 304", kill_when_asked=True)
    assert ended.exit_code == -signal.SIGKILL
    assert place.model.told == ["hold", "release"]


def test_one_that_asks_nothing_is_not_killed_and_ends_by_itself(place: Place) -> None:
    assert place.run("exit 5", kill_when_asked=True).exit_code == 5
    assert place.model.told == ["hold", "release"]


def test_requests_go_on_where_it_could_not_even_be_started(place: Place) -> None:
    with pytest.raises(UsageFault):
        run(place.seal, place.model, place.launch("/nowhere"), Start(("x",), kill_when_asked=True))
    assert place.model.told == ["hold", "release"]


def test_a_signal_reaches_the_whole_group(place: Place) -> None:
    child = "trap 'echo gone > child; exit' TERM; echo $$ > pids; while :; do sleep 0.05; done"
    script = 'trap "wait; exit 7" TERM; sh -c "$CHILD" & wait'
    launch = Launch(("/bin/sh", "-c", script), place.folder, {**ENVIRONMENT, "CHILD": child})
    process = CliProcess(place.seal, launch)
    pids(place.folder, "pids")
    process.signal(signal.SIGTERM)
    assert process.ended(30)
    process.end()
    assert process.result()[0] == 7
    assert (place.folder / "child").read_text(encoding="ascii") == "gone\n"


NOT_EXECUTED = [
    ("missing", b"", 0, "{path}: cannot be executed: it is not there, or the interpreter that it names is not; "),
    ("orphan", b"#!/nowhere/sh\n", 0o755, "{path}: cannot be executed: it is not there, or the interpreter"),
    ("data", b"\x00\x01\x02\x03", 0o755, "{path}: cannot be executed: it is no program for this machine ("),
    ("stub", b"echo not installed\n", 0o755, "{path}: cannot be executed: it is no program for this machine ("),
    ("elsewhere", ELSEWHERE, 0o755, "{path}: cannot be executed: it is no program for this machine ("),
    ("plain", b"#!/bin/sh\n", 0o644, "{path}: cannot be executed: it may not be executed by an ordinary user"),
    ("folder", b"", -1, "{path}: cannot be executed: it may not be executed by an ordinary user"),
]


@pytest.mark.parametrize(("name", "content", "mode", "said"), NOT_EXECUTED, ids=[row[0] for row in NOT_EXECUTED])
def test_what_cannot_be_executed_is_a_users_mistake_in_one_line(
    place: Place, name: str, content: bytes, mode: int, said: str
) -> None:
    path = str(place.folder / name)
    if mode > 0:
        path = place.file(name, content, mode)
    elif mode < 0:
        Path(path).mkdir()
    with pytest.raises(UsageFault) as fault:
        CliProcess(place.seal, place.launch(path))
    assert str(fault.value).startswith(said.format(path=path))
    assert str(fault.value).endswith("; name another one, or have one installed with --install")
    assert "\n" not in str(fault.value)


def test_a_folder_that_is_not_there_is_named_and_not_the_program(place: Place) -> None:
    with pytest.raises(UsageFault, match="/nowhere: cannot be the working directory: "):
        CliProcess(place.seal, place.launch("/bin/true", directory=Path("/nowhere")))


def test_words_that_no_system_takes_are_a_users_mistake(place: Place) -> None:
    with pytest.raises(UsageFault, match="/bin/echo: cannot be started: "):
        CliProcess(place.seal, place.launch("/bin/echo", "x" * (1 << 22)))
    with pytest.raises(UsageFault, match="/bin/echo: cannot be started: embedded null byte"):
        CliProcess(place.seal, place.launch("/bin/echo", "a\0b"))


def test_an_interrupted_run_leaves_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(process: CliProcess, *_: object) -> bool:
        assert pids(place.folder, "pids") == [process.pid]
        raise KeyboardInterrupt

    monkeypatch.setattr(run_of_cli, "_awaited", interrupted)
    with pytest.raises(KeyboardInterrupt):
        place.run("echo $$ > pids; exec sleep 305")
    (pid,) = pids(place.folder, "pids")
    assert not lives(pid)


def test_no_descriptor_of_ours_is_open_in_it(place: Place) -> None:
    with open(os.devnull, "rb") as held:  # noqa: PTH123 -- any descriptor
        os.set_inheritable(held.fileno(), True)  # noqa: FBT003 -- as the library has it
        script = "import os; print(sorted(int(name) for name in os.listdir('/proc/self/fd'))[:-1])"
        words = (os.path.realpath(sys.executable), "-I", "-S", "-c", script)
        process = CliProcess(place.seal, place.launch(*words))
        assert process.ended(30)
        process.end()
    assert process.result()[1] == "[0, 1, 2]\n"

"""The sealed place, looked at from inside: no network, nobody's files, no privilege, and nothing that outlives it."""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tck_kit.probe.network import REFUSED
from tck_kit.probe.run_of_cli import CliProcess, Launch
from tck_kit.probe.sealed import CLOSED, LeftError, Seal, sealed

#: What a program in there is given: enough to find the system's own tools.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}


@dataclass(frozen=True, slots=True)
class Inside:
    """A sealed place with a folder in it that the program inside may write to."""

    seal: Seal
    folder: Path

    def start(self, script: str) -> CliProcess:
        return CliProcess(self.seal, Launch(("/bin/sh", "-c", script), self.folder, ENVIRONMENT))

    def says(self, script: str) -> str:
        process = self.start(script)
        assert process.ended(30)
        process.end()
        code, stdout, stderr, _ = process.result()
        assert code == 0, stderr
        return stdout

    def python(self, script: str) -> str:
        words = (os.path.realpath(sys.executable), "-I", "-S", "-c", script)
        process = CliProcess(self.seal, Launch(words, self.folder, ENVIRONMENT))
        assert process.ended(30)
        process.end()
        code, stdout, stderr, _ = process.result()
        assert code == 0, stderr
        return stdout.strip()


@pytest.fixture(name="home")
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A HOME of the caller's with a secret in it that anybody on the machine could read."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".secret").write_text("opens the door", encoding="utf-8")
    tmp_path.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture(name="inside")
def _inside(tmp_path: Path, home: Path) -> Iterator[Inside]:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert home.exists()
    with sealed([(folder, True)]) as seal:
        if not seal.closure.network:
            pytest.skip(f"this machine gives no network of one's own: {seal.closed}")
        seal.own(folder)
        yield Inside(seal, folder)


@pytest.mark.parametrize("inner", ["", "inner"])
def test_what_is_kept_elsewhere_is_read_only_unless_it_may_be_written_to(
    inner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tck_kit.probe.sealed._HIDDEN", {})
    monkeypatch.setenv("HOME", "/nowhere")
    monkeypatch.setattr("tck_kit.probe.sealed._homes", list)
    kept, folder = tmp_path / "kept", tmp_path / ("kept" if inner else "folder") / "inside"
    for made in (kept, folder):
        made.mkdir(parents=True)
    # Whoever owns it all: what is not to be written to is so for everybody.
    with Seal([(kept, False), (folder, True)], ordinary=os.geteuid()) as seal:
        if not seal.closure.network or not seal.closure.hidden.startswith("homes"):
            pytest.skip(seal.closed)
        said = Inside(seal, folder).says(f"touch {folder}/x && echo here; touch {kept}/x 2>&1; true")
    assert said.startswith("here\n")
    assert "Read-only file system" in said
    assert not (kept / "x").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is inside where we are root")
def test_the_way_to_what_is_kept_is_open_inside_whatever_the_caller_keeps_to_itself(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "folder"
    folder.mkdir(parents=True)
    before = os.umask(0o077)
    try:
        with sealed([(folder, True)]) as seal:
            if not seal.closure.network:
                pytest.skip(seal.closed)
            seal.own(folder)
            assert Inside(seal, folder).says("touch x && echo here") == "here\n"
    finally:
        os.umask(before)


def test_there_is_loopback_and_nothing_else(inside: Inside) -> None:
    assert inside.seal.closed == CLOSED
    lines = inside.says("cat /proc/net/dev").splitlines()[2:]
    assert [line.split(":")[0].strip() for line in lines] == ["lo"]


@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8", "169.254.169.254", "10.0.0.1", "2001:db8::1"])
def test_no_address_outside_can_be_reached(inside: Inside, address: str) -> None:
    script = f"""
import socket
family = socket.AF_INET6 if ":" in "{address}" else socket.AF_INET
try:
    socket.create_connection(("{address}", 80), 5)
except OSError as fault:
    print(fault.strerror)
"""
    assert inside.python(script) == "Network is unreachable"


def test_what_listens_on_the_machines_loopback_is_not_heard(inside: Inside) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"import socket; s = socket.socket(); print(s.connect_ex(('127.0.0.1', {port})))"
        assert inside.python(script) == "111"


def test_no_abstract_socket_of_the_machine_is_heard(inside: Inside) -> None:
    name = f"\0session-tck-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        script = f"import socket; print(socket.socket(socket.AF_UNIX).connect_ex({name!r}))"
        assert inside.python(script) == "111"


def test_a_socket_that_was_bound_inside_is_heard_inside_and_not_outside(inside: Inside) -> None:
    with inside.seal.bound(0) as listener:
        listener.listen()
        listener.settimeout(20)
        port = listener.getsockname()[1]
        heard: list[bytes] = []

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(10))
                connection.sendall(b"yes")

        thread = threading.Thread(target=answer)
        thread.start()
        script = (
            f"import socket; s = socket.create_connection(('127.0.0.1', {port})); s.sendall(b'here?'); print(s.recv(9))"
        )
        assert inside.python(script) == "b'yes'"
        thread.join()
        assert heard == [b"here?"]
        with socket.socket() as outside:
            assert outside.connect_ex(("127.0.0.1", port)) != 0


def test_a_port_that_was_given_up_can_be_bound_again(inside: Inside) -> None:
    with inside.seal.bound(0) as first:
        first.listen()
        port = first.getsockname()[1]
    with inside.seal.bound(port) as again:
        again.listen()
        assert again.getsockname()[1] == port


def test_a_port_that_somebody_listens_at_is_refused_as_the_system_refuses_it(inside: Inside) -> None:
    with inside.seal.bound(0) as first:
        first.listen()
        with pytest.raises(OSError, match="Address already in use"):
            inside.seal.bound(first.getsockname()[1])


def test_the_callers_home_is_not_there(inside: Inside, home: Path) -> None:
    assert inside.says(f"cat {home}/.secret 2>&1 || true").endswith("No such file or directory\n")
    assert inside.says("ls -A /root /home /run 2>&1 || true").split() == ["/home:", "/root:", "/run:"] or (
        ".secret" not in inside.says("find /root /home /run 2>&1 || true")
    )


def test_nothing_of_the_machines_temporary_files_is_there(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("of somebody", encoding="utf-8")
    assert inside.says(f"ls {tmp_path}") == "folder\n"


def test_anybody_may_write_to_the_temporary_folders_and_nothing_of_it_stays(inside: Inside) -> None:
    name = f"session-tck-{os.getpid()}"
    inside.says(f"echo x > /tmp/{name}; echo x > /dev/shm/{name}; cat /tmp/{name} /dev/shm/{name}")
    assert not Path("/tmp", name).exists()  # noqa: S108 -- what must not be there
    assert not Path("/dev/shm", name).exists()  # noqa: S108 -- the same


def test_what_is_kept_is_the_same_folder_and_can_be_written_to(inside: Inside) -> None:
    inside.says("echo written > inside")
    assert (inside.folder / "inside").read_text(encoding="utf-8") == "written\n"


def test_what_is_kept_for_reading_is_read_only(tmp_path: Path, home: Path) -> None:
    program = home / "package"
    program.mkdir()
    (program / "text").write_text("as it was", encoding="utf-8")
    program.chmod(0o777)
    with sealed([(program, False)]) as seal:
        if not seal.closure.network:
            pytest.skip(seal.closed)
        inside = Inside(seal, Path("/"))
        assert inside.says(f"cat {program}/text") == "as it was"
        assert "ead-only file system" in inside.says(f"touch {program}/new 2>&1 || true")
        assert inside.says(f"ls {tmp_path}/home") == "package\n"


def test_it_runs_as_an_ordinary_user_without_any_privilege(inside: Inside) -> None:
    status = dict(line.split(":\t", 1) for line in inside.says("cat /proc/self/status").splitlines() if ":\t" in line)
    assert int(status["Uid"].split()[0]) == inside.seal.user != 0
    assert len(set(status["Uid"].split())) == 1
    assert {
        name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    } == dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), 0)
    assert status["NoNewPrivs"] == "1"
    # What is ignored would stay ignored: a pipe whose reader has gone has to end a program, as it does in a shell.
    # Signals 32 and 33 are the C library's own, and nobody can set them back.
    assert int(status["SigIgn"], 16) & ~(0b11 << 31) == 0


def test_what_is_read_only_is_read_only_for_it(inside: Inside) -> None:
    state = inside.folder / "state"
    state.mkdir()
    inside.seal.own(state)
    state.chmod(0o500)
    assert "ermission denied" in inside.says("touch state/new 2>&1 || true")


def test_the_environment_of_the_caller_cannot_be_read(inside: Inside) -> None:
    # `environ` of a process shows what it was started with.
    with subprocess.Popen(["/bin/sleep", "60"], env={"SECRET": "opens the door"}) as secret:
        try:
            said = inside.says(f"cat /proc/{secret.pid}/environ 2>&1 || true")
        finally:
            secret.kill()
    assert "opens the door" not in said
    assert "ermission denied" in said


def test_the_keys_of_the_callers_session_are_not_there(inside: Inside) -> None:
    calls = {"x86_64": (248, 249), "aarch64": (217, 218)}.get(os.uname().machine)
    if calls is None:
        pytest.skip("the numbers of the system calls for keys are not known here")
    add, request = calls
    libc = ctypes.CDLL(None, use_errno=True)
    session = ctypes.c_long(-3)
    if libc.syscall(ctypes.c_long(add), b"user", b"session-tck-test", b"planted", ctypes.c_size_t(7), session) < 0:
        pytest.skip(f"this machine keeps no keys: {os.strerror(ctypes.get_errno())}")
    script = f"import ctypes; print(ctypes.CDLL(None).syscall({request}, b'user', b'session-tck-test', None, 0))"
    assert inside.python(script) == "-1"
    # Whoever is not sealed off has it.
    words = [sys.executable, "-I", "-S", "-c", script]
    assert int(subprocess.run(words, check=True, capture_output=True, text=True).stdout) > 0


def test_all_that_it_gets_is_what_was_given_and_the_mark(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a real one")
    process = inside.start("cat /proc/$$/environ; read x < /proc/self/status")
    assert process.ended(30)
    process.end()
    given = dict(part.split("=", 1) for part in process.result()[1].split("\0") if part)
    assert given == {**ENVIRONMENT, "SESSION_TCK_PROBE": process.mark}


def test_whatever_still_runs_inside_ends_with_the_place(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    seal = Seal([(tmp_path, True)])
    with seal:
        if not seal.closure.network:
            pytest.skip(seal.closed)
        process = Inside(seal, tmp_path).start("env -i setsid sleep 300 & echo $!; sleep 300")
        until = time.monotonic() + 30
        sleeping: list[psutil.Process] = []
        while not sleeping and time.monotonic() < until:
            sleeping = [one for one in psutil.process_iter() if _says(one) == ["sleep", "300"] and not _marked(one)]
        assert sleeping, "it has laid down its mark, and is in no group of ours"
    assert process.ended(5)
    gone, alive = psutil.wait_procs(sleeping, timeout=10)
    assert len(gone) == len(sleeping)
    assert not alive


def test_nothing_lives_on_when_the_kit_is_killed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    script = f"""
import time
from pathlib import Path
from tck_kit.probe.run_of_cli import CliProcess, Launch
from tck_kit.probe.sealed import sealed
folder = Path({str(tmp_path)!r})
with sealed([(folder, True)]) as seal:
    seal.own(folder)
    script = "sleep 300 & env -i setsid sleep 300 & wait"
    process = CliProcess(seal, Launch(("/bin/sh", "-c", script), folder, {{"PATH": "/usr/bin:/bin"}}))
    print(seal.holder, process.pid, seal.closure.network, flush=True)
    time.sleep(300)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as kit:
        assert kit.stdout is not None
        holder, agent, closed = kit.stdout.readline().split()
        if closed != "True":
            kit.kill()
            pytest.skip("what holds the place ends the rest by its network")
        started = [psutil.Process(int(agent)), psutil.Process(int(holder))]
        until = time.monotonic() + 30
        while len(started) < 4 and time.monotonic() < until:
            started = [*started[:2], *started[0].children(recursive=True)]
        kit.kill()
    assert len(started) == 4
    _, alive = psutil.wait_procs(started, timeout=20)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []


def test_nothing_is_started_outside_once_the_place_was_left(tmp_path: Path) -> None:
    with sealed([(tmp_path, True)]) as seal:
        pass
    with pytest.raises(LeftError):
        Inside(seal, tmp_path).start("true")
    with pytest.raises(LeftError):
        Inside(Seal([(tmp_path, True)]), tmp_path).start("true")


@pytest.mark.skipif(os.geteuid() != 0, reason="laying a privilege down takes one: needs root")
@pytest.mark.parametrize(("lacking", "said"), [("+all", "an ordinary user (12345)"), ("-setuid", "root, which may")])
def test_whom_it_runs_as_is_said(lacking: str, said: str) -> None:
    script = """
from pathlib import Path
from tck_kit.probe.run_of_cli import CliProcess, Launch
from tck_kit.probe.sealed import sealed
with sealed() as seal:
    print(seal.runs_as)
    process = CliProcess(seal, Launch(("/usr/bin/id", "-u"), Path("/"), {}))
    process.ended(20)
    process.end()
    assert process.result()[1].strip() == str(seal.user), process.result()
"""
    words = ["setpriv", "--bounding-set", lacking, sys.executable, "-c", script]
    ended = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60)
    assert ended.stdout.startswith(said)


@pytest.mark.skipif(os.geteuid() != 0, reason="laying a privilege down takes one: needs root")
def test_where_the_system_gives_no_namespace_it_is_said_in_one_line_and_the_user_is_another_all_the_same() -> None:
    script = """
from pathlib import Path
from tck_kit.probe.run_of_cli import CliProcess, Launch
from tck_kit.probe.sealed import sealed
with sealed() as seal:
    print(seal.closure.closed)
    print(seal.closure.hidden)
    process = CliProcess(seal, Launch(("/usr/bin/id", "-u"), Path("/"), {}))
    process.ended(20)
    process.end()
    print(process.result()[1].strip())
    with seal.bound(0) as made:
        print(made.getsockname()[0])
"""
    words = ["setpriv", "--bounding-set", "-sys_admin", sys.executable, "-c", script]
    ended = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60)
    assert ended.stdout.splitlines() == [
        f"not closed: {REFUSED[errno.EPERM]} (root may, and others where users get namespaces)",
        "not hidden: the same",
        "12345",
        "127.0.0.1",
    ]


def _says(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _marked(process: psutil.Process) -> bool:
    try:
        return "SESSION_TCK_PROBE" in process.environ()
    except psutil.Error:
        return True

"""One run of an agent CLI: started with what it is given and nothing else, listened to, and ended with all it started.

It runs in a process group of its own. Whatever it leaves is ended with it: by the group, and by a mark in the
environment, which a child inherits whatever group it has moved to.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, Protocol

from tck_driver.process import end_all
from tck_fakes.modelserver.asked import Asked
from tck_kit.faults import UsageFault
from tck_kit.probe import network
from tck_kit.probe.sealed import LeftError, Seal

#: The variable by which whatever a CLI starts can be found. It is the only one whose value differs from run to run.
MARK = "SESSION_TCK_PROBE"
#: How much of each stream is kept, bytes.
KEPT = 4 * 1024 * 1024
#: Seconds for its pipes to be at an end once everything that wrote to them is dead.
_DRAINING = 5.0
#: Seconds between a request and the kill: what a CLI keeps of a turn that has begun, it may write a little later.
SETTLING = 1.0
#: Seconds between two looks at a CLI that may have to be killed.
_LOOKS = 0.01
_CURE = "name another one, or have one installed with --install"


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Start:
    """How a CLI is started: its words as an adapter builds them, and what this run needs besides.

    The first word is the program's name, which the subject's own words replace. `/workspace` and `/home/agent` are
    understood as the arena's own. `cwd` is the arena's working directory where it is not given. `kill_when_asked` kills
    the group a second after a request began to wait at the model: in the middle of a turn.
    """

    argv: tuple[str, ...]
    cwd: Path | None = None
    stdin: str | None = None
    environment: Mapping[str, str] = field(default_factory=_nothing)
    limit: float = 60.0
    kill_when_asked: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of it.

    `exit_code` is None where the CLI was still running after `limit` seconds, and negative where a signal ended it.
    `asked` are the requests made meanwhile, `cut` says that a stream was longer than what is kept, and `left` names
    what was still running when the CLI had ended.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    asked: tuple[Asked, ...]
    cut: bool
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """What is executed: whole words, the folder, all of its environment, the mark apart, and what it reads."""

    words: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    stdin: str | None = None


class Model(Protocol):
    """What a run needs of the model server."""

    def mark(self) -> int:
        """Give the place in the log that the next request gets."""
        ...

    def since(self, mark: int, /) -> tuple[Asked, ...]:
        """Give the requests from there on."""
        ...

    def hold(self) -> None:
        """Let requests wait."""
        ...

    def release(self) -> None:
        """Answer what waits, and no longer hold."""
        ...

    def waiting(self) -> int:
        """Say how many requests wait."""
        ...


class _Stream:
    """What a process writes, up to a bound; the rest is read too, so that it never waits for us."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._pipe = pipe
        self._kept = bytearray()
        self.cut = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        if self._pipe is None:
            return
        with self._pipe, contextlib.suppress(OSError, ValueError):
            while part := os.read(self._pipe.fileno(), 65536):
                room = KEPT - len(self._kept)
                self._kept += part[:room]
                self.cut = self.cut or len(part) > room

    def drain(self) -> None:
        """Wait for its end; whoever holds it open without our finding them is not waited for."""
        self._thread.join(_DRAINING)

    def text(self) -> str:
        """Give what was kept."""
        return bytes(self._kept).decode("utf-8", "replace")


class CliProcess:
    """A CLI that runs. It is killed when the thread that started it ends, as when the kit is killed."""

    def __init__(self, seal: Seal, launch: Launch) -> None:
        """Start it. Raises `UsageFault` where it cannot be executed, `LeftError` where the seal was left."""
        self.mark = secrets.token_hex(8)
        self._seal = seal
        self._lock = threading.Lock()
        read, report = os.pipe()
        try:
            self._process = subprocess.Popen(
                seal.words(report, launch.directory, launch.words),
                # A pipe that stays open would make some of them wait for what never comes.
                stdin=subprocess.DEVNULL if launch.stdin is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**launch.environment, MARK: self.mark},
                pass_fds=(report,),
                start_new_session=True,
                cwd="/",
            )
        except (OSError, ValueError) as fault:
            os.close(read)
            raise UsageFault(f"cannot be started: {fault}", launch.words[0], _CURE) from fault
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(report)
        self._streams = (_Stream(self._process.stdout), _Stream(self._process.stderr))
        seal.running.add(self)
        with os.fdopen(read, "rb") as pipe:
            hindered = pipe.read()
        if hindered:
            self.end()
            raise _not_executed(launch, hindered.decode("utf-8", "replace"))
        if self._process.stdin is not None:
            threading.Thread(target=_write, args=(self._process.stdin, launch.stdin or ""), daemon=True).start()

    @property
    def pid(self) -> int:
        """The CLI's process number, and that of its group."""
        return self._process.pid

    def ended(self, seconds: float) -> bool:
        """Wait so long at most; say whether it has ended."""
        until = time.monotonic() + seconds
        while not self._over():
            rest = until - time.monotonic()
            if rest <= 0:
                return False
            time.sleep(min(rest, _LOOKS))
        return True

    def signal(self, number: int) -> None:
        """Send a signal to the whole group."""
        with self._lock:
            # Until it has been waited for, no other process can get its number.
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, number)

    def end(self) -> tuple[str, ...]:
        """End it and everything that it started; give the names of what was still running besides itself."""
        with self._lock:
            if self._process.returncode is not None:
                return ()
            if not self._over():
                self._process.kill()
            left = [*end_all(MARK, self.mark)]
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
            # One that was just being started can be missed, but not again and again.
            for _ in range(3):
                found = end_all(MARK, self.mark)
                left += found
                if not found:
                    break
        for stream in self._streams:
            stream.drain()
        self._seal.running.discard(self)
        return tuple(left)

    def _over(self) -> bool:
        """Say whether it has ended, and leave its number with it where the system lets us."""
        if self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:
            return True

    def result(self) -> tuple[int, str, str, bool]:
        """Give exit code, standard output, standard error, and whether one was cut; once `end` has been called."""
        stdout, stderr = (stream.text() for stream in self._streams)
        return self._process.returncode, stdout, stderr, any(stream.cut for stream in self._streams)


def run(seal: Seal, model: Model, launch: Launch, start: Start) -> Ended:
    """Start a CLI and wait for its end, `limit` seconds at most."""
    mark = model.mark()
    if start.kill_when_asked:
        model.hold()
    began = time.monotonic()
    try:
        process = CliProcess(seal, launch)
        try:
            in_time = _awaited(process, model, start, began + start.limit)
        finally:
            seconds = time.monotonic() - began
            left = process.end()
    finally:
        if start.kill_when_asked:
            model.release()
    code, stdout, stderr, cut = process.result()
    return Ended(code if in_time else None, stdout, stderr, seconds, model.since(mark), cut, left)


def _awaited(process: CliProcess, model: Model, start: Start, until: float) -> bool:
    """Wait until it has ended or has to be killed; say whether it did not run out of time."""
    if not start.kill_when_asked:
        return process.ended(max(0.0, until - time.monotonic()))
    while time.monotonic() < until:
        if process.ended(_LOOKS):
            return True
        if model.waiting():
            if not process.ended(SETTLING):
                process.signal(signal.SIGKILL)
            return process.ended(_DRAINING)
    return False


def _write(pipe: IO[bytes], text: str) -> None:
    """Write it all and say that nothing follows; whoever does not read it is not waited for."""
    with contextlib.suppress(OSError, ValueError):
        pipe.write(text.encode("utf-8", "surrogateescape"))
    with contextlib.suppress(OSError, ValueError):
        pipe.close()


def _not_executed(launch: Launch, hindered: str) -> Exception:
    """Say in one line why a program was not executed, and what to do."""
    stage, number, text = hindered.split(" ", 2)
    if stage == network.JOINING:
        return LeftError(f"the sealed place is gone: {text}")
    if stage == network.CHANGING:
        return UsageFault(f"cannot be the working directory: {text}", str(launch.directory), "make it, or name another")
    what = {
        str(errno.ENOENT): "it is not there, or the interpreter that it names is not",
        str(
            errno.EACCES
        ): "it may not be executed by an ordinary user, or lies in a folder that only its owner may enter",
        str(errno.ENOEXEC): f"it is no program for this machine ({os.uname().machine})",
        str(errno.E2BIG): "its arguments are longer than the system takes",
    }.get(number, text)
    return UsageFault(f"cannot be executed: {what}", launch.words[0], _CURE)

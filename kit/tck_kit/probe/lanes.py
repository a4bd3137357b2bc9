"""Several CLIs probed at once: each in processes of its own, whose findings outlive them.

Some cases do nothing but wait: for retries that take minutes, or for a CLI that never ends. They have lanes of their
own beside the others. Whatever ends a probe early, what is known by then is kept and called incomplete.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any, Final

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.lane import GRACE
from tck_kit.probe.record import Circumstances, Finding, Probe, in_order, read_finding
from tck_kit.probe.subject import Subject
from tck_kit.probe.table import CASES, FIRST, Case

#: How many lanes work at once, and how many that mostly wait go on beside them.
WORKING, LINGERING = 2, 4
#: Over how many lanes the cases of one CLI that mostly wait are spread.
_SPREAD = 2
INTERRUPTED: Final = "interrupted"
OUT_OF_TIME: Final = "out of time"


class _FaultError(Exception):
    """A case broke down, or the process that tried it."""


def is_fault(cut_short: str | None) -> bool:
    """Say whether a probe was cut short by a fault of the kit."""
    return cut_short not in {None, INTERRUPTED, OUT_OF_TIME}


@dataclass(frozen=True, slots=True)
class Told:
    """What has come about: a case has begun, or has come to a finding."""

    adapter: AdapterId
    case: str
    finding: Finding | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class Probing:
    """One CLI that is probed: what has been found of it so far."""

    subject: Subject
    cases: tuple[Case, ...]
    whole: tuple[str, ...]
    network: str
    #: Seconds after which a CLI is said not to end; None lets a lane find out what is far more than usual.
    patience: float | None = None
    findings: dict[str, Finding] = field(default_factory=dict[str, Finding])

    def quick(self) -> tuple[str, ...]:
        """Give what others rest on, and all that does not take its time."""
        return tuple(one.name for one in self.cases if one not in self._slow())

    def lingering(self) -> tuple[tuple[str, ...], ...]:
        """Give what takes its time, spread over lanes."""
        names = tuple(one.name for one in self._slow())
        return tuple(names[number::_SPREAD] for number in range(_SPREAD) if names[number::_SPREAD])

    def _slow(self) -> tuple[Case, ...]:
        return tuple(
            one for one in self.cases if one.name not in FIRST and (one.slow or self.subject.adapter in one.lingers)
        )

    def probe(self, kit: str, system: str, cut_short: str | None) -> Probe:
        """Give what is known of it."""
        lacking = tuple(name for name in self.whole if name not in self.findings)
        reason = (cut_short or "not all cases were asked for") if lacking else None
        around = Circumstances(self.subject.origin, f"{datetime.now(tz=UTC):%Y-%m-%d}", kit, self.network, system)
        findings = in_order(tuple(self.findings.values()), tuple(CASES))
        return Probe(self.subject.version, around, findings, lacking, reason)


class _Lane:
    """A process that tries cases."""

    def __init__(
        self, number: int, probing: Probing, cases: tuple[str, ...], heard: queue.Queue[tuple[int, Any]]
    ) -> None:
        self._number = number
        self._heard = heard
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- it is read when the process has ended
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tck_kit.probe.lane"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        subject = probing.subject
        asked = {
            "adapter": subject.adapter.value,
            "words": subject.words,
            "origin": subject.origin,
            "version": subject.version,
            "cases": cases,
            "patience": probing.patience,
        }
        self._thread = threading.Thread(target=self._listen, args=(asked,), daemon=True)
        self._thread.start()

    def _listen(self, asked: Mapping[str, Any]) -> None:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is not None and stdout is not None:
            with suppress(BrokenPipeError):
                stdin.write(f"{json.dumps(asked)}\n".encode())
                stdin.flush()
            self._read(stdout)
        self._process.wait()
        self._heard.put((self._number, None))

    def _read(self, stdout: IO[bytes]) -> None:
        for line in stdout:
            with suppress(ValueError):
                self._heard.put((self._number, json.loads(line)))

    def tell_to_end(self) -> None:
        """Tell it to end."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)

    def close(self) -> str:
        """See to it that it has ended; give its last words."""
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._thread.join(GRACE)
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        with self._errors:
            self._errors.seek(0)
            return self._errors.read()[-2000:].decode("utf-8", "replace").strip()


class _Run:
    """Probes that go on: what waits for its turn, and what is under way."""

    def __init__(self, probings: Sequence[Probing], tell: Callable[[Told], None]) -> None:
        self._tell = tell
        self._heard: queue.Queue[tuple[int, Any]] = queue.Queue()
        self._working = [(one, one.quick()) for one in probings if one.quick()]
        self._lingering = [(one, cases) for one in probings for cases in one.lingering()]
        self._open: dict[int, tuple[Probing, _Lane, bool]] = {}
        self._done: set[int] = set()
        self._number = 0

    def go_on(self, seconds: float) -> bool:
        """Start what has its turn, and take in one thing; say whether there is more to come."""
        self._start(self._working, WORKING, lingering=False)
        self._start(self._lingering, LINGERING, lingering=True)
        if not self._open:
            return False
        with suppress(queue.Empty):
            which, said = self._heard.get(timeout=seconds)
            probing, lane, _ = self._open[which]
            if said is not None:
                self._take(which, probing, said)
                return True
            del self._open[which]
            words = lane.close()
            if which not in self._done:
                raise _FaultError(f"a process that probed {probing.subject.program} broke down: {words[-500:]}")
        return True

    def _start(self, waiting: list[tuple[Probing, tuple[str, ...]]], most: int, *, lingering: bool) -> None:
        while waiting and sum(one is lingering for _, _, one in self._open.values()) < most:
            probing, cases = waiting.pop(0)
            lane = _Lane(self._number, probing, cases, self._heard)
            self._open[self._number] = (probing, lane, lingering)
            self._number += 1

    def _take(self, which: int, probing: Probing, said: Mapping[str, Any]) -> None:
        adapter = probing.subject.adapter
        if "fault" in said:
            raise _FaultError(f"{probing.subject.program} could not be probed to its end: {said['fault']}")
        if "began" in said:
            self._tell(Told(adapter, said["began"]))
        if "finding" in said:
            finding = read_finding(said["finding"])
            probing.findings[finding.case] = finding
            self._tell(Told(adapter, finding.case, finding, said["seconds"]))
        if "done" in said:
            self._done.add(which)

    def end(self) -> None:
        """End what is under way."""
        for _, lane, _ in self._open.values():
            lane.tell_to_end()
        for _, lane, _ in self._open.values():
            lane.close()
        # What was found before that, and has not been taken in yet, is known as well.
        while not self._heard.empty():
            which, said = self._heard.get()
            if said is not None and "finding" in said:
                self._take(which, self._open[which][0], said)


def run(probings: Sequence[Probing], until: float, tell: Callable[[Told], None]) -> str | None:
    """Probe all of these, and give why that was cut short, None where it was not.

    It is a fault of the kit, which says nothing about the CLI, where `is_fault` says so of the reason.
    """
    going = _Run(probings, tell)
    try:
        while (left := until - time.monotonic()) > 0:
            if not going.go_on(min(left, 1.0)):
                return None
    except KeyboardInterrupt:
        return INTERRUPTED
    except _FaultError as fault:
        return " ".join(str(fault).split())
    else:
        return OUT_OF_TIME
    finally:
        going.end()

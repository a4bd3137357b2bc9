"""What the units of these tests do; a process of its own imports it by this name."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from tck_kit.campaign.units import Unit
from tck_kit.faults import DriverFault


@dataclass(frozen=True)
class Errand:
    """A number to double; with a folder, it says there that it has begun, and waits for the file `go`."""

    number: int
    folder: Path | None = None


def double(errand: Errand) -> int:
    """Double a number."""
    if errand.folder is not None:
        mark = errand.folder / f"{errand.number}-{os.getpid()}.begun"
        mark.write_text(str(os.getppid()), encoding="ascii")
        while not (errand.folder / "go").exists():
            time.sleep(0.02)
    return 2 * errand.number


def begun(folder: Path) -> list[tuple[int, int, int]]:
    """Give number, process and the process that waits for it, of every errand that has begun so far."""
    found: list[tuple[int, int, int]] = []
    for mark in sorted(folder.glob("*.begun")):
        number, pid = mark.stem.split("-")
        if waits := mark.read_text(encoding="ascii"):
            found.append((int(number), int(pid), int(waits)))
    return found


def units(count: int, folder: Path | None = None) -> list[Unit[Errand]]:
    """Give so many of them."""
    return [Unit(f"errand {number}", Errand(number, folder)) for number in range(count)]


def refuse(number: int) -> int:
    """Raise for odd numbers."""
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


def fall(number: int) -> int:
    """End the process for odd numbers."""
    if number % 2:
        os.write(2, b"these were my last words\n")
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def leave(_: int) -> int:
    """Leave as a program does."""
    raise SystemExit(7)


def blame(_: int) -> int:
    """Say whose fault it is, with a name that differs from run to run."""
    raise DriverFault("it is not in /tmp/session-tck-4711-ab_c9/worker-0")


def unsendable(_: int) -> object:
    """Give something that cannot be sent."""
    return lambda: 0


def swallow(errand: Errand) -> int:
    """Make something of an interrupt, as a run does."""
    try:
        return double(errand)
    except KeyboardInterrupt:
        return -1


class Silent:
    """Is told and says nothing."""

    def ended(self, _unit: object, _done: int, _total: int) -> None:
        """Take it in."""

    def told(self, _text: str) -> None:
        """Take it in."""

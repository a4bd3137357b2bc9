"""Keeps what a peer leaves running in the driver's family: a process whose parent ends would else be anybody's.

A driver begins by becoming two processes. The one stays behind: it is the next of kin of all processes whose parents
have ended, takes note of their ends, as engines look for that, and ends with the driver. The other is the driver.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from typing import Final

#: From <linux/prctl.h>.
_DEATH_SIGNAL: Final = 1
_SUBREAPER: Final = 36


def keep_orphans() -> int | None:
    """Become two processes, and give the number of the one that stays behind; None where the system cannot do it.

    It is to be called before there is a second thread, and returns in the driver alone.
    """
    if not sys.platform.startswith("linux") or not _told(_SUBREAPER, 1):
        return None
    root = os.getpid()
    driver = os.fork()
    if driver == 0:
        _told(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != root:
            os._exit(1)
        return root
    _stay(driver)
    raise AssertionError


def _stay(driver: int) -> None:
    """Take note of every end until the driver has ended, and end likewise."""
    # The kit hears of the driver's end by these, and speaks to nobody else by them.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for ours in (0, 1):
        os.dup2(nowhere, ours)
    ended, status = os.wait()
    while ended != driver:
        ended, status = os.wait()
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(max(code, 0))


def _told(option: int, value: int) -> bool:
    """Say something to the kernel of this process, and whether it has taken it."""
    came: int = ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)
    return came == 0

"""The process in which one unit is executed: it reads a call, makes it, writes the answer, and is gone.

Nothing else is written to standard output. Its standard input says whether anybody still waits: at its end, whoever
started the process is gone, and so it ends as if it had been interrupted, with everything that it made.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tck_kit.campaign.apart import GRACE, Answer

if TYPE_CHECKING:
    from types import FrameType

_INTERRUPTED = 3
_told_to_end: list[bool] = []


def main() -> int:
    """Read a call, make it, and answer."""
    # What starts the workers of a cluster may keep this one from them, and it is inherited.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _interrupt)
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        try:
            said = _answered()
        except KeyboardInterrupt:
            return _INTERRUPTED
        if _told_to_end:
            # It may have made something of what it had by then, but that is not what was asked for.
            return _INTERRUPTED
        out.write(said)
    return 0


def _answered() -> bytes:
    try:
        function, order = _call()
        threading.Thread(target=_end_with_the_caller, daemon=True).start()
        return pickle.dumps(Answer(function(order)))
    except (Exception, SystemExit) as fault:  # noqa: BLE001 -- it is told to whoever asked
        return pickle.dumps(Answer[object](kind=type(fault).__name__, text=str(fault)))


def _call() -> tuple[Callable[[Any], Any], Any]:
    function, order = pickle.load(sys.stdin.buffer)  # noqa: S301 -- from the process that started this one
    return function, order


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, once: what is taken away then is not to be disturbed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _told_to_end.append(True)
    raise KeyboardInterrupt


def _end_with_the_caller() -> None:
    # Not through sys.stdin: a thread that waits in it would disturb the end of the interpreter.
    if not os.read(0, 1):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE)
        os._exit(_INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())

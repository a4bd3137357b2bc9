"""The process in which cases are tried, one after the other: it reads what to try and tells what came of each.

It writes one JSON object a line and nothing else to standard output. Its standard input says whether anybody still
waits: at its end, or at SIGTERM, it ends with everything that it started, as at Ctrl-C.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.arena import Arena, arena
from tck_kit.probe.bench import LIMIT, RETRYING, Bench, Session, Unreached, following
from tck_kit.probe.configured import CONFIGURED
from tck_kit.probe.record import Fact, Finding, finding_fields
from tck_kit.probe.subject import Subject
from tck_kit.probe.table import CASES, FIRST, Case
from tck_kit.probe.words import Outcome
from tck_simulator.adapters import ADAPTERS
from tck_simulator.versions import Version

if TYPE_CHECKING:
    from types import FrameType

#: Seconds for what was made to be taken away once nobody waits any more.
GRACE = 10.0
#: Seconds after which a CLI is said not to end, and how often a start that goes well would have to fit into them.
PATIENCE, TIMES = 60.0, 4
_INTERRUPTED = 3


class Lane:
    """The cases of one CLI that are tried one after the other, with one sealed place and one model server."""

    def __init__(self, base: Arena, patience: float | None = None) -> None:
        """Work in this arena. `patience` is how long a CLI may take that never ends; None lets it be found out."""
        self._base = base
        self._adapter = ADAPTERS[base.subject.adapter]
        self._session: Session | None = None
        self._prepared = False
        self._given = patience
        self._patience = LIMIT if patience is None else patience
        self._usual = 0.0

    def try_out(self, case: Case) -> Finding:
        """Try one case; what it needs and does not come about is an outcome as well."""
        if case.name not in FIRST and not self._prepared:
            self._prepared = True
            # Every case that needs a session then says that there is none.
            with suppress(Unreached):
                self._session = self._prepare()
        try:
            outcome, facts = case.does(self._bench(case.name))
        except Unreached as why:
            said: dict[str, Fact] = {"said": (str(why),)}
            return Finding(case.name, Outcome.UNREACHED, said)
        return Finding(case.name, outcome, facts)

    def _bench(self, case: str) -> Bench:
        subject = self._base.subject
        version = Version.parse(subject.version)
        configured = CONFIGURED[subject.adapter]
        return Bench(
            self._adapter,
            configured,
            version,
            self._base,
            case,
            self._session,
            patience=self._patience,
            retrying=RETRYING if self._given is None else self._given,
            usual=self._usual,
        )

    def _prepare(self) -> Session | None:
        """Make the session that most cases begin with: two turns, the second of them a resume."""
        home = self._bench("prepared").home()
        first = home.fresh()
        if first.outcome is not Outcome.FRESH or first.native_id is None:
            return None
        session = home.session(first, "one")
        second = home.resume(session)
        self._usual = max(first.ended.seconds, second.ended.seconds)
        if self._given is None:
            self._patience = min(LIMIT, max(PATIENCE, TIMES * self._usual))
        if second.outcome not in {Outcome.RESUMED, Outcome.RENAMED} or second.native_id is None:
            return None
        return replace(following(session, second, home.kept("two")), id=second.native_id)


def tell(**fields: Any) -> None:  # noqa: ANN401 -- whatever JSON takes
    """Tell one thing."""
    sys.stdout.write(f"{json.dumps(fields)}\n")
    sys.stdout.flush()


def go(subject: Subject, names: Iterable[str], patience: float | None) -> None:
    """Try all of these cases."""
    with arena(subject) as base:
        lane = Lane(base, patience)
        for name in names:
            tell(began=name)
            since = time.monotonic()
            finding = lane.try_out(CASES[name])
            tell(finding=finding_fields(finding), seconds=time.monotonic() - since)


def main() -> int:
    """Read what is to be tried, and try it."""
    signal.signal(signal.SIGTERM, _interrupt)
    asked: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_caller, daemon=True).start()
    subject = Subject(AdapterId(asked["adapter"]), tuple(asked["words"]), asked["origin"], asked["version"])
    try:
        go(subject, asked["cases"], asked["patience"])
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as fault:  # noqa: BLE001 -- it is told to whoever asked
        tell(fault=f"{type(fault).__name__}: {fault}")
        return 0
    tell(done=True)
    return 0


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """End as Ctrl-C does, once: what is taken away then is not to be disturbed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end_with_the_caller() -> None:
    # Not through sys.stdin: a thread that waits in it would disturb the end of the interpreter.
    if not os.read(0, 1):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE)
        os._exit(_INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())

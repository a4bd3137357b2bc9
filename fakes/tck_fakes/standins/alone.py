"""A stand-in as a program of its own: `python -P -m tck_fakes.standins.alone claude …` is claude, but for the model.

It has the arguments, environment, directory, standard input and files of its process, and calls the model server that
it is configured with where the real CLI finds its settings. So whatever can start the real one can start this one.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import SystemRandom

from tck_driver.bench import Script
from tck_fakes.ids import Ids
from tck_fakes.real_view import RealView
from tck_fakes.standins.base import Conversation, Hang, Heard, Invocation, Listen, Stop, Turn, Word
from tck_fakes.standins.dialogues import aside, converses, serve
from tck_fakes.standins.performed import asks_version, leave, named, part, perform, programs, version_talk
from tck_fakes.standins.versions import DEFAULT_VERSIONS

_USAGE_CODE = 2


def main(words: Sequence[str]) -> int:
    """Be the program that the first word names, and give its exit code."""
    program, argv = (words[0], tuple(words[1:])) if words else ("", ())
    cli = named(program)
    if cli is None:
        known = ", ".join(programs())
        sys.stderr.write(f"there is no stand-in for {program!r}; give one of {known}, then its arguments\n")
        return _USAGE_CODE
    if asks_version(argv):
        return perform(version_talk(cli.adapter, DEFAULT_VERSIONS[cli.adapter]), _waits_alone)
    environment, workdir, view = dict(os.environ), os.getcwd(), RealView()  # noqa: PTH109 -- a Path takes long to import
    home = environment.get("HOME") or "/"
    call = Invocation(
        argv=argv,
        environment=environment,
        workdir=workdir,
        home=home,
        view=view,
        stdin=_stdin(program, argv),
        script=Script(),
        ids=Ids(SystemRandom()),
        now=datetime.now(UTC),
    )
    if aside(program, argv):
        return perform(serve(call), _waits_alone)
    started = part(cli, call)
    if isinstance(started.asked, Stop):
        return perform(started.talk, _waits_alone)
    # Only a run that may come to call a model needs to know where; it takes a while to find out.
    from tck_fakes.standins.calling import ask, ask_title  # noqa: PLC0415 -- see above
    from tck_fakes.standins.leaves import leave_files  # noqa: PLC0415 -- see above
    from tck_fakes.standins.provider import Around, provider  # noqa: PLC0415 -- see above

    to = provider(program, Around(environment, view, home, workdir, started.asked.options))
    if isinstance(to, Stop):
        return perform(_stopped(to), _waits_alone)
    leave_files(program, call, os.getpid())
    started = part(cli, replace(call, unready=to.unready, model=to.model, provider=to.name))

    def waits(event: Turn | Hang | Listen) -> Word | Heard | None:
        if isinstance(event, Turn):
            if event.titled:
                ask_title(to, event.said[-1])
            return ask(cli.adapter, to, event.said) if event.said else None
        return _waits_alone(event)

    return perform(started.talk, waits)


def _stopped(stop: Stop) -> Conversation:
    yield from stop.lines
    return stop.exit_code


def _waits_alone(event: Turn | Hang | Listen) -> Heard | None:
    """Read a line of standard input, or wait until somebody ends this process, where the real CLI hangs."""
    while isinstance(event, Hang):
        signal.pause()
    if not isinstance(event, Listen):
        return None
    line = sys.stdin.buffer.readline()
    return Heard(line.decode("utf-8", "replace").rstrip("\n") if line else None)


#: Program → how long it waits for standard input, in seconds, where it has its prompt already; None is for ever.
_PATIENCE: dict[str, float | None] = {"claude": 3.0, "codex": None, "opencode": None, "copilot": 0.0, "grok": 0.0}


def _stdin(program: str, argv: Sequence[str]) -> str:
    """Read standard input as long as the real CLI would."""
    if sys.stdin is None or sys.stdin.isatty() or converses(program, argv):
        return ""
    patience = _PATIENCE[program]
    if program == "codex" and "resume" in argv:
        patience = 0.0
    if patience is not None and len(argv) > 1 and not select.select([sys.stdin], [], [], patience)[0]:
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace")


if __name__ == "__main__":
    # Ends at a closed pipe and at Ctrl-C as a program does that knows nothing of Python.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    leave(main(sys.argv[1:]))

"""One cluster of zeroshot's Node line, from its beginning to its end: what the user would do with it on the way.

The engine is a process that ends when its cluster has, when an agent has failed for good, when it is told to stop, and
when it is killed. Then it is told to go on, until every turn of the course is over.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tck_driver.errors import DriverError, EngineError, EngineTimeoutError
from tck_peers.common import Stage
from tck_peers.processes import end_all, kill_group
from tck_peers.zeroshot_cluster import DONE, FAILED, Plan, through
from tck_peers.zeroshot_ledger import Ledger, Message, since

#: The command, below the peer's folder.
ENTRY = Path("cli", "index.js")
#: How much of a failure is shown.
SHOWN = 300
#: How long a course may take; the kit waits 240 s.
COURSE_SECONDS = 220.0
#: How long an engine that is well may say nothing, on a machine that has enough to do.
_SILENT_SECONDS = 60.0
_STOP_SECONDS = 40.0
#: How long a CLI has to say something after its process was seen, before the engine is killed.
_KILL_SECONDS = 6.0
_LOOK_SECONDS = 0.25
#: How often the engine is told to go on without coming any further.
_PATIENCE = 2
#: How many lines of an output are told where it is not known which of them matters.
_LINES = 12


@dataclass(slots=True)
class Play:
    """One cluster from its beginning to its end, through every stop, death and failure on the way."""

    folder: Path
    stage: Stage
    plan: Plan
    _engine: subprocess.Popen[bytes] | None = None
    _starts: int = 0
    #: How many messages the cluster had sent, and since when no more.
    _heard: int = 0
    _heard_at: float = field(default_factory=time.monotonic)
    #: How many turns were over when the engine was last told to go on, and how often it has come no further.
    _at_last: int = -1
    _stuck: int = 0

    def said(self) -> tuple[Message, ...]:
        """Give all that the cluster has said."""
        return Ledger(self.stage.home).messages()

    def to_the_end(self) -> str:
        """Run the cluster until every turn is over; give what shows that it has failed, empty where it has not.

        Raises `EngineTimeoutError` for an engine that has fallen silent, `DriverError` where it was only slow.
        """
        pauses, kills = set(self.plan.pauses), set(self.plan.kills)
        papers = self.stage.folder("papers")
        arguments = ["--no-isolation", "--config", str(papers / "cluster.json")]
        # It would try out its own templates first, which are not used here.
        engine = self._start("run", str(papers / "issue.md"), *arguments, "--sim", "off")
        end = time.monotonic() + COURSE_SECONDS
        while time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)
            # Whether it has ended is asked first: what it said last is then there to be read.
            ended = engine.poll()
            said = self._hear()
            at = len(self.over(said))
            if ended is not None:
                self._name()
                if at == len(self.plan.order) or not self._may_go_on(at):
                    return self._shown(ended, said)
            elif at in kills and self._is_at_work(said, self.plan.order[at]):
                end_all(self.stage.home)
                engine.wait()
            elif at in pauses and _is_idle(said):
                self._stop(engine)
            else:
                continue
            pauses.discard(at)
            kills.discard(at)
            engine = self._start("resume", self._name())
        silent = time.monotonic() - self._heard_at
        if silent < _SILENT_SECONDS:
            raise DriverError(f"zeroshot was still at work after {COURSE_SECONDS:g} s; the machine is too slow")
        raise EngineTimeoutError(f"zeroshot has not come to the end of the course, and said nothing for {silent:.0f} s")

    def over(self, said: Sequence[Message]) -> list[tuple[bool, str]]:
        """Give of each turn that is over whether it went well, and what was said of it."""
        return list(through(self.plan.order, [(one.topic, one.sender, one.text) for one in said]))

    def stop(self) -> None:
        """End the engine's process, if it is still there."""
        if self._engine is not None and self._engine.poll() is None:
            self._engine.terminate()
            try:
                self._engine.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                kill_group(self._engine.pid)
                self._engine.wait()

    def _hear(self) -> tuple[Message, ...]:
        """Give all that the cluster has said, and take note of when it says more."""
        said = self.said()
        if len(said) != self._heard:
            self._heard, self._heard_at = len(said), time.monotonic()
        return said

    def _may_go_on(self, at: int) -> bool:
        """Decide whether an engine that has ended before its time is told to go on, as its user would a few times."""
        self._stuck = self._stuck + 1 if at == self._at_last else 0
        self._at_last = at
        return self._stuck < _PATIENCE

    def _name(self) -> str:
        """Give the cluster's name. Where none was begun, nothing can be said of the engine but that it was not let."""
        name = Ledger(self.stage.home).cluster
        if name is None:
            raise DriverError(f"zeroshot began no cluster: {' / '.join(self._written()[-_LINES:])}")
        return name

    def _stop(self, engine: subprocess.Popen[bytes]) -> None:
        """Stop the cluster between two turns; the command waits for the engine, whose end has to be taken note of."""
        with self._command("stop", self._name()) as stopping:
            end = time.monotonic() + _STOP_SECONDS
            while stopping.poll() is None and time.monotonic() < end:
                engine.poll()
                time.sleep(_LOOK_SECONDS)
            if stopping.poll() is None:
                kill_group(stopping.pid)
        if stopping.returncode != 0 or engine.poll() is None:
            raise EngineError(f"zeroshot stop has not stopped the cluster: {self._output()}")

    def _is_at_work(self, said: Sequence[Message], agent: str) -> bool:
        """Look whether the CLI of the turn is there; where it is, give it the time to say something."""
        own = [one for one in since(said, (DONE, FAILED)) if one.sender == agent]
        if not any(one.event == "PROCESS_SPAWNED" for one in own):
            return False
        end = time.monotonic() + _KILL_SECONDS
        while time.monotonic() < end:
            own = [one for one in since(self.said(), (DONE, FAILED)) if one.sender == agent]
            if any(one.topic == "AGENT_OUTPUT" for one in own):
                return True
            time.sleep(_LOOK_SECONDS)
        return True

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start the engine, with the command that begins or goes on with the cluster."""
        self._engine = self._command(*arguments)
        return self._engine

    def _command(self, *arguments: str) -> subprocess.Popen[bytes]:
        self._starts += 1
        programs = self._programs()
        state, temporary = self.stage.folder("home", "state"), self.stage.folder("temporary")
        environment = self.stage.environment(
            ZEROSHOT_HOME=str(state),
            ZEROSHOT_SETTINGS_FILE=str(self.stage.folder("papers") / "settings.json"),
            TMPDIR=str(temporary),
        )
        environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
        with (self.stage.folder("output") / f"{self._starts}.txt").open("wb") as output:
            return subprocess.Popen(
                [str(programs / "zeroshot"), *arguments],
                cwd=self.stage.folder("checkout-0"),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _programs(self) -> Path:
        """Give the folder of the command `zeroshot`, which the engine itself looks for on the search path.

        It asks for the status of a task every second, whether or not the last question has been answered. On a machine
        that is busy the questions would pile up until nothing else is done; so only one is let through at a time, and
        the others fail at once, which the engine takes for a question without an answer.
        """
        programs = self.stage.folder("programs")
        path = programs / "zeroshot"
        if not path.exists():
            command = f'node {_quoted(self.folder / ENTRY)} "$@"'
            alone = f'[ "$1" = status ] && exec flock -n {_quoted(self.stage.home / "asking")} {command}\n'
            path.write_text(f"#!/bin/sh\n{alone if shutil.which('flock') else ''}exec {command}\n")
            path.chmod(0o755)
        return programs

    def _shown(self, ended: int, said: Sequence[Message]) -> str:
        """Give what shows the engine's user that the cluster has failed; empty where it went well to its end."""
        failures = [one.text for one in said if one.topic in (FAILED, "CLUSTER_FAILED")]
        last = next((one for one in reversed(said) if one.topic in (DONE, FAILED, "CLUSTER_FAILED")), None)
        if failures and last is not None and last.topic != DONE:
            return f"exit code {ended}: {failures[-1]}"[:SHOWN]
        return f"exit code {ended}: {self._output()}" if ended or last is None else ""

    def _output(self) -> str:
        """Give the last line that the engine has written."""
        return last_line("\n".join(self._written()))

    def _written(self) -> list[str]:
        """Give the lines that the engine has written since it was started last, without those that are empty."""
        path = self.stage.folder("output") / f"{self._starts}.txt"
        text = path.read_text(encoding="utf-8", errors="replace")
        return [line.strip() for line in text.splitlines() if line.strip()]


def _is_idle(said: Sequence[Message]) -> bool:
    """Look whether the agent of the last turn has nothing left to do of it."""
    events = [one.event for one in said if one.event in ("TASK_STARTED", "TASK_COMPLETED", "TASK_FAILED")]
    return not events or events[-1] != "TASK_STARTED"


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "'\\''") + "'"


def last_line(text: str) -> str:
    """Give the last line of an output that says anything."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it says nothing")[:SHOWN]

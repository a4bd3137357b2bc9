"""The container runtime of a scenario: in process, in virtual time, and a witness of everything.

A container is an agent CLI's stand-in with a view of the file system. It runs until it waits for its time or hangs;
the clock and the bench let it go on. Specification: §17.2, §28.2.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import assert_never

from tck_driver.bench import Script, VersionShape
from tck_driver.errors import KitError
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ContainerEnded, VersionAsked, WitnessLog
from tck_fakes.casting import Casting
from tck_fakes.clock import VirtualClock
from tck_fakes.container import Container, Watcher
from tck_fakes.direct import host_view, moved
from tck_fakes.ids import Ids
from tck_fakes.records import cli_answered, cli_started, container_started
from tck_fakes.scripts import Scripts
from tck_fakes.standins.base import (
    KILLED,
    Account,
    Cli,
    Conversation,
    Err,
    Hang,
    Heard,
    Invocation,
    Listen,
    Out,
    Request,
    Turn,
)
from tck_fakes.standins.claude_dialogue import overture
from tck_fakes.standins.conversation import converse, effective_shape
from tck_fakes.standins.dialogues import aside, serve
from tck_fakes.standins.performed import asks_usage, asks_version, version_talk
from tck_fakes.standins.programs import PROGRAMS, TOOL_RUNNER
from tck_fakes.standins.versions import DEFAULT_VERSIONS, answer
from tck_fakes.view import ContainerView, MountRefusedError
from tck_simulator.ports import ContainerRequest, ContainerState

#: Exit codes of the container runtime itself, as in Docker.
REFUSED, NO_SUCH_PROGRAM = 125, 127


class FakeContainerRuntime:
    """Implements `ContainerRuntime` with the stand-in CLIs; the bench scripts and releases them through it."""

    def __init__(self, clock: VirtualClock, witness: WitnessLog, scratch: Path, seed: int = 0) -> None:
        """Keep containers' own layers below `scratch`, a host directory that nothing else uses."""
        self._clock = clock
        self._witness = witness
        self._scratch = scratch
        self._ids = Ids(random.Random(seed))  # noqa: S311 - ids only have to be reproducible
        self._containers: dict[str, Container] = {}
        self._scripts = Scripts()
        self._versions: dict[AdapterId, tuple[str, VersionShape]] = {
            adapter: (version, "plain") for adapter, version in DEFAULT_VERSIONS.items()
        }
        self._poisoned: set[str] = set()

    # What the bench decides

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the adapter's CLI does at its next starts. Raises `KitError` for a shape that it cannot take."""
        self._scripts.queue(adapter, *scripts)

    def cast(self, casting: Casting) -> None:
        """From now on tell starts of CLIs apart by the roles of a course; what is nobody's goes by the queues."""
        self._scripts.cast(casting)

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says from now on."""
        if adapter not in DEFAULT_VERSIONS:
            raise KitError(f"{adapter} has no CLI whose version could be asked")
        self._versions[adapter] = (version, shape)

    def release(self, container: str | None = None) -> None:
        """Let what hangs go on to its ordinary end: one container, or all."""
        for live in list(self._containers.values()):
            if live.hangs and not live.ended and container in (None, live.id):
                live.hangs = False
                self._drive(live)

    def running(self) -> list[str]:
        """Give the ids of the containers that still run, oldest first."""
        return [live.id for live in self._containers.values() if live.phase == "running"]

    def next_end(self) -> datetime | None:
        """Give the next instant at which a container goes on by itself, None where none will."""
        return min((live.due for live in self._containers.values() if live.due is not None), default=None)

    def close(self) -> None:
        """End what still runs, without a record: the scenario is over."""
        for live in self._containers.values():
            if live.talk is not None:
                live.talk.close()
            if live.view is not None:
                live.view.close()

    # What the engine asks

    def start(self, request: ContainerRequest) -> str:
        """Start a container and give its id; one that cannot start ends at once with exit code 125."""
        container = self.create(request)
        self.begin(container)
        return container

    def create(self, request: ContainerRequest, name: str = "", limits: tuple[tuple[str, str], ...] = ()) -> str:
        """Make a container that does not run yet, and give its id. A request without an image is a host's process."""
        if not request.argv:
            raise KitError("a container request without an argument vector names no program to run")
        mounts = tuple(replace(mount, real_source=os.path.realpath(mount.source)) for mount in request.mounts)
        request = replace(request, mounts=mounts)
        live = Container(self._ids.container(), request, self._clock.now(), name, limits)
        self._containers[live.id] = live
        return live.id

    def await_input(self, container: str) -> None:
        """Let a container run whose program reads standard input until that ends; then it has to begin."""
        live = self._containers[container]
        live.phase, live.started, live.reads = "running", self._clock.now(), True

    def begin(self, container: str, owner: tuple[int, int] | None = None, *, converses: bool = False) -> None:
        """Let a container that was created run, for its `owner`; `converses`: its standard input comes bit by bit."""
        live = self._containers[container]
        live.lines_over = not converses
        request, mounts = live.request, live.request.mounts
        live.phase, live.started, live.reads = "running", live.started or self._clock.now(), False
        self._witness.add(container_started(live, live.started))
        program = request.argv[0].rpartition("/")[2]
        cli = PROGRAMS.get(program)
        if cli is None and program != TOOL_RUNNER:
            self._refuse(live, f'exec: "{program}": executable file not found in $PATH\n', NO_SUCH_PROGRAM)
            return
        environment = dict(request.environment)
        home = environment.get("HOME") or request.home
        try:
            scratch = self._scratch / live.id
            sees = host_view(request, home, scratch, owner) if live.direct else ContainerView(mounts, home, scratch)
            live.view = sees
        except MountRefusedError as error:
            self._refuse(live, f"Error response from daemon: {error}\n", REFUSED)
            return
        if cli is None:
            self._end(live, 0, "exited")
            return
        live.cli = cli
        if asks_version(request.argv[1:]):
            self._ask_version(live, cli)
        else:
            self._start_cli(live, cli, live.view, environment, home)

    def _refuse(self, live: Container, text: str, exit_code: int) -> None:
        live.phase = "refused"
        live.say(text, err=True)
        self._end(live, exit_code, "refused")

    def poll(self, container: str) -> ContainerState:
        """Give a container's state; of one that never was, exit code 125."""
        live = self._containers.get(container)
        if live is None:
            return ContainerState(REFUSED, "", f"Error response from daemon: No such container: {container}\n")
        return live.state()

    def run(self, request: ContainerRequest) -> ContainerState:
        """Run a command to its end, or let its time limit pass and stop it; remove it in both cases."""
        live = self._containers[self.start(request)]
        if not live.ended:
            limit = live.created + timedelta(milliseconds=request.time_limit_ms)
            until = limit if live.due is None or live.hangs else min(limit, live.due)
            self._clock.advance(max(0, (until - self._clock.now()) // timedelta(milliseconds=1)))
        state = live.state()
        self.stop(live.id)
        self.remove(live.id)
        return state

    def stop(self, container: str, exit_code: int = KILLED) -> None:
        """Kill a container that still runs, or end it as the signal does that its exit code tells."""
        live = self._containers.get(container)
        if live is not None and live.phase == "running":
            self._kill(live, "stopped", exit_code)

    def remove(self, container: str) -> None:
        """Remove a container, killing it if it still runs."""
        live = self._containers.get(container)
        if live is None or live.removed:
            return
        live.removed = True
        if live.ended:
            self._witness.add(ContainerEnded(live.id, "removed", live.exit_code, self._clock.now()))
        elif live.phase == "running":
            self._kill(live, "removed")

    def find(self, label: str, value: str | None) -> Sequence[str]:
        """Give the containers with this label that have not been removed, oldest first; None is any value."""
        return [
            live.id
            for live in self._containers.values()
            if not live.removed and any(name == label and value in {None, held} for name, held in live.request.labels)
        ]

    # What the stand-in programs ask

    def containers(self) -> Sequence[Container]:
        """Give the containers that have not been removed, oldest first; processes of the host are none."""
        return [live for live in self._containers.values() if not live.removed and not live.direct]

    def look(self, reference: str) -> Container | None:
        """Give the container with this name or id, or whose full id alone begins so."""
        if not reference.strip("/"):
            return None
        there = self.containers()
        for live in there:
            if reference.removeprefix("/") == live.name or reference in (live.id, live.long_id):
                return live
        meant = [live for live in there if live.long_id.startswith(reference)]
        return meant[0] if len(meant) == 1 else None

    def forget(self) -> Sequence[str]:
        """Let go of the containers that have been removed, for whoever serves without end; give their ids."""
        gone = [live.id for live in self._containers.values() if live.removed]
        for container in gone:
            del self._containers[container]
        return gone

    def watch(self, container: str, watcher: Watcher) -> None:
        """Tell a watcher what the container has put out, then everything as it comes, and its end."""
        self._containers[container].watch(watcher)

    def known(self, reference: str) -> bool:
        """Tell whether there is a container with this name or id, or there was one before it was removed."""
        return self._ever(reference) is not None

    def parked(self, reference: str) -> bool:
        """Tell whether a container runs and stands still until the clock or the bench lets it go on."""
        live = self._ever(reference)
        return live is not None and live.stands(self._clock.now())

    def asked_version(self) -> bool:
        """Tell whether a version command is what stands still."""
        now = self._clock.now()
        return any(live.account is None and not live.ended and live.stands(now) for live in self.containers())

    def _ever(self, reference: str) -> Container | None:
        """Give the container that a name or id means now, or else the latest that it meant."""
        gone = (
            live
            for live in reversed(self._containers.values())
            if reference and reference in (live.name, live.id, live.long_id)
        )
        return self.look(reference) or next(gone, None)

    # How a container goes on

    def _ask_version(self, live: Container, cli: Cli) -> None:
        said = answer(cli.adapter, *self._versions[cli.adapter])
        self._witness.add(VersionAsked(cli.adapter, live.request.image, "" if said.hangs else said.stdout))

        live.talk = version_talk(cli.adapter, *self._versions[cli.adapter])
        self._drive(live)

    def _start_cli(
        self, live: Container, cli: Cli, view: ContainerView, environment: dict[str, str], home: str
    ) -> None:
        request = live.request
        view.give(request.workdir)
        call = Invocation(
            argv=request.argv[1:],
            environment=environment,
            workdir=request.workdir,
            home=home,
            view=view,
            stdin=request.stdin,
            script=Script(),
            ids=self._ids,
            now=self._clock.now(),
            poisoned=self._poisoned,
            advertised=self._scripts.advertised,
        )
        if asks_usage(call.argv):
            live.talk = converse(cli, call, cli.read(call), Account("ok"))
        elif aside(cli.program, call.argv):
            live.lines.extend(call.stdin.splitlines())
            live.talk = serve(call)
        else:
            live.talk = self._talk(live, cli, call)
        self._drive(live)

    def _talk(self, live: Container, cli: Cli, call: Invocation) -> Conversation:
        """Run the CLI; whose start it is and what it does is known with its prompt, which may be long in coming."""
        asked = cli.read(call)
        if isinstance(asked, Request) and asked.converses:
            live.lines.extend(call.stdin.splitlines())
            heard = yield from overture(cli, call, asked)
            if heard is None:
                # Somebody only wanted to know something of the CLI; that is no start with a prompt.
                return 0
            asked = heard
        script, live.part = self._scripts.next(cli.adapter, asked)
        call = replace(call, script=moved(script, live.request, call.home) if live.direct else script)
        live.account = Account(effective_shape(call, asked))
        live.duration_ms = script.duration_ms
        self._witness.add(cli_started(live, cli, asked))
        return (yield from converse(cli, call, asked, live.account))

    def _drive(self, live: Container, heard: Heard | None = None) -> None:
        """Let a container go on until it ends or waits."""
        if live.talk is None:
            return
        while True:
            try:
                event = live.talk.send(heard)
            except StopIteration as end:
                self._end(live, end.value, "exited")
                return
            if isinstance(event, Listen):
                if not live.lines and not live.lines_over:
                    live.listens = True
                    return
                heard = live.heard()
            else:
                heard = None
                if self._waits(live, event):
                    return

    def _waits(self, live: Container, event: Out | Err | Hang | Turn) -> bool:
        """Let what a CLI does come to pass, and tell whether it goes on later."""
        match event:
            case Out(text, named):
                self._scripts.reported(live.part, named)
                live.say(f"{text}\n", err=False)
            case Err(text):
                live.say(f"{text}\n", err=True)
            case Hang():
                live.hangs = True
                return True
            case Turn():
                # One that hung past its own duration has no time left to wait for.
                due = (live.started or live.created) + timedelta(milliseconds=live.duration_ms)
                if due > self._clock.now():
                    self._wait(live, due)
                    return True
            case _:
                assert_never(event)
        return False

    def hear(self, container: str, line: str | None) -> None:
        """Give a container a line of its standard input, or its end."""
        live = self._containers.get(container)
        if live is None or live.ended:
            return
        if line is None:
            live.lines_over = True
        else:
            live.lines.append(line)
        if live.listens:
            live.listens = False
            self._drive(live, live.heard())

    def _wait(self, live: Container, due: datetime) -> None:
        live.due = due

        def wake() -> None:
            live.due = None
            self._drive(live)

        self._clock.at(due, wake)

    def _kill(self, live: Container, how: str, exit_code: int = KILLED) -> None:
        if live.reads:
            live.reads = False
            self._witness.add(container_started(live, live.started or live.created))
        if live.talk is not None:
            live.talk.close()
        self._end(live, exit_code, how)

    def _end(self, live: Container, exit_code: int, how: str) -> None:
        live.exit_code = exit_code
        live.phase = "refused" if how == "refused" else "exited"
        live.finished = self._clock.now()
        live.talk = None
        live.hangs = False
        live.due = None
        if live.view is not None:
            live.view.close()
        answered = cli_answered(live.id, live.cli, live.account, exit_code)
        if answered is not None:
            self._witness.add(answered)
        self._witness.add(ContainerEnded(live.id, how, exit_code, live.finished))
        live.tell_end(exit_code)

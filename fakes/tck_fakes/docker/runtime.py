"""The container runtime of a scenario on a real engine: real containers in virtual time, and a witness of everything.

Theory of operation. Each request of the engine under test becomes one real container, with the stand-in CLI in it. The
stand-in does at once what takes no time, tells the kit over a socket where it stands still, and goes on when the kit
says so; so hours pass in no time here as well, and a container that hangs is one whose process really waits. Between
two calls of the engine under test nothing runs on, so what it witnesses has one order. Everything is done in the
calling thread.

What was witnessed comes from three sides: what was asked, what the stand-in says from inside, and how the container
engine says that it ended. Where these contradict each other, the kit is at fault and says so. Specification: §17.2,
§28.2.
"""

from __future__ import annotations

import os
import random
import secrets
import socket
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tck_driver.bench import Script, VersionShape
from tck_driver.errors import KitError, UntestableError
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ContainerEnded, VersionAsked, WitnessLog
from tck_fakes.casting import Casting
from tck_fakes.clock import VirtualClock
from tck_fakes.docker.engine import RefusedError, boot
from tck_fakes.docker.held import UNDONE, Host, faults
from tck_fakes.docker.kept import Kept, Line, listening
from tck_fakes.docker.order import CONTAINER, OWNER, SCENARIO, Order, order
from tck_fakes.docker.outposts import forbidden, identity, owns
from tck_fakes.docker.records import cli_read
from tck_fakes.docker.talk import Orders, account_from, chance_of, take_chance
from tck_fakes.docker.ward import Ward
from tck_fakes.ids import Ids
from tck_fakes.records import asked_for, cli_answered
from tck_fakes.standins.base import KILLED
from tck_fakes.standins.performed import asks_usage, asks_version
from tck_fakes.standins.programs import PROGRAMS
from tck_fakes.standins.shapes import check
from tck_fakes.standins.versions import DEFAULT_VERSIONS, answer
from tck_simulator.ports import ContainerRequest, ContainerState

#: Exit codes of the container runtime itself, as in Docker.
REFUSED, NO_SUCH_PROGRAM = 125, 127


class DockerRuntime:
    """Implements `ScriptedRuntime` on a real container engine."""

    def __init__(self, ward: Ward, clock: VirtualClock, witness: WitnessLog, place: Path, seed: int = 0) -> None:
        """Work for one scenario; what lies in its folder `place` and was not asked for must be out of reach."""
        self._ward = ward
        self._engine = ward.engine
        self._clock = clock
        self._witness = witness
        self._place = place
        self._sockets = place / "kit"
        self._random = random.Random(seed)  # noqa: S311 -- ids only have to be reproducible
        self._mark = secrets.token_hex(8)
        self._label = f"{SCENARIO}={self._mark}"
        self._containers: dict[str, Kept] = {}
        self._scripts: dict[AdapterId, deque[Script]] = {}
        self._versions: dict[AdapterId, tuple[str, VersionShape]] = {
            adapter: (version, "plain") for adapter, version in DEFAULT_VERSIONS.items()
        }
        self._poisoned: set[str] = set()
        #: Whether a container was being made whose id is not known yet.
        self._making = False

    # What the bench decides

    def script(self, adapter: AdapterId, *scripts: Script) -> None:
        """Queue what the adapter's CLI does at its next starts. Raises `KitError` for a shape that it cannot take."""
        for script in scripts:
            check(adapter, script)
        self._scripts.setdefault(adapter, deque()).extend(scripts)

    def cast(self, casting: Casting) -> None:
        """Refuse: what a start is asked is known inside its container only. Raises `UntestableError`."""
        del casting
        raise UntestableError("the roles of a course are not told apart in real containers")

    def set_version(self, adapter: AdapterId, version: str, shape: VersionShape = "plain") -> None:
        """Decide what the adapter's version command says from now on."""
        if adapter not in DEFAULT_VERSIONS:
            raise KitError(f"{adapter} has no CLI whose version could be asked")
        self._versions[adapter] = (version, shape)

    def release(self, container: str | None = None) -> None:
        """Let what hangs go on to its ordinary end: one container, or all."""
        for kept in list(self._containers.values()):
            if kept.hangs and not kept.ended and container in (None, kept.id):
                kept.hangs = False
                self._go_on(kept)

    def running(self) -> list[str]:
        """Give the ids of the containers that the engine says still run, oldest first."""
        return self._told(self._engine.find([self._label], running=True)) if self._containers else []

    def next_end(self) -> datetime | None:
        """Give the next instant at which a container goes on by itself, None where none will."""
        return min((kept.due for kept in self._containers.values() if kept.due is not None), default=None)

    def parked(self, reference: str) -> bool:
        """Tell whether a container runs and stands still until the clock or the bench lets it go on."""
        kept = self._containers.get(reference)
        return kept is not None and kept.stands(self._clock.now())

    def asked_version(self) -> bool:
        """Tell whether a version command is what stands still."""
        now = self._clock.now()
        return any(kept.version and kept.stands(now) for kept in self._containers.values())

    def close(self) -> None:
        """Remove whatever is left, without a record: the scenario is over."""
        for kept in self._containers.values():
            kept.let_go()
        left = any(kept.number and not kept.removed for kept in self._containers.values())
        if self._engine.lost is None and (left or self._making):
            # By label, so that one goes as well that was being made when the scenario was stopped.
            for number in self._engine.find([self._label]):
                self._engine.remove(number)

    # What the engine asks

    def start(self, request: ContainerRequest) -> str:
        """Start a container and give its id; one that cannot start ends at once with exit code 125."""
        if not request.argv or not request.image:
            raise KitError("a container request without an image or an argument vector names no container to run")
        mounts = tuple(replace(mount, real_source=os.path.realpath(mount.source)) for mount in request.mounts)
        kept = Kept(Ids(self._random).container(), replace(request, mounts=mounts), self._clock.now())
        kept.cli = PROGRAMS.get(request.argv[0].rpartition("/")[2])
        kept.version = kept.cli is not None and asks_version(request.argv[1:])
        if not kept.version or not self._remembered(kept):
            self._launch(kept)
        return kept.id

    def poll(self, container: str) -> ContainerState:
        """Give a container's state; of one that never was, exit code 125."""
        kept = self._containers.get(container)
        if kept is None:
            return ContainerState(REFUSED, "", f"Error response from daemon: No such container: {container}\n")
        return kept.state()

    def run(self, request: ContainerRequest) -> ContainerState:
        """Run a command to its end, or let its time limit pass and stop it; remove it in both cases."""
        kept = self._containers[self.start(request)]
        if not kept.ended:
            limit = kept.created + timedelta(milliseconds=request.time_limit_ms)
            until = limit if kept.due is None or kept.hangs else min(limit, kept.due)
            self._clock.advance(max(0, (until - self._clock.now()) // timedelta(milliseconds=1)))
        state = kept.state()
        self.stop(kept.id)
        self.remove(kept.id)
        return state

    def stop(self, container: str) -> None:
        """Kill a container that still runs; nothing in it writes any more once this comes back."""
        kept = self._containers.get(container)
        if kept is not None and kept.phase == "running":
            self._engine.kill(kept.number)
            self._end(kept, self._exit_code(kept), "stopped")

    def remove(self, container: str) -> None:
        """Remove a container, killing it if it still runs."""
        kept = self._containers.get(container)
        if kept is None or kept.removed:
            return
        kept.removed = True
        if kept.number:
            self._engine.remove(kept.number)
        if kept.ended:
            self._witness.add(ContainerEnded(kept.id, "removed", kept.exit_code, self._clock.now()))
        else:
            self._end(kept, KILLED, "removed")

    def find(self, label: str, value: str | None) -> Sequence[str]:
        """Give the containers that the engine knows with this label, oldest first; None is any value."""
        if not self._containers:
            return []
        wanted = label if value is None else f"{label}={value}"
        there = self._told(self._engine.find([self._label, wanted]))
        refused = [
            kept.id
            for kept in self._containers.values()
            if not kept.number
            and not kept.removed
            and any(name == label and value in {None, held} for name, held in kept.request.labels)
        ]
        return sorted([*there, *refused], key=[*self._containers].index)

    def _told(self, numbers: Sequence[str]) -> list[str]:
        """Give the ids of containers that are ours, oldest first, by what the engine calls them."""
        return [kept.id for kept in self._containers.values() if kept.number in numbers and not kept.removed]

    # How a container begins

    def _launch(self, kept: Kept) -> None:
        """Make a container, start it, and let it come as far as it comes by itself."""
        self._sockets.mkdir(exist_ok=True)
        asked = order(
            kept.request,
            self._ward.image,
            str(self._sockets / kept.id),
            {OWNER: self._ward.owner, SCENARIO: self._mark, CONTAINER: kept.id},
        )
        listener = listening(self._sockets / kept.id, asked.user)
        try:
            self._create(kept, asked, listener)
        except RefusedError as refusal:
            listener.close()
            self._making = False
            self._note(kept)
            self._refuse(kept, str(refusal))
            return
        except BaseException:
            listener.close()
            raise
        self._note(kept)
        try:
            self._engine.start(kept.number)
        except RefusedError as refusal:
            self._refuse(kept, str(refusal))
            return
        self._ward.started += 1
        if kept.attached is not None and kept.request.stdin:
            kept.attached.write(kept.request.stdin)
        self._look(kept, asked)
        self._drive(kept)

    def _create(self, kept: Kept, asked: Order, listener: socket.socket) -> None:
        granted = [mount.real_source for mount in kept.request.mounts]
        kept.host = Host(
            kernel=boot(),
            sources={mount.target: identity(mount.real_source) for mount in kept.request.mounts},
            forbidden=forbidden(self._place, [*granted, str(self._sockets)], self._ward.places),
            owned=frozenset(one.target for one in kept.request.mounts if owns(asked.user, one.real_source)),
            variables=self._ward.variables,
        )
        self._making = True
        kept.number = self._engine.create(asked)
        self._containers[kept.id] = kept
        self._making = False
        kept.attached = self._engine.attach(kept.number, stdin=bool(kept.request.stdin))
        kept.line = Line(listener, self._orders(kept))

    def _orders(self, kept: Kept) -> Orders:
        cli = kept.cli
        if cli is not None and not kept.version and not asks_usage(kept.request.argv[1:]):
            queue = self._scripts.get(cli.adapter)
            kept.script = queue.popleft() if queue else Script()
        return Orders(
            script=kept.script,
            version=self._versions[cli.adapter] if cli is not None and kept.version else None,
            now=self._clock.now(),
            chance=chance_of(self._random),
            poisoned=tuple(sorted(self._poisoned)),
            paths=(str(self._place), *self._ward.places),
            port=self._ward.outposts.port,
            abstract=self._ward.outposts.abstract,
        )

    def _note(self, kept: Kept) -> None:
        """Put on record what was asked for."""
        self._containers.setdefault(kept.id, kept)
        kept.phase = "running"
        self._witness.add(asked_for(kept.id, kept.request, kept.created))
        if kept.version and kept.cli is not None:
            adapter = kept.cli.adapter
            said = answer(adapter, *self._versions[adapter])
            self._witness.add(VersionAsked(adapter, kept.request.image, "" if said.hangs else said.stdout))

    def _refuse(self, kept: Kept, why: str) -> None:
        lacks = "executable file not found" in why
        kept.output[1].extend(f"Error response from daemon: {why}\n".encode())
        self._end(kept, NO_SUCH_PROGRAM if lacks else REFUSED, "refused")

    def _look(self, kept: Kept, asked: Order) -> None:
        """Hear how the container looks from inside. Raises `KitError` where that is not as it was asked."""
        said = kept.next_word()
        if said is None or said["say"] != "seen":
            kept.drain()
            words = " ".join(kept.state().stderr.split())[-500:] or "it said nothing"
            code = self._engine.wait(kept.number)
            raise KitError(f"the stand-in of container {kept.id} did not come up: exit code {code}, {words}")
        wrong = [] if kept.host is None else list(faults(kept.request, asked, said["seen"], kept.host))
        if wrong:
            raise KitError(f"{UNDONE}: {'; '.join(wrong[:3])}")

    def _remembered(self, kept: Kept) -> bool:
        """Let a version command that was really run once give what it gave then."""
        question = self._question(kept)
        state = None if question is None else self._ward.answers.get(question)
        if state is None or state.exit_code is None:
            return False
        self._note(kept)
        kept.output[0].extend(state.stdout.encode())
        kept.output[1].extend(state.stderr.encode())
        self._end(kept, state.exit_code, "exited")
        return True

    def _question(self, kept: Kept) -> tuple[ContainerRequest, str, VersionShape] | None:
        if kept.cli is None or not kept.version:
            return None
        return (replace(kept.request, labels=(), time_limit_ms=0), *self._versions[kept.cli.adapter])

    # How a container goes on

    def _go_on(self, kept: Kept) -> None:
        self._let(kept)
        self._drive(kept)

    def _let(self, kept: Kept) -> None:
        if kept.line is not None:
            kept.line.go_on({"chance": chance_of(self._random), "poisoned": sorted(self._poisoned)})

    def _drive(self, kept: Kept) -> None:
        """Let a container go on until it ends or waits."""
        while True:
            said = kept.next_word()
            if said is None:
                # For want of memory, or by the machine's owner: the engine under test has no part in what comes of it.
                code = self._exit_code(kept)
                self._end(kept, code, "exited")
                raise KitError(f"container {kept.id} was ended from outside, with exit code {code}")
            if "chance" in said:
                take_chance(self._random, said["chance"])
                self._poisoned.update(said["poisoned"])
            if said.get("account") is not None:
                kept.account = account_from(said["account"])
            match said["say"]:
                case "read":
                    self._witness.add(cli_read(kept, said))
                case "hang":
                    kept.hangs = True
                    return
                case "turn":
                    due = kept.created + timedelta(milliseconds=kept.script.duration_ms)
                    if due > self._clock.now():
                        self._wait(kept, due)
                        return
                    self._let(kept)
                case "end":
                    self._exited(kept, said)
                    return
                case _:
                    raise KitError(f"the stand-in of container {kept.id} is broken: {said.get('what', said)}")

    def _wait(self, kept: Kept, due: datetime) -> None:
        kept.due = due

        def wake() -> None:
            kept.due = None
            if kept.phase == "running":
                self._go_on(kept)

        self._clock.at(due, wake)

    def _exited(self, kept: Kept, said: Mapping[str, Any]) -> None:
        """Take note that a container ends by itself, or dies from SIGKILL, which it really gets."""
        if said["code"] == KILLED:
            self._engine.kill(kept.number)
        code = self._exit_code(kept)
        if code != said["code"]:
            raise KitError(f"container {kept.id} ended with {said['code']}, and the container engine says {code}")
        question = self._question(kept)
        if question is not None:
            self._ward.answers[question] = replace(kept.state(), exit_code=code)
        self._end(kept, code, "exited")

    def _exit_code(self, kept: Kept) -> int:
        """Wait for the end of a container, and take in what it put out until then."""
        kept.drain()
        return self._engine.wait(kept.number)

    def _end(self, kept: Kept, exit_code: int, how: str) -> None:
        kept.let_go()
        kept.exit_code = exit_code
        kept.phase = "refused" if how == "refused" else "exited"
        kept.hangs, kept.due = False, None
        answered = cli_answered(kept.id, kept.cli, kept.account, exit_code)
        if answered is not None:
            self._witness.add(answered)
        self._witness.add(ContainerEnded(kept.id, how, exit_code, self._clock.now()))

"""The daemon: makes, starts, ends and removes containers, for the docker program and for its API alike."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tck_fakes.clock import VirtualClock
from tck_fakes.container import Container
from tck_fakes.daemon.errors import REFUSED, SIGNALLED, DaemonError
from tck_fakes.daemon.filters import check_filters, passes
from tck_fakes.daemon.order import Order, broken_text, signal_number
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.view import ContainerView, MountRefusedError

_INVALID, _MISSING, _CONFLICT, _BROKEN = 400, 404, 409, 500


@dataclass(frozen=True, slots=True)
class _Remover:
    """Removes a container at its end, before anybody else learns of the end."""

    daemon: Daemon
    live: Container

    def out(self, text: str) -> None:
        """Do nothing."""

    def err(self, text: str) -> None:
        """Do nothing."""

    def ended(self, exit_code: int) -> None:
        """Remove it."""
        del exit_code
        self.daemon.drop(self.live)


@dataclass(slots=True, eq=False)
class Daemon:
    """What all clients work on. `unknown` holds what a stand-in could not do: the kit's lack, not the engine's."""

    runtime: FakeContainerRuntime
    clock: VirtualClock
    unknown: list[str] = field(default_factory=list[str])
    #: Networks, those that are always there and those that were made.
    networks: list[str] = field(default_factory=lambda: ["bridge", "host", "none"])
    #: What the API was asked for, by the id of the container that it became.
    bodies: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, "Mapping[str, Any]"])
    #: Answers that are not at their end, each with the way to end it: the scenario may be over before.
    open_ones: set[Callable[[], None]] = field(default_factory=set[Callable[[], None]])
    #: Who is to be told of a container's removal.
    _removals: dict[str, list[Callable[[], None]]] = field(default_factory=dict[str, list[Callable[[], None]]])

    def find(self, reference: str) -> Container:
        """Give the container that a name or id means. Raises `DaemonError`."""
        live = self.runtime.look(reference)
        if live is None:
            raise DaemonError(_MISSING, f"No such container: {reference}")
        return live

    def refusal(self, order: Order) -> str | None:
        """Give the daemon's words against what is to be mounted, None where it can be."""
        broken = broken_text(order.request)
        if broken is not None:
            return broken
        # What is made where it is missing is there by then, as this folder is.
        there = (replace(one, source="/") if one.source in order.made else one for one in order.request.mounts)
        try:
            ContainerView(tuple(there), order.request.home, Path("/nonexistent")).close()
        except MountRefusedError as error:
            return str(error)
        return None

    def create(self, order: Order) -> Container:
        """Make a container that does not run yet. Raises `DaemonError`."""
        broken = broken_text(order.request)
        if broken is not None:
            raise DaemonError(_INVALID, broken)
        name = order.name.removeprefix("/")
        taken = self.runtime.look(f"/{name}") if name else None
        if taken is not None:
            raise DaemonError(
                _CONFLICT,
                f'Conflict. The container name "/{name}" is already in use by container "{taken.long_id}". '
                "You have to remove (or rename) that container to be able to reuse that name.",
            )
        for folder in order.made:
            try:
                Path(folder).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                if not Path(folder).exists():
                    text = f"error while creating mount source path '{folder}': mkdir {folder}: {error.strerror}"
                    raise DaemonError(_BROKEN, text) from None
        container = self.runtime.create(order.request, name, order.limits)
        live = self.find(container)
        live.name = name or f"standin_{container}"
        if order.removed:
            live.auto_removed = True
            live.watch(_Remover(self, live))
        return live

    def begin(self, live: Container) -> None:
        """Start a container. Raises `DaemonError` where it cannot be."""
        self._set_going(live)
        if live.phase != "refused":
            return
        text, code = live.state().stderr.strip(), live.exit_code or REFUSED
        if code == REFUSED:
            # Docker refuses such a one before it makes it.
            self.drop(live)
            raise DaemonError(_INVALID, text.removeprefix("Error response from daemon: "))
        self.unknown.append(f"the program {live.request.argv[0]!r} in the image {live.request.image}")
        raise DaemonError(
            _INVALID,
            "failed to create task for container: failed to create shim task: OCI runtime create failed: runc create "
            f"failed: unable to start container process: error during container init: {text}: unknown",
            code,
        )

    def deliver(self, live: Container, number: int) -> None:
        """Send a signal to a container's first process: the kernel shields it unless an init process hands it on."""
        if number == signal.SIGKILL or ("init", "true") in live.limits:
            self.runtime.stop(live.id, SIGNALLED + number)

    def kill(self, live: Container, named: str) -> None:
        """Send a signal by its name. Raises `DaemonError`."""
        number = _number(named or "KILL")
        if live.phase != "running":
            raise DaemonError(_CONFLICT, f"cannot kill container: {live.name}: container {live.long_id} is not running")
        self.deliver(live, number)

    def stop(self, live: Container, named: str = "") -> None:
        """End a container: the grace that docker grants passes in no time, as nothing in a container uses it."""
        self.deliver(live, _number(named or dict(live.limits).get("stop-signal", "TERM")))
        self.runtime.stop(live.id)

    def remove(self, live: Container, *, force: bool) -> None:
        """Remove a container; one that runs only by force. Raises `DaemonError`."""
        if live.phase == "running" and not force:
            raise DaemonError(
                _CONFLICT,
                f'cannot remove container "/{live.name}": '
                "container is running: stop the container before removing or force remove",
            )
        self.drop(live)

    def drop(self, live: Container) -> None:
        """Remove a container, and tell who waits for that."""
        self.runtime.remove(live.id)
        for tell in self._removals.pop(live.id, []):
            tell()

    def prune(self, asked: Sequence[tuple[str, str]]) -> list[Container]:
        """Remove all that does not run and meets the filters; give them."""
        check_filters(asked)
        gone = [live for live in self.runtime.containers() if live.phase != "running" and passes(live, asked)]
        for live in gone:
            self.drop(live)
        return gone

    def at_removal(self, live: Container, tell: Callable[[], None]) -> None:
        """Call this once the container has been removed."""
        self._removals.setdefault(live.id, []).append(tell)

    def feed(self, live: Container, stdin: str) -> None:
        """Give a container all of its standard input; one that runs and has waited for it begins."""
        if live.fed or live.ended:
            return
        live.fed = True
        live.request = replace(live.request, stdin=stdin)
        if live.reads:
            self._set_going(live)

    def _set_going(self, live: Container) -> None:
        try:
            self.runtime.begin(live.id)
        except BaseException:
            # It is the kit's fault, and nobody must wait for the end of what has not begun.
            self.runtime.stop(live.id, REFUSED)
            raise

    def fail(self, text: str) -> None:
        """Take note of a fault of the kit's own, and end what would never come to its end by itself."""
        self.unknown.append(text)
        for live in self.runtime.containers():
            if live.phase == "running" and live.due is None and not live.hangs and not live.reads:
                # A second fault says nothing more.
                with contextlib.suppress(Exception):
                    self.runtime.stop(live.id, REFUSED)
        self.close()

    def close(self) -> None:
        """End every answer that is under way: the scenario is over."""
        for end in list(self.open_ones):
            end()
        self.open_ones.clear()


def _number(named: str) -> int:
    number = signal_number(named)
    if number is None:
        raise DaemonError(_INVALID, f"invalid signal: {named}")
    return number

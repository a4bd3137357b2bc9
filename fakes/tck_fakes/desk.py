"""Where the simulator behind a driver finds the kit's fakes: calls over a socket, each a JSON object a line.

Only the simulator uses it, so that it meets in another process what it meets in process. Other engines have the
stand-in programs, the forge and the model.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from cattrs import Converter

from tck_driver.errors import KitError
from tck_driver.messages import instant, moment
from tck_driver.vocabulary import MailboxRef
from tck_fakes.clock import VirtualClock
from tck_fakes.stage import Stage
from tck_simulator.cleanup import LocalRemover
from tck_simulator.ports import ContainerRequest, ContainerState, ForgeError, IssueState, ModelAnswer

#: The calls, each with the types of its arguments and of what it gives.
CALLS: Mapping[str, tuple[tuple[Any, ...], Any]] = MappingProxyType(
    {
        "runtime.start": ((ContainerRequest,), str),
        "runtime.poll": ((str,), ContainerState),
        "runtime.run": ((ContainerRequest,), ContainerState),
        "runtime.stop": ((str,), None),
        "runtime.remove": ((str,), None),
        "runtime.find": ((str, str | None), list[str]),
        "forge.issue": ((MailboxRef,), IssueState),
        "forge.comment": ((MailboxRef, str), None),
        "forge.add_label": ((MailboxRef, str), None),
        "forge.remove_label": ((MailboxRef, str), None),
        "forge.push_branch": ((str, str, str), None),
        "forge.open_merge_request": ((MailboxRef, str, str), int),
        "models.complete": ((str, str, str), ModelAnswer),
        "remover.check": ((Path,), None),
    }
)
_CONVERTER = Converter()
_CONVERTER.register_unstructure_hook(Path, str)


class Desk:
    """The kit's end: listens on a socket and calls the fakes of whichever scenario is open."""

    def __init__(self, place: Path, current: Callable[[], Stage | None]) -> None:
        """Listen from now on, in a thread for each who calls."""
        self._current = current
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(place))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Listen no more."""
        # A thread that waits to accept is woken by this, and by nothing less.
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        finally:
            self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link: socket.socket) -> None:
        with link, link.makefile("rwb") as lines:
            try:
                for line in lines:
                    lines.write(json.dumps(self._answer(json.loads(line))).encode("ascii") + b"\n")
                    lines.flush()
            except (OSError, ValueError, KeyError, TypeError):
                # Whoever says what is no call is let go.
                return

    def _answer(self, message: dict[str, Any]) -> dict[str, object]:
        name, given = message["call"], message["with"]
        stage = self._current()
        if stage is None:
            return {"fault": "no scenario is open"}
        with stage.lock:
            try:
                value = _call(stage, name, given)
            except ForgeError as fault:
                return {"forge": fault.status, "now": instant(stage.now())}
            except PermissionError as fault:
                return {"denied": str(fault.filename)}
            except Exception as fault:  # noqa: BLE001 -- told to both sides
                stage.faults.append(f"{name}: {fault}")
                return {"fault": str(fault)}
            return {"value": value, "now": instant(stage.now())}


def _call(stage: Stage, name: str, given: list[Any]) -> object:
    kinds, gives = CALLS[name]
    room, _, method = name.partition(".")
    arguments = [_CONVERTER.structure(one, kind) for one, kind in zip(given, kinds, strict=True)]
    value: object = getattr(getattr(stage, room), method)(*arguments)
    return _CONVERTER.unstructure(value, gives) if gives is not None else None


class DeskClient:
    """The simulator's end: the ports of its outside world, in one object for each of them."""

    def __init__(self, place: Path, clock: VirtualClock) -> None:
        """Connect; the clock follows the kit's."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(str(place))
            # The connection stays open as long as this does.
            self._lines = link.makefile("rwb")
        self._clock = clock

    def close(self) -> None:
        """Let the connection go."""
        self._lines.close()

    def call(self, name: str, *arguments: object) -> Any:  # noqa: ANN401 -- what the table says of each call
        """Call a fake. Raises what the fake raised."""
        kinds, gives = CALLS[name]
        given = [_CONVERTER.unstructure(one, kind) for one, kind in zip(arguments, kinds, strict=True)]
        self._lines.write(json.dumps({"call": name, "with": given}).encode("ascii") + b"\n")
        self._lines.flush()
        answer: dict[str, Any] = json.loads(self._lines.readline())
        if "now" in answer:
            self._clock.set(moment(answer["now"]))
        if "fault" in answer:
            raise KitError(answer["fault"])
        if "denied" in answer:
            raise PermissionError(13, "Permission denied", answer["denied"])
        if "forge" in answer:
            raise ForgeError(answer["forge"])
        return None if gives is None else _CONVERTER.structure(answer["value"], gives)


class DeskRuntime:
    """Implements `ContainerRuntime` over the desk."""

    def __init__(self, desk: DeskClient) -> None:
        self._desk = desk

    def start(self, request: ContainerRequest) -> str:
        """Start a container and give its id."""
        return cast("str", self._desk.call("runtime.start", request))

    def poll(self, container: str) -> ContainerState:
        """Give its state."""
        return cast("ContainerState", self._desk.call("runtime.poll", container))

    def run(self, request: ContainerRequest) -> ContainerState:
        """Run a short command to its end."""
        return cast("ContainerState", self._desk.call("runtime.run", request))

    def stop(self, container: str) -> None:
        """Kill everything in it."""
        self._desk.call("runtime.stop", container)

    def remove(self, container: str) -> None:
        """Remove it."""
        self._desk.call("runtime.remove", container)

    def find(self, label: str, value: str | None) -> list[str]:
        """Give the containers that carry this label."""
        return cast("list[str]", self._desk.call("runtime.find", label, value))


class DeskForge:
    """Implements `Forge` over the desk."""

    def __init__(self, desk: DeskClient) -> None:
        self._desk = desk

    def issue(self, mailbox: MailboxRef) -> IssueState:
        """Look an issue up."""
        return cast("IssueState", self._desk.call("forge.issue", mailbox))

    def comment(self, mailbox: MailboxRef, text: str) -> None:
        """Post a comment."""
        self._desk.call("forge.comment", mailbox, text)

    def add_label(self, mailbox: MailboxRef, label: str) -> None:
        """Set a label."""
        self._desk.call("forge.add_label", mailbox, label)

    def remove_label(self, mailbox: MailboxRef, label: str) -> None:
        """Take a label away."""
        self._desk.call("forge.remove_label", mailbox, label)

    def push_branch(self, organization: str, project: str, branch: str) -> None:
        """Push a branch."""
        self._desk.call("forge.push_branch", organization, project, branch)

    def open_merge_request(self, mailbox: MailboxRef, branch: str, title: str) -> int:
        """Open a merge request."""
        return cast("int", self._desk.call("forge.open_merge_request", mailbox, branch, title))


class DeskModels:
    """Implements `ModelProvider` over the desk."""

    def __init__(self, desk: DeskClient) -> None:
        self._desk = desk

    def complete(self, provider: str, model: str, prompt: str) -> ModelAnswer:
        """Send one prompt."""
        return cast("ModelAnswer", self._desk.call("models.complete", provider, model, prompt))


class DeskRemover:
    """Implements `Remover`: asks whether the bench protects a path, and removes it here."""

    def __init__(self, desk: DeskClient) -> None:
        self._desk = desk
        self._inner = LocalRemover()

    def remove(self, path: Path) -> None:
        """Remove a tree."""
        self._desk.call("remover.check", path)
        self._inner.remove(path)

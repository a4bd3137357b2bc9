"""Commands that make, start, end and remove containers, and those that wait for their end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tck_fakes.container import Container
from tck_fakes.programs.attached import Attached, Following, deliver
from tck_fakes.programs.call import REFUSED, Over, Process
from tck_fakes.programs.job import Job, RefusalError, UnknownError
from tck_fakes.programs.listing import passes
from tck_fakes.programs.mounts import MountError
from tck_fakes.programs.order import Order, OrderError, read_order, signal_number
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.view import ContainerView, MountRefusedError


@dataclass(frozen=True, slots=True)
class _Remover:
    """Removes a container at its end, before anybody else learns of the end."""

    runtime: FakeContainerRuntime
    container: str

    def out(self, text: str) -> None:
        """Do nothing."""

    def err(self, text: str) -> None:
        """Do nothing."""

    def ended(self, exit_code: int) -> None:
        """Remove it."""
        del exit_code
        self.runtime.remove(self.container)


def run(job: Job) -> Process:
    """Make a container, start it, and stay with it unless detached."""
    order = _order(job)
    live = _created(job, order)
    stays = not order.detached and order.streams != ("stdin",)
    refusal = _begin(job, live)
    if not stays and (refusal is None or refusal[1] != REFUSED):
        job.channel.out(f"{live.long_id}\n")
    if refusal is not None:
        text, code = refusal
        raise RefusalError(f"docker: {text}\n\nRun 'docker run --help' for more information", code)
    if not stays:
        job.done()
        return Over()
    attached = Attached(job.runtime, live, job.channel, order.streams, proxied=order.proxied)
    live.watch(attached)
    return attached


def create(job: Job) -> Process:
    """Make a container and name its id."""
    order = _order(job)
    try:
        ContainerView(order.request.mounts, order.request.home, Path("/nonexistent")).close()
    except MountRefusedError as error:
        raise RefusalError(f"Error response from daemon: {error}") from None
    job.done(f"{_created(job, order).long_id}\n")
    return Over()


def start(job: Job) -> Process:
    """Start what was created: one attached, or any number in the background."""
    words = job.words
    attach = words.on("attach") or words.on("interactive")
    if attach and len(words.positionals) > 1:
        raise RefusalError("you cannot start and attach multiple containers at once")
    for reference in words.positionals:
        live = job.find(reference)
        if live.phase in ("exited", "refused"):
            raise UnknownError(f"a second start of the same container (docker start {reference})")
        if live.phase == "created":
            if words.on("interactive"):
                live.request = replace(live.request, stdin=job.call.stdin)
            refusal = _begin(job, live)
            if refusal is not None:
                text, _ = refusal
                raise RefusalError(f"{text}\nError: failed to start containers: {reference}")
        if attach:
            attached = Attached(job.runtime, live, job.channel, proxied=words.on("sig-proxy", default=True))
            live.watch(attached)
            return attached
        job.channel.out(f"{reference}\n")
    job.done()
    return Over()


def stop(job: Job) -> Process:
    """End containers: the grace that docker grants passes in no time, as nothing in a container uses it."""
    return _each(job, _stop)


def _stop(job: Job, live: Container) -> None:
    named = job.words.last("signal") or dict(live.limits).get("stop-signal", "TERM")
    number = _number(named)
    deliver(job.runtime, live, number)
    job.runtime.stop(live.id)


def kill(job: Job) -> Process:
    """Send a signal."""
    number = _number(job.words.last("signal") or "KILL")

    def send(job: Job, live: Container) -> None:
        if live.phase != "running":
            raise RefusalError(
                f"Error response from daemon: cannot kill container: {live.name}: "
                f"container {live.long_id} is not running"
            )
        deliver(job.runtime, live, number)

    return _each(job, send)


def remove(job: Job) -> Process:
    """Remove containers; one that runs only by force."""

    def remove_one(job: Job, live: Container) -> None:
        if live.phase == "running" and not job.words.on("force"):
            raise RefusalError(
                f'Error response from daemon: cannot remove container "/{live.name}": '
                "container is running: stop the container before removing or force remove"
            )
        job.runtime.remove(live.id)

    return _each(job, remove_one, forgives=job.words.on("force"))


def prune(job: Job) -> Process:
    """Remove all that does not run and meets the filters."""
    asked = [(name, value) for name, _, value in (given.partition("=") for given in job.words.all("filter"))]
    if not job.words.on("force"):
        raise RefusalError("session-tck's stand-in for docker asks no questions: use docker container prune --force")
    gone = [live for live in job.runtime.containers() if live.phase != "running" and passes(live, asked)]
    for live in gone:
        job.runtime.remove(live.id)
    names = "".join(f"{live.long_id}\n" for live in gone)
    job.done((f"Deleted Containers:\n{names}\n" if gone else "") + "Total reclaimed space: 0B\n")
    return Over()


def wait(job: Job) -> Process:
    """Name the exit code of each container in turn, once it has ended."""
    pending = [job.find(reference) for reference in reversed(job.words.positionals)]

    def following(exit_code: int | None = None) -> None:
        if exit_code is not None:
            job.channel.out(f"{exit_code}\n")
        if pending:
            pending.pop().watch(Following(job.channel, following, shows=False))
        else:
            job.done()

    following()
    return Following(job.channel, following, shows=False)


def attach(job: Job) -> Process:
    """Show what a running container puts out from now on, and end with it."""
    live = job.find(job.words.positionals[0])
    if live.phase != "running":
        raise RefusalError("cannot attach to a stopped container, start it first")
    attached = Attached(job.runtime, live, job.channel, proxied=job.words.on("sig-proxy", default=True))
    live.watchers.append(attached)
    return attached


def logs(job: Job) -> Process:
    """Show what a container has put out, and what it does from now on where that is asked for."""
    live = job.find(job.words.positionals[0])
    shown = live.log
    tail = job.words.last("tail", "all")
    if tail.isdecimal():
        lines = [(err, line) for err, text in live.log for line in text.splitlines(keepends=True)]
        shown = lines[max(0, len(lines) - int(tail)) :]
    for err, text in () if live.phase == "refused" else shown:
        (job.channel.err if err else job.channel.out)(text)
    if not job.words.on("follow") or live.ended:
        job.done()
        return Over()
    following = Following(job.channel, lambda _: job.done(), shows=True)
    live.watchers.append(following)
    return following


def _order(job: Job) -> Order:
    """Read what is ordered, and let it be refused as docker would. Raises `RefusalError`, `UnknownError`."""
    try:
        return read_order(job.words, job.call)
    except OrderError as error:
        if error.bare:
            raise RefusalError(str(error)) from None
        raise _refusal(job, str(error), daemon=not error.client) from None
    except MountError as error:
        if error.unknown:
            raise UnknownError(str(error)) from None
        raise _refusal(job, str(error), daemon=True) from None


def _refusal(job: Job, text: str, *, daemon: bool) -> RefusalError:
    said = f"Error response from daemon: {text}" if daemon else text
    if job.name == "create":
        return RefusalError(said)
    return RefusalError(f"docker: {said}\n\nRun 'docker run --help' for more information", REFUSED)


def _created(job: Job, order: Order) -> Container:
    name = order.name.removeprefix("/")
    taken = job.runtime.look(f"/{name}") if name else None
    if taken is not None:
        raise _refusal(
            job,
            f'Conflict. The container name "/{name}" is already in use by container "{taken.long_id}". '
            "You have to remove (or rename) that container to be able to reuse that name.",
            daemon=True,
        )
    cidfile = Path(job.call.cwd, order.cidfile)
    if order.cidfile and cidfile.exists():
        text = f"container ID file found, make sure the other container isn't running or delete {order.cidfile}"
        raise _refusal(job, text, daemon=False)
    for folder in order.asked.made:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if not Path(folder).exists():
                text = f"error while creating mount source path '{folder}': mkdir {folder}: {error.strerror}"
                raise _refusal(job, text, daemon=True) from None
    container = job.runtime.create(order.request, name, order.limits)
    live = job.find(container)
    live.name = name or f"standin_{container}"
    if order.cidfile:
        try:
            cidfile.write_text(live.long_id)
        except OSError as error:
            job.runtime.remove(container)
            text = f"failed to create the container ID file: open {order.cidfile}: {error.strerror}"
            raise _refusal(job, text, daemon=False) from None
    if order.removed:
        live.auto_removed = True
        live.watch(_Remover(job.runtime, container))
    return live


def _begin(job: Job, live: Container) -> tuple[str, int] | None:
    """Start a container; where it cannot, give the daemon's words and the exit code."""
    job.runtime.begin(live.id)
    if live.phase != "refused":
        return None
    text, code = live.state().stderr.strip(), live.exit_code or REFUSED
    if code == REFUSED:
        # Docker refuses such a one before it makes it.
        job.runtime.remove(live.id)
        return text, code
    job.services.unknown.append(f"the program {live.request.argv[0]!r} in the image {live.request.image}")
    said = (
        "Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime "
        f"create failed: runc create failed: unable to start container process: error during container init: {text}: "
        "unknown"
    )
    return said, code


def _number(named: str) -> int:
    number = signal_number(named)
    if number is None:
        raise RefusalError(f"Error response from daemon: invalid signal: {named}")
    return number


def _each(job: Job, action: Callable[[Job, Container], None], *, forgives: bool = False) -> Process:
    """Do the same to every container named, and say of each whether it went well. `forgives`: one that is not there."""
    code = 0
    for reference in job.words.positionals:
        try:
            action(job, job.find(reference))
        except RefusalError as error:
            job.channel.err(f"{error}\n")
            there = job.runtime.look(reference) is not None
            code = code if forgives and not there else error.code
        else:
            job.channel.out(f"{reference}\n")
    job.done(code=code)
    return Over()

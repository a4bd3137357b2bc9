"""Commands that make, start, end and remove containers, and those that wait for their end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tck_fakes.container import Container
from tck_fakes.daemon.errors import REFUSED, DaemonError, UnknownError
from tck_fakes.daemon.values import whole
from tck_fakes.programs.attached import Attached, Following
from tck_fakes.programs.call import Over, Process
from tck_fakes.programs.job import Job, RefusalError
from tck_fakes.programs.mounts import MountError
from tck_fakes.programs.order import Order, OrderError, read_order


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
    attached = Attached(job.daemon, live, job.channel, order.streams, proxied=order.proxied)
    live.watch(attached)
    return attached


def create(job: Job) -> Process:
    """Make a container and name its id."""
    order = _order(job)
    refusal = job.daemon.refusal(order.container)
    if refusal is not None:
        raise RefusalError(f"Error response from daemon: {refusal}")
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
            attached = Attached(job.daemon, live, job.channel, proxied=words.on("sig-proxy", default=True))
            live.watch(attached)
            return attached
        job.channel.out(f"{reference}\n")
    job.done()
    return Over()


def stop(job: Job) -> Process:
    """End containers: the grace that docker grants passes in no time, as nothing in a container uses it."""
    return _each(job, _stop)


def _stop(job: Job, live: Container) -> None:
    job.daemon.stop(live, job.words.last("signal"))


def kill(job: Job) -> Process:
    """Send a signal."""

    def send(job: Job, live: Container) -> None:
        job.daemon.kill(live, job.words.last("signal"))

    return _each(job, send)


def remove(job: Job) -> Process:
    """Remove containers; one that runs only by force."""

    def remove_one(job: Job, live: Container) -> None:
        job.daemon.remove(live, force=job.words.on("force"))

    return _each(job, remove_one, forgives=job.words.on("force"))


def prune(job: Job) -> Process:
    """Remove all that does not run and meets the filters."""
    asked = [(name, value) for name, _, value in (given.partition("=") for given in job.words.all("filter"))]
    if not job.words.on("force"):
        raise RefusalError("session-tck's stand-in for docker asks no questions: use docker container prune --force")
    try:
        gone = job.daemon.prune(asked)
    except DaemonError as error:
        raise RefusalError(f"Error response from daemon: {error}") from None
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
    attached = Attached(job.daemon, live, job.channel, proxied=job.words.on("sig-proxy", default=True))
    live.watchers.append(attached)
    return attached


def logs(job: Job) -> Process:
    """Show what a container has put out, and what it does from now on where that is asked for."""
    live = job.find(job.words.positionals[0])
    shown = live.log
    tail = job.words.last("tail", "all")
    if tail.isdecimal():
        most = whole(tail)
        if most is None:
            raise RefusalError(f"Error response from daemon: tail is no number: {tail[:50]}")
        lines = [(err, line) for err, text in live.log for line in text.splitlines(keepends=True)]
        shown = lines[max(0, len(lines) - most) :]
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
        raise _refusal(job, str(error), daemon=False) from None
    except (MountError, DaemonError) as error:
        raise _refusal(job, str(error), daemon=True) from None


def _refusal(job: Job, text: str, *, daemon: bool) -> RefusalError:
    said = f"Error response from daemon: {text}" if daemon else text
    if job.name == "create":
        return RefusalError(said)
    return RefusalError(f"docker: {said}\n\nRun 'docker run --help' for more information", REFUSED)


def _created(job: Job, order: Order) -> Container:
    cidfile = Path(job.call.cwd, order.cidfile)
    if order.cidfile and cidfile.exists():
        text = f"container ID file found, make sure the other container isn't running or delete {order.cidfile}"
        raise _refusal(job, text, daemon=False)
    try:
        live = job.daemon.create(order.container)
    except DaemonError as error:
        raise _refusal(job, str(error), daemon=True) from None
    if order.cidfile:
        try:
            cidfile.write_text(live.long_id)
        except OSError as error:
            job.daemon.drop(live)
            text = f"failed to create the container ID file: open {order.cidfile}: {error.strerror}"
            raise _refusal(job, text, daemon=False) from None
    return live


def _begin(job: Job, live: Container) -> tuple[str, int] | None:
    """Start a container; where it cannot, give the daemon's words and the exit code."""
    try:
        job.daemon.begin(live)
    except DaemonError as error:
        return f"Error response from daemon: {error}", error.code
    return None


def _each(job: Job, action: Callable[[Job, Container], None], *, forgives: bool = False) -> Process:
    """Do the same to every container named, and say of each whether it went well. `forgives`: one that is not there."""
    code = 0
    for reference in job.words.positionals:
        try:
            action(job, job.find(reference))
        except RefusalError as error:
            job.channel.err(f"{error}\n")
            code = code if forgives else error.code
        except DaemonError as error:
            job.channel.err(f"Error response from daemon: {error}\n")
            code = 1
        else:
            job.channel.out(f"{reference}\n")
    job.done(code=code)
    return Over()

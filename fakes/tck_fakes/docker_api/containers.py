"""Requests about containers."""

from __future__ import annotations

from http import HTTPStatus

from tck_fakes.container import Container
from tck_fakes.daemon.described import fault_of, inspected, listed
from tck_fakes.daemon.errors import EXEC, DaemonError, UnknownError
from tck_fakes.daemon.filters import check_filters, passes
from tck_fakes.docker_api.answer import ALREADY, JSON, NOTHING, Answer, Relay, Stream, said
from tck_fakes.docker_api.asked import read_order
from tck_fakes.docker_api.call import Call
from tck_fakes.standins.programs import PROGRAMS

#: How long an agent's CLI waits for a standard input that is open and that nobody is attached to, seconds.
PATIENCE = 3.0
_CONDITIONS = ("", "not-running", "next-exit", "removed")
_MULTIPLEXED, _RAW = "application/vnd.docker.multiplexed-stream", "application/vnd.docker.raw-stream"
#: The version of the API since which the kind of a stream says whether it is multiplexed.
_NAMED_KINDS = (1, 42)


def create(call: Call) -> Answer:
    """Make a container."""
    body = call.document()
    order = read_order(body, call.request.query.get("name", ""))
    refusal = call.daemon.refusal(order)
    live = call.daemon.create(order)
    if refusal is not None:
        # What was asked for is evidence, whether or not docker would have made it; it cannot begin.
        call.daemon.begin(live)
    call.daemon.bodies[live.id] = body
    return said(HTTPStatus.CREATED, {"Id": live.long_id, "Warnings": []})


def start(call: Call) -> Answer:
    """Let a container run; one whose standard input is open begins once that has ended."""
    live = call.find()
    if live.phase == "running":
        return ALREADY
    if live.phase != "created":
        raise UnknownError(f"a second start of the same container (POST {call.request.path})")
    daemon = call.daemon
    known = live.request.argv[0].rpartition("/")[2] in PROGRAMS
    if not known or not _reads(call, live) or live.fed:
        daemon.begin(live)
        return NOTHING
    daemon.runtime.await_input(live.id)
    if not live.attached:

        def give_up() -> None:
            if not live.attached:
                daemon.feed(live, "")

        call.later(PATIENCE, give_up)
    return NOTHING


def attach(call: Call) -> Stream:
    """Show the streams from now on, and take standard input."""
    live, request = call.find(), call.request
    if request.headers.get("transfer-encoding"):
        raise UnknownError("an attachment with a body in chunks; let the client upgrade (hijack) the connection")
    terminal = _terminal(call, live)
    streams = (request.on("stdout"), request.on("stderr"))
    listens = request.on("stdin") and request.on("stream") and _reads(call, live)
    if listens and (live.fed or live.talk is not None) and not live.ended:
        raise UnknownError("standard input that comes after its end")
    stream = Stream(_kind(call, live), "raw", upgraded=request.upgrades, listens=listens)
    relay = Relay(live, stream, streams, terminal=terminal)
    if request.on("logs"):
        relay.replay()
    if live.ended or not request.on("stream"):
        stream.end()
        return stream
    live.watchers.append(relay)
    if listens:
        live.attached = True
        call.hear = lambda text: call.daemon.feed(live, text)
    return call.opened(stream)


def logs(call: Call) -> Stream:
    """Show what a container has put out, and what it does from now on where that is asked for."""
    live, request = call.find(), call.request
    for name in ("timestamps", "since", "until", "details"):
        if request.on(name):
            raise UnknownError(f"logs with {name}")
    streams = (request.on("stdout"), request.on("stderr"))
    if not any(streams):
        raise DaemonError(HTTPStatus.BAD_REQUEST, "Bad parameters: you must choose at least one stream")
    lines = call.number("tail") if request.query.get("tail", "all").isdecimal() else None
    stream = Stream(_kind(call, live), "chunked")
    relay = Relay(live, stream, streams, terminal=_terminal(call, live))
    relay.replay(lines)
    if live.ended or live.phase == "created" or not request.on("follow"):
        stream.end()
        return stream
    live.watchers.append(relay)
    return call.opened(stream)


class _Waiting:
    """Tells a container's exit code: a watcher."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def out(self, text: str) -> None:
        """Do nothing."""

    def err(self, text: str) -> None:
        """Do nothing."""

    def ended(self, exit_code: int, fault: str = "") -> None:
        """Tell it; why a container could not start is told to those alone who ask later."""
        self._stream.put(said(200, {"Error": {"Message": fault} if fault else None, "StatusCode": exit_code}).body)
        self._stream.end()


def wait(call: Call) -> Stream:
    """Tell the exit code once the condition holds; that somebody listens is said at once."""
    live, condition = call.find(), call.request.query.get("condition", "")
    if condition not in _CONDITIONS:
        raise DaemonError(HTTPStatus.BAD_REQUEST, f'invalid condition: "{condition}"')
    stream = Stream(JSON, "chunked")
    waiting = _Waiting(stream)
    if condition == "removed":
        call.daemon.at_removal(live, lambda: waiting.ended(live.exit_code or 0))
    elif condition != "next-exit" and live.phase != "running":
        waiting.ended(live.exit_code or 0, fault_of(live))
        return stream
    elif live.ended:
        raise UnknownError("a second start of the same container, which is waited for (condition next-exit)")
    else:
        live.watchers.append(waiting)
    return call.opened(stream)


def inspect(call: Call) -> Answer:
    """Describe a container."""
    live = call.find()
    document = inspected(live, call.daemon.bodies.get(live.id))
    if call.request.on("size"):
        document |= {"SizeRw": 0, "SizeRootFs": 0}
    return said(HTTPStatus.OK, document)


def ps(call: Call) -> Answer:
    """List containers, the newest first."""
    asked, most = call.filters(), call.number("limit")
    check_filters(asked)
    every = call.request.on("all") or bool(most) or any(name in ("status", "exited") for name, _ in asked)
    found = [
        live
        for live in reversed(call.daemon.runtime.containers())
        if (every or live.phase == "running") and passes(live, asked)
    ]
    now = call.daemon.clock.now()
    rows = [listed(live, now) for live in (found[:most] if most and most > 0 else found)]
    return said(HTTPStatus.OK, rows)


def kill(call: Call) -> Answer:
    """Send a signal."""
    call.daemon.kill(call.find(), call.request.query.get("signal", ""))
    return NOTHING


def stop(call: Call) -> Answer:
    """End a container."""
    live = call.find()
    if live.phase != "running":
        return ALREADY
    call.daemon.stop(live, call.request.query.get("signal", ""))
    return NOTHING


def remove(call: Call) -> Answer:
    """Remove a container."""
    if call.request.on("link"):
        raise UnknownError("the removal of a link between containers")
    call.daemon.remove(call.find(), force=call.request.on("force"))
    return NOTHING


def prune(call: Call) -> Answer:
    """Remove all that does not run and meets the filters."""
    asked = call.filters()
    for name, value in asked:
        if name in ("until", "label!"):
            raise UnknownError(f"the filter {name} for what is pruned")
        if name != "label":
            raise DaemonError(HTTPStatus.BAD_REQUEST, f"invalid filter '{name}={value}'")
    gone = [live.long_id for live in call.daemon.prune(asked)]
    return said(HTTPStatus.OK, {"ContainersDeleted": gone or None, "SpaceReclaimed": 0})


def resize(call: Call) -> Answer:
    """Let a terminal have another size, which nothing in a stand-in looks at."""
    live = call.find()
    if live.phase != "running":
        raise DaemonError(HTTPStatus.CONFLICT, f"container {live.long_id} is not running")
    return Answer(HTTPStatus.OK)


def execute(call: Call) -> Answer:
    """Run no further command."""
    call.find()
    raise UnknownError(EXEC)


def _reads(call: Call, live: Container) -> bool:
    body = call.daemon.bodies.get(live.id)
    return body is not None and body.get("OpenStdin") is True


def _terminal(call: Call, live: Container) -> bool:
    body = call.daemon.bodies.get(live.id)
    return body is not None and body.get("Tty") is True


def _kind(call: Call, live: Container) -> str:
    return _MULTIPLEXED if call.version >= _NAMED_KINDS and not _terminal(call, live) else _RAW

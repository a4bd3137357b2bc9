"""The model server: it answers whoever asks, fails as it is told, and knows every request that was made."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self, cast

from tck_fakes.modelserver import asked as words
from tck_fakes.modelserver.asked import Asked
from tck_fakes.modelserver.chat import CHAT
from tck_fakes.modelserver.faults import STATUS, Fault
from tck_fakes.modelserver.link import Link, RefusedError
from tck_fakes.modelserver.listener import Bind, Listener
from tck_fakes.modelserver.messages import MESSAGES
from tck_fakes.modelserver.models import model, models
from tck_fakes.modelserver.purpose import purpose_of
from tck_fakes.modelserver.responses import RESPONSES
from tck_fakes.modelserver.shaped import shaped
from tck_fakes.modelserver.wire import Answer, Json, Wire, model_of, tokens

#: What the path of a request for an answer ends with; what stands before it is the base URL of some CLI.
_WIRES: Final[Mapping[str, Wire]] = MappingProxyType(
    {"/messages": MESSAGES, "/responses": RESPONSES, "/chat/completions": CHAT}
)
#: Requests for the length of a prompt, and the field that says it.
_COUNTS: Final[Mapping[str, Wire]] = MappingProxyType(
    {"/messages/count_tokens": MESSAGES, "/responses/input_tokens": RESPONSES}
)
#: What is kept in memory, in requests and in characters; of what is older the log has everything.
_KEPT: Final = 20_000
_MOST_KEPT: Final = 128 * 1024 * 1024
#: How long a credential is at least that is looked for in texts; shorter ones stand there by accident.
_SECRET: Final = 8
_POLL: Final = 0.1


@dataclass(frozen=True, slots=True)
class Other:
    """A request for anything but an answer, and the status that it was given."""

    method: str
    path: str
    status: int


class ModelServer:
    """Listens on loopback or at a unix socket until `close`; every method may be called from any thread."""

    def __init__(
        self,
        *,
        socket: Path | None = None,
        port: int = 0,
        log: Path | None = None,
        host: str = "127.0.0.1",
        slow: float = 4.0,
        bind: Bind | None = None,
    ) -> None:
        """Listen from now on. Raises `OSError` where log, port or socket cannot be had.

        `slow` is how many seconds a slow answer takes; `bind` makes the socket where another network has to be entered.
        """
        self._slow = slow
        self._changed = threading.Condition()
        self._asked: deque[Asked] = deque()
        self._others: deque[Other] = deque(maxlen=_KEPT)
        self._count = self._size = 0
        self._script: deque[Fault] = deque()
        self._always: Fault | None = None
        self._held = self._closed = False
        self._waiting = 0
        self._log = log.open("a", encoding="ascii") if log is not None else None
        try:
            self._listener = Listener(socket, host, port, self._serve, bind)
        except BaseException:
            self._close_log()
            raise
        self.url: Final = self._listener.url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Listen no more, and end what is open."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.notify_all()
        self._listener.close()
        self._close_log()

    # What was asked

    def asked(self) -> tuple[Asked, ...]:
        """Give every request for an answer so far, in order."""
        with self._changed:
            return tuple(self._asked)

    def others(self) -> tuple[Other, ...]:
        """Give every other request so far, in order."""
        with self._changed:
            return tuple(self._others)

    def mark(self) -> int:
        """Give a mark, after which `since` looks."""
        with self._changed:
            return self._count

    def since(self, mark: int) -> tuple[Asked, ...]:
        """Give what was asked after a mark."""
        with self._changed:
            return tuple(one for one in self._asked if one.number > mark)

    # What happens next

    def script(self, *faults: Fault) -> None:
        """Let the next turns fail, one each; after them, and for what is no turn, it is as `always` says."""
        with self._changed:
            self._script.extend(faults)

    def always(self, fault: Fault | None) -> None:
        """Let every request fail from now on, until changed; None ends that."""
        with self._changed:
            self._always = fault
            self._changed.notify_all()
        if fault == "down":
            self._listener.deaf()
        else:
            self._listener.hear()

    def hold(self) -> None:
        """Let requests wait, from now on, until `release`; they have been heard by then."""
        with self._changed:
            self._held = True

    def release(self) -> None:
        """Answer what waits, and what comes."""
        with self._changed:
            self._held = False
            self._changed.notify_all()

    def waiting(self) -> int:
        """Tell how many turns wait: those that are held or hang, and whose client is still there."""
        with self._changed:
            return self._waiting

    # Serving

    def _serve(self, link: Link) -> None:
        path = link.path.partition("?")[0]
        wire = _ending(_WIRES, path) if link.command == "POST" else None
        try:
            said = link.body()
            if wire is not None:
                self._ask(link, path, wire, said)
            else:
                self._other(link, path, said)
        except RefusedError as refused:
            self._note_other(link, path, refused.status)
            link.answer(refused.status, (wire or _family(link, path)).refusal(refused.status, str(refused)))

    def _other(self, link: Link, path: str, said: bytes) -> None:
        answer: Json = {}
        counting = _ending(_COUNTS, path) if link.command == "POST" else None
        if counting is not None:
            turns = _turns(counting, _object(said))
            answer = {"input_tokens": tokens("".join(turn.text for turn in turns))}
            if counting is RESPONSES:
                answer["object"] = "response.input_tokens"
        elif link.command in {"GET", "HEAD"} and path.endswith("/models"):
            answer = models(_family(link, path).protocol)
        elif link.command in {"GET", "HEAD"} and "/models/" in path:
            answer = model(_family(link, path).protocol, path.rpartition("/models/")[2])
        elif path != "/" or link.command not in {"GET", "HEAD"}:
            raise RefusedError(404, f"there is no {link.command} {path} here")
        self._note_other(link, path, 200)
        link.answer(200, answer)

    def _note_other(self, link: Link, path: str, status: int) -> None:
        with self._changed:
            self._others.append(Other(link.command, path, status))

    def _ask(self, link: Link, path: str, wire: Wire, said: bytes) -> None:
        body = _object(said)
        turns = _turns(wire, body)
        one, fault = self._note(link, path, wire, body, turns)
        counted = one is not None and one.purpose == "turn"
        if one is None or not self._wait(link, lambda: self._held, counted=counted) or fault == "down":
            link.reset()
        elif fault == "hang":
            self._wait(link, lambda: True, counted=counted)
            link.reset()
        else:
            answer = Answer(
                one.number,
                one.model,
                shaped(body, words.reply(one.prompts)),
                tokens("".join(turn.text for turn in turns)),
                int(time.time()),
            )
            self._answer(link, wire, body, answer, fault)

    def _note(
        self, link: Link, path: str, wire: Wire, body: Json, turns: tuple[words.Turn, ...]
    ) -> tuple[Asked | None, Fault | None]:
        """Write a request down, and give what is to become of it."""
        credentials = link.credentials
        digest, purpose = words.digest_of(credentials[0] if credentials else None), purpose_of(body, turns)
        for credential in credentials:
            if len(credential) >= _SECRET:
                hidden = f"<credential {words.digest_of(credential)}>"
                turns = tuple(replace(turn, text=turn.text.replace(credential, hidden)) for turn in turns)
                path = path.replace(credential, hidden)
        with self._changed:
            if self._always == "down" or self._closed:
                return None, None
            fault = self._script.popleft() if self._script and purpose == "turn" else self._always
            self._count += 1
            one = Asked(
                number=self._count,
                protocol=wire.protocol,
                path=path,
                model=model_of(body),
                streaming=body.get("stream") is True,
                turns=turns,
                credential=digest,
                purpose=purpose,
            )
            self._write(one)
            self._keep(one)
        return one, fault

    def _write(self, one: Asked) -> None:
        if self._log is None:
            return
        try:
            self._log.write(one.to_json() + "\n")
            self._log.flush()
        except OSError as fault:
            # Whoever reads the log must not take a request for one that was never made.
            raise RefusedError(500, f"the model server's log cannot be written: {fault.strerror}") from None

    def _keep(self, one: Asked) -> None:
        self._asked.append(one)
        self._size += one.size
        while len(self._asked) > _KEPT or (self._size > _MOST_KEPT and len(self._asked) > 1):
            self._size -= self._asked.popleft().size

    def _answer(self, link: Link, wire: Wire, body: Json, answer: Answer, fault: Fault | None) -> None:
        streaming = body.get("stream") is True
        if fault == "overflow" and streaming and wire.overflow is not None:
            link.stream(wire.overflow(answer))
        elif fault is not None and fault in STATUS:
            headers = {"retry-after": "1"} if fault == "429" else {}
            link.answer(STATUS[fault], wire.failure(fault, answer.model), headers)
        elif streaming:
            frames = list(wire.events(answer, body))
            if fault == "cut":
                link.stream(frames[: len(frames) // 2], whole=False)
            else:
                link.stream(self._paced(link, frames) if fault == "slow" else frames)
        elif fault == "cut":
            link.answer_half(wire.whole(answer))
        else:
            if fault == "slow":
                self._pause(link, self._slow)
            link.answer(200, wire.whole(answer))

    def _paced(self, link: Link, frames: list[bytes]) -> Iterator[bytes]:
        for frame in frames:
            self._pause(link, self._slow / len(frames))
            yield frame

    def _pause(self, link: Link, seconds: float) -> None:
        until = time.monotonic() + seconds
        if not self._wait(link, lambda: time.monotonic() < until, counted=False, step=min(_POLL, seconds)):
            raise ConnectionResetError

    def _wait(self, link: Link, still: Callable[[], bool], *, counted: bool, step: float = _POLL) -> bool:
        """Wait as long as something holds; false where the client went away, or everything ends, before."""
        with self._changed:
            if not still():
                return True
            self._waiting += counted
            try:
                while still():
                    self._changed.wait(step)
                    if self._closed or link.gone():
                        return False
                return True
            finally:
                self._waiting -= counted

    def _close_log(self) -> None:
        with self._changed:
            if self._log is not None:
                # What could not be written by now was refused when it was asked.
                with contextlib.suppress(OSError):
                    self._log.close()
                self._log = None


def _ending(table: Mapping[str, Wire], path: str) -> Wire | None:
    return next((wire for end, wire in table.items() if path.endswith(end)), None)


def _family(link: Link, path: str) -> Wire:
    """Guess whose client it is that asks for something else than an answer."""
    return MESSAGES if link.headers.get("anthropic-version") or "/messages" in path else CHAT


def _turns(wire: Wire, body: Json) -> tuple[words.Turn, ...]:
    try:
        return wire.turns(body)
    except ValueError as misread:
        raise RefusedError(400, str(misread)) from None


def _object(said: bytes) -> Json:
    try:
        body: Any = json.loads(said)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise RefusedError(400, "the body is no JSON object")
    return cast("Json", body)

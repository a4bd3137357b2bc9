"""The stand-in for a CLI in a container of its own: `python3 -m tck_fakes.docker.inside claude …`.

The kit tells it over a socket what to do; it says first what it sees from inside, and stands still wherever the kit's
time has to pass. Where there is no such socket it is the stand-in alone, which calls the model that it is configured
with. It is only ever started in a container, where its files, user and network are whatever the engine made them.
"""

from __future__ import annotations

import json
import os
import random
import socket
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BufferedRWPair
from typing import NoReturn

from tck_fakes.docker.seen import look
from tck_fakes.docker.talk import SOCKET, Chance, Orders, Word, account_of, chance_of, line, take_chance
from tck_fakes.ids import Ids
from tck_fakes.real_view import RealView
from tck_fakes.standins.base import KILLED, Account, Cli, Hang, Heard, Invocation, Listen, Stop, Turn
from tck_fakes.standins.performed import asks_usage, asks_version, named, part, perform, version_talk

#: The container of API mode's tools, which ends at once.
_TOOLS = "tool-runner"
#: The exit code of a stand-in that is itself at fault.
_BROKEN = 70


class Kit:
    """The kit at the other end of the socket."""

    def __init__(self, lines: BufferedRWPair) -> None:
        self._lines = lines
        self.printed = [0, 0]
        #: What all containers of a scenario share: the source of their ids, and the sessions that a provider refuses.
        self.source = random.Random(0)  # noqa: S311 -- ids only have to be reproducible
        self.poisoned: set[str] = set()

    def orders(self) -> Orders:
        """Hear what to do."""
        orders = Orders.decode(self._heard())
        self._share(orders.chance, orders.poisoned)
        return orders

    def tell(self, word: Word, **said: object) -> None:
        """Say a word, and how much has been printed up to it, so that the kit knows when it has seen all of that."""
        self._lines.write(line({"say": word, "printed": self.printed, **said}))
        self._lines.flush()

    def stand_still(self, word: Word, **said: object) -> None:
        """Say a word, and wait until the kit lets this go on; others may have had their turn by then."""
        self.tell(word, **said, **self.shared())
        heard = json.loads(self._heard())
        self._share(heard["chance"], heard["poisoned"])

    def shared(self) -> Mapping[str, object]:
        """Give what the next container is to go on from."""
        return {"chance": chance_of(self.source), "poisoned": sorted(self.poisoned)}

    def _share(self, chance: Chance, poisoned: Iterable[str]) -> None:
        take_chance(self.source, chance)
        self.poisoned.update(poisoned)

    def prints(self, stream: int) -> Callable[[str], None]:
        """Give what prints one line on a stream: 0 is standard output, 1 standard error."""

        def out(text: str) -> None:
            data = f"{text}\n".encode("utf-8", "surrogateescape")
            self.printed[stream] += len(data)
            while data:
                data = data[os.write(stream + 1, data) :]

        return out

    def _heard(self) -> bytes:
        heard = self._lines.readline()
        if not heard:
            # The kit is gone, and with it whoever would ever let this go on.
            sys.exit(KILLED)
        return heard


def main(words: Sequence[str]) -> int:
    """Be the program that the first word names."""
    if not os.path.exists(SOCKET):  # noqa: PTH110 -- pathlib would have to be imported in every container
        from tck_fakes.standins import alone  # noqa: PLC0415 -- only where nobody tells what to do

        return alone.main(words)
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(SOCKET)
        with link.makefile("rwb") as lines:
            kit = Kit(lines)
            try:
                return _obey(kit, kit.orders(), words[0], tuple(words[1:]))
            except Exception:  # noqa: BLE001 -- told to the kit, whose fault it is
                kit.tell("broken", what=traceback.format_exc()[-2000:])
                return _BROKEN


def _obey(kit: Kit, orders: Orders, program: str, argv: tuple[str, ...]) -> int:
    seen = look(orders.paths, orders.port, orders.abstract)
    kit.tell("seen", seen={**seen, "argv": [program, *argv]})
    cli = named(program)
    if cli is None or program == _TOOLS:
        return _end(kit, 0, None)
    if orders.version is not None and asks_version(argv):
        talk = version_talk(cli.adapter, *orders.version)
        return _end(kit, perform(talk, lambda event: _wait(kit, event, None), kit.prints(0), kit.prints(1)), None)
    return _be(kit, orders, cli, argv)


def _be(kit: Kit, orders: Orders, cli: Cli, argv: tuple[str, ...]) -> int:
    environment = dict(os.environ)
    stdin = sys.stdin.buffer.read().decode("utf-8", "replace")
    lines = iter(stdin.splitlines())

    def waits(event: Turn | Hang | Listen) -> Heard | None:
        if isinstance(event, Listen):
            return Heard(next(lines, None))
        _wait(kit, event, account)
        return None

    call = Invocation(
        argv=argv,
        environment=environment,
        workdir=os.getcwd(),  # noqa: PTH109 -- as above
        home=environment.get("HOME") or "/",
        view=RealView(),
        stdin=stdin,
        script=orders.script,
        ids=Ids(kit.source),
        now=orders.now,
        poisoned=kit.poisoned,
    )
    started = part(cli, call)
    asked, account = started.asked, started.account
    if not asks_usage(argv):
        kit.tell(
            "read",
            account=account_of(account),
            asked=None
            if isinstance(asked, Stop)
            else {
                "prompt": asked.prompt,
                "workdir": asked.workdir,
                "asked_id": asked.asked_id,
                "chosen_id": asked.chosen_id,
                "label": asked.label,
                "loosely": asked.loosely,
            },
            usage=asked.usage if isinstance(asked, Stop) else None,
        )
    code = perform(started.talk, waits, kit.prints(0), kit.prints(1))
    return _end(kit, code, account)


def _wait(kit: Kit, event: Turn | Hang | Listen, account: Account | None) -> None:
    word: Word = "hang" if isinstance(event, Hang) else "turn"
    kit.stand_still(word, account=None if account is None else account_of(account))


def _end(kit: Kit, code: int, account: Account | None) -> int:
    said = {"code": code, "account": None if account is None else account_of(account)}
    if code == KILLED:
        # The first process of a container cannot kill itself; the kit does it, with a real SIGKILL.
        kit.stand_still("end", **said)
    kit.tell("end", **said, **kit.shared())
    return code


def _leave(code: int) -> NoReturn:
    """End at once: nothing is left to be flushed, and an interpreter takes a while to take itself apart."""
    os._exit(code)


if __name__ == "__main__":
    _leave(main(sys.argv[1:]))

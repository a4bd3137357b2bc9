"""What the kit and the stand-in in a container say to each other: one JSON object a line, over a socket in between.

The container is told what to do first; it then says what it sees from inside, what was asked of its CLI, and stands
still at each point at which the kit's time has to pass. Only the standard library is used, which is all that the image
has, and as little of that as can be: every container begins with these imports.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from tck_driver.bench import Act, Link, Script, VersionShape, Write
from tck_fakes.standins.base import Account

#: Where the socket is in the container: the one mount that no engine asks for, and every check knows by this name.
SOCKET = "/run/session-tck/kit"

#: seen: how the container looks from inside; read: what the CLI was asked; turn, hang: it stands still there; end: it
#: is about to exit, or with 137 to be killed; broken: the stand-in itself is at fault.
Word = Literal["seen", "read", "turn", "hang", "end", "broken"]


#: Where a source of random numbers has come to. All containers of a scenario draw from one source, as in the stand-in
#: runtime, so that the same seed gives the same ids in both: it goes along with whoever is about to draw.
Chance = list[Any]


@dataclass(frozen=True, slots=True)
class Orders:
    """What a container is told: its script, or the answer of its version command, and what it is to try to reach."""

    script: Script
    #: What the version command answers, and how; None where no version is asked for.
    version: tuple[str, VersionShape] | None
    now: datetime
    chance: Chance
    poisoned: tuple[str, ...] = ()
    #: Host paths, to be looked for as they are, and a TCP port and an abstract socket on which the kit listens.
    paths: tuple[str, ...] = ()
    port: int = 0
    abstract: str = ""

    def encode(self) -> bytes:
        """Give them as a line."""
        script = self.script
        return line(
            {
                "shape": script.shape,
                "duration_ms": script.duration_ms,
                "reported_id": script.reported_id,
                "acts": [_written(act) for act in script.acts],
                "answer": script.answer,
                "version": self.version,
                "now": self.now.isoformat(),
                "chance": self.chance,
                "poisoned": self.poisoned,
                "paths": self.paths,
                "port": self.port,
                "abstract": self.abstract,
            }
        )

    @classmethod
    def decode(cls, text: bytes) -> Orders:
        """Read what `encode` made."""
        said: dict[str, Any] = json.loads(text)
        script = Script(
            shape=said["shape"],
            duration_ms=said["duration_ms"],
            reported_id=said["reported_id"],
            acts=tuple(_read(act) for act in said["acts"]),
            answer=said["answer"],
        )
        return cls(
            script=script,
            version=None if said["version"] is None else (said["version"][0], said["version"][1]),
            now=datetime.fromisoformat(said["now"]),
            chance=said["chance"],
            poisoned=tuple(said["poisoned"]),
            paths=tuple(said["paths"]),
            port=said["port"],
            abstract=said["abstract"],
        )


def _written(act: Act) -> list[str]:
    match act:
        case Write(path, text):
            return ["write", path, text]
        case Link(path, target):
            return ["link", path, target]


def _read(act: list[str]) -> Act:
    kind, path, text = act
    return Write(path, text) if kind == "write" else Link(path, text)


def chance_of(source: random.Random) -> Chance:
    """Tell where a source has come to."""
    version, numbers, _ = source.getstate()
    return [version, list(numbers)]


def take_chance(source: random.Random, chance: Chance) -> None:
    """Let a source go on from there."""
    version, numbers = chance
    source.setstate((version, tuple(numbers), None))


def line(message: Mapping[str, object]) -> bytes:
    """Give a message as a line; whatever a text holds survives, since all of it is written in ASCII."""
    return json.dumps(message).encode("ascii") + b"\n"


def account_of(account: Account) -> dict[str, object]:
    """Give an account as it is sent."""
    return {
        "shape": account.shape,
        "session_id": account.session_id,
        "remembered": account.remembered,
        "reported": account.reported,
        "saved": account.saved,
    }


def account_from(said: Mapping[str, Any]) -> Account:
    """Read what `account_of` made."""
    return Account(
        shape=said["shape"],
        session_id=said["session_id"],
        remembered=tuple(said["remembered"]),
        reported=list(said["reported"]),
        saved=said["saved"],
    )

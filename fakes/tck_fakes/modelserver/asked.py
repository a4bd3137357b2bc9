"""What a CLI asked of the model, and the reply that proves it: a request that was heard can be read off its answer."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

Protocol = Literal["messages", "responses", "chat"]
#: `turn` is the conversation itself; CLIs ask for a title, and for a summary of a history that is too long, beside it.
Purpose = Literal["turn", "title", "summary"]
#: What a prompt carries to be found again.
MARK: Final = re.compile(r"tck-[0-9a-f]{8}(?![0-9a-f])")
_REPLY: Final = re.compile(r"Heard (\d+) prompts: ([0-9a-z -]+)\. Digest ([0-9a-f]{16})\.")
_NOTHING: Final = "none"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the conversation as it was sent.

    Roles are `system`, `user`, `assistant`, `tool`, and `context` for what a CLI adds to the user's words by itself.
    """

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for an answer. Of its credential only a digest is kept, and of its address only the path."""

    number: int
    protocol: Protocol
    path: str
    model: str
    streaming: bool
    turns: tuple[Turn, ...]
    #: `none`, or the first 12 hexadecimal digits of its SHA-256.
    credential: str
    purpose: Purpose = "turn"

    @property
    def prompts(self) -> tuple[str, ...]:
        """What the user said, turn by turn."""
        return tuple(turn.text for turn in self.turns if turn.role == "user")

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks in what the user said, in order, once each."""
        return tuple(dict.fromkeys(mark for prompt in self.prompts for mark in MARK.findall(prompt)))

    @property
    def size(self) -> int:
        """How many characters were said."""
        return sum(len(turn.text) for turn in self.turns)

    def to_json(self) -> str:
        """Give the request as one line."""
        return json.dumps(asdict(self), ensure_ascii=True)

    @classmethod
    def from_json(cls, line: str) -> Asked:
        """Read a line that `to_json` gave. Raises `ValueError` for any other."""
        try:
            fields: dict[str, Any] = json.loads(line)
            turns = tuple(Turn(**turn) for turn in fields.pop("turns"))
            return cls(turns=turns, **fields)
        except (TypeError, KeyError, AttributeError) as fault:
            raise ValueError(f"this is no line of a model server's log: {line[:80]!r}") from fault


def read_log(path: Path) -> tuple[Asked, ...]:
    """Read a model server's log; a last line that was cut off is left out."""
    lines = path.read_text(encoding="ascii").split("\n")[:-1]
    return tuple(Asked.from_json(line) for line in lines)


def reply(prompts: Iterable[str]) -> str:
    """Say what was heard, so that whoever reads the answer knows what history was sent."""
    heard = list(prompts)
    shown = [part for prompt in heard for part in (MARK.findall(prompt) or [_digest(prompt, 8)])]
    return f"Heard {len(heard)} prompts: {' '.join(shown) or _NOTHING}. Digest {_digest(chr(0).join(heard), 16)}."


def heard(text: str) -> tuple[str, ...] | None:
    """Read the marks and digests off a reply; None where the text holds no reply."""
    found = _REPLY.search(text)
    if found is None:
        return None
    return () if found[2] == _NOTHING else tuple(found[2].split())


def digest_of(credential: str | None) -> str:
    """Give what may be kept of a credential."""
    return _digest(credential, 12) if credential else "none"


def _digest(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]

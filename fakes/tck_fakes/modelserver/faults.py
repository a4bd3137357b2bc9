"""How a model provider fails, by name, and the status that the failure has over HTTP."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import Final, Literal, get_args

Fault = Literal["down", "401", "403", "404", "429", "500", "529", "slow", "cut", "overflow", "hang"]
#: All of them, in the order in which they are listed to users.
FAULTS: Final[tuple[Fault, ...]] = get_args(Fault)
#: The faults that are an answer of their own, with its status.
STATUS: Final[Mapping[Fault, int]] = MappingProxyType(
    {"401": 401, "403": 403, "404": 404, "429": 429, "500": 500, "529": 529, "overflow": 400}
)
#: What each is, for the command's help and the guides.
MEANING: Final[Mapping[Fault, str]] = MappingProxyType(
    {
        "down": "nobody listens; a connection that is open is reset",
        "401": "the credential is refused",
        "403": "the credential may not use the model",
        "404": "there is no such model",
        "429": "too many requests, try again in a second",
        "500": "an error inside the provider",
        "529": "the provider is overloaded",
        "slow": "the whole answer, in pieces with pauses",
        "cut": "the answer breaks off in the middle",
        "overflow": "the history is longer than the model's context",
        "hang": "no answer ever, while the connection stays open",
    }
)
_NAMED: Final[Mapping[str, Fault]] = MappingProxyType({fault: fault for fault in FAULTS})
_COUNT: Final = re.compile("[1-9][0-9]{0,2}")


def read_faults(given: Iterable[str]) -> tuple[Fault | None, tuple[Fault, ...]]:
    """Read `NAME` and `NAME=COUNT`: the fault of every request, and those of the next ones. Raises `ValueError`."""
    always: Fault | None = None
    script: deque[Fault] = deque()
    for one in given:
        name, equals, count = one.partition("=")
        fault = _NAMED.get(name)
        if fault is None:
            raise ValueError(f"there is no fault {name!r}; there are {', '.join(FAULTS)}")
        if equals:
            if not _COUNT.fullmatch(count):
                raise ValueError(f"{one!r} has no usable count; give one from 1 to 999")
            script.extend(repeat(fault, int(count)))
        elif always is not None:
            raise ValueError(f"{always} and {name} cannot both be always; give a count to one, as in {name}=2")
        else:
            always = fault
    return always, tuple(script)

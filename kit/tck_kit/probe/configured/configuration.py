"""What it takes to point one agent CLI at the model server, and where it then keeps what.

Each CLI is told by its own variables and files, never by a patch of it, so what is observed is what an engine gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tck_driver.vocabulary import AdapterId

#: The key that every CLI sends. It opens nothing, and whoever sees it anywhere knows where it comes from.
KEY = "session-tck-key-that-opens-nothing"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a CLI is to be configured: its HOME, the model server's URL, and a cache that its other HOMEs share."""

    home: Path
    url: str
    cache: Path


@dataclass(frozen=True, slots=True)
class Configuration:
    """How one CLI is configured. Paths are relative to HOME.

    `state` is what its adapter declares as session state; `credentials` and `settings` are where a login and whatever
    instructs the CLI would lie, whether or not a probe makes them. A name that ends in `/` is a folder. `model` is a
    value for `Call.model` that reaches the model server.
    """

    adapter: AdapterId
    program: str
    protocol: Literal["messages", "responses", "chat"]
    model: str
    state: str
    credentials: tuple[str, ...]
    settings: tuple[str, ...]
    environment: Callable[[Place], Mapping[str, str]]
    files: Callable[[Place], Mapping[str, str]]

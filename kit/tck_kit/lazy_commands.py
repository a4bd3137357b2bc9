"""Commands by name, each imported when somebody asks for it: one of them must not wait for what all others need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import cast

import click

__all__ = ["LazyCommands"]


class LazyCommands(MutableMapping[str, click.Command]):
    """What a click group takes for its commands: names, and where each is, as ``module:attribute``."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._found: dict[str, str | click.Command] = dict(places)

    def __getitem__(self, name: str) -> click.Command:
        """Import the command, the first time."""
        command = self._found[name]
        if isinstance(command, str):
            module, _, attribute = command.partition(":")
            command = self._found[name] = cast("click.Command", getattr(import_module(module), attribute))
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

"""`peers list`: every peer and what there is of it, for people or for programs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tck_driver.course_messages import policy_fields
from tck_kit.faults import UsageFault
from tck_kit.peers.places import Found, folder_of, look
from tck_kit.peers.table import PEERS, Peer


def show() -> None:
    """Print what there is of each, one line in a table, and then what else there is to say of it."""
    every = tuple(_found())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("Name", "Version", "Here", "Profiles"):
        table.add_column(column, no_wrap=True)
    for found in every:
        table.add_row(found.peer.name, found.peer.version, found.state, ", ".join(found.peer.profiles))
    console = Console(highlight=False)
    console.print(table)
    for found in every:
        peer = found.peer
        console.print(f"\n[bold]{peer.name}[/bold]: {peer.what}")
        for text in (_in_words(policy_of(peer)), f"{peer.source} {peer.pin}, {peer.licence}", found.why):
            if text:
                console.print(Padding(Text(text), (0, 0, 0, 4)))


def as_json() -> list[dict[str, Any]]:
    """Give all of it as values of JSON."""
    return [
        {
            "name": found.peer.name,
            "what": found.peer.what,
            "version": found.peer.version,
            "kind": found.peer.kind,
            "source": found.peer.source,
            "pin": found.peer.pin,
            "homepage": found.peer.homepage,
            "licence": found.peer.licence,
            "needs": list(found.peer.needs),
            "profiles": list(found.peer.profiles),
            "policy": policy_of(found.peer),
            "folder": str(found.folder),
            "here": found.state,
            "why": found.why,
        }
        for found in _found()
    ]


def policy_of(peer: Peer) -> dict[str, Any]:
    """Give the policy that the driver of a peer declares, as it stands in messages.

    A driver is a program of its own that nothing here leans on: it is asked by its name, as it is started by it.
    """
    return policy_fields(import_module(peer.module).POLICIES[peer.name])


def _in_words(policy: dict[str, Any]) -> str:
    told = {name: value if isinstance(value, str) else " and ".join(value) for name, value in policy.items()}
    return ", ".join(f"{name} {value}" for name, value in told.items() if value)


def _found() -> Iterator[Found]:
    for peer in PEERS.values():
        folder = folder_of(peer, None)
        try:
            yield look(peer, None)
        except UsageFault as fault:
            yield Found(peer, folder, "no", str(fault))

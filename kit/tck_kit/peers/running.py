"""A run of a peer: as any other, with a driver that is confined; and a report in any case."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tck_driver.errors import DriverIncompatibleError
from tck_kit.asked_run import Asked, Prepared, perform, prepare
from tck_kit.engine_choice import Confined
from tck_kit.faults import DriverFault
from tck_kit.peers.confining import confined
from tck_kit.peers.places import Found
from tck_kit.peers.unmade import INCOMPATIBLE, NOT_OBTAINED, Unmade, unmade
from tck_kit.workers import Workers

if TYPE_CHECKING:
    from rich.console import Console

    from tck_reports.shape import Report

#: What begins the message of a driver by which it declines an engine that it was not written for.
_DECLINED = "incompatible: "


def run_peer(found: Found, asked: Asked, console: Console) -> Report:
    """Run what is there of a peer, and give the report. `asked` is for whichever engine; it is made to be for this one.

    Raises `UsageFault` or `SuiteFault`.
    """
    peer, settings = found.peer, asked.settings
    without = replace(asked, settings=replace(settings, profiles=settings.profiles or peer.profiles))
    if found.state != "yes":
        return unmade(peer, without, Unmade(NOT_OBTAINED, found.why))
    with (
        _readable_by_others(),
        Workers(settings.workers) as pool,
        confined(peer, found.folder, pool.folder, settings.engine.timeout_scale) as choice,
    ):
        if choice.confined is not None and choice.confined.open_to:
            console.print(_warning(peer.name, choice.confined), markup=False, highlight=False, soft_wrap=True)
        try:
            prepared = prepare(replace(asked, settings=replace(settings, engine=choice)), pool.folder)
            _refuse_another(prepared, found)
        except DriverFault as fault:
            limits = {} if choice.confined is None else {"confined": choice.confined}
            return unmade(peer, without, Unmade(INCOMPATIBLE, _why(fault), **limits))
        return perform(prepared, pool, console)


@contextmanager
def _readable_by_others() -> Generator[None]:
    """Let the user whom the driver runs as get into the folders of the run, whatever the caller keeps to itself."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def _warning(name: str, confined: Confined) -> str:
    """Say before the start what a program of other people can get at."""
    left = confined.open_to
    why = "; ".join(dict.fromkeys(left.values()))
    return f"warning: {name} is not cut off from: {', '.join(left)} ({why})"


def _refuse_another(prepared: Prepared, found: Found) -> None:
    """Raise `DriverFault` where a report would be about another engine than the one that is pinned."""
    if prepared.introduced is None:
        return
    said, peer = prepared.introduced.declaration, found.peer
    if (said.name, said.version) != (peer.name, peer.version):
        raise DriverFault(f"it says that its engine is {said.name} {said.version}, not {peer.name} {peer.version}")


def _why(fault: DriverFault) -> str:
    """Say what moved, or what the driver broke down with."""
    told = str(fault.__cause__ or fault)
    if isinstance(fault.__cause__, DriverIncompatibleError):
        told = told.partition(_DECLINED)[2] or told
    return " ".join(told.split())

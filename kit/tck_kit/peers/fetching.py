"""Fetching a peer: what is published under its pin, verified, whole or not at all.

A package is installed from a wheel of a known digest. Of a repository the source of the pinned commit is laid down;
building it is its own documentation's matter, and what it takes is up to whoever wants that.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tck_kit.faults import UsageFault
from tck_kit.peers.packages import SITE, install
from tck_kit.peers.places import STAMP, Stamp, stamp_in
from tck_kit.peers.programs import cure
from tck_kit.peers.sources import lay_down, refuse_option
from tck_kit.peers.table import Peer


def fetch(peer: Peer, folder: Path, origin: str | None = None) -> Stamp:
    """Bring a peer into a folder, from `origin` in the place of where it is published; what is there already stays.

    Raises `UsageFault` where that cannot be done; nothing is left then.
    """
    if origin is not None:
        if peer.kind == "pip":
            raise UsageFault(
                "it is no repository but a package", f"--from {origin}", "leave it out; pip has its settings"
            )
        refuse_option(origin)
    there = _there(peer, folder)
    if there is not None:
        return there
    try:
        return _brought(peer, folder, origin)
    except UsageFault:
        # Somebody else may have fetched it meanwhile.
        there = _there(peer, folder)
        if there is None:
            raise
        return there


def _there(peer: Peer, folder: Path) -> Stamp | None:
    """Give the stamp of what was fetched already; None where it has to be fetched."""
    stamp = stamp_in(folder)
    return stamp if stamp is not None and stamp.is_of(peer) and peer.installed_in(folder) else None


def _brought(peer: Peer, folder: Path, origin: str | None) -> Stamp:
    with _beside(peer, folder) as place:
        try:
            lacking: tuple[str, ...] = ()
            if peer.kind == "pip":
                digest = install(peer, place)
            else:
                digest, lacking = lay_down(peer, place, origin or peer.source)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            stamp = Stamp(peer.name, peer.pin, digest, now, lacking)
            (place / STAMP).write_bytes(stamp.encode())
        except OSError as fault:
            raise UsageFault(
                f"it cannot be written: {fault.strerror}",
                str(folder.parent),
                cure(str(fault), "name another folder with --folder"),
            ) from fault
        try:
            if folder.is_dir() and _is_broken(peer, folder):
                folder.rename(place.with_name(f"{place.name}-broken"))
            place.rename(folder)
        except OSError as fault:
            raise UsageFault(
                f"it cannot be put there: {fault.strerror}", str(folder), "name a folder that is new or empty"
            ) from fault
    return stamp


def _is_broken(peer: Peer, folder: Path) -> bool:
    """Tell whether a folder has nothing but what a fetch of this very peer left, and not all of that any more."""
    stamp = stamp_in(folder)
    return (
        stamp is not None
        and stamp.is_of(peer)
        and not peer.installed_in(folder)
        and {path.name for path in folder.iterdir()} <= {STAMP, SITE}
    )


@contextmanager
def _beside(peer: Peer, folder: Path) -> Generator[Path]:
    """Make a folder beside the one that is to be, on the same file system; what is left of it goes."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists() and not folder.is_dir():
            raise UsageFault("it is no folder", str(folder), "move it away, or name another with --folder")
        if folder.exists() and any(folder.iterdir()) and not _is_broken(peer, folder):
            raise UsageFault("something else is there", str(folder), "move it away, or name another with --folder")
        place = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        # Whoever runs it is somebody else than who has fetched it.
        place.chmod(0o755)
    except OSError as fault:
        raise UsageFault(
            f"nothing can be put there: {fault.strerror}",
            str(folder.parent),
            cure(str(fault), "name another with --folder"),
        ) from fault
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        shutil.rmtree(place.with_name(f"{place.name}-broken"), ignore_errors=True)

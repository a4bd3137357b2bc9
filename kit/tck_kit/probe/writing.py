"""Writes a record down, and sees to it that a better one is never lost by that."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from tck_kit.faults import UsageFault
from tck_kit.probe.record import Probe, Record, encode, order, read
from tck_kit.probe.subject import Subject
from tck_reports import files


def try_out(path: Path) -> None:
    """Find out whether a file can be written beside the record, which is how it is put in its place."""
    try:
        with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent):
            pass
    except OSError as fault:
        what = f"nothing can be written there: {fault.strerror}"
        raise UsageFault(what, str(path.parent), "name another folder") from fault


def refuse_loss(path: Path, subject: Subject, asked: Collection[str]) -> None:
    """Find out before the cases whether what is in the file would be lost, or mixed up with what is no such thing."""
    if not path.exists():
        return
    held = read(path)
    for one in (held.probe, *held.also):
        if one is None or one.version != subject.version:
            continue
        origin = one.circumstances.origin
        if "stand-in" in {origin, subject.origin} and origin != subject.origin:
            what = f"it holds a probe of {one.version} ({origin}), and this would be one ({subject.origin})"
            raise UsageFault(what, f"--record {path}", "name another file")
        lost = [each.case for each in one.findings if each.case not in asked]
        if lost:
            what = f"it holds a probe of {one.version} with cases that are not asked for now: {', '.join(lost)}"
            raise UsageFault(what, f"--record {path}", "ask for them as well (--slow), or name another file")


def write(path: Path, new: Record) -> bool:
    """Write a record, or put its probe into the one that is there; say whether that was done."""
    made = joined(read(path), new) if path.exists() else new
    if made is not None:
        files.write_whole(path, encode(made))
    return made is not None


def joined(held: Record, new: Record) -> Record | None:
    """Put a probe into a record: in place of one of the same version, else among the others.

    None says that the record has a better one of this version, which stays.
    """
    made = new.probe
    if made is None:
        return None
    known = next((one for one in (held.probe, *held.also) if one is not None and one.version == made.version), None)
    if known is not None and not made.complete and _says_less(made, known):
        return None
    others = [one for one in held.also if one.version != made.version]
    if held.probe is None or held.probe.version == made.version:
        return replace(new, also=tuple(others))
    return replace(held, also=_newest_first((*others, made)))


def _says_less(made: Probe, known: Probe) -> bool:
    lost = {one.case for one in known.findings} - {one.case for one in made.findings}
    return bool(lost) or (known.complete and not made.ended)


def _newest_first(probes: Iterable[Probe]) -> tuple[Probe, ...]:
    return tuple(sorted(probes, key=lambda one: order(one.version), reverse=True))

"""The lock file: one record a line, sorted, so that git can merge what two branches have added.

::

    {"doc":"a2a","lock":1,"parser":"1","slug":"github","source":"specification.md"}
    {"id":"a2a#S-7QK2M","kind":"section","num":"3.3.2","slug":"332-error-handling","title":"Error Handling"}
    {"aliases":[],"fc":"…","fl":"…","fp":"…","id":"A2A-K3F9QZ","kind":"req", … ,"state":"active","text":"…"}
    {"id":"A2A-0B7XWE","into":["A2A-H2M4TD","A2A-P9R1VV"],"kind":"req","state":"split"}
    {"fp":"…","kind":"link","req":"A2A-K3F9QZ","scenario":"errors.feature::Unknown task","verdict":"reviewed"}

There are no line numbers and no dates in it, and equal content is equal bytes.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tck_spec.errors import SpecificationError
from tck_spec.lock.reading import RESTORE, Edited, LockFault, parse_lock
from tck_spec.lock.records import FORMAT, Link, Lock, RequirementRecord, SectionRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MOST_BYTES", "SUFFIX", "beside", "format_lock", "read_lock", "read_strictly", "write_lock"]

SUFFIX: Final = ".lock.jsonl"
#: A larger file is not read at all.
MOST_BYTES: Final = 64 * 1024 * 1024


def beside(path: Path) -> Path:
    """Return where the lock of a document is, unless the settings say otherwise."""
    return path.with_name(path.stem + SUFFIX)


def format_lock(lock: Lock) -> str:
    """Return the text of the file; the same for the same content, in whatever order it is."""
    head = lock.header
    lines = [
        _line({"doc": head.document, "lock": FORMAT, "parser": head.parser, "slug": head.slug, "source": head.source})
    ]
    lines += [_section_line(one) for one in sorted(lock.sections, key=lambda one: one.id)]
    lines += [_requirement_line(one) for one in sorted(lock.requirements, key=lambda one: one.id)]
    lines += [_link_line(one) for one in sorted(lock.links, key=lambda one: (one.requirement, one.scenario))]
    return "".join(f"{line}\n" for line in lines)


def _line(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _section_line(one: SectionRecord) -> str:
    record: dict[str, object] = {
        "id": one.id,
        "kind": "section",
        "num": one.number,
        "slug": one.slug,
        "title": one.title,
    }
    optional = {"in": one.inside, "was": list(one.was), "state": one.state if one.state == "gone" else ""}
    return _line(record | {key: value for key, value in optional.items() if value})


def _requirement_line(one: RequirementRecord) -> str:
    record: dict[str, object] = {"id": one.id, "kind": "req", "state": one.state}
    if one.state == "gone":
        record["text"] = one.text
    elif one.state != "active":
        record["into"] = list(one.into)
    else:
        record |= {
            "aliases": list(one.aliases),
            "fc": one.fc,
            "fl": one.fl,
            "fp": one.fp,
            "level": one.level,
            "sec": one.section,
            "since": one.since,
            "text": one.text,
        }
        optional = {"ask": list(one.asked), "context": list(one.context), "from": list(one.origin), "n": one.occurrence}
        record |= {key: value for key, value in optional.items() if value}
    return _line(record)


def _link_line(one: Link) -> str:
    record = {
        "fp": one.fp,
        "kind": "link",
        "req": one.requirement,
        "scenario": one.scenario,
        "verdict": one.verdict,
    }
    return _line(record | ({"fc": one.fc} if one.fc else {}))


def write_lock(path: Path, lock: Lock) -> bool:
    """Write a lock whole or not at all; leave a file with these bytes alone. Tell whether it was written."""
    data = format_lock(lock).encode("utf-8", "replace")
    with suppress(OSError):
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    target = path.resolve()
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                temporary.chmod(_mode(target))
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpecificationError(
            f"cannot be written ({reason})", str(path), "check the folder and its permissions"
        ) from error
    return True


def _mode(path: Path) -> int:
    """Return the permissions that the file has, or that a new one would get."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def read_lock(path: Path) -> tuple[Lock, tuple[Edited, ...]]:
    """Read a lock file, and say which of its records were edited by hand. Raises `SpecificationError`."""
    try:
        return parse_lock(_text(path))
    except LockFault as fault:
        where = f"{path}:{fault.line}" if fault.line else str(path)
        raise SpecificationError(fault.what, where, fault.cure) from None


def read_strictly(path: Path) -> tuple[Lock, tuple[Edited, ...]]:
    """Read a lock file as `read_lock` does; raises `LockFault`, for a caller who needs the line."""
    return parse_lock(_text(path))


def _text(path: Path) -> str:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise LockFault(0, "is not a regular file", "name a lock file")
        if status.st_size > MOST_BYTES:
            raise LockFault(0, f"is larger than {MOST_BYTES // 1024 // 1024} MiB", "this is no lock of one document")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise LockFault(0, "there is no such file", "write it with `session-tck lock`") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LockFault(0, f"cannot be read ({reason})", "check the path and its permissions") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LockFault(line, "is not UTF-8", RESTORE) from None

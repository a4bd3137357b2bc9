"""`session-tck.toml`: what an implementer's repository says of its engine, so that CI needs `session-tck run` alone.

The schema in `schemas/session-tck-1.json` says what can stand in it; an option on the command line wins over it.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from tck_kit.faults import UsageFault
from tck_kit.project_faults import MOST_LOOKED_AT, Fault, refuse, suggestion, told

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from tck_fakes.observed_mapping import SessionMapping

#: What the file is called.
NAME = "session-tck.toml"
#: A file that is larger than this is no list of settings.
MOST_BYTES = 1024 * 1024
#: Longer lines, and deeper tables, are no settings either, and could take the reader of TOML very long.
_LONGEST_LINE = 8_192
_DEEPEST = 8
_LARGEST = 63
#: What begins the names of the kit's own engines. A program may be called sim.
_NO_PROGRAM = ("sim:", "sim+", "mutant:", "peer:")
_MEND = "mend the file, or move it away"


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """What a `session-tck.toml` says; None, or nothing, where it is silent. Paths are absolute.

    `directory` is where `command` is started: the file's own folder unless another one is named.
    """

    path: Path
    folder: Path
    command: tuple[str, ...] | None = None
    urls: tuple[str, ...] | None = None
    name: str | None = None
    directory: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    profiles: tuple[str, ...] = ()
    workers: int | None = None
    time_limit: int | None = None
    scenario_time_limit: int | None = None
    timeout_scale: float | None = None
    baseline: Path | None = None
    report_dir: Path | None = None
    seed: int | None = None
    thorough: bool | None = None
    retries: int | None = None
    capabilities: tuple[tuple[str, str], ...] = ()
    observe_url: str | None = None
    observe: SessionMapping | None = None


def find(start: Path) -> Path | None:
    """Find the file in a folder or above it, no further up than the repository that holds the folder."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if os.path.lexists(folder / NAME):
            return folder / NAME
        if os.path.lexists(folder / ".git"):
            return None
    return None


def read(path: Path) -> ProjectFile:
    """Read the file. Raises `UsageFault` with everything that is wrong with it."""
    path = path.absolute()
    text = _text(path)
    held = _toml(path, text)
    _refuse_what_no_schema_can_say(path, text, held)
    faults = list(islice(_elsewhere(fault for one in _violations(held) for fault in told(one)), MOST_LOOKED_AT))
    unfit = {fault.keys[0] for fault in faults if fault.keys}
    fit = {name: section for name, section in held.items() if name not in unfit}
    refuse(path, text, (*faults, *_meaningless(fit, path.parent)))
    return _project(path, held)


def _text(path: Path) -> str:
    """Read the text of a regular file, without waiting for anybody at one that is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            regular = stat.S_ISREG(os.fstat(handle).st_mode)
            held = _bytes(handle) if regular else b""
        finally:
            os.close(handle)
    except OSError as fault:
        raise UsageFault(f"it cannot be read: {fault.strerror}", str(path), _MEND) from fault
    if not regular:
        raise UsageFault("it is no regular file", str(path), "put a file of settings in its place")
    if len(held) > MOST_BYTES:
        raise UsageFault("the file is larger than 1 MiB", str(path), _MEND)
    try:
        text = held.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = held.count(b"\n", 0, fault.start) + 1
        raise UsageFault("this is no UTF-8", f"{path}:{line}", "save it as UTF-8") from None
    for number, one in enumerate(text.split("\n"), 1):
        if len(one) > _LONGEST_LINE:
            raise UsageFault(f"the line is longer than {_LONGEST_LINE:,} characters", f"{path}:{number}", _MEND)
    return text


def _bytes(handle: int) -> bytes:
    """Read to the end, or so far that it is too much."""
    held = bytearray()
    while len(held) <= MOST_BYTES and (part := os.read(handle, MOST_BYTES + 1)):
        held += part
    return bytes(held)


def _toml(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        what, _, place = str(fault).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        where = f"{path}:{line[1] if line else text.count(chr(10)) + 1}"
        raise UsageFault(f"this is no TOML: {what}", where, "mend the line, or the one before it") from None
    except (RecursionError, ValueError) as fault:
        what = "its values lie too deep" if isinstance(fault, RecursionError) else f"a value cannot be read: {fault}"
        raise UsageFault(what, str(path), _MEND) from None


def _refuse_what_no_schema_can_say(path: Path, text: str, held: dict[str, Any]) -> None:
    """Refuse tables too deep to be looked at, and numbers that are none."""
    faults: list[Fault] = []
    waiting: list[tuple[tuple[str, ...], object]] = [((), held)]
    while waiting:
        keys, value = waiting.pop()
        if len(keys) > _DEEPEST:
            raise UsageFault("its tables lie too deep", str(path), f"nothing is deeper than observe.values; {_MEND}")
        if isinstance(value, dict):
            waiting.extend(((*keys, key), one) for key, one in cast("dict[str, object]", value).items())
        elif isinstance(value, list):
            waiting.extend(((*keys, f"[{at}]"), one) for at, one in enumerate(cast("list[object]", value), 1))
        elif isinstance(value, float) and not math.isfinite(value):
            faults.append(Fault(keys, f"is {value}", "give a number"))
        elif isinstance(value, int) and value.bit_length() > _LARGEST:
            faults.append(Fault(keys, "is larger than a whole number in TOML can be", "give a smaller one"))
    refuse(path, text, faults)


def _violations(held: dict[str, Any]) -> Iterator[ValidationError]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 -- a run without a file starts faster

    validator: Any = Draft202012Validator(schema())
    return cast("Iterator[ValidationError]", validator.iter_errors(held))


def schema() -> dict[str, Any]:
    """Give the schema of the file."""
    read_schema: dict[str, Any] = json.loads(
        (files("tck_kit") / "schemas" / "session-tck-1.json").read_text(encoding="utf-8")
    )
    return read_schema


def _elsewhere(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Say of a key that is not known where it belongs, if that is in another table."""
    homes: dict[str, list[str]] = {}
    for name, section in schema()["properties"].items():
        for key in section.get("properties", ()):
            homes.setdefault(key, []).append(f"[{name}]")
    for fault in faults:
        *around, key = fault.keys or ("",)
        home = homes.get(key) if fault.what == "is not known" and len(around) <= 1 else None
        yield fault if home is None else Fault(fault.keys, "is not known here", f"write it under {' or '.join(home)}")


def _meaningless(held: dict[str, Any], folder: Path) -> Iterator[Fault]:
    """Find what the schema lets through and nobody can use."""
    from tck_driver.capabilities import CAPABILITIES  # noqa: PLC0415 -- a run without a file starts faster
    from tck_driver.courses import COURSE_FEATURES  # noqa: PLC0415 -- the same

    known = (*CAPABILITIES, *COURSE_FEATURES)
    yield from _command_faults(held.get("engine", {}).get("command"))
    yield from _profile_faults(_listed(held.get("run", {}).get("profile", [])))
    engine, observe = held.get("engine", {}), held.get("observe", {})
    for url in _listed(engine.get("url", [])):
        if not _is_url(url):
            yield Fault(("engine", "url"), f"is {json.dumps(url)}", "give a URL such as http://127.0.0.1:8700")
    if "directory" in engine and not (folder / engine["directory"]).is_dir():
        yield Fault(
            ("engine", "directory"), f"is no folder: {folder / engine['directory']}", "make it, or name another"
        )
    for name in held.get("capabilities", {}):
        if name not in known:
            yield Fault(("capabilities", name), "is not known", suggestion(name, known))
    yield from _observe_faults(observe, folder)


def _command_faults(command: str | list[str] | None) -> Iterator[Fault]:
    if isinstance(command, str):
        try:
            if not shlex.split(command):
                yield Fault(("engine", "command"), "is empty", 'give a command such as "node driver.js"')
        except ValueError as fault:
            yield Fault(("engine", "command"), f"is no command: {fault}", "quote it as in a shell, or give a list")
    elif command is not None and not command[0]:
        yield Fault(("engine", "command"), "begins with an empty word", "begin with the name of a program")
    name = _first_word(command)
    if name.startswith(_NO_PROGRAM):
        cure = f"write name = {json.dumps(name)} in its place" if name in _simulators() else f"use --engine {name}"
        yield Fault(("engine", "command"), f"is {json.dumps(name)}, an engine of the kit and no program", cure)


def _profile_faults(names: list[str]) -> Iterator[Fault]:
    from tck_kit.families import COURSES, MAILBOXES, profiles_asked  # noqa: PLC0415 -- a run without a file starts faster

    try:
        profiles_asked(names)
    except UsageFault:
        first, second = (", ".join(family.profiles) for family in (MAILBOXES, COURSES))
        yield Fault(("run", "profile"), "is of engines of two kinds", f"give some of {first}, or some of {second}")


def _simulators() -> tuple[str, ...]:
    """Give the names that the simulator goes by in such a file."""
    return tuple(schema()["properties"]["engine"]["properties"]["name"]["enum"])


def _first_word(command: str | list[str] | None) -> str:
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError:
        return ""
    return words[0] if words else ""


def _observe_faults(observe: dict[str, Any], folder: Path) -> Iterator[Fault]:
    if not observe:
        return
    from tck_fakes.observed_mapping import MappingError, SessionMapping, layout  # noqa: PLC0415 -- as above
    from tck_fakes.observed_url import anchored, check_url  # noqa: PLC0415 -- as above

    def use_url() -> None:
        if "url" in observe:
            check_url(anchored(observe["url"], folder))

    def use_mapping() -> None:
        layout(SessionMapping.read(observe))

    for use in (use_url, use_mapping):
        try:
            use()
        except MappingError as error:
            for one in error.faults:
                yield Fault(("observe", *re.split(r"\.|(?=\[)", one.key)), one.what, one.cure)


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _project(path: Path, held: Mapping[str, Any]) -> ProjectFile:
    folder = path.parent
    engine, run = held.get("engine", {}), held.get("run", {})
    command, urls, observe = engine.get("command"), engine.get("url"), held.get("observe")
    mapping: SessionMapping | None = None
    url: str | None = None
    if observe is not None:
        from tck_fakes.observed_mapping import SessionMapping  # noqa: PLC0415 -- a run without it starts faster
        from tck_fakes.observed_url import anchored  # noqa: PLC0415 -- the same

        mapping = SessionMapping.read(observe)
        url = anchored(observe["url"], folder) if "url" in observe else None
    return ProjectFile(
        path=path,
        folder=folder,
        command=tuple(shlex.split(command) if isinstance(command, str) else command) if command is not None else None,
        urls=None if urls is None else tuple(_listed(urls)),
        name=engine.get("name"),
        directory=None if command is None else Path(os.path.normpath(folder / engine.get("directory", "."))),
        environment=tuple(engine.get("environment", {}).items()),
        profiles=tuple(_listed(run.get("profile", []))),
        workers=_whole(run.get("workers")),
        time_limit=_whole(run.get("time_limit")),
        scenario_time_limit=_whole(run.get("scenario_time_limit")),
        timeout_scale=None if "timeout_scale" not in run else float(run["timeout_scale"]),
        baseline=_path(folder, run.get("baseline")),
        report_dir=_path(folder, run.get("report_dir")),
        seed=_whole(run.get("seed")),
        thorough=run.get("thorough"),
        retries=_whole(run.get("retries")),
        capabilities=tuple(held.get("capabilities", {}).items()),
        observe_url=url,
        observe=mapping,
    )


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _whole(value: float | None) -> int | None:
    """Give a whole number, which in a schema may be written 2.0."""
    return None if value is None else int(value)


def _path(folder: Path, value: str | None) -> Path | None:
    return None if value is None else folder / value

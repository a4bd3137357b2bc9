"""Who is tried out: a CLI that is installed, one from npm, or a stand-in that claims to behave like it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import UsageFault
from tck_kit.probe.configured import CONFIGURED, Configuration

Origin = Literal["installed", "npm", "stand-in"]
#: The rooms that a stand-in needs.
_ROOMS = ("tck_fakes", "tck_simulator", "tck_driver")


@dataclass(frozen=True, slots=True)
class Subject:
    """A CLI, or a stand-in for one, that can be started. `words` are an absolute program and its leading words."""

    adapter: AdapterId
    words: tuple[str, ...]
    origin: Origin
    version: str = ""

    @property
    def configuration(self) -> Configuration:
        """How it is pointed at the model server."""
        return CONFIGURED[self.adapter]

    @property
    def program(self) -> str:
        """The CLI's name as users call it."""
        return self.configuration.program

    def needed(self) -> tuple[Path, ...]:
        """Give the files and folders that its program is made of."""
        found = [path for word in self.words if word.startswith("/") for path in _around(Path(word))]
        if self.origin == "stand-in":
            found += [Path(sys.prefix), Path(sys.base_prefix)]
            for room in _ROOMS:
                spec = find_spec(room)
                places = (spec.submodule_search_locations or ()) if spec else ()
                found.extend(Path(place).parent for place in places)
        return tuple(dict.fromkeys(found))


def installed(adapter: AdapterId, path: str | None = None) -> Subject:
    """Give the CLI at a path, or the one that the caller's PATH has. Raises `UsageFault` where there is none."""
    program = CONFIGURED[adapter].program
    found = shutil.which(path or program)
    if found is None:
        what = f"{path} is no program that can be executed" if path else f"{program} is not on PATH"
        raise UsageFault(what, program, "install it, name its path, or let the kit install it with --install")
    return Subject(adapter, executable(Path(found)), "installed")


def stand_in(adapter: AdapterId) -> Subject:
    """Give the kit's own stand-in for a CLI, as a program."""
    words = (sys.executable, "-P", "-m", "tck_fakes.standins.alone", CONFIGURED[adapter].program)
    return Subject(adapter, words, "stand-in")


def executable(path: Path) -> tuple[str, ...]:
    """Give the words that execute a file without a PATH: an interpreter that its first line looks for is named."""
    real = path.resolve()
    try:
        with real.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return (str(real),)
    looked_for = re.match(rb"#! ?/\S*/env (?:-S )?([\w.+-]+)\s*$", first)
    interpreter = shutil.which(looked_for[1].decode()) if looked_for else None
    return (str(real),) if interpreter is None else (os.path.realpath(interpreter), str(real))


def _around(program: Path) -> Iterator[Path]:
    """Give what one program needs beside itself: its package, where it is of one."""
    parts = program.parts
    if "node_modules" in parts:
        yield Path(*parts[: parts.index("node_modules") + 1])
        return
    yield program
    if program.resolve() != program:
        yield program.resolve()

"""Puts the stand-in programs into a folder, from where an engine's PATH finds them."""

from __future__ import annotations

import py_compile
import shlex
import sys
from pathlib import Path

from tck_fakes.programs import client
from tck_fakes.programs.programs import NAMES


def install(folder: Path, socket: Path) -> None:
    """Write an executable for every program; each speaks to the kit at `socket`."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    # Compiled once; a program that is started by its source would be compiled at every start.
    compiled = folder / ".client.pyc"
    py_compile.compile(client.__file__, cfile=str(compiled), doraise=True)
    compiled.chmod(0o644)
    begin = shlex.join((sys.executable, "-X", "utf8", "-I", "-S", str(compiled), str(socket)))
    for name in NAMES:
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {begin} {name} "$@"\n')
        script.chmod(0o755)

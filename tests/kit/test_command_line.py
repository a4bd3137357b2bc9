"""An interrupt is one line and a code that no CI takes for success, whenever it comes."""

from __future__ import annotations

import subprocess
import sys

import pytest

_IN_IMPORTS = """
import builtins, sys
real = builtins.__import__
def interrupted(name, *rest, **more):
    if name == "click":
        raise KeyboardInterrupt
    return real(name, *rest, **more)
builtins.__import__ = interrupted
from tck_kit.command_line import main
"""
_IN_COMMAND = """
from tck_kit import command_line
def interrupted(**_):
    raise KeyboardInterrupt
command_line.cli.main = interrupted
command_line.main()
"""


@pytest.mark.parametrize(
    ("command", "code"),
    [("run", 3), ("regrade", 3), ("fuzz", 3), ("diff", 2), ("matrix", 2), ("merge", 2), ("render", 2), ("--help", 2)],
)
@pytest.mark.parametrize("program", [_IN_IMPORTS, _IN_COMMAND], ids=["imports", "command"])
def test_an_interrupt_is_one_line_and_3_only_where_something_is_run(program: str, command: str, code: int) -> None:
    done = subprocess.run([sys.executable, "-c", program, command], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("session-tck: interrupted before ")

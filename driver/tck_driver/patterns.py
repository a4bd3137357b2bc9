"""Finds a driver's regular expressions in a text, and never waits for ever: they are the driver's, and may be anything.

An expression can go astray in a text that it nearly fits, for longer than anybody lives, and nothing in the same
process could end that. One that repeats nothing and chooses nothing cannot; any other is searched for by a process of
its own, which has a time limit.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence

#: How long the expressions of one start may take altogether. Each is done at once, unless it has gone astray.
SECONDS = 10.0
#: An expression of letters, classes and anchors alone: it either fits at a place or does not.
_PLAIN = re.compile(r"(?:\(\?[aimsx]+\))?(?:[^\\()*+?{}\[\]|]|\\.)*", re.DOTALL)
#: Says of one expression after the other whether it is found.
_SEARCH = """
import json, re, sys
patterns, text = json.load(sys.stdin)
for pattern in patterns:
    print(int(re.search(pattern, text) is not None), flush=True)
"""


class AstrayError(Exception):
    """A search has not come to an end in its time; `pattern` is the place of the expression among those given."""

    def __init__(self, pattern: int) -> None:
        """Keep which it was."""
        super().__init__(f"it was not done with a text after {SECONDS:g} s")
        self.pattern = pattern


def fault_of(pattern: str) -> str | None:
    """Give what is wrong with an expression, None where nothing is."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        return str(fault)
    return None


def found(patterns: Sequence[str], text: str) -> list[bool]:
    """Say of each expression whether it is found in the text. Raises `AstrayError` for one that does not end."""
    if all(_PLAIN.fullmatch(pattern) for pattern in patterns):
        return [re.search(pattern, text) is not None for pattern in patterns]
    command = (sys.executable, "-I", "-S", "-c", _SEARCH)
    given = json.dumps([patterns, text]).encode("ascii")
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=SECONDS, check=True)
    except subprocess.TimeoutExpired as late:
        raise AstrayError(len((late.stdout or b"").splitlines())) from None
    return [line == b"1" for line in done.stdout.splitlines()]

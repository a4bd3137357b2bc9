"""The programs of our own in an image: short scripts at the names that an engine calls.

Python starts isolated: neither the working directory, which an engine mounts, nor a variable that it sets can put
another module in the place of ours.
"""

from __future__ import annotations

from tck_fakes.images.layer import Layer
from tck_fakes.images.sources import Sources

#: Where our sources lie in an image.
PLACE = "/opt/session-tck"
PROGRAMS = ("claude", "codex", "opencode", "copilot", "grok")

_ENTRY = '''\
"""Runs one module of the kit, named by the first argument, with the others as its own."""

import runpy
import sys

sys.path.insert(0, "{place}")
module, sys.argv[:] = sys.argv[1], sys.argv[1:]
runpy.run_module(module, run_name="__main__", alter_sys=True)
'''
_SCRIPT = """\
#!/bin/sh
# TEST ONLY: {what}, made by session-tck for its own tests.
exec python3 -I {place}/entry.py {words} "$@"
"""

#: Compiles what lies there: the file system of a run is read-only, and would be compiled anew at every start.
COMPILE = "python3 -m compileall -q -f --invalidation-mode unchecked-hash"


def put_sources(layer: Layer, ours: Sources) -> None:
    """Put our sources in their place, and the entry to them."""
    for path, content in ours:
        layer.file(f"{PLACE}/{path}", content)
    layer.file(f"{PLACE}/entry.py", _ENTRY.format(place=PLACE).encode())


def put_program(layer: Layer, name: str, what: str, *words: str) -> None:
    """Put a program on the path of a container that runs a module of ours with these words first."""
    layer.file(f"usr/local/bin/{name}", _SCRIPT.format(what=what, place=PLACE, words=" ".join(words)).encode(), 0o755)

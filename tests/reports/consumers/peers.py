"""Programs of other people that read what the kit writes: npm packages in build/peers, started with node."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
from tests.real import lacking

PEERS: Final = Path(__file__).resolve().parents[3] / "build" / "peers" / "node_modules"
#: The versions that these tests were written with.
VERSIONS: Final = {
    "@cucumber/html-formatter": "24.2.0",
    "@cucumber/messages": "34.2.1",
    "badge-maker": "6.0.0",
    "ctrf": "0.3.0",
}


def peer(name: str) -> Path:
    """Need an npm package; give its folder."""
    folder = PEERS / name
    if not folder.is_dir():
        lacking(name, f"{name} is missing; install it with: npm install --prefix build/peers {name}@{VERSIONS[name]}")
    return folder


def node(script: str, *arguments: str | Path) -> str:
    """Run one of the scripts of this folder; give what it prints."""
    if shutil.which("node") is None:
        lacking("node", "node is missing; install it with: apt-get install nodejs")
    done = subprocess.run(
        ["node", str(Path(__file__).with_name(script)), str(PEERS), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def validator(name: str, file: str) -> Callable[[Any], list[str]]:
    """Give a function that holds a value against a JSON Schema of a package, and says what is wrong with it."""
    schema = json.loads((peer(name) / file).read_text(encoding="utf-8"))
    held = jsonschema_rs.validator_for(schema, validate_formats=True)
    return lambda value: [f"{'/'.join(map(str, one.instance_path))}: {one.message}" for one in held.iter_errors(value)]

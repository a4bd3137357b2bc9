"""The Markdown library is behind one module, and the package needs nothing else of the kit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import tck_spec

_SOURCES: Final = sorted(Path(tck_spec.__file__).parent.rglob("*.py"))
_IMPORT: Final = re.compile(r"^\s*(?:from|import)\s+([a-z_]+)", re.MULTILINE)


def _importers(name: str) -> list[str]:
    return [path.name for path in _SOURCES if name in _IMPORT.findall(path.read_text("utf-8"))]


def test_only_one_module_knows_mistune() -> None:
    assert _importers("mistune") == ["markdown.py"]


def test_no_other_room_is_entered() -> None:
    names = {name for path in _SOURCES for name in _IMPORT.findall(path.read_text("utf-8"))}
    assert {name for name in names if name.startswith("tck_")} == {"tck_spec"}

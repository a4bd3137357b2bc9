"""The small CLI that probes are tried on, as a program in a folder of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FAKE = Path(__file__).with_name("fake_claude.py")

Fake = Callable[..., Path]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Give the path of a CLI that behaves like claude but for one sin, in this version."""
    # Its interpreter is looked for on PATH, where a version manager's shim may come first.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")

    def made(sin: str = "", version: str = "2.1.197") -> Path:
        folder = tmp_path / f"cli-{sin}-{version}"
        folder.mkdir(exist_ok=True)
        program = folder / "claude"
        text = FAKE.read_text(encoding="utf-8").replace('SIN = ""', f'SIN = "{sin}"', 1).replace("2.1.197", version, 1)
        program.write_text(f"#!/usr/bin/env python3\n{text}", encoding="utf-8")
        program.chmod(0o755)
        return program

    return made

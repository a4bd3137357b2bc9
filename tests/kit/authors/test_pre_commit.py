"""The hook for pre-commit is one that pre-commit takes, and starts a command that there is."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from tck_kit.command_line import cli

HOOKS = Path(__file__).parents[3] / ".pre-commit-hooks.yaml"


def test_pre_commit_takes_the_file(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(HOOKS)],
        env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_its_entry_is_a_command_of_ours() -> None:
    (entry,) = (line.partition(":")[2] for line in HOOKS.read_text().splitlines() if line.strip().startswith("entry"))
    program, command = shlex.split(entry)
    assert program == "session-tck"
    assert command in cli.commands

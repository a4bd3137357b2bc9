"""The agents' own CLIs, held against the records that come with the kit: the cases that everything rests on."""

from __future__ import annotations

import pytest
from tests.real import real_cli

from ..conftest import Command  # noqa: TID252 -- test folders are no packages

ONLY = tuple(word for name in ("version", "fresh", "resume", "unknown-id") for word in ("--only", name))


@pytest.mark.parametrize("name", ["claude", "codex", "opencode", "copilot"])
def test_a_real_cli_still_does_what_its_record_says(command: Command, name: str) -> None:
    done = command("probe", name, "--program", str(real_cli(name)), *ONLY, "--diff")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("no differences that matter")

"""The programs that a container image may hold, by name."""

from __future__ import annotations

from tck_fakes.standins.base import Cli
from tck_fakes.standins.claude import Claude
from tck_fakes.standins.codex import Codex
from tck_fakes.standins.copilot import Copilot
from tck_fakes.standins.grok import Grok
from tck_fakes.standins.opencode import Opencode

#: The tool container of API mode, which ends at once.
TOOL_RUNNER = "tool-runner"

_CLIS: tuple[Cli, ...] = (Claude(), Codex(), Opencode(), Copilot(), Grok())

#: Program → its stand-in.
PROGRAMS: dict[str, Cli] = {cli.program: cli for cli in _CLIS}

"""The local agents, by id (§16.5)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters.base import Adapter, Call, Capability, Invocation, Reading
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.codex import Codex
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.grok_build import GrokBuild
from tck_simulator.adapters.opencode import OpenCode

#: API mode is not among them: it starts no CLI and its capability is always false (OFF-4).
ADAPTERS: Mapping[AdapterId, Adapter] = MappingProxyType(
    {adapter.id: adapter for adapter in (ClaudeCode(), Codex(), OpenCode(), Copilot(), GrokBuild())}
)

__all__ = ["ADAPTERS", "Adapter", "Call", "Capability", "Invocation", "Reading"]

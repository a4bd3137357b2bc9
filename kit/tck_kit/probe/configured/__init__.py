"""How each agent CLI is configured, by adapter. Grok Build is not among them: nobody has verified it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.configured.claude import CLAUDE
from tck_kit.probe.configured.codex import CODEX
from tck_kit.probe.configured.configuration import KEY, Configuration, Place
from tck_kit.probe.configured.copilot import COPILOT
from tck_kit.probe.configured.opencode import OPENCODE

CONFIGURED: Mapping[AdapterId, Configuration] = MappingProxyType(
    {each.adapter: each for each in (CLAUDE, CODEX, OPENCODE, COPILOT)}
)

__all__ = ["CONFIGURED", "KEY", "Configuration", "Place"]

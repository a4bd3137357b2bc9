"""What the agents' CLIs were seen to do, adapter by adapter: what may be declared of them (CAPABILITY-2).

Made of the capability records by `python -m tck_kit.probe.verified_table`, never by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tck_driver.vocabulary import AdapterId
from tck_simulator.versions import Version


@dataclass(frozen=True, slots=True)
class Verified:
    """One adapter's CLI. All three are None where no version of it was seen to resume.

    `since` is the oldest version that was seen to resume without interaction, `state` what had to be kept of its home,
    and `keeps_id` whether every resume that was seen went on under the asked id.
    """

    since: Version | None = None
    state: str | None = None
    keeps_id: bool | None = None


VERIFIED: Mapping[AdapterId, Verified] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE: Verified(Version(1, 0, 124), "/home/agent/.claude/projects", keeps_id=True),
        AdapterId.CODEX: Verified(Version(0, 122, 0), "/home/agent/.codex/sessions", keeps_id=True),
        AdapterId.OPENCODE: Verified(Version(1, 15, 3), "/home/agent/.local/state/opencode-sessions", keeps_id=True),
        AdapterId.COPILOT: Verified(Version(1, 0, 73), "/home/agent/.copilot/session-state", keeps_id=True),
        AdapterId.GROK_BUILD: Verified(),
    }
)

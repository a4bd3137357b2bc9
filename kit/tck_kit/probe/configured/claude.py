"""Claude Code: variables alone; its configuration files are left for it to write."""

from __future__ import annotations

from collections.abc import Mapping

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.configured.configuration import KEY, Configuration, Place


def _environment(place: Place) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_UPDATES": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }


def _files(_: Place) -> Mapping[str, str]:
    return {}


CLAUDE = Configuration(
    adapter=AdapterId.CLAUDE_CODE,
    program="claude",
    protocol="messages",
    model="claude-sonnet-4-5",
    state=".claude/projects",
    credentials=(".claude/.credentials.json",),
    settings=(".claude.json", ".claude/settings.json", ".claude/settings.local.json"),
    environment=_environment,
    files=_files,
)

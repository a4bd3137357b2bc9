"""The closed tables of the specification that the model goes by, each with its section."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from tck_driver.configuration import SettingValue
from tck_driver.vocabulary import AdapterId, Closing, MergeRequestEvent, Phase
from tck_features.world import STATE_PATHS

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

#: §16.5.1, native id pattern.
PATTERNS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE: _UUID,
        AdapterId.CODEX: _UUID,
        AdapterId.OPENCODE: re.compile(r"ses_[0-9A-Za-z]{26}"),
        AdapterId.COPILOT: _UUID,
        AdapterId.GROK_BUILD: re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}"),
    }
)
#: §16.5.1, `rotatesIds`.
ROTATES = frozenset({AdapterId.CLAUDE_CODE})
#: §16.3, the adapters that declare `resumableSessions` (CAPABILITY-3, CAPABILITY-6).
DECLARES = frozenset({AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE, AdapterId.COPILOT})
#: §16.5.1, `sessionStatePath`.
STATE_PLACES: Mapping[str, str] = MappingProxyType({str(adapter): place for adapter, place in STATE_PATHS.items()})
#: §16.6, resumes without interaction, verified from.
VERIFIED_FROM: Mapping[str, str] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE: "1.0.124",
        AdapterId.CODEX: "0.122.0",
        AdapterId.OPENCODE: "1.15.3",
        AdapterId.COPILOT: "1.0.73",
    }
)

#: §7.2, the states in which a phase runs.
HOMES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        Phase.ANALYSIS: frozenset({"functional_analysis", "technical_analysis"}),
        Phase.ANSWER: frozenset({"waiting_info", "waiting_validation", "in_review"}),
        Phase.DEVELOPMENT: frozenset({"in_development"}),
        Phase.CI_FIX: frozenset({"in_ci"}),
        Phase.REVIEW_FIX: frozenset({"in_review"}),
        Phase.CONFLICT_RESOLUTION: frozenset({"in_review"}),
    }
)
#: §7.2, the states that follow one another without a run's result, or by an event that the kit does not send.
BY_ITSELF: Mapping[str, frozenset[str]] = MappingProxyType({"in_ci": frozenset({"in_review"})})
#: §7.2, what can follow when a run of the phase has succeeded, from the states in which it runs.
AFTER: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        Phase.ANALYSIS: frozenset({"functional_analysis", "waiting_info", "technical_analysis", "waiting_validation"}),
        Phase.ANSWER: frozenset(
            {"waiting_info", "functional_analysis", "waiting_validation", "in_development", "in_review"}
        ),
        Phase.DEVELOPMENT: frozenset({"in_ci", "in_review"}),
        Phase.CI_FIX: frozenset({"in_ci", "in_review"}),
        Phase.REVIEW_FIX: frozenset({"in_ci", "in_review"}),
        Phase.CONFLICT_RESOLUTION: frozenset({"in_ci", "in_review"}),
    }
)
FIRST_STATE = "functional_analysis"
#: §7.2, rows 14 and 15.
ENDS: Mapping[Closing, str] = MappingProxyType(
    {Closing.MERGED: "done", Closing.UNASSIGNED: "cancelled", Closing.UNMERGED: "cancelled"}
)
#: §11.1, with the phases of §7.2.
PHASE_OF: Mapping[MergeRequestEvent, Phase] = MappingProxyType(
    {
        MergeRequestEvent.CI_FAILED: Phase.CI_FIX,
        MergeRequestEvent.REVIEW: Phase.REVIEW_FIX,
        MergeRequestEvent.CONFLICT: Phase.CONFLICT_RESOLUTION,
    }
)
#: §22.3, the phases that `fix_attempts` counts.
FIXES = frozenset({Phase.CI_FIX, Phase.REVIEW_FIX, Phase.CONFLICT_RESOLUTION})

#: §23.3, defaults of the numbers.
NUMBERS: Mapping[str, int] = MappingProxyType(
    {
        "PHASE_TIMEOUT_MINUTES": 30,
        "LLM_MAX_RETRIES": 3,
        "LLM_RETRY_BACKOFF_SECONDS": 60,
        "LEASE_SECONDS": 60,
        "RECONCILE_SECONDS": 300,
        "RETENTION_DAYS": 30,
    }
)
RESUME_SETTING = "AGENT_SESSION_RESUME"
PREFIX_SETTING = "BRANCH_PREFIX"


def is_id(adapter: str, text: str | None) -> bool:
    """Say whether a text is a native id of this adapter (ISOLATE-10)."""
    pattern = PATTERNS.get(adapter)
    return text is not None and pattern is not None and pattern.fullmatch(text) is not None


def accepted_boolean(value: SettingValue) -> bool | None:
    """Read a value of `AGENT_SESSION_RESUME` (§23.3); None where it is not a boolean."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.lower() if value.isascii() else value)
    return None

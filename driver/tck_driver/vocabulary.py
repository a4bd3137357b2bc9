"""The closed sets of words that engine and kit share.

They are the specification's own words, so that a scenario, a driver message and a database row say the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Phase(StrEnum):
    """What a run is for. The first six belong to issue mailboxes, the last to merge-request mailboxes (§7.2, §8.5)."""

    ANALYSIS = "analysis"
    DEVELOPMENT = "development"
    CI_FIX = "ci_fix"
    REVIEW_FIX = "review_fix"
    CONFLICT_RESOLUTION = "conflict_resolution"
    ANSWER = "answer"
    HUMAN_REVIEW = "human_review"


#: The six phases of an issue mailbox, all of which resume (RESUME-2).
ISSUE_PHASES: tuple[Phase, ...] = tuple(phase for phase in Phase if phase is not Phase.HUMAN_REVIEW)


class AdapterId(StrEnum):
    """The six ways to reach a model: five local agents and API mode (§16.5)."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    OPENCODE = "opencode"
    COPILOT = "copilot"
    GROK_BUILD = "grok-build"
    API = "api"


class FallbackReason(StrEnum):
    """Why a run went on in a fresh session (FALLBACK-1); exactly one of these is recorded."""

    NO_PRIOR_SESSION = "no_prior_session"
    ADAPTER_CHANGED = "adapter_changed"
    STATE_MISSING = "state_missing"
    UNSUPPORTED_VERSION = "unsupported_version"
    REFUSED = "refused"


class RunOutcome(StrEnum):
    """How a run ended, or that it has not (§13.4). `queued` and `live` are the two that may still change."""

    QUEUED = "queued"
    LIVE = "live"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"


class MergeRequestEvent(StrEnum):
    """What a merge request tells the engine (§11.1)."""

    CI_FAILED = "ci_failed"
    REVIEW = "review"
    CONFLICT = "conflict"


class Closing(StrEnum):
    """How an issue ends (§7.2): done by merge; cancelled by unassignment or by closing without a merge."""

    MERGED = "merged"
    UNASSIGNED = "unassigned"
    UNMERGED = "unmerged"


MailboxKind = Literal["issue", "merge_request"]


@dataclass(frozen=True, slots=True, order=True)
class MailboxRef:
    """The address of a mailbox: one issue, or one merge request that a human opened."""

    organization: str
    project: str
    kind: MailboxKind
    iid: int

    def __str__(self) -> str:
        """Give the form that messages use, `org/project#7` or `org/project!7`."""
        return f"{self.organization}/{self.project}{'#' if self.kind == 'issue' else '!'}{self.iid}"

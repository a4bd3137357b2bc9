"""The states of an issue and what leads from one to the next.

Specification: §7.2, §11.1. Tables; nothing here reads or writes anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from tck_driver.vocabulary import Closing, MergeRequestEvent, Phase


class IssueState(StrEnum):
    """Where an issue mailbox stands. The last three are ends: the mailbox is closed."""

    FUNCTIONAL_ANALYSIS = "functional_analysis"
    TECHNICAL_ANALYSIS = "technical_analysis"
    WAITING_VALIDATION = "waiting_validation"
    IN_DEVELOPMENT = "in_development"
    IN_CI = "in_ci"
    IN_REVIEW = "in_review"
    BLOCKED = "blocked"
    DONE = "done"
    CANCELLED = "cancelled"
    ORPHANED = "orphaned"


#: States that the tracker shows as a label.
LABELLED = frozenset(set(IssueState) - {IssueState.CANCELLED, IssueState.ORPHANED})

#: The state in which a phase runs; a phase that is missing runs in whatever state there is.
RUNNING: Mapping[Phase, IssueState] = MappingProxyType(
    {
        Phase.DEVELOPMENT: IssueState.IN_DEVELOPMENT,
        Phase.CI_FIX: IssueState.IN_CI,
        Phase.REVIEW_FIX: IssueState.IN_REVIEW,
        Phase.CONFLICT_RESOLUTION: IssueState.IN_REVIEW,
    }
)

#: What a phase's success leads to, by the state it ran in (rows 4, 5 and 7 of §7.2); else the state stays.
SUCCEEDED: Mapping[tuple[Phase, IssueState], IssueState] = MappingProxyType(
    {
        (Phase.ANALYSIS, IssueState.FUNCTIONAL_ANALYSIS): IssueState.TECHNICAL_ANALYSIS,
        (Phase.ANALYSIS, IssueState.TECHNICAL_ANALYSIS): IssueState.WAITING_VALIDATION,
        (Phase.DEVELOPMENT, IssueState.IN_DEVELOPMENT): IssueState.IN_CI,
    }
)

#: Phases that push the agent's branch when they succeed (NAME-6).
PUSHING = frozenset({Phase.DEVELOPMENT, Phase.CI_FIX, Phase.REVIEW_FIX, Phase.CONFLICT_RESOLUTION})

#: Phases that `fix_attempts` counts (§22.3).
FIXING = frozenset({Phase.CI_FIX, Phase.REVIEW_FIX, Phase.CONFLICT_RESOLUTION})

#: How an issue's end is written down.
CLOSED: Mapping[Closing, IssueState] = MappingProxyType(
    {
        Closing.MERGED: IssueState.DONE,
        Closing.UNASSIGNED: IssueState.CANCELLED,
        Closing.UNMERGED: IssueState.CANCELLED,
    }
)

#: The phase that an event on the agent's merge request asks for, in the issue's mailbox (RESUME-5).
PHASE_OF_EVENT: Mapping[MergeRequestEvent, Phase] = MappingProxyType(
    {
        MergeRequestEvent.CI_FAILED: Phase.CI_FIX,
        MergeRequestEvent.REVIEW: Phase.REVIEW_FIX,
        MergeRequestEvent.CONFLICT: Phase.CONFLICT_RESOLUTION,
    }
)

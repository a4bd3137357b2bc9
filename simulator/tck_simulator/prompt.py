"""The prompt of a run: the full context of its phase, whether it resumes or not.

Specification: RESUME-7, FALLBACK-19, §13.3. Resume adds memory and replaces nothing, so nothing here knows of sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tck_driver.vocabulary import MailboxRef, Phase

_INSTRUCTIONS: Mapping[Phase, str] = MappingProxyType(
    {
        Phase.ANALYSIS: "Read the issue and the code. Write an analysis and a plan. Change no file.",
        Phase.DEVELOPMENT: "Carry out the validated plan on the agent's branch, with tests.",
        Phase.CI_FIX: "The pipeline of the agent's merge request failed. Find the cause and mend it.",
        Phase.REVIEW_FIX: "A review of the agent's merge request asks for changes. Make them.",
        Phase.CONFLICT_RESOLUTION: "The agent's branch no longer merges. Resolve the conflicts.",
        Phase.ANSWER: "Somebody asked a question on the issue. Answer it. Change no file.",
        Phase.HUMAN_REVIEW: "Review this merge request, which a person wrote. Change no file.",
    }
)

#: Phases in which the worktree is mounted read-only; the session state is writable all the same (ISOLATE-2).
READ_ONLY_PHASES = frozenset({Phase.ANALYSIS, Phase.ANSWER, Phase.HUMAN_REVIEW})


def full_prompt(mailbox: MailboxRef, title: str, phase: Phase, branch: str | None) -> str:
    """Give the whole prompt of a phase."""
    subject = "Issue" if mailbox.kind == "issue" else "Merge request"
    lines = [
        f"You work on {subject.lower()} {mailbox.iid} of {mailbox.organization}/{mailbox.project}.",
        f"{subject}: {title}",
        f"Phase: {phase}",
        _INSTRUCTIONS[phase],
        "The repository is in /workspace. This is one prompt and one execution; nobody answers questions.",
    ]
    if branch is not None and phase not in READ_ONLY_PHASES:
        lines.insert(3, f"Branch: {branch}")
    return "\n".join(lines)

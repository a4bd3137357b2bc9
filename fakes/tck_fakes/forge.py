"""The tracker and repository host of a scenario: it holds issues, answers as told, and witnesses every write."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tck_driver.bench import TrackerAnswer
from tck_driver.stimuli import IssueClosed, IssueDeleted, IssueOpened, IssueReopened, ReviewRequested, Stimulus
from tck_driver.vocabulary import Closing, MailboxRef
from tck_driver.witness import ForgeWrite, WitnessLog
from tck_simulator.ports import ForgeError, IssueState

#: The agent's merge requests are counted from here in each project, clear of those that humans open in scenarios.
FIRST_MERGE_REQUEST = 1001


class FakeForge:
    """Implements `Forge`. An issue that nobody has described is open and assigned to the agent."""

    def __init__(self, witness: WitnessLog) -> None:
        self._witness = witness
        self._issues: dict[MailboxRef, IssueState] = {}
        self._answers: dict[MailboxRef, TrackerAnswer] = {}
        self._opened: Counter[tuple[str, str]] = Counter()
        #: (organization, project, merge request) → the issue it belongs to and its branch.
        self.merge_requests: dict[tuple[str, str, int], tuple[MailboxRef, str]] = {}
        self.labels: dict[MailboxRef, set[str]] = {}

    # What the kit decides

    def set_issue(
        self,
        mailbox: MailboxRef,
        *,
        open_: bool | None = None,
        assigned: bool | None = None,
        merged: bool | None = None,
    ) -> None:
        """Change what is true of an issue; what is not given stays."""
        state = self._issues.get(mailbox, IssueState(open=True, assigned=True, merged=False))
        self._issues[mailbox] = replace(
            state,
            open=state.open if open_ is None else open_,
            assigned=state.assigned if assigned is None else assigned,
            merged=state.merged if merged is None else merged,
        )

    def ended(self, mailbox: MailboxRef, how: Closing) -> None:
        """Let an issue have ended: closed, by a merge or without one, or no longer assigned."""
        unassigned = how is Closing.UNASSIGNED
        self.set_issue(mailbox, open_=unassigned, assigned=not unassigned, merged=how is Closing.MERGED)

    def hear(self, stimulus: Stimulus) -> None:
        """Let the tracker know what it would before an engine is told."""
        match stimulus:
            case IssueOpened(mailbox=ref) | ReviewRequested(mailbox=ref) | IssueReopened(mailbox=ref):
                self.set_issue(ref, open_=True, assigned=True, merged=False)
            case IssueClosed(mailbox=ref, how=how):
                self.ended(ref, how)
            case IssueDeleted(mailbox=ref):
                self.tracker_answers(ref, "404")
            case _:
                pass

    def tracker_answers(self, mailbox: MailboxRef, answer: TrackerAnswer) -> None:
        """Decide how to answer when asked for this issue; `normal` undoes it."""
        self._answers[mailbox] = answer

    # What the engine asks

    def issue(self, mailbox: MailboxRef) -> IssueState:
        """Look an issue up. Raises `ForgeError`, without a status for a time-out."""
        answer = self._answers.get(mailbox, "normal")
        if answer != "normal":
            raise ForgeError(None if answer == "timeout" else int(answer))
        return self._issues.get(mailbox, IssueState(open=True, assigned=True, merged=False))

    def comment(self, mailbox: MailboxRef, text: str) -> None:
        """Post a comment."""
        self._witness.add(ForgeWrite("comment", str(mailbox), text))

    def add_label(self, mailbox: MailboxRef, label: str) -> None:
        """Set a label."""
        self.labels.setdefault(mailbox, set()).add(label)
        self._witness.add(ForgeWrite("label", str(mailbox), label))

    def remove_label(self, mailbox: MailboxRef, label: str) -> None:
        """Take a label away."""
        self.labels.setdefault(mailbox, set()).discard(label)
        self._witness.add(ForgeWrite("unlabel", str(mailbox), label))

    def push_branch(self, organization: str, project: str, branch: str) -> None:
        """Push a branch; the record's subject is the project, its text the branch."""
        self._witness.add(ForgeWrite("branch", f"{organization}/{project}", branch))

    def open_merge_request(self, mailbox: MailboxRef, branch: str, title: str) -> int:
        """Open a merge request; the record's text is the branch, a line break and the title."""
        project = (mailbox.organization, mailbox.project)
        number = FIRST_MERGE_REQUEST + self._opened[project]
        self._opened[project] += 1
        self.merge_requests[*project, number] = (mailbox, branch)
        self._witness.add(ForgeWrite("merge_request", str(mailbox), f"{branch}\n{title}", number))
        return number

"""Runs and their starts, as the laws speak of them: the row, the mailbox, and each leg with its container."""

from __future__ import annotations

from dataclasses import dataclass, field

from tck_driver.views import SessionRow
from tck_driver.vocabulary import RunOutcome
from tck_driver.witness import CliAnswered, CliStarted, ContainerEnded, ContainerStarted
from tck_features.laws.mailboxes import Mailbox

#: What may still become something else.
UNFINISHED = (RunOutcome.QUEUED, RunOutcome.LIVE)
#: How a CLI answers that finds no session to resume; what it names while doing so is not to be believed.
REFUSALS = frozenset({"refuse", "refuse_decoy", "refuse_exit_zero", "refuse_silent", "damaged"})


@dataclass(slots=True, eq=False)
class Run:
    """One run: its row as it is now, and what had to hold of it when it began."""

    row: SessionRow
    mailbox: Mailbox
    #: Whether a session applies, and by which requirements.
    session: bool
    by: tuple[str, ...]
    #: Through what kind of event it was asked for; None where that cannot be told.
    cause: str | None
    legs: list[Leg] = field(default_factory=list["Leg"])
    #: Whether the row's native id was overwritten from outside.
    overwritten: bool = False
    #: Whether its row was deleted, which happens to rows alone whose run has ended (§24.5).
    deleted: bool = False

    @property
    def live(self) -> bool:
        """Whether it may still become something else."""
        return self.row.outcome in UNFINISHED and not self.deleted


@dataclass(slots=True, eq=False)
class Leg:
    """One start of a CLI with its container. `number` counts from 1 within its run."""

    cli: CliStarted
    container: ContainerStarted
    run: Run | None
    #: Whose it is, also where its row came and went within one event.
    mailbox: Mailbox | None
    number: int
    answer: CliAnswered | None = None
    end: ContainerEnded | None = None
    removed: bool = False

    @property
    def fresh(self) -> bool:
        """Whether it asks for no earlier session."""
        return self.cli.asked_id is None and not self.cli.asked_loosely

    def words(self) -> list[str]:
        """Give the arguments that are not the prompt."""
        prompt = self.cli.prompt
        return [word for word in self.cli.argv if prompt not in (word, word.partition("=")[2])] if prompt else []

    @property
    def believed(self) -> tuple[str, ...]:
        """The ids that it named, other than those it named in refusing."""
        if self.answer is None:
            return ()
        if self.answer.shape not in REFUSALS or self.fresh:
            return self.answer.reported_ids
        return tuple(one for one in self.answer.reported_ids if one == self.cli.asked_id)


def told(legs: list[Leg]) -> tuple[str, ...]:
    """Give starts as lines of evidence."""
    return tuple(" ".join(leg.cli.argv)[:400] for leg in legs)

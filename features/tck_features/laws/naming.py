"""The laws of names: which one an issue gets, that it keeps it, and where it is written and pushed.

Specification: NAME-1 to NAME-6, NAME-8 to NAME-11; §7.3.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tck_driver.stimuli import IssueRetitled, PrefixChanged, SettingChanged
from tck_driver.views import MailboxRow
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase
from tck_driver.witness import ForgeWrite
from tck_features.history.events import Restarted, Sent
from tck_features.laws.names import branch_name
from tck_features.laws.references import is_branch_name

if TYPE_CHECKING:
    from tck_features.history.events import Event
    from tck_features.history.history import Happened
    from tck_features.laws.known import Known
    from tck_features.laws.mailboxes import Mailbox
    from tck_features.laws.runs import Leg, Run

#: The phases that end before there is a branch.
_BEFORE_BRANCH = frozenset({Phase.ANALYSIS.value, Phase.ANSWER.value})
_DEVELOPED = frozenset({"status::in_development", "status::in_ci", "status::in_review"})
_LABEL = "status::in_development"
#: Of a name, in bytes: each part becomes the name of a file.
_LONGEST_PART = 255
#: In which time no row can be deleted that was made in it.
_LONG = timedelta(hours=20)


class Naming:
    """Holds names against the title and the prefix of the moment in which an issue had its first run."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known
        self._to_ask = False
        #: Whether the present event lasts so long that rows can have come and gone in it.
        self._long = False

    def began(self, run: Run) -> None:
        """Fix the name of an issue that has its first run now."""
        self._fix(run.mailbox)
        if run.row.adapter_id == AdapterId.API:
            run.mailbox.phases.add(run.row.phase)

    def started(self, leg: Leg) -> None:
        """Note how far an issue has come."""
        if leg.run is not None:
            leg.run.mailbox.phases.add(leg.run.row.phase)
        elif leg.mailbox is not None:
            self._fix(leg.mailbox)

    def _fix(self, mailbox: Mailbox) -> None:
        if mailbox.ref.kind == "issue" and not mailbox.names:
            mailbox.names = tuple(dict.fromkeys((*mailbox.past_names, *self._names(mailbox.ref))))
            self._to_ask = True

    def _names(self, ref: MailboxRef) -> list[str]:
        prefixes = self._known.settings.prefixes(ref.organization, ref.project)
        titles = self._known.mailboxes.titles.get(ref, ())
        return [branch_name(prefix, ref.iid, title) for prefix in prefixes for title in titles]

    def row(self, run: Run) -> None:
        """Check the name on a run's row."""
        mailbox = run.mailbox
        if not run.session or not mailbox.names:
            return
        missing = ("NAME-11", "NAME-3", "CAPABILITY-6", *run.by)
        self._held("session_name", mailbox, run.row.session_name, missing, self._known.world.evidence)

    def _held(self, what: str, mailbox: Mailbox, name: str | None, missing: tuple[str, ...], rests_on: str) -> None:
        if name is not None and name in mailbox.names:
            mailbox.names = (name,)
        self._known.judge(
            f"{what}, by title and prefix of the first run",
            of=mailbox.ref,
            expected=mailbox.names[0],
            actual=name,
            rests_on="reported" if rests_on == "reported" else "witnessed",
            by=missing if name is None else self._broken(mailbox, name),
        )

    def _broken(self, mailbox: Mailbox, name: str) -> tuple[str, ...]:
        """Say what is broken by a name that is not the right one."""
        right = mailbox.names[0]
        if name == right:
            return ("NAME-1", "NAME-2", "NAME-3", "NAME-4", "NAME-5", "NAME-8", "NAME-9", "NAME-10", "NAME-11")
        broken: list[str] = ["CLEAN-13"] if mailbox.generation > 1 else []
        if not is_branch_name(name) or any(len(part.encode()) > _LONGEST_PART for part in name.split("/")):
            broken.append("NAME-9")
        if name in self._names(mailbox.ref):
            settings, ref = self._known.settings, mailbox.ref
            moved = not any(right.startswith(one) for one in settings.prefixes(ref.organization, ref.project))
            broken.append("NAME-5" if moved else "NAME-4")
        beginning = right[: right.index(f"issue-{mailbox.ref.iid}")] + f"issue-{mailbox.ref.iid}"
        if name.startswith(beginning):
            return (*broken, "NAME-8", "NAME-10", "NAME-1", "NAME-4", "NAME-3", "NAME-11")
        return (*broken, "NAME-1", "NAME-5", "NAME-3", "NAME-11")

    # --- what is written to the tracker ------------------------------------------------------------------------------

    def wrote(self, write: ForgeWrite) -> None:
        """Check a branch that was pushed, and take in what shows how far an issue is."""
        match write.kind:
            case "label" if write.text in _DEVELOPED:
                for mailbox in self._of(write.subject):
                    mailbox.in_development = mailbox.in_development or write.text == _LABEL
            case "branch":
                self._pushed(write)
            case "merge_request":
                self._opened(write)
            case "comment":
                for mailbox in self._of(write.subject):
                    mailbox.comments.append(write.text)
            case _:
                pass

    def _of(self, subject: str) -> list[Mailbox]:
        """Give the present mailbox of an address as the tracker writes it."""
        mailboxes = self._known.mailboxes
        latest = {mailbox.ref: mailbox for mailbox in mailboxes if str(mailbox.ref) == subject}
        return list(latest.values())

    def _pushed(self, write: ForgeWrite) -> None:
        there = [one for one in self._known.mailboxes if f"{one.ref.organization}/{one.ref.project}" == write.subject]
        owners = [mailbox for mailbox in there if write.text in mailbox.names]
        self._known.judge(
            "the branch that was pushed has the stored name of an issue of its project",
            expected=sorted({name for one in there for name in one.names}) if not owners else [write.text],
            actual=[write.text],
            by=("NAME-6", "NAME-4", "NAME-5"),
        )
        if self._long:
            return
        ready = [mailbox for mailbox in owners if mailbox.phases - _BEFORE_BRANCH]
        first = {Phase.DEVELOPMENT.value}
        shown = [one for one in ready if one.in_development or (one.phases - _BEFORE_BRANCH) != first]
        self._known.judge(
            "a branch is pushed once its issue is in development, and not before",
            of=write.text,
            expected=True,
            actual=bool(shown),
            by=("NAME-6",),
        )

    def _opened(self, write: ForgeWrite) -> None:
        for mailbox in self._of(write.subject):
            if write.number is not None:
                where = (mailbox.ref.organization, mailbox.ref.project, write.number)
                self._known.mailboxes.merge_requests[where] = mailbox.ref
            branch = write.text.partition("\n")[0]
            self._known.judge(
                "branch of a merge request",
                of=mailbox.ref,
                expected=branch if branch in mailbox.names else (mailbox.names or ("none",))[0],
                actual=branch,
                by=("NAME-6", "NAME-3"),
            )

    # --- what is stored ----------------------------------------------------------------------------------------------

    def stored(self, happened: Happened) -> None:
        """Check what is stored of every mailbox, where a first run began or something else could change it."""
        self._long = happened.ended - happened.begun > _LONG
        ask = self._to_ask or self._can_change(happened.event)
        self._to_ask = False
        rows = self._known.view("mailboxes", MailboxRow) if ask else None
        stored = {(row.mailbox, row.generation): row.branch_name for row in rows or ()}
        for mailbox in self._known.mailboxes if stored else ():
            key = (mailbox.ref, mailbox.generation)
            if key not in stored:
                continue
            if mailbox.names:
                self._held("mailboxes.branch_name", mailbox, stored[key], ("NAME-2", "NAME-1"), "reported")
            elif mailbox.ref.kind == "merge_request":
                self._known.judge(
                    "mailboxes.branch_name of what is no issue",
                    of=mailbox.ref,
                    expected=None,
                    actual=stored[key],
                    rests_on="reported",
                    by=("OFF-6",),
                )

    def after(self) -> None:
        """Allow for first runs whose rows have come and gone meanwhile."""
        for mailbox in self._known.mailboxes if self._long else ():
            if mailbox.causes and not mailbox.names:
                mailbox.past_names = (*mailbox.past_names, *self._names(mailbox.ref))

    def _can_change(self, event: Event) -> bool:
        """Say whether a wrong engine has reason to change names."""
        match event:
            case Sent(stimulus=IssueRetitled() | PrefixChanged()) | Restarted():
                return True
            case Sent(stimulus=SettingChanged(name="BRANCH_PREFIX")):
                return True
            case _:
                return False

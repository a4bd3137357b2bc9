"""Faults of naming: how the name of a branch and session is made, and when it is written down."""

from __future__ import annotations

from dataclasses import replace

from tck_driver.configuration import EngineConfig
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase, RunOutcome
from tck_fakes.faults.changed import Begun, gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import store_of
from tck_fakes.faults.register import Real, fault
from tck_simulator import run
from tck_simulator.live import LiveRun
from tck_simulator.rows import Mailbox
from tck_simulator.run import Ended, RunSequence
from tck_simulator.store import Store

# --- NAME-1: prefix, number and slug, of the moment of the first run -------------------------------------------------


@fault("title-of-the-opening", "NAME-1", Kind.WRONG_MOMENT, "makes the name from the title that the issue had first")
def _title_of_the_opening(sabotage: Sabotage) -> None:
    first: dict[MailboxRef, str] = {}

    def opened(mailbox: Mailbox, *_: object) -> Mailbox:
        first[mailbox.ref] = mailbox.title
        return mailbox

    def name(real: Real, sequence: RunSequence, mailbox: Mailbox) -> object:
        return real(sequence, replace(mailbox, title=first.get(mailbox.ref, mailbox.title)))

    sabotage.replace(Store, "open_mailbox", gives(opened))
    sabotage.replace(RunSequence, "_name", instead(name))


@fault("prefix-of-the-start", "NAME-1", Kind.WRONG_MOMENT, "reads the prefix when it starts and never again")
def _prefix_of_the_start(sabotage: Sabotage) -> None:
    held: dict[tuple[str, str], str] = {}

    def configure(real: Real, store: Store, config: EngineConfig, *rest: object) -> None:
        held.update({(one.organization, one.name): one.branch_prefix for one in config.projects})
        real(store, config, *rest)

    def prefix(_: str, __: Store, organization: str, project: str) -> str:
        return held[organization, project]

    sabotage.replace(Store, "configure", instead(configure))
    sabotage.replace(Store, "branch_prefix", gives(prefix))


@fault(
    "slash-of-its-own", "NAME-1", Kind.WRONG_VALUE, "puts a slash between prefix and name, whatever the prefix ends in"
)
def _slash_of_its_own(sabotage: Sabotage) -> None:
    def name(real: Real, prefix: str, *rest: object) -> object:
        return real(f"{prefix.rstrip('-_/')}/", *rest)

    sabotage.replace(run, "session_name", instead(name))


@fault("key-for-number", "NAME-1", Kind.WRONG_VALUE, "puts the key of its own row in the place of the issue's number")
def _key_for_number(sabotage: Sabotage) -> None:
    def name(real: Real, sequence: RunSequence, mailbox: Mailbox) -> object:
        return real(sequence, replace(mailbox, ref=replace(mailbox.ref, iid=mailbox.id)))

    sabotage.replace(RunSequence, "_name", instead(name))


@fault("name-of-the-last-time", "NAME-1", Kind.WRONG_SCOPE, "gives a reopened issue the name that it had before")
def _name_of_the_last_time(sabotage: Sabotage) -> None:
    def name(real: Real, sequence: RunSequence, mailbox: Mailbox) -> object:
        store = store_of(sequence)
        known = [one.branch_name for one in store.mailboxes() if one.ref == mailbox.ref and one.branch_name]
        return store.freeze_name(mailbox.id, known[-1]) if known else real(sequence, mailbox)

    sabotage.replace(RunSequence, "_name", instead(name))


# --- NAME-2: written down before the CLI starts ----------------------------------------------------------------------


@fault("name-at-the-end", "NAME-2", Kind.WRONG_MOMENT, "writes the name only when the first run has ended")
def _name_at_the_end(sabotage: Sabotage) -> None:
    waiting: dict[int, str] = {}

    def freeze(real: Real, store: Store, identity: int, name: str) -> object:
        if identity in waiting:
            return real(store, identity, name)
        waiting[identity] = name
        return name

    def poll(real: Real, sequence: RunSequence, live: LiveRun) -> object:
        ended = real(sequence, live)
        if ended is not None and live.mailbox.id in waiting:
            store_of(sequence).freeze_name(live.mailbox.id, waiting[live.mailbox.id])
        return ended

    sabotage.replace(Store, "freeze_name", instead(freeze))
    sabotage.replace(RunSequence, "poll", instead(poll))


@fault("name-of-a-success", "NAME-2", Kind.MISSING_EFFECT, "forgets the name again where the first run fails")
def _name_of_a_success(sabotage: Sabotage) -> None:
    def poll(ended: Ended | None, sequence: RunSequence, live: LiveRun) -> Ended | None:
        if ended is not None and ended.outcome is RunOutcome.FAILED:
            store = store_of(sequence)
            if len(store.sessions(live.mailbox.id)) == 1:
                store.set_mailbox(live.mailbox.id, branch_name=None)
        return ended

    sabotage.replace(RunSequence, "poll", gives(poll))


@fault(
    "name-with-the-branch",
    "NAME-2",
    Kind.WRONG_SCOPE,
    "fixes the name of an issue that no cli serves with its branch only",
)
def _name_with_the_branch(sabotage: Sabotage) -> None:
    begun = Begun(sabotage)

    def name(real: Real, sequence: RunSequence, mailbox: Mailbox) -> object:
        store, ref = store_of(sequence), mailbox.ref
        binding = store.binding(ref.organization, ref.project, begun.phase)
        if binding is None or binding.adapter is not AdapterId.API or begun.phase is not Phase.ANALYSIS:
            return real(sequence, mailbox)
        return None

    sabotage.replace(RunSequence, "_name", instead(name))

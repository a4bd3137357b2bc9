"""Faults of naming: how a name is kept once it is there, and in which rows it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.vocabulary import FallbackReason, Phase, RunOutcome
from tck_fakes.faults.changed import Begun, gives, instead, set_run
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import first, store_of
from tck_fakes.faults.register import Real, fault
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.naming import session_name
from tck_simulator.resolution import Resolution
from tck_simulator.rows import Mailbox
from tck_simulator.run import Ended, RunSequence
from tck_simulator.store import Store


def _made_anew(store: Store, mailbox: Mailbox) -> str:
    """Give the name that an issue would get if it began today."""
    prefix = store.branch_prefix(mailbox.ref.organization, mailbox.ref.project)
    return session_name(prefix, mailbox.ref.iid, mailbox.title)


def _with_prefix_of_today(store: Store, mailbox: Mailbox) -> str:
    """Give the name of an issue with its prefix exchanged."""
    rest = (mailbox.branch_name or "").rpartition(f"issue-{mailbox.ref.iid}")
    return f"{store.branch_prefix(mailbox.ref.organization, mailbox.ref.project)}{rest[1]}{rest[2]}"


# --- NAME-3: one name in every phase ---------------------------------------------------------------------------------


@fault("nameless-before-the-branch", "NAME-3", Kind.WRONG_MOMENT, "goes by the bare number while there is no branch")
def _nameless_before_the_branch(sabotage: Sabotage) -> None:
    def name(made: str | None, sequence: RunSequence, mailbox: Mailbox) -> str | None:
        branched = mailbox.ref.kind != "issue" or store_of(sequence).has_merge_request(mailbox.id)
        return made if branched else f"issue-{mailbox.ref.iid}"

    sabotage.replace(RunSequence, "_name", gives(name))


@fault("name-for-each-agent", "NAME-3", Kind.WRONG_SCOPE, "has a name for each agent that serves an issue")
def _name_for_each_agent(sabotage: Sabotage) -> None:
    begun = Begun(sabotage)

    def name(made: str | None, sequence: RunSequence, mailbox: Mailbox) -> str | None:
        store, ref = store_of(sequence), mailbox.ref
        binding = store.binding(ref.organization, ref.project, begun.phase)
        usual = store.binding(ref.organization, ref.project, Phase.ANALYSIS)
        if made is None or binding is None or usual is None or binding.adapter == usual.adapter:
            return made
        return f"{made}-{binding.adapter}"

    sabotage.replace(RunSequence, "_name", gives(name))


@fault("phase-on-the-label", "NAME-3", Kind.WRONG_VALUE, "labels the session with name and phase")
def _phase_on_the_label(sabotage: Sabotage) -> None:
    def call(real: Real, sequence: RunSequence, prompt: str, phase: Phase, *rest: object, **named: object) -> object:
        made = real(sequence, prompt, phase, *rest, **named)
        return made if made.label is None else replace(made, label=f"{made.label}-{phase}")

    sabotage.replace(RunSequence, "_call", instead(call))


@fault("review-by-another-name", "NAME-3", Kind.WRONG_SCOPE, "goes by a name of its own while it mends after a review")
def _review_by_another_name(sabotage: Sabotage) -> None:
    begun = Begun(sabotage)

    def name(made: str | None, *_: object) -> str | None:
        return f"{made}-review" if made is not None and begun.phase is Phase.REVIEW_FIX else made

    sabotage.replace(RunSequence, "_name", gives(name))


# --- NAME-4: another title ------------------------------------------------------------------------------------------


@fault("renamed-with-the-title", "NAME-4", Kind.EXTRA_EFFECT, "gives the issue another name when its title changes")
def _renamed_with_the_title(sabotage: Sabotage) -> None:
    def set_mailbox(real: Real, store: Store, identity: int, **values: object) -> None:
        real(store, identity, **values)
        mailbox = store.mailbox_by_id(identity)
        if "title" in values and mailbox.branch_name is not None:
            real(store, identity, branch_name=_made_anew(store, mailbox))

    sabotage.replace(Store, "set_mailbox", instead(set_mailbox))


@fault("branch-of-the-present-title", "NAME-4", Kind.WRONG_VALUE, "keeps the name and pushes under the present title")
def _branch_of_the_present_title(sabotage: Sabotage) -> None:
    def publish(real: Real, engine: Engine, live: LiveRun, mailbox: Mailbox, answer: str) -> None:
        named = mailbox.branch_name is not None
        renamed = replace(mailbox, branch_name=_made_anew(store_of(engine), mailbox)) if named else mailbox
        real(engine, live, renamed, answer)

    sabotage.replace(Engine, "_after_success", instead(publish))


@fault("name-of-the-last-moment", "NAME-4", Kind.WRONG_MOMENT, "makes the name again when the first run has ended")
def _name_of_the_last_moment(sabotage: Sabotage) -> None:
    def poll(ended: Ended | None, sequence: RunSequence, live: LiveRun) -> Ended | None:
        store = store_of(sequence)
        mailbox = store.mailbox_by_id(live.mailbox.id)
        if ended is not None and mailbox.branch_name is not None and len(store.sessions(mailbox.id)) == 1:
            store.set_mailbox(mailbox.id, branch_name=_made_anew(store, mailbox))
        return ended

    sabotage.replace(RunSequence, "poll", gives(poll))


def _label_made_anew(sabotage: Sabotage, made_of: Callable[[Store, Mailbox], str]) -> None:
    """Label a fresh session with a name that is made of what holds now."""
    present: list[Mailbox] = []

    def begin(_: RunSequence, mailbox: Mailbox, *__: object) -> None:
        present.append(mailbox)

    def call(real: Real, sequence: RunSequence, *rest: object, **named: object) -> object:
        made, mailbox = real(sequence, *rest, **named), present[-1]
        if made.label is None or mailbox.branch_name is None:
            return made
        return replace(made, label=made_of(store_of(sequence), mailbox))

    sabotage.replace(RunSequence, "begin", first(begin))
    sabotage.replace(RunSequence, "_call", instead(call))


@fault(
    "label-of-the-present-title",
    "NAME-4",
    Kind.WRONG_SCOPE,
    "keeps the name, and labels fresh sessions by the title of today",
)
def _label_of_the_present_title(sabotage: Sabotage) -> None:
    _label_made_anew(sabotage, _made_anew)


# --- NAME-5: another prefix -----------------------------------------------------------------------------------------


@fault("renamed-with-the-prefix", "NAME-5", Kind.EXTRA_EFFECT, "renames every issue of the project with its prefix")
def _renamed_with_the_prefix(sabotage: Sabotage) -> None:
    def set_prefix(real: Real, store: Store, organization: str, project: str, prefix: str) -> None:
        real(store, organization, project, prefix)
        for mailbox in store.mailboxes(only_open=True):
            here = (mailbox.ref.organization, mailbox.ref.project) == (organization, project)
            if here and mailbox.branch_name is not None:
                store.set_mailbox(mailbox.id, branch_name=_with_prefix_of_today(store, mailbox))

    sabotage.replace(Store, "set_branch_prefix", instead(set_prefix))


@fault(
    "branch-of-the-present-prefix", "NAME-5", Kind.WRONG_VALUE, "stores names without a prefix and adds it at a push"
)
def _branch_of_the_present_prefix(sabotage: Sabotage) -> None:
    def publish(real: Real, engine: Engine, live: LiveRun, mailbox: Mailbox, answer: str) -> None:
        named = mailbox.branch_name is not None
        renamed = replace(mailbox, branch_name=_with_prefix_of_today(store_of(engine), mailbox)) if named else mailbox
        real(engine, live, renamed, answer)

    sabotage.replace(Engine, "_after_success", instead(publish))


@fault(
    "prefix-of-a-fresh-session", "NAME-5", Kind.WRONG_SCOPE, "names a session that replaces a lost one by today's rule"
)
def _prefix_of_a_fresh_session(sabotage: Sabotage) -> None:
    lost: set[int] = set()

    def resolved(
        found: tuple[Resolution, str | None], _: RunSequence, mailbox: Mailbox, *__: object
    ) -> tuple[Resolution, str | None]:
        lost.discard(mailbox.id)
        if found[0].reason is FallbackReason.STATE_MISSING:
            lost.add(mailbox.id)
        return found

    def name(made: str | None, sequence: RunSequence, mailbox: Mailbox) -> str | None:
        return _with_prefix_of_today(store_of(sequence), mailbox) if mailbox.id in lost else made

    sabotage.replace(RunSequence, "_resolve", gives(resolved))
    sabotage.replace(RunSequence, "_name", gives(name))


@fault(
    "label-of-the-present-prefix",
    "NAME-5",
    Kind.WRONG_SCOPE,
    "keeps the name, and labels fresh sessions with the new prefix",
)
def _label_of_the_present_prefix(sabotage: Sabotage) -> None:
    _label_made_anew(sabotage, _with_prefix_of_today)


# --- NAME-11: the name on the row ------------------------------------------------------------------------------------


@fault("name-on-the-first-row", "NAME-11", Kind.ONCE, "puts the name on the row of an issue's first run only")
def _name_on_the_first_row(sabotage: Sabotage) -> None:
    def start_run(real: Real, store: Store, mailbox: int, *rest: object, **session: object) -> object:
        earlier = len(store.sessions(mailbox))
        run = real(store, mailbox, *rest, **session)
        if earlier:
            later.add(run)
        return run

    def finish_run(recorded: object, store: Store, run: int, *_: object, **__: object) -> object:
        if run in later and recorded:
            set_run(store, run, session_name=None)
        return recorded

    later: set[int] = set()
    sabotage.replace(Store, "start_run", instead(start_run))
    sabotage.replace(Store, "finish_run", gives(finish_run))


@fault("name-of-successes", "NAME-11", Kind.MISSING_EFFECT, "takes the name off the row of a run that did not succeed")
def _name_of_successes(sabotage: Sabotage) -> None:
    def finish_run(recorded: object, store: Store, run: int, _: int, outcome: RunOutcome, **__: object) -> object:
        if recorded and outcome is not RunOutcome.SUCCEEDED:
            set_run(store, run, session_name=None)
        return recorded

    sabotage.replace(Store, "finish_run", gives(finish_run))


@fault("second-name", "NAME-11", Kind.WRONG_VALUE, "counts the fresh sessions of an issue in the name on the row")
def _second_name(sabotage: Sabotage) -> None:
    def start_run(real: Real, store: Store, mailbox: int, *rest: object, **session: object) -> object:
        if session.get("resume_fallback") is not None and store.sessions(mailbox):
            session["session_name"] = f"{session['session_name']}-2"
        return real(store, mailbox, *rest, **session)

    sabotage.replace(Store, "start_run", instead(start_run))

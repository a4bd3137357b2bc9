"""Faults of place: where the state of a mailbox and an adapter lies on the host, how it is called, who may read it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tck_driver.vocabulary import AdapterId, MailboxRef
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import Make, first, layout_of, store_of, then
from tck_fakes.faults.register import Real, fault
from tck_simulator import layout, run
from tck_simulator.engine import Engine
from tck_simulator.layout import Layout, directory_names
from tck_simulator.live import LiveRun
from tck_simulator.rows import Mailbox
from tck_simulator.run import RunSequence
from tck_simulator.store import Store

_OWNER_ONLY, _FOR_ALL = 0o700, 0o755

# --- ISOLATE-1: one place for each mailbox and adapter ---------------------------------------------------------------


@fault("project-first", "ISOLATE-1", Kind.WRONG_VALUE, "names a session directory project-organization-issue")
def _project_first(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def names(ref: MailboxRef) -> tuple[str, ...]:
            turned = MailboxRef(ref.project, ref.organization, ref.kind, ref.iid)
            return tuple(map(str, real(turned)))

        return names

    sabotage.replace(run, "directory_names", make)


@fault("lower-case-place", "ISOLATE-1", Kind.WRONG_VALUE, "writes the name of a session directory in lower case")
def _lower_case_place(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def names(ref: MailboxRef) -> tuple[str, ...]:
            return tuple(str(name).lower() for name in real(ref))

        return names

    sabotage.replace(run, "directory_names", make)


@fault("digits-for-all", "ISOLATE-1", Kind.WRONG_VALUE, "puts digits behind a name that is plain and free")
def _digits_for_all(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def names(ref: MailboxRef) -> tuple[str, ...]:
            return tuple(str(name) for name in real(ref) if "~" in str(name))

        return names

    sabotage.replace(run, "directory_names", make)


@fault("state-beside-worktrees", "ISOLATE-1", Kind.WRONG_SCOPE, "keeps session state among the worktrees")
def _state_beside_worktrees(sabotage: Sabotage) -> None:
    def state(own: Layout, name: str, adapter: AdapterId) -> Path:
        return own.worktrees / name / adapter

    sabotage.replace(Layout, "state", lambda _: state)


@fault("one-state-for-all-clis", "ISOLATE-1", Kind.WRONG_SCOPE, "keeps the sessions of all adapters in one directory")
def _one_state_for_all_clis(sabotage: Sabotage) -> None:
    def state(own: Layout, name: str, _adapter: AdapterId) -> Path:
        return own.sessions / name / "state"

    sabotage.replace(Layout, "state", lambda _: state)


@fault("first-cli-for-all", "ISOLATE-1", Kind.ONCE, "gives an issue's second adapter the directory of its first")
def _first_cli_for_all(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        known: dict[str, Path] = {}

        def state(own: Layout, name: str, adapter: AdapterId) -> Path:
            return known.setdefault(name, real(own, name, adapter))

        return state

    sabotage.replace(Layout, "state", make)


# --- ISOLATE-3, ISOLATE-7: nothing of another mailbox ----------------------------------------------------------------


@fault("first-issue-for-all", "ISOLATE-3", Kind.ONCE, "mounts the first issue's state directory for every later issue")
def _first_issue_for_all(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        known: dict[AdapterId, Path] = {}

        def state(own: Layout, name: str, adapter: AdapterId) -> Path:
            return known.setdefault(adapter, real(own, name, adapter))

        return state

    sabotage.replace(Layout, "state", make)


def _unasked(name_of: Callable[[MailboxRef], str]) -> Make:
    """Take a name for a mailbox, whoever else has it."""

    def make(_: Real) -> Real:
        def claim(sequence: RunSequence, mailbox: Mailbox) -> str:
            store_of(sequence).set_mailbox(mailbox.id, session_dir=name_of(mailbox.ref))
            return name_of(mailbox.ref)

        return claim

    return make


def _known_by(alike: Callable[[MailboxRef, MailboxRef], bool]) -> Make:
    """Give a mailbox the directory of another one that is taken for it."""

    def make(real: Real) -> Real:
        def claim(sequence: RunSequence, mailbox: Mailbox) -> str:
            for other in store_of(sequence).mailboxes():
                if other.session_dir is not None and alike(other.ref, mailbox.ref):
                    store_of(sequence).set_mailbox(mailbox.id, session_dir=other.session_dir)
                    return other.session_dir
            return str(real(sequence, mailbox))

        return claim

    return make


@fault("known-by-number", "ISOLATE-3", Kind.WRONG_SCOPE, "knows a session directory by the number of its issue alone")
def _known_by_number(sabotage: Sabotage) -> None:
    def alike(one: MailboxRef, two: MailboxRef) -> bool:
        return one.iid == two.iid

    sabotage.replace(RunSequence, "_claim", _known_by(alike))


@fault("known-by-organization", "ISOLATE-3", Kind.WRONG_SCOPE, "leaves the project out where it looks for a directory")
def _known_by_organization(sabotage: Sabotage) -> None:
    def alike(one: MailboxRef, two: MailboxRef) -> bool:
        return (one.organization, one.iid) == (two.organization, two.iid)

    sabotage.replace(RunSequence, "_claim", _known_by(alike))


@fault("known-by-project", "ISOLATE-3", Kind.WRONG_SCOPE, "leaves the organization out where it looks for a directory")
def _known_by_project(sabotage: Sabotage) -> None:
    def alike(one: MailboxRef, two: MailboxRef) -> bool:
        return (one.project, one.iid) == (two.project, two.iid)

    sabotage.replace(RunSequence, "_claim", _known_by(alike))


@fault("directory-of-project", "ISOLATE-7", Kind.WRONG_SCOPE, "keeps one session directory for all issues of a project")
def _directory_of_project(sabotage: Sabotage) -> None:
    def named(ref: MailboxRef) -> str:
        return f"{ref.organization}-{ref.project}"

    sabotage.replace(RunSequence, "_claim", _unasked(named))


@fault("directory-that-begins-alike", "ISOLATE-7", Kind.WRONG_VALUE, "takes a directory whose name begins its own")
def _directory_that_begins_alike(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def claim(sequence: RunSequence, mailbox: Mailbox) -> str:
            own = directory_names(mailbox.ref)[0]
            found = [path.name for path in layout.entries(layout_of(sequence).sessions) if own.startswith(path.name)]
            return found[0] if found else str(real(sequence, mailbox))

        return claim

    sabotage.replace(RunSequence, "_claim", make)


# --- ISOLATE-8: distinct mailboxes have distinct directories ---------------------------------------------------------


@fault("joined-name-shared", "ISOLATE-8", Kind.MISSING_EFFECT, "does not ask whether a directory's name is taken")
def _joined_name_shared(sabotage: Sabotage) -> None:
    def named(ref: MailboxRef) -> str:
        return directory_names(ref)[0]

    sabotage.replace(RunSequence, "_claim", _unasked(named))


@fault("case-tells-apart", "ISOLATE-8", Kind.WRONG_VALUE, "takes two names that differ by case for distinct ones")
def _case_tells_apart(sabotage: Sabotage) -> None:
    def make(_: Real) -> Real:
        def claim(store: Store, identity: int, wanted: Sequence[str]) -> str | None:
            held = {box.session_dir for box in store.mailboxes() if box.id != identity}
            free = next((name for name in wanted if name not in held), None)
            if free is not None:
                store.set_mailbox(identity, session_dir=free)
            return free

        return claim

    sabotage.replace(Store, "claim_directory", make)


@fault(
    "digits-of-joined-name", "ISOLATE-8", Kind.WRONG_VALUE, "takes the digits from the joined name, without zero bytes"
)
def _digits_of_joined_name(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def names(ref: MailboxRef) -> tuple[str, ...]:
            plain = f"{ref.organization}-{ref.project}-issue-{ref.iid}"
            digits = [str(name).rpartition("~") for name in real(ref)]
            digest = hashlib.sha256(plain.encode()).hexdigest()
            return tuple(f"{head}~{digest[: len(tail)]}" if mark else tail for head, mark, tail in digits)

        return names

    sabotage.replace(run, "directory_names", make)


@fault("name-of-100", "ISOLATE-8", Kind.WRONG_VALUE, "cuts the name of a session directory at 100 characters")
def _name_of_100(sabotage: Sabotage) -> None:
    sabotage.replace(layout, "_LONGEST_NAME", lambda _: 100)


@fault("hidden-directory", "ISOLATE-8", Kind.WRONG_VALUE, "takes a name that begins with a dot for a plain one")
def _hidden_directory(sabotage: Sabotage) -> None:
    sabotage.replace(layout, "_PLAIN", lambda _: re.compile(r"[A-Za-z0-9._-]+"))


@fault("name-chosen-again", "ISOLATE-8", Kind.WRONG_MOMENT, "chooses the name of a directory anew at every run")
def _name_chosen_again(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def resolved(sequence: RunSequence, mailbox: Mailbox, *rest: object) -> object:
            if mailbox.session_dir is not None:
                store_of(sequence).set_mailbox(mailbox.id, session_dir=None)
                name = store_of(sequence).claim_directory(mailbox.id, directory_names(mailbox.ref))
                mailbox = replace(mailbox, session_dir=name)
            return real(sequence, mailbox, *rest)

        return resolved

    sabotage.replace(RunSequence, "_resolve", make)


@fault("squatter-moves-in", "ISOLATE-8", Kind.MISSING_EFFECT, "leaves what stands at the path of a new issue")
def _squatter_moves_in(sabotage: Sabotage) -> None:
    def make(_: Real) -> Real:
        def claim(sequence: RunSequence, mailbox: Mailbox) -> str:
            names = directory_names(mailbox.ref)
            return store_of(sequence).claim_directory(mailbox.id, names) or names[-1]

        return claim

    sabotage.replace(RunSequence, "_claim", make)


# --- ISOLATE-11: for their owner alone -------------------------------------------------------------------------------


@fault("state-for-all-to-read", "ISOLATE-11", Kind.WRONG_VALUE, "makes session directories with mode 0755")
def _state_for_all_to_read(sabotage: Sabotage) -> None:
    sabotage.replace(layout, "_OWNER_ONLY", lambda _: _FOR_ALL)


@fault("mode-set-once", "ISOLATE-11", Kind.ONCE, "sets the mode of a state directory when it makes it, and never again")
def _mode_set_once(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        made: set[Path] = set()

        def prepared(state: Path) -> None:
            modes = {path: path.stat().st_mode for path in (state.parent, state) if state in made and path.is_dir()}
            real(state)
            made.add(state)
            for path, mode in modes.items():
                path.chmod(mode)

        return prepared

    sabotage.replace(run, "prepare", make)


@fault(
    "state-directory-open", "ISOLATE-11", Kind.WRONG_SCOPE, "keeps the outer directory private, and not the adapters'"
)
def _state_directory_open(sabotage: Sabotage) -> None:
    def opened(state: Path) -> None:
        state.chmod(_FOR_ALL)

    sabotage.replace(run, "prepare", then(opened))


@fault(
    "mode-after-the-run", "ISOLATE-11", Kind.WRONG_MOMENT, "makes the state directory private once the run has ended"
)
def _mode_after_the_run(sabotage: Sabotage) -> None:
    def opened(state: Path) -> None:
        state.chmod(_FOR_ALL)

    def closed(_engine: Engine, live: LiveRun, *_: object) -> None:
        if live.state is not None:
            live.state.chmod(_OWNER_ONLY)

    sabotage.replace(run, "prepare", then(opened))
    sabotage.replace(Engine, "_finish", first(closed))

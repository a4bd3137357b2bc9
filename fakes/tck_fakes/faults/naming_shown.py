"""Faults of naming: the name as others see it, on a pushed branch and as the label of a session."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from tck_fakes.faults.changed import gives, instead
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import first, store_of
from tck_fakes.faults.register import Real, fault
from tck_simulator.adapters import Call, Invocation, claude_code, copilot
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.ports import Forge
from tck_simulator.rows import Mailbox
from tck_simulator.run import RunSequence
from tck_simulator.states import PUSHING, IssueState
from tck_simulator.versions import Version

#: Specification: §16.5.1. Copilot takes no longer label.
_LONGEST = 100


def _push(engine: Engine, mailbox: Mailbox) -> None:
    """Push the branch of an issue that has a name."""
    if mailbox.branch_name is not None:
        forge = cast("Forge", vars(engine)["_forge"])
        forge.push_branch(mailbox.ref.organization, mailbox.ref.project, mailbox.branch_name)


# --- NAME-6: the branch is pushed under exactly the name, and not too early ------------------------------------------


@fault("flat-branch", "NAME-6", Kind.WRONG_VALUE, "makes the slashes of a name dashes when it pushes the branch")
def _flat_branch(sabotage: Sabotage) -> None:
    def publish(real: Real, engine: Engine, live: LiveRun, mailbox: Mailbox, answer: str) -> None:
        flat = None if mailbox.branch_name is None else mailbox.branch_name.replace("/", "-")
        real(engine, live, replace(mailbox, branch_name=flat), answer)

    sabotage.replace(Engine, "_after_success", instead(publish))


@fault(
    "branch-before-development", "NAME-6", Kind.WRONG_MOMENT, "makes the branch just before the issue is in development"
)
def _branch_before_development(sabotage: Sabotage) -> None:
    def set_state(engine: Engine, mailbox: Mailbox, state: IssueState, **_: object) -> None:
        if state is IssueState.IN_DEVELOPMENT:
            _push(engine, mailbox)

    sabotage.replace(Engine, "_set_state", first(set_state))


@fault("branch-of-an-answer", "NAME-6", Kind.WRONG_SCOPE, "pushes the branch after every run, analysis and answer too")
def _branch_of_an_answer(sabotage: Sabotage) -> None:
    def publish(engine: Engine, live: LiveRun, mailbox: Mailbox, _: str) -> None:
        if live.phase not in PUSHING:
            _push(engine, mailbox)

    sabotage.replace(Engine, "_after_success", first(publish))


@fault("second-branch", "NAME-6", Kind.ONCE, "pushes each later run to a branch of its own")
def _second_branch(sabotage: Sabotage) -> None:
    def publish(real: Real, engine: Engine, live: LiveRun, mailbox: Mailbox, answer: str) -> None:
        if store_of(engine).has_merge_request(mailbox.id):
            mailbox = replace(mailbox, branch_name=f"{mailbox.branch_name}-{live.run}")
        real(engine, live, mailbox, answer)

    sabotage.replace(Engine, "_after_success", instead(publish))


@fault("one-branch-for-one-title", "NAME-6", Kind.WRONG_SCOPE, "pushes to the branch of the first issue of that title")
def _one_branch_for_one_title(sabotage: Sabotage) -> None:
    def publish(real: Real, engine: Engine, live: LiveRun, mailbox: Mailbox, answer: str) -> None:
        alike = (one for one in store_of(engine).mailboxes() if one.title == mailbox.title and one.branch_name)
        real(engine, live, replace(mailbox, branch_name=next(alike, mailbox).branch_name), answer)

    sabotage.replace(Engine, "_after_success", instead(publish))


@fault(
    "branch-of-whoever-began-last", "NAME-6", Kind.WRONG_SCOPE, "remembers one branch only, that of the run begun last"
)
def _branch_of_whoever_began_last(sabotage: Sabotage) -> None:
    last: list[str] = []

    def begun(live: LiveRun, sequence: RunSequence, mailbox: Mailbox, *_: object) -> LiveRun:
        last.append(store_of(sequence).mailbox_by_id(mailbox.id).branch_name or "")
        return live

    def publish(real: Real, engine: Engine, live: LiveRun, mailbox: Mailbox, answer: str) -> None:
        real(engine, live, replace(mailbox, branch_name=last[-1]) if last else mailbox, answer)

    sabotage.replace(RunSequence, "begin", gives(begun))
    sabotage.replace(Engine, "_after_success", instead(publish))


# --- NAME-7: the name as a label -------------------------------------------------------------------------------------


@fault("label-for-every-version", "NAME-7", Kind.WRONG_SCOPE, "gives a label to versions of claude that know none")
def _label_for_every_version(sabotage: Sabotage) -> None:
    sabotage.replace(claude_code, "_LABEL_FROM", lambda _: Version(0, 0, 0))


@fault("versions-as-text", "NAME-7", Kind.MISSING_EFFECT, "compares versions as texts, so that 10 comes before 2")
def _versions_as_text(sabotage: Sabotage) -> None:
    def fresh(real: Real, adapter: ClaudeCode, call: Call) -> object:
        return real(adapter, replace(call, label=None) if str(call.version) < "2.1.197" else call)

    sabotage.replace(ClaudeCode, "fresh", instead(fresh))


@fault(
    "no-label-after-a-refusal", "NAME-7", Kind.ONCE, "labels the first session of an issue, not the one after a refusal"
)
def _no_label_after_a_refusal(sabotage: Sabotage) -> None:
    def afresh(_: RunSequence, live: LiveRun) -> None:
        live.call = replace(live.call, label=None)

    sabotage.replace(RunSequence, "_start_afresh", first(afresh))


@fault("label-without-prefix", "NAME-7", Kind.WRONG_VALUE, "leaves the prefix out of the label")
def _label_without_prefix(sabotage: Sabotage) -> None:
    def call(real: Real, sequence: RunSequence, *rest: object, **named: object) -> object:
        made = real(sequence, *rest, **named)
        return made if made.label is None else replace(made, label=made.label.rpartition("/")[2])

    sabotage.replace(RunSequence, "_call", instead(call))


@fault(
    "label-cut", "NAME-7", Kind.EXTRA_EFFECT, "cuts a name that is too long for copilot, and gives the piece as a label"
)
def _label_cut(sabotage: Sabotage) -> None:
    def fresh(real: Real, adapter: Copilot, call: Call) -> object:
        return real(adapter, call if call.label is None else replace(call, label=call.label[:_LONGEST]))

    sabotage.replace(Copilot, "fresh", instead(fresh))


@fault("label-of-any-length", "NAME-7", Kind.WRONG_VALUE, "gives copilot a label that is too long for it")
def _label_of_any_length(sabotage: Sabotage) -> None:
    sabotage.replace(copilot, "_LONGEST_LABEL", lambda _: 1000)


@fault("label-at-a-resume", "NAME-7", Kind.WRONG_MOMENT, "gives the name as a title again when it resumes a session")
def _label_at_a_resume(sabotage: Sabotage) -> None:
    def resumed(made: Invocation, _: OpenCode, call: Call, __: str) -> Invocation:
        at = made.argv.index("--")
        return replace(made, argv=(*made.argv[:at], f"--title={call.label}", *made.argv[at:]))

    sabotage.replace(OpenCode, "resume", gives(resumed))

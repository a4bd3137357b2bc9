"""What happens: runs that are due, events of the tracker, administrators, time, crashes, and damage to state."""

from __future__ import annotations

import shutil

from tck_driver.bench import VersionShape
from tck_driver.configuration import Binding, SettingScope
from tck_driver.stimuli import (
    BindingChanged,
    InstallationChanged,
    IssueClosed,
    IssueDeleted,
    IssueReopened,
    IssueRetitled,
    IssueRetry,
    LeaseExpired,
    MergeRequestEventSent,
    PrefixChanged,
    ReconcileDue,
    SettingChanged,
    WorkerWoken,
)
from tck_driver.vocabulary import AdapterId, Closing, MergeRequestEvent, Phase
from tck_driver.witness import ForgeWrite
from tck_features.sentences import given, when
from tck_features.world import World


@when("a(n) {phase} run of {party} is due")
def a_run_is_due(world: World, phase: Phase, party: str) -> None:
    """Let a run be due."""
    world.run(party, phase)


@when("a human_review run of the merge request is due")
def a_review_is_due(world: World) -> None:
    """Let a review of a human's merge request be due."""
    world.run("the merge request", Phase.HUMAN_REVIEW)


@when("the engine starts")
def the_engine_starts(world: World) -> None:
    """Open the engine and let nothing else happen."""
    world.open()


@given("the agent's merge request reported {event}")
@when("the agent's merge request reports {event}")
def merge_request_event(world: World, event: MergeRequestEvent) -> None:
    """Send an event of the merge request that the engine opened for the issue."""
    ref = world.ref("the issue")
    opened = [write for write in world.bench.witness.of(ForgeWrite) if write.kind == "merge_request"]
    world.checks.expect(
        "the agent has opened a merge request", expected=True, actual=bool(opened), rests_on="witnessed"
    )
    world.send(MergeRequestEventSent(ref.organization, ref.project, opened[-1].number or 0, event))


@given("{party} was retitled to {string}")
@when("{party} is retitled to {string}")
def retitled(world: World, party: str, title: str) -> None:
    """Edit the title."""
    world.send(IssueRetitled(world.ref(party), title))


@given("BRANCH_PREFIX was changed to {string}")
@when("BRANCH_PREFIX is changed to {string}")
def prefix_changed(world: World, prefix: str) -> None:
    """Change the project's branch prefix."""
    ref = world.ref("the issue")
    world.send(PrefixChanged(ref.organization, ref.project, prefix))


@when("{party} is {closing}")
def closed(world: World, party: str, how: Closing) -> None:
    """End an issue."""
    world.send(IssueClosed(world.ref(party), how))


@given("{party} was {closing}, which the tracker did not announce")
def ended_unannounced(world: World, party: str, how: Closing) -> None:
    """End an issue on the tracker alone; the engine has to find it out (§21.2)."""
    world.open()
    world.bench.tracker_ends(world.ref(party), how)


@given("{party} was reopened")
@when("{party} is reopened")
def reopened(world: World, party: str) -> None:
    """Open an ended issue again."""
    world.send(IssueReopened(world.ref(party)))


@when("{party} is deleted from the tracker")
def deleted(world: World, party: str) -> None:
    """Delete an issue; the tracker announces it and answers 404 from now on."""
    world.send(IssueDeleted(world.ref(party)))


@when("a human retries {party}")
def retried(world: World, party: str) -> None:
    """Set `ai::retry`."""
    world.send(IssueRetry(world.ref(party)))


@given("an administrator has set AGENT_SESSION_RESUME to {string} at {scope} scope")
@when("an administrator sets AGENT_SESSION_RESUME to {string} at {scope} scope")
def setting_changed(world: World, value: str, scope: SettingScope) -> None:
    """Store a value as it was typed."""
    _set(world, value, scope)


@when("an administrator sets AGENT_SESSION_RESUME to the number {int} at {scope} scope")
def setting_changed_to_number(world: World, value: int, scope: SettingScope) -> None:
    """Store a number where a boolean belongs."""
    _set(world, value, scope)


def _set(world: World, value: str | int, scope: SettingScope) -> None:
    ref = world.ref("the issue")
    project = ref.project if scope == "project" else ""
    world.send(SettingChanged(scope, ref.organization, project, "AGENT_SESSION_RESUME", value))


@given("the project was bound to {adapter}")
@when("the project is bound to {adapter}")
def bound(world: World, adapter: AdapterId) -> None:
    """Bind every phase to another adapter."""
    ref = world.ref("the issue")
    world.send(BindingChanged(ref.organization, ref.project, Binding(adapter)))


@given("the project was bound to provider {string} and model {string}")
def bound_to_model(world: World, provider: str, model: str) -> None:
    """Keep the adapter, and change provider and model."""
    ref = world.ref("the issue")
    world.send(BindingChanged(ref.organization, ref.project, Binding(world.adapter(), provider, model)))


@given("a new image of {adapter} with version {word} was installed")
@when("a new image of {adapter} with version {word} is installed")
def installed(world: World, adapter: AdapterId, version: str) -> None:
    """Install another image."""
    world.open()
    world.bench.set_version(adapter, version)
    world.send(InstallationChanged(adapter, f"runner-{adapter}:{world.word()}"))


@given("a new image of {adapter} was installed whose version command {version_behaviour}")
@when("a new image of {adapter} is installed whose version command {version_behaviour}")
def installed_unreadable(world: World, adapter: AdapterId, shape: VersionShape) -> None:
    """Install an image whose version cannot be read."""
    world.open()
    world.bench.set_version(adapter, "9.9.9", shape)
    world.send(InstallationChanged(adapter, f"runner-{adapter}:{world.word()}"))


@given("the lease of {party} has expired")
@when("the lease of {party} expires")
def lease_expired(world: World, party: str) -> None:
    """Let the worker that holds the mailbox stop answering."""
    world.send(LeaseExpired(world.ref(party)))


@when("the worker that had {party} wakes up")
def worker_woke(world: World, party: str) -> None:
    """Let that worker go on."""
    world.send(WorkerWoken(world.ref(party)))


@given("the reconciler has swept")
@when("the reconciler sweeps")
def sweep(world: World) -> None:
    """Let the sweeps be due."""
    world.send(ReconcileDue())


@when("{int} second(s) pass")
def seconds_pass(world: World, seconds: int) -> None:
    """Let time pass."""
    world.advance(seconds * 1_000)


@when("{int} minute(s) pass")
def minutes_pass(world: World, minutes: int) -> None:
    """Let time pass."""
    world.advance(minutes * 60_000)


@given("the engine was killed and started again")
@when("the engine is killed and started again")
def restarted(world: World) -> None:
    """Cut the power and start again on what is there."""
    world.engine.kill()
    world.engine.start()
    world.settle()


@when("the CLI goes on to its end")
def released(world: World) -> None:
    """Let a hanging CLI end in the ordinary way."""
    world.bench.release()
    world.advance(0)


@given("the state directory of {party} was removed")
def state_removed(world: World, party: str) -> None:
    """Remove the state directory of the party's adapter."""
    shutil.rmtree(world.standing(party))


@given("the state directory of {party} was emptied")
def state_emptied(world: World, party: str) -> None:
    """Empty the state directory, and leave it there."""
    folder = world.standing(party)
    shutil.rmtree(folder)
    folder.mkdir(mode=0o700)


@given("every session file of {party} was cut off in its first line")
def state_cut(world: World, party: str) -> None:
    """Leave of each file what a crash in the middle of its first line would leave."""
    for file in world.standing(party).rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[:7])


@given("every session file of {party} was overwritten with zero bytes")
def state_zeroed(world: World, party: str) -> None:
    """Leave files of the same size that hold nothing but NUL."""
    for file in world.standing(party).rglob("*"):
        if file.is_file():
            file.write_bytes(b"\0" * file.stat().st_size)


@given("the stored native id of the {ordinal} run was overwritten with {string}")
def tampered(world: World, ordinal: int, value: str) -> None:
    """Change a row behind the engine's back."""
    world.overwrite_native_id(world.row(ordinal).run, value)

"""What was before: projects, issues, settings, versions, scripts of the CLIs, and runs that have ended."""

from __future__ import annotations

from tck_driver.bench import Link, Script, Shape, VersionShape, Write
from tck_driver.configuration import Binding, SettingScope, SettingValue, StoredSetting
from tck_driver.errors import KitError
from tck_driver.stimuli import IssueBlocked, IssueClosed, SettingChanged
from tck_driver.vocabulary import AdapterId, Closing, Phase
from tck_features.sentences import given
from tck_features.world import STATE_PATHS, World


@given("an issue served by {adapter}")
def an_issue(world: World, adapter: AdapterId) -> None:
    """Add a project bound to one adapter, with one issue."""
    world.add_party("the issue", world.add_project(adapter))


@given("an issue served by {adapter}, titled {string}")
def an_issue_titled(world: World, adapter: AdapterId, title: str) -> None:
    """Add an issue with a title that matters."""
    world.add_party("the issue", world.add_project(adapter), title=title)


@given("an issue served by {adapter}, whose title is {title}")
def an_issue_of_hostile_title(world: World, adapter: AdapterId, title: str) -> None:
    """Add an issue with a title that no feature file could hold."""
    world.add_party("the issue", world.add_project(adapter), title=title)


@given("issue {int} served by {adapter}, titled {string}")
def a_numbered_issue(world: World, iid: int, adapter: AdapterId, title: str) -> None:
    """Add an issue with a number and a title that matter."""
    world.add_party("the issue", world.add_project(adapter), iid=iid, title=title)


@given("another issue of the same project")
def another_issue(world: World) -> None:
    """Add a second issue beside the first."""
    world.add_party("the other issue", world.before.projects[0])


@given("a twin issue of the same title in the same project")
def a_twin_issue(world: World) -> None:
    """Add an issue that differs in its number alone."""
    world.add_party("the twin issue", world.before.projects[0], title=world.titles[world.ref("the issue")])


@given("an issue of the same number in another project of the organization")
def an_issue_of_another_project(world: World) -> None:
    """Add an issue that differs in its project alone."""
    ref = world.ref("the issue")
    world.add_party("the other issue", world.add_project(world.adapter(), ref.organization), iid=ref.iid)


@given("an issue of the same number and project name in another organization")
def an_issue_of_another_organization(world: World) -> None:
    """Add an issue that differs in its organization alone."""
    ref = world.ref("the issue")
    world.add_party("the other issue", world.add_project(world.adapter(), None, ref.project), iid=ref.iid)


@given("issue {int} of organization {string} and project {string}, served by {adapter}")
def an_addressed_issue(world: World, iid: int, organization: str, project: str, adapter: AdapterId) -> None:
    """Add the issue under an address that matters."""
    world.add_party("the issue", world.add_project(adapter, organization, project), iid=iid)


@given("another issue {int} of organization {string} and project {string}, served by {adapter}")
def another_addressed_issue(world: World, iid: int, organization: str, project: str, adapter: AdapterId) -> None:
    """Add a second issue under an address that matters."""
    world.add_party("the other issue", world.add_project(adapter, organization, project), iid=iid)


@given("a merge request that a human handed to the agent, served by {adapter}")
def a_human_merge_request(world: World, adapter: AdapterId) -> None:
    """Add a merge request with a mailbox of its own."""
    world.add_party("the merge request", world.add_project(adapter), kind="merge_request")


@given("the branch prefix is {string}")
def the_prefix(world: World, prefix: str) -> None:
    """Set `BRANCH_PREFIX` of the first project."""
    world.set_prefix(prefix)


@given("the {phase} phase is served by {adapter}")
def the_phase_is_served_by(world: World, phase: Phase, adapter: AdapterId) -> None:
    """Bind one phase to another adapter."""
    world.bind(phase, Binding(adapter))


@given("AGENT_SESSION_RESUME is {word} at {scope} scope")
def the_setting(world: World, value: str, scope: SettingScope) -> None:
    """Store the setting: before the engine is opened, or as an administrator would once it is."""
    ref = next(iter(world.parties.values()))
    project = ref.project if scope == "project" else ""
    values: dict[str, SettingValue] = {"true": True, "false": False}
    stored: StoredSetting = (scope, ref.organization, project, "AGENT_SESSION_RESUME", values[value])
    if world.opened:
        world.send(SettingChanged(*stored))
    else:
        world.before.settings.append(stored)


@given("credentials are mounted at {string}")
def credentials(world: World, target: str) -> None:
    """Mount a credential file of the host, as `AGENT_CREDENTIAL_MOUNTS` says."""
    source = world.bench.base.parent / "credentials"
    source.mkdir(exist_ok=True)
    file = source / f"file-{len(world.before.credentials)}"
    file.write_text("secret", encoding="utf-8")
    world.before.credentials.append((target, str(file)))


@given("the {adapter} CLI has version {word}")
def the_version(world: World, adapter: AdapterId, version: str) -> None:
    """Decide what is installed before the engine starts."""
    world.bench.set_version(adapter, version)


@given("the version command of {adapter} {version_behaviour}")
def the_version_command(world: World, adapter: AdapterId, shape: VersionShape) -> None:
    """Decide how the version command behaves."""
    world.bench.set_version(adapter, "9.9.9", shape)


@given("a(n) {phase} run of {party} has ended")
def a_run_has_ended(world: World, phase: Phase, party: str) -> None:
    """Run a phase to its end."""
    world.run(party, phase)
    _must_have_ended(world, party)


@given("a human_review run of the merge request has ended")
def a_review_has_ended(world: World) -> None:
    """Review a human's merge request."""
    world.run("the merge request", Phase.HUMAN_REVIEW)
    _must_have_ended(world, "the merge request")


def _must_have_ended(world: World, party: str) -> None:
    world.checks.expect(
        f"the run of {party} that comes first has succeeded",
        expected="succeeded",
        actual=world.row(-1, party).outcome,
        rests_on=world.evidence,
    )


@given("a(n) {phase} run of {party} in which the CLI {behaviour}")
def a_run_of_a_kind(world: World, phase: Phase, party: str, shape: Shape) -> None:
    """Run a phase while the CLI does something in particular; the run need not succeed, nor end."""
    world.script(world.adapter(party), shape)
    world.run(party, phase)


@given("a(n) {phase} run of {party} in which the CLI reports the id {string}")
def a_run_with_an_odd_id(world: World, phase: Phase, party: str, reported: str) -> None:
    """Run a phase while the CLI reports something that is no id of its own."""
    world.script(world.adapter(party), Script("odd_id", reported_id=reported))
    world.run(party, phase)


@given("at its next start the CLI {behaviour}")
def the_next_start(world: World, shape: Shape) -> None:
    """Tell the CLI what to do once."""
    world.script(world.adapter(_first_party(world)), shape)


@given("at its next start the CLI {behaviour}, and at the one after it {behaviour}")
def the_next_two_starts(world: World, first: Shape, second: Shape) -> None:
    """Tell the CLI what to do twice."""
    world.script(world.adapter(_first_party(world)), first, second)


@given("at its next {int} starts the CLI {behaviour}")
def the_next_starts(world: World, count: int, shape: Shape) -> None:
    """Tell the CLI what to do several times."""
    world.script(world.adapter(_first_party(world)), *(Script(shape) for _ in range(count)))


@given("at its next start the CLI {behaviour} after {int} minute(s)")
def the_next_start_takes(world: World, shape: Shape, minutes: int) -> None:
    """Tell the CLI what to do once, and how long to take."""
    world.script(world.adapter(_first_party(world)), Script(shape, duration_ms=minutes * 60_000))


@given(
    "at its next start the CLI {behaviour} after {int} minute(s),"
    " and at the one after it {behaviour} after {int} minute(s)"
)
def the_next_two_starts_take(world: World, first: Shape, minutes: int, second: Shape, more: int) -> None:
    """Tell the CLI what to do twice, and how long to take."""
    scripts = (Script(first, duration_ms=minutes * 60_000), Script(second, duration_ms=more * 60_000))
    world.script(world.adapter(_first_party(world)), *scripts)


@given("at its next start the CLI reports the id {string}")
def the_next_start_reports(world: World, reported: str) -> None:
    """Let the CLI report something that is no id of its own."""
    world.script(world.adapter(_first_party(world)), Script("odd_id", reported_id=reported))


@given("at its next start the agent writes {string} to {string}")
def the_agent_writes(world: World, text: str, path: str) -> None:
    """Let the agent write a file, as code of the repository could; `{state}` is the session state path."""
    adapter = world.adapter(_first_party(world))
    world.script(adapter, Script(acts=(Write(path.replace("{state}", STATE_PATHS[adapter]), text),)))


@given("at its next start the agent links {string} to {string}")
def the_agent_links(world: World, path: str, target: str) -> None:
    """Let the agent plant a link; `{state}` is the session state path, `{other}` the other issue's state directory."""
    adapter = world.adapter(_first_party(world))
    where = path.replace("{state}", STATE_PATHS[adapter])
    to = target
    if "{other}" in target:
        to = target.replace("{other}", str(world.state_dir("the other issue", adapter)))
    world.script(adapter, Script(acts=(Link(where, to),)))


@given("{party} was {closing}")
def was_closed(world: World, party: str, how: Closing) -> None:
    """End an issue."""
    world.send(IssueClosed(world.ref(party), how))


@given("{party} is blocked")
def is_blocked(world: World, party: str) -> None:
    """Block an issue."""
    world.send(IssueBlocked(world.ref(party)))


@given("the tracker answers {tracker_answer} for {party}")
def the_tracker_answers(world: World, answer: str, party: str) -> None:
    """Decide how the tracker answers from now on."""
    world.open()
    match answer:
        case "404" | "500" | "503" | "401" | "403" | "429" | "timeout":
            world.bench.tracker_answers(world.ref(party), answer)
        case _:
            raise KitError(f"no such answer of a tracker: {answer}")


@given("{int} minute(s) has/have passed")
def minutes_have_passed(world: World, minutes: int) -> None:
    """Let time pass."""
    world.advance(minutes * 60_000)


@given("{int} day(s) have passed")
def days_have_passed(world: World, days: int) -> None:
    """Let days pass."""
    world.advance(days * 86_400_000)


def _first_party(world: World) -> str:
    return next(iter(world.parties))

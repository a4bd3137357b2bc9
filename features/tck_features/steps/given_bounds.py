"""What was before, where the bounds of sessions are at stake: settings, neighbours, planted files, odd ids, links."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tck_driver.bench import Script, Write
from tck_driver.configuration import SettingScope
from tck_driver.stimuli import MergeRequestEventSent, ReconcileDue, SettingChanged
from tck_driver.vocabulary import AdapterId, MailboxRef, MergeRequestEvent, Phase
from tck_features.checks import Value, plain
from tck_features.sentences import SENTENCES, given, when
from tck_features.world import STATE_PATHS, World

#: What a CLI can be made to report as its id, or an attacker to write into a row; none is an id of any adapter.
ODD_IDS: Mapping[str, str] = MappingProxyType(
    {
        "a path as its id": "../../x",
        "an absolute path as its id": "/etc/passwd",
        "an option as its id": "--yolo",
        "a short option as its id": "-c",
        "shell words as its id": "a;b$(id)",
        "two lines as its id": "x\ny",
        "ten thousand letters as its id": "a" * 10_000,
        "an empty text as its id": "",
        "a word of prose as its id": "management",
        "a UUID in capitals as its id": "0199A213-81C0-7800-8AA1-BBAB2A035A53",
        "a UUID with a line break as its id": "0199a213-81c0-7800-8aa1-bbab2a035a53\n",
        "a UUID with a space before it as its id": " 0199a213-81c0-7800-8aa1-bbab2a035a53",
        "a UUID with more behind it as its id": "0199a213-81c0-7800-8aa1-bbab2a035a53/..",
        "a UUID without dashes as its id": "0199a21381c078008aa1bbab2a035a53",
        "a UUID in other digits as its id": "\u0661199a213-81c0-7800-8aa1-bbab2a035a53",
        "a short opencode id as its id": "ses_4f2a",
        "an opencode id with a line break as its id": "ses_4f2aB7cD9eF0gH1iJ2kL3mN4o5\n",
        "an opencode id with an option as its id": "ses_4f2aB7cD9eF0gH1iJ2kL3mN4--",
    }
)

SENTENCES.parameter("odd_id", list(ODD_IDS), ODD_IDS.__getitem__)

_EVERYBODY = 0o777
_READ_ONLY = 0o500


@given("{word} is {int} for the whole instance")
def instance_setting(world: World, name: str, value: int) -> None:
    """Store a number at instance scope."""
    world.send(SettingChanged("instance", "", "", name, value))


@given("AGENT_SESSION_RESUME was removed at {scope} scope")
def setting_removed(world: World, scope: SettingScope) -> None:
    """Remove the stored value, so that the next scope decides."""
    ref = world.ref("the issue")
    project = ref.project if scope == "project" else ""
    world.send(SettingChanged(scope, ref.organization, project, "AGENT_SESSION_RESUME", None))


@given("AGENT_SESSION_RESUME is {word} for the organization of {party}")
def setting_of_organization(world: World, value: str, party: str) -> None:
    """Store the setting for the organization of any party, not only of the first."""
    ref = world.ref(party)
    world.send(SettingChanged("organization", ref.organization, "", "AGENT_SESSION_RESUME", value == "true"))


@given("an issue of the same title in another organization")
def same_title_elsewhere(world: World) -> None:
    """Add the other issue, equal but for its address, where no setting of the first organization holds."""
    ref = world.ref("the issue")
    world.add_party("the other issue", world.add_project(world.adapter()), title=world.titles[ref])


@given("an issue of the same title in another project of the organization")
def same_title_beside(world: World) -> None:
    """Add the other issue, equal but for its project and number."""
    ref = world.ref("the issue")
    project = world.add_project(world.adapter(), ref.organization)
    world.add_party("the other issue", project, title=world.titles[ref])


@given("issue {int} of the same project")
def numbered_neighbour(world: World, iid: int) -> None:
    """Add the other issue with a number that matters."""
    world.add_party("the other issue", world.before.projects[0], iid=iid)


@given("issue {int} of the same project as well")
def second_neighbour(world: World, iid: int) -> None:
    """Add the twin issue as a third one of the project."""
    world.add_party("the twin issue", world.before.projects[0], iid=iid)


@given("a merge request of the same number in the same project")
def merge_request_of_same_number(world: World) -> None:
    """Add a human's merge request whose number is the issue's."""
    iid = world.ref("the issue").iid
    world.add_party("the merge request", world.before.projects[0], kind="merge_request", iid=iid)


@when("the merge request reports {event}")
def human_merge_request_event(world: World, event: MergeRequestEvent) -> None:
    """Send an event of a human's merge request."""
    ref = world.ref("the merge request")
    world.send(MergeRequestEventSent(ref.organization, ref.project, ref.iid, event))


@when("the reconciler sweeps {int} times")
def sweeps(world: World, count: int) -> None:
    """Let the sweeps be due again and again."""
    for _ in range(count):
        world.send(ReconcileDue())


@given("credentials are mounted from {string} among the session directories, at {string}")
def credentials_from_state(world: World, name: str, target: str) -> None:
    """Name a host path at or below `{base}/.agent-sessions` in `AGENT_CREDENTIAL_MOUNTS`."""
    world.before.credentials.append((target, str(world.bench.base / ".agent-sessions" / name)))


@given("at its next start the agent plants another session wherever it can")
def agent_plants(world: World) -> None:
    """Let the agent write an id that nobody gave it to every place it reaches, and leave a newer foreign session."""
    adapter = world.adapter()
    planted = _some_id(world, adapter)
    world.notes["planted"] = planted
    state = STATE_PATHS[adapter]
    names = ("session-id", "last-session", "index.json", "session_index.jsonl", ".current", f"{planted}.jsonl")
    places = [f"{state}/{name}" for name in names]
    places += [f"/workspace/{name}" for name in (".agent-session", "session-id")]
    places += ["/home/agent/.agent-session", f"{state}/../session-id"]
    text = f'{{"id": "{planted}", "session_id": "{planted}", "sessionId": "{planted}"}}'
    acts = tuple(Write(place, text if "." in place.rpartition("/")[2] else planted) for place in places)
    world.script(adapter, Script("decoy_beside", acts=acts))


def _some_id(world: World, adapter: AdapterId) -> str:
    if adapter is AdapterId.OPENCODE:
        return "ses_" + "".join(world.random.choice("0123456789abcdefABCDEF") for _ in range(26))
    return str(uuid.UUID(int=world.random.getrandbits(128), version=4))


@given("a(n) {phase} run of {party} in which the CLI reports {odd_id}")
def run_with_hostile_id(world: World, phase: Phase, party: str, reported: str) -> None:
    """Run a phase while the CLI reports something that is no id of its own."""
    _odd(world, reported)
    world.run(party, phase)


def _odd(world: World, reported: str) -> None:
    world.notes["odd id"] = reported
    world.script(world.adapter(), Script("odd_id", reported_id=reported))


@given("the row of the {ordinal} run was tampered with to hold {odd_id}")
def tampered_with(world: World, ordinal: int, value: str) -> None:
    """Change a row behind the engine's back."""
    world.notes["odd id"] = value
    world.overwrite_native_id(world.row(ordinal).run, value)


@given("a file stands in place of the state directory of {party}")
def file_in_place(world: World, party: str) -> None:
    """Replace the state directory by a regular file."""
    state = world.standing(party)
    shutil.rmtree(state)
    state.write_text("no directory", encoding="utf-8")


@given("a link {string} to the parent directory stands in the state directory of {party}")
def link_loop(world: World, name: str, party: str) -> None:
    """Plant a link that leads round in a circle."""
    (world.standing(party) / name).symlink_to("..")


@given("a link to the state directory of {party} stands in the one of {party}")
def link_to_neighbour(world: World, other: str, party: str) -> None:
    """Plant a link among the session files that leads to another mailbox's."""
    (world.standing(party) / "neighbour").symlink_to(world.standing(other))


@given("a link {string} to it stands among the session directories")
def stray_link(world: World, name: str) -> None:
    """Plant a link to the directory that is none of the engine's business."""
    folder = world.bench.base / ".agent-sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).symlink_to(world.bench.base.parent / "not-the-engine's")


@given("a link {string} to nothing stands among the session directories")
def dangling_link(world: World, name: str) -> None:
    """Plant a link that leads nowhere."""
    world.open()
    folder = world.bench.base / ".agent-sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).symlink_to(folder / "nothing")


@given("a file {string} stands among the session directories")
def stray_file(world: World, name: str) -> None:
    """Leave a file where directories belong."""
    world.open()
    folder = world.bench.base / ".agent-sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("stray", encoding="utf-8")


@given("a directory of nobody stands where the state of {party} will be")
def squatter(world: World, party: str) -> None:
    """Leave files at the path that the mailbox is going to choose."""
    world.open()
    state = world.state_dir(party)
    state.mkdir(parents=True, exist_ok=True)
    (state / "squatter").write_text("of nobody", encoding="utf-8")


@given("the state directory of {party} was opened to everybody")
def opened_to_everybody(world: World, party: str) -> None:
    """Change modes as a container could."""
    state = world.standing(party)
    state.chmod(_EVERYBODY)
    state.parent.chmod(_EVERYBODY)


@given("the directories of {party} were left without write permission")
def left_read_only(world: World, party: str) -> None:
    """Change modes as a container could, at every depth."""
    folders = [Path(folder) for folder, _, _ in os.walk(world.standing(party))]
    for folder in reversed(folders):
        folder.chmod(_READ_ONLY)


@given("the files of {party} are {int} days old")
def aged(world: World, party: str, days: int) -> None:
    """Set the time of the last change of everything in a state directory back."""
    then = world.bench.now().timestamp() - days * 86_400
    folder = world.standing(party).parent
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (then, then), follow_symlinks=False)


@given("the state of {party} is noted in every detail")
def note_details(world: World, party: str) -> None:
    """Note content, mode and time of the last change of every file."""
    world.standing(party)
    world.notes[f"details of {party}"] = plain(details(world, party))


def details(world: World, party: str) -> dict[str, Value]:
    """Give, by path below the session directory, what every file and link of a party's state is."""
    folder = world.state_dir(party).parent
    found: dict[str, Value] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[name] = f"{oct(stat.S_IMODE(status.st_mode))} {status.st_mtime_ns} {digest}"
    return found


def plain_name(ref: MailboxRef) -> str:
    """Give `{organization}-{project}-issue-{iid}` (ISOLATE-1)."""
    return f"{ref.organization}-{ref.project}-issue-{ref.iid}"

"""Where a session ends: runs without one, what belongs to whom on the host, and what no id and no link may reach."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tck_driver.views import IncidentRow
from tck_driver.vocabulary import AdapterId, MailboxRef
from tck_driver.witness import ContainerEnded, ModelCalled
from tck_features.sentences import then
from tck_features.steps.given_bounds import details, plain_name
from tck_features.world import STATE_PATHS, Start, World, shown

#: By adapter, the id and label options of a fresh start, each with a value; without a session they fall away (§16.5.5).
FRESH_OPTIONS: Mapping[AdapterId, tuple[str, ...]] = MappingProxyType(
    {
        AdapterId.CLAUDE_CODE: ("--session-id", "--name", "-n"),
        AdapterId.CODEX: (),
        AdapterId.OPENCODE: ("--title",),
        AdapterId.COPILOT: ("--session-id", "--name", "-n"),
        AdapterId.GROK_BUILD: (),
    }
)

#: How a CLI calls what must never be kept from run to run: its configuration, its hooks and its credentials.
FOREIGN_FILES = re.compile(
    r"(?:auth|credentials?|\.credentials|config|settings|settings\.local|hooks|mcp-config|opencode)\.(?:jsonc?|toml|yaml)"
    r"|\.claude\.json|\.env",
)

_LONGEST_NAME = 200
_DIGITS = 8


# --- runs without a session ----------------------------------------------------------------------------------------


@then("the {ordinal} run of {party} was started as the {ordinal} run of {party}, sessions and prompts aside")
def started_alike(world: World, ordinal: int, party: str, other: int, model: str) -> None:
    """Check that a run got what a run with a session got, once the session's own things are taken away (OFF-2)."""
    start, pattern = _only(world, ordinal, party), _only(world, other, model)
    world.checks.expect(
        "arguments, environment, mounts and the rest of the container, without what belongs to sessions",
        expected=likeness(world, pattern, _adapter(pattern)),
        actual=likeness(world, start, None),
        rests_on="witnessed",
        evidence=shown([pattern, start]),
    )


def likeness(world: World, start: Start, session_of: AdapterId | None) -> dict[str, object]:
    """Give what a container was started with, prompt and host paths of the run aside.

    With `session_of`, what a session adds for that adapter is left out; without, everything counts.
    """
    container = start.container
    argv = ["<prompt>" if word == start.cli.prompt else word for word in start.cli.argv]
    argv = [word.replace(f"={start.cli.prompt}", "=<prompt>") for word in argv]
    mounts = list(container.mounts)
    environment = [f"{name}={value}" for name, value in container.environment]
    if session_of is not None:
        argv = _without(argv, FRESH_OPTIONS[session_of])
        mounts = [mount for mount in mounts if not world.is_session_path(mount.source)]
        environment = [pair for pair in environment if not pair.startswith("OPENCODE_DB=")]
    return {
        "argv": argv,
        "environment": sorted(environment),
        "mounts": sorted(
            f"{mount.target} {'ro' if mount.read_only else 'rw'}"
            f" {'<worktree>' if mount.target == '/workspace' else mount.source}"
            for mount in mounts
        ),
        "image": container.image,
        "user": container.user,
        "network": container.network,
        "home": container.home,
        "working directory": [container.workdir, start.cli.workdir],
        "standard input": "<prompt>" if container.stdin == start.cli.prompt else container.stdin,
        "root file system read-only": container.read_only_root,
        "labels": sorted(name for name, _ in container.labels),
    }


def _without(argv: list[str], options: tuple[str, ...]) -> list[str]:
    kept: list[str] = []
    value_follows = False
    for word in argv:
        if value_follows:
            value_follows = False
        elif word in options:
            value_follows = True
        elif word.partition("=")[0] not in options:
            kept.append(word)
    return kept


@then("the prompt of the {ordinal} run of {party} is that of the {ordinal} run of {party}, addresses aside")
def prompted_alike(world: World, ordinal: int, party: str, other: int, model: str) -> None:
    """Check that nothing of a session shows in the prompt."""
    prompts = [_anonymous(world, one, which) for one, which in ((other, model), (ordinal, party))]
    title = world.titles[world.ref(party)]
    world.checks.expect("the prompt names the issue", expected=True, actual=title in prompts[1], rests_on="witnessed")
    world.checks.expect("the prompt", expected=prompts[0], actual=prompts[1], rests_on="witnessed")


def _anonymous(world: World, ordinal: int, party: str) -> str:
    ref = world.ref(party)
    text = _only(world, ordinal, party).cli.prompt
    for word, stand_in in ((ref.organization, "<organization>"), (ref.project, "<project>"), (str(ref.iid), "<iid>")):
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", stand_in, text)
    return text


@then("no session directory was made for {party}")
def none_made_for(world: World, party: str) -> None:
    """Check that whatever stands below `{base}/.agent-sessions` is mounted by runs of other parties."""
    others = [row for other in world.parties if other != party for row in world.runs_of(other)]
    mounts = [mount for row in others for start in world.starts_of(row) for mount in world.session_mounts(start)]
    theirs = {Path(mount.source).parent.name for mount in mounts}
    found = [path.name for path in world.state_paths() if path.name not in theirs]
    world.checks.expect("session directories of no other party", expected=[], actual=found, rests_on="witnessed")


@then("the model provider was asked {int} time(s), with nothing of sessions")
def asked_provider(world: World, count: int) -> None:
    """Check the requests of API mode (OFF-4)."""
    calls = world.bench.witness.of(ModelCalled)
    world.checks.expect("requests to the model provider", expected=count, actual=len(calls), rests_on="witnessed")
    fields = [field for call in calls for field in call.session_fields]
    world.checks.expect("session fields in the requests", expected=[], actual=fields, rests_on="witnessed")


# --- what belongs to whom -------------------------------------------------------------------------------------------


@then("no run of {party} remembers or reaches anything of {party}")
def nothing_shared(world: World, party: str, other: str) -> None:
    """Check mounts with links followed, and what the CLI found in the session it loaded (ISOLATE-7)."""
    mine = [start for row in world.runs_of(party) for start in world.starts_of(row)]
    others = [start for row in world.runs_of(other) for start in world.starts_of(row)]
    for name, starts in ((party, mine), (other, others)):
        world.checks.expect(f"the CLI was started for {name}", expected=True, actual=bool(starts), rests_on="witnessed")
    theirs = [Path(mount.real_source) for start in others for mount in world.session_mounts(start)]
    reached = [
        mount.real_source
        for start in mine
        for mount in start.container.mounts
        if any(_overlap(Path(mount.real_source), path) for path in theirs)
    ]
    world.checks.expect("mounts that reach the other's state", expected=[], actual=reached, rests_on="witnessed")
    prompts = {start.cli.prompt for start in others}
    remembered = [text for start in mine if start.answer for text in start.answer.remembered if text in prompts]
    world.checks.expect(
        "prompts of the other that are remembered", expected=[], actual=remembered, rests_on="witnessed"
    )


def _overlap(one: Path, two: Path) -> bool:
    return one.is_relative_to(two) or two.is_relative_to(one)


@then("the session of the {ordinal} run of {party} remembers exactly the prompts of the runs before it")
def remembers_exactly(world: World, ordinal: int, party: str) -> None:
    """Check that the loaded history is the issue's own, whole and unmixed."""
    rows = world.runs_of(party)
    row = world.row(ordinal, party)
    before = [start.cli.prompt for one in rows[: rows.index(row)] for start in world.starts_of(one)]
    world.checks.expect("there were runs before", expected=True, actual=bool(before), rests_on="witnessed")
    start = _only(world, ordinal, party)
    actual = list(start.answer.remembered) if start.answer else []
    world.checks.expect("the loaded history", expected=before, actual=actual, rests_on="witnessed")


@then("the {ordinal} run of {party} mounts the state directory of its plain name")
def mounts_plain(world: World, ordinal: int, party: str) -> None:
    """Check the first rule of §3.4 (ISOLATE-1)."""
    _mounts_named(world, ordinal, party, plain_name(world.ref(party)))


@then("the {ordinal} run of {party} mounts the state directory of its name with digits")
def mounts_digits(world: World, ordinal: int, party: str) -> None:
    """Check the second rule of §3.4 (ISOLATE-8)."""
    _mounts_named(world, ordinal, party, _name_with_digits(world.ref(party)))


def _name_with_digits(ref: MailboxRef) -> str:
    plain = plain_name(ref)
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", plain)
    safe = f"_{safe[1:]}" if safe.startswith(".") else safe
    told_apart = b"\0".join(part.encode("utf-8") for part in (ref.organization, ref.project, str(ref.iid)))
    return f"{safe[:_LONGEST_NAME]}~{hashlib.sha256(told_apart).hexdigest()[:_DIGITS]}"


def _mounts_named(world: World, ordinal: int, party: str, name: str) -> None:
    row = world.row(ordinal, party)
    starts = world.starts_of(row)
    world.checks.expect("the CLI was started", expected=True, actual=bool(starts), rests_on="witnessed")
    expected = [str(world.bench.base / ".agent-sessions" / name / row.adapter_id)]
    for start in starts:
        found = [mount.source for mount in world.session_mounts(start)]
        world.checks.expect("the mounted state directory", expected=expected, actual=found, rests_on="witnessed")


@then("no file of configuration or credentials lies in the state of {party}")
def nothing_foreign(world: World, party: str) -> None:
    """Check names and contents of everything that is kept from run to run (ISOLATE-4)."""
    secrets = [Path(source).read_bytes() for _, source in world.before.credentials]
    files = [path for path in world.state_dir(party).parent.rglob("*") if path.is_file()]
    world.checks.expect("something is kept", expected=True, actual=bool(files), rests_on="witnessed")
    found = [path.name for path in files if FOREIGN_FILES.fullmatch(path.name) or path.read_bytes() in secrets]
    world.checks.expect("files that are no sessions", expected=[], actual=found, rests_on="witnessed")


@then("the {ordinal} run adds to a run without a session one mount and nothing else that is writable")
def one_more_mount(world: World, ordinal: int) -> None:
    """Check the whole list of mounts: worktree, credentials and sessions (ISOLATE-2, ISOLATE-4)."""
    row = world.row(ordinal)
    credentials = [f"{target} ro" for target, _ in world.before.credentials]
    session = f"{STATE_PATHS[AdapterId(row.adapter_id)]} rw"
    for start in world.starts_of(row):
        found = [f"{mount.target} {'ro' if mount.read_only else 'rw'}" for mount in start.container.mounts]
        rest = [mount for mount in found if not mount.startswith("/workspace ")]
        world.checks.expect(
            "mounts", expected=sorted([*credentials, session]), actual=sorted(rest), rests_on="witnessed"
        )
        database = dict(start.container.environment).get("OPENCODE_DB")
        inside = database is None or Path(database).is_relative_to(STATE_PATHS[AdapterId(row.adapter_id)])
        world.checks.expect("OPENCODE_DB lies in the mount", expected=True, actual=inside, rests_on="witnessed")


@then("container and worktree of the {ordinal} run are gone")
def run_is_cleared(world: World, ordinal: int) -> None:
    """Check what the `finally` clause of a run takes away (ISOLATE-6)."""
    starts = world.starts_of(world.row(ordinal))
    world.checks.expect("the CLI was started", expected=True, actual=bool(starts), rests_on="witnessed")
    removed = {record.container for record in world.bench.witness.of(ContainerEnded) if record.how == "removed"}
    left = [start.container.container for start in starts if start.container.container not in removed]
    world.checks.expect("containers that were not removed", expected=[], actual=left, rests_on="witnessed")
    _no_worktrees(world, starts)


@then("no worktree of {party} is left")
def no_worktree_of(world: World, party: str) -> None:
    """Check that what the runs of a party worked in is gone."""
    _no_worktrees(world, [start for row in world.runs_of(party) for start in world.starts_of(row)])


def _no_worktrees(world: World, starts: list[Start]) -> None:
    places = {mount.source for start in starts for mount in start.container.mounts if mount.target == "/workspace"}
    world.checks.expect("there was a worktree", expected=True, actual=bool(places), rests_on="witnessed")
    left = sorted(place for place in places if os.path.lexists(place))
    world.checks.expect("worktrees that are left", expected=[], actual=left, rests_on="witnessed")


@then("the state directory of {party} is a real one, without any file")
def state_is_empty(world: World, party: str) -> None:
    """Check that nobody but the CLI puts anything there (ISOLATE-13)."""
    state = world.state_dir(party)
    real = state.is_dir() and not state.is_symlink()
    world.checks.expect("it is a directory", expected=True, actual=real, rests_on="witnessed")
    found = sorted(str(path.relative_to(state)) for path in state.rglob("*"))
    world.checks.expect("what is in it", expected=[], actual=found, rests_on="witnessed")


@then("what was noted of {party} is as it was, and nothing is added")
def details_unchanged(world: World, party: str) -> None:
    """Check content, mode and time of the last change of every file, and that there is no other (ISOLATE-13)."""
    expected = world.notes[f"details of {party}"]
    world.checks.expect("files", expected=expected, actual=details(world, party), rests_on="witnessed")


@then("what was noted of {party} is as it was")
def details_kept(world: World, party: str) -> None:
    """Check the same, where a CLI has added files of its own."""
    expected = world.notes[f"details of {party}"]
    names = expected if isinstance(expected, dict) else {}
    world.checks.expect("something was noted", expected=True, actual=bool(names), rests_on="witnessed")
    found = {name: held for name, held in details(world, party).items() if name in names}
    world.checks.expect("files", expected=expected, actual=found, rests_on="witnessed")


@then("the whole state of {party} is for its owner alone")
def all_owner_only(world: World, party: str) -> None:
    """Check the modes of the session directory and of every state directory in it (ISOLATE-11)."""
    folder = world.state_dir(party).parent
    paths = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    world.checks.expect("there are state directories", expected=True, actual=len(paths) > 1, rests_on="witnessed")
    wide = [f"{path.name} {oct(stat.S_IMODE(path.lstat().st_mode))}" for path in paths]
    expected = [f"{path.name} 0o700" for path in paths]
    world.checks.expect("modes", expected=expected, actual=wide, rests_on="witnessed")


@then("nothing of the state of {party} is left under its plain name")
def nothing_under_plain_name(world: World, party: str) -> None:
    """Check that the directory of an earlier mailbox is gone, where the present one has another name."""
    folder = world.bench.base / ".agent-sessions" / plain_name(world.ref(party))
    world.checks.expect(f"{folder.name} is there", expected=False, actual=os.path.lexists(folder), rests_on="witnessed")


@then("no incident is on record")
def no_incident(world: World) -> None:
    """Check that nothing was found to go wrong (CLEAN-8)."""
    rows = [str(row) for row in world.view("incidents", IncidentRow)]
    world.checks.expect("incidents", expected=[], actual=rows, rests_on="reported")


# --- what no id may reach -------------------------------------------------------------------------------------------


@then("what the agent planted was neither asked for nor stored")
def planted_ignored(world: World) -> None:
    """Check arguments, environment, mounts and rows for the id that the agent wrote down (RESUME-4)."""
    planted = world.notes["planted"]
    _nowhere(world, planted if isinstance(planted, str) else "")


@then("that id is in no argument, no environment, no mount and no row")
def odd_id_ignored(world: World) -> None:
    """Check the same for an id that has no adapter's form (ISOLATE-10)."""
    odd = world.notes["odd id"]
    text = odd if isinstance(odd, str) else ""
    _nowhere(world, text)
    held = [row.run for row in world.table() if row.native_session_id is not None and row.native_session_id == text]
    world.checks.expect("rows that hold the id", expected=[], actual=held, rests_on=world.evidence)


@then("that id is in no argument, no environment and no mount")
def odd_id_not_used(world: World) -> None:
    """Check the same where a row was made to hold the id."""
    odd = world.notes["odd id"]
    _absent(world, odd if isinstance(odd, str) else "")


def _nowhere(world: World, text: str) -> None:
    _absent(world, text)
    held = [row.run for row in world.table() if text and text == row.native_session_id]
    world.checks.expect("rows that hold the id", expected=[], actual=held, rests_on=world.evidence)


def _absent(world: World, text: str) -> None:
    starts = world.starts()
    world.checks.expect("the CLI was started", expected=True, actual=bool(starts), rests_on="witnessed")
    found: list[str] = []
    for start in starts:
        argv = [word for word in start.cli.argv if word != start.cli.prompt]
        found += [word for word in argv if word == text or word.endswith(f"={text}")]
        words = [*argv, *(value for _, value in start.container.environment)]
        words += [path for mount in start.container.mounts for path in (mount.source, mount.target)]
        found += [word for word in words if len(text) > _DIGITS and text in word]
    world.checks.expect(
        "words that hold the id", expected=[], actual=found, rests_on="witnessed", evidence=shown(starts)
    )


def _only(world: World, ordinal: int, party: str) -> Start:
    return world.only_start(world.row(ordinal, party))


def _adapter(start: Start) -> AdapterId:
    return AdapterId(start.cli.adapter)

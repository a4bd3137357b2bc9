"""What was mounted, where it really led, and when containers ended."""

from __future__ import annotations

import stat
from itertools import pairwise
from pathlib import PurePosixPath

from tck_driver.vocabulary import AdapterId
from tck_driver.witness import ContainerStarted
from tck_features.sentences import then
from tck_features.world import STATE_PATHS, Start, World, shown


@then("the {ordinal} run mounts exactly its own state directory, read-write, at the session state path")
def own_mount(world: World, ordinal: int) -> None:
    """Check the one session mount of each start of a run (ISOLATE-2)."""
    _own_mount(world, ordinal, "the issue")


@then("the {ordinal} run of {party} mounts exactly its own state directory, read-write, at the session state path")
def own_mount_of(world: World, ordinal: int, party: str) -> None:
    """Check the same for a party."""
    _own_mount(world, ordinal, party)


def _own_mount(world: World, ordinal: int, party: str) -> None:
    row = world.row(ordinal, party)
    adapter = AdapterId(row.adapter_id)
    expected = [[str(world.state_dir(party, adapter)), STATE_PATHS[adapter], False]]
    for start in _starts(world, ordinal, party):
        found = [[mount.source, mount.target, mount.read_only] for mount in world.session_mounts(start)]
        world.checks.expect(
            "session mounts: source, target, read-only", expected=expected, actual=found, rests_on="witnessed"
        )


@then("the {ordinal} run of {party} mounts nothing of any session")
def no_session_mount(world: World, ordinal: int, party: str) -> None:
    """Check that a run without a session has no session mount."""
    for start in _starts(world, ordinal, party):
        found = [mount.source for mount in world.session_mounts(start)]
        world.checks.expect("session mounts", expected=[], actual=found, rests_on="witnessed")


@then("the {ordinal} run of {party} mounts its worktree and nothing else")
def only_worktree(world: World, ordinal: int, party: str) -> None:
    """Check that the container is what it would be without the feature."""
    for start in _starts(world, ordinal, party):
        found = sorted(mount.target for mount in start.container.mounts)
        world.checks.expect("mount targets", expected=["/workspace"], actual=found, rests_on="witnessed")


@then("no container was started")
def no_container(world: World) -> None:
    """Check that nothing was started but version commands, as in API mode."""
    asked = ("--version", "-v", "-V")
    found = [
        " ".join(record.argv)
        for record in world.bench.witness.of(ContainerStarted)
        if record.argv[1:] not in [(option,) for option in asked]
    ]
    world.checks.expect("containers", expected=[], actual=found, rests_on="witnessed")


@then("no run mounts or reaches a state directory of the other party")
def no_foreign_mount(world: World) -> None:
    """Check that no host path is behind the session mounts of two parties, links followed."""
    places: dict[str, set[str]] = {}
    for party in ("the issue", "the other issue"):
        starts = [start for row in world.runs_of(party) for start in world.starts_of(row)]
        world.checks.expect(
            f"the CLI was started for {party}", expected=True, actual=bool(starts), rests_on="witnessed"
        )
        mounts = [mount for start in starts for mount in world.session_mounts(start)]
        places[party] = {mount.real_source for mount in mounts}
    shared = [
        path
        for path in sorted(places["the issue"])
        if any(_inside(path, other) or _inside(other, path) for other in places["the other issue"])
    ]
    world.checks.expect("host directories that both parties mount", expected=[], actual=shared, rests_on="witnessed")


def _inside(path: str, folder: str) -> bool:
    return path.casefold() == folder.casefold() or path.casefold().startswith(f"{folder.casefold()}/")


@then("the session mount of the {ordinal} run is a real directory and no link leads out of it")
def real_mount(world: World, ordinal: int) -> None:
    """Check that source and real source are one (ISOLATE-9)."""
    for start in _starts(world, ordinal, "the issue"):
        mounts = world.session_mounts(start)
        world.checks.expect("session mounts", expected=1, actual=len(mounts), rests_on="witnessed")
        for mount in mounts:
            world.checks.expect(
                "where the source of the session mount really led",
                expected=mount.source,
                actual=mount.real_source,
                rests_on="witnessed",
            )


@then("the session mount of the {ordinal} run holds neither configuration, credentials nor the home directory")
def narrow_mount(world: World, ordinal: int) -> None:
    """Check that the target is the sessions directory itself, never a parent of it (ISOLATE-4)."""
    row = world.row(ordinal)
    allowed = PurePosixPath(STATE_PATHS[AdapterId(row.adapter_id)])
    for start in _starts(world, ordinal, "the issue"):
        targets = [PurePosixPath(mount.target) for mount in start.container.mounts]
        wide = [str(target) for target in targets if target != allowed and (target in allowed.parents)]
        world.checks.expect("mounts above the session state path", expected=[], actual=wide, rests_on="witnessed")
        home = PurePosixPath(start.container.home)
        world.checks.expect(
            "the home directory is mounted", expected=False, actual=home in targets, rests_on="witnessed"
        )
        writable = [
            mount.target
            for mount in start.container.mounts
            if not mount.read_only and mount.target not in ("/workspace", str(allowed))
        ]
        world.checks.expect("other writable mounts", expected=[], actual=writable, rests_on="witnessed")


@then("the session mount of the {ordinal} run does not overlap any credential mount")
def apart_from_credentials(world: World, ordinal: int) -> None:
    """Check in the container and on the host (ISOLATE-5)."""
    credentials = {target for target, _ in world.before.credentials}
    for start in _starts(world, ordinal, "the issue"):
        mounted = {mount.target: mount for mount in start.container.mounts}
        world.checks.expect(
            "credential mounts that are missing",
            expected=[],
            actual=sorted(credentials - set(mounted)),
            rests_on="witnessed",
        )
        overlaps = [
            f"{session.target} and {target}"
            for session in world.session_mounts(start)
            for target in sorted(credentials)
            if _inside(session.target, target)
            or _inside(target, session.target)
            or _inside(session.real_source, mounted[target].real_source)
            or _inside(mounted[target].real_source, session.real_source)
        ]
        world.checks.expect("overlaps", expected=[], actual=overlaps, rests_on="witnessed")


@then("the container of the {ordinal} run was stopped")
def container_stopped(world: World, ordinal: int) -> None:
    """Check that the container itself was ended from outside (ISOLATE-12)."""
    start = _starts(world, ordinal, "the issue")[-1]
    how = start.end.how if start.end else "still running"
    from_outside = how in ("stopped", "removed")
    world.checks.expect(
        "the container was ended from outside",
        expected=True,
        actual=from_outside,
        rests_on="witnessed",
        evidence=(how,),
    )
    world.checks.expect(
        "the container still runs",
        expected=False,
        actual=start.container.container in world.bench.running(),
        rests_on="witnessed",
    )


@then("the container of the {ordinal} run was stopped before the {ordinal} run started its own")
def stopped_before(world: World, one: int, two: int) -> None:
    """Check the order of an end and a start in the one sequence of records."""
    first = _starts(world, one, "the issue")[-1]
    second = _starts(world, two, "the issue")[0]
    records = world.bench.witness.records
    begun = next(place for place, record in enumerate(records) if record is second.container)
    ended = next((place for place, record in enumerate(records) if record is first.end), None)
    world.checks.expect(
        "the first container ended before the second one started",
        expected=True,
        actual=ended is not None and ended < begun,
        rests_on="witnessed",
    )


@then("at no time did two containers of {party} run at once")
def never_two(world: World, party: str) -> None:
    """Check every pair of containers of a party in the sequence of records (RESUME-13)."""
    starts = [start for row in world.runs_of(party) for start in world.starts_of(row)]
    world.checks.expect(
        "the CLI was started twice or more", expected=True, actual=len(starts) > 1, rests_on="witnessed"
    )
    records = world.bench.witness.records
    place = {id(record): index for index, record in enumerate(records)}
    spans = sorted(
        (place[id(start.container)], place[id(start.end)] if start.end else len(records)) for start in starts
    )
    overlapping = [f"{one} and {two}" for one, two in pairwise(spans) if two[0] < one[1]]
    world.checks.expect("containers that ran at once", expected=[], actual=overlapping, rests_on="witnessed")


@then("the second start of the {ordinal} run came {int} minutes after the first and was stopped {int} minutes after it")
def shared_budget(world: World, ordinal: int, after: int, total: int) -> None:
    """Check that two starts share the time of one phase (FALLBACK-7)."""
    found = _starts(world, ordinal, "the issue")
    world.checks.expect(
        "starts of the CLI in this run", expected=2, actual=len(found), rests_on="witnessed", evidence=shown(found)
    )
    begun = found[0].container.at
    waited = (found[1].container.at - begun).total_seconds() / 60
    world.checks.expect("minutes until the second start", expected=float(after), actual=waited, rests_on="witnessed")
    end = found[1].end
    lasted = None if end is None else (end.at - begun).total_seconds() / 60
    world.checks.expect("minutes until the end", expected=float(total), actual=lasted, rests_on="witnessed")


@then("the state directory of {party} is for its owner alone")
def owner_only(world: World, party: str) -> None:
    """Check the modes of the session directory and the state directory (ISOLATE-11)."""
    state = world.state_dir(party)
    modes = [oct(stat.S_IMODE(path.stat().st_mode)) if path.exists() else "missing" for path in (state.parent, state)]
    world.checks.expect("modes", expected=["0o700", "0o700"], actual=modes, rests_on="witnessed")


@then("the environment of every container is the same in both runs of {party}")
def same_environment(world: World, party: str) -> None:
    """Check that without a session the second run's surroundings are the first one's."""
    one, two = (world.only_start(world.row(ordinal, party)).container for ordinal in (0, 1))
    world.checks.expect(
        "environment, image, user, network, standard input, targets",
        expected=_surroundings(one),
        actual=_surroundings(two),
        rests_on="witnessed",
    )


def _surroundings(container: ContainerStarted) -> dict[str, object]:
    return {
        "environment": [f"{name}={value}" for name, value in container.environment],
        "image": container.image,
        "user": container.user,
        "network": container.network,
        "stdin": container.stdin,
        "targets": sorted(mount.target for mount in container.mounts),
    }


def _starts(world: World, ordinal: int, party: str) -> list[Start]:
    found = world.starts_of(world.row(ordinal, party))
    world.checks.expect("the CLI was started", expected=True, actual=bool(found), rests_on="witnessed")
    return found

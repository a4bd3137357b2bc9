"""Faults of mounts: what of the host a container gets to see, and which credentials are let in beside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tck_driver.witness import Mount
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.inside import Make, first
from tck_fakes.faults.register import Real, fault
from tck_simulator import engine, layout, run
from tck_simulator.adapters.base import HOME
from tck_simulator.layout import StateOnDisk
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerRequest
from tck_simulator.run import RunSequence

Mounts = tuple[Mount, ...]


def _is_session(mount: Mount) -> bool:
    return ".agent-sessions" in Path(mount.source).parts


def _remounted(change: Callable[[ContainerRequest, Mounts], Sequence[Mount]]) -> Make:
    """Change the mounts of every request for a container: all of them, and those of the session besides."""

    def make(real: Real) -> Real:
        def request(**named: object) -> ContainerRequest:
            made: ContainerRequest = real(**named)
            sessions = tuple(mount for mount in made.mounts if _is_session(mount))
            return replace(made, mounts=tuple(change(made, sessions))) if sessions else made

        return request

    return make


# --- ISOLATE-2: exactly one session mount ----------------------------------------------------------------------------


@fault(
    "session-read-only", "ISOLATE-2", Kind.WRONG_VALUE, "mounts the session read-only where the worktree is read-only"
)
def _session_read_only(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        return [replace(one, read_only=request.mounts[0].read_only or one not in sessions) for one in request.mounts]

    sabotage.replace(run, "container_request", _remounted(change))


def _unmounted(sabotage: Sabotage, holds: Callable[[LiveRun], bool]) -> None:
    """Leave the session mount out of the starts of which this holds."""
    starting: list[LiveRun] = []

    def noted(_sequence: RunSequence, live: LiveRun) -> None:
        starting.append(live)

    def make(real: Real) -> Real:
        def request(**named: object) -> object:
            return real(**{**named, "state": None if holds(starting[-1]) else named["state"]})

        return request

    sabotage.replace(RunSequence, "_start", first(noted))
    sabotage.replace(run, "container_request", make)


@fault("no-mount-at-first", "ISOLATE-2", Kind.MISSING_EFFECT, "mounts the session in runs that resume, and in no other")
def _no_mount_at_first(sabotage: Sabotage) -> None:
    def holds(live: LiveRun) -> bool:
        return live.asked is None and live.leg == 1

    _unmounted(sabotage, holds)


@fault("no-mount-where-unverified", "ISOLATE-2", Kind.WRONG_SCOPE, "mounts no session where the version cannot resume")
def _no_mount_where_unverified(sabotage: Sabotage) -> None:
    def holds(live: LiveRun) -> bool:
        return live.call.fresh_id is None

    _unmounted(sabotage, holds)


@fault("no-mount-afresh", "ISOLATE-2", Kind.ONCE, "mounts the session at a run's first start, and not at its second")
def _no_mount_afresh(sabotage: Sabotage) -> None:
    def holds(live: LiveRun) -> bool:
        return live.leg > 1

    _unmounted(sabotage, holds)


@fault("whole-directory-mounted", "ISOLATE-2", Kind.WRONG_SCOPE, "mounts the directory of all adapters of the issue")
def _whole_directory_mounted(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        return [replace(one, source=str(Path(one.source).parent)) if one in sessions else one for one in request.mounts]

    sabotage.replace(run, "container_request", _remounted(change))


@fault("mounted-twice", "ISOLATE-2", Kind.EXTRA_EFFECT, "mounts the session in the workspace as well")
def _mounted_twice(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        return [*request.mounts, *(replace(one, target="/workspace/.sessions") for one in sessions)]

    sabotage.replace(run, "container_request", _remounted(change))


# --- ISOLATE-3, ISOLATE-7: nothing of another mailbox ----------------------------------------------------------------


@fault(
    "all-sessions-mounted", "ISOLATE-3", Kind.EXTRA_EFFECT, "mounts the directory of all sessions beside the own one"
)
def _all_sessions_mounted(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        everything = str(Path(sessions[0].source).parent.parent)
        return [*request.mounts, Mount(everything, f"{HOME}/.sessions", read_only=True)]

    sabotage.replace(run, "container_request", _remounted(change))


@fault(
    "links-made-to-work", "ISOLATE-7", Kind.EXTRA_EFFECT, "mounts what links in the state lead to, so that they work"
)
def _links_made_to_work(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        links = [path for path in Path(sessions[0].source).iterdir() if path.is_symlink() and path.exists()]
        real = {str(path.resolve()) for path in links}
        return [*request.mounts, *(Mount(place, place, read_only=True) for place in sorted(real))]

    sabotage.replace(run, "container_request", _remounted(change))


@fault(
    "neighbour-copied", "ISOLATE-7", Kind.EXTRA_EFFECT, "fills a new session directory with a copy of the latest one"
)
def _neighbour_copied(sabotage: Sabotage) -> None:
    def copied(state: Path) -> None:
        others = [
            one / state.name
            for one in layout.entries(state.parent.parent)
            if (one / state.name).is_dir() and one != state.parent
        ]
        if others and not state.exists():
            latest = max(others, key=lambda path: path.stat().st_mtime_ns)
            shutil.copytree(latest, state, symlinks=True)

    sabotage.replace(run, "prepare", first(copied))


# --- ISOLATE-4: sessions and nothing else ----------------------------------------------------------------------------


@fault("configuration-kept", "ISOLATE-4", Kind.WRONG_SCOPE, "mounts the whole directory that holds the CLI's sessions")
def _configuration_kept(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        return [
            replace(one, target=str(PurePosixPath(one.target).parent)) if one in sessions else one
            for one in request.mounts
        ]

    sabotage.replace(run, "container_request", _remounted(change))


@fault("home-kept", "ISOLATE-4", Kind.EXTRA_EFFECT, "keeps a home directory for each issue, and mounts it")
def _home_kept(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        home = Path(sessions[0].source).parents[2] / ".homes" / Path(sessions[0].source).parent.name
        home.mkdir(parents=True, exist_ok=True)
        return [request.mounts[0], Mount(str(home), HOME), *request.mounts[1:]]

    sabotage.replace(run, "container_request", _remounted(change))


@fault("credentials-copied", "ISOLATE-4", Kind.EXTRA_EFFECT, "puts a copy of the credentials among the sessions")
def _credentials_copied(sabotage: Sabotage) -> None:
    def change(request: ContainerRequest, sessions: Mounts) -> Sequence[Mount]:
        for one in request.mounts[1:]:
            if one not in sessions and Path(one.source).is_file():
                shutil.copy(one.source, sessions[0].source)
        return request.mounts

    sabotage.replace(run, "container_request", _remounted(change))


# --- ISOLATE-5: apart from credentials -------------------------------------------------------------------------------


@fault("credentials-unchecked", "ISOLATE-5", Kind.MISSING_EFFECT, "starts with whatever credential mounts it is given")
def _credentials_unchecked(sabotage: Sabotage) -> None:
    def faults(*_: object) -> Iterator[str]:
        return iter(())

    sabotage.replace(engine, "credential_faults", lambda _: faults)


@fault("first-credential-checked", "ISOLATE-5", Kind.ONCE, "checks the first credential mount, and no other")
def _first_credential_checked(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def faults(credentials: Sequence[tuple[str, str]], base: Path) -> Iterator[str]:
            return iter(tuple(map(str, real(credentials[:1], base))))

        return faults

    sabotage.replace(engine, "credential_faults", make)


@fault(
    "credentials-of-host-unchecked", "ISOLATE-5", Kind.WRONG_SCOPE, "checks credential mounts in the container alone"
)
def _credentials_of_host_unchecked(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def faults(credentials: Sequence[tuple[str, str]], base: Path) -> Iterator[str]:
            return iter(tuple(map(str, real([(target, "/nowhere") for target, _ in credentials], base))))

        return faults

    sabotage.replace(engine, "credential_faults", make)


def _overlap(sabotage: Sabotage, holds: Callable[[str, str], bool]) -> None:
    sabotage.replace(engine, "overlaps", lambda _: holds)


@fault("overlap-of-texts", "ISOLATE-5", Kind.WRONG_VALUE, "takes two paths that begin alike for overlapping ones")
def _overlap_of_texts(sabotage: Sabotage) -> None:
    def holds(one: str, two: str) -> bool:
        return one.startswith(two) or two.startswith(one)

    _overlap(sabotage, holds)


@fault("overlap-as-spelled", "ISOLATE-5", Kind.WRONG_VALUE, "compares paths as they are spelled, dots and all")
def _overlap_as_spelled(sabotage: Sabotage) -> None:
    def holds(first_path: str, second_path: str) -> bool:
        one, two = PurePosixPath(first_path), PurePosixPath(second_path)
        return one == two or one in two.parents or two in one.parents

    _overlap(sabotage, holds)


@fault("overlap-below-only", "ISOLATE-5", Kind.WRONG_SCOPE, "lets credentials be mounted above the sessions")
def _overlap_below_only(sabotage: Sabotage) -> None:
    def holds(one: str, two: str) -> bool:
        return PurePosixPath(one).is_relative_to(two)

    _overlap(sabotage, holds)


@fault("overlap-above-only", "ISOLATE-5", Kind.WRONG_SCOPE, "lets credentials be mounted below the sessions")
def _overlap_above_only(sabotage: Sabotage) -> None:
    def holds(one: str, two: str) -> bool:
        return PurePosixPath(two).is_relative_to(PurePosixPath(one))

    _overlap(sabotage, holds)


# --- ISOLATE-9: no link is followed ----------------------------------------------------------------------------------


@fault("link-mounted", "ISOLATE-9", Kind.MISSING_EFFECT, "takes a link to a directory for a state directory")
def _link_mounted(sabotage: Sabotage) -> None:
    sabotage.replace(layout, "_is_real_directory", lambda _: Path.is_dir)


@fault("outer-link-mounted", "ISOLATE-9", Kind.WRONG_SCOPE, "looks for a link in place of the state directory alone")
def _outer_link_mounted(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def is_real(path: Path) -> bool:
            return path.is_dir() if path.parent.name == ".agent-sessions" else bool(real(path))

        return is_real

    sabotage.replace(layout, "_is_real_directory", make)


@fault("link-taken-for-file", "ISOLATE-9", Kind.WRONG_VALUE, "takes links in a state directory for files of a session")
def _link_taken_for_file(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def look(state: Path) -> StateOnDisk:
            found: StateOnDisk = real(state)
            linked = found is StateOnDisk.EMPTY and any(path.is_symlink() for path in state.iterdir())
            return StateOnDisk.PRESENT if linked else found

        return look

    sabotage.replace(run, "look", make)


@fault("link-emptied", "ISOLATE-9", Kind.WRONG_SCOPE, "empties what a link in place of a state directory leads to")
def _link_emptied(sabotage: Sabotage) -> None:
    def emptied(state: Path) -> None:
        if state.is_symlink() and state.is_dir():
            for path in state.iterdir():
                if path.is_file():
                    path.unlink()

    sabotage.replace(run, "prepare", first(emptied))


@fault(
    "file-taken-for-state", "ISOLATE-9", Kind.WRONG_VALUE, "takes a file in place of a state directory for the state"
)
def _file_taken_for_state(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def look(state: Path) -> StateOnDisk:
            return StateOnDisk.PRESENT if state.is_file() else StateOnDisk(real(state))

        return look

    sabotage.replace(run, "look", make)


@fault("link-ends-a-session", "ISOLATE-9", Kind.EXTRA_EFFECT, "gives a session up that has a link among its files")
def _link_ends_a_session(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def look(state: Path) -> StateOnDisk:
            found = StateOnDisk(real(state))
            linked = found is StateOnDisk.PRESENT and any(path.is_symlink() for path in state.iterdir())
            return StateOnDisk.MISSING if linked else found

        return look

    sabotage.replace(run, "look", make)

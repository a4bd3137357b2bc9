"""Detection: which version of a CLI an image holds, and whether that version may resume.

Specification: CAPABILITY-2, CAPABILITY-4, CAPABILITY-7, §16.6. What cannot be read lowers the capability; it never
stops a run.
"""

from __future__ import annotations

from dataclasses import dataclass

from tck_simulator.adapters.base import HOME, WORKDIR, Adapter, read_version
from tck_simulator.ports import ContainerRequest, ContainerRuntime
from tck_simulator.versions import Version

#: Specification: CAPABILITY-4. A version command that takes longer is ended and counts as unreadable.
TIME_LIMIT_MS = 10_000


@dataclass(frozen=True, slots=True)
class Detection:
    """What was found in an image. `reason` says why the capability was lowered, None where it was not."""

    version: Version | None
    resumable: bool
    reason: str | None


def detect(adapter: Adapter, image: str, runtime: ContainerRuntime) -> Detection:
    """Run the adapter's version command in its image and judge what it prints."""
    request = ContainerRequest(
        image=image,
        argv=adapter.version_command(),
        environment=(("HOME", HOME),),
        mounts=(),
        labels=(("purpose", "detection"),),
        time_limit_ms=TIME_LIMIT_MS,
        workdir=WORKDIR,
        home=HOME,
        network="none",
    )
    state = runtime.run(request)
    if not state.ended:
        return Detection(None, resumable=False, reason="the version command did not end in time")
    version = read_version(state.stdout) if state.exit_code == 0 else None
    if not adapter.capability.resumable_sessions:
        return Detection(version, resumable=False, reason="the adapter does not declare resumable sessions")
    if state.exit_code != 0:
        return Detection(None, resumable=False, reason=f"the version command failed with exit code {state.exit_code}")
    if version is None:
        return Detection(None, resumable=False, reason="the version command printed no version")
    oldest = adapter.verified_from
    if oldest is None or version < oldest:
        return Detection(version, resumable=False, reason=f"version {version} was not verified to resume")
    return Detection(version, resumable=True, reason=None)

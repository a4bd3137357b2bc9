"""Detection: what a version command's answer makes of an adapter's capability (§16.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from tck_driver.vocabulary import AdapterId
from tck_simulator.adapters import ADAPTERS
from tck_simulator.detection import detect
from tck_simulator.ports import ContainerRequest, ContainerState


@dataclass(slots=True)
class Answering:
    """A container runtime that gives one answer to a version command."""

    state: ContainerState
    asked: list[ContainerRequest] = field(default_factory=list[ContainerRequest])

    def run(self, request: ContainerRequest) -> ContainerState:
        self.asked.append(request)
        return self.state

    def start(self, request: ContainerRequest) -> str:
        raise AssertionError(request)

    def poll(self, container: str) -> ContainerState:
        raise AssertionError(container)

    def stop(self, container: str) -> None:
        raise AssertionError(container)

    def remove(self, container: str) -> None:
        raise AssertionError(container)

    def find(self, label: str, value: str | None) -> Sequence[str]:
        raise AssertionError(label, value)


@pytest.mark.parametrize(
    ("adapter", "exit_code", "stdout", "version", "reason"),
    [
        (AdapterId.CLAUDE_CODE, 0, "2.1.197 (Claude Code)", "2.1.197", None),
        (AdapterId.CLAUDE_CODE, 0, "1.0.124 (Claude Code)", "1.0.124", None),
        (AdapterId.CLAUDE_CODE, 0, "1.0.123", "1.0.123", "version 1.0.123 was not verified to resume"),
        (AdapterId.CODEX, 0, "codex-cli 0.122.0", "0.122.0", None),
        (
            AdapterId.CODEX,
            0,
            "codex-cli 0.122.0-alpha.1",
            "0.122.0-alpha.1",
            "version 0.122.0-alpha.1 was not verified to resume",
        ),
        (AdapterId.OPENCODE, 0, "1.15.3", "1.15.3", None),
        (AdapterId.OPENCODE, 0, "1.3.2", "1.3.2", "version 1.3.2 was not verified to resume"),
        (AdapterId.COPILOT, 0, "GitHub Copilot CLI 1.0.102.\nRun", "1.0.102", None),
        (AdapterId.COPILOT, 0, "GitHub Copilot CLI 1.0.24.", "1.0.24", "version 1.0.24 was not verified to resume"),
        (AdapterId.GROK_BUILD, 0, "9.9.9", "9.9.9", "the adapter does not declare resumable sessions"),
        (AdapterId.GROK_BUILD, 1, "9.9.9", None, "the adapter does not declare resumable sessions"),
        (AdapterId.CLAUDE_CODE, 1, "2.1.197", None, "the version command failed with exit code 1"),
        (AdapterId.CLAUDE_CODE, 0, "", None, "the version command printed no version"),
        (AdapterId.CLAUDE_CODE, 0, "Please log in", None, "the version command printed no version"),
        (AdapterId.CLAUDE_CODE, None, "2.1.197", None, "the version command did not end in time"),
    ],
)
def test_only_a_verified_version_may_resume_and_the_reason_says_why_not(
    adapter: AdapterId, exit_code: int | None, stdout: str, version: str | None, reason: str | None
) -> None:
    found = detect(ADAPTERS[adapter], "image:1", Answering(ContainerState(exit_code, stdout, "1.2.3")))
    assert (None if found.version is None else str(found.version)) == version
    assert found.reason == reason
    assert found.resumable is (reason is None)


def test_the_version_command_gets_ten_seconds_no_network_no_mounts_and_no_input() -> None:
    runtime = Answering(ContainerState(0, "1.2.3", ""))
    detect(ADAPTERS[AdapterId.CODEX], "image:1", runtime)
    (request,) = runtime.asked
    assert request.argv == ("codex", "--version")
    assert (request.image, request.time_limit_ms, request.network, request.mounts, request.stdin) == (
        "image:1",
        10_000,
        "none",
        (),
        "",
    )

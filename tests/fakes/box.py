"""A container runtime over temporary folders, with a short way to run a CLI in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tck_driver.bench import Script
from tck_driver.vocabulary import AdapterId
from tck_driver.witness import CliAnswered, CliStarted, Mount, WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.runtime import FakeContainerRuntime
from tck_simulator.ports import ContainerRequest, ContainerState

#: Where each CLI keeps its sessions; opencode's own place can only be moved, by an environment variable.
STATE = {
    "claude": "/home/agent/.claude/projects",
    "codex": "/home/agent/.codex/sessions",
    "opencode": "/home/agent/sessions",
    "copilot": "/home/agent/.copilot/session-state",
    "grok": "/home/agent/.grok/sessions",
}
ADAPTERS = {
    "claude": AdapterId.CLAUDE_CODE,
    "codex": AdapterId.CODEX,
    "opencode": AdapterId.OPENCODE,
    "copilot": AdapterId.COPILOT,
    "grok": AdapterId.GROK_BUILD,
}
CHOSEN = "a0be0c93-d022-4b61-b67b-44eb3d0ed457"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a CLI, with what it put out and what was witnessed of it."""

    container: str
    state: ContainerState
    started: CliStarted
    answered: CliAnswered | None

    @property
    def session(self) -> str:
        assert self.answered is not None
        assert self.answered.session_id is not None
        return self.answered.session_id


@dataclass(slots=True)
class Box:
    """A runtime, its clock and witness, and one state folder per CLI."""

    root: Path
    clock: VirtualClock
    witness: WitnessLog
    runtime: FakeContainerRuntime
    environment: dict[str, str] = field(default_factory=lambda: {"OPENCODE_DB": "/home/agent/sessions/s.db"})

    def state(self, cli: str) -> Path:
        folder = self.root / "state" / cli
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def request(
        self, cli: str, *argv: str, workdir: str = "/workspace", stdin: str = "", read_only: bool = False
    ) -> ContainerRequest:
        workspace = self.root / "workspace"
        workspace.mkdir(exist_ok=True)
        return ContainerRequest(
            image="runner:1",
            argv=(cli, *argv),
            environment=tuple(self.environment.items()),
            mounts=(Mount(str(self.state(cli)), STATE[cli], read_only), Mount(str(workspace), "/workspace")),
            labels=(("run", "r1"),),
            time_limit_ms=1000,
            workdir=workdir,
            stdin=stdin,
        )

    def run(self, request: ContainerRequest) -> Run:
        mark = self.witness.mark()
        container = self.runtime.start(request)
        answered = self.witness.of(CliAnswered, mark)
        return Run(
            container,
            self.runtime.poll(container),
            self.witness.of(CliStarted, mark)[0],
            answered[0] if answered else None,
        )

    def go(self, cli: str, *argv: str, script: Script | None = None, workdir: str = "/workspace") -> Run:
        if script is not None:
            self.runtime.script(ADAPTERS[cli], script)
        return self.run(self.request(cli, *argv, workdir=workdir))

    def fresh(self, cli: str, prompt: str = "first", script: Script | None = None) -> Run:
        return self.go(cli, *fresh(cli, prompt), script=script)

    def resume(self, cli: str, session: str, prompt: str = "second", script: Script | None = None) -> Run:
        return self.go(cli, *resume(cli, session, prompt), script=script)


def fresh(cli: str, prompt: str) -> tuple[str, ...]:
    return {
        "claude": ("-p", "--name=n", "--output-format", "stream-json", "--verbose", "--", prompt),
        "codex": ("exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "--", prompt),
        "opencode": ("run", "--format", "json", "--title=n", "--", prompt),
        "copilot": (f"--prompt={prompt}", "--name=n", "--output-format", "json", "--allow-all-tools"),
        "grok": ("-p", prompt, "--output", "json"),
    }[cli]


def resume(cli: str, session: str, prompt: str) -> tuple[str, ...]:
    return {
        "claude": ("-p", f"--resume={session}", "--output-format", "stream-json", "--verbose", "--", prompt),
        "codex": ("exec", "--json", "--skip-git-repo-check", "-s", "read-only", "resume", "--", session, prompt),
        "opencode": ("run", "--format", "json", f"--session={session}", "--dir", "/workspace", "--", prompt),
        "copilot": (f"--prompt={prompt}", f"--resume={session}", "-C", "/workspace", "--output-format", "json"),
        "grok": ("-p", prompt, "--output", "json", "--resume", session),
    }[cli]


def made_a_directory(path: Path) -> None:
    """Put a directory in a file's place."""
    path.unlink()
    path.mkdir()

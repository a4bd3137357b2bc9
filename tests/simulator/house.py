"""An engine with the kit's fakes around it, on a database in memory, and a short way to tell it things."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tck_driver.bench import Script, Shape
from tck_driver.configuration import EngineConfig, ProjectConfig, SettingValue
from tck_driver.stimuli import IssueOpened, RunDue, SettingChanged, StimulusResult
from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase
from tck_driver.witness import CliStarted, ContainerStarted, ForgeWrite, WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.forge import FakeForge
from tck_fakes.in_process import InProcessEngine
from tck_fakes.model import FakeModelProvider
from tck_fakes.remover import ProtectingRemover
from tck_fakes.runtime import FakeContainerRuntime
from tck_simulator.cleanup import LocalRemover
from tck_simulator.rows import Mailbox, Session
from tck_simulator.store import Store

ISSUE = MailboxRef("org", "app", "issue", 7)
#: The same issue number in another project of the same organization.
TWIN = MailboxRef("org", "web", "issue", 7)
REVIEW = MailboxRef("org", "app", "merge_request", 7)
MINUTE = 60_000


@dataclass(slots=True)
class House:
    """One engine, its surroundings, and what was witnessed."""

    base: Path
    store: Store
    witness: WitnessLog
    clock: VirtualClock
    runtime: FakeContainerRuntime
    forge: FakeForge
    models: FakeModelProvider
    remover: ProtectingRemover
    engine: InProcessEngine

    @classmethod
    def build(cls, folder: Path, store: Store) -> House:
        """Put everything together below a folder; the store is emptied when the engine is opened."""
        witness, clock = WitnessLog(), VirtualClock()
        runtime = FakeContainerRuntime(clock, witness, folder / "containers", seed=7)
        forge, models, remover = FakeForge(witness), FakeModelProvider(witness), ProtectingRemover(LocalRemover())
        engine = InProcessEngine(
            clock=clock,
            runtime=runtime,
            forge=forge,
            models=models,
            remover=remover,
            store=store,
            version="0",
            hear=forge.hear,
            next_end=runtime.next_end,
        )
        return cls(folder / "base", store, witness, clock, runtime, forge, models, remover, engine)

    def open(self, adapter: AdapterId = AdapterId.CLAUDE_CODE, credentials: tuple[tuple[str, str], ...] = ()) -> None:
        projects = tuple(ProjectConfig.of("org", name, adapter) for name in ("app", "web"))
        refusal = self.engine.open(EngineConfig(str(self.base), projects, credential_mounts=credentials))
        assert refusal is None, refusal

    def opened(self, *refs: MailboxRef, title: str = "Add a page") -> None:
        for ref in refs:
            self.engine.send(IssueOpened(ref, title))

    def run(
        self, ref: MailboxRef = ISSUE, phase: Phase = Phase.DEVELOPMENT, shape: Shape | Script | None = None
    ) -> StimulusResult:
        """Let a run be due, the CLI's next start being of this shape."""
        if shape is not None:
            self.script(shape, ref=ref, phase=phase)
        return self.engine.send(RunDue(ref, phase))

    def script(self, *shapes: Shape | Script, ref: MailboxRef = ISSUE, phase: Phase = Phase.DEVELOPMENT) -> None:
        binding = self.store.binding(ref.organization, ref.project, phase)
        assert binding is not None
        self.runtime.script(
            binding.adapter, *(shape if isinstance(shape, Script) else Script(shape) for shape in shapes)
        )

    def set(self, name: str, value: SettingValue, project: str = "") -> StimulusResult:
        if name != "AGENT_SESSION_RESUME":
            return self.engine.send(SettingChanged("instance", "", "", name, value))
        return self.engine.send(SettingChanged("project" if project else "organization", "org", project, name, value))

    def rows(self, ref: MailboxRef = ISSUE) -> list[SessionRow]:
        found = (row for row in self.engine.query("sessions") if isinstance(row, SessionRow))
        return [row for row in found if row.mailbox == ref]

    def told(self, ref: MailboxRef = ISSUE) -> list[tuple[str, bool, str | None]]:
        """Give outcome, resumed and reason of each run."""
        return [(row.outcome, row.resumed, row.resume_fallback) for row in self.rows(ref)]

    def raw_rows(self) -> list[Session]:
        return self.store.sessions()

    def mailbox(self, ref: MailboxRef = ISSUE) -> Mailbox:
        found = self.store.mailbox(ref)
        assert found is not None
        return found

    def starts(self) -> list[CliStarted]:
        return self.witness.of(CliStarted)

    def containers(self) -> list[ContainerStarted]:
        """Give the containers of runs, without those of version commands."""
        return [start for start in self.witness.of(ContainerStarted) if ("purpose", "detection") not in start.labels]

    def wrote(self, kind: str) -> list[str]:
        return [write.text for write in self.witness.of(ForgeWrite) if write.kind == kind]

    def session_folders(self) -> list[str]:
        folder = self.base / ".agent-sessions"
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def worktrees(self) -> list[Path]:
        folder = self.base / ".worktrees"
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def close(self) -> None:
        self.engine.close()
        self.runtime.close()

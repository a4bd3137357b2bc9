"""One scenario's world: the engine, its surroundings, who is in it, and what has happened so far.

A world draws every name and number from the scenario's seed, opens the engine at the first thing that happens, and
keeps the runs of each party in order. Steps talk to it and to nothing else; which engine it drives is not theirs
to know.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tck_driver.bench import Bench, Script, Shape
from tck_driver.configuration import Binding, EngineConfig, ProjectConfig, StoredSetting
from tck_driver.engine import Engine
from tck_driver.errors import KitError
from tck_driver.stimuli import BindingChanged, IssueOpened, ReviewRequested, RunDue, Stimulus, StimulusResult
from tck_driver.views import Row, SessionRow, ViewName
from tck_driver.vocabulary import AdapterId, MailboxKind, MailboxRef, Phase, RunOutcome
from tck_driver.witness import CliAnswered, CliStarted, ContainerEnded, ContainerStarted, ForgeWrite, Mount
from tck_features.checks import Checks, EvidenceClass, Value
from tck_features.commands import command

if TYPE_CHECKING:
    from tck_features.courses import Playing
    from tck_features.history.play import Player

#: Where each CLI keeps its sessions in the container, and nothing else (§16.5.1).
STATE_PATHS: dict[AdapterId, str] = {
    AdapterId.CLAUDE_CODE: "/home/agent/.claude/projects",
    AdapterId.CODEX: "/home/agent/.codex/sessions",
    AdapterId.OPENCODE: "/home/agent/.local/state/opencode-sessions",
    AdapterId.COPILOT: "/home/agent/.copilot/session-state",
}

R = TypeVar("R", bound=Row)
_LETTERS = "abcdefghijkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a CLI with what belongs to it: its container, and its answer and end once there are any."""

    cli: CliStarted
    container: ContainerStarted
    answer: CliAnswered | None
    end: ContainerEnded | None


@dataclass(slots=True)
class Surroundings:
    """What the world was before the engine was opened, as the scenario's Given sentences put it together."""

    projects: list[ProjectConfig] = field(default_factory=list[ProjectConfig])
    settings: list[StoredSetting] = field(default_factory=list[StoredSetting])
    credentials: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class World:
    """Everything a step may use."""

    def __init__(self, engine: Engine, bench: Bench, seed: str, database_url: str | None = None) -> None:
        """Begin with an engine that is not opened yet; `seed` is the run's seed and the scenario's together."""
        self.engine = engine
        self.bench = bench
        self.checks = Checks()
        self.random = random.Random(seed)  # noqa: S311 -- names of a reproducible scenario, no secrets
        self.database_url = database_url
        self.before = Surroundings()
        self.parties: dict[str, MailboxRef] = {}
        self.titles: dict[MailboxRef, str] = {}
        self.opened = False
        self.refusal: str | None = None
        #: Whether a binding was changed while the scenario went on.
        self.rebound = False
        self.result = StimulusResult()
        self.runs: dict[str, SessionRow] = {}
        self.due: dict[str, Phase] = {}
        self.notes: dict[str, Value] = {}
        self.evidence: EvidenceClass = "witnessed"
        #: Who plays what happens, where it is a history and watched as such.
        self.history: Player | None = None
        #: What happens, where it is a course.
        self.course: Playing | None = None
        self._table: tuple[SessionRow, ...] = ()
        self._marks: list[tuple[int, tuple[str, ...]]] = []

    # --- before the engine is opened -------------------------------------------------------------------------------

    def word(self) -> str:
        """Draw a name of plain lower-case letters."""
        return "".join(self.random.choice(_LETTERS) for _ in range(self.random.randint(4, 9)))

    def title(self) -> str:
        """Draw an ordinary title."""
        return " ".join([self.word().capitalize(), *(self.word() for _ in range(self.random.randint(2, 5)))])

    def add_project(
        self, adapter: AdapterId, organization: str | None = None, name: str | None = None
    ) -> ProjectConfig:
        """Add a project all of whose phases are bound to one adapter."""
        project = ProjectConfig.of(organization or self.word(), name or self.word(), adapter)
        self.before.projects.append(project)
        return project

    def add_party(
        self,
        party: str,
        project: ProjectConfig,
        kind: MailboxKind = "issue",
        iid: int | None = None,
        title: str | None = None,
    ) -> MailboxRef:
        """Add an issue or merge request under the words by which sentences call it."""
        ref = MailboxRef(project.organization, project.name, kind, iid or self.random.randint(1, 9_999))
        if ref in self.titles:
            return self.add_party(party, project, kind, None, title)
        self.parties[party] = ref
        self.titles[ref] = self.title() if title is None else title
        if self.opened:
            self._announce(ref)
        return ref

    def set_prefix(self, prefix: str) -> None:
        """Set `BRANCH_PREFIX` of the first project."""
        self.before.projects[0] = replace(self.before.projects[0], branch_prefix=prefix)

    def bind(self, phase: Phase, binding: Binding) -> None:
        """Bind one phase of the first project to something else, before the engine is opened."""
        project = self.before.projects[0]
        bindings = tuple((known, binding if known is phase else held) for known, held in project.bindings)
        self.before.projects[0] = replace(project, bindings=bindings)

    def open(self) -> None:
        """Open the engine, if it is not, and announce every issue."""
        if self.opened:
            return
        self.opened = True
        config = EngineConfig(
            base=str(self.bench.base),
            projects=tuple(self.before.projects),
            settings=tuple(self.before.settings),
            credential_mounts=tuple(self.before.credentials),
            database_url=self.database_url,
            seed=self.random.randint(0, 2**31),
        )
        self.refusal = self.engine.open(config)
        if self.refusal is None:
            for ref in self.titles:
                self._announce(ref)

    def _announce(self, ref: MailboxRef) -> None:
        title = self.titles[ref]
        self.engine.send(IssueOpened(ref, title) if ref.kind == "issue" else ReviewRequested(ref, title))

    # --- what happens ----------------------------------------------------------------------------------------------

    def ref(self, party: str) -> MailboxRef:
        """Give the address of a party of the scenario."""
        if party not in self.parties:
            raise KitError(f"the scenario speaks of {party} before there is one")
        return self.parties[party]

    def adapter(self, party: str = "the issue") -> AdapterId:
        """Give the adapter that the project of a party was bound to at first."""
        ref = self.ref(party)
        project = next(
            one for one in self.before.projects if (one.organization, one.name) == (ref.organization, ref.project)
        )
        return project.bindings[0][1].adapter

    def send(self, stimulus: Stimulus) -> StimulusResult:
        """Let something happen and note which runs it led to."""
        self.open()
        mark = self.bench.witness.mark()
        known = set(self.runs)
        self.rebound = self.rebound or isinstance(stimulus, BindingChanged)
        self.result = self.engine.send(stimulus)
        self.settle()
        self._marks.append((mark, tuple(run for run in self.runs if run not in known)))
        return self.result

    def run(self, party: str, phase: Phase) -> StimulusResult:
        """Let a run of a phase be due."""
        self.due[party] = phase
        return self.send(RunDue(self.ref(party), phase))

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self.open()
        mark = self.bench.witness.mark()
        known = set(self.runs)
        self.engine.advance(milliseconds)
        self.settle()
        self._marks.append((mark, tuple(run for run in self.runs if run not in known)))

    def script(self, adapter: AdapterId, *shapes: Shape | Script) -> None:
        """Tell a CLI what to do at its next starts."""
        self.bench.script(adapter, *(shape if isinstance(shape, Script) else Script(shape) for shape in shapes))

    def overwrite_native_id(self, run: str, value: str) -> None:
        """Overwrite a stored native id behind the engine's back, or where that cannot be reached, have it done."""
        if not self.bench.tamper_native_id(run, value):
            self.engine.overwrite(run, value)
        self.settle()

    # --- what there is now -------------------------------------------------------------------------------------------

    def table(self) -> tuple[SessionRow, ...]:
        """Give `llm_sessions` as it was when the engine last came to rest.

        From the engine's own database where that can be observed, else as the engine tells it.
        """
        return self._table

    def _read_table(self) -> tuple[SessionRow, ...]:
        observed = self.bench.sessions_table()
        self.evidence = "reported" if observed is None else "witnessed"
        return tuple(self.view("sessions", SessionRow) if observed is None else observed)

    def view(self, name: ViewName, kind: type[R]) -> list[R]:
        """Ask the engine for one view; rows of another type are a fault of its driver."""
        rows = self.engine.query(name)
        wrong = next((row for row in rows if not isinstance(row, kind)), None)
        if wrong is not None:
            raise KitError(f"view {name} gave a {type(wrong).__name__}")
        return [row for row in rows if isinstance(row, kind)]

    def settle(self) -> None:
        """Take in the rows that are new or have changed; rows that were deleted are remembered as they were."""
        self._table = self._read_table()
        for row in self._table:
            self.runs[row.run] = row

    def runs_of(self, party: str = "the issue") -> list[SessionRow]:
        """Give every run of a party so far, oldest first, deleted rows included."""
        ref = self.ref(party)
        return [row for row in self.runs.values() if row.mailbox == ref]

    def row(self, ordinal: int = -1, party: str = "the issue") -> SessionRow:
        """Give one run of a party; a missing one fails as an expectation on the engine, not as an error of the kit."""
        rows = self.runs_of(party)
        wanted = len(rows) if ordinal < 0 else ordinal + 1
        self.checks.expect(
            f"there are runs of {party}, the one in question among them",
            expected=True,
            actual=0 < wanted <= len(rows),
            rests_on=self.evidence,
            evidence=tuple(str(row) for row in rows),
        )
        return rows[ordinal]

    def tracker_saw(self, party: str) -> list[tuple[str, str]]:
        """Give what was written of a party, its merge requests and its branch: kind, and text without the name."""
        ref = self.ref(party)
        names = {row.session_name for row in self.runs_of(party) if row.session_name}
        writes = self.bench.witness.of(ForgeWrite)
        opened = {write.number for write in writes if write.kind == "merge_request" and write.subject == str(ref)}
        mine = {str(ref), *(f"{ref.organization}/{ref.project}!{number}" for number in opened)}
        found: list[tuple[str, str]] = []
        for write in writes:
            if write.subject in mine or (write.kind == "branch" and write.text in names):
                place = "" if write.subject == str(ref) or write.kind == "branch" else " on its merge request"
                text = f"{write.kind}{place} {write.text}"
                for name in names:
                    text = text.replace(name, "<name>")
                found.append((write.kind, text))
        return found

    def starts(self) -> list[Start]:
        """Give every start of a CLI with a prompt, in order."""
        containers = {record.container: record for record in self.bench.witness.of(ContainerStarted)}
        answers = {record.container: record for record in self.bench.witness.of(CliAnswered)}
        ends: dict[str, ContainerEnded] = {}
        for record in self.bench.witness.of(ContainerEnded):
            ends.setdefault(record.container, record)
        return [
            Start(cli, containers[cli.container], answers.get(cli.container), ends.get(cli.container))
            for cli in self.bench.witness.of(CliStarted)
        ]

    def starts_of(self, row: SessionRow) -> list[Start]:
        """Give the CLI starts of one run: by its label on the container (§17.2), else by when it was started."""
        mine = [start for start in self.starts() if ("run", row.run) in start.container.labels]
        if mine:
            return mine
        if not self._marks:
            return []
        ends = [mark for mark, _ in self._marks[1:]] + [self.bench.witness.mark()]
        records = self.bench.witness.records
        for (mark, runs), end in zip(self._marks, ends, strict=True):
            if row.run in runs:
                within = {id(record) for record in records[mark:end]}
                return [start for start in self.starts() if id(start.cli) in within]
        return []

    def hints(self) -> tuple[str, ...]:
        """Give what explains many a failure and is no failure by itself: arguments that a CLI did not take."""
        return tuple(
            f"{record.argv[0]} refused its arguments ({record.usage_error}): {self._shown(record)}"
            for record in self.bench.witness.of(CliStarted)
            if record.usage_error is not None
        )[-2:]

    def _shown(self, record: CliStarted) -> str:
        return " ".join(record.argv)[:400] if self.course is None else command(record)

    def only_start(self, row: SessionRow) -> Start:
        """Give the one start of a run, expecting that there is exactly one."""
        found = self.starts_of(row)
        self.checks.expect(
            "starts of the CLI in this run", expected=1, actual=len(found), rests_on="witnessed", evidence=shown(found)
        )
        return found[0]

    def session_mounts(self, start: Start) -> list[Mount]:
        """Give the mounts of a start that lie below `{base}/.agent-sessions`, or at the place of a CLI's sessions."""
        places = set(STATE_PATHS.values())
        return [
            mount for mount in start.container.mounts if self.is_session_path(mount.source) or mount.target in places
        ]

    def is_session_path(self, path: str) -> bool:
        """Say whether a host path lies at or below `{base}/.agent-sessions`."""
        return Path(path).is_relative_to(self.bench.base / ".agent-sessions")

    def state_dir(self, party: str = "the issue", adapter: AdapterId | None = None) -> Path:
        """Give the state directory by the plain rule of §3.4, for names that are plain and taken by no other."""
        ref = self.ref(party)
        name = f"{ref.organization}-{ref.project}-issue-{ref.iid}"
        return self.bench.base / ".agent-sessions" / name / (adapter or self.adapter(party))

    def standing(self, party: str) -> Path:
        """Give the state directory of a party that is about to be damaged, expecting that it is there."""
        state = self.state_dir(party)
        self.checks.expect(
            f"the state of {party} lies at {state.parent.name}/{state.name}",
            expected=True,
            actual=state.is_dir(),
            rests_on="witnessed",
        )
        return state

    def state_paths(self) -> list[Path]:
        """Give everything directly below `{base}/.agent-sessions`."""
        folder = self.bench.base / ".agent-sessions"
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def live(self) -> list[SessionRow]:
        """Give the runs that have not ended."""
        return [row for row in self.table() if row.outcome == RunOutcome.LIVE]


def shown(starts: list[Start]) -> tuple[str, ...]:
    """Give starts as lines of evidence."""
    return tuple(" ".join(start.cli.argv)[:400] for start in starts)

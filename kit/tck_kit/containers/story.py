"""The story that the proof tells: the simulator takes two runs of one issue, each in a container of its own.

Then a second issue is taken through the same, but for one thing: between its runs its state is taken away. What the
second run of the first issue remembers, it must have from the shared state, since nothing else differs.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tck_driver.configuration import Binding, EngineConfig, ProjectConfig
from tck_driver.errors import KitError
from tck_driver.stimuli import IssueOpened, IssueRetitled, RunDue, Stimulus
from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase, RunOutcome
from tck_driver.witness import WitnessLog
from tck_fakes.forge import FakeForge
from tck_fakes.images.inside import LOG
from tck_fakes.model import FakeModelProvider
from tck_fakes.modelserver.asked import Asked, read_log
from tck_kit.containers.runtime import Kept, RealRuntime
from tck_simulator.adapters.base import WORKDIR
from tck_simulator.engine import Engine
from tck_simulator.settings import LLM_MAX_RETRIES, PHASE_TIMEOUT_MINUTES, RECONCILE_SECONDS
from tck_simulator.store import Store

ORGANIZATION, PROJECT = "acme", "shop"
_PAUSE: Final = 0.25
#: Seconds past the time-out of a phase within which the simulator must have noticed it.
_GRACE: Final = 60


class WallClock:
    """The time of the machine: a real CLI takes as long as it takes."""

    def now(self) -> datetime:
        """Give the present time."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an issue: its row, its container, what it asked the model, and its prompt."""

    row: SessionRow
    kept: Kept
    asked: tuple[Asked, ...]
    prompt: str


@dataclass(frozen=True, slots=True)
class Issue:
    """Two runs of one issue, or one where that failed. `taken` says whether its state was taken away in between."""

    iid: int
    taken: bool
    state: tuple[str, ...]
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that happened: what detection found, and the issue of the proof and that of the control."""

    version: str | None
    reason: str | None
    proof: Issue
    control: Issue


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays: the adapter, its image, the model by the name that this CLI is configured for, and the patience.

    After so many minutes the simulator stops a run by itself, as it would any.
    """

    adapter: AdapterId
    image: str
    model: str
    minutes: int = 5


class Teller:
    """Tells the story with one engine; `say` is told what is under way."""

    def __init__(self, players: Cast, runtime: RealRuntime, folder: Path, say: Callable[[str], None]) -> None:
        self._players = players
        self._runtime = runtime
        self._base = folder / "engine"
        self._store = f"sqlite:///{folder / 'engine.sqlite'}"
        self._forge = FakeForge(WitnessLog())
        self._say = say

    def tell(self) -> Story:
        """Take both issues through their runs."""
        with closing(Store(self._store)) as store:
            store.create()
            engine = self._engine(store)
            found = next(row for row in store.installations() if row.adapter_id == self._players.adapter)
            proof = self._issue(engine, 1, taken=False)
            control = self._issue(engine, 2, taken=True)
        return Story(found.version, found.reason, proof, control)

    def _engine(self, store: Store) -> Engine:
        binding = Binding(self._players.adapter, model=self._players.model)
        project = ProjectConfig(ORGANIZATION, PROJECT, bindings=tuple((phase, binding) for phase in Phase))
        # The others are not installed: without an image there is nothing to detect a version in.
        images = tuple(
            (each, self._players.image if each is self._players.adapter else "")
            for each in AdapterId
            if each is not AdapterId.API
        )
        config = EngineConfig(str(self._base), (project,), images=images)
        store.configure(config, images)
        # A failure shows as one, and no sweep comes in between.
        once = {LLM_MAX_RETRIES: 0, RECONCILE_SECONDS: 86_400, PHASE_TIMEOUT_MINUTES: self._players.minutes}
        for name, value in once.items():
            store.set_setting("instance", "", "", name, value=value)
        engine = Engine(
            store=store,
            base=self._base,
            runtime=self._runtime,
            forge=self._forge,
            models=FakeModelProvider(WitnessLog()),
            clock=WallClock(),
        )
        self._say("which version the image holds")
        engine.begin()
        return engine

    def _issue(self, engine: Engine, iid: int, *, taken: bool) -> Issue:
        ref = MailboxRef(ORGANIZATION, PROJECT, "issue", iid)
        what = "the control" if taken else "the proof"
        self._tell(engine, IssueOpened(ref, f"The basket forgets its {iid * 11} apples"))
        first = self._run(engine, ref, Phase.ANALYSIS, f"{what}: the first container")
        state = _state(first.kept)
        if first.row.outcome != RunOutcome.SUCCEEDED:
            return Issue(iid, taken, (), (first,))
        left = _files(state)
        if taken and state is not None:
            shutil.rmtree(state)
        self._tell(engine, IssueRetitled(ref, f"The basket forgets its {iid * 13} pears"))
        second = self._run(engine, ref, Phase.DEVELOPMENT, f"{what}: the second container")
        return Issue(iid, taken, left, (first, second))

    def _tell(self, engine: Engine, stimulus: Stimulus) -> None:
        self._forge.hear(stimulus)
        result = engine.handle(stimulus)
        if result.error:
            raise KitError(f"the simulator refused {type(stimulus).__name__}: {result.error}")

    def _run(self, engine: Engine, ref: MailboxRef, phase: Phase, what: str) -> Run:
        self._say(what)
        before = len(self._runtime.kept)
        self._tell(engine, RunDue(ref, phase))
        end = time.monotonic() + self._players.minutes * 60 + _GRACE
        while engine.pending():
            if time.monotonic() > end:
                raise KitError(f"{what}: the simulator waits past the time-out of its phase")
            time.sleep(_PAUSE)
            engine.pump()
        row = [row for row in engine.query("sessions") if isinstance(row, SessionRow) and row.mailbox == ref][-1]
        # A refused resume has a second leg; what came of the run is in the last one.
        kept = self._runtime.kept[before:][-1]
        return Run(row, kept, _asked(kept), _prompt(kept.request.argv))


def _state(kept: Kept) -> Path | None:
    """Give the host path of what a container had mounted as its session state, if it had anything."""
    sources = (mount.source for mount in kept.request.mounts if mount.target != WORKDIR)
    return next((Path(source) for source in sources), None)


def _files(state: Path | None) -> tuple[str, ...]:
    found = () if state is None else (path for path in state.rglob("*") if path.is_file())
    return tuple(sorted(str(path.relative_to(state)) for path in found if state is not None))


def _prompt(argv: Sequence[str]) -> str:
    """Give the prompt that a CLI was given: of its words the one that says so."""
    return next(word.removeprefix("--prompt=") for word in argv if "You work on issue" in word)


def _asked(kept: Kept) -> tuple[Asked, ...]:
    try:
        return read_log(kept.told / LOG)
    except FileNotFoundError:
        return ()

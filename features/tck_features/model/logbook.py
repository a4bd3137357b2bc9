"""What was witnessed so far, sorted by run: the starts of CLIs, how they ended, and what version commands printed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tck_driver.bench import Script, Write
from tck_driver.witness import (
    CliAnswered,
    CliStarted,
    ContainerEnded,
    ContainerStarted,
    ForgeWrite,
    ModelCalled,
    Record,
    VersionAsked,
)
from tck_features.model.facts import STATE_PLACES
from tck_features.model.versions import find_version

#: What a CLI does where nobody told it otherwise.
_ORDINARY = Script()


@dataclass(slots=True, eq=False)
class Leg:
    """One start of a CLI with a prompt, and what came of it."""

    cli: CliStarted
    container: ContainerStarted
    script: Script
    position: int
    run: str | None
    answer: CliAnswered | None = None
    end: ContainerEnded | None = None
    end_position: int = -1

    @property
    def at(self) -> datetime:
        """When it began."""
        return self.container.at

    @property
    def state_dir(self) -> Path | None:
        """The host path of what was mounted at the place of the CLI's sessions."""
        place = STATE_PLACES.get(self.cli.adapter)
        return next((Path(mount.source) for mount in self.container.mounts if mount.target == place), None)

    @property
    def meddles(self) -> bool:
        """Whether the agent itself wrote or linked something among the sessions."""
        place = STATE_PLACES.get(self.cli.adapter, "")
        return any(act.path.startswith(place) for act in self.script.acts)

    @property
    def saved(self) -> bool:
        """Whether a regular file below the state directory is new or changed, by the CLI or by its agent."""
        answer, end = self.answer, self.end
        if answer is None or end is None:
            return False
        # A CLI that was stopped did not come to what its agent was to do.
        acted = end.how == "exited" and answer.session_id is not None
        place = STATE_PLACES.get(self.cli.adapter, "")
        written = any(isinstance(act, Write) and act.path.startswith(f"{place}/") for act in self.script.acts)
        return answer.saved or (acted and written)


@dataclass(slots=True)
class Answer:
    """What a version command said, and where in the log that stands."""

    position: int
    version: str | None
    #: How long it ran, once it has ended.
    seconds: float = 0.0


@dataclass(slots=True)
class Chapter:
    """What was witnessed during one event, where it is not of a run's legs."""

    writes: list[tuple[int, ForgeWrite]] = field(default_factory=list[tuple[int, ForgeWrite]])
    calls: list[ModelCalled] = field(default_factory=list[ModelCalled])
    legs: list[Leg] = field(default_factory=list[Leg])
    ended: list[Leg] = field(default_factory=list[Leg])


class Logbook:
    """Reads each record once, as it comes."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._containers: dict[str, ContainerStarted] = {}
        self._legs: dict[str, Leg] = {}
        self._scripts: dict[str, deque[Script]] = {}
        self._runs: dict[str, list[Leg]] = {}
        #: Starts whose container does not say which run they are of.
        self.unlabelled: list[Leg] = []
        #: Adapter and image → what its version command printed, each time, with the position in the log.
        self.versions: dict[tuple[str, str], list[Answer]] = {}
        self.asked = 0
        self._started = ""
        self._asking: dict[str, Answer] = {}

    def scripted(self, adapter: str, scripts: Sequence[Script]) -> None:
        """Note what a CLI was told to do at its next starts."""
        self._scripts.setdefault(adapter, deque()).extend(scripts)

    def read(self, records: Sequence[Record], since: int) -> Chapter:
        """Take in what was witnessed during one event."""
        chapter = Chapter()
        for position, record in enumerate(records, since):
            if isinstance(record, ContainerStarted):
                self._containers[record.container] = record
                self._started = record.container
            elif isinstance(record, ContainerEnded):
                self._end(record, position, chapter)
            elif isinstance(record, CliStarted):
                self._start(record, position, chapter)
            elif isinstance(record, CliAnswered):
                if record.container in self._legs:
                    self._legs[record.container].answer = record
            elif isinstance(record, ForgeWrite):
                chapter.writes.append((position, record))
            elif isinstance(record, VersionAsked):
                self._ask(record, position)
            else:
                chapter.calls.append(record)
        return chapter

    def _ask(self, record: VersionAsked, position: int) -> None:
        """Note what a version command printed; whether it ended well shows when its container has ended."""
        answer = Answer(position, find_version(record.answer))
        self.asked += 1
        self.versions.setdefault((record.adapter, record.image), []).append(answer)
        self._asking[self._started] = answer

    def _end(self, record: ContainerEnded, position: int, chapter: Chapter) -> None:
        answer = self._asking.pop(record.container, None)
        if answer is not None:
            answer.seconds = (record.at - self._containers[record.container].at).total_seconds()
        if answer is not None and (record.exit_code != 0 or record.how != "exited"):
            answer.version = None
        leg = self._legs.get(record.container)
        if leg is not None and leg.end is None:
            leg.end, leg.end_position = record, position
            chapter.ended.append(leg)

    def of(self, run: str) -> list[Leg]:
        """Give the legs of a run, in order."""
        return self._runs.get(run, [])

    def give(self, leg: Leg, run: str) -> None:
        """Say of a start without a label which run it is of."""
        leg.run = run
        self._runs.setdefault(run, []).append(leg)

    def _start(self, record: CliStarted, position: int, chapter: Chapter) -> None:
        queue = self._scripts.get(record.adapter)
        script = queue.popleft() if queue else _ORDINARY
        container = self._containers[record.container]
        leg = Leg(record, container, script, position, None)
        self._legs[record.container] = leg
        chapter.legs.append(leg)
        run = next((value for name, value in container.labels if name == "run"), None)
        if run is None:
            self.unlabelled.append(leg)
        else:
            self.give(leg, run)

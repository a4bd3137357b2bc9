"""What the checks of a driver share: the driver, started as often as they need, and the kit's fakes around it."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tck_driver import schemas
from tck_driver.capabilities import ASKED
from tck_driver.configuration import EngineConfig, ProjectConfig
from tck_driver.connection import BRANCHES, CONTROL, START, About, Connection
from tck_driver.errors import DriverError
from tck_driver.messages import PROTOCOL, Json
from tck_driver.process import Command, DriverProcess
from tck_driver.remote import RemoteEngine
from tck_driver.vocabulary import AdapterId, MailboxRef
from tck_fakes.outside import Outside, client_environment
from tck_fakes.stage import Stage
from tck_kit.driver_talk import HttpWire, Noise, StdioWire, Talk, Wire
from tck_kit.engine_choice import SERVED, EngineChoice

#: The project, and the issue in it, that scenarios of a check are about.
ORGANIZATION, PROJECT = "acme", "shop"
ISSUE = MailboxRef(ORGANIZATION, PROJECT, "issue", 7)


class ProblemError(Exception):
    """A check found something wrong: what, and what to do."""

    def __init__(self, what: str, cure: str) -> None:
        """Keep the two."""
        super().__init__(what)
        self.cure = cure


class MootError(Exception):
    """There is nothing that a check could look at: why."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What of an answer to `initialize` could be understood, whatever else was wrong with it."""

    clock: str
    capabilities: Mapping[str, str]
    #: Of an engine that plays courses, the switch of its policy; None of an engine of mailboxes.
    switch: str | None = None

    def supports(self, capability: str) -> bool:
        """Say whether a capability is declared as supported."""
        return self.capabilities.get(capability) == "supported"

    @property
    def plays_courses(self) -> bool:
        """Whether it has a policy of its own, and no mailboxes."""
        return self.switch is not None

    @property
    def adapter(self) -> AdapterId | None:
        """The first adapter that a scenario could be served by."""
        return next((one for one in AdapterId if self.supports(f"adapter.{one}")), None)


class Examination:
    """One driver under examination. `folder` is empty, and goes with whoever made it."""

    def __init__(self, choice: EngineChoice, about: About, folder: Path, outside: Outside) -> None:
        """Prepare; nothing is started yet."""
        self.choice = choice
        self.noise = Noise()
        #: What the driver answered to the first `initialize`, as it came.
        self.said: Any = None
        #: Whether scenarios were tried, and could not be had.
        self.no_scenario = False
        self._about = about
        self._folder = folder
        self._outside = outside
        self._talk: Talk | None = None
        self._connection: Connection | None = None
        self._count = 0

    @property
    def started_by_us(self) -> bool:
        """Whether its process is ours, to be killed and started again."""
        return self.choice.kind != "url"

    @property
    def over_http(self) -> bool:
        """Whether it is spoken to over HTTP."""
        return self.choice.kind in {"url", "sim+http"}

    @property
    def declared(self) -> Declared:
        """What could be understood of the first answer."""
        said = as_object(mended("initialize", self.said))
        switch = str(as_object(said.get("policy")).get("switch", "")) if "policy" in said else None
        return Declared(str(said.get("clock")), as_object(said.get("capabilities")), switch)

    def seconds(self, plain: float = CONTROL) -> float:
        """Give a deadline as it is for this driver."""
        return plain * self.choice.timeout_scale

    def fresh(self) -> Talk:
        """Start the driver, and say nothing yet; the one before it is ended."""
        self.drop()
        self._talk = Talk(self._wire(), self.noise, mended)
        return self._talk

    def begun(self) -> Talk:
        """Give a driver that was initialized: the one that runs, or a fresh one."""
        if self._talk is None or not self._talk.usable:
            self.ask_who(self.fresh())
        if self._talk is None:
            raise AssertionError
        return self._talk

    def ask_who(self, talk: Talk) -> Json:
        """Send `initialize` with everything the kit asks, and give the answer as it came."""
        return talk.ask("initialize", self.introduction(), self.seconds(START))

    def introduction(self) -> Json:
        """Give params of `initialize`."""
        about = self._about
        return {
            "protocol": PROTOCOL,
            "kit": {"name": "session-tck", "version": about.kit_version},
            "spec": {"id": about.spec_id, "version": about.spec_version, "digest": about.spec_digest},
            "capabilities": [*ASKED],
            "directory": str(self._place("driver")),
        }

    @contextmanager
    def scenario(self) -> Generator[RemoteEngine]:
        """Open a scenario and close it. Raises `MootError` where there can be none."""
        if self.no_scenario:
            raise MootError("no scenario can be had; see the check of scenarios")
        adapter = self.declared.adapter
        if not self.declared.supports("sessions") or adapter is None:
            raise MootError("no scenario can be opened: sessions and an adapter must be declared as supported")
        with self.stage() as (engine, stage):
            config = EngineConfig(str(stage.place / "base"), (ProjectConfig.of(ORGANIZATION, PROJECT, adapter),))
            _opened(engine.open(config))
            yield engine
            engine.close()

    @contextmanager
    def stage(self) -> Generator[tuple[RemoteEngine, Stage]]:
        """Give the engine of a scenario that is yet to begin, and what is around it. Raises `MootError`."""
        if fits("initialize", {}, mended("initialize", self.said)) is not None:
            raise MootError("no scenario can be opened: the answer to initialize cannot be used")
        connection = self._connected()
        stage = Stage.at(self._place("scenario"), zlib.crc32(b"driver check"), self._outside.lock, self._outside.urls)
        self._outside.stage = stage
        try:
            yield RemoteEngine(connection, stage, stage.place.name, str(stage.place)), stage
        finally:
            stage.close()
            self._outside.stage = None

    def witnessed(self) -> int:
        """Count what the fakes of the open scenario have written down."""
        stage = self._outside.stage
        return 0 if stage is None else stage.witness.mark()

    @property
    def scale(self) -> float:
        """How much longer than usual everything may take."""
        return self.choice.timeout_scale

    def words(self) -> str:
        """Give the end of what the driver that runs wrote to standard error."""
        return "" if self._talk is None else self._talk.words()

    def drop(self) -> None:
        """End the driver that runs, so that the next check begins with a fresh one."""
        if self._talk is not None:
            self._talk.kill()
        self._talk = self._connection = None

    def _connected(self) -> Connection:
        """Give a connection such as a run has; the driver beneath it is the one that runs."""
        if self._connection is None or not self._connection.usable:
            self._connection = Connection(self.fresh(), self.choice.timeout_scale)
            self._connection.initialize(self._about, ASKED, str(self._place("driver")))
        return self._connection

    def _wire(self) -> Wire:
        choice = self.choice
        if choice.kind == "url":
            return HttpWire(choice.urls[0])
        words = SERVED if choice.simulated else choice.words
        directory = str(self._folder) if choice.simulated else choice.directory
        environment = (*client_environment(self._outside.path), *choice.environment)
        if choice.kind != "sim+http":
            return StdioWire(DriverProcess(Command(words, directory, environment), self._outside.path))
        process = DriverProcess(Command((*words, "http"), directory, environment), self._outside.path)
        url = StdioWire(process).hear(START)
        if url is None:
            process.kill()
            raise DriverError("it did not say where it listens")
        return HttpWire(url.decode("ascii", "replace"), process)

    def _place(self, name: str) -> Path:
        self._count += 1
        place = self._folder / f"{name}-{self._count}"
        place.mkdir()
        return place


def _opened(refused: str | None) -> None:
    if refused is not None:
        raise ProblemError(
            f"a plain configuration is refused: {refused}",
            "answer scenario/open with refused null, unless a setting or a mount is one that must be refused",
        )


def mended(method: str, result: object) -> object:
    """Take out of an answer to `initialize` what checks of its own are about, so that it hides nothing else."""
    if method != "initialize" or not isinstance(result, dict):
        return result
    said = as_object(cast("object", result))
    who = as_object(said.get("implementation"))
    capabilities = as_object(said.get("capabilities"))
    better: Json = {"protocol": PROTOCOL}
    if is_branch(who.get("version")):
        better["implementation"] = {**who, "version": "0"}
    if isinstance(said.get("capabilities"), dict):
        better["capabilities"] = {name: support for name, support in capabilities.items() if name in ASKED}
    return {**said, **better}


def is_branch(version: object) -> bool:
    """Say whether a version names something that is another thing tomorrow."""
    return isinstance(version, str) and version.strip().lower() in BRANCHES


def as_object(value: object) -> Json:
    """Take what should be an object for one, and anything else for an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def fits(method: str, params: Json, result: object) -> str | None:
    """Give what is wrong with a result, None if nothing is."""
    try:
        schemas.check_result(method, params, result)
    except schemas.MisfitError as fault:
        return str(fault)
    return None

"""What a worker is told before it begins."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cattrs import Converter

from tck_driver.connection import About
from tck_fakes.observed_mapping import SessionMapping
from tck_kit.driver_keeper import Introduction
from tck_kit.engine_choice import EngineChoice
from tck_kit.real_containers import RealContainers
from tck_kit.trace.held import Held

_CONVERTER = Converter()
_CONVERTER.register_unstructure_hook(SessionMapping, lambda mapping: mapping.plain())
_CONVERTER.register_structure_hook(SessionMapping, lambda fields, _: SessionMapping.read(fields))


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is to do. `lead` workers also tell who the engine is, and run the controls."""

    features: str
    folder: str
    known: tuple[str, ...]
    seed: int
    about: About
    engine: EngineChoice
    database_url: str | None
    scenario_seconds: int
    number: int
    lead: bool
    #: What the driver said of itself before the run.
    introduced: Introduction | None = None
    #: The faults that go through scenarios before the engine, beside the controls of every run.
    faults: tuple[str, ...] = ()
    #: Real containers for the simulator, where they are asked for.
    containers: RealContainers | None = None
    #: Whether to write down what happens, for it to be judged again.
    recorded: bool = False
    #: The trace that is judged again in the place of an engine, and the index to it.
    trace: Held | None = None

    def encode(self) -> str:
        """Give it as JSON."""
        return json.dumps(_CONVERTER.unstructure(self))

    @classmethod
    def decode(cls, text: str) -> Task:
        """Read what `encode` made."""
        return _CONVERTER.structure(json.loads(text), cls)

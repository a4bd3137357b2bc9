from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_driver.witness import WitnessLog
from tck_fakes.clock import VirtualClock
from tck_fakes.runtime import FakeContainerRuntime

from .box import Box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    """A fresh runtime for one test."""
    clock, witness = VirtualClock(), WitnessLog()
    runtime = FakeContainerRuntime(clock, witness, tmp_path / "scratch", seed=7)
    yield Box(tmp_path, clock, witness, runtime)
    runtime.close()

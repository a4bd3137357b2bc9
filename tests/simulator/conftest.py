from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_simulator.store import Store

from .house import ISSUE, TWIN, House


@pytest.fixture(scope="session")
def memory() -> Iterator[Store]:
    """A database in memory; whoever opens an engine on it empties it first."""
    store = Store("sqlite://")
    store.create()
    yield store
    store.close()


@pytest.fixture
def house(tmp_path: Path, memory: Store) -> Iterator[House]:
    """An engine that is not opened yet."""
    found = House.build(tmp_path, memory)
    yield found
    found.close()


@pytest.fixture
def engine(house: House) -> House:
    """An engine with an open issue in each of two projects, all phases bound to Claude Code."""
    house.open()
    house.opened(ISSUE, TWIN)
    return house

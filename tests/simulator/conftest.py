from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_simulator.store import Store

from .house import House


@pytest.fixture(scope="session")
def memory() -> Iterator[Store]:
    """A database in memory; whoever opens an engine on it empties it first."""
    store = Store("sqlite://")
    store.create()
    yield store
    store.close()


@pytest.fixture
def house(tmp_path: Path, memory: Store) -> Iterator[House]:
    """An engine with two projects, `org/app` and `org/web`, both bound to Claude Code, and one open issue in each."""
    found = House.build(tmp_path, memory)
    yield found
    found.close()

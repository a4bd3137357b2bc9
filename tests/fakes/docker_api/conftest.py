from collections.abc import Iterator

import pytest

from ..box import Box  # noqa: TID252 -- the room that this one is in
from .house import House, opened


@pytest.fixture
def house(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Docker's API over a fresh runtime."""
    for name in ("one", "two"):
        (box.root / name).mkdir()
    with opened(box, tmp_path_factory.mktemp("d") / "s") as made:
        yield made

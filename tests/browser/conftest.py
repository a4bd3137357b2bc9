"""One browser for the tests of a file; each test fails where its pages made the browser complain.

While it is started, its library keeps an event loop running in this thread, so it is closed before the next file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .chromium import Visitor, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def visitor(browser: Browser, tmp_path: Path) -> Iterator[Visitor]:
    """Give who opens the files that the test writes to `tmp_path`; set `folder` for files that lie elsewhere."""
    one = Visitor(browser, tmp_path)
    yield one
    one.close()
    assert one.complaints == []

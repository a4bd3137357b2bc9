"""How property tests are run: the same examples everywhere, unless somebody goes looking for more.

`HYPOTHESIS_PROFILE=search pytest` draws new examples each time, and many more of them. An interrupt is heard however
the tests were started: a shell that starts something in the background has it ignore Ctrl-C, and all that it starts.
A command that has heard one hears no second, which is right for a process that ends, and wrong for the next test.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("search", max_examples=1000, deadline=None, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _hears_interrupts() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] -- a fixture that every test uses
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)

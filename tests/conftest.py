"""How property tests are run: the same examples everywhere, unless somebody goes looking for more.

`HYPOTHESIS_PROFILE=search pytest` draws new examples each time, and many more of them. An interrupt is heard however
the tests were started: a shell that starts something in the background has it ignore Ctrl-C, and all that it starts.
"""

from __future__ import annotations

import os
import signal

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("search", max_examples=1000, deadline=None, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
signal.signal(signal.SIGINT, signal.default_int_handler)

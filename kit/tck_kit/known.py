"""Known failures: the file in which an implementer writes down what their engine is known to fail, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from tck_kit.faults import UsageFault

#: A baseline that is larger than this is no list of known failures.
MOST_BYTES = 4 * 1024 * 1024
_FORM = 'write a JSON object such as {"resume/phases.feature::A second run …[codex, answer]": "issue 12"}'


def read_baseline(path: Path) -> dict[str, str]:
    """Read the reasons by the id of the check. Raises `UsageFault` for anything else than that."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageFault("the file is larger than 4 MiB", str(path), _FORM)
        held: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise UsageFault(f"it cannot be read: {fault.strerror}", str(path), "give the file with --baseline") from fault
    except (ValueError, RecursionError) as fault:
        raise UsageFault(f"this is no JSON: {fault}", str(path), _FORM) from fault
    if not isinstance(held, dict):
        raise UsageFault("this is no JSON object", str(path), _FORM)
    for check, reason in cast("dict[str, object]", held).items():
        if not isinstance(reason, str) or not reason.strip():
            raise UsageFault(f"the entry for {check!r} has no reason", str(path), _FORM)
    return cast("dict[str, str]", held)

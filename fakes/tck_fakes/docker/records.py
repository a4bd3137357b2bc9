"""What is put on record of a real container: what its CLI read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tck_driver.errors import KitError
from tck_driver.witness import CliStarted
from tck_fakes.docker.kept import Kept


def cli_read(kept: Kept, said: Mapping[str, Any]) -> CliStarted:
    """Give the record of what the stand-in read from its arguments, as it says from inside."""
    if kept.cli is None:
        raise KitError(f"container {kept.id} says what its CLI was asked, and has none")
    asked: Mapping[str, Any] = said["asked"] or {}
    request = kept.request
    return CliStarted(
        container=kept.id,
        adapter=kept.cli.adapter,
        argv=request.argv,
        environment=request.environment,
        workdir=asked.get("workdir", request.workdir),
        prompt=asked.get("prompt", ""),
        asked_id=asked.get("asked_id"),
        chosen_id=asked.get("chosen_id"),
        label=asked.get("label"),
        asked_loosely=asked.get("loosely", False),
        usage_error=said["usage"],
    )

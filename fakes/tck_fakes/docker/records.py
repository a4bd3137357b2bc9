"""What is put on record of a real container: what its CLI read, and what that has answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tck_driver.errors import KitError
from tck_driver.witness import CliAnswered, CliStarted
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


def cli_answered(kept: Kept, exit_code: int) -> CliAnswered | None:
    """Give the record of how a CLI ended, None where there was none, or a question about it alone."""
    account = kept.account
    if account is None or kept.cli is None:
        return None
    return CliAnswered(
        container=kept.id,
        adapter=kept.cli.adapter,
        shape=account.shape,
        session_id=account.session_id,
        remembered=account.remembered,
        reported_ids=tuple(account.reported),
        saved=account.saved,
        exit_code=exit_code,
    )

"""The laws of refusals: which configurations and settings an engine takes, and which it must not.

Specification: ISOLATE-5, OFF-1, OFF-9, OFF-10; §23.3.
"""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING

from tck_driver.stimuli import SettingChanged
from tck_driver.views import SettingRow
from tck_features.history.events import Sent
from tck_features.laws.manuals import MANUALS
from tck_features.laws.names import is_prefix
from tck_features.laws.settings import RESUME, as_boolean, is_known

if TYPE_CHECKING:
    from tck_features.history.history import Happened
    from tck_features.laws.judging import Judge
    from tck_features.laws.known import Known
    from tck_features.world import World


def opening(world: World, judge: Judge) -> None:
    """Check whether the engine took its configuration, where nothing but credentials and the switch is in question."""
    known = all(is_known(scope, name, value) for scope, _, _, name, value in world.before.settings)
    if not known or not all(is_prefix(project.branch_prefix) for project in world.before.projects):
        return
    wrong = [
        f"{target} from {source}" for target, source in world.before.credentials if _overlaps(world, target, source)
    ]
    odd = [value for *_, name, value in world.before.settings if name == RESUME and as_boolean(value) is None]
    odd = [value for value in odd if value is not None]
    refusal = world.refusal
    judge(
        "the engine refuses a configuration whose credential mounts overlap a place of sessions, and no other",
        of=", ".join((*wrong, *map(repr, odd))),
        expected=bool(wrong or odd),
        actual=refusal is not None,
        rests_on="reported",
        by=("OFF-10",) if odd and not wrong else ("ISOLATE-5",),
        evidence=lambda: (str(refusal),),
    )


def _overlaps(world: World, target: str, source: str) -> bool:
    root = os.path.realpath(world.bench.base / ".agent-sessions")
    host = os.path.realpath(source)
    paths = [manual.state_path for manual in MANUALS.values() if manual.state_path is not None]
    return _meet(host, root) or any(_meet(posixpath.normpath(target), path) for path in paths)


def _meet(one: str, two: str) -> bool:
    one, two = f"{one.rstrip('/')}/", f"{two.rstrip('/')}/"
    return one.startswith(two) or two.startswith(one)


class Refusals:
    """Holds what an engine says of a setting against what the setting accepts."""

    def __init__(self, known: Known) -> None:
        """Look at what is known."""
        self._known = known

    def after(self, happened: Happened) -> None:
        """Check the answer to a change of the sessions' switch, and what is stored after it."""
        event, result = happened.event, happened.result
        if not isinstance(event, Sent) or not isinstance(event.stimulus, SettingChanged) or result is None:
            return
        change = event.stimulus
        if change.name != RESUME or change.scope == "instance":
            return
        valid = change.value is None or as_boolean(change.value) is not None
        error = result.error or ""
        named = RESUME in error and change.scope in error.lower()
        self._known.judge(
            "a value that is no boolean is refused with an error that names setting and scope, any other is taken",
            of=f"{change.value!r} for the {change.scope}",
            expected=not valid,
            actual=named if error else False,
            rests_on="reported",
            by=("OFF-10", "OFF-1") if valid else ("OFF-10",),
            evidence=lambda: (error,),
        )
        # Credential mounts are a setting as well, whose value no row of that view can hold.
        rows = None if self._known.world.before.credentials else self._known.view("settings", SettingRow)
        if rows is None:
            return
        stored = {
            (row.organization, row.project): row.value for row in rows if row.name == RESUME and row.value is not None
        }
        self._known.judge(
            "the stored values of the sessions' switch",
            expected=[f"{place}: {value}" for place, value in sorted(self._known.settings.switches().items())],
            actual=[f"{place}: {value}" for place, value in sorted(stored.items())],
            rests_on="reported",
            by=("OFF-10", "OFF-1", "OFF-9"),
        )

"""Which settings are in force, by what was stored: the sessions' switch, prefixes, and how often the engine sweeps.

A value that is none is refused and changes nothing (§23.3); so the laws decide for themselves what is one, and an
engine that takes it shows that by what it does. Specification: OFF-1, OFF-9, OFF-10.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from tck_driver.configuration import ProjectConfig, SettingValue, StoredSetting
from tck_driver.stimuli import PrefixChanged, SettingChanged
from tck_features.laws.names import is_prefix

RESUME, PREFIX, SWEEPS, CREDENTIALS = (
    "AGENT_SESSION_RESUME",
    "BRANCH_PREFIX",
    "RECONCILE_SECONDS",
    "AGENT_CREDENTIAL_MOUNTS",
)
_DEFAULT_PREFIX = "agent/"
_DEFAULT_SWEEPS = timedelta(seconds=300)
_WORDS = {"true": True, "false": False}


def as_boolean(value: SettingValue) -> bool | None:
    """Give the boolean that a value is, None where it is none."""
    return value if isinstance(value, bool) else _WORDS.get(value.lower()) if isinstance(value, str) else None


def is_known(scope: str, name: str, value: SettingValue) -> bool:
    """Say whether the laws know of a stored setting whether the engine has to take it."""
    if name == RESUME:
        return scope != "instance"
    return (
        name == SWEEPS and scope == "instance" and isinstance(value, int) and not isinstance(value, bool) and value > 0
    )


class Settings:
    """What was stored, and what holds because of that."""

    def __init__(self, projects: Iterable[ProjectConfig], stored: Iterable[StoredSetting]) -> None:
        """Begin with what the engine was opened with."""
        self._resume: dict[tuple[str, str], bool] = {}
        self._refused: set[tuple[str, str]] = set()
        #: A project's own prefix counts as stored for it, or as what the project began with; both can be meant.
        self._given = {(one.organization, one.name): one.branch_prefix for one in projects}
        self._prefixes: dict[tuple[str, str], str] = {}
        #: The longest time that can lie between two sweeps.
        self.between_sweeps = _DEFAULT_SWEEPS
        self.credentials_changed = False
        for scope, organization, project, name, value in stored:
            self._store(scope, organization, project, name, value)

    def take(self, change: SettingChanged | PrefixChanged) -> None:
        """Take a change in."""
        if isinstance(change, PrefixChanged):
            scope = "project" if change.project else "organization"
            self._store(scope, change.organization, change.project, PREFIX, change.prefix)
        else:
            self._store(change.scope, change.organization, change.project, change.name, change.value)

    def _store(self, scope: str, organization: str, project: str, name: str, value: SettingValue) -> None:
        place = (organization, project if scope == "project" else "")
        if name == RESUME and scope != "instance":
            self._switch(place, value)
        elif name == PREFIX and scope != "instance":
            if value is None:
                self._prefixes.pop(place, None)
            elif isinstance(value, str) and is_prefix(value):
                self._prefixes[place] = value
        elif name == SWEEPS and isinstance(value, int) and value > 0:
            self.between_sweeps = max(self.between_sweeps, timedelta(seconds=value))
        elif name == CREDENTIALS:
            self.credentials_changed = True

    def _switch(self, place: tuple[str, str], value: SettingValue) -> None:
        accepted = as_boolean(value)
        if value is None:
            self._resume.pop(place, None)
        elif accepted is not None:
            self._resume[place] = accepted
        self._refused.discard(place)
        if value is not None and accepted is None:
            self._refused.add(place)

    def switches(self) -> dict[tuple[str, str], bool]:
        """Give what is stored of the sessions' switch: by organization and project, which is empty for all of them."""
        return dict(self._resume)

    def resumes(self, organization: str, project: str) -> tuple[bool, tuple[str, ...]]:
        """Say whether the switch is on for a project, and by which requirements."""
        own = self._resume.get((organization, project))
        shared = self._resume.get((organization, ""))
        by = ("OFF-10",) if self._refused & {(organization, project), (organization, "")} else ()
        if own is not None:
            against = ("OFF-9",) if shared is not None and shared is not own else ()
            return own, ("RESUME-1" if own else "OFF-3", *against, "OFF-1", *by)
        if shared is not None:
            return shared, ("RESUME-1" if shared else "OFF-2", "OFF-1", *by)
        return True, ("RESUME-1", "OFF-1", *by)

    def prefixes(self, organization: str, project: str) -> tuple[str, ...]:
        """Give the prefix of a project, or each that can be meant."""
        own = self._prefixes.get((organization, project))
        if own is not None:
            return (own,)
        given = self._given.get((organization, project))
        shared = self._prefixes.get((organization, ""))
        known = (given, shared) if given is not None else (shared or _DEFAULT_PREFIX,)
        return tuple(dict.fromkeys(one for one in known if one is not None))

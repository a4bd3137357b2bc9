"""Runtime settings by scope, with their defaults.

Specification: OFF-1, OFF-9, OFF-10, §23.3. The project's value wins over the organization's, which wins over the
default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from tck_driver.configuration import SettingScope, SettingValue

SESSION_RESUME = "AGENT_SESSION_RESUME"
RETENTION_DAYS = "RETENTION_DAYS"
PHASE_TIMEOUT_MINUTES = "PHASE_TIMEOUT_MINUTES"
LLM_MAX_RETRIES = "LLM_MAX_RETRIES"
LEASE_SECONDS = "LEASE_SECONDS"
RECONCILE_SECONDS = "RECONCILE_SECONDS"
BACK_OFF_SECONDS = "LLM_RETRY_BACKOFF_SECONDS"


class SettingError(Exception):
    """A value was refused; the stored one stays. The text names setting, scope and what would do (OFF-10)."""


def _boolean(value: SettingValue) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ValueError("true or false")


def _whole(least: int) -> Callable[[SettingValue], int]:
    def read(value: SettingValue) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        raise ValueError(f"a whole number from {least}")

    return read


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its default, the scopes at which it may be stored, and how its value is read."""

    default: bool | int
    scopes: tuple[SettingScope, ...]
    read: Callable[[SettingValue], bool | int]


_PROJECT: tuple[SettingScope, ...] = ("organization", "project")
_INSTANCE: tuple[SettingScope, ...] = ("instance",)

#: Specification: §23.3. `BRANCH_PREFIX` and `AGENT_CREDENTIAL_MOUNTS` are read elsewhere.
SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        SESSION_RESUME: Setting(default=True, scopes=_PROJECT, read=_boolean),
        PHASE_TIMEOUT_MINUTES: Setting(default=30, scopes=_INSTANCE, read=_whole(1)),
        LLM_MAX_RETRIES: Setting(default=3, scopes=_INSTANCE, read=_whole(0)),
        BACK_OFF_SECONDS: Setting(default=60, scopes=_INSTANCE, read=_whole(0)),
        LEASE_SECONDS: Setting(default=60, scopes=_INSTANCE, read=_whole(3)),
        RECONCILE_SECONDS: Setting(default=300, scopes=_INSTANCE, read=_whole(1)),
        RETENTION_DAYS: Setting(default=30, scopes=_INSTANCE, read=_whole(1)),
    }
)


def accept(name: str, scope: SettingScope, value: SettingValue) -> bool | int:
    """Give the value to store. Raises `SettingError` for an unknown setting, a wrong scope or a wrong value."""
    setting = SETTINGS.get(name)
    if setting is None:
        raise SettingError(
            f"{name} at {scope} scope: there is no such setting; known are {', '.join(sorted(SETTINGS))}"
        )
    if scope not in setting.scopes:
        raise SettingError(f"{name} at {scope} scope: it is stored at {' or '.join(setting.scopes)} scope only")
    try:
        return setting.read(value)
    except ValueError as fault:
        raise SettingError(f"{name} at {scope} scope: {value!r} is refused; give {fault}") from None


def effective(name: str, stored: Mapping[str, bool | int]) -> bool | int:
    """Give the value in force out of the stored ones by scope: the narrowest wins. Specification: OFF-1, OFF-9."""
    scopes: tuple[SettingScope, ...] = ("project", "organization", "instance")
    return next((stored[scope] for scope in scopes if scope in stored), SETTINGS[name].default)


#: Stored values by setting, then by scope.
StoredSettings = Mapping[str, Mapping[str, bool | int]]


@dataclass(frozen=True, slots=True)
class Effective:
    """The settings in force for a project, read once (§16.5.2)."""

    stored: StoredSettings

    def value(self, name: str) -> bool | int:
        """Give the value in force of one setting."""
        return effective(name, self.stored.get(name, {}))

    def seconds(self, name: str) -> timedelta:
        """Give a setting in seconds as a duration."""
        return timedelta(seconds=int(self.value(name)))

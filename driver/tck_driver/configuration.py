"""What an engine is told before a scenario begins: organizations, projects, bindings, installations, settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tck_driver.vocabulary import AdapterId, Phase

#: A setting's value as a user typed it; the engine decides whether it is one (OFF-10).
SettingValue = bool | int | str | None
SettingScope = Literal["instance", "organization", "project"]
#: Scope, organization, project (empty above its scope), name of the setting, value.
StoredSetting = tuple[SettingScope, str, str, str, SettingValue]


@dataclass(frozen=True, slots=True)
class Binding:
    """Which adapter, provider and model serve a phase of a project (§16.7)."""

    adapter: AdapterId
    provider: str = "provider-a"
    model: str = "model-a"


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """One project of the scenario: its address, branch prefix and bindings. `bindings` lacks no phase after `of`."""

    organization: str
    name: str
    branch_prefix: str = "agent/"
    bindings: tuple[tuple[Phase, Binding], ...] = ()

    @classmethod
    def of(cls, organization: str, name: str, adapter: AdapterId, branch_prefix: str = "agent/") -> ProjectConfig:
        """Bind every phase to one adapter, as most scenarios begin."""
        return cls(organization, name, branch_prefix, tuple((phase, Binding(adapter)) for phase in Phase))


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Everything an engine needs to start a scenario.

    `base` is the folder that the specification writes as `{base}` (§3.4); `credential_mounts` are the container paths
    of `AGENT_CREDENTIAL_MOUNTS`, each with the host file that is mounted there read-only (§17.2).
    """

    base: str
    projects: tuple[ProjectConfig, ...]
    settings: tuple[StoredSetting, ...] = ()
    credential_mounts: tuple[tuple[str, str], ...] = ()
    database_url: str | None = None
    seed: int = 0
    #: The runner image that is installed for each adapter (§16.6).
    images: tuple[tuple[AdapterId, str], ...] = tuple(
        (adapter, f"runner-{adapter}:1") for adapter in AdapterId if adapter is not AdapterId.API
    )

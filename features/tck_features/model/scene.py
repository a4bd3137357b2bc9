"""What the outside world has told the engine so far: projects, bindings, settings, images, the tracker's answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from tck_driver.bench import TrackerAnswer
from tck_driver.configuration import Binding, EngineConfig, ProjectConfig, SettingScope, SettingValue, StoredSetting
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase
from tck_features.model.facts import NUMBERS, PREFIX_SETTING, RESUME_SETTING, accepted_boolean

Place = tuple[str, str, str]
_PREFIX = "agent/"


class Scene:
    """The present values of everything that the engine takes from outside."""

    def __init__(self) -> None:
        """Begin with no project."""
        self.bindings: dict[tuple[str, str], dict[str, Binding]] = {}
        self.images: dict[str, str] = {str(adapter): image for adapter, image in EngineConfig("", ()).images}
        #: (scope, organization, project) and name → value as it is stored.
        self.stored: dict[tuple[Place, str], SettingValue] = {}
        self.answers: dict[MailboxRef, TrackerAnswer] = {}
        self.answered_since: dict[MailboxRef, datetime] = {}
        #: Organization, project, number of a merge request of the agent's → its issue and generation.
        self.requests: dict[tuple[str, str, int], tuple[MailboxRef, int]] = {}
        self.titles: dict[MailboxRef, tuple[str, ...]] = {}
        self._held: dict[str, list[int]] = defaultdict(list)
        #: Prefixes of a project that were set in two ways, which the specification does not compare.
        self._unsure: dict[tuple[str, str], set[str]] = defaultdict(set)

    def open(self, projects: Iterable[ProjectConfig], settings: Iterable[StoredSetting]) -> None:
        """Take in what the engine is told when it is opened."""
        for project in projects:
            key = (project.organization, project.name)
            self.bindings[key] = {str(phase): binding for phase, binding in project.bindings}
            self.stored[("project", *key), PREFIX_SETTING] = project.branch_prefix
        for scope, organization, project_name, name, value in settings:
            self.store(scope, organization, project_name, name, value)
        # No timer was ever set by what was never in force.
        self._held.clear()

    def store(self, scope: SettingScope, organization: str, project: str, name: str, value: SettingValue) -> None:
        """Take in a value that the engine has accepted; None removes what is stored."""
        place = (scope, organization if scope != "instance" else "", project if scope == "project" else "")
        if name == RESUME_SETTING:
            value = None if value is None else accepted_boolean(value)
        if name == PREFIX_SETTING:
            self._note_prefix(place, value)
        if name in NUMBERS:
            self._held[name].append(self.number(name))
        if value is None:
            self.stored.pop((place, name), None)
        else:
            self.stored[place, name] = value

    def prefix(self, organization: str, project: str, prefix: str) -> None:
        """Take in another branch prefix of a project."""
        self.stored[("project", organization, project), PREFIX_SETTING] = prefix

    def bind(self, organization: str, project: str, phase: Phase | None, binding: Binding) -> None:
        """Take in another binding, of one phase or of all."""
        bound = self.bindings.setdefault((organization, project), {})
        for one in Phase if phase is None else (phase,):
            bound[str(one)] = binding

    def binding(self, mailbox: MailboxRef, phase: str) -> Binding:
        """Give what serves a phase of a mailbox now."""
        bound = self.bindings.get((mailbox.organization, mailbox.project), {})
        return bound.get(phase) or Binding(AdapterId.API)

    def number(self, name: str) -> int:
        """Give the present value of a setting of the instance."""
        value = self.stored.get((("instance", "", ""), name))
        return value if isinstance(value, int) else NUMBERS[name]

    def longest(self, name: str) -> int:
        """Give the highest value that a setting has had: a timer that was set by it may still run."""
        return max([self.number(name), *self._held[name]])

    def resume(self, mailbox: MailboxRef) -> tuple[bool, SettingScope]:
        """Say whether sessions are on for a mailbox, and which scope says so (OFF-1, OFF-9)."""
        organization, project = mailbox.organization, mailbox.project
        own = self.stored.get((("project", organization, project), RESUME_SETTING))
        if own is not None:
            return bool(own), "project"
        above = self.stored.get((("organization", organization, ""), RESUME_SETTING))
        return (True if above is None else bool(above)), "organization"

    def prefixes(self, mailbox: MailboxRef) -> tuple[str, ...]:
        """Give the branch prefix of a mailbox's project; several where it cannot be told which of them holds."""
        organization, project = mailbox.organization, mailbox.project
        own = self.stored.get((("project", organization, project), PREFIX_SETTING))
        above = self.stored.get((("organization", organization, ""), PREFIX_SETTING))
        first = next((str(one) for one in (own, above) if one is not None), _PREFIX)
        return (first, *sorted(self._unsure[organization, project] - {first}))

    def _note_prefix(self, place: Place, value: SettingValue) -> None:
        """Note that a prefix was stored as a setting: whether a project's own configuration is one is left open."""
        scope, organization, project = place
        for key in self.bindings:
            if key == (organization, project) or (scope != "project" and key[0] == organization):
                present = self.stored.get((("project", *key), PREFIX_SETTING), _PREFIX)
                self._unsure[key].update({str(present), _PREFIX if value is None else str(value)})

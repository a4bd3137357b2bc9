"""Faults of the setting: what it is worth where, what is taken for a value, and what turning it off does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from tck_driver.configuration import SettingScope, SettingValue
from tck_driver.stimuli import SettingChanged
from tck_driver.vocabulary import FallbackReason
from tck_fakes.faults.around import Inside, around, started
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import settings
from tck_simulator.cleanup import Cleaner
from tck_simulator.engine import Engine
from tck_simulator.live import LiveRun
from tck_simulator.reconciler import Reconciler
from tck_simulator.resolution import Resolution
from tck_simulator.rows import Mailbox
from tck_simulator.run import RunSequence
from tck_simulator.settings import SESSION_RESUME, Effective, Setting, SettingError
from tck_simulator.store import Store

Stored = Mapping[str, bool | int]


def _resume_setting(sabotage: Sabotage, change: Callable[[Setting], Setting]) -> None:
    """Declare AGENT_SESSION_RESUME in another way."""

    def make(table: Mapping[str, Setting]) -> Mapping[str, Setting]:
        return MappingProxyType({**table, SESSION_RESUME: change(table[SESSION_RESUME])})

    sabotage.replace(settings, "SETTINGS", make)


def _accepted(
    sabotage: Sabotage, reading: Callable[[Callable[[SettingValue], bool | int], SettingValue], bool]
) -> None:
    """Read its value in another way; `reading` is given the right one, too."""

    def change(setting: Setting) -> Setting:
        def read(value: SettingValue) -> bool:
            return reading(setting.read, value)

        return replace(setting, read=read)

    _resume_setting(sabotage, change)


def _in_force(sabotage: Sabotage, decide: Callable[[Stored], bool | int | None]) -> None:
    """Let other stored values of it decide; None leaves it to the default."""

    def body(real: Real, name: str, stored: Stored) -> bool | int:
        found = decide(stored) if name == SESSION_RESUME else None
        return int(real(name, stored if name != SESSION_RESUME else {})) if found is None else found

    around(sabotage, settings, "effective", body)


def _is_off(store: Store, mailbox: Mailbox) -> bool:
    found = Effective(store.settings(mailbox.ref.organization, mailbox.ref.project))
    return not found.value(SESSION_RESUME)


# --- OFF-1: on by default, for organizations and projects ----------------------------------------------------------


@fault("off-by-default", "OFF-1", Kind.WRONG_VALUE, "has sessions off where nothing is stored")
def _off_by_default(sabotage: Sabotage) -> None:
    _resume_setting(sabotage, lambda setting: replace(setting, default=False))


@fault(
    "project-value-not-stored",
    "OFF-1",
    Kind.MISSING_EFFECT,
    "takes a project's value of the setting without a word and stores nothing",
)
def _project_value_not_stored(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, scope: SettingScope, *given: Inside, value: Inside) -> None:
        if scope != "project" or SESSION_RESUME not in given:
            real(self, scope, *given, value=value)

    around(sabotage, Store, "set_setting", body)


@fault(
    "default-stored", "OFF-1", Kind.EXTRA_EFFECT, "stores the default as the project's own value when it is first read"
)
def _default_stored(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, organization: str, project: str) -> Inside:
        found = real(self, organization, project)
        if project and SESSION_RESUME not in found:
            self.set_setting("project", organization, project, SESSION_RESUME, value=True)
        return found

    around(sabotage, Store, "settings", body)


@fault(
    "off-for-everybody",
    "OFF-1",
    Kind.WRONG_SCOPE,
    "has sessions off for all organizations once one of them turned them off",
)
def _off_for_everybody(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, organization: str, project: str) -> Inside:
        found = real(self, organization, project)
        stored = [
            row for row in self.all_settings() if row["name"] == SESSION_RESUME and row["scope"] == "organization"
        ]
        if SESSION_RESUME not in found and any(row["value"] is False for row in stored):
            found[SESSION_RESUME] = {"organization": False}
        return found

    around(sabotage, Store, "settings", body)


@fault(
    "off-for-all-projects",
    "OFF-1",
    Kind.WRONG_SCOPE,
    "has sessions off for a whole organization once one of its projects turned them off",
)
def _off_for_all_projects(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, organization: str, project: str) -> Inside:
        found = real(self, organization, project)
        stored = [
            row for row in self.all_settings() if (row["name"], row["organization"]) == (SESSION_RESUME, organization)
        ]
        if SESSION_RESUME not in found and any(row["value"] is False for row in stored):
            found[SESSION_RESUME] = {"project": False}
        return found

    around(sabotage, Store, "settings", body)


@fault(
    "off-for-the-first-project",
    "OFF-1",
    Kind.ONCE,
    "has sessions off for the first project alone that has a run, of an organization that turned them off",
)
def _off_for_the_first_project(sabotage: Sabotage) -> None:
    reached: dict[str, str] = {}

    def body(real: Real, self: Inside, organization: str, project: str) -> Inside:
        found = real(self, organization, project)
        first = reached.setdefault(organization, project) if project else project
        if first != project:
            found.get(SESSION_RESUME, {}).pop("organization", None)
        return found

    around(sabotage, Store, "settings", body)


# --- OFF-8: turning it off -----------------------------------------------------------------------------------------


@fault(
    "turning-off-removes-the-session",
    "OFF-8",
    Kind.EXTRA_EFFECT,
    "removes an issue's session state at its first run after sessions were turned off",
)
def _turning_off_removes_the_session(sabotage: Sabotage) -> None:
    def before(self: Inside, live: LiveRun) -> None:
        if _is_off(self._store, live.mailbox):
            self._cleaner.remove_state(live.mailbox, self._clock.now())

    started(sabotage, before)


@fault(
    "turning-off-is-swept",
    "OFF-8",
    Kind.WRONG_MOMENT,
    "sweeps away the session state of open issues for which sessions were turned off",
)
def _turning_off_is_swept(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, now: Inside) -> None:
        real(self, now)
        for mailbox in self._store.mailboxes(only_open=True):
            if _is_off(self._store, mailbox):
                self._cleaner.remove_state(mailbox, now)

    around(sabotage, Reconciler, "_directories", body)


@fault(
    "state-outlives-an-issue-turned-off",
    "OFF-8",
    Kind.MISSING_EFFECT,
    "leaves session state behind at the end of an issue for which sessions were turned off",
)
def _state_outlives_an_issue_turned_off(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, mailbox: Mailbox, now: Inside) -> None:
        if not _is_off(self._store, mailbox):
            real(self, mailbox, now)

    around(sabotage, Cleaner, "remove_state", body)


@fault(
    "turning-off-moves-the-state",
    "OFF-8",
    Kind.WRONG_VALUE,
    "keeps session state in another place while sessions are off",
)
def _turning_off_moves_the_state(sabotage: Sabotage) -> None:
    def before(self: Inside, live: LiveRun) -> None:
        place = self._layout.sessions / (live.mailbox.session_dir or "none")
        if _is_off(self._store, live.mailbox) and place.is_dir():
            place.rename(place.with_name(f"{place.name}~off"))

    started(sabotage, before)


# --- OFF-9: the project's value wins -------------------------------------------------------------------------------


@fault("organization-wins", "OFF-9", Kind.WRONG_SCOPE, "lets the organization's value win over the project's")
def _organization_wins(sabotage: Sabotage) -> None:
    _in_force(sabotage, lambda stored: stored.get("organization", stored.get("project")))


@fault("off-wins", "OFF-9", Kind.WRONG_VALUE, "has sessions off where organization or project turned them off")
def _off_wins(sabotage: Sabotage) -> None:
    _in_force(sabotage, lambda stored: all(stored.values()))


@fault("on-wins", "OFF-9", Kind.WRONG_VALUE, "has sessions on where organization or project turned them on")
def _on_wins(sabotage: Sabotage) -> None:
    _in_force(sabotage, lambda stored: any(stored.values()) if stored else None)


@fault("latest-value-wins", "OFF-9", Kind.WRONG_MOMENT, "lets the value that was stored last win")
def _latest_value_wins(sabotage: Sabotage) -> None:
    latest: list[str] = []

    def body(real: Real, self: Inside, scope: SettingScope, *given: Inside, value: Inside) -> None:
        real(self, scope, *given, value=value)
        if SESSION_RESUME in given and value is not None:
            latest.append(scope)

    around(sabotage, Store, "set_setting", body)
    _in_force(sabotage, lambda stored: next((stored[one] for one in reversed(latest) if one in stored), None))


@fault("removed-value-stays", "OFF-9", Kind.MISSING_EFFECT, "does not remove the project's value when asked to")
def _removed_value_stays(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, scope: SettingScope, *given: Inside, value: Inside) -> None:
        if scope != "project" or SESSION_RESUME not in given or value is not None:
            real(self, scope, *given, value=value)

    around(sabotage, Store, "set_setting", body)


# --- OFF-10: what is no boolean is refused -------------------------------------------------------------------------


@fault("any-word-is-true", "OFF-10", Kind.WRONG_VALUE, "takes every word but false for true")
def _any_word_is_true(sabotage: Sabotage) -> None:
    _accepted(
        sabotage,
        lambda right, value: value.lower() != "false" if isinstance(value, str) and value else bool(right(value)),
    )


@fault("empty-text-is-false", "OFF-10", Kind.WRONG_VALUE, "takes the empty text for false")
def _empty_text_is_false(sabotage: Sabotage) -> None:
    _accepted(sabotage, lambda right, value: bool(value != "" and right(value)))


@fault("digits-are-booleans", "OFF-10", Kind.WRONG_VALUE, "takes the texts 1 and 0 for booleans")
def _digits_are_booleans(sabotage: Sabotage) -> None:
    _accepted(sabotage, lambda right, value: value == "1" if value in ("0", "1") else bool(right(value)))


@fault("spaces-around-a-word", "OFF-10", Kind.WRONG_VALUE, "takes the words true and false with spaces around them")
def _spaces_around_a_word(sabotage: Sabotage) -> None:
    _accepted(sabotage, lambda right, value: bool(right(value.strip() if isinstance(value, str) else value)))


@fault("numbers-are-booleans", "OFF-10", Kind.WRONG_VALUE, "takes numbers for booleans")
def _numbers_are_booleans(sabotage: Sabotage) -> None:
    _accepted(sabotage, lambda right, value: bool(value) if isinstance(value, int) else bool(right(value)))


@fault("words-in-lower-case-only", "OFF-10", Kind.WRONG_SCOPE, "takes the words true and false in lower case only")
def _words_in_lower_case_only(sabotage: Sabotage) -> None:
    def reading(right: Callable[[SettingValue], bool | int], value: SettingValue) -> bool:
        if isinstance(value, str) and value != value.lower():
            raise ValueError("true or false")
        return bool(right(value))

    _accepted(sabotage, reading)


@fault("refused-without-a-scope", "OFF-10", Kind.WRONG_VALUE, "does not say at which scope it has refused a value")
def _refused_without_a_scope(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, stimulus: Inside) -> Inside:
        try:
            return real(self, stimulus)
        except SettingError as fault:
            raise SettingError(f"{stimulus.name}: {stimulus.value!r} is refused") from fault

    around(sabotage, Engine, "_take", body)


@fault(
    "refused-without-a-word", "OFF-10", Kind.MISSING_EFFECT, "passes over a value that is no boolean without an error"
)
def _refused_without_a_word(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, stimulus: Inside) -> Inside:
        try:
            return real(self, stimulus)
        except SettingError:
            return None

    around(sabotage, Engine, "_take", body)


def _refused_and_stored(sabotage: Sabotage, *, value: bool | None) -> None:
    """Store something, or remove what is stored, where a value is refused."""

    def body(real: Real, self: Inside, stimulus: Inside) -> Inside:
        try:
            return real(self, stimulus)
        except SettingError:
            at = (stimulus.scope, stimulus.organization, stimulus.project, stimulus.name)
            self._store.set_setting(*at, value=value)
            raise

    around(sabotage, Engine, "_take", body)


@fault("refused-and-off", "OFF-10", Kind.WRONG_SCOPE, "refuses a value and turns resuming off all the same")
def _refused_and_off(sabotage: Sabotage) -> None:
    _refused_and_stored(sabotage, value=False)


@fault("refused-and-removed", "OFF-10", Kind.EXTRA_EFFECT, "refuses a value and removes the one that was stored")
def _refused_and_removed(sabotage: Sabotage) -> None:
    _refused_and_stored(sabotage, value=None)


# --- OFF-11: turned on again ---------------------------------------------------------------------------------------


def _after_a_pause(sabotage: Sabotage, change: Callable[[Resolution, list[str]], Resolution]) -> None:
    """Decide otherwise where runs without a session came last: what was decided, and the ids of the adapter so far."""

    def body(real: Real, self: Inside, mailbox: Mailbox, found: Effective, adapter: Inside, *given: Inside) -> Inside:
        made, directory = real(self, mailbox, found, adapter, *given)
        rows = self._store.sessions(mailbox.id)
        if made.resume_id is not None and rows[-1].session_name is None:
            own = (row.native_session_id for row in rows if row.adapter_id == adapter.id and row.native_session_id)
            made = change(made, list(own))
        return made, directory

    around(sabotage, RunSequence, "_resolve", body)


@fault(
    "pause-ends-the-session",
    "OFF-11",
    Kind.WRONG_SCOPE,
    "takes runs without a session for the end of the session before them",
)
def _pause_ends_the_session(sabotage: Sabotage) -> None:
    _after_a_pause(sabotage, lambda _, _ids: Resolution(session=True, reason=FallbackReason.NO_PRIOR_SESSION))


@fault(
    "first-session-after-a-pause",
    "OFF-11",
    Kind.WRONG_VALUE,
    "resumes an issue's first session and not its last once sessions are on again",
)
def _first_session_after_a_pause(sabotage: Sabotage) -> None:
    _after_a_pause(sabotage, lambda made, ids: replace(made, resume_id=ids[0]))


@fault("turning-off-forgets", "OFF-11", Kind.EXTRA_EFFECT, "forgets all native ids when sessions are turned off")
def _turning_off_forgets(sabotage: Sabotage) -> None:
    def body(real: Real, self: Inside, stimulus: Inside) -> Inside:
        made = real(self, stimulus)
        if isinstance(stimulus, SettingChanged) and stimulus.name == SESSION_RESUME and not stimulus.value:
            for row in self._store.sessions():
                self._store.overwrite_native_id(row.id, None)
        return made

    around(sabotage, Engine, "_take", body)

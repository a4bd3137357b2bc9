"""Faults of runs for which organization or project turned sessions off: what they have of sessions all the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tck_driver.configuration import SettingScope
from tck_fakes.faults.around import Inside, around, started
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.leftovers import (
    given_where,
    mounts_its_state_where,
    names_the_row_where,
    off_at,
)
from tck_fakes.faults.register import Real, fault
from tck_simulator import run, settings
from tck_simulator.adapters import Invocation
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.live import LiveRun
from tck_simulator.run import RunSequence
from tck_simulator.settings import Effective


def _off(scope: SettingScope) -> Callable[[LiveRun], bool]:
    return lambda live: off_at(live.settings, scope)


def _on_for_those_before(sabotage: Sabotage, scope: SettingScope) -> None:
    """Go on with sessions in a mailbox that had one before they were turned off."""

    def body(real: Real, self: Inside, mailbox: Inside, found: Effective, *given: Inside) -> Inside:
        if mailbox.session_dir is not None and off_at(found, scope):
            found = Effective({**found.stored, settings.SESSION_RESUME: {}})
        return real(self, mailbox, found, *given)

    around(sabotage, RunSequence, "_resolve", body)


def _off_one_run_late(sabotage: Sabotage, scope: SettingScope) -> None:
    """Heed the setting from the second run on that begins after it was turned off."""
    before: dict[int, Effective] = {}

    def body(real: Real, self: Inside, mailbox: Inside, found: Effective, *given: Inside) -> Inside:
        last, before[mailbox.id] = before.get(mailbox.id, found), found
        return real(self, mailbox, last if off_at(found, scope) else found, *given)

    around(sabotage, RunSequence, "_resolve", body)


# --- OFF-2: off for the organization -------------------------------------------------------------------------------


@fault(
    "organization-off-mounts",
    "OFF-2",
    Kind.EXTRA_EFFECT,
    "mounts a state directory though the organization turned sessions off",
)
def _organization_off_mounts(sabotage: Sabotage) -> None:
    mounts_its_state_where(sabotage, _off("organization"))


@fault(
    "organization-off-names-the-row",
    "OFF-2",
    Kind.WRONG_VALUE,
    "names the row of a run though the organization turned sessions off",
)
def _organization_off_names_the_row(sabotage: Sabotage) -> None:
    names_the_row_where(sabotage, lambda _mailbox, _binding, found: off_at(found, "organization"))


@fault(
    "organization-off-for-new-issues",
    "OFF-2",
    Kind.WRONG_SCOPE,
    "heeds the organization's off for issues without a session only",
)
def _organization_off_for_new_issues(sabotage: Sabotage) -> None:
    _on_for_those_before(sabotage, "organization")


@fault(
    "organization-off-one-run-late",
    "OFF-2",
    Kind.WRONG_MOMENT,
    "resumes once more after the organization turned sessions off",
)
def _organization_off_one_run_late(sabotage: Sabotage) -> None:
    _off_one_run_late(sabotage, "organization")


@fault(
    "organization-off-takes-credentials",
    "OFF-2",
    Kind.MISSING_EFFECT,
    "mounts no credentials either where the organization turned sessions off",
)
def _organization_off_takes_credentials(sabotage: Sabotage) -> None:
    now: list[bool] = [False]

    def before(_: Inside, live: LiveRun) -> None:
        now[0] = off_at(live.settings, "organization")

    def request(real: Real, **named: Inside) -> Inside:
        return real(**{**named, "credentials": () if now[0] else named["credentials"]})

    started(sabotage, before)
    around(sabotage, run, "container_request", request)


@fault(
    "organization-off-keeps-the-database",
    "OFF-2",
    Kind.EXTRA_EFFECT,
    "sets opencode's database though the organization turned sessions off",
)
def _organization_off_keeps_the_database(sabotage: Sabotage) -> None:
    environment = (("OPENCODE_DB", "/home/agent/.local/state/opencode-sessions/sessions-1.db"),)
    given_where(sabotage, OpenCode, _off("organization"), lambda made: replace(made, environment=environment))


@fault(
    "organization-off-chooses-an-id",
    "OFF-2",
    Kind.EXTRA_EFFECT,
    "gives claude an id though the organization turned sessions off",
)
def _organization_off_chooses_an_id(sabotage: Sabotage) -> None:
    made: list[str] = []

    def change(found: Invocation) -> Invocation:
        made.append(f"00000000-0000-4000-8000-{len(made):012}")
        return replace(found, argv=(*found.argv[:2], "--session-id", made[-1], *found.argv[2:]))

    given_where(sabotage, ClaudeCode, _off("organization"), change)


# --- OFF-3: off for the project ------------------------------------------------------------------------------------


@fault(
    "project-off-mounts", "OFF-3", Kind.EXTRA_EFFECT, "mounts a state directory though the project turned sessions off"
)
def _project_off_mounts(sabotage: Sabotage) -> None:
    mounts_its_state_where(sabotage, _off("project"))


@fault(
    "project-off-for-new-issues", "OFF-3", Kind.WRONG_SCOPE, "heeds the project's off for issues without a session only"
)
def _project_off_for_new_issues(sabotage: Sabotage) -> None:
    _on_for_those_before(sabotage, "project")


@fault(
    "project-off-one-run-late", "OFF-3", Kind.WRONG_MOMENT, "resumes once more after the project turned sessions off"
)
def _project_off_one_run_late(sabotage: Sabotage) -> None:
    _off_one_run_late(sabotage, "project")


@fault(
    "project-off-in-the-prompt",
    "OFF-3",
    Kind.WRONG_VALUE,
    "tells the model in its prompt that the project turned sessions off",
)
def _project_off_in_the_prompt(sabotage: Sabotage) -> None:
    def before(_: Inside, live: LiveRun) -> None:
        if off_at(live.settings, "project"):
            live.call = replace(live.call, prompt=f"{live.call.prompt}\nYou remember nothing of earlier runs.")

    started(sabotage, before)

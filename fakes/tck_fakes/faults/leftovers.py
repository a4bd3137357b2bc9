"""What can be left of sessions in a run that has none: a mount, an argument, a name on its row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tck_driver.configuration import SettingScope
from tck_fakes.faults.around import Inside, around, started
from tck_fakes.faults.fault import Sabotage
from tck_fakes.faults.register import Real
from tck_simulator import run, settings
from tck_simulator.adapters import Adapter, Call, Invocation
from tck_simulator.contract import LlmResult
from tck_simulator.layout import prepare
from tck_simulator.live import LiveRun
from tck_simulator.ports import ContainerState
from tck_simulator.run import RunSequence
from tck_simulator.settings import Effective
from tck_simulator.store import Store

#: Where a fault's own mount comes from on the host, and where it goes in the container.
Place = tuple[Path, str]
GROK_PATH = "/home/agent/.grok/sessions"


def off_at(found: Effective, scope: SettingScope) -> bool:
    """Say whether it is this scope that turns sessions off."""
    return not found.value(settings.SESSION_RESUME) and found.stored[settings.SESSION_RESUME].get(scope) is False


def mounts(sabotage: Sabotage, place: Callable[[Inside, LiveRun, Adapter], Place | None]) -> None:
    """Mount something where `place(sequence, run, adapter)` says, though the run has no session."""
    held: list[Place] = []

    def start(real: Real, self: Inside, live: LiveRun) -> None:
        found = None if live.state is not None or live.adapter is None else place(self, live, live.adapter)
        if found is not None:
            held.append(found)
            prepare(found[0])
        real(self, live)
        held.clear()

    def request(real: Real, **named: Inside) -> Inside:
        return real(**{**named, "state": held[0] if held else named["state"]})

    around(sabotage, RunSequence, "_start", start)
    around(sabotage, run, "container_request", request)


def mounts_its_state_where(sabotage: Sabotage, holds: Callable[[LiveRun], bool]) -> None:
    """Mount a run's own state directory where this holds of it, though it has no session."""

    def place(self: Inside, live: LiveRun, adapter: Adapter) -> Place | None:
        if not holds(live):
            return None
        directory = self._store.mailbox_by_id(live.mailbox.id).session_dir or self._claim(live.mailbox)
        return self._layout.state(directory, adapter.id), adapter.capability.session_state_path or GROK_PATH

    mounts(sabotage, place)


def given_where(
    sabotage: Sabotage, adapter: type, holds: Callable[[LiveRun], bool], change: Callable[[Invocation], Invocation]
) -> None:
    """Change the vector of a run without a session, where this holds of the run."""
    now: list[bool] = [False]

    def before(_: Inside, live: LiveRun) -> None:
        now[0] = holds(live)

    def plain(real: Real, self: Inside, call: Call) -> Invocation:
        made: Invocation = real(self, call)
        return change(made) if now[0] else made

    started(sabotage, before)
    around(sabotage, adapter, "plain", plain)


def resumes_where(sabotage: Sabotage, adapter: type, holds: Callable[[LiveRun], bool]) -> None:
    """Ask for the session of the run before, of which nobody should have kept the id."""
    ids: dict[int, str] = {}
    now: list[str | None] = [None]

    def before(_: Inside, live: LiveRun) -> None:
        now[0] = ids.get(live.mailbox.id) if holds(live) else None

    def plain(real: Real, self: Inside, call: Call) -> Invocation:
        made: Invocation = real(self, call) if now[0] is None else self.resume(call, now[0])
        return made

    def result(real: Real, self: Inside, live: LiveRun, state: ContainerState) -> LlmResult:
        reported = () if live.adapter is None else live.adapter.read(state).reported
        if reported:
            ids[live.mailbox.id] = reported[-1]
        made: LlmResult = real(self, live, state)
        return made

    started(sabotage, before)
    around(sabotage, adapter, "plain", plain)
    around(sabotage, RunSequence, "result", result)


def names_the_row_where(sabotage: Sabotage, holds: Callable[[Inside, Inside, Effective], bool]) -> None:
    """Write a name into the row of a run without a session, where this holds of mailbox, binding and settings."""
    now: list[Effective] = []

    def begin(real: Real, self: Inside, mailbox: Inside, phase: Inside, *given: Inside) -> Inside:
        now[:] = given[:1]
        return real(self, mailbox, phase, *given)

    def start_run(
        real: Real, self: Inside, identity: int, phase: Inside, binding: Inside, *given: Inside, **session: Inside
    ) -> int:
        mailbox = self.mailbox_by_id(identity)
        if session["session_name"] is None and holds(mailbox, binding, now[0]):
            session["session_name"] = mailbox.branch_name or f"mr-{mailbox.ref.iid}"
        return int(real(self, identity, phase, binding, *given, **session))

    around(sabotage, RunSequence, "begin", begin)
    around(sabotage, Store, "start_run", start_run)

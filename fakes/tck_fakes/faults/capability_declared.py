"""Faults of what is declared: which adapter can resume, by which option, and where it keeps its sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tck_driver.vocabulary import AdapterId
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import run
from tck_simulator.adapters.base import HOME, Adapter, Call, Capability, Invocation
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.codex import Codex
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.grok_build import GrokBuild
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.detection import Detection
from tck_simulator.ports import ContainerRuntime
from tck_simulator.rows import Installation, Mailbox
from tck_simulator.run import RunSequence
from tck_simulator.store import Store
from tck_simulator.versions import Version

_NOTHING = Capability(resumable_sessions=False, session_state_path=None)
_GROK = Capability(resumable_sessions=True, session_state_path=f"{HOME}/.grok/sessions")


def _recorded(sabotage: Sabotage, change: Callable[[Installation], Installation | None]) -> None:
    """Change what is put on record of an image, or with None leave it out, after it was detected."""

    def make(real: Real) -> Real:
        def add(store: Store, found: Sequence[Installation]) -> None:
            kept = [row for row in map(change, found) if row is not None]
            if kept:
                real(store, kept)

        return add

    sabotage.replace(Store, "add_installations", make)


def _detected(sabotage: Sabotage, change: Callable[[Adapter, Detection], Detection]) -> None:
    """Change what is made of a version command."""

    def make(real: Real) -> Real:
        def detect(adapter: Adapter, image: str, runtime: ContainerRuntime) -> Detection:
            return change(adapter, real(adapter, image, runtime))

        return detect

    sabotage.replace(run, "detect", make)


# --- CAPABILITY-1: both are declared ---------------------------------------------------------------------------------


@fault(
    "path-whatever-it-can", "CAPABILITY-1", Kind.WRONG_VALUE, "records a state path for an adapter that cannot resume"
)
def _path_whatever_it_can(sabotage: Sabotage) -> None:
    def change(row: Installation) -> Installation:
        return replace(row, session_state_path=row.session_state_path or f"{HOME}/.{row.adapter_id}")

    _recorded(sabotage, change)


@fault("path-left-out", "CAPABILITY-1", Kind.MISSING_EFFECT, "records no state path for an adapter that can resume")
def _path_left_out(sabotage: Sabotage) -> None:
    def change(row: Installation) -> Installation:
        return replace(row, session_state_path=None)

    _recorded(sabotage, change)


@fault(
    "first-adapter-declared", "CAPABILITY-1", Kind.ONCE, "records the state path of the first adapter, and of no other"
)
def _first_adapter_declared(sabotage: Sabotage) -> None:
    declared: list[str] = []

    def change(row: Installation) -> Installation:
        declared.append(row.adapter_id)
        return row if row.adapter_id == declared[0] else replace(row, session_state_path=None)

    _recorded(sabotage, change)


# --- CAPABILITY-3: grok-build declares nothing -----------------------------------------------------------------------


@fault("grok-declared", "CAPABILITY-3", Kind.EXTRA_EFFECT, "gives a run of grok-build a session")
def _grok_declared(sabotage: Sabotage) -> None:
    sabotage.replace(GrokBuild, "capability", lambda _: _GROK)


@fault("grok-verified", "CAPABILITY-3", Kind.WRONG_VALUE, "takes every version of grok-build for verified")
def _grok_verified(sabotage: Sabotage) -> None:
    sabotage.replace(GrokBuild, "capability", lambda _: _GROK)
    sabotage.replace(GrokBuild, "verified_from", lambda _: Version(0, 0, 1))


@fault("grok-verified-from-one", "CAPABILITY-3", Kind.WRONG_SCOPE, "takes grok-build for able from version 1.0.0 on")
def _grok_verified_from_one(sabotage: Sabotage) -> None:
    def change(adapter: Adapter, found: Detection) -> Detection:
        if adapter.id is not AdapterId.GROK_BUILD or found.version is None:
            return found
        return Detection(found.version, resumable=found.version >= Version(1, 0, 0), reason=None)

    _detected(sabotage, change)


@fault("grok-path-recorded", "CAPABILITY-3", Kind.WRONG_VALUE, "records a state path for grok-build")
def _grok_path_recorded(sabotage: Sabotage) -> None:
    def change(row: Installation) -> Installation:
        return replace(row, session_state_path=_GROK.session_state_path) if row.adapter_id == GrokBuild.id else row

    _recorded(sabotage, change)


# --- CAPABILITY-6: four adapters declare -----------------------------------------------------------------------------


@fault("claude-undeclared", "CAPABILITY-6", Kind.MISSING_EFFECT, "gives runs of claude-code no session")
def _claude_undeclared(sabotage: Sabotage) -> None:
    sabotage.replace(ClaudeCode, "capability", lambda _: _NOTHING)


@fault("copilot-undeclared", "CAPABILITY-6", Kind.MISSING_EFFECT, "gives runs of copilot no session")
def _copilot_undeclared(sabotage: Sabotage) -> None:
    sabotage.replace(Copilot, "capability", lambda _: _NOTHING)


@fault(
    "codex-beside-its-path", "CAPABILITY-6", Kind.WRONG_VALUE, "mounts the sessions of codex where codex keeps its logs"
)
def _codex_beside_its_path(sabotage: Sabotage) -> None:
    sabotage.replace(
        Codex, "capability", lambda _: Capability(resumable_sessions=True, session_state_path=f"{HOME}/.codex/log")
    )


@fault(
    "opencode-at-its-data",
    "CAPABILITY-6",
    Kind.WRONG_VALUE,
    "mounts the sessions of opencode where it keeps its log-in",
)
def _opencode_at_its_data(sabotage: Sabotage) -> None:
    sabotage.replace(
        OpenCode,
        "capability",
        lambda _: Capability(resumable_sessions=True, session_state_path=f"{HOME}/.local/share/opencode"),
    )


@fault(
    "session-only-if-verified",
    "CAPABILITY-6",
    Kind.WRONG_SCOPE,
    "gives no session where the installed version cannot resume",
)
def _session_only_if_verified(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def resolved(
            sequence: RunSequence, mailbox: Mailbox, settings: object, adapter: object, found: Installation | None
        ) -> object:
            able = found is not None and found.resumable_sessions
            return real(sequence, mailbox, settings, adapter if able else None, found)

        return resolved

    sabotage.replace(RunSequence, "_resolve", make)


@fault(
    "codex-by-another-option", "CAPABILITY-6", Kind.WRONG_VALUE, "asks codex to resume with the option of another CLI"
)
def _codex_by_another_option(sabotage: Sabotage) -> None:
    def resume(adapter: Codex, call: Call, native_id: str) -> Invocation:
        argv = adapter.plain(call).argv
        return Invocation((*argv[:2], f"--resume={native_id}", *argv[2:]))

    sabotage.replace(Codex, "resume", lambda _: resume)

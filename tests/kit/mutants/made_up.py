"""Faults that are made up for tests, and the little suite that they meet.

A process of its own can have them, too: with this folder on its path, `sitecustomize` enters them there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tck_fakes.faults import Fault, Kind, Sabotage
from tck_fakes.faults.fault import Fault as MadeUp
from tck_kit.scenarios import Scenario, ScenarioStep
from tck_reports.records import RequirementEntry
from tck_simulator import naming


def _slug(does: Callable[[str], str]) -> Callable[[Sabotage], None]:
    """Replace what makes slugs; what it does is given the right one."""

    def commit(sabotage: Sabotage) -> None:
        def make(real: Callable[[str], str]) -> Callable[[str], str]:
            return lambda title: does(real(title))

        sabotage.replace(naming, "slug", make)

    return commit


def _for_ever(slug: str) -> str:
    while slug:
        pass
    return slug


def _deaf(slug: str) -> str:
    while True:
        try:
            _for_ever(slug)
        except BaseException:  # noqa: BLE001, S112 -- it hears nothing, which is its sin
            continue


def _gone(_slug: str) -> str:
    os._exit(3)


def _crashing(_slug: str) -> str:
    raise ValueError("no slug")


def _unsound(_sabotage: Sabotage) -> None:
    raise RuntimeError("the fault itself is wrong")


def _harmless(_sabotage: Sabotage) -> None:
    """Replace nothing at all."""


def _fault(name: str, requirement: str, kind: Kind, commit: Callable[[Sabotage], None]) -> Fault:
    return MadeUp(name, requirement, kind, f"is {name}", commit)


_FOUND = (
    _fault("reversed", "NAME-1", Kind.WRONG_VALUE, _slug(lambda slug: slug[::-1])),
    _fault("emptied", "NAME-1", Kind.MISSING_EFFECT, _slug(lambda _: "")),
    _fault("reversed-again", "NAME-1", Kind.WRONG_VALUE, _slug(lambda slug: slug[::-1])),
    _fault("harmless", "NAME-1", Kind.ONCE, _harmless),
    _fault("elsewhere", "RESUME-2", Kind.WRONG_VALUE, _slug(lambda slug: f"{slug}s")),
    _fault("unsound", "NAME-1", Kind.ONCE, _unsound),
    _fault("crashing", "NAME-1", Kind.ONCE, _slug(_crashing)),
    _fault("for-ever", "NAME-1", Kind.ONCE, _slug(_for_ever)),
    _fault("deaf", "NAME-1", Kind.ONCE, _slug(_deaf)),
    _fault("gone", "NAME-1", Kind.ONCE, _slug(_gone)),
)
FAULTS: dict[str, Any] = {fault.name: fault for fault in _FOUND}


def scenario(name: str, tag: str, *steps: tuple[str, str], line: int = 3) -> Scenario:
    kinds: dict[str, Any] = {"Given": "given", "When": "when", "Then": "then"}
    read = tuple(ScenarioStep(kinds[kind], text, line) for kind, text in steps)
    return Scenario(f"x.feature::{name}", name, "x.feature", line, 0, (), (tag,), read)


_GIVEN = ("Given", 'issue 7 served by codex, titled "Mend the door"')
_WHEN = ("When", "a development run of the issue is due")
NAMED = scenario("Named", "name-1", _GIVEN, _WHEN, ("Then", 'the name of the issue is "agent/issue-7-mend-the-door"'))
PUSHED = scenario("Pushed", "name-1", _GIVEN, _WHEN, ("Then", "the last run has succeeded"), line=9)
ENDED = scenario("Ended", "resume-2", _GIVEN, _WHEN, ("Then", "the last run has succeeded"), line=15)


def entry(name: str, status: str = "agreed") -> RequirementEntry:
    profile = {"agreed": "core", "proposed": "hardened"}[status]
    return RequirementEntry(name, name.rpartition("-")[0], "MUST", status, profile, "1", name.lower(), "It MUST.", "0")

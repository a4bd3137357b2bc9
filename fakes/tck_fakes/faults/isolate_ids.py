"""Faults of ids: what is taken for the native id of a session though it has not the form of one."""

from __future__ import annotations

import re
from dataclasses import replace

from tck_driver.vocabulary import AdapterId
from tck_fakes.faults.fault import Kind, Sabotage
from tck_fakes.faults.register import Real, fault
from tck_simulator import run
from tck_simulator.adapters import ADAPTERS
from tck_simulator.adapters.base import UUID_PATTERN, Reading
from tck_simulator.adapters.claude_code import ClaudeCode
from tck_simulator.adapters.codex import Codex
from tck_simulator.adapters.copilot import Copilot
from tck_simulator.adapters.grok_build import GrokBuild
from tck_simulator.adapters.opencode import OpenCode
from tck_simulator.outcomes import Judgement, judge
from tck_simulator.resolution import PriorRun
from tck_simulator.rows import Session

_ADAPTERS = (ClaudeCode, Codex, OpenCode, Copilot, GrokBuild)
_ANYTHING = re.compile(r".*", re.DOTALL)


def _patterns(sabotage: Sabotage, change: Real) -> None:
    """Give every adapter another pattern, made from the text of its own."""

    def make(real: re.Pattern[str]) -> object:
        return change(real.pattern)

    for adapter in _ADAPTERS:
        sabotage.replace(adapter, "id_pattern", make)


@fault("id-up-to-line-break", "ISOLATE-10", Kind.WRONG_VALUE, "lets a line break stand at the end of an id")
def _id_up_to_line_break(sabotage: Sabotage) -> None:
    def change(pattern: str) -> re.Pattern[str]:
        return re.compile(rf"{pattern}\n?")

    _patterns(sabotage, change)


@fault("id-at-the-beginning", "ISOLATE-10", Kind.WRONG_VALUE, "looks for an id at the beginning of a text alone")
def _id_at_the_beginning(sabotage: Sabotage) -> None:
    def change(pattern: str) -> re.Pattern[str]:
        return re.compile(rf"(?:{pattern}).*", re.DOTALL)

    _patterns(sabotage, change)


@fault("id-in-any-case", "ISOLATE-10", Kind.WRONG_VALUE, "takes an id in capitals for one of the adapter's")
def _id_in_any_case(sabotage: Sabotage) -> None:
    def change(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    _patterns(sabotage, change)


@fault("id-in-any-digits", "ISOLATE-10", Kind.WRONG_VALUE, "takes the digits of other scripts for those of an id")
def _id_in_any_digits(sabotage: Sabotage) -> None:
    def change(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("0-9", r"\d"))

    _patterns(sabotage, change)


@fault("id-of-any-cli", "ISOLATE-10", Kind.WRONG_SCOPE, "takes the form of any adapter's id for that of each")
def _id_of_any_cli(sabotage: Sabotage) -> None:
    def change(_pattern: str) -> re.Pattern[str]:
        return re.compile(rf"{UUID_PATTERN.pattern}|ses_[0-9A-Za-z]{{26}}")

    _patterns(sabotage, change)


@fault("stored-id-trusted", "ISOLATE-10", Kind.MISSING_EFFECT, "does not look at the form of an id that it had stored")
def _stored_id_trusted(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        def prior(row: Session) -> PriorRun:
            known: PriorRun = real(row)
            return replace(known, native_id=row.native_session_id)

        return prior

    sabotage.replace(run, "_prior", make)


@fault("reported-id-trusted", "ISOLATE-10", Kind.MISSING_EFFECT, "stores whatever a CLI reports as its id")
def _reported_id_trusted(sabotage: Sabotage) -> None:
    def make(_: Real) -> Real:
        def judged(reading: Reading, asked: str | None, _pattern: re.Pattern[str], *, rotates: bool) -> Judgement:
            return judge(reading, asked, _ANYTHING, rotates=rotates)

        return judged

    sabotage.replace(run, "judge", make)


@fault(
    "id-checked-at-first", "ISOLATE-10", Kind.ONCE, "looks at the form of an id after a fresh start, and never again"
)
def _id_checked_at_first(sabotage: Sabotage) -> None:
    def make(_: Real) -> Real:
        def judged(reading: Reading, asked: str | None, pattern: re.Pattern[str], *, rotates: bool) -> Judgement:
            return judge(reading, asked, pattern if asked is None else _ANYTHING, rotates=rotates)

        return judged

    sabotage.replace(run, "judge", make)


@fault("odd-id-hides-earlier", "ISOLATE-10", Kind.WRONG_SCOPE, "forgets the ids before a stored text that is none")
def _odd_id_hides_earlier(sabotage: Sabotage) -> None:
    def make(real: Real) -> Real:
        odd: dict[int, int] = {}

        def prior(row: Session) -> PriorRun:
            known: PriorRun = real(row)
            adapter = ADAPTERS.get(AdapterId(row.adapter_id))
            if adapter is not None and row.native_session_id is not None and known.native_id is None:
                odd[row.mailbox_id] = row.id
            return replace(known, native_id=None) if row.id < odd.get(row.mailbox_id, 0) else known

        return prior

    sabotage.replace(run, "_prior", make)

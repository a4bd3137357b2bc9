"""What one start of a CLI came to, by evidence: requests that reached the model, exit code, ids, files, never its word.

The simulator's own adapter reads the output and its own judge says what an engine makes of it, so that what is
verified here is what the specification says and the simulator does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tck_kit.probe import plain
from tck_kit.probe.record import Fact
from tck_kit.probe.words import Outcome
from tck_simulator.outcomes import Judgement, Verdict

if TYPE_CHECKING:
    from tck_kit.probe.run_of_cli import Ended
    from tck_simulator.adapters import Reading

#: Seconds that no CLI was ever seen to take that does not try for minutes, even on a machine with much else to do.
_TWO_MINUTES = 120.0
_BLANK = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Asking:
    """What a start was to do. `resume_id` is None on a fresh start, `earlier` what the session had heard before."""

    mark: str
    resume_id: str | None = None
    chosen_id: str | None = None
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """One start, how it ended, and what the reference engine makes of it."""

    asking: Asking
    ended: Ended
    reading: Reading
    ids: tuple[str, ...]
    judgement: Judgement
    saved: bool
    said: tuple[str, ...]
    exact: bool | None = None

    @property
    def own_requests(self) -> tuple[tuple[str, ...], ...]:
        """Give the marks of each request that holds this start's prompt; two starts at once have one log."""
        marks = (one.marks for one in self.ended.asked)
        return tuple(one for one in marks if self.asking.mark in one)

    @property
    def own_turns(self) -> tuple[tuple[str, ...], ...]:
        """Give those of them that go on with the conversation; what is asked for a title proves no history."""
        marks = (one.marks for one in self.ended.asked if one.purpose == "turn")
        return tuple(one for one in marks if self.asking.mark in one)

    @property
    def asked_model(self) -> bool:
        """Whether the prompt reached the model."""
        return bool(self.own_turns)

    @property
    def remembered(self) -> tuple[str, ...]:
        """Give what was said earlier and reached the model before the prompt, in the request that held most of it."""
        earlier = self.asking.earlier
        before = (marks[: marks.index(self.asking.mark)] for marks in self.own_turns)
        return max((tuple(one for one in marks if one in earlier) for marks in before), key=len, default=())

    @property
    def foreign(self) -> tuple[str, ...]:
        """Give what reached the model before the prompt and was said in another session.

        What stands between the last of what the session had heard and the prompt is not counted: where two resume one
        session at once, it is the other one's prompt.
        """
        return tuple(dict.fromkeys(mark for marks in self.own_turns for mark in self._foreign(marks)))

    def _foreign(self, marks: tuple[str, ...]) -> tuple[str, ...]:
        earlier, before = self.asking.earlier, marks[: marks.index(self.asking.mark)]
        last = max((number for number, one in enumerate(before) if one in earlier), default=len(before))
        return tuple(one for one in before[:last] if one not in earlier)

    @property
    def history(self) -> str:
        """Say how much of what was said before the model was sent."""
        if not self.asked_model:
            return "not asked"
        if not self.remembered:
            return "none"
        return "all" if self.remembered == self.asking.earlier else "some"

    @property
    def id(self) -> str:
        """Say which id was reported."""
        one = self.native_id
        if one is None:
            return "several" if self.ids else "none"
        if self.asking.resume_id is not None:
            return "asked" if one == self.asking.resume_id else "another"
        return "chosen" if one == self.asking.chosen_id else "own"

    @property
    def native_id(self) -> str | None:
        """Give the id, where one was reported."""
        return self.ids[0] if len(self.ids) == 1 else None

    @property
    def judged(self) -> str:
        """Say what the reference engine makes of it."""
        made = self.judgement
        if made.verdict is Verdict.REFUSED:
            return "refused"
        if made.verdict is Verdict.FAILED:
            return "failed, confirmed" if made.resumed else "failed, not confirmed"
        if self.asking.resume_id is None:
            return "done"
        return "resumed" if made.resumed else "went fresh"

    @property
    def outcome(self) -> Outcome:
        """Say what it came to."""
        if self.ended.exit_code is None:
            return Outcome.HUNG
        if self.foreign:
            return Outcome.MIXED
        if self.judgement.verdict is Verdict.REFUSED and not self.asked_model and self.id != "asked":
            return Outcome.REFUSED
        if self.ended.exit_code == 0:
            return self._ended_well()
        if _BLANK.fullmatch(self.ended.stdout) and _BLANK.fullmatch(self.ended.stderr):
            return Outcome.SILENT
        return self._failed()

    def _ended_well(self) -> Outcome:
        if not self.asked_model:
            return Outcome.IDLE
        if not self.reading.ok:
            return self._failed()
        return _WELL.get((self.id, self.history), Outcome.NAMELESS)

    def _failed(self) -> Outcome:
        if self.id == "asked":
            return Outcome.FAILED
        return Outcome.FAILED_NAMELESS if self.asked_model else Outcome.REJECTED

    @property
    def facts(self) -> dict[str, Fact]:
        """Give what is said of every start."""
        facts: dict[str, Fact] = {"exit": self.ended.exit_code, "id": self.id}
        if self.asking.earlier:
            facts["history"] = self.history
        facts |= {
            "judged": self.judged,
            "saved": "yes" if self.saved else "no",
            "requests": _count(len(self.own_requests)),
            "events": plain.kinds(self.ended.stdout),
            "said": self.said,
        }
        return facts

    def waits(self, usual: float) -> str:
        """Say how much longer it took than a start that goes well."""
        return "within two minutes" if self.ended.seconds - usual < _TWO_MINUTES else "longer"


#: (id, history) → what a start with exit code 0 and an answer came to.
_WELL: Final[Mapping[tuple[str, str], Outcome]] = MappingProxyType(
    {
        ("asked", "all"): Outcome.RESUMED,
        ("asked", "some"): Outcome.IN_PART,
        ("asked", "none"): Outcome.FORGOT,
        ("another", "all"): Outcome.RENAMED,
        ("another", "some"): Outcome.IN_PART,
        ("another", "none"): Outcome.ELSEWHERE,
        ("chosen", "none"): Outcome.FRESH,
        ("own", "none"): Outcome.FRESH,
        ("chosen", "all"): Outcome.RESUMED,
        ("chosen", "some"): Outcome.IN_PART,
    }
)


def _count(number: int) -> str:
    return str(number) if number < 2 else "several"  # noqa: PLR2004 -- retries are counted by nobody

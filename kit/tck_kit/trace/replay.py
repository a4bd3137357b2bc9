"""A scenario judged again: the trace answers for the engine, as long as it is asked what it was asked then.

Whatever else is asked, it does not hold, and a scenario that asks it comes to no judgement: an engine might have
answered anything. The same goes for a disk on which steps have laid something else than they did then.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from tck_driver.witness import Record, WitnessLog
from tck_kit.judging import NotHeldError
from tck_kit.trace.disk import Disk, short
from tck_kit.trace.laying import Layer, RefusedError
from tck_kit.trace.lines import BLIND, UNSEEN
from tck_kit.trace.places import Words, hidden
from tck_kit.trace.tape import Act, Tape, look_key
from tck_kit.trace.watching import watch
from tck_kit.trace.wire import Json, canonical, raised, read_records, same

R = TypeVar("R")
_SHOWN: Final = 120


class Replay:
    """One scenario's way through its tape."""

    def __init__(self, place: Path, tape: Tape, words: Words) -> None:
        """Begin before the first act."""
        self._tape = tape
        self._words = words
        self._prefix = f"{place}/"
        self._main = threading.get_ident()
        self._layer = Layer(place)
        self._disk = Disk(place)
        self._at = 0
        self._looked: dict[str, int] = {}
        self._glances = 0
        self._delivered = 0
        self._fault: str | None = None
        self.log = WitnessLog()
        watch(self._guard)

    @property
    def first(self) -> str:
        """What was asked first of all, if anything was."""
        return self._tape.acts[0].name if self._tape.acts else ""

    # What is asked

    def act(self, name: str, given: Json, read: Callable[[Json], R]) -> R:
        """Answer something that changes something."""
        watch(None)
        try:
            return self._act(name, hidden(given), read)
        finally:
            watch(self._guard)

    def look(self, name: str, given: Json, read: Callable[[Json], R]) -> R:
        """Answer something that only looks."""
        self._raise_fault()
        key = look_key(name, given)
        answers = self._tape.between[self._at].looks.get(key)
        if not answers:
            raise self.not_held(f"it was not asked for {_shown(name, given)} there")
        times = self._looked.get(key, 0)
        self._looked[key] = times + 1
        fields = next(fields for after, fields in reversed(answers) if after <= times)
        return self._answer(fields, read)

    def glance(self) -> list[Record]:
        """Give what was witnessed by now."""
        self._glances += 1
        self._deliver(lambda glances: glances < self._glances)
        return self.log.records

    def closed(self) -> None:
        """Hear that the scenario's steps are over and its engine is let go: what they did not ask is no matter."""
        watch(None)
        left = self._tape.acts[self._at :]
        name = left[0].name if left else ""
        if name == "close":
            self._act("close", None, lambda _: None)

    def ending(self) -> None:
        """Come to the end: what stopped the scenario then stops it now, if all else was the same."""
        watch(None)
        self._raise_fault()
        left = self._tape.acts[self._at :]
        if left and left[0].name == "ending":
            self._act("ending", None, lambda _: None)
        if "raised" in self._tape.end and not any(one.name not in BLIND for one in left):
            raise raised(self._tape.end["raised"])

    def let_go(self) -> None:
        """Let the folder go."""
        watch(None)
        self._layer.close()

    def not_held(self, what: str) -> NotHeldError:
        """Make the error that ends the scenario without a judgement; it is not to be got rid of."""
        self._fault = self._fault or what
        return NotHeldError(f"the trace does not hold it: {self._fault}")

    # How

    def _act(self, name: str, given: Json, read: Callable[[Json], R]) -> R:
        self._raise_fault()
        act = self._next(name, given)
        fields = act.fields
        self._deliver(lambda _: True)
        if name not in UNSEEN:
            self._compare(fields, name)
        self._at += 1
        self._looked.clear()
        self._glances = self._delivered = 0
        self._lay([*fields.get("before", ()), *fields.get("disk", ())])
        self._take(fields.get("witnessed", ()))
        if "gave" not in fields and "raised" not in fields:
            raise self._cut("it breaks off within this")
        return self._answer(fields, read)

    def _next(self, name: str, given: Json) -> Act:
        left = self._tape.acts[self._at :]
        if not left or left[0].name != name:
            then = f"then came {_shown(left[0].name, left[0].given)}" if left else "then came its end"
            raise self._cut(f"it was not asked to {_shown(name, given)} there: {then}", left)
        act = left[0]
        if not same(act.given or None, given or None):
            raise self.not_held(f"it was asked to {_shown(name, act.given)}, and now is to {_shown(name, given)}")
        return act

    def _cut(self, what: str, left: Sequence[Act] = ()) -> Exception:
        """Make what ends a scenario where its recording ended: by the kit's clock, or for want of more."""
        by_clock = "raised" in self._tape.end and not any(one.name not in BLIND for one in left)
        if by_clock:
            return raised(self._tape.end["raised"])
        if "lost" in self._tape.end and not left:
            return self.not_held(str(self._tape.end["lost"]))
        return self.not_held(what)

    def _compare(self, fields: Mapping[str, Any], name: str) -> None:
        """Hold what steps have laid on the disk against what they laid then."""
        now = short(self._disk.changes(to_the_time=False), self._words.stable)
        then: Mapping[str, str] = fields.get("laid", {})
        if now == then:
            return
        path = next(path for path in sorted({*now, *then}) if now.get(path) != then.get(path))
        was, is_now = (side.get(path, "as it was") for side in (then, now))
        raise self.not_held(f"before it was asked to {name}, steps had made {path} {was!r}, and now {is_now!r}")

    def _lay(self, changes: Sequence[Mapping[str, Any]]) -> None:
        if not changes:
            return
        try:
            self._layer.lay(changes)
        except RefusedError as fault:
            raise self.not_held(str(fault)) from fault
        self._disk.changes(to_the_time=False)

    def _deliver(self, due: Callable[[int], bool]) -> None:
        meanwhile = self._tape.between[self._at].meanwhile
        while self._delivered < len(meanwhile) and due(meanwhile[self._delivered][0]):
            self._take(meanwhile[self._delivered][1])
            self._delivered += 1

    def _take(self, records: Sequence[Any]) -> None:
        try:
            self.log.records.extend(read_records(records))
        except Exception as fault:
            raise self.not_held(f"this kit cannot read what was witnessed: {fault}") from fault

    def _answer(self, fields: Mapping[str, Any], read: Callable[[Json], R]) -> R:
        if "raised" in fields:
            raise raised(fields["raised"])
        try:
            return read(fields["gave"])
        except Exception as fault:
            raise self.not_held(f"this kit cannot read an answer: {type(fault).__name__}: {fault}") from fault

    def _raise_fault(self) -> None:
        if self._fault is not None:
            raise self.not_held(self._fault)

    def _guard(self, path: str | None, writes: bool) -> None:  # noqa: FBT001 -- told by the hook
        """Keep steps within the folder, whatever links lie there, and from files whose content nobody has."""
        if path is None or not path.startswith(self._prefix) or threading.get_ident() != self._main:
            return
        hollow = self._layer.hollow.get(path)
        if hollow is not None and not writes:
            raise self.not_held(f"{path.removeprefix(self._prefix)} was too large, and steps read it")
        watch(None)
        try:
            real, root = os.path.realpath(path), os.path.realpath(self._prefix)
        finally:
            watch(self._guard)
        if real != root and not real.startswith(f"{root}/"):
            raise self.not_held(f"a link at {path.removeprefix(self._prefix)} leads out of the scenario's folder")


def _shown(name: str, given: Json) -> str:
    """Give what was asked in a few words."""
    return name if not given else f"{name} {canonical(given)}"[:_SHOWN]

"""The recording of one scenario: what was asked in which order, what was witnessed and what lay on the disk by then.

What changes something (`act`) stands in the trace with the disk before and after it. What only looks (`look`) stands
there once for as long as its answer stays the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from tck_driver.witness import Record, WitnessLog
from tck_kit.judging import ScenarioTimeoutError
from tck_kit.trace.disk import Changes, Disk, held, short
from tck_kit.trace.lines import UNSEEN, written
from tck_kit.trace.places import Words
from tck_kit.trace.watching import watch
from tck_kit.trace.wire import Json, raised_of, records_of

R = TypeVar("R")
#: Characters of one scenario, above which the rest of it is not held.
MOST_CHARACTERS: Final = 16 * 1024 * 1024


class Recording:
    """One scenario on its way into a trace."""

    def __init__(
        self, place: Path, words: Words, write: Callable[[str], None], *, in_process: bool, views: set[str]
    ) -> None:
        """Look at the folder as it is before anything happens."""
        self._words = words
        self._write = write
        self._in_process = in_process
        self._place = f"{place}/"
        self._main = threading.get_ident()
        #: Why the rest of this scenario is not held, if it is not.
        self._lost: str | None = None
        self._characters = 0
        self._witness: WitnessLog | None = None
        self._noted = 0
        #: How often something was looked at since the last act, and what that gave last.
        self._looks: dict[str, tuple[int, str]] = {}
        self._glances = 0
        #: What steps have changed since the last act; None in it stands for what cannot be told.
        self._touched: set[str | None] = set()
        self._troubled = False
        #: Whether the end of the scenario's time fell into something that was asked.
        self._late = False
        self._within = False
        #: The views that the engine has given so far.
        self.views = views
        self._disk = Disk(place)
        watch(self._touch)

    # What is recorded

    def witness(self, log: WitnessLog) -> None:
        """Write down what this log takes in."""
        self._witness = log

    def act(self, name: str, given: Callable[[], Json], action: Callable[[], R], told: Callable[[R], Json]) -> R:
        """Do something that changes something, and write down with what, and what came of it."""
        disk = name not in UNSEEN
        watch(None)
        fields: dict[str, Any] = {"act": name}
        self._guarded(lambda: fields.update(self._before(given, disk=disk)))
        self._within = True
        try:
            answer = action()
        except Exception as fault:
            self._trouble(fault)
            self._guarded(partial(_add_raised, fields, fault))
            raise
        else:
            self._guarded(lambda: fields.update(gave=told(answer)))
            return answer
        finally:
            self._guarded(lambda: self._note(fields | self._after(disk=disk)))
            self._within = False
            watch(self._touch)

    def look(self, name: str, given: Json, action: Callable[[], R], told: Callable[[R], Json]) -> R:
        """Look at something, and write down what was there where that is not known yet."""
        key = f"{name} {given}"
        try:
            answer = action()
        except Exception as fault:
            self._trouble(fault)
            self._guarded(partial(self._looked_in_vain, key, name, given, fault))
            raise
        self._guarded(lambda: self._looked(key, name, given, {"gave": told(answer)}))
        return answer

    def glance(self) -> None:
        """Write down what was witnessed while nothing was asked; called before steps look into the log."""
        self._glances += 1
        if self._witness is not None and len(self._witness.records) > self._noted and not self._within:
            self._guarded(lambda: self._note({"meanwhile": records_of(self._news()), "glances": self._glances - 1}))

    def known(self, name: str, given: Json = None) -> bool:
        """Tell whether this was looked at since the last act."""
        return f"{name} {given}" in self._looks

    @property
    def may_part(self) -> bool:
        """Whether nothing has gone wrong that a further question could make worse."""
        return not self._troubled and self._lost is None

    def stop(self, fields: dict[str, Any], *, late: ScenarioTimeoutError | None) -> None:
        """Write the last line: what the scenario came to, and what stopped it in no call at all."""
        watch(None)
        if late is not None and not self._late:
            fields["raised"] = raised_of(late)
        if self._lost is not None:
            fields["lost"] = self._lost
        self._write(self._words.told(written(fields)))

    # How

    def _touch(self, path: str | None, writes: bool) -> None:  # noqa: FBT001 -- told by the hook
        if writes and threading.get_ident() == self._main and (path is None or path.startswith(self._place)):
            self._touched.add(path)

    def _trouble(self, fault: Exception) -> None:
        self._troubled = True
        self._late = self._late or isinstance(fault, ScenarioTimeoutError)

    def _before(self, given: Callable[[], Json], *, disk: bool) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if arguments := given():
            fields["with"] = arguments
        if self._witness is not None and len(self._witness.records) > self._noted:
            self._note({"meanwhile": records_of(self._news()), "glances": self._glances})
        if disk and (not self._in_process or self._touched):
            ours, others = self._whose(self._disk.changes(to_the_time=False))
            self._touched.clear()
            if ours:
                fields["laid"] = short(ours, self._words.stable)
            if others:
                fields["before"] = held(others)
        self._looks.clear()
        self._glances = 0
        return fields

    def _after(self, *, disk: bool) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self._lost is None:
            if news := self._news():
                fields["witnessed"] = records_of(news)
            if disk and (changes := self._disk.changes(to_the_time=True)):
                fields["disk"] = held(changes)
        return fields

    def _whose(self, changes: Changes) -> tuple[Changes, Changes]:
        """Tell what steps have changed from what an engine in another process has changed meanwhile."""
        if self._in_process or None in self._touched:
            return changes, {}
        touched = [path.removeprefix(self._place) for path in self._touched if path is not None]
        ours = {
            path: entry
            for path, entry in changes.items()
            if any(path == one or path.startswith(f"{one}/") or one.startswith(f"{path}/") for one in touched)
        }
        return ours, {path: entry for path, entry in changes.items() if path not in ours}

    def _news(self) -> list[Record]:
        if self._witness is None:
            return []
        news = self._witness.records[self._noted :]
        self._noted += len(news)
        return news

    def _looked(self, key: str, name: str, given: Json, answer: dict[str, Json]) -> None:
        times, known = self._looks.get(key, (0, ""))
        fields = {"look": name, **({"with": given} if given else {}), **answer}
        line = written(fields)
        if line != known:
            self._put(written({"after": times, **fields}) if times else line)
        self._looks[key] = (times + 1, line)

    def _looked_in_vain(self, key: str, name: str, given: Json, fault: Exception) -> None:
        self._looked(key, name, given, {"raised": raised_of(fault)})

    def _note(self, fields: dict[str, Any]) -> None:
        self._put(written(fields))

    def _put(self, line: str) -> None:
        if self._lost is not None:
            return
        self._characters += len(line)
        if self._characters > MOST_CHARACTERS:
            self._lost = f"more than {MOST_CHARACTERS:,} characters were said in it"
            return
        self._write(self._words.told(line))

    def _guarded(self, action: Callable[[], object]) -> None:
        """Do something for the trace; where it fails, the scenario goes on, and the trace has lost it."""
        if self._lost is not None:
            return
        try:
            action()
        except ScenarioTimeoutError:
            raise
        except Exception as fault:  # noqa: BLE001 -- whatever it is, it says nothing of the engine
            self._lost = f"{type(fault).__name__}: {fault}"[:500]


def _add_raised(fields: dict[str, Any], fault: Exception) -> None:
    fields["raised"] = raised_of(fault)

"""Checking while somebody types: one text after the other, the newest state of each, and no result of an older one.

All reading and checking is done in one thread, in the order in which it is asked for, so that the loop which talks to
the client never waits. A text is checked a moment after its last change; where that changed what others can refer to,
the others are checked when nothing more is typed.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from lsprotocol import types

from tck_kit.authors.language_server.desk import Desk
from tck_kit.authors.language_server.diagnostics import Found, diagnostic, find
from tck_kit.authors.language_server.positions import Text
from tck_kit.authors.language_server.workspace import Workspace

if TYPE_CHECKING:
    from tck_spec.findings import Finding

__all__ = ["Checking", "settings_diagnostic"]

_Answer = TypeVar("_Answer")

#: How long nothing may be typed before a text is checked, and how long a check waits at most.
_PAUSE: Final = 0.005
_LONGEST_PAUSE: Final = 0.25
#: A check that takes longer than this is long.
_LONG: Final = 0.5
#: The same for the other texts.
_OTHERS_PAUSE: Final = 0.4
_OTHERS_LONGEST: Final = 2.0
_LINE: Final = re.compile(r":(?P<a>\d{1,7}): |\bline (?P<b>\d{1,7})\b")


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check, and the text that it speaks of."""

    text: Text
    findings: tuple[Finding, ...]


class Checking:
    """The thread that works, and what it is to check next."""

    def __init__(
        self,
        publish: Callable[[types.PublishDiagnosticsParams], None],
        log: Callable[[types.MessageType, str], None],
    ) -> None:
        """Begin with an empty desk; nothing is checked before `run` runs."""
        self.desk = Desk()
        self._publish, self._log = publish, log
        self._workspace = Workspace()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="checking")
        #: When each text is due, and the latest moment to which more typing may put it off.
        self._due: dict[str, tuple[float, float]] = {}
        self._woken = asyncio.Event()
        self._results: dict[str, Checked] = {}
        #: What others can refer to in each text, when it was checked last.
        self._faces: dict[str, object] = {}
        self._cost = 0.0
        self._told: set[str] = set()
        self._broken: Mapping[str, str] = {}

    async def ask(self, question: Callable[[Workspace], _Answer]) -> _Answer:
        """Let the thread answer a question about the desk as it is now."""
        desk = self.desk

        def answer() -> _Answer:
            self._workspace.desk = desk
            return question(self._workspace)

        return await asyncio.get_running_loop().run_in_executor(self._thread, answer)

    def touch(self, key: str) -> None:
        """Check a text soon."""
        # After a long check a longer pause is due: nobody is helped by one that never ends.
        pause = _PAUSE if self._cost < _LONG else min(1.0, self._cost / 3)
        self._set_due(key, pause, _LONGEST_PAUSE + self._cost)
        self._woken.set()

    def _touch_others(self, key: str) -> None:
        """Check the other open texts when there is time."""
        for other, held in self.desk.open.items():
            if other != key and held.kind in ("markdown", "feature"):
                self._set_due(other, _OTHERS_PAUSE, _OTHERS_LONGEST)
        self._woken.set()

    def touch_all(self) -> None:
        """Check all open texts."""
        for key in self.desk.open:
            self._set_due(key, _PAUSE, _LONGEST_PAUSE)
        self._woken.set()

    def _set_due(self, key: str, pause: float, longest: float) -> None:
        now = time.monotonic()
        before = self._due.get(key)
        latest = now + longest if before is None else min(before[1], now + longest)
        due = min(now + pause, latest)
        # What is due soon already is not put off because another text has changed.
        self._due[key] = (min(due, before[0]) if before is not None and pause > _PAUSE else due), latest

    def forget(self, uri: str, key: str) -> None:
        """Take back what was said of a text that is closed."""
        self._due.pop(key, None)
        self._results.pop(key, None)
        self._faces.pop(key, None)
        self._publish(types.PublishDiagnosticsParams(uri, []))

    async def findings(self, key: str) -> tuple[Finding, ...]:
        """Return the findings in a text as it is now: those that were published, or those of a check at once."""
        held, known = self.desk.open.get(key), self._results.get(key)
        if held is None:
            return ()
        if known is not None and known.text is held.text:
            return known.findings
        found = await self.ask(lambda workspace: find(workspace, key))
        return found.findings

    async def run(self) -> None:
        """Check what is due, for ever."""
        while True:
            key = min(self._due, key=lambda one: self._due[one][0], default=None)
            wait = None if key is None else self._due[key][0] - time.monotonic()
            if key is None or (wait or 0) > 0:
                self._woken.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), wait)
                continue
            del self._due[key]
            try:
                await self._check(key)
            except Exception as error:  # noqa: BLE001 -- whatever it is, the next text is checked
                self._log(types.MessageType.Error, f"checking {key} failed: {type(error).__name__}: {error}")

    async def _check(self, key: str) -> None:
        held = self.desk.open.get(key)
        if held is None:
            return
        started = time.monotonic()

        def work(workspace: Workspace) -> tuple[Found, list[types.Diagnostic], Mapping[str, str], object]:
            found = find(workspace, key)
            shown = [diagnostic(one, held.text) for one in found.findings]
            broken = {path: str(fault) for path, fault in workspace.broken_settings.items()}
            return found, shown, broken, workspace.face(key) if len(self.desk.open) > 1 else None

        found, shown, broken, face = await self.ask(work)
        self._cost = time.monotonic() - started
        self._tell_settings(broken)
        for fault in found.faults:
            if fault not in self._told:
                self._told.add(fault)
                self._log(types.MessageType.Error, fault)
        current = self.desk.open.get(key)
        if current is None or current.text is not held.text:
            # A newer state is due already.
            return
        if self._faces.get(key) != face:
            self._faces[key] = face
            self._touch_others(key)
        self._results[key] = Checked(held.text, found.findings)
        self._publish(types.PublishDiagnosticsParams(held.uri, shown, held.version))

    def _tell_settings(self, broken: Mapping[str, str]) -> None:
        """Show what is wrong with settings files, and take it back where it is mended."""
        for path in self._broken.keys() - broken.keys():
            self._publish(types.PublishDiagnosticsParams(self.desk.uri_of(path), []))
        for path, fault in broken.items():
            if self._broken.get(path) != fault:
                shown = [settings_diagnostic(path, fault)]
                self._publish(types.PublishDiagnosticsParams(self.desk.uri_of(path), shown))
        self._broken = broken

    def forget_files(self) -> None:
        """Look at the file system anew, and check all open texts."""
        self._thread.submit(self._workspace.forget_folders)
        self.touch_all()

    def end(self) -> None:
        """Start no more work."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def settings_diagnostic(path: str, fault: str) -> types.Diagnostic:
    """Return what is wrong with a settings file, in the line that its message names."""
    text = fault.removeprefix(path)
    match = _LINE.search(text)
    line = int(match["a"] or match["b"]) - 1 if match else 0
    message = re.sub(r"\A(?::\d+)?: ", "", text)
    place = types.Range(types.Position(line, 0), types.Position(line + 1, 0))
    return types.Diagnostic(place, message, types.DiagnosticSeverity.Error, source="session-tck")

"""`--watch`, as a process that somebody leaves running beside an editor."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

GOOD = "# Tea\n\n## 1 Pots\n"
BAD = "# Tea\n\n## 1 Pots\n\nSee section 9.\n"
#: Longer than anything here takes; only a failure waits for it.
PATIENCE = 60.0


class Watcher:
    """The process, and what it has written since somebody looked."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-u", "-m", "tck_kit.command_line", "check", "--watch", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def until(self, words: str) -> str:
        """Wait for a line with these words, and return all up to it."""
        seen = ""
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                raise AssertionError(f"{words!r} never came after {seen!r}") from None
            seen += line
            if words in line:
                return seen

    def end(self, ending: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(ending)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., Watcher]]:
    """Start a watcher in a folder of its own."""
    started: list[Watcher] = []
    (tmp_path / ".git").mkdir()

    def start(*arguments: str) -> Watcher:
        started.append(Watcher(tmp_path, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_a_change_is_checked_and_ctrl_c_ends_cleanly(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    path = tmp_path / "tea.md"
    path.write_text(GOOD, encoding="utf-8")
    watcher = watch("tea.md")
    assert "0 errors" in watcher.until("watching 1 file, Ctrl-C ends")
    path.write_text(BAD, encoding="utf-8")
    assert "tea.md:5:5: error XREF001" in watcher.until("1 error")
    watcher.until("Ctrl-C ends")
    path.write_text(GOOD, encoding="utf-8")
    watcher.until("0 errors")
    assert watcher.end() == 0


def test_a_file_may_vanish_be_no_text_and_come_back(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    path = tmp_path / "tea.md"
    path.write_text(GOOD, encoding="utf-8")
    watcher = watch("tea.md")
    watcher.until("Ctrl-C ends")
    path.unlink()
    watcher.until("tea.md: there is no such file")
    path.write_bytes(b"# Tea\n\xff")
    watcher.until("tea.md:2:1: error DOC003")
    path.write_bytes(b"")
    watcher.until("tea.md: is empty")
    path.write_text(BAD, encoding="utf-8")
    watcher.until("error XREF001")
    assert watcher.end() == 0


def test_a_file_that_an_editor_puts_in_its_place_is_seen(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(GOOD, encoding="utf-8")
    watcher = watch("tea.md")
    watcher.until("Ctrl-C ends")
    (tmp_path / "tea.md~").write_text(BAD, encoding="utf-8")
    (tmp_path / "tea.md~").replace(tmp_path / "tea.md")
    watcher.until("error XREF001")
    assert watcher.end() == 0


def test_a_new_file_in_a_folder_is_checked_too(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "tea.md").write_text(GOOD, encoding="utf-8")
    watcher = watch("docs")
    watcher.until("watching 1 file,")
    (tmp_path / "docs" / "deep" / "cups.md").write_text(BAD, encoding="utf-8")
    assert "docs/deep/cups.md:5:5: error XREF001" in watcher.until("watching 2 files")
    assert watcher.end() == 0


def test_settings_are_read_again_and_may_be_wrong_for_a_while(watch: Callable[..., Watcher], tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(BAD, encoding="utf-8")
    watcher = watch("tea.md")
    watcher.until("1 error")
    watcher.until("Ctrl-C ends")
    settings = tmp_path / "session-tck.toml"
    settings.write_text("[rules\n", encoding="utf-8")
    watcher.until("session-tck.toml")
    settings.write_text('[rules]\nXREF001 = "off"\n', encoding="utf-8")
    watcher.until("0 errors")
    assert watcher.end(signal.SIGTERM) == 0


def test_what_is_missing_from_the_start_is_a_mistake(watch: Callable[..., Watcher]) -> None:
    watcher = watch("nowhere.md")
    watcher.until("session-tck: nowhere.md: there is no such file")
    assert watcher.process.wait(PATIENCE) == 2


def test_without_the_extra_the_message_names_it(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(GOOD, encoding="utf-8")
    code = "import sys; sys.modules['watchfiles'] = None; from tck_kit.command_line import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "check", "tea.md", "--watch"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'session-tck[authors]'" in done.stderr
    assert "Traceback" not in done.stderr

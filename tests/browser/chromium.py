"""A real browser that looks at finished files: no network, and whatever it complains of is a fault of the page."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from tests.real import lacking

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Page

_AXE: Final = Path(__file__).resolve().parents[2] / "build" / "peers" / "node_modules" / "axe-core" / "axe.min.js"
_PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: What axe is asked for: the ids of the rules that a page breaks, each with the places and what to do.
_BROKEN: Final = """async () => {
  const found = await axe.run(document, {resultTypes: ["violations"], preload: false});
  return found.violations.flatMap((rule) => rule.nodes.map(
    (node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}"""
#: How far a page can be pushed to the side, and which elements stick out of it (the first few).
_STICKING_OUT: Final = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const framed = (node) => node.parentElement && (getComputedStyle(node.parentElement).overflowX !== "visible"
    || framed(node.parentElement));
  return [...document.body.querySelectorAll("*")]
    .filter((node) => node.getBoundingClientRect().right > width + 1 && !framed(node))
    .slice(0, 5).map((node) => node.outerHTML.slice(0, 120)).concat(`page wider than ${width}`);
}"""

Scheme = Literal["light", "dark"]


@contextmanager
def chromium() -> Generator[Browser]:
    """Start the browser of the system; a part that is missing is said as `chromium`."""
    if find_spec("playwright") is None:
        lacking("chromium", "the Python package playwright is missing: pip install playwright (no browser of its own)")
    program = next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        lacking("chromium", "Chromium is missing: apt-get install chromium")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- slow to import, and missing where no browser is

    # Its sandbox refuses to start for root, and the pages it sees here are ours.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=program, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@functools.cache
def _axe() -> str:
    if not _AXE.is_file():
        lacking("axe-core", "axe-core is missing: npm install --prefix build/peers axe-core@4.14.1")
    return _AXE.read_text(encoding="utf-8")


@dataclass(slots=True)
class Visitor:
    """Opens files of one folder, and keeps what went wrong: errors, dialogs, and requests for anything else."""

    browser: Browser
    folder: Path
    complaints: list[str] = field(default_factory=list[str])
    contexts: list[BrowserContext] = field(default_factory=list["BrowserContext"])

    def opens(
        self,
        name: str,
        fragment: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        scheme: Scheme = "light",
        script: bool = True,
        permissions: Sequence[str] = (),
    ) -> Page:
        """Open a file in a window of its own; `fragment` begins with # and stands as it is in the address."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            java_script_enabled=script,
            offline=True,
            permissions=list(permissions),
            reduced_motion="reduce",
        )
        context.set_default_timeout(10_000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self._hears(said.type in {"error", "warning"}, f"console: {said.text}"))
        page.on("pageerror", lambda error: self._hears(True, f"script: {error}"))  # noqa: FBT003 -- always
        page.on("dialog", lambda dialog: self._refuses(dialog))  # noqa: PLW0108 -- the library writes on bound methods
        page.on("popup", lambda popup: self._hears(True, f"window: {popup.url}"))  # noqa: FBT003 -- always
        context.on("request", lambda asked: self._hears(not self._own(asked.url), f"request: {asked.url[:200]}"))
        page.goto(f"{(self.folder / name).as_uri()}{fragment}")
        return page

    def _own(self, url: str) -> bool:
        return url.startswith(f"{self.folder.as_uri()}/")

    def _hears(self, wrong: bool, complaint: str) -> None:  # noqa: FBT001 -- a filter, called by events
        if wrong:
            self.complaints.append(complaint)

    def _refuses(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self) -> None:
        """Close every window."""
        for context in self.contexts:
            context.close()


def barriers(page: Page) -> list[str]:
    """Return what axe-core finds that keeps people out of the page as it is now, by rule and place."""
    # Said through the debugger, to which the policy of the page does not apply.
    page.evaluate(_axe())
    found: list[str] = page.evaluate(_BROKEN)
    return found


def sticking_out(page: Page) -> list[str]:
    """Return what makes the page wider than its window; empty where nothing does."""
    found: list[str] = page.evaluate(_STICKING_OUT)
    return found

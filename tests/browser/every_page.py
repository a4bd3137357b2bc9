"""Every page below a folder, opened in a real browser: what it complains of, what sticks out, where its links lead.

Each is opened light and wide, and dark and narrow; the first of each kind in all four ways, and by axe.

`python -m tests.browser.every_page FOLDER` says how many there were and what is wrong; exit code 1 where anything is.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urldefrag, urlsplit

from tests.browser.chromium import Scheme, Visitor, barriers, chromium, sticking_out

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")
_WIDTHS: Final = (1280, 320)
#: How the others of a kind are looked at.
_BRIEFLY: Final[tuple[tuple[Scheme, int], ...]] = (("light", 1280), ("dark", 320))
_MOST_BYTES: Final = 2_000_000
_MOST_SHOWN: Final = 40
#: Pages of one kind are made by one template: axe is asked about the first few, and takes seconds for each look.
_CLOSELY: Final = 2
#: A larger page is the whole report of a run, and takes half a minute.
_LARGE: Final = 400_000
_ADDRESSES: Final = "() => [...document.querySelectorAll('a[href], link[href]')].map((one) => one.href)"


def faults(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the pages below a folder, as `page: what`."""
    pages = sorted(folder.rglob("*.html"))
    if not pages:
        yield f"{folder}: there is no page"
    looked: Counter[str] = Counter()
    with chromium() as browser:
        for path in pages:
            name = path.relative_to(folder).as_posix()
            kind, size = name.partition("/")[0], path.stat().st_size
            if size > _MOST_BYTES:
                yield f"{name}: {size} bytes"
            looked[kind] += 1
            asked = looked[kind] <= (1 if size > _LARGE else _CLOSELY)
            visitor = Visitor(browser, folder)
            try:
                for scheme, width in product(_SCHEMES, _WIDTHS) if asked else _BRIEFLY:
                    page = visitor.opens(name, scheme=scheme, width=width)
                    yield from (f"{name} ({scheme}, {width}): {one}" for one in _seen(page, asked=asked))
                yield from (f"{name}: leads to {one}, which is not there" for one in _lost(page, folder))
                yield from (f"{name}: {one}" for one in visitor.complaints)
            finally:
                visitor.close()


def _seen(page: Page, *, asked: bool) -> Iterator[str]:
    """Yield what is wrong with a page as it is now; `asked` is whether axe is asked as well, which takes its time."""
    if asked:
        yield from barriers(page)
    yield from sticking_out(page)
    if not page.title().strip() or page.locator("h1").count() != 1:
        yield "it has no title, or not exactly one heading of the first level"


def _lost(page: Page, folder: Path) -> Iterator[str]:
    """Yield the addresses below the folder to which links lead, and that lead nowhere."""
    addresses: list[str] = page.evaluate(_ADDRESSES)
    for address in dict.fromkeys(urldefrag(one).url for one in addresses):
        if not address.startswith("file:"):
            continue
        path = Path(unquote(urlsplit(address).path))
        if not path.is_relative_to(folder) or not path.exists():
            yield address


def main() -> int:
    """Look at the pages of the folder that is named."""
    os.environ.setdefault("TCK_REQUIRE", "chromium,axe-core")
    folder = Path(sys.argv[1]).resolve()
    found = list(faults(folder))
    for one in found[:_MOST_SHOWN]:
        sys.stdout.write(f"{one[:600]}\n")
    count = len(list(folder.rglob("*.html")))
    sys.stdout.write(f"{count} pages, the first of each kind by axe as well: {len(found)} things are wrong\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

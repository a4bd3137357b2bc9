"""The pages of the site, one after the other: a pure function of its values.

Nothing is kept: who takes the pages writes each before the next is made, so that a site of a thousand engines needs no
more room than its largest page.
"""

from collections.abc import Iterator
from itertools import chain

from tck_reports.matrix import pages_changes, pages_index, pages_table
from tck_reports.matrix.model import OUTCOMES, Site
from tck_reports.matrix.pages_atlas import INDEX, atlas
from tck_reports.matrix.pages_engine import Engines
from tck_reports.matrix.pages_frame import assets, page
from tck_reports.matrix.pages_pieces import LEGEND, LOOK_OF
from tck_reports.matrix.pages_requirement import Requirements


def render(site: Site, *, specification: str = "", base_url: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield every page, style and script as (path below the site, content).

    `specification` is the address of the specification's text, to which # and the anchor of a requirement are added;
    `base_url` is where the site will stand.
    """
    book = atlas(site, specification, base_url)
    signs = {look: sign for look, sign, _ in LEGEND}
    rows = [(LOOK_OF[sign], sign, str(outcome)) for sign, outcome in OUTCOMES.items() if LOOK_OF[sign] in signs]
    return chain(
        assets(),
        pages_index.pages(book),
        pages_table.pages(book),
        pages_changes.pages(book),
        Requirements(book).pages(),
        Engines(book).pages(),
        [page(book, f"about/{INDEX}", "about", rows=rows)],
    )

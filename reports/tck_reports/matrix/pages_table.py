"""Engines and areas as a table: the matrix in short, for who has no script, and for the list of all engines."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from markupsafe import Markup

from tck_reports.matrix.model import Engine
from tck_reports.matrix.pages_atlas import INDEX, Atlas, Tally
from tck_reports.matrix.pages_frame import page, pieces, sheets
from tck_reports.matrix.pages_pieces import named, safe, trend, verdicts, when, whole

#: So many engines stand on a page.
PER_PAGE: Final = 1_000


def pages(atlas: Atlas) -> Iterator[tuple[str, bytes]]:
    """Yield the list of all engines."""
    parts = pieces(atlas.site.engines, PER_PAGE)
    paths = sheets("engines", len(parts))
    for number, (path, part) in enumerate(zip(paths, parts, strict=True), start=1):
        yield page(atlas, path, "engines", table=table(atlas, part, "../"), sheets=paths, number=number)


def table(atlas: Atlas, engines: Sequence[Engine], root: str) -> Markup:
    """Return engines with verdict, and by area how many requirements passed: the matrix for who has no script."""
    heads = "".join(f'<th scope="col">{escape(one)}</th>' for one in atlas.areas)
    rows = "".join(_row(atlas, one, root) for one in engines)
    return Markup(  # noqa: S704 -- every part is escaped where it is made
        '<table class="pinned areas"><thead><tr><th scope="col">Engine</th><th scope="col">Verdict</th>'
        f'{heads}<th scope="col">Trend</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(atlas: Atlas, engine: Engine, root: str) -> str:
    row = engine.newest
    firm = whole(row)
    cells = "".join(_area(one, firm=firm) for _, one in atlas.tallies(row))
    wrong = " · wrong on purpose" if engine.faulty else ""
    facts = f"<bdi>{safe(row.version, 40)}</bdi> · {when(row.finished)} · kit {safe(row.kit_version, 20)}{wrong}"
    return (
        f'<tr><th scope="row"><a href="{root}engines/{engine.slug}/{INDEX}">{named(engine.title)}</a>'
        f"<small>{facts}</small></th><td>{verdicts(row)}</td>{cells}<td>{trend(engine.rows)}</td></tr>"
    )


def _area(one: Tally, *, firm: bool) -> str:
    if not one.counted:
        return '<td class="soft">–</td>'
    # Nothing follows from passes of a run that was not whole.
    look = one.look if firm or one.look != "good" else "open"
    return f'<td><span class="{look} tally">{one.passed}/{one.counted}</span></td>'

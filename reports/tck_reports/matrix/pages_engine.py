"""The page of an engine: verdict, versions, what changed between them, and every requirement in each of them."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from html import escape
from typing import Final
from urllib.parse import quote

from markupsafe import Markup

from tck_reports.matrix.badges import FOLDER
from tck_reports.matrix.data import path_of
from tck_reports.matrix.model import ABSENT, Engine, Row
from tck_reports.matrix.pages_atlas import INDEX, Atlas
from tck_reports.matrix.pages_changes import entries
from tck_reports.matrix.pages_frame import page, pieces, sheets
from tck_reports.matrix.pages_pieces import (
    CELLS,
    EVIDENCE,
    LOOK_OF,
    WORD_OF,
    by_version,
    course,
    line,
    look_of,
    safe,
    share,
    whole,
)

#: So many versions stand side by side; more of them go to further pages.
PER_PAGE: Final = 25
_POINTS: Final = 100
_ROOT: Final = "../../"
#: The signs that a requirement can have without being a finding.
_QUIET: Final = frozenset(sign for sign, look in LOOK_OF.items() if look in {"good", "none", "absent"})


class Engines:
    """Makes the pages of all engines; what stands in the row of a requirement on each of them is made once."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._names = list(atlas.requirements)

    @cached_property
    def _heads(self) -> list[str]:
        return [
            f'<th scope="row"><a href="{_ROOT}requirements/{one.slug}/{INDEX}">{escape(one.id)}</a></th>'
            for one in self._atlas.site.requirements
        ]

    @cached_property
    def _texts(self) -> list[str]:
        return [f'<td class="text">{safe(one.column.text, 400)}' for one in self._atlas.site.requirements]

    def pages(self) -> Iterator[tuple[str, bytes]]:
        """Yield the pages of every engine."""
        for engine in self._atlas.site.engines:
            yield from self._pages(engine)

    def _pages(self, engine: Engine) -> Iterator[tuple[str, bytes]]:
        parts = pieces(engine.rows, PER_PAGE)
        paths = sheets(f"engines/{engine.slug}", len(parts))
        changes = self._atlas.changes.get(engine.slug, ())
        for number, (path, rows) in enumerate(zip(paths, parts, strict=True), start=1):
            here = {row.slug for row in rows}
            yield page(
                self._atlas,
                path,
                "engine",
                engine=engine,
                row=engine.newest,
                rows=rows,
                findings=() if engine.newest.absence else self._findings(engine.newest),
                table=self._table(rows),
                changes=entries(self._atlas, [one for one in changes if one.row in here], _ROOT, bare=True),
                chart=_chart(engine) if number == 1 else "",
                badge=f"{FOLDER}/{engine.slug}",
                data=path_of(engine),
                sheets=paths,
                number=number,
            )

    def _findings(self, row: Row) -> list[tuple[str, str]]:
        """Return what did not pass and counts, with its look."""
        cells = self._atlas.cells(row)
        return [(name, LOOK_OF[sign]) for name, sign in zip(self._names, cells, strict=True) if sign not in _QUIET]

    def _table(self, rows: Sequence[Row]) -> Markup:
        """Return the requirements with their outcomes in these rows, the newest first."""
        heads = "".join(
            f'<th scope="col" class="upright"><span><bdi>{safe(row.version, 24)}</bdi></span></th>' for row in rows
        )
        return Markup(  # noqa: S704 -- every part is escaped where it is made
            f'<table class="pinned grid" id="rows"><thead><tr><th scope="col">Requirement</th>{heads}'
            '<th scope="col" class="left">Evidence</th><th scope="col" class="left">Text</th></tr></thead>'
            f"<tbody>{''.join(self._lines(rows))}</tbody></table>"
        )

    def _lines(self, rows: Sequence[Row]) -> Iterator[str]:
        newest = rows[0]
        firm = whole(newest)
        columns = [self._atlas.cells(row) for row in rows]
        looks = [CELLS[whole(row)] for row in rows]
        order, evidence, reasons = self._atlas.orders[newest.set], newest.evidence, newest.reasons
        for at, signs in enumerate(zip(*columns, strict=True)):
            told = set(signs)
            if told == {ABSENT}:
                continue
            name, place, sign = self._names[at], order[at], signs[0]
            reason = f"<small>{WORD_OF[sign]}: {safe(reasons[name])}</small>" if reasons.get(name) else ""
            again = _again(newest, name)
            seen = EVIDENCE[evidence[place]] if place >= 0 else ""
            changed = " data-changed" if len(told) > 1 else ""
            yield (
                f'<tr id="{escape(name)}" data-look="{look_of(sign, firm=firm)}"{changed}>'
                f"{self._heads[at]}{''.join([look[one] for look, one in zip(looks, signs, strict=True)])}"
                f'<td class="left soft small">{seen}</td>{self._texts[at]}{reason}{again}</td></tr>'
            )


def _again(row: Row, requirement: str) -> str:
    """Return where to see why a requirement failed: the log in the whole report, and the command that runs it again."""
    command = row.commands.get(requirement)
    if command is None:
        return ""
    log = f'<a href="{_ROOT}{row.page}#{quote(requirement)}">what was witnessed</a>; ' if row.page else ""
    return f'<p class="again">{log}again: <code>{safe(command)}</code></p>'


def _chart(engine: Engine) -> Markup:
    """Return the line of the engine over its versions with what stands at its ends; nothing for a single version."""
    rows = by_version(engine.rows, _POINTS)
    if len(rows) < 2:  # noqa: PLR2004 -- a line has two ends
        return Markup()
    drawn = line([share(row) for row in rows], course(rows), width=640, height=96)
    first, last = (
        f'<span><bdi>{safe(row.version, 30)}</bdi> <b class="numbers">{passed}/{counted}</b></span>'
        for row in (rows[0], rows[-1])
        for passed, counted in [share(row)]
    )
    scale = f'<p class="scale small soft" aria-hidden="true"><span>all</span><span>none</span></p>{drawn}'
    return Markup(f'<figure class="course">{scale}<figcaption>{first}{last}</figcaption></figure>')  # noqa: S704 -- the same

"""The page of a requirement: what it says and said, and how it came out in every version of every engine."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from markupsafe import Markup

from tck_reports.matrix.model import ABSENT, Engine, Requirement, Row
from tck_reports.matrix.pages_atlas import INDEX, Atlas
from tck_reports.matrix.pages_frame import page, pieces, sheets
from tck_reports.matrix.pages_pieces import (
    BADGES,
    EVIDENCE,
    LOOK_OF,
    PASSED,
    WORD_OF,
    look_of,
    named,
    safe,
    when,
    whole,
)

#: So many engines stand on a page.
PER_PAGE: Final = 1_000
#: So many older versions of an engine are shown one by one; its own page has them all.
_OLDER: Final = 24
_ROOT: Final = "../../"
_LOOKS: Final = ("good", "bad", "open", "none")
#: By whether the run was whole: the outcome of each sign, up to where its evidence follows.
_OUTCOMES: Final[Mapping[bool, Mapping[str, str]]] = {
    firm: {sign: f"<td>{badge}<small>" for sign, badge in badges.items()} for firm, badges in BADGES.items()
}
#: A line of the table of all requirements: the requirement, and how many engines have each look.
Line = tuple[Requirement, Mapping[str, int]]


class Requirements:
    """Makes the pages of all requirements; what stands in the row of an engine on each of them is made once."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._engines = atlas.site.engines
        self._cells = [[atlas.cells(row) for row in engine.rows] for engine in self._engines]
        self._heads = [_head(engine) for engine in self._engines]
        self._firm = [whole(engine.newest) for engine in self._engines]
        #: How it came out in the newest version of every engine that is not wrong on purpose.
        looks = [
            [look_of(sign, firm=firm) for sign in cells[0]]
            for cells, firm, one in zip(self._cells, self._firm, self._engines, strict=True)
            if not one.faulty
        ]
        nobody: list[tuple[str, ...]] = [()] * len(atlas.site.requirements)
        self._counts = [_counted(column) for column in zip(*looks, strict=True)] or [_counted(one) for one in nobody]

    def pages(self) -> Iterator[tuple[str, bytes]]:
        """Yield the list of all requirements, and the pages of each."""
        everything = self._atlas.site.requirements
        yield page(self._atlas, f"requirements/{INDEX}", "requirements", areas=list(self._by_area()))
        around = (None, *everything, None)
        for at, one in enumerate(everything):
            yield from self._pages(one, at, around[at], around[at + 2])

    def _by_area(self) -> Iterator[tuple[str, list[Line]]]:
        lines = list(zip(self._atlas.site.requirements, self._counts, strict=True))
        for area in self._atlas.areas:
            yield area, [line for line in lines if line[0].column.area == area]

    def _pages(
        self, one: Requirement, at: int, before: Requirement | None, after: Requirement | None
    ) -> Iterator[tuple[str, bytes]]:
        rows = list(self._rows(one.id, at))
        wrong = sum(
            engine.faulty and cells[0][at] != ABSENT for engine, cells in zip(self._engines, self._cells, strict=True)
        )
        parts = pieces(rows, PER_PAGE)
        paths = sheets(f"requirements/{one.slug}", len(parts))
        for number, (path, part) in enumerate(zip(paths, parts, strict=True), start=1):
            yield page(
                self._atlas,
                path,
                "requirement",
                requirement=one,
                rows=Markup("".join(part)),  # noqa: S704 -- every part is escaped where it is made
                counts=self._counts[at],
                wrong=wrong,
                before=before,
                after=after,
                section=self._atlas.in_specification(one.column.anchor),
                several=any(len(engine.rows) > 1 for engine in self._engines),
                sheets=paths,
                number=number,
            )

    def _rows(self, name: str, at: int) -> Iterator[str]:
        """Yield the rows of all engines that ever met a version of the specification with this requirement."""
        orders = self._atlas.orders
        for engine, head, firm, cells in zip(self._engines, self._heads, self._firm, self._cells, strict=True):
            signs = [one[at] for one in cells]
            sign, row = signs[0], engine.rows[0]
            alone = len(signs) == 1
            if sign == ABSENT and (alone or set(signs) == {ABSENT}):
                continue
            place = orders[row.set][at]
            seen = EVIDENCE[row.evidence[place]] if place >= 0 else ""
            reason = safe(row.reasons[name]) if name in row.reasons else ""
            older = "" if alone else _older(name, engine, signs)
            yield (
                f'<tr id="{engine.slug}" data-look="{look_of(sign, firm=firm)}">{head}{_OUTCOMES[firm][sign]}{seen}'
                f'</small></td><td class="text">{reason}{older}</td></tr>'
            )


def _counted(looks: Sequence[str]) -> Mapping[str, int]:
    return {look: looks.count(look) for look in _LOOKS}


def _head(engine: Engine) -> str:
    row = engine.newest
    return (
        f'<th scope="row"><a href="{_ROOT}engines/{engine.slug}/{INDEX}">{named(engine.title)}</a>'
        f"<small><bdi>{safe(row.version, 40)}</bdi> · {when(row.finished)}</small></th>"
    )


def _older(name: str, engine: Engine, signs: Sequence[str]) -> str:
    """Return the older versions: a strip of signs, newest first, and in words where something else happened in one."""
    shown, own = engine.rows[1 : 1 + _OLDER], signs[1 : 1 + _OLDER]
    strip = "".join(
        f'<span class="cell {LOOK_OF[sign]}{"" if sign != PASSED or whole(row) else " frail"}" '
        f'title="{safe(row.version, 30)}: {WORD_OF[sign]}"></span>'
        for row, sign in zip(shown, own, strict=True)
    )
    rest = len(engine.rows) - 1 - len(shown)
    more = f'<p><a href="{_ROOT}engines/{engine.slug}/{INDEX}">{rest} more</a></p>' if rest else ""
    told = "".join(f"<li>{one}</li>" for one in _told(name, shown, own))
    return (
        f'<details class="older"><summary>{len(engine.rows) - 1} older'
        f'<span class="strip" aria-hidden="true">{strip}</span>'
        f"</summary><ul>{told}</ul>{more}</details>"
    )


def _told(name: str, rows: Sequence[Row], signs: Sequence[str]) -> Iterator[str]:
    """Yield the versions in a row that came out alike, with the reason."""
    alike = groupby(
        zip(rows, signs, strict=True), key=lambda one: (one[1], one[0].reasons.get(name, ""), whole(one[0]))
    )
    for (sign, reason, firm), group in alike:
        versions = list(dict.fromkeys(row.version for row, _ in group))
        span = versions[0] if len(versions) == 1 else f"{versions[-1]} to {versions[0]}"
        yield f"<bdi>{safe(span, 80)}</bdi>: {BADGES[firm][sign]} {safe(reason)}"

"""The values that the front page draws the matrix from: one text of outcomes per engine, and every reason once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tck_reports.matrix.model import Engine, Row
from tck_reports.matrix.pages_atlas import Atlas
from tck_reports.matrix.pages_pieces import LONGEST_NAME, LOOK_OF, MEANING_OF, PASSED, WORD_OF, cut, whole

#: The page stays below 2 MB: so many engines are drawn at most, and so many characters may go to reasons.
MOST: Final = 2_000
_ROOM_FOR_REASONS: Final = 400_000
_LONGEST_REASON: Final = 160


def island(data: object) -> str:
    """Return values as JSON that cannot end the element which it stands in."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def values(atlas: Atlas) -> dict[str, object]:
    """Return the matrix: requirements, engines with what speaks for each under every set, and the texts they share."""
    site = atlas.site
    engines = site.engines[:MOST]
    shown = [_by_set(engine) for engine in engines]
    reasons = _Reasons(_ROOM_FOR_REASONS // max(sum(len(rows) for rows in shown), 1))
    return {
        "profiles": site.profiles,
        "sets": [atlas.label(one.slug) for one in site.sets],
        "families": [one.family for one in site.sets],
        "signs": {sign: [LOOK_OF[sign], WORD_OF[sign], MEANING_OF[sign]] for sign in WORD_OF},
        "requirements": [
            [one.id, one.slug, one.column.area, one.column.level, one.column.profile, cut(one.column.text, 300)]
            for one in site.requirements
        ],
        "engines": [
            [
                engine.slug,
                cut(engine.name, LONGEST_NAME),
                cut(engine.label, LONGEST_NAME),
                int(engine.faulty),
                [_row(atlas, row, reasons) for row in rows],
            ]
            for engine, rows in zip(engines, shown, strict=True)
        ],
        "texts": reasons.texts,
    }


def _by_set(engine: Engine) -> list[Row]:
    """Return what speaks for an engine, and where that is by another set, what speaks for it under each."""
    speaking: dict[str, Row] = {}
    for row in engine.rows:
        speaking.setdefault(row.set, row)
    return list(speaking.values())


def _row(atlas: Atlas, row: Row, reasons: "_Reasons") -> list[object]:
    cells = atlas.cells(row)
    return [
        next(at for at, one in enumerate(atlas.site.sets) if one.slug == row.set),
        cut(row.version, 40),
        row.finished,
        cut(row.kit_version, 20),
        int(whole(row)),
        reasons.kept("" if whole(row) else "; ".join(row.obstacles) or "the run was not whole"),
        {
            one.profile: [one.result[0], int(one.witnessed), one.numerator, one.denominator, reasons.kept(one.why)]
            for one in row.verdicts.values()
        },
        cells,
        reasons.of(row, cells, list(atlas.requirements)),
        row.absence or "",
        row.page or "",
    ]


@dataclass(slots=True)
class _Reasons:
    """The texts of the page, each once, as long as there is room: every row has the same."""

    room: int
    texts: list[str] = field(default_factory=list[str])
    _known: dict[str, int] = field(default_factory=dict[str, int])

    def kept(self, text: str) -> int:
        """Return the place of a text among all, -1 where it is empty."""
        short = cut(text, _LONGEST_REASON)
        if short and short not in self._known:
            self._known[short] = len(self.texts)
            self.texts.append(short)
        return self._known[short] if short else -1

    def of(self, row: Row, cells: str, names: Sequence[str]) -> list[int]:
        """Return place of requirement and place of reason in turn, until the room of this row is used up."""
        left, pairs = self.room, list[int]()
        if not row.reasons:
            return pairs
        for at, sign in enumerate(cells):
            reason = cut(row.reasons.get(names[at], ""), _LONGEST_REASON) if sign != PASSED else ""
            if not reason:
                continue
            # A reason that stands there already costs two numbers.
            left -= 8 if reason in self._known else len(reason) + 12
            if left < 0:
                break
            pairs += [at, self.kept(reason)]
        return pairs

"""A difference for a terminal: what stands in its way first, what is worse next, and all else after that."""

from collections.abc import Iterator
from typing import Final

from tck_reports.difference.sections import Row, Section, between, headline, sections, totals, verdict
from tck_reports.difference.values import Difference
from tck_reports.plain import visible

#: Characters of one quoted text, and rows of one section; the JSON has them all.
_QUOTED: Final = 300
_ROWS: Final = 200


def render(difference: Difference) -> str:
    """Return the whole text."""
    return "\n".join(_lines(difference)) + "\n"


def _lines(difference: Difference) -> Iterator[str]:
    yield between(difference, _flat)
    for one in difference.caveats:
        word = "NOT COMPARABLE" if one.spoils else "note"
        pair = f"{_flat(one.old) or 'no'} → {_flat(one.new) or 'no'}"
        yield f"{word}: {one.subject}: {pair}; {one.effect}"
    for section in sections(difference):
        yield ""
        yield from _section(section)
    yield ""
    for judgement in difference.verdicts:
        before, now = verdict(judgement)
        yield f"{_flat(judgement.profile)}: {now}" if before == now else f"{_flat(judgement.profile)}: {before} → {now}"
    yield f"checks: {totals(difference)}"
    yield headline(difference)


def _section(section: Section) -> Iterator[str]:
    yield f"{section.title} ({len(section.rows)})"
    width = max(len(_flat(row.id)) for row in section.rows[:_ROWS])
    for row in section.rows[:_ROWS]:
        yield from _row(row, min(width, 24))
    if len(section.rows) > _ROWS:
        yield f"  and {len(section.rows) - _ROWS} more"


def _row(row: Row, width: int) -> Iterator[str]:
    name = _flat(row.id)
    first = f"  {name:<{width}}  {row.told}"
    if len(row.quoted) == 1:
        yield f"{first}: {_flat(row.quoted[0])}"
        return
    yield first
    for text in row.quoted:
        yield f"      {_flat(text)}"


def _flat(text: str) -> str:
    flat = " ".join(visible(text).split())
    return flat if len(flat) <= _QUOTED else f"{flat[:_QUOTED]}… ({len(flat) - _QUOTED} more characters)"

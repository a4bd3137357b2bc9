"""The front page: the matrix itself, drawn by its script, with how engines stand, what is new, and where it is going.

A browser takes seconds to lay out a hundred thousand cells, so the page carries them as values (`pages_values`), of
which the script draws what is in sight. Who has no script gets a table of engines and areas.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from markupsafe import Markup

from tck_reports.matrix.model import Change, Engine, Row, Site
from tck_reports.matrix.pages_atlas import INDEX, Atlas
from tck_reports.matrix.pages_changes import entries
from tck_reports.matrix.pages_frame import page
from tck_reports.matrix.pages_pieces import by_version, share, trend
from tck_reports.matrix.pages_table import table
from tck_reports.matrix.pages_values import MOST, island, values

#: So many engines stand in the table for who has no script; the list of engines has them all.
_LISTED: Final = 1_000
_LATEST: Final = 6
_TRENDS: Final = 8
_TREND_POINTS: Final = 40


def pages(atlas: Atlas) -> Iterator[tuple[str, bytes]]:
    """Yield the front page."""
    site = atlas.site
    yield page(
        atlas,
        INDEX,
        "index",
        data=Markup(island(values(atlas))),  # noqa: S704 -- JSON without a way out of its element
        table=table(atlas, site.engines[:_LISTED], ""),
        drawn=min(len(site.engines), MOST),
        standings=standings(site),
        latest=entries(atlas, list(islice(_news(site), _LATEST)), ""),
        trends=list(_trends(site)),
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """How many engines conform to a profile, those left aside that are wrong on purpose."""

    profile: str
    good: int
    bad: int
    open: int
    witnessed: int
    #: Why some of the undecided were never run, with how many.
    absent: Mapping[str, int]

    @property
    def all(self) -> int:
        """How many were run against it."""
        return self.good + self.bad + self.open


def standings(site: Site) -> list[Standing]:
    """Return how the newest version of every engine stands, by profile."""
    rows = [one.newest for one in site.engines if not one.faulty]
    return [_standing(profile, rows) for profile in site.profiles]


def _standing(profile: str, rows: Sequence[Row]) -> Standing:
    own = [row.verdicts[profile] for row in rows if profile in row.verdicts]
    good, bad, undecided = (
        sum(one.result == word for one in own) for word in ("conformant", "nonconformant", "indeterminate")
    )
    witnessed = sum(one.result == "conformant" and one.witnessed for one in own)
    absent = Counter(str(row.absence) for row in rows if row.absence is not None and profile in row.verdicts)
    return Standing(profile, good, bad, undecided, witnessed, absent)


def _news(site: Site) -> Iterator[Change]:
    """Yield what readers wait for: nothing of engines that are wrong on purpose, which belong to the kit."""
    wrong = {one.slug for one in site.engines if one.faulty}
    return (one for one in site.changes if not one.quiet and one.engine not in wrong)


def _trends(site: Site) -> Iterator[tuple[Engine, Markup, str, str, str]]:
    """Yield engines with several versions, those that were run last first: line, versions, first and last figure."""
    several = [one for one in site.engines if not one.faulty and len({row.version for row in one.rows}) > 1]
    for engine in sorted(several, key=lambda one: max(row.finished for row in one.rows), reverse=True)[:_TRENDS]:
        rows = by_version(engine.rows, _TREND_POINTS)
        first, last = ("{}/{}".format(*share(row)) for row in (rows[0], rows[-1]))
        yield engine, trend(engine.rows), f"{len(rows)} versions", first, last

"""What the pages of one site look up, put in order once: requirements by set and area, engines by slug, links."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from tck_reports.matrix.model import ABSENT, Change, Engine, Requirement, RequirementSet, Row, Site
from tck_reports.matrix.pages_pieces import INITIALS

#: The end of every link to a page: a folder alone would show its files where a site is opened from a disk.
INDEX: Final = "index.html"


@dataclass(frozen=True, slots=True)
class Tally:
    """How the requirements of one area came out in one row."""

    passed: int
    failed: int
    undecided: int
    aside: int

    @property
    def counted(self) -> int:
        """How many stand in the denominator."""
        return self.passed + self.failed + self.undecided

    @property
    def look(self) -> str:
        """The look of the whole area: the worst that is in it."""
        return "bad" if self.failed else "open" if self.undecided else "good" if self.passed else "none"


@dataclass(frozen=True, slots=True)
class Atlas:
    """A site with everything that more than one page needs."""

    site: Site
    #: Where the text of the specification stands, to be followed by # and an anchor; or empty.
    specification: str
    #: Where the site will stand, ending in /; or empty.
    address: str
    sets: Mapping[str, RequirementSet]
    requirements: Mapping[str, Requirement]
    engines: Mapping[str, Engine]
    #: By engine, the changes that its rows brought, newest first.
    changes: Mapping[str, Sequence[Change]]
    #: Areas in the order of the requirements.
    areas: tuple[str, ...]
    #: By set, for each requirement of the site its place among the set's columns; -1 where it has none.
    orders: Mapping[str, tuple[int, ...]]
    #: By set and area, the places of the area's columns.
    places: Mapping[str, Mapping[str, tuple[int, ...]]]

    def cells(self, row: Row) -> str:
        """Return the cells of a row in the order of the site's requirements."""
        order = self.orders[row.set]
        return "".join([row.cells[at] if at >= 0 else ABSENT for at in order])

    def tallies(self, row: Row) -> Iterator[tuple[str, Tally]]:
        """Yield the areas of a row, each with how it came out; areas that its set does not have are empty."""
        looks = row.cells.translate(INITIALS)
        of_area = self.places[row.set]
        for area in self.areas:
            own = "".join([looks[at] for at in of_area.get(area, ())])
            yield area, Tally(own.count("g"), own.count("b"), own.count("o"), own.count("n"))

    def label(self, slug: str) -> str:
        """Return the shortest name of a set: its version, with its profiles or its slug where two have that version."""
        own = self.sets[slug]
        of_version = [one for one in self.site.sets if one.version == own.version]
        if len(of_version) == 1:
            return own.version
        alone = own.family and sum(one.family == own.family for one in of_version) == 1
        return f"{own.version} ({own.family})" if alone else own.slug

    def earlier(self, slug: str) -> bool:
        """Whether there is a newer set of the same specification, for the same engines."""
        own = self.sets[slug]
        same = (one for one in self.site.sets if (one.spec, one.family) == (own.spec, own.family))
        return next(same).slug != slug

    def in_specification(self, anchor: str) -> str:
        """Return the address of a place in the specification's text, empty where that is not known."""
        return f"{self.specification}#{anchor}" if self.specification and anchor else ""

    def link(self, requirement: str, root: str) -> str:
        """Return a link to the page of a requirement; its bare name where there is no such page."""
        known = self.requirements.get(requirement)
        name = escape(requirement)
        return f'<a href="{root}requirements/{known.slug}/{INDEX}">{name}</a>' if known else name


def atlas(site: Site, specification: str = "", address: str = "") -> Atlas:
    """Put a site in order."""
    changes: dict[str, list[Change]] = {}
    for change in site.changes:
        changes.setdefault(change.engine, []).append(change)
    requirements = {one.id: one for one in site.requirements}
    return Atlas(
        site,
        specification,
        f"{address.rstrip('/')}/" if address else "",
        sets={one.slug: one for one in site.sets},
        requirements=requirements,
        engines={one.slug: one for one in site.engines},
        changes=changes,
        areas=tuple(dict.fromkeys(one.column.area for one in site.requirements)),
        orders={one.slug: tuple(one.places.get(name, -1) for name in requirements) for one in site.sets},
        places={one.slug: _places(one) for one in site.sets},
    )


def _places(one: RequirementSet) -> Mapping[str, tuple[int, ...]]:
    places: dict[str, list[int]] = {}
    for at, column in enumerate(one.columns):
        places.setdefault(column.area, []).append(at)
    return {area: tuple(own) for area, own in places.items()}

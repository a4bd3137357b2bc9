"""A badge for each engine, of its newest version: as an image, and as what shields.io asks for."""

from collections.abc import Iterator
from typing import Final, cast

from tck_reports.formats import badge
from tck_reports.matrix.model import Engine, RequirementSet, Site
from tck_reports.shape import Json, Report

FOLDER: Final = "badges"


def files(site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield the badges as (path below the site, content)."""
    sets = {one.slug: one for one in site.sets}
    for engine in site.engines:
        said = _said(engine, sets[engine.newest.set])
        yield f"{FOLDER}/{engine.slug}.svg", badge.render_svg(said).encode("utf-8")
        yield f"{FOLDER}/{engine.slug}.json", badge.render_json(said).encode("utf-8")


def _said(engine: Engine, under: RequirementSet) -> Report:
    """Return as much of a report as a badge looks at, as the matrix has it: no run that was not whole conforms."""
    parts: dict[str, Json] = {
        "spec": {"id": under.spec, "version": under.version},
        "verdict": {
            one.profile: {
                "result": one.result,
                "witnessed": one.witnessed,
                "numerator": one.numerator,
                "denominator": one.denominator,
            }
            for one in engine.newest.verdicts.values()
        },
    }
    return cast("Report", parts)

"""The feed of changes as a page, and one change as a piece of any page."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from markupsafe import Markup

from tck_reports.matrix.model import Change, ChangeKind, VerdictChange
from tck_reports.matrix.pages_atlas import INDEX, Atlas
from tck_reports.matrix.pages_frame import page, pieces, sheets
from tck_reports.matrix.pages_pieces import RESULT_LOOKS, named, safe, when

#: So many entries stand on a page; each may name every requirement there is.
PER_PAGE: Final = 100
#: So many requirements of an entry are named at once.
_AT_ONCE: Final = 10
#: What a list of requirements in a change is called for one and for many, and its look.
_LISTS: Final = (
    ("regressions", "regression", "regressions", "bad"),
    ("fixes", "fix", "fixes", "good"),
    ("reworded", "reworded", "reworded", "none"),
    ("added", "new requirement", "new requirements", "none"),
    ("removed", "requirement gone", "requirements gone", "none"),
)
_SAID: Final[Mapping[ChangeKind, str]] = {
    "new_engine": "is here for the first time, with",
    "new_version": "has a new version,",
    "new_run": "was run again,",
}


def pages(atlas: Atlas) -> Iterator[tuple[str, bytes]]:
    """Yield the pages of the feed, newest first."""
    parts = pieces(atlas.site.changes, PER_PAGE)
    paths = sheets("changes", len(parts))
    for number, (path, part) in enumerate(zip(paths, parts, strict=True), start=1):
        yield page(atlas, path, "changes", entries=entries(atlas, part, "../"), sheets=paths, number=number)


def entries(atlas: Atlas, changes: Iterable[Change], root: str, *, bare: bool = False) -> Markup:
    """Return changes as items of a list; `bare` on the page of their engine, which need not be named again."""
    return Markup("").join(_entry(atlas, one, root, bare=bare) for one in changes)


def _entry(atlas: Atlas, change: Change, root: str, *, bare: bool) -> Markup:
    turns = "".join(_turn(one) for one in change.verdicts)
    parts = f'<div class="turns">{turns}</div>' if turns else ""
    parts += "".join(_listed(atlas, change, root))
    return Markup(  # noqa: S704 -- every part is escaped where it is made
        f'<li class="change">{when(change.at)}<div><p>{_headline(atlas, change, root, bare=bare)}</p>{parts}</div></li>'
    )


def _headline(atlas: Atlas, change: Change, root: str, *, bare: bool) -> str:
    if change.kind == "new_spec":
        own = atlas.sets[change.set]
        return f"<strong>{safe(own.spec, 40)} {safe(atlas.label(own.slug), 40)}</strong> is in use for the first time"
    engine = atlas.engines[change.engine]
    rows = {row.slug: row for row in engine.rows}
    row, before = rows[change.row], rows.get(change.before or "")
    version = f"<strong><bdi>{safe(row.version, 40)}</bdi></strong>"
    after = f" after <bdi>{safe(before.version, 40)}</bdi>" if before and before.version != row.version else ""
    if bare:
        again = ", run again" if change.kind == "new_run" else ", the first report" if before is None else ""
        return f"{version}{after}{again}"
    link = f'<a href="{root}engines/{engine.slug}/{INDEX}">{named(engine.title)}</a>'
    return f"{link} {_SAID[change.kind]} {version}{after}"


def _turn(change: VerdictChange) -> str:
    old, new = (
        f'<span class="word {RESULT_LOOKS[one]}">{one}</span>' if one else "" for one in (change.old, change.new)
    )
    both = f"{old} → {new}" if old and new else new or f"{old} → no verdict"
    return f'<span class="turn">{safe(change.profile, 20)}: {both}</span>'


def _listed(atlas: Atlas, change: Change, root: str) -> Iterator[str]:
    for field, one, many, look in _LISTS:
        names: tuple[str, ...] = getattr(change, field)
        if names:
            links = [atlas.link(name, root) for name in names]
            rest = links[_AT_ONCE:]
            more = f" <details><summary>{len(rest)} more</summary>{' '.join(rest)}</details>" if rest else ""
            head = f'<span class="badge {look}">{len(names)} {escape(one if len(names) == 1 else many)}</span>'
            yield f'<div class="names">{head} {" ".join(links[:_AT_ONCE])}{more}</div>'

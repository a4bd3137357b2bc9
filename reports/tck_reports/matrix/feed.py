"""The feed of changes as Atom 1.0 (RFC 4287), for whoever wants to hear of a regression.

Ids are made of what an entry compares, dates are those of the reports, so the same report makes the same entry wherever
and whenever the site is made.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from tck_reports.matrix.model import Change, Engine, Row, Site

PATH: Final = "feed.atom"
NAMESPACE: Final = "http://www.w3.org/2005/Atom"
#: The newest so many are in the feed; readers keep the older ones.
ENTRIES: Final = 200
#: So many requirements are named in a sentence.
_NAMED: Final = 12
_NOTHING_YET: Final = "1970-01-01T00:00:00Z"


def render(site: Site, base_url: str = "") -> bytes:
    """Return the feed; links are absolute where the address of the site is given, otherwise relative to the feed."""
    base = f"{base_url.rstrip('/')}/" if base_url else ""
    told = [one for one in site.changes if not one.quiet][:ENTRIES]
    feed = ET.Element("feed", {"xmlns": NAMESPACE, "xml:lang": "en"})
    # Made of what is in it that does not change, so that two mirrors of a site have one feed.
    _add(feed, "id", _urn("\0".join(sorted({one.spec for one in site.sets}))))
    _add(feed, "title", f"Conformance to {', '.join(sorted({one.spec for one in site.sets})) or 'nothing yet'}")
    _add(feed, "updated", max((one.at for one in told), default=site.updated or _NOTHING_YET))
    _add(_add(feed, "author"), "name", "session-tck")
    _add(feed, "generator", "session-tck matrix")
    _add(feed, "link", rel="alternate", type="text/html", href=f"{base}index.html")
    if base:
        _add(feed, "link", rel="self", type="application/atom+xml", href=f"{base}{PATH}")
    engines = {one.slug: one for one in site.engines}
    for change in told:
        _entry(feed, site, engines, change, base)
    ET.indent(feed)
    content: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _entry(feed: ET.Element, site: Site, engines: dict[str, Engine], change: Change, base: str) -> None:
    entry = _add(feed, "entry")
    _add(entry, "id", _urn(change.id))
    _add(entry, "title", headline(site, engines, change), type="text")
    _add(entry, "updated", change.at)
    place = f"engines/{change.engine}/index.html" if change.engine else "requirements/index.html"
    _add(entry, "link", rel="alternate", type="text/html", href=f"{base}{place}")
    _add(entry, "category", term=change.kind)
    for word in sorted(_words(change)):
        _add(entry, "category", term=word)
    _add(entry, "content", "\n".join(sentences(change)) or "Nothing else changed.", type="text")


def headline(site: Site, engines: dict[str, Engine], change: Change) -> str:
    """Return what happened, in one line of text."""
    if not change.engine:
        own = next(one for one in site.sets if one.slug == change.set)
        return f"{own.spec} {own.version}: new requirements to be held against"
    engine = engines[change.engine]
    rows = {row.slug: row for row in engine.rows}
    what = {"new_engine": "first report", "new_version": "new version"}.get(change.kind, "run again")
    told = [what, *_counts(change), *_standing(change, rows[change.row])]
    return f"{engine.title} {rows[change.row].version}: {', '.join(told)}"


def sentences(change: Change) -> Iterator[str]:
    """Yield what changed, a line each."""
    for turn in change.verdicts:
        yield f"{turn.profile}: {turn.old or 'no verdict'} → {turn.new or 'no verdict'}."
    for what, names in (
        ("Passed before and do not now", change.regressions),
        ("Pass now", change.fixes),
        ("Worded anew", change.reworded),
        ("New requirements", change.added),
        ("Requirements gone", change.removed),
    ):
        if names:
            yield f"{what}: {_list(names)}."


def _words(change: Change) -> set[str]:
    return {word for word, names in (("regression", change.regressions), ("fix", change.fixes)) if names}


def _counts(change: Change) -> Iterator[str]:
    for names, one, many in (
        (change.regressions, "regression", "regressions"),
        (change.fixes, "fix", "fixes"),
    ):
        if names:
            yield f"{len(names)} {one if len(names) == 1 else many}"


def _standing(change: Change, row: Row) -> Iterator[str]:
    """Tell every verdict of a first report, and the changed ones of a later one."""
    changed = {turn.profile for turn in change.verdicts}
    for verdict in row.verdicts.values():
        if verdict.profile in changed:
            yield f"{verdict.profile} {verdict.result} {verdict.numerator}/{verdict.denominator}"


def _list(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    child = ET.SubElement(parent, tag, attributes)
    child.text = text
    return child


def _urn(identity: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'urn:session-tck:matrix:{identity}')}"

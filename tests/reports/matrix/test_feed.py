"""The feed is Atom that readers read, with entries that keep their ids, and holds no markup of an engine's."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import feedparser  # type: ignore[import-untyped]  # it has none
import pytest

from tck_reports.matrix import feed
from tck_reports.matrix.gathering import gathered
from tck_reports.matrix.model import Site
from tck_reports.outcomes import Outcome
from tck_reports.shape import Report

from .given_reports import given, report

ATOM = "{http://www.w3.org/2005/Atom}"
#: RFC 3339, as RFC 4287 asks for in 3.3.
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
EVIL = "<script>alert(1)</script> & \x1b[31m \u202e ]]> \x00"


def site(*more: Report) -> Site:
    ones = [
        report(),
        report(version="1.0.1", day=2, outcomes={"NAME-1": Outcome.FAILED}),
        report(version="1.0.2", day=3),
        report(name="other", day=4, spec="1.1.0", outcomes={"OFF-1": Outcome.PASSED}),
        *more,
    ]
    return gathered([given(one) for one in ones])


def parsed(made: bytes) -> Any:  # noqa: ANN401 -- a library without types
    found = feedparser.parse(made)
    assert not found.bozo, found.get("bozo_exception")
    assert found.version == "atom10"
    return found


def test_a_reader_reads_every_change() -> None:
    found = parsed(feed.render(site()))
    assert [one.title for one in found.entries] == [
        "session-resume 1.1.0: new requirements to be held against",
        "other 1.0.0: first report, core conformant 5/5",
        "acme 1.0.2: new version, 1 fix, core conformant 4/4",
        "acme 1.0.1: new version, 1 regression, core nonconformant 3/4",
        "acme 1.0.0: first report, core conformant 4/4",
    ]
    assert [one.updated for one in found.entries] == [
        "2026-01-04T03:05:05Z",
        "2026-01-04T03:05:05Z",
        "2026-01-03T03:05:05Z",
        "2026-01-02T03:05:05Z",
        "2026-01-01T03:05:05Z",
    ]
    assert found.entries[3].content[0].value == (
        "core: conformant → nonconformant.\nPassed before and do not now: NAME-1."
    )
    assert [tag.term for tag in found.entries[3].tags] == ["new_version", "regression"]


def test_the_feed_has_all_that_the_standard_demands() -> None:
    # RFC 4287: 4.1.1 of the feed, 4.1.2 of its entries.
    for base in ("", "https://matrix.example/site/"):
        root = ET.fromstring(feed.render(site(), base))  # noqa: S314 -- it is ours
        assert root.tag == f"{ATOM}feed"
        for element in (root, *root.findall(f"{ATOM}entry")):
            for name in ("id", "title", "updated"):
                assert len(element.findall(f"{ATOM}{name}")) == 1, name
            assert MOMENT.fullmatch(element.findtext(f"{ATOM}updated") or "")
            assert (element.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
            alternates = [
                (link.get("type"), link.get("hreflang"))
                for link in element.findall(f"{ATOM}link")
                if link.get("rel") == "alternate"
            ]
            assert len(alternates) == len({*alternates}) == 1
            assert len(element.findall(f"{ATOM}content")) <= 1
        assert root.findtext(f"{ATOM}author/{ATOM}name")
        ids = [one.text for one in root.iter(f"{ATOM}id")]
        assert len(ids) == len({*ids})
        assert len([link for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]) == bool(base)


def test_links_are_absolute_where_the_address_is_known() -> None:
    found = parsed(feed.render(site(), "https://matrix.example/site"))
    assert found.entries[1].link == "https://matrix.example/site/engines/other/index.html"
    assert [link.href for link in found.feed.links] == [
        "https://matrix.example/site/index.html",
        "https://matrix.example/site/feed.atom",
    ]
    assert parsed(feed.render(site())).entries[1].link == "engines/other/index.html"


def test_entries_keep_their_ids_when_more_reports_come_and_wherever_the_site_stands() -> None:
    before = {one.id: one.title for one in parsed(feed.render(site())).entries}
    after = {
        one.id: one.title
        for one in parsed(feed.render(site(report(name="third", day=9)), "https://a.example/")).entries
    }
    assert before.items() < after.items()


def test_the_same_reports_give_the_same_bytes() -> None:
    assert feed.render(site()) == feed.render(site())


def test_what_an_engine_calls_itself_stays_text() -> None:
    made = feed.render(site(report(name=EVIL, day=9)))
    titles = [one.title_detail for one in parsed(made).entries]
    assert [one.type for one in titles] == ["text/plain"] * len(titles)
    root = ET.fromstring(made)  # noqa: S314 -- it is ours
    shown = [one.text or "" for one in root.iter(f"{ATOM}title")]
    assert any("<script>alert(1)</script> & \\x1b[31m \\u202e ]]> \\x00" in text for text in shown)
    assert {one.tag for one in root.iter()} <= {
        f"{ATOM}{name}"
        for name in (
            *("feed", "entry", "id", "title", "updated", "author", "name"),
            *("generator", "link", "category", "content"),
        )
    }


def test_a_run_that_changed_nothing_is_no_news() -> None:
    again = report(day=2, kit={"version": "0.2.0"})
    assert len(parsed(feed.render(gathered([given(report()), given(again)]))).entries) == 1


def test_the_feed_ends_somewhere() -> None:
    ones = [report(version=f"1.{number}", day=1 + number % 28) for number in range(feed.ENTRIES + 5)]
    assert len(parsed(feed.render(gathered([given(one) for one in ones]))).entries) == feed.ENTRIES


@pytest.mark.parametrize("base", ["", "https://a.example"])
def test_there_is_a_feed_of_nothing(base: str) -> None:
    found = parsed(feed.render(gathered([]), base))
    assert not found.entries
    assert found.feed.updated == "1970-01-01T00:00:00Z"

"""The pages of the site: which there are, where links lead, what they say of an engine, and how large they get."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from tck_reports.matrix.badges import files as badge_files
from tck_reports.matrix.data import files as data_files
from tck_reports.matrix.feed import PATH as FEED
from tck_reports.matrix.model import SIGNS, Site, VerdictChange
from tck_reports.matrix.pages import render
from tck_reports.matrix.pages_engine import PER_PAGE
from tck_reports.matrix.pages_pieces import line
from tck_reports.outcomes import Outcome

from .site_samples import cells_of, changes, column, columns, engine, many, requirement_set, row, site

_LIMIT = 2_000_000


class _Read(HTMLParser):
    """Everything of a page that a test asks for: links, ids, elements with their attributes, and the text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.elements.append((tag, found))
        self.links += [one for name in ("href", "src") if (one := found.get(name))]
        self.ids += [one] if (one := found.get("id")) else []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def _pages(of: Site, **options: str) -> dict[str, bytes]:
    return dict(render(of, **options))


def _small() -> Site:
    """Two versions of an engine, one that does less, one whose run was not whole, and one that is wrong on purpose."""
    old = requirement_set([column("NAME-1", text="It was said otherwise."), column("NAME-2")], "0.9.0")
    new = requirement_set(columns(30))
    engines = [
        engine(
            "better",
            [
                row(cells_of(new), new, "1.1.0", at="2026-11-02T08:00:00Z", page="reports/a.html", name="better"),
                row("PF", old, "1.0.0", reasons={"NAME-2": "it came too late"}, at="2026-10-02T08:00:00Z"),
            ],
        ),
        engine(
            "declines",
            [
                row(
                    cells_of(new, NAME_1=Outcome.UNSUPPORTED, NAME_2=Outcome.EXCLUDED, NAME_3=Outcome.NOT_APPLICABLE),
                    new,
                    capabilities={"adapter.codex": "unsupported"},
                )
            ],
            label="http",
        ),
        engine("half", [row(cells_of(new), new, obstacles=["900 s were not enough"])]),
        engine(
            "wrong",
            [row(cells_of(new, RESUME_1=Outcome.FAILED), new, reasons={"RESUME-1": "it forgot the session"})],
            faulty=True,
        ),
    ]
    made = site(engines, [new, old])
    turned = replace(
        next(one for one in made.changes if one.row == "1.1.0"),
        regressions=("NAME-2",),
        fixes=("NAME-1", "GONE-1"),
        verdicts=(VerdictChange("core", "nonconformant", "conformant"), VerdictChange("hardened", None, "conformant")),
    )
    return replace(made, changes=(turned, *(one for one in made.changes if one.row != "1.1.0")))


def _row_of(page: bytes, anchor: str) -> str:
    found = re.search(rf'<tr id="{re.escape(anchor)}".*?</tr>', page.decode(), re.DOTALL)
    assert found is not None, anchor
    return found[0]


def test_every_engine_and_requirement_has_a_page_at_an_address_made_of_its_name() -> None:
    of = _small()

    pages = _pages(of)

    assert {"index.html", "changes/index.html", "about/index.html", "engines/index.html"} <= pages.keys()
    assert {f"engines/{one.slug}/index.html" for one in of.engines} <= pages.keys()
    assert {f"requirements/{one.id}/index.html" for one in of.requirements} <= pages.keys()


def test_every_link_leads_to_a_file_of_the_site_and_to_a_place_in_it() -> None:
    of = _small()
    pages = _pages(of)
    others = {FEED, "reports/a.html", *dict(data_files(of)), *dict(badge_files(of))}
    read = {path: _Read(content) for path, content in pages.items() if path.endswith(".html")}

    broken: list[str] = []
    for path, page in read.items():
        for link in page.links:
            if link.startswith("https://engine.example/"):
                continue
            parts = urlsplit(link)
            target = (
                posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path))) if parts.path else path
            )
            known = target in pages or target in others
            placed = not parts.fragment or target not in read or unquote(parts.fragment) in read[target].ids
            broken += [] if known and placed else [f"{path}: {link}"]

    assert broken == []


def test_nothing_but_the_sites_own_files_is_loaded_and_no_style_or_script_stands_in_a_page() -> None:
    for path, content in _pages(_small()).items():
        if not path.endswith(".html"):
            continue
        page = _Read(content)
        policy = next(found for _, found in page.elements if found.get("http-equiv") == "Content-Security-Policy")
        assert policy["content"] == (
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
            "base-uri 'none'; form-action 'none'"
        )
        assert not [
            tag for tag, found in page.elements if "style" in found or any(one.startswith("on") for one in found)
        ]
        assert not [tag for tag, _ in page.elements if tag in {"style", "iframe", "object", "base"}]
        scripts = [found for tag, found in page.elements if tag == "script"]
        assert all("src" in one or one.get("type") == "application/json" for one in scripts)


def test_ids_stand_once_on_a_page() -> None:
    for path, content in _pages(_small()).items():
        if path.endswith(".html"):
            ids = _Read(content).ids
            assert len(ids) == len(set(ids)), path


def test_the_same_site_makes_the_same_pages() -> None:
    assert _pages(_small()) == _pages(_small())


def test_the_front_page_carries_every_outcome_and_says_how_engines_stand() -> None:
    of = _small()
    content = _pages(of)["index.html"]
    island = re.search(rb'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)
    assert island is not None

    values = json.loads(island[1])

    assert [one[0] for one in values["requirements"]] == [one.id for one in of.requirements]
    by_slug = {one[0]: one for one in values["engines"]}
    newest, older = by_slug["better"][4]
    assert newest[7] == "P" * 30
    assert older[7] == "PF" + " " * 28
    assert values["texts"][older[8][1]] == "it came too late"
    assert older[8][0] == 1
    assert by_slug["declines"][4][0][7][:4] == "DXAP"
    assert by_slug["half"][4][0][4] == 0
    assert values["texts"][by_slug["half"][4][0][5]] == "900 s were not enough"
    assert [one[3] for one in values["engines"]] == [0, 0, 0, 1]
    # The one that is wrong on purpose is none of them.
    assert "2 of 3 engines conform" in _Read(content).text


def test_without_scripts_the_front_page_has_verdicts_and_areas() -> None:
    content = _pages(_small())["index.html"].decode()
    table = content.partition("<noscript>")[2].partition("</noscript>")[0]
    better, declines, half, wrong = re.findall(r"<tbody>(.*)</tbody>", table, re.DOTALL)[0].split("</tr>")[:4]

    assert '<span class="good tally">11/11</span>' in better
    assert 'hardened</b> <span class="unseen">conformant</span> 10/10' in better
    assert '<span class="good tally">8/8</span>' in declines
    assert "incomplete" in half
    assert "good" not in re.findall(r'class="(\w+) tally"', half)
    assert '<span class="bad tally">15/16</span>' in wrong
    assert "wrong on purpose" in wrong


@pytest.mark.parametrize(
    ("outcome", "look"),
    [
        (Outcome.PASSED, "good"),
        (Outcome.FAILED, "bad"),
        (Outcome.UNTESTABLE, "bad"),
        (Outcome.ERROR, "bad"),
        (Outcome.FLAKY, "bad"),
        (Outcome.STALE, "bad"),
        (Outcome.EXPECTED_FAILURE, "bad"),
        (Outcome.NOT_RUN, "open"),
        (Outcome.UNSUPPORTED, "none"),
        (Outcome.NOT_APPLICABLE, "none"),
        (Outcome.EXCLUDED, "none"),
    ],
)
def test_what_is_not_counted_is_never_red_and_only_a_pass_is_green(outcome: Outcome, look: str) -> None:
    under = requirement_set([column("NAME-1"), column("NAME-2")])
    pages = _pages(site([engine("one", [row(f"{SIGNS[outcome]}P", under)])], [under]))

    of_engine = _row_of(pages["engines/one/index.html"], "NAME-1")
    of_requirement = _row_of(pages["requirements/NAME-1/index.html"], "one")

    word = outcome.replace("_", " ")
    assert f'data-look="{look}"' in of_engine
    assert f'<td class="c {look}"><i>{word}</i></td>' in of_engine
    assert f'<span class="badge {look}">{word}</span>' in of_requirement


def test_what_passed_in_a_run_that_was_not_whole_does_not_look_like_a_pass() -> None:
    pages = _pages(_small())

    line = _row_of(pages["engines/half/index.html"], "NAME-1")

    assert 'data-look="open"' in line
    assert 'class="c good frail"' in line
    assert "900 s were not enough" in _Read(pages["engines/half/index.html"]).text
    assert 'class="result good"' not in pages["engines/half/index.html"].decode()
    assert 'data-look="open"' in _row_of(pages["requirements/NAME-1/index.html"], "half")
    assert "1 not run, so undecided" in _Read(pages["requirements/NAME-1/index.html"]).text


def test_an_engine_page_has_its_versions_newest_first_what_changed_and_what_it_declares() -> None:
    pages = _pages(_small(), base_url="https://matrix.example/site")
    page = _Read(pages["engines/better/index.html"])

    line = _row_of(pages["engines/better/index.html"], "NAME-2")

    assert re.findall(r"<i>(\w+)</i>", line) == ["passed", "failed"]
    assert "data-changed" in line
    assert page.text.index("1.1.0 after 1.0.0") < page.text.index("1.0.0 , the first report")
    assert "1 regression NAME-2" in page.text
    assert "2 fixes NAME-1 GONE-1" in page.text
    assert "core: nonconformant → conformant" in page.text
    assert "../../reports/a.html" in page.links
    assert (
        "[![conformance](https://matrix.example/site/badges/better.svg)](https://matrix.example/site/engines/better/)"
        in page.text
    )
    assert "passed over 2 versions: 1 of 2 in 1.0.0, 30 of 30 in 1.1.0" in pages["engines/better/index.html"].decode()
    assert "adapter.codex unsupported" in _Read(pages["engines/declines/index.html"]).text
    assert "declines (http)" in _Read(pages["engines/declines/index.html"]).text


def test_a_requirement_page_has_its_wordings_every_engine_and_reasons_of_older_versions() -> None:
    pages = _pages(_small(), specification="https://spec.example/text.md")
    page = _Read(pages["requirements/NAME-1/index.html"])
    older = _row_of(pages["requirements/NAME-2/index.html"], "better")

    assert "It was said otherwise." in page.text
    assert "https://spec.example/text.md#name-1" in page.links
    assert [one for one in page.ids if one in {"better", "declines", "half", "wrong"}] == [
        "better",
        "declines",
        "half",
        "wrong",
    ]
    assert "it came too late" in older
    assert '<span class="badge bad">failed</span>' in older
    assert "../NAME-2/index.html" in page.links


def test_a_requirement_says_nothing_of_engines_that_never_met_it() -> None:
    old = requirement_set([column("NAME-1")], "0.9.0")
    new = requirement_set([column("NAME-1"), column("NAME-2")])
    pages = _pages(site([engine("old", [row("P", old)]), engine("new", [row("PP", new)])], [new, old]))

    assert "new" in _Read(pages["requirements/NAME-2/index.html"]).ids
    assert "old" not in _Read(pages["requirements/NAME-2/index.html"]).ids


def test_what_the_kits_faulty_engines_brought_is_no_news_on_the_front_page() -> None:
    pages = _pages(_small())

    assert "engines/wrong/index.html" not in pages["index.html"].decode().partition('id="latest"')[2]
    assert "../engines/wrong/index.html" in _Read(pages["changes/index.html"]).links


def test_whatever_counts_engines_says_that_those_wrong_on_purpose_are_left_out() -> None:
    pages = _pages(_small())

    for path, often in (("index.html", 3), ("requirements/index.html", 1), ("requirements/NAME-1/index.html", 1)):
        assert _Read(pages[path]).text.count("(1 wrong on purpose not counted)") == often, path


def test_one_engine_is_not_called_engines() -> None:
    own = requirement_set([column("NAME-1")])
    text = _Read(_pages(site([engine("one", [row("P", own)])], [own]))["index.html"]).text

    assert "1 engine; 1 requirement;" in text
    assert "not counted)" not in text


def test_a_line_begins_at_nothing_passed_and_ends_at_everything_passed() -> None:
    drawn = str(line([(0, 10), (9, 10), (10, 10)], "words", width=126, height=26))

    assert 'points="3.0,23.0 63.0,5.0 123.0,3.0"' in drawn


def test_a_site_without_reports_says_so() -> None:
    pages = _pages(site([], []))

    assert "There is no report yet" in _Read(pages["index.html"]).text
    assert "Nothing has changed so far" in _Read(pages["changes/index.html"]).text


def test_two_sets_of_one_version_are_told_apart() -> None:
    one = requirement_set([column("NAME-1")])
    other = replace(requirement_set([column("NAME-1", text="Otherwise.")]), slug="session-resume-1.0.0-ab", digest="b")
    pages = _pages(site([engine("a", [row("P", one)]), engine("b", [row("F", other, name="b")])], [one, other]))

    text = _Read(pages["engines/b/index.html"]).text

    assert "against session-resume session-resume-1.0.0-ab" in text


@pytest.mark.parametrize(("engines", "versions"), [(50, 20), (1_000, 1), (1, 1_000)])
def test_no_page_of_many_reports_is_over_two_megabytes(engines: int, versions: int) -> None:
    of = many(engines, versions, reason="it went on with the session of another issue " * 8)

    sizes = {path: len(content) for path, content in render(of)}

    assert max(sizes.values()) < _LIMIT, max(sizes, key=lambda path: sizes[path])


def test_an_engine_of_many_versions_has_all_of_them_on_further_pages() -> None:
    of = many(1, 2 * PER_PAGE + 1, 8)
    pages = _pages(of)

    counts = [
        len(re.findall('class="c ', _row_of(pages[f"engines/engine-0/{name}"], "NAME-1")))
        for name in ("index.html", "page-2.html", "page-3.html")
    ]

    assert counts == [PER_PAGE, PER_PAGE, 1]
    assert "page-3.html" in _Read(pages["engines/engine-0/index.html"]).links


def test_a_feed_of_many_changes_is_spread_over_pages() -> None:
    of = many(50, 5, 8)
    pages = _pages(replace(of, changes=changes(of.engines)))

    assert sum(pages[path].count(b'<li class="change">') for path in pages if path.startswith("changes/")) == 250
    assert {"changes/index.html", "changes/page-2.html", "changes/page-3.html"} <= pages.keys()

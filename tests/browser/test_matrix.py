"""The site of the matrix in a real browser: read, filtered, walked through with keys and fingers, by anybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.reports.matrix.site_samples import cells_of, columns, engine, many, requirement_set, row, site

from tck_reports.matrix import badges
from tck_reports.matrix.model import Site
from tck_reports.matrix.pages import render
from tck_reports.outcomes import Outcome

from .chromium import Visitor, barriers, sticking_out

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = (
    "index.html",
    "engines/index.html",
    "engines/apricot/index.html",
    "engines/half/index.html",
    "requirements/index.html",
    "requirements/NAME-2/index.html",
    "changes/index.html",
    "about/index.html",
)


def _site() -> Site:
    new, old = requirement_set(columns(96)), requirement_set(columns(40), "0.9.0")
    lost = {"NAME-2": "the id that the CLI was given: expected s-1, was s-2", "OFF-3": "it resumed all the same"}
    engines = [
        engine(
            "apricot",
            [
                row(
                    cells_of(new, NAME_2=Outcome.FAILED, OFF_3=Outcome.FLAKY), new, "2.0.0", reasons=lost, page="r.html"
                ),
                row(cells_of(old, NAME_3=Outcome.FAILED), old, "1.9.0", reasons={"NAME-3": "it came too late"}),
            ],
            label="stdio",
        ),
        engine("birch", [row(cells_of(new), new, "1.0.0")]),
        engine("cedar", [row(cells_of(new, NAME_2=Outcome.UNSUPPORTED), new, "0.3.0")]),
        engine("half", [row(cells_of(new), new, "0.1.0", obstacles=["900 s were not enough"])]),
        engine(
            "wrong", [row(cells_of(new, RESUME_10=Outcome.FAILED), new, "0.1.0")], name="mutant: wrong", faulty=True
        ),
    ]
    return site(engines, [new, old])


def put(of: Site, folder: Path) -> Path:
    for path, content in (*render(of), *badges.files(of)):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return put(_site(), tmp_path_factory.mktemp("site"))


@pytest.fixture
def visits(browser: Browser, small: Path) -> Iterator[Visitor]:
    one = Visitor(browser, small)
    yield one
    one.close()
    assert one.complaints == []


def _names(page: Page) -> list[str]:
    return page.locator("#grid tbody .engine a").all_inner_texts()


def _ids(page: Page) -> list[str]:
    found: list[str] = page.locator("#grid .number a").evaluate_all("all => all.map((one) => one.ariaLabel)")
    return found


def _focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_every_kind_of_page_keeps_nobody_out(visits: Visitor, name: str, width: int, scheme: str) -> None:
    page = visits.opens(name, width=width, scheme="dark" if scheme == "dark" else "light")

    assert barriers(page) == []
    assert sticking_out(page) == []


@pytest.mark.parametrize("width", [360, 1280])
def test_no_verdict_is_cut(visits: Visitor, width: int) -> None:
    page = visits.opens("index.html", width=width)

    assert page.locator("#grid td.said").count() == 5
    assert (
        page.locator("#grid td.said").evaluate_all("all => all.filter((one) => one.scrollWidth > one.clientWidth)")
        == []
    )


@pytest.mark.parametrize("name", PAGES)
def test_every_kind_of_page_can_be_read_without_scripts(visits: Visitor, name: str) -> None:
    page = visits.opens(name, width=320, script=False)

    assert sticking_out(page) == []
    assert page.locator("form.fields:visible, #grid:visible").count() == 0


def test_without_scripts_the_front_page_shows_verdicts_and_areas(visits: Visitor) -> None:
    page = visits.opens("index.html", script=False)

    assert page.locator("noscript table tbody tr").count() == 5
    assert "62/64" in page.locator("noscript tbody tr").first.inner_text()


def test_engines_stand_in_rows_and_requirements_in_columns(visits: Visitor) -> None:
    page = visits.opens("index.html")

    assert _names(page) == ["apricot", "birch", "cedar", "half", "mutant: wrong"]
    assert _ids(page)[:3] == ["NAME-1", "NAME-2", "NAME-3"]
    assert len(_ids(page)) == 96
    assert page.locator("#grid td.c").count() == 5 * 96
    line = page.locator("#grid tbody tr").first
    assert line.locator(".said").inner_text().split() == [
        "core",
        "nonconformant",
        "62/64",
        "hardened",
        "conformant",
        "32/32",
        "witnessed",
    ]
    assert line.locator("td.c").nth(1).get_attribute("aria-label") == "NAME-2 failed"
    assert line.locator("td.c.bad").count() == 2
    assert page.locator("tr:has-text('cedar') td.c.bad").count() == 0
    assert page.locator("tr:has-text('half') td.c.good:not(.frail)").count() == 0


def test_a_cell_says_under_the_pointer_what_it_is_about(visits: Visitor) -> None:
    page = visits.opens("index.html")

    page.locator("#grid td.c.bad").first.hover()
    page.locator("#tip").wait_for(state="visible")

    said = page.locator("#tip").inner_text()
    assert all(one in said for one in ("NAME-2", "failed", "apricot", "2.0.0", "expected s-1, was s-2", "MUST"))
    assert barriers(page) == []
    # It stays while the pointer is on it, and goes when asked to.
    page.locator("#tip a").first.hover()
    assert page.locator("#tip").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_a_cell_leads_to_the_engine_and_to_the_requirement(visits: Visitor) -> None:
    page = visits.opens("index.html")
    page.locator("#grid td.c.bad").first.click()

    page.locator("#tip a", has_text="This engine").click()

    assert page.url.endswith("engines/apricot/index.html#NAME-2")
    page.go_back()
    page.locator("#grid td.c.bad").first.click()
    page.locator("#tip a", has_text="This requirement").click()
    assert page.url.endswith("requirements/NAME-2/index.html")


def test_keys_go_through_the_matrix(visits: Visitor) -> None:
    page = visits.opens("index.html")
    page.locator("#grid [tabindex='0']").focus()

    walked: list[str] = []
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "End", "ArrowUp", "Control+Home"):
        page.keyboard.press(key)
        walked.append(_focused(page).split()[0])

    assert walked == ["birch", "core", "NAME-1", "NAME-2", "CONTRACT-5", "CONTRACT-5", "apricot"]
    assert page.locator("#grid [tabindex='0']").count() == 1


def test_a_key_opens_what_a_cell_says_and_leads_back(visits: Visitor) -> None:
    page = visits.opens("index.html")
    page.locator("#grid [tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)

    assert page.locator("#grid [aria-describedby='tip']").get_attribute("aria-label") == "NAME-2 failed"
    page.keyboard.press("Enter")
    assert _focused(page) == "This engine"
    page.keyboard.press("Escape")
    assert _focused(page) == "NAME-2 failed"


def test_what_has_the_focus_is_not_under_what_is_pinned(visits: Visitor) -> None:
    page = visits.opens("index.html", width=700)
    page.select_option("[name=columns]", "requirements")
    page.locator("#grid [tabindex='0']").focus()
    for key in ("End", *["ArrowLeft"] * 60):
        page.keyboard.press(key)

    covered = page.evaluate(
        """() => {
          const box = document.activeElement.getBoundingClientRect();
          document.getElementById("tip").hidden = true;
          const seen = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          return seen !== document.activeElement;
        }"""
    )

    assert covered is False


@pytest.mark.parametrize(
    ("field", "value", "left"),
    [
        ("profile", "hardened", (5, 32)),
        ("area", "RESUME", (5, 16)),
        ("outcome", "bad", (2, 3)),
        ("outcome", "open", (1, 96)),
        ("outcome", "D", (1, 1)),
        ("spec", "1", (1, 40)),
        ("kind", "faulty", (1, 96)),
        ("order", "passed", (5, 96)),
    ],
)
def test_a_filter_stands_in_the_address_and_the_way_back_works(
    visits: Visitor, field: str, value: str, left: tuple[int, int]
) -> None:
    page = visits.opens("index.html")

    page.select_option(f"[name={field}]", value)

    assert page.url.endswith(f"?{field}={value}")
    assert (len(_names(page)), len(_ids(page))) == left
    address = page.url
    page.go_back()
    assert (len(_names(page)), len(_ids(page))) == (5, 96)
    assert page.input_value(f"[name={field}]") == ""
    again = visits.opens("index.html", f"?{field}={value}")
    assert again.url == address
    assert (len(_names(again)), len(_ids(again))) == left


def test_only_differences_leaves_what_not_all_did_alike(visits: Visitor) -> None:
    page = visits.opens("index.html")

    page.check("[name=only]")

    assert _ids(page) == ["NAME-2", "RESUME-10", "OFF-3"]
    assert page.url.endswith("?only=differences")
    page.select_option("[name=kind]", "real")
    assert _ids(page) == ["NAME-2", "OFF-3"]


def test_an_engine_is_found_by_name_and_version(visits: Visitor) -> None:
    page = visits.opens("index.html")

    page.fill("[name=engine]", "ced 0.3")
    page.locator("#shown", has_text="1 of 4 engines").wait_for()

    assert _names(page) == ["cedar"]
    assert page.url.endswith("?engine=ced+0.3")
    page.fill("[name=engine]", "nobody")
    page.locator("#grid", has_text="Nothing fits").wait_for()
    page.locator("#grid button").click()
    page.locator("#shown", has_text="4 of 4 engines (1 wrong on purpose not counted)").wait_for()


def test_the_order_may_be_by_what_passed_and_those_wrong_on_purpose_stay_last(visits: Visitor) -> None:
    page = visits.opens("index.html", "?order=passed")

    assert _names(page)[:1] + _names(page)[-2:] == ["birch", "apricot", "mutant: wrong"]


def test_an_area_can_be_opened_and_closed_by_its_name(visits: Visitor) -> None:
    page = visits.opens("index.html", "?columns=areas")
    assert page.locator("#grid td.sum").first.inner_text() == "10/11"

    page.locator("#grid button", has_text="RESUME").click()

    assert set(_ids(page)) == {f"RESUME-{number}" for number in range(1, 17)}
    page.locator("#grid button", has_text="RESUME").click()
    assert len(_ids(page)) == 96


def test_a_narrow_window_shows_areas_and_a_finger_opens_them(visits: Visitor) -> None:
    page = visits.opens("index.html", width=320)
    assert page.locator("#grid td.sum").count() == 5 * 8

    page.locator("#grid td.sum").first.click()

    assert "NAME-2 failed" in page.locator("#tip").inner_text()
    assert sticking_out(page) == []


def test_paper_gets_areas_and_every_row_and_the_screen_its_cells_back(visits: Visitor) -> None:
    page = visits.opens("index.html")

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#grid td.sum").count() == 5 * 8
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#grid td.c").count() == 5 * 96
    assert len(page.pdf()) > 0


def test_requirements_of_an_engine_are_filtered_and_a_link_to_one_shows_it(visits: Visitor) -> None:
    page = visits.opens("engines/apricot/index.html")

    page.select_option("[name=show]", "bad")
    rows = page.locator("#rows tbody tr:visible")
    assert [one.get_attribute("id") for one in rows.all()] == ["NAME-2", "OFF-3"]
    page.select_option("[name=show]", "changed")
    assert page.url.endswith("?show=changed")
    page.select_option("[name=show]", "")
    page.fill("[name=words]", "resumed all the same")
    assert [one.get_attribute("id") for one in rows.all()] == ["OFF-3"]
    page.locator(".chips a", has_text="NAME-2").click()
    assert page.locator("#NAME-2").is_visible()


def test_the_badge_can_be_copied(visits: Visitor) -> None:
    page = visits.opens("engines/apricot/index.html", permissions=["clipboard-read", "clipboard-write"])

    page.locator("[data-copy]").click()
    page.locator("[data-copy]", has_text="Copied").wait_for()

    assert page.evaluate("navigator.clipboard.readText()") == (
        "[![conformance](../../badges/apricot.svg)](../../engines/apricot/index.html)"
    )


def test_a_thousand_engines_are_drawn_where_one_looks(browser: Browser, tmp_path: Path) -> None:
    # Styles and scripts come first, and then the front page.
    first = islice(render(many(1_000, 1, 120)), 4)
    for path, content in first:
        target = tmp_path / "site" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    visits = Visitor(browser, tmp_path / "site")
    page = visits.opens("index.html")
    drawn = page.locator("#grid tbody tr[data-at]").count()

    page.locator("#grid [tabindex='0']").focus()
    page.keyboard.press("Control+End")

    assert drawn < 100
    assert page.locator("#grid tr[data-at='999']").is_visible()
    assert page.locator("#grid td.c").count() < 60 * 120
    page.keyboard.press("Control+Home")
    assert page.locator("#grid tr[data-at='0']").is_visible()
    # Nothing jumps: what is not drawn takes as much room as what is.
    tall = page.evaluate("document.querySelector('#grid table').offsetHeight")
    one = page.evaluate("document.querySelector('#grid tr[data-at]').getBoundingClientRect().height")
    assert abs(tall - 1_000 * one) < 100
    visits.close()
    assert visits.complaints == []


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert('mine')>",
        "</script><script>alert('mine')</script>",
        "\" onmouseover=\"alert('mine')",
        "מנוע",
    ],
)
def test_what_an_engine_says_does_nothing_in_the_browser(visitor: Visitor, tmp_path: Path, text: str) -> None:
    under = requirement_set(columns(12))
    said = row("PF" + "P" * 10, under, reasons={"NAME-2": text}, capabilities={text: text})
    of = site([replace(engine("one", [replace(said, version=text)]), name=text, label=text, language=text)], [under])
    put(of, tmp_path)

    page = visitor.opens("index.html")
    page.locator("#grid td.c.bad").first.hover()
    page.locator("#tip").wait_for(state="visible")

    assert text in page.locator("#tip").inner_text()
    assert page.locator("#grid .engine a").first.inner_text() == text
    for name in ("engines/one/index.html", "requirements/NAME-2/index.html"):
        assert text in visitor.opens(name).locator("body").inner_text()

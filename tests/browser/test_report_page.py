"""report.html in a real browser: found, filtered, linked, and led through by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reports.samples import large_run, report_of

from tck_reports.formats import html

from .chromium import Scheme, Visitor, barriers, sticking_out
from .report_pages import PAGES, ROWS, address, everything, focused, rows, written

# For everybody


#: Every page as two people see it, and the one in which everything occurs as four do.
SEEN = [
    *((name, scheme, width) for name in PAGES for scheme, width in (("light", 1280), ("dark", 320))),
    ("everything", "dark", 1280),
    ("everything", "light", 320),
]


@pytest.mark.parametrize(("name", "scheme", "width"), SEEN)
def test_axe_finds_no_barrier_closed_or_open(
    visitor: Visitor, tmp_path: Path, name: str, scheme: Scheme, width: int
) -> None:
    page = visitor.opens(written(tmp_path, name), width=width, scheme=scheme)

    assert barriers(page) == []
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert barriers(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_window_shows_it_all_without_pushing_sideways(visitor: Visitor, tmp_path: Path, name: str) -> None:
    page = visitor.opens(written(tmp_path, name), width=320)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

    assert sticking_out(page) == []


def test_the_help_has_no_barrier_either(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"))
    page.keyboard.press("?")

    assert page.locator("#keys").is_visible()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()


def test_what_has_the_focus_can_be_seen(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"))
    for _ in range(12):
        page.keyboard.press("Tab")

        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style == "solid", page.evaluate("document.activeElement.outerHTML")


# Search and filters


def test_words_are_found_in_ids_texts_scenarios_and_reasons(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"))

    for words, found in [
        ("resume-3", ["RESUME-3"]),
        ("SHOULD do RESUME-4", ["RESUME-4"]),
        ("what gives_flaky looks", ["RESUME-5"]),
        ("because of untestable", ["RESUME-4"]),
        ("nobody wrote this", []),
    ]:
        page.fill("#words", words)
        assert rows(page) == found, words


def test_a_search_stays_through_a_reload_and_goes_with_the_back_button(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "failing"))
    everyone = rows(page)
    page.locator("#words").press_sequentially("resume-1")
    found = rows(page)
    assert found == [one for one in everyone if one.startswith("RESUME-1")]
    assert address(page) == "?q=resume-1"

    page.reload()
    assert rows(page) == found
    assert page.input_value("#words") == "resume-1"

    page.go_back()
    assert rows(page) == everyone
    assert page.input_value("#words") == ""
    page.go_forward()
    assert rows(page) == found


@pytest.mark.parametrize(
    ("field", "value", "attribute"),
    [
        ("outcome", "failed", "outcome"),
        ("outcome", "bad", "look"),
        ("profile", "hardened", "profile"),
        ("area", "NAME", "area"),
        ("evidence", "witnessed", "evidence"),
    ],
)
def test_each_filter_is_kept_in_the_address(
    visitor: Visitor, tmp_path: Path, field: str, value: str, attribute: str
) -> None:
    page = visitor.opens(written(tmp_path, "failing"))
    everyone = len(rows(page))
    page.select_option(f"#{field}", value)

    found: list[str] = page.locator(f"{ROWS}:not([hidden])").evaluate_all(
        f"(all) => all.map((one) => one.dataset.{attribute})"
    )
    assert set(found) == {value}
    assert len(found) <= everyone
    assert address(page) == f"?{field}={value}"
    page.go_back()
    assert len(rows(page)) == everyone


def test_a_shared_link_opens_the_same_view(visitor: Visitor, tmp_path: Path) -> None:
    name = written(tmp_path, "failing")
    first = visitor.opens(name)
    first.select_option("#area", "NAME")
    first.select_option("#outcome", "failed")
    first.locator(f"{ROWS}:not([hidden]) > summary").first.click()
    opened = rows(first)[0]
    assert address(first) == f"{opened}?outcome=failed&area=NAME"

    second = visitor.opens(name, f"#{address(first)}")

    assert rows(second) == rows(first)
    assert second.locator(f"{ROWS}[open]").get_attribute("id") == opened
    assert second.locator(f"{ROWS}[open] .statement").is_visible()


def test_a_cell_of_the_table_is_a_filter_and_says_so(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "failing"))
    cell = page.get_by_role("link", name="failed in NAME")
    count = int(cell.inner_text())
    cell.click()

    assert len(rows(page)) == count
    assert page.input_value("#area") == "NAME"
    assert page.input_value("#outcome") == "failed"
    assert cell.get_attribute("aria-current") == "true"
    assert page.get_by_role("status").inner_text().startswith(f"{count} of 36 requirements")
    page.click("#clear")
    assert len(rows(page)) == 36
    assert cell.get_attribute("aria-current") is None


def test_failures_are_filtered_with_their_requirements(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"))
    assert page.locator("details.cause:visible").count() == 7

    page.fill("#words", "RESUME-3")

    assert page.locator("details.cause:visible").count() == 1
    assert page.locator("details.cause:visible").get_attribute("data-of") == "RESUME-3"


def test_an_address_that_means_nothing_shows_everything(visitor: Visitor, tmp_path: Path) -> None:
    name = written(tmp_path, "everything")

    for fragment in ("#%E0%A4%A?outcome=%", "#nowhere?outcome=perfect&area=%00", "#?????", "#%3Cscript%3E"):
        assert len(rows(visitor.opens(name, fragment))) == len(everything()["requirements"]), fragment


def test_a_page_of_the_size_of_the_suite_answers_as_soon_as_it_is_there(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(html.render(report_of(large_run(130, 509))), encoding="utf-8")
    page = visitor.opens("large.html", "#?area=NAME")

    # Nothing is waited for: what is in the address was done before the page said that it was loaded.
    assert len(rows(page)) == 15
    page.keyboard.press("/")
    page.keyboard.type("name-1")
    assert rows(page) == [f"NAME-{number}" for number in (1, 10, 11, 12, 13, 14, 15)]


# Permalinks


def test_a_requirement_has_a_link_that_opens_it(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "failing"), "#RESUME-4")

    assert page.locator("#RESUME-4 .statement").is_visible()
    assert focused(page) == ""
    assert page.locator("#RESUME-4").evaluate("(one) => one.getBoundingClientRect().top") < 400


def test_a_check_has_a_link_that_opens_it_and_its_requirement_whatever_was_filtered(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.opens(written(tmp_path, "failing"), "#?area=NAME")
    failure = page.locator("details.cause").first
    failure.evaluate("(one) => { one.open = true; one.hidden = false; }")
    link = failure.get_by_role("link", name="all that was looked at")
    target = (link.get_attribute("href") or "")[1:]
    link.click()

    assert page.locator(f"#{target}").is_visible()
    page.locator(f"#{target} > summary:focus").wait_for()
    assert address(page) == f"{target}?area=NAME"
    page.go_back()
    assert address(page) == "?area=NAME"


def test_links_within_the_page_keep_what_was_filtered(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"), "#?q=RESUME-3")
    page.get_by_role("navigation").get_by_role("link", name="Requirements").click()

    assert rows(page) == ["RESUME-3"]
    assert focused(page) == "requirements"
    assert address(page) == "requirements?q=RESUME-3"
    # The same link once more still leads there.
    page.mouse.wheel(0, -5000)
    page.get_by_role("navigation").get_by_role("link", name="Requirements").click()
    assert page.locator("#requirements").evaluate("(one) => one.getBoundingClientRect().top") < 400


# Keys


def test_keys_lead_through_the_rows(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "failing"), "#?area=NAME&outcome=failed")
    page.locator("details.cause").evaluate_all("(all) => { for (const one of all) one.hidden = true; }")
    wanted = rows(page)
    page.keyboard.press("j")
    assert focused(page) == wanted[0]
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    assert focused(page) == wanted[2]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("k")
    page.keyboard.press("k")
    assert focused(page) == wanted[0]

    page.keyboard.press("Enter")
    assert page.locator(f"#{wanted[0]} .statement").is_visible()
    assert address(page) == f"{wanted[0]}?outcome=failed&area=NAME"
    page.keyboard.press("Escape")
    assert not page.locator(f"#{wanted[0]} .statement").is_visible()
    assert address(page) == "?outcome=failed&area=NAME"
    page.keyboard.press("Escape")
    assert len(rows(page)) == 36


def test_no_row_that_has_the_focus_lies_below_the_tools(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "failing"), height=700)
    page.evaluate("document.querySelector('section.of-area:last-of-type').scrollIntoView()")
    for key in "jjjjjkkkkkkkkkkkkkkkk":
        page.keyboard.press(key)
        gap: float = page.evaluate(
            "document.activeElement.getBoundingClientRect().top - tools.getBoundingClientRect().bottom"
        )
        assert gap >= 0


def test_slash_searches_and_escape_leaves(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"))
    page.keyboard.press("/")
    assert focused(page) == "words"
    page.keyboard.type("j?k/")
    assert page.input_value("#words") == "j?k/"
    assert not page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert focused(page) == ""


def test_keys_of_one_letter_can_be_turned_off(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"))
    page.click("#help")
    page.uncheck("#keys-on")
    page.click("#keys-close")
    page.evaluate("document.activeElement.blur()")
    for key in ("j", "/", "?"):
        page.keyboard.press(key)

    assert focused(page) == ""
    assert not page.locator("#keys").is_visible()
    page.reload()
    page.keyboard.press("j")
    assert focused(page) == ""


def test_open_all_opens_what_is_shown_alone(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "failing"), "#?area=NAME")
    page.click("#all")

    assert page.locator(f"{ROWS}[open]").count() == len(rows(page))
    page.click("#all")
    assert page.locator(f"{ROWS}[open]").count() == 0


def test_the_command_can_be_copied(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "failing"), "#RESUME-4", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#RESUME-4 > .body > .command .copy").click()

    page.locator("#RESUME-4").get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "session-tck run --engine sim --requirement RESUME-4 --seed 42"
    )
    assert page.get_by_role("status").inner_text().startswith("Copied")

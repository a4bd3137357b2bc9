"""report.html in a real browser: read without script, printed, and safe whatever an engine says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tck_reports.formats import html

from .chromium import Visitor
from .report_pages import NASTY, address, failing, height, hostile, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Without script, and on paper


def test_everything_can_be_read_without_script(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"), script=False)
    assert not page.locator("#words").is_visible()
    assert not page.locator("#keys").is_visible()
    row = page.locator("#RESUME-3")
    row.locator("> summary").click()

    assert row.locator(".statement").inner_text() == "The engine SHOULD do what RESUME-3 says."
    assert row.get_by_text("argv: claude --resume s-2").is_visible()
    assert [one.inner_text() for one in row.locator("mark").all()] == ["1", "2"]
    assert row.get_by_text("session-tck run --engine sim --requirement RESUME-3").is_visible()
    page.get_by_role("link", name="RESUME", exact=True).click()
    assert address(page) == "area-RESUME"


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_failures_are_printed_open_and_tools_are_not_printed(visitor: Visitor, tmp_path: Path, *, script: bool) -> None:
    page = visitor.opens(written(tmp_path, "everything"), script=script)
    page.emulate_media(media="print")

    assert height(page, "#RESUME-3 .broken") > 0
    assert height(page, "#RESUME-1 .statement") == 0
    assert height(page, "details.cause:last-of-type .body") > 0
    assert not page.locator(".tools").is_visible()


def test_after_printing_rows_are_as_they_were(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "everything"), "#RESUME-1")
    before = page.locator("details[open]").evaluate_all("(all) => all.map((one) => one.id)")
    page.pdf()

    assert page.locator("details[open]").evaluate_all("(all) => all.map((one) => one.id)") == before


# Hostile reports


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_nothing_that_an_engine_says_becomes_markup(visitor: Visitor, tmp_path: Path, *, script: bool) -> None:
    page = visitor.opens(written(tmp_path, "hostile"), script=script)
    for one in page.locator("details > summary").all():
        if one.is_visible():
            one.click()

    # A click that did something is a complaint, which the visitor counts; here is what must not be there at all.
    for never in ("img", "iframe", "b b", "[onerror]", "[onfocus]", "[onmouseover]", "a:not([href^='#'])"):
        assert page.locator(never).count() == 0, never
    assert page.locator("script").count() == 1
    assert page.title().startswith("</script><script>alert(1)")


def test_a_hostile_text_shows_what_it_is_made_of(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.opens(written(tmp_path, "hostile"))
    text = page.locator("body").text_content() or ""

    for trick in "\x1b\x07\u202e\u202c\u200b\u2066":
        assert trick not in text
    for spelled in ("\\x1b[31mred", "\\u202egnp.exe", "zero\\u200bwidth", "{{ 7 * 7 }}", "javascript:alert(5)"):
        assert spelled in text


def test_a_flood_leaves_the_page_small() -> None:
    text = html.render(hostile())

    assert len(text.encode()) < 100_000
    assert "more characters" in text
    assert NASTY not in text


def test_the_policy_holds_where_the_escaping_would_not(browser: Browser, tmp_path: Path) -> None:
    text = html.render(failing()).replace("</main>", "<script>document.title = 'mine'</script></main>")
    (tmp_path / "broken.html").write_text(text, encoding="utf-8")
    one = Visitor(browser, tmp_path)

    page = one.opens("broken.html")

    assert page.title() != "mine"
    one.close()
    assert any("Content Security Policy" in said for said in one.complaints)

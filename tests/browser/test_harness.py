"""The harness hears what it is there to hear; a browser that never complains would prove nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .chromium import Visitor, barriers, sticking_out

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_HEAD = "<!doctype html><html lang='en'><head><title>t</title></head><body>"


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<script>throw Error('mine')</script>", "script: mine"),
        ("<script>console.error('mine')</script>", "console: mine"),
        ("<script>alert('mine')</script>", "dialog: mine"),
        ("<img src='https://elsewhere.example/a.png'>", "request: https://elsewhere.example/a.png"),
        ("<img src='../outside.png'>", "request: file://"),
        ("<script>open('about:blank')</script>", "window: about:blank"),
    ],
)
def test_what_a_page_must_not_do_is_a_complaint(browser: Browser, tmp_path: Path, body: str, complaint: str) -> None:
    (tmp_path / "page.html").write_text(_HEAD + body, encoding="utf-8")
    one = Visitor(browser, tmp_path)

    one.opens("page.html").wait_for_load_state("load")
    one.close()

    assert [said for said in one.complaints if said.startswith(complaint)] != []


def test_a_page_without_fault_is_none(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"{_HEAD}<main><h1>Fine</h1></main>", encoding="utf-8")

    page = visitor.opens("page.html", width=320)

    assert barriers(page) == []
    assert sticking_out(page) == []


def test_barriers_and_what_sticks_out_are_found(visitor: Visitor, tmp_path: Path) -> None:
    body = "<main><h1>Wide</h1><input><div style='width: 900px'>far</div></main>"
    (tmp_path / "page.html").write_text(_HEAD + body, encoding="utf-8")

    page = visitor.opens("page.html", width=320)

    assert [one.split(":")[0] for one in barriers(page)] == ["label"]
    assert sticking_out(page)[0].startswith("<div")

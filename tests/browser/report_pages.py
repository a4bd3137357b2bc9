"""Reports to look at a page with: one in which everything occurs, one of the size of the suite, a hostile one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.reports.samples import DIGEST, broke, check, entry, graded, held, large_run, mixed_report, report_of

from tck_reports.formats import html
from tck_reports.outcomes import Outcome
from tck_reports.records import Attempt, Control, Excuse
from tck_reports.shape import Report

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: The requirements of a page.
ROWS = "section.of-area details.row"
#: What would be markup, a script, a link, an order to a terminal, or a trick on the eye.
NASTY: Final = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31mred\x1b]0;title\x07 {{ 7 * 7 }} "
    "' onmouseover='alert(3)' \" autofocus onfocus=\"alert(4) &lt;b&gt; \u202egnp.exe\u202c zero\u200bwidth \u2066x"
)


def everything() -> Report:
    """Return a report in which every outcome occurs, with a baseline, tries, an excuse, and what makes it doubtful."""
    report = mixed_report()
    excused = next(one for one in report["checks"] if one["outcome"] == "expected_failure")
    excused["excused"] = {"name": "RESUME-7", "reason": "the vendor knows", "owner": "Ada", "since": "2026-01-02"}
    flaky = next(one for one in report["checks"] if one["outcome"] == "flaky")
    flaky["attempts"] = [{"outcome": "failed", "reason": "timeout"}]
    report["baseline"] = {
        "digest": DIGEST,
        "entries": [
            {
                "kind": "failure",
                "target": "requirement",
                "name": name,
                "reason": f"why {name} is known",
                "owner": "Ada",
                "since": "2026-01-02",
                "until": None,
                "state": state,
                "checks": [],
                "statement": None,
                "fails": None,
                "step": None,
            }
            for name, state in (
                ("RESUME-7", "used"),
                ("RESUME-1", "stale"),
                ("RESUME-2", "expired"),
                ("NOSUCH-1", "unknown"),
                ("RESUME-3", "unused"),
            )
        ],
    }
    report["controls"].append({"name": "forgetful", "expected": "failed", "observed": "passed", "sin": "forgets"})
    report["faults"].append("the driver ended with signal 9")
    report["run"]["shard"] = {"number": 2, "count": 5}
    report["run"]["retries"] = 2
    report["redactions"] = 3
    return report


def failing() -> Report:
    """Return a report with several requirements in each area, those of one area failed."""
    return report_of(large_run(requirements=36, checks=99))


def conformant() -> Report:
    """Return a report with nothing to mend."""
    return report_of(graded([entry("RESUME-1"), entry("NAME-2")], [check("a", "RESUME-1"), check("b", "NAME-2")]))


def hostile() -> Report:
    """Return a report with something nasty in every text that an engine or a driver supplies, and a flood in one."""
    record = replace(
        check("nasty", "RESUME-1", outcome=Outcome.FAILED, scenario=NASTY, steps=(NASTY, "Then x")),
        id=NASTY,
        feature=f"{NASTY}:12",
        reason=NASTY,
        expectations=(
            held(),
            replace(broke(NASTY, [NASTY, {NASTY: NASTY}]), statement=NASTY, evidence=(NASTY,)),
            broke("x" * 400, "y" * 400),
        ),
        attempts=(Attempt(Outcome.FAILED, NASTY),),
        excused=Excuse(NASTY, NASTY, NASTY, "2026-01-02"),
    )
    grading = graded([entry("RESUME-1", text=NASTY), entry("RESUME-2")], [record, check("b", "RESUME-2")])
    report = report_of(grading, name=NASTY, argv=(NASTY,), controls=[Control(NASTY, NASTY, f"{NASTY}!", NASTY)])
    report["implementation"] = {
        "name": NASTY,
        "version": NASTY,
        "language": NASTY,
        "homepage": "javascript:alert(5)",
    }
    report["declared"] = {"profiles": [NASTY], "capabilities": {NASTY: NASTY}}
    report["run"]["host"] = {NASTY: NASTY}
    report["run"]["engine"] = NASTY
    report["faults"] = [NASTY]
    report["artifacts"] = [{"path": NASTY, "digest": DIGEST}]
    report["checks"][0]["expectations"][1]["evidence"].append("W" * 10_000_000)
    report["checks"][0]["expectations"][1]["actual"] = "V" * 10_000_000
    report["baseline"] = {
        "digest": DIGEST,
        "entries": [
            {
                "kind": "failure",
                "target": "check",
                "name": NASTY,
                "reason": NASTY,
                "owner": NASTY,
                "since": "2026-01-02",
                "until": None,
                "state": "used",
                "checks": [NASTY],
                "statement": NASTY,
                "fails": None,
                "step": None,
            }
        ],
    }
    return report


PAGES: Final = {"everything": everything, "failing": failing, "conformant": conformant, "hostile": hostile}


def written(folder: Path, name: str) -> str:
    """Write a page, and return its name."""
    (folder / f"{name}.html").write_text(html.render(PAGES[name]()), encoding="utf-8")
    return f"{name}.html"


def rows(page: Page) -> list[str]:
    """Return the requirements that are shown."""
    found: list[str] = page.locator(f"{ROWS}:not([hidden])").evaluate_all("(all) => all.map((one) => one.id)")
    return found


def focused(page: Page) -> str:
    """Return which row has the focus, or the id of the field that has it."""
    found: str = page.evaluate("document.activeElement.closest('details.row')?.id ?? document.activeElement.id")
    return found


def address(page: Page) -> str:
    return page.url.partition("#")[2]


def height(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    return box["height"] if box else 0.0

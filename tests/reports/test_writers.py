"""Each format says what the report says, safely."""

import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tck_reports import terminal
from tck_reports.formats import html, junit, markdown
from tck_reports.outcomes import MEANINGS, Outcome
from tck_reports.records import CheckRecord
from tck_reports.shape import Report

from .samples import broke, check, entry, graded, mixed_report, report_of

NASTY = (
    "</script><script>alert(1)</script> \x1b]0;title\x07 ]]> & \"'` \ud800 "
    "[red]markup[/red] | **bold** \u202e @all\n``` end"
)


def nasty_report() -> Report:
    record: CheckRecord = replace(
        check("nasty", "RESUME-1", outcome=Outcome.FAILED, scenario=NASTY, steps=(NASTY,)),
        feature=f"{NASTY}:12",
        reason=NASTY,
        expectations=(replace(broke(NASTY, [NASTY, {NASTY: NASTY}]), statement=NASTY, evidence=(NASTY,)),),
    )
    grading = graded([entry("RESUME-1", text=NASTY)], [record])
    return report_of(grading, name=NASTY, argv=(NASTY,))


def terminal_text(report: Report, *, color: bool = False, width: int = 100) -> str:
    stream = io.StringIO()
    terminal.write(report, stream, width=width, color=color)
    return stream.getvalue()


def cases(report: Report) -> dict[str, ET.Element]:
    root = ET.fromstring(junit.render(report))  # noqa: S314 - written a moment ago by us
    return {case.attrib["name"]: case for case in root.iter("testcase")}


# JUnit


@pytest.mark.parametrize("outcome", Outcome)
def test_a_check_has_the_junit_form_of_its_outcome(outcome: Outcome) -> None:
    name = (
        f"What gives_{outcome} looks at [gives_{outcome}]" if outcome != "passed" else "What resumes looks at [resumes]"
    )
    found = cases(mixed_report())
    form = MEANINGS[outcome].junit
    if form == "absent":
        assert name not in found
    else:
        assert [child.tag for child in found[name]] == ([] if form == "testcase" else [form])


def test_junit_failures_are_filled() -> None:
    failure = cases(mixed_report())["What gives_failed looks at [gives_failed]"][0]
    assert failure.attrib["message"] == 'the id that the CLI was given: expected "s-1", got "s-2"'
    assert failure.text is not None
    for part in (
        "RESUME-3: The engine SHOULD do what RESUME-3 says.",
        "features/scenarios/area/gives_failed.feature:12",
        "step: Then it resumes",
        'actual: "s-2"',
        "evidence (witnessed): argv: claude --resume s-2",
        "fault: the engine's",
    ):
        assert part in failure.text


def test_every_junit_failure_and_error_has_a_message_a_type_and_a_text() -> None:
    for case in cases(mixed_report()).values():
        for child in case:
            assert child.attrib["message"]
            assert (child.text or "").strip()
            assert child.tag == "skipped" or child.attrib["type"]


def test_junit_says_untestable_and_not_run_by_these_words() -> None:
    found = cases(mixed_report())
    assert found["What gives_untestable looks at [gives_untestable]"][0].attrib["type"] == "untestable"
    assert found["What gives_not_run looks at [gives_not_run]"][0].attrib["message"] == "not_run"


def test_junit_counts_fit_its_cases() -> None:
    root = ET.fromstring(junit.render(mixed_report()))  # noqa: S314 - written a moment ago by us
    for suite in root:
        found = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(found)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[attribute]) == sum(case.find(tag) is not None for case in found)


def test_junit_shows_a_requirement_that_no_check_explains() -> None:
    assert [child.tag for child in cases(mixed_report())["RESUME-90"]] == ["error"]


def test_junit_shows_a_broken_run_as_an_error() -> None:
    found = cases(report_of(graded([entry("RESUME-1")], [check("a", "RESUME-1"), check("a", "RESUME-1")])))
    assert found["fault: check a was emitted 2 times"][0].tag == "error"


def test_junit_says_that_a_run_was_cut_short() -> None:
    found = cases(report_of(graded([entry("RESUME-1")], [], {"a": ["RESUME-1"]}, cut_short="budget spent")))
    assert found["complete: budget spent"][0].attrib["message"] == "not_run"


def test_junit_is_well_formed_whatever_an_engine_says() -> None:
    text = junit.render(nasty_report())
    root = ET.fromstring(text)  # noqa: S314 - written a moment ago by us
    assert any("\\x1b]0;title\\x07" in (one.text or "") for one in root.iter("failure"))
    text.encode("utf-8")


# Markdown


def test_markdown_says_verdict_table_and_failures() -> None:
    text = markdown.render(mixed_report())
    assert "**core: indeterminate 1/9" in text
    assert "| RESUME | 1 | 7 | 4 | 0 | 0 | 0 |" in text
    assert 'actual:    "s-2"' in text


def test_no_value_breaks_out_of_markdown() -> None:
    text = markdown.render(nasty_report())
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "<script" not in outside
    assert "**bold**" not in re.sub("<summary>.*</summary>", "", outside)
    assert "@all" not in outside
    assert outside.count("<details>") == outside.count("</details>") == 1
    assert "\x1b" not in text
    text.encode("utf-8")


def test_markdown_stops_after_fifty_failures() -> None:
    entries = [entry(f"RESUME-{place}") for place in range(80)]
    checks = [check(f"c{place}", f"RESUME-{place}", outcome=Outcome.FAILED) for place in range(80)]
    text = markdown.render(report_of(graded(entries, checks)))
    assert text.count("<details>") == 50
    assert "And 30 more in the full report." in text


# HTML


class Seen(HTMLParser):
    """What a browser would make of a document, as far as these tests ask."""

    VOID = frozenset({"meta", "input", "br", "rect"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.ids: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)


def test_html_escapes_every_value() -> None:
    text = html.render(nasty_report())
    seen = Seen(text)
    assert seen.tags.count("script") == 1
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text
    assert "\x1b" not in text
    text.encode("utf-8")


@pytest.mark.parametrize(
    "report", [mixed_report(), nasty_report(), report_of(graded([], []))], ids=["mixed", "nasty", "empty"]
)
def test_html_is_balanced_and_its_ids_are_unique(report: Report) -> None:
    seen = Seen(html.render(report))
    assert seen.unbalanced == []
    assert seen.open == []
    assert len(seen.ids) == len(set(seen.ids))


def test_html_needs_nothing_from_outside() -> None:
    text = html.render(mixed_report())
    seen = Seen(text)
    assert not {"link", "img", "iframe", "object", "embed"} & set(seen.tags)
    assert not [
        value for name, value in seen.attributes if name in {"src", "srcset", "data", "style"} or name.startswith("on")
    ]
    assert all((value or "").startswith("#") for name, value in seen.attributes if name == "href")
    assert "url(" not in text
    assert "@import" not in text
    policy = next(
        value or "" for name, value in seen.attributes if name == "content" and "default-src" in (value or "")
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_html_links_lead_to_places_in_it() -> None:
    seen = Seen(html.render(mixed_report()))
    assert {(value or "")[1:] for name, value in seen.attributes if name == "href"} <= set(seen.ids)


def test_html_says_verdict_requirement_text_expected_and_actual() -> None:
    text = html.render(mixed_report())
    for part in (
        "indeterminate",
        "<strong>1</strong> of <strong>9</strong> requirements passed",
        "The engine SHOULD do what RESUME-3 says.",
        "<pre>&#34;s-<mark>2</mark>&#34;</pre>",
        "argv: claude --resume s-2",
        "never resumes, resumes by name",
    ):
        assert part in text


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_html_text_has_the_contrast_that_wcag_asks_for(theme: int) -> None:
    style = html.render(mixed_report()).partition("<style>")[2].partition("</style>")[0]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", re.findall(r":root \{(.*?)\}", style, re.DOTALL)[theme]))
    pairs = [(ink, ground) for ink in ("ink", "soft", "link") for ground in ("page", "card", "code")]
    pairs += [(look, ground) for look in ("good", "bad", "open", "none") for ground in (f"{look}-tint", "card")]
    for ink, ground in pairs:
        assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


# Terminal


def test_the_terminal_explains_a_failure_from_requirement_to_fault() -> None:
    text = terminal_text(mixed_report())
    for part in (
        "FAILED RESUME-3",
        "The engine SHOULD do what RESUME-3 says.",
        "features/scenarios/area/gives_failed.feature:12",
        "step      Then it resumes",
        'expected  "s-1"',
        'actual    "s-2"',
        "witnessed argv: claude --resume s-2",
        "fault     the engine's (because of failed)",
        "ERROR RESUME-90",
        "why       no scenario",
    ):
        assert part in text


def test_the_terminal_says_once_what_kept_every_scenario_from_being_played() -> None:
    why = "driver incompatible: there is no runner.start"
    entries = [entry(f"RESUME-{number}") for number in (1, 2, 3)]
    checks = [check(f"c{one.id}", one.id, outcome=Outcome.ERROR, reason=why, blame="driver") for one in entries]
    text = terminal_text(report_of(graded(entries, checks)), width=2000)
    assert text.count("fault     ") == 1
    assert "ERROR 3 requirements, 3 scenarios" in text
    assert "RESUME-1, RESUME-2, RESUME-3" in text

    another = replace(checks[0], reason="it timed out")
    text = terminal_text(report_of(graded(entries, [another, *checks[1:]])), width=2000)
    assert text.count("fault     ") == 3


def test_the_terminal_ends_with_the_verdict_lines_and_the_exit_code() -> None:
    lines = terminal_text(report_of(graded([entry("RESUME-1")], [check("a", "RESUME-1")]))).splitlines()
    assert lines[-2:] == ["core: conformant 1/1 (witnessed)", "exit code 0, conformant: nothing speaks against it"]


def test_the_terminal_says_what_was_not_counted() -> None:
    grading = graded([entry("RESUME-1"), entry("RESUME-4")], [check("a", "RESUME-1")], excluded={"RESUME-4": "why"})
    assert "core: conformant 1/1 (witnessed, 1 not counted)" in terminal_text(report_of(grading))


def test_no_value_reaches_the_terminal_as_an_escape_sequence_or_as_markup() -> None:
    text = terminal_text(nasty_report(), width=2000)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[red]markup[/red]" in text
    assert "\x1b]0" not in terminal_text(nasty_report(), color=True)


def test_the_terminal_keeps_to_its_width() -> None:
    assert max(map(len, terminal_text(mixed_report(), width=60).splitlines())) <= 60

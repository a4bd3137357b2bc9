"""A difference in its three forms: for a terminal, as a comment on a change, and for programs."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib import import_module
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_reports.difference import as_json as difference_json
from tck_reports.difference import markdown as difference_markdown
from tck_reports.difference import text as difference_text
from tck_reports.difference.comparing import compare
from tck_reports.difference.sections import headline
from tck_reports.difference.values import Difference
from tck_reports.outcomes import Outcome
from tck_reports.records import CheckRecord, EvidenceClass
from tck_reports.shape import Report

from .samples import broke, check, entry, graded, held, mixed_report, report_of

FAILED = Outcome.FAILED
#: GitHub's own renderer, which has no types.
GITHUB: Any = import_module("cmarkgfm")
_UNSAFE: Any = import_module("cmarkgfm.cmark").Options.CMARK_OPT_UNSAFE
HOSTILE = (
    "</code>`` <script>alert(1)</script> | @everyone #1 [x](javascript:1) ![i](http://e.example/) "
    "\x1b[31m\u202e\n\n# h --> "
)


def report(*checks: CheckRecord, name: str = "engine") -> Report:
    requirements = dict.fromkeys(one for row in checks for one in row.requirements)
    return report_of(graded([entry(one) for one in requirements], checks), name=name)


def two() -> Difference:
    """Return a difference with one regression, one fix, and a check that is worse below what failed before."""
    old = report(
        check("a", "RESUME-1"),
        check("b", "RESUME-2", outcome=FAILED),
        check("c", "OFF-1", outcome=FAILED),
        check("d", "OFF-1"),
    )
    new = report(
        check("a", "RESUME-1", outcome=FAILED),
        check("b", "RESUME-2"),
        check("c", "OFF-1", outcome=FAILED),
        check("d", "OFF-1", outcome=FAILED),
    )
    return compare(old, new)


def hostile(count: int = 1) -> Difference:
    """Return a difference in which whatever an engine or a suite supplies is hostile."""
    rows = [(f"{HOSTILE}{place}", f"RESUME-{place}") for place in range(count)]
    bad = [replace(broke(HOSTILE, HOSTILE * 9), statement=HOSTILE)]
    old = report(*(check(name, requirement) for name, requirement in rows), name=HOSTILE)
    new = report(
        *(check(name, one, outcome=FAILED, reason=HOSTILE, expectations=bad) for name, one in rows), name=f"{HOSTILE}2"
    )
    return compare(old, new, one_engine=True)


# Headlines


def test_the_headline_says_what_is_worse_before_what_is_better() -> None:
    assert headline(two()) == "1 regression, 1 check worse below what failed before, 1 fix"


def test_the_headline_of_nothing_worse() -> None:
    fine, bad = report(check("a", "RESUME-1")), report(check("a", "RESUME-1", outcome=FAILED))
    assert headline(compare(fine, fine)) == "No difference"
    assert headline(compare(bad, fine)) == "Nothing is worse: 1 fix"
    assert headline(compare(fine, report(check("a", "RESUME-1"), name="other"))).startswith("Two engines:")


def test_the_headline_of_half_a_run_does_not_say_that_nothing_is_worse() -> None:
    fine = report(check("a", "RESUME-1"))
    half = report_of(graded([entry("RESUME-1")], [], {"a": ["RESUME-1"]}, cut_short="interrupted"), name="engine")
    assert headline(compare(fine, half)) == "Nothing worse was seen, and not everything was looked at"


def declined(name: str, requirement: str) -> CheckRecord:
    return check(name, requirement, outcome=Outcome.UNSUPPORTED, reason="declared unsupported")


def worded(*evidence: EvidenceClass) -> Report:
    names = enumerate(evidence, 1)
    return report(*(check(f"c{place}", f"RESUME-{place}", expectations=[held(one)]) for place, one in names))


FINE = report(check("a", "RESUME-1"), check("b", "RESUME-2"))
OTHER_SUITE = f"sha256:{'1' * 64}"
HEADLINES: list[tuple[str, Report, Report, str]] = [
    ("a claim", FINE, report(check("a", "RESUME-1"), declined("b", "RESUME-2")), "1 claim withdrawn"),
    ("both", FINE, report(declined("a", "RESUME-1"), declined("b", "RESUME-2")), "2 claims withdrawn"),
    (
        "taken up",
        report(check("a", "RESUME-1"), declined("b", "RESUME-2")),
        FINE,
        "Nothing is worse: 1 new claim that passes",
    ),
    (
        "gone",
        FINE,
        report(check("a", "RESUME-1")),
        "It cannot be said that nothing is worse: 1 requirement that passed is gone, 1 check that passed is gone",
    ),
    (
        "gone with a suite",
        report(check("a", "RESUME-1"), check("b", "RESUME-1"), check("c", "RESUME-1")),
        {**report(check("a", "RESUME-1")), "kit": {"version": "0.1.0", "suite_digest": OTHER_SUITE}},
        "Nothing is worse: 2 checks that passed are gone (another suite)",
    ),
    (
        "the engine's word",
        worded("witnessed", "witnessed"),
        worded("witnessed", "reported"),
        "1 profile is not witnessed any more, 1 pass on weaker evidence",
    ),
    (
        "more of the engine's word",
        worded("witnessed", "witnessed", "reported"),
        worded("reported", "reported", "reported"),
        "It cannot be said that nothing is worse: 2 passes on weaker evidence",
    ),
    (
        "a verdict",
        report(check("a", "RESUME-1")),
        report(check("a", "RESUME-1"), check("b", "RESUME-2", outcome=FAILED)),
        "It cannot be said that nothing is worse: 1 profile is not conformant any more",
    ),
    (
        "half before",
        report_of(graded([entry("RESUME-1")], [], {"a": ["RESUME-1"]}, cut_short="interrupted"), name="engine"),
        report(check("a", "RESUME-1")),
        "Nothing worse was seen, and not everything was looked at",
    ),
]


@pytest.mark.parametrize(("old", "new", "told"), [row[1:] for row in HEADLINES], ids=[row[0] for row in HEADLINES])
def test_the_headline_names_what_the_exit_code_is_for(old: Report, new: Report, told: str) -> None:
    difference = compare(old, new)
    assert headline(difference) == told
    content = json.loads(difference_json.render(difference))
    jsonschema_rs.Draft202012Validator(difference_json.schema()).validate(content)
    assert (content["exit_code"] == 0) is told.startswith("Nothing is worse")


def test_what_speaks_against_the_engine_is_not_folded_away() -> None:
    lines = difference_markdown.render(compare(FINE, report(check("a", "RESUME-1"), declined("b", "RESUME-2"))))
    assert "**Claims withdrawn (1)**\n\n- `RESUME-2` passed → unsupported: `declared unsupported`" in lines
    lines = difference_markdown.render(compare(FINE, report(check("a", "RESUME-1"))))
    assert "**Checks that are gone (1)**\n\n- `b` passed" in lines
    lines = difference_markdown.render(compare(worded("witnessed"), worded("reported")))
    assert "**Passes on weaker evidence (1)**\n\n- `RESUME-1` passed: witnessed → reported" in lines


# Text


def test_the_text_tells_what_happened_and_ends_with_what_it_comes_to() -> None:
    assert difference_text.render(two()) == (
        "engine 0.1.0 against session-resume 1.0.0, kit 0.1.0\n"
        "\n"
        "Regressions (1)\n"
        "  RESUME-1  passed → failed\n"
        "      assertion\n"
        '      the id that the CLI was given: expected "s-1", actual "s-2"\n'
        "\n"
        "Worse below what failed before (1)\n"
        "  d  passed → failed\n"
        "      assertion\n"
        '      the id that the CLI was given: expected "s-1", actual "s-2"\n'
        "\n"
        "Fixes (1)\n"
        "  RESUME-2  failed → passed: before: assertion\n"
        "\n"
        "Checks that came out otherwise (3)\n"
        "  a  passed → failed\n"
        "      assertion\n"
        '      the id that the CLI was given: expected "s-1", actual "s-2"\n'
        "  b  failed → passed: before: assertion\n"
        "  d  passed → failed\n"
        "      assertion\n"
        '      the id that the CLI was given: expected "s-1", actual "s-2"\n'
        "\n"
        "core: nonconformant 1/3, witnessed\n"
        "checks: failed 2 → 3, passed 2 → 1\n"
        "1 regression, 1 check worse below what failed before, 1 fix\n"
    )


def test_what_cannot_be_compared_is_said_before_anything_else() -> None:
    difference = compare(report(check("a", "RESUME-1")), report(check("a", "RESUME-1", outcome=FAILED), name="other"))
    lines = difference_text.render(difference).splitlines()
    assert lines[1].startswith("NOT COMPARABLE: engine: engine → other; ")
    assert "Regressions (1)" not in lines
    assert lines[-1] == "Two engines: nothing here is a regression"


def test_a_terminal_obeys_nothing_that_an_engine_supplied() -> None:
    text = difference_text.render(hostile())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m\\u202e" in text


# Markdown


class _Seen(HTMLParser):
    """Collects the tags, and what stands in code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.code: list[str] = []
        self.rest: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not attrs
        if tag == "code":
            self._inside = True
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "code"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.code[-1] += data
        else:
            self.rest.append(data)


def seen(markdown: str) -> _Seen:
    """Render as GitHub does, without its filter for what is unsafe."""
    parser = _Seen()
    parser.feed(GITHUB.github_flavored_markdown_to_html(markdown, _UNSAFE))
    parser.close()
    return parser


TAGS = {"h3", "p", "code", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}


def test_a_comment_begins_with_its_mark_and_says_the_verdict_first() -> None:
    lines = difference_markdown.render(two()).splitlines()
    assert lines[0] == "<!-- session-tck diff: engine -->"
    assert lines[1] == "### ❌ 1 regression, 1 check worse below what failed before, 1 fix"
    assert lines[3] == "`engine 0.1.0` against `session-resume 1.0.0`, kit `0.1.0`"
    told = '- `RESUME-1` passed → failed: `assertion`; `the id that the CLI was given: expected "s-1", actual "s-2"`'
    assert lines[lines.index("**Regressions (1)**") + 2] == told
    assert "<details><summary>Checks that came out otherwise (3)</summary>" in lines


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        (None, "<!-- session-tck diff: engine -->"),
        ("node 20", "<!-- session-tck diff: node 20 -->"),
        ("a--b -->", "<!-- session-tck diff: a-b -->"),
        ("<!--\n", "<!-- session-tck diff:  -->"),
    ],
)
def test_a_bot_finds_its_comment_by_the_name_and_nothing_ends_the_mark(name: str | None, mark: str) -> None:
    assert difference_markdown.mark(two(), name) == mark


def test_what_an_engine_supplies_is_code_and_nothing_else() -> None:
    page = seen(difference_markdown.render(hostile()))
    assert page.tags <= TAGS
    assert any("<script>alert(1)</script>" in one and "@everyone" in one for one in page.code)
    rest = "".join(page.rest)
    assert not any(word in rest for word in ("script", "@everyone", "javascript", "\x1b", "\u202e"))


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_whatever_a_name_is_it_stays_one_code_span(name: str) -> None:
    difference = compare(
        report(check("a", "RESUME-1")), report(check("a", "RESUME-1", outcome=FAILED, reason=name or "x"))
    )
    page = seen(difference_markdown.render(difference))
    assert page.tags <= TAGS
    assert page.code.count("RESUME-1") == 1


def test_a_comment_of_many_long_failures_fits_where_it_is_to_go_and_says_what_it_leaves_out() -> None:
    difference = hostile(600)
    text = difference_markdown.render(difference)
    assert len(text) <= len(text.encode()) < 65_536
    assert "**Regressions (600)**" in text
    assert re.search(r"^- and \d+ more$", text, re.MULTILINE)
    assert seen(text).tags <= TAGS


# JSON


@pytest.mark.parametrize("difference", [two(), hostile(3), compare(mixed_report(), mixed_report())])
def test_the_json_fits_its_schema_and_says_the_same(difference: Difference) -> None:
    content = json.loads(difference_json.render(difference))
    jsonschema_rs.Draft202012Validator(difference_json.schema()).validate(content)
    assert content["regressions"] == [one.id for one in difference.regressions]
    assert content["hidden_regressions"] == [one.id for one in difference.hidden]
    assert content["fixes"] == [one.id for one in difference.fixes]
    assert content["exit_code"] == difference.exit_code
    assert len(content["checks"]) == len(difference.checks)


def test_the_schema_is_one_and_lets_nothing_else_through() -> None:
    jsonschema_rs.meta.validate(difference_json.schema())
    content = json.loads(difference_json.render(two()))
    for spoilt in ({**content, "more": 1}, {**content, "exit_code": 2}, {**content, "checks": [{"id": "a"}]}):
        assert not jsonschema_rs.is_valid(difference_json.schema(), spoilt)
    for name in content:
        assert not jsonschema_rs.is_valid(
            difference_json.schema(), {key: value for key, value in content.items() if key != name}
        )


def test_every_field_of_a_difference_is_in_its_json() -> None:
    assert set(Difference.__slots__) <= set(json.loads(difference_json.render(two())))

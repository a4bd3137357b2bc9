"""A report in which everything occurs: all outcomes, earlier tries, a baseline, evidence; and ones of hostile texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from tck_reports.outcomes import Outcome
from tck_reports.records import (
    Attempt,
    BaselineEntry,
    Excuse,
    UsedBaseline,
    UsedEntry,
)
from tck_reports.report import content_digest
from tck_reports.shape import Report

from .samples import DIGEST, broke, check, entry, graded, held, report_of

EXCUSE: Final = Excuse("knows_it", "issue 12", "team-a", "2026-01-02")
BASELINE: Final = UsedBaseline(
    DIGEST,
    (
        UsedEntry(
            BaselineEntry("failure", "check", "knows_it", "issue 12", "team-a", "2026-01-02", "2026-12-31"),
            "used",
            ("knows_it",),
        ),
        UsedEntry(BaselineEntry("flaky", "requirement", "RESUME-4", "the clock", "team-b", "2026-01-03"), "unused"),
    ),
)


def full_report() -> Report:
    """Return the report of a run that shows everything."""
    others = [one for one in Outcome if one not in {Outcome.PASSED, Outcome.EXPECTED_FAILURE}]
    entries = [
        entry("RESUME-1"),
        *(entry(f"RESUME-{place + 2}", level="SHOULD") for place in range(len(others))),
        entry("FALLBACK-1"),
        entry("RESUME-90"),
        entry("ISOLATE-1", status="proposed"),
    ]
    tried = (Attempt(Outcome.FAILED, "assertion"), Attempt(Outcome.ERROR, "the driver ended"))
    checks = [
        check("resumes", "RESUME-1", "RESUME-2"),
        *(
            check(f"gives_{outcome}", f"RESUME-{place + 2}", outcome=outcome, reason=f"because of {outcome}")
            for place, outcome in enumerate(others)
        ),
        replace(
            check("knows_it", "FALLBACK-1", outcome=Outcome.EXPECTED_FAILURE, reason="issue 12"),
            excused=EXCUSE,
            expectations=(held(), broke()),
            failed_step="When a second run is due",
        ),
        replace(check("late", "ISOLATE-1"), attempts=tried),
    ]
    checks = [replace(one, attempts=tried) if one.outcome is Outcome.FLAKY else one for one in checks]
    report = report_of(graded(entries, checks, profiles=("core", "hardened")), baseline=BASELINE)
    report["run"]["retries"] = 2
    report["run"]["shard"] = {"number": 2, "count": 5}
    return sealed(report)


def sealed(report: Report) -> Report:
    """Return the report with the digest that its content has now, as somebody would who knows how it is made."""
    return {**report, "digest": content_digest(report)}


#: What an engine could say, each told by what it attacks.
HOSTILE: Final[Mapping[str, str]] = {
    "script": "</script></style></title><script>alert(1)</script><img src=x onerror=alert(1)>",
    "xml": "]]></failure><!-- --><?php ?>&lt;&#0;&nope;",
    "markdown": "# a\n\n- b\n1. c\n> d\n| e | f |\n**g** `h` [i](javascript:alert(1)) ![j](https://k.example/l) ~~m~~",
    "autolinks": "www.evil.example https://evil.example/x mail@evil.example @someone #1 !2 GH-3 :smile: $x^2$ [^1]",
    "fence": "```\n~~~~\n</details>\n```` ` ``",
    "table": "a|b\\|c\\\\|d",
    "gherkin": '@tag\nFeature: x\nScenario: y\n"""\n| a |\n# language: de\nExamples:\n* Given <x>',
    "turtle": '" . <urn:x> a <urn:y> . """ \\" \\u0041 \'',
    "json-ld": '{"@context": "https://evil.example/c.jsonld", "@id": "urn:x"}',
    "sarif": "[link](https://evil.example) {0} {1} [a](1)",
    "escapes": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "controls": "".join(map(chr, range(32))) + "\x7f\x80\x85\x9f",
    "nul": "a\0b",
    "lone surrogates": "\ud800 \udfff \udc00\ud800",
    "right to left": "\u202eevil\u202c \u2066x\u2069 \u200f\u061c",
    "no width": "a\u200bb\u200dc\ufeffd\u2060e",
    "not characters": "\ufffe \uffff \U0010ffff \ufdd0",
    "line ends": "a\rb\r\nc\u2028d\u2029e\x0bf\x0cg",
    "astral": "\U0001f9e0 \U00020000 e\u0301 \u0645\u0631\u062d\u0628\u0627",
    "nothing": "",
    "blank": " \t\n ",
    "much": "<&\u202e" * 8_000,
    "percent": "%s %(a)s {a} {0} %n %00 %zz ${x} `id` $(id) '; id; '",
}


def hostile_report(text: str) -> Report:
    """Return a report, as it may stand in a file, with this text wherever an engine, a driver or a person has a say."""
    report = full_report()
    report["implementation"] = {"name": text, "version": text, "language": text, "homepage": f"https://{text}"}
    report["declared"]["capabilities"] = {text: text}
    report["run"] |= {"argv": ["session-tck", text, "--engine", text], "engine": text, "host": {text: text}}
    report["run"]["surroundings"]["not_exercised"] = [{"part": text, "how": text}]
    report["incomplete_reasons"], report["complete"] = [text], False
    report["faults"], report["stale_entries"] = [text], [text]
    report["controls"][0] |= {"name": text, "observed": text, "sin": text}
    for entry_ in cast("Any", report["baseline"])["entries"]:
        entry_ |= {"name": text, "reason": text, "owner": text}
    for requirement in report["requirements"]:
        requirement["text"] = requirement["text"] + text
        if requirement["reason"] is not None:
            requirement["reason"] = text
    for place, one in enumerate(report["checks"]):
        one["id"], one["scenario"], one["feature"] = f"{place}{text}", text, f"{text}:12"
        one["requirements"] = [*one["requirements"], text]
        one["steps"] = [text, *one["steps"], text]
        one["evidence"] = [text]
        one["reason"] = None if one["reason"] is None else text
        one["failed_step"] = None if one["failed_step"] is None else text
        one["expected"] = one["actual"] = {text: [text]}
        for expectation in one["expectations"]:
            expectation |= {"statement": text, "expected": text, "actual": {text: [text]}, "evidence": [text]}
        for attempt in one["attempts"]:
            attempt["reason"] = text
        if one["excused"] is not None:
            one["excused"] |= {"name": text, "reason": text, "owner": text}
    return sealed(report)


def flooded_report() -> Report:
    """Return a report with ten megabytes in a message, and as much in a name, in what came, and in the evidence."""
    report, flood = full_report(), "<\u202e&\n" * 2_500_000
    report["implementation"]["name"] = flood
    for one in report["checks"]:
        if one["outcome"] == "failed":
            one["reason"] = flood
            one["expectations"][0] |= {"actual": {"log": [flood]}, "evidence": [flood]}
    return sealed(report)

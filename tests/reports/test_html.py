"""report.html says what an implementer needs, stays small, and leads to all of it; a browser looks at the rest."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tck_reports.formats import html
from tck_reports.formats.html_parts import ROOM, anchor
from tck_reports.outcomes import Outcome
from tck_reports.records import (
    Attempt,
    BaselineEntry,
    CheckRecord,
    Control,
    Excuse,
    Expectation,
    UsedBaseline,
    UsedEntry,
)
from tck_reports.shape import Report

from .samples import DIGEST, broke, check, entry, graded, held, mixed_report, report_of

MEGABYTE = 1_000_000
PROMPT = (
    "opencode run --format json --model model-a --title=agent/issue-9257-pnijex-ytbvui -- You work on issue 9257 of "
    "fbzete/ekcd.\nIssue: Pnijex ytbvui ybep chpuzt\nPhase: review_fix\nA review of the agent's merge request asks "
    "for changes. Make them.\nThe repository is in /workspace. This is one prompt and one execution; nobody answers."
)
STEPS = (
    "Given an issue served by opencode",
    "Given a twin issue of the same title in the same project",
    "Given an analysis run of the issue has ended",
    "Given the state directory of the twin issue was removed",
    "When a review_fix run of the issue is due",
    "Then the second run has succeeded",
    "Then the second run asked the CLI to resume the native id of the first run",
    "Then the second run is recorded as resumed",
)


def one_of_the_suite(place: int, *, failed: bool) -> CheckRecord:
    """Return a check that weighs what those of the suite do."""
    statement = "there are runs of the twin issue, the one in question among them"
    looked_at = [Expectation(f"{statement}, {one}", "succeeded", "succeeded", held=True, evidence_class="witnessed",
                             evidence=(PROMPT,) if one == 8 else ()) for one in range(9)]  # fmt: skip
    wrong = Expectation(
        f"the id that the CLI was asked to resume in run {place} of {'abcdefgh'[place % 8]}",
        f"ses_cc8e53b0afff6ee3EFo8Aep8oS{place}",
        None,
        held=False,
        evidence_class="witnessed",
        evidence=(PROMPT,),
    )
    return replace(
        check(
            f"resume/every_run.feature::A resumed run gets the prompt of a fresh one[opencode, review_fix, {place}]",
            f"RESUME-{place % 96 + 1}",
            outcome=Outcome.FAILED if failed else Outcome.PASSED,
            expectations=[*looked_at, *([wrong] if failed else [])],
            scenario=f"A resumed run gets the prompt of a fresh one[opencode, review_fix, {place}]",
        ),
        steps=STEPS,
        failed_step=STEPS[6] if failed else None,
    )


def suite(count: int, *, every: int) -> Report:
    text = "The engine MUST take the prior native id from the latest row of llm_sessions of the mailbox that has one. "
    entries = [entry(f"RESUME-{place + 1}", text=text * 2) for place in range(96)]
    records = [one_of_the_suite(place, failed=place % every == 0) for place in range(count)]
    return report_of(graded(entries, records))


@pytest.mark.parametrize("every", [1, 2, 1000], ids=["all failed", "half of them failed", "nearly all passed"])
def test_three_hundred_scenarios_take_less_than_a_megabyte_and_a_half(every: int) -> None:
    report = suite(300, every=every)
    # As heavy as the checks of a real run, or the figure would mean nothing.
    assert len(json.dumps(report["checks"])) / 300 > 2_800

    assert len(html.render(report).encode()) < 1.5 * MEGABYTE


def test_the_whole_suite_has_its_details_on_the_page() -> None:
    text = html.render(suite(509, every=2))

    assert "without details here" not in text
    assert len(text.encode()) < 2.5 * MEGABYTE


def test_a_run_that_is_larger_than_a_page_keeps_what_failed_and_says_what_is_left_out() -> None:
    report = suite(96, every=2)
    passed = [one for one in report["checks"] if one["outcome"] == "passed"]
    for place in range(6_000):
        report["checks"].append({**passed[0], "id": f"more {place}"})
        report["requirements"][1]["checks"].append(f"more {place}")
    text = html.render(report)

    assert len(text) < 2 * ROOM
    assert "without details here. All of it is in report.json." in text
    assert text.count("← failed here") == text.count('class="broken"')
    assert all(f'id="{anchor(one["id"])}"' in text for one in report["checks"] if one["outcome"] == "failed")


def test_each_requirement_and_each_check_has_a_place_that_a_link_leads_to() -> None:
    report = mixed_report()
    text = html.render(report)
    ids = set(re.findall(r' id="([^"]+)"', text))

    assert {one["id"] for one in report["requirements"]} <= ids
    assert {anchor(one["id"]) for one in report["checks"]} <= ids
    assert anchor("resume/a.feature::It resumes") == "check-41062ef3d5"


def test_a_check_of_two_requirements_is_shown_once_and_linked_from_the_other() -> None:
    both = check("both", "RESUME-1", "RESUME-2")
    text = html.render(report_of(graded([entry("RESUME-1"), entry("RESUME-2")], [both])))

    assert text.count(f'id="{anchor("both")}"') == 1
    assert f'<a href="#{anchor("both")}">What both looks at</a>' in text.partition('id="RESUME-2"')[2]


def test_a_failure_shows_the_step_the_difference_the_log_the_fault_and_the_command() -> None:
    text = html.render(mixed_report()).partition('id="failures"')[2].partition('id="requirements"')[0]
    shown = text.partition("the id that the CLI was given")[2].partition("</details>")[0]

    for part in (
        "Then it resumes <b>← failed here</b>",
        "<pre>&#34;s-<mark>1</mark>&#34;</pre>",
        "<pre>&#34;s-<mark>2</mark>&#34;</pre>",
        "<pre>argv: claude --resume s-2</pre>",
        "<strong>Fault:</strong> the engine&#39;s",
        "<pre>session-tck run --engine sim --requirement RESUME-3 --seed 42</pre>",
        '<a class="badge bad" href="#RESUME-3">RESUME-3</a>',
    ):
        assert part in shown


def test_what_the_baseline_excuses_is_shown_with_owner_and_state() -> None:
    known = BaselineEntry(
        "failure", "requirement", "RESUME-1", "a bug of the vendor", "Ada", "2026-01-02", "2026-03-04"
    )
    record = replace(
        check("a", "RESUME-1", outcome=Outcome.EXPECTED_FAILURE, expectations=[broke()]),
        excused=Excuse("RESUME-1", "a bug of the vendor", "Ada", "2026-01-02"),
        attempts=(Attempt(Outcome.FAILED, "timeout"),),
    )
    baseline = UsedBaseline(
        DIGEST,
        (
            UsedEntry(known, "used", ("a",)),
            UsedEntry(replace(known, name="NOSUCH-1", kind="flaky"), "unknown"),
            UsedEntry(replace(known, name="RESUME-2"), "stale"),
        ),
    )
    text = html.render(report_of(graded([entry("RESUME-1")], [record]), baseline=baseline))

    for part in (
        "<strong>Excused</strong> by the entry <q>RESUME-1</q> of the baseline: a bug of the vendor",
        "(Ada, since 2026-01-02)",
        "<strong>Tried 2 times:</strong> failed (timeout), then expected failure",
        "excuses 1 check</span></td><td>a bug of the vendor</td><td>Ada</td><td>2026-01-02</td><td>2026-03-04</td>",
        "there is nothing of its name: correct it, or take it out",
        "what it excuses does not happen any more: take it out",
    ):
        assert part in text


def test_what_makes_a_run_doubtful_stands_on_top() -> None:
    wrong = Control("forgetful", "failed", "passed", "forgets every id")
    report = report_of(
        graded([entry("RESUME-1")], [check("a", "RESUME-1")], cut_short="the time limit of 3 s was reached"),
        controls=[wrong],
        redactions=3,
    )
    report["faults"] = ["the driver ended with signal 9"]
    report["run"]["shard"] = {"number": 2, "count": 5}
    report["run"]["regraded"] = {"trace": DIGEST, "kit": "0.0.9", "report": None}
    report["missing_checks"] = ["gone"]
    top = html.render(report).partition("</header>")[0]

    for part in (
        "Exit code 4, kit or driver error:",
        "<b>Fault:</b> the driver ended with signal 9",
        "<b>Control failed:</b> forgetful (forgets every id) gave passed, not failed",
        "<b>Incomplete:</b> the time limit of 3 s was reached",
        "<b>A part only:</b> 2 of 5",
        "<b>No record</b> of 1 check",
        "<b>Judged again</b> from the trace of a run that kit 0.0.9 recorded",
    ):
        assert part in top, part
    assert "3 values replaced by [redacted]" in html.render(report)


@pytest.mark.parametrize(
    ("evidence", "said"),
    [("witnessed", "witnessed by the kit itself"), ("reported", "partly on the engine&#39;s own word")],
)
def test_the_verdict_says_what_it_rests_on(evidence: str, said: str) -> None:
    record = check("a", "RESUME-1", expectations=[held("witnessed" if evidence == "witnessed" else "reported")])
    top = html.render(report_of(graded([entry("RESUME-1")], [record]))).partition("</header>")[0]

    assert said.replace("&#39;", "'") in top
    assert "<strong>1</strong> of <strong>1</strong> requirements passed" in top


def test_surroundings_stand_with_the_way_to_real_parts() -> None:
    text = html.render(mixed_report())

    assert '<th scope="row">Containers</th><td>stand-in, isolation recorded</td>' in text
    assert (
        '<th scope="row">Not exercised</th><td>a real container engine: session-tck run --runtime docker</td>' in text
    )


def test_a_policy_that_is_declared_stands_there_in_words() -> None:
    report = mixed_report()
    assert "How it resumes" not in html.render(report)
    report["declared"]["policy"] = {"scope": ["run", "node"], "fork": "reject", "switch": "", "other": "<b>"}

    text = html.render(report)

    assert '<th scope="row">Scope</th><td>run, node <span class="soft">what a session is kept for</span></td>' in text
    assert '<th scope="row">Switch</th><td>none <span' in text
    assert '<th scope="row">Other</th><td>&lt;b&gt;</td>' in text


def test_capabilities_stand_by_their_kinds_and_not_as_a_wall_of_names() -> None:
    report = mixed_report()
    acts = {"act.restart": "supported", "act.moved": "unsupported", "act.switch": "unsupported"}
    stimuli = {f"stimulus.{number}": "unsupported" for number in range(5)}
    report["declared"]["capabilities"] = {"sessions": "unsupported", **acts, **stimuli}

    text = html.render(report)

    assert '<th scope="row">Supported</th><td>act: restart</td>' in text
    assert '<th scope="row">Unsupported</th><td>sessions; act: moved, switch; stimulus: all 5</td>' in text

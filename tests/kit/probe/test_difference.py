"""What two records say differently, and which of it an engine would notice."""

from __future__ import annotations

import pytest

from tck_driver.vocabulary import AdapterId
from tck_kit.probe.difference import compare
from tck_kit.probe.record import Circumstances, Fact, Finding, Probe, Record
from tck_kit.probe.words import FACTS, Outcome

AROUND = Circumstances("npm", "2026-11-30", "0.1.0", "closed", "Linux")
MATTERS = {"resume": "it is the feature"}


def record(version: str, *findings: Finding) -> Record:
    return Record(AdapterId.CODEX, "codex", None, None, Probe(version, AROUND, findings))


def resume(outcome: Outcome = Outcome.RESUMED, **facts: Fact) -> Finding:
    return Finding("resume", outcome, facts)


def lines(before: Finding, after: Finding) -> list[tuple[str, bool]]:
    made = compare(record("1.0.0", before), record("1.0.1", after), {"resume"}, MATTERS)
    return [(one.line, one.why is not None) for one in made.differences]


def test_two_records_of_the_same_differ_in_nothing() -> None:
    held = resume(exit=0, id="asked", said=("x",))

    made = compare(record("1.0.0", held), record("1.0.0", held), {"resume"}, MATTERS)

    assert (made.differences, made.not_compared, bool(made.matters)) == ((), (), False)


@pytest.mark.parametrize(
    ("before", "after", "line", "matters"),
    [
        (
            resume(),
            resume(Outcome.FORGOT),
            "resume: outcome: resumed → confirmed without its history (matters: it is the feature)",
            True,
        ),
        (resume(exit=0), resume(exit=None), "resume: exit: 0 → none (matters: engines read the exit code)", True),
        (resume(exit=0), resume(), "resume: exit: 0 → nothing (matters: engines read the exit code)", True),
        (
            resume(reported="result, last"),
            resume(reported="init, first"),
            "resume: reported: result, last → init, first (matters: the adapter reads it there)",
            True,
        ),
        (
            resume(needs=("a",)),
            resume(needs=("a", "b")),
            "resume: needs: a → a | b (matters: what has to be kept from run to run)",
            True,
        ),
        (resume(said=("No such",)), resume(said=("None",)), "resume: said: No such → None (does not matter)", False),
        (resume(events=("a",)), resume(events=()), "resume: events: a → nothing (does not matter)", False),
    ],
)
def test_a_difference_is_one_line_that_says_why_it_matters(
    before: Finding, after: Finding, line: str, *, matters: bool
) -> None:
    assert lines(before, after) == [(line, matters)]


def test_whatever_an_engine_rests_on_matters_and_what_is_said_does_not() -> None:
    assert [name for name, kind in FACTS.items() if kind.matters is None] == [
        "option",
        "beside",
        "written",
        "requests",
        "waits",
        "events",
        "said",
        "argv",
    ]


def test_a_case_that_the_record_does_not_know_is_not_compared() -> None:
    before = record("1.0.0", Finding("help", Outcome.YES, {}))
    after = record("1.0.1", Finding("help", Outcome.YES, {}), resume(Outcome.FORGOT))

    made = compare(before, after, {"resume", "help"}, MATTERS)

    assert (made.differences, made.not_compared) == ((), ("resume",))


def test_cases_that_were_asked_for_and_not_run_are_named_and_others_are_not() -> None:
    before = record("1.0.0", resume(), Finding("help", Outcome.YES, {}), Finding("model-500", Outcome.FAILED, {}))

    made = compare(before, record("1.0.0", resume()), {"resume", "help", "fresh"}, MATTERS)

    assert made.not_compared == ("help", "fresh")


def test_a_version_that_the_record_has_is_compared_with_itself_and_any_other_with_the_newest() -> None:
    newest = Probe("2.0.0", AROUND, (resume(exit=0),))
    older = Probe("1.0.0", AROUND, (resume(exit=1),))
    held = Record(AdapterId.CODEX, "codex", None, None, newest, (older,))

    same = compare(held, record("1.0.0", resume(exit=1)), {"resume"}, MATTERS)
    other = compare(held, record("1.5.0", resume(exit=1)), {"resume"}, MATTERS)

    assert (same.before, same.differences) == ("1.0.0", ())
    assert (other.before, [one.what for one in other.differences]) == ("2.0.0", ["exit"])


@pytest.mark.parametrize(
    ("same", "before"),
    [
        (Probe("1.0.0", AROUND, (resume(),)), "1.0.0"),
        (Probe("1.0.0", AROUND, (), ("resume",)), "2.0.0"),
        (Probe("1.0.0", AROUND, (resume(),), (), "interrupted"), "2.0.0"),
        (Probe("1.0.0", AROUND, (resume(),), short=True), "1.0.0"),
        (Probe("1.0.0", AROUND, (), short=True), "2.0.0"),
    ],
)
def test_a_probe_of_the_same_version_is_compared_with_only_where_it_has_what_was_run(same: Probe, before: str) -> None:
    held = Record(AdapterId.CODEX, "codex", None, None, Probe("2.0.0", AROUND, (resume(),)), (same,))

    assert compare(held, record("1.0.0", resume()), {"resume"}, MATTERS).before == before

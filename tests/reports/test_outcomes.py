"""The outcome table against a second copy of it, taken by hand from the rules that the project's results follow."""

import pytest

from tck_reports.outcomes import MEANINGS, PRECEDENCE, ExitCode, Outcome, worst

# outcome, in the denominator, JUnit, EARL, exit code
RULES = [
    ("passed", True, "testcase", "passed", 0),
    ("failed", True, "failure", "failed", 1),
    ("untestable", True, "failure", "cantTell", 1),
    ("error", True, "error", "cantTell", 4),
    ("not_run", True, "skipped", "untested", 3),
    ("unsupported", False, "skipped", "inapplicable", 0),
    ("not_applicable", False, "skipped", "inapplicable", 0),
    ("excluded", False, "absent", "untested", 0),
    ("flaky", True, "failure", "cantTell", 1),
    ("expected_failure", True, "skipped", "failed", 0),
    ("stale", True, "failure", "failed", 5),
]


def test_every_outcome_has_exactly_one_row() -> None:
    assert set(MEANINGS) == set(Outcome) == {Outcome(rule[0]) for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule[0]))
def test_a_row_says_what_the_rules_say(rule: tuple[str, bool, str, str, int]) -> None:
    meaning = MEANINGS[Outcome(rule[0])]
    assert (meaning.counted, meaning.junit, meaning.earl, meaning.exit_code) == rule[1:]
    assert meaning.explanation


def test_exit_codes_have_their_numbers() -> None:
    assert [(code.name.lower(), code.value) for code in ExitCode] == [
        ("conformant", 0),
        ("nonconformant", 1),
        ("usage", 2),
        ("incomplete", 3),
        ("fault", 4),
        ("stale_baseline", 5),
    ]


def test_a_pass_outranks_nothing_and_an_error_everything() -> None:
    for outcome in Outcome:
        assert worst({Outcome.PASSED, outcome}) is outcome
        assert worst({Outcome.ERROR, outcome}) is Outcome.ERROR


def test_what_is_not_counted_never_hides_what_is() -> None:
    for counted in Outcome:
        for aside in Outcome:
            if MEANINGS[counted].counted and counted is not Outcome.PASSED and not MEANINGS[aside].counted:
                assert worst({counted, aside}) is counted
    assert len(PRECEDENCE) == len(set(PRECEDENCE))

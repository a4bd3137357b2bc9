"""The outcomes that a check or requirement can have, and in one table what each of them means to every consumer."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final, Literal


class Outcome(StrEnum):
    """How a check, or a requirement, came out; declared worst first, which is the order in which they outrank another.

    A requirement has the worst outcome of its checks: one pass never hides anything else, and what is wrong with the
    baseline alone (`stale`) hides nothing that the engine did.
    """

    ERROR = "error"
    FAILED = "failed"
    UNTESTABLE = "untestable"
    FLAKY = "flaky"
    STALE = "stale"
    NOT_RUN = "not_run"
    EXPECTED_FAILURE = "expected_failure"
    UNSUPPORTED = "unsupported"
    NOT_APPLICABLE = "not_applicable"
    EXCLUDED = "excluded"
    PASSED = "passed"


class ExitCode(IntEnum):
    """What the process says to the shell."""

    CONFORMANT = 0
    NONCONFORMANT = 1
    USAGE = 2
    INCOMPLETE = 3
    FAULT = 4
    STALE_BASELINE = 5


#: How JUnit shows an outcome: as a child element of the test case, as a bare test case, or not as a test case at all.
JUnitForm = Literal["testcase", "failure", "error", "skipped", "absent"]
#: Words of the W3C Evaluation and Report Language.
EarlWord = Literal["passed", "failed", "cantTell", "untested", "inapplicable"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """One row of the outcome table."""

    #: Whether a requirement with this outcome stands in the denominator of its profile.
    counted: bool
    junit: JUnitForm
    earl: EarlWord
    exit_code: ExitCode
    #: One line for people.
    explanation: str


#: The words of the table below.
_IN, _OUT = True, False
_OK, _NO, _CUT = ExitCode.CONFORMANT, ExitCode.NONCONFORMANT, ExitCode.INCOMPLETE
_BAD, _OLD = ExitCode.FAULT, ExitCode.STALE_BASELINE

# fmt: off
MEANINGS: Final[Mapping[Outcome, Meaning]] = MappingProxyType({
    # outcome                        counted JUnit       EARL            exit
    Outcome.PASSED:           Meaning(_IN,  "testcase", "passed",       _OK,  "every check held"),
    Outcome.FAILED:           Meaning(_IN,  "failure",  "failed",       _NO,  "the engine did otherwise"),
    Outcome.UNTESTABLE:       Meaning(_IN,  "failure",  "cantTell",     _NO,  "undeclared, or out of reach"),
    Outcome.ERROR:            Meaning(_IN,  "error",    "cantTell",     _BAD, "kit or driver at fault"),
    Outcome.NOT_RUN:          Meaning(_IN,  "skipped",  "untested",     _CUT, "filter, budget or abort"),
    Outcome.UNSUPPORTED:      Meaning(_OUT, "skipped",  "inapplicable", _OK,  "optional, and declined"),
    Outcome.NOT_APPLICABLE:   Meaning(_OUT, "skipped",  "inapplicable", _OK,  "of another profile or version"),
    Outcome.EXCLUDED:         Meaning(_OUT, "absent",   "untested",     _OK,  "not observable, with a reason"),
    Outcome.FLAKY:            Meaning(_IN,  "failure",  "cantTell",     _NO,  "passed on a second try only"),
    Outcome.EXPECTED_FAILURE: Meaning(_IN,  "skipped",  "failed",       _OK,  "failed, as the baseline says"),
    Outcome.STALE:            Meaning(_IN,  "failure",  "failed",       _OLD, "passed against the baseline"),
})
# fmt: on

#: Worst first; the place of an outcome here decides between several checks of one requirement.
PRECEDENCE: Final = tuple(Outcome)


def worst(outcomes: set[Outcome]) -> Outcome:
    """Return the outcome that outranks the others; an empty set is a mistake of the caller (ValueError)."""
    return min(outcomes, key=PRECEDENCE.index)

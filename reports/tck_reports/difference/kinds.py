"""What it means that an outcome has become another one: a table of every pair, by where an outcome stands.

The table is its own mirror: what is a regression from left to right is a fix from right to left.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from tck_reports.outcomes import Outcome

#: same: as it was; sideways: another outcome, and neither better nor worse for it.
#: regression, fix: passed before or passes now, and fails on the other side.
#: worse, better: failed on both sides, and in one of them passed on a second try.
#: withdrawn, taken_up: passed on one side, and is declined on the other.
#: claimed, dropped: fails on one side, and is declined on the other.
#: excused, unexcused: failed on both sides, and a baseline excuses it on one.
#: lost, found: nothing can be said of it on one side: it was not run, set aside, or kit or driver were at fault.
Kind = Literal[
    "same",
    "sideways",
    "regression",
    "fix",
    "worse",
    "better",
    "withdrawn",
    "taken_up",
    "claimed",
    "dropped",
    "excused",
    "unexcused",
    "lost",
    "found",
]

#: What a kind is when the two reports change places.
MIRROR: Final[Mapping[Kind, Kind]] = MappingProxyType(
    {
        "same": "same",
        "sideways": "sideways",
        "regression": "fix",
        "fix": "regression",
        "worse": "better",
        "better": "worse",
        "withdrawn": "taken_up",
        "taken_up": "withdrawn",
        "claimed": "dropped",
        "dropped": "claimed",
        "excused": "unexcused",
        "unexcused": "excused",
        "lost": "found",
        "found": "lost",
    }
)
#: The kinds by which an engine is worse than it was: it fails or declines what it passed, or fails what it declined.
WORSE: Final[frozenset[Kind]] = frozenset({"regression", "worse", "claimed", "withdrawn"})
#: One line for people, of each kind that is told.
WORDS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "regression": "passed, and does not any more",
        "fix": "did not pass, and does now",
        "worse": "passed on a second try, and on none any more",
        "better": "failed, and passes on a second try now",
        "withdrawn": "passed, and is declined now",
        "taken_up": "was declined, and passes now",
        "claimed": "was declined, and does not pass now",
        "dropped": "did not pass, and is declined now",
        "excused": "fails still, and the baseline excuses it now",
        "unexcused": "fails still, and no baseline excuses it any more",
        "lost": "nothing can be said of it any more",
        "found": "nothing could be said of it before",
        "sideways": "came out otherwise, neither better nor worse",
        "same": "as before",
    }
)

_Standing = Literal["passes", "flaky", "fails", "known", "unreachable", "declined", "open"]
#: A stale entry is a mistake of the baseline: its check has passed.
_STANDING: Final[Mapping[Outcome, _Standing]] = MappingProxyType(
    {
        Outcome.PASSED: "passes",
        Outcome.STALE: "passes",
        Outcome.FLAKY: "flaky",
        Outcome.FAILED: "fails",
        Outcome.EXPECTED_FAILURE: "known",
        Outcome.UNTESTABLE: "unreachable",
        Outcome.UNSUPPORTED: "declined",
        Outcome.NOT_APPLICABLE: "open",
        Outcome.EXCLUDED: "open",
        Outcome.NOT_RUN: "open",
        Outcome.ERROR: "open",
    }
)
_COLUMNS: Final[tuple[_Standing, ...]] = ("passes", "flaky", "fails", "known", "unreachable", "declined", "open")
# fmt: off
_TABLE: Final[Mapping[_Standing, tuple[Kind, ...]]] = MappingProxyType({
    # from          to: passes      flaky         fails         known         unreachable   declined     open
    "passes":      ("sideways",   "regression", "regression", "regression", "regression", "withdrawn", "lost"),
    "flaky":       ("fix",        "sideways",   "worse",      "worse",      "worse",      "dropped",   "lost"),
    "fails":       ("fix",        "better",     "sideways",   "excused",    "sideways",   "dropped",   "lost"),
    "known":       ("fix",        "better",     "unexcused",  "sideways",   "sideways",   "dropped",   "lost"),
    "unreachable": ("fix",        "better",     "sideways",   "sideways",   "sideways",   "dropped",   "lost"),
    "declined":    ("taken_up",   "claimed",    "claimed",    "claimed",    "claimed",    "sideways",  "lost"),
    "open":        ("found",      "found",      "found",      "found",      "found",      "found",     "sideways"),
})
# fmt: on


def kind_of(old: Outcome, new: Outcome) -> Kind:
    """Return what it means that one outcome has become the other."""
    if old is new:
        return "same"
    return _TABLE[_STANDING[old]][_COLUMNS.index(_STANDING[new])]


def passes(outcome: Outcome) -> bool:
    """Whether its check has passed, whatever a baseline says of it."""
    return _STANDING[outcome] == "passes"


def fails(outcome: Outcome) -> bool:
    """Whether it is an outcome by which an engine fails, excused or not."""
    return _STANDING[outcome] in {"flaky", "fails", "known", "unreachable"}

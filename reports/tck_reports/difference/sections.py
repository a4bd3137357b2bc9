"""A difference as people read it, in sections of rows: the same for a terminal and for a comment on a change."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tck_reports.difference.kinds import WORDS, WORSE, Kind
from tck_reports.difference.values import Difference, Evidence, Judged, Judgement, Move, Present, Standing
from tck_reports.outcomes import ExitCode, Outcome

#: Kinds of changed requirements that are told after regressions and fixes, in this order.
_LATER: Final[tuple[Kind, ...]] = (
    "better",
    "excused",
    "unexcused",
    "withdrawn",
    "taken_up",
    "dropped",
    "claimed",
    "lost",
    "found",
    "sideways",
    "worse",
    "regression",
    "fix",
)
_JUDGED: Final[Mapping[Judged, str]] = {
    "other words": "judged by other words",
    "other scenarios": "judged by other scenarios",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that changed: its id, what of it in the kit's own words, and texts that are quoted."""

    id: str
    told: str
    quoted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a title; what is not `leading` can be folded away."""

    title: str
    rows: tuple[Row, ...]
    leading: bool = False


def headline(difference: Difference) -> str:
    """Say in one line what a reader has to know."""
    if any(one.spoils and one.subject == "engine" for one in difference.caveats):
        return "Two engines: nothing here is a regression"
    if any(one.spoils and one.subject == "specification" for one in difference.caveats):
        return "Two specifications: nothing here can be called a regression"
    counts = ", ".join(one for one in _counts(difference) if one)
    if difference.exit_code is ExitCode.NONCONFORMANT:
        return counts
    if difference.empty and difference.comparable:
        return "No difference"
    if not difference.comparable:
        told = "Nothing worse was seen, and not everything was looked at"
    elif difference.exit_code is ExitCode.INCOMPLETE:
        told = "It cannot be said that nothing is worse"
    else:
        told = "Nothing is worse"
    return f"{told}: {counts}" if counts else told


def _counts(difference: Difference) -> Iterator[str]:
    """Yield what there is how much of, the worst first."""
    worse = [one for one in difference.regressions if one.kind != "withdrawn"]
    below = [one for one in difference.hidden if one.kind != "withdrawn"]
    yield _count(worse, "regression")
    yield _count(difference.withdrawn, "claim withdrawn", "claims withdrawn")
    yield _count(below, "check worse below what failed before", "checks worse below what failed before")
    yield _count(difference.unwitnessed, "profile is not witnessed any more", "profiles are not witnessed any more")
    yield _count(
        difference.judged_otherwise, "failure under other words or scenarios", "failures under other words or scenarios"
    )
    yield _count(difference.weaker, "pass on weaker evidence", "passes on weaker evidence")
    if not any(one.subject == "incomplete" and one.new for one in difference.caveats):
        yield from _absent(difference)
    yield _count([one for one in difference.fixes if one.kind != "taken_up"], "fix", "fixes")
    yield _count(
        [one for one in difference.fixes if one.kind == "taken_up"], "new claim that passes", "new claims that pass"
    )


def _absent(difference: Difference) -> Iterator[str]:
    """Yield what there is nothing of any more, which half a run says of most."""
    yield _count(difference.lost, "of which nothing can be said any more", "of which nothing can be said any more")
    for rows, what, same, other in (
        (difference.missed_requirements, "requirement", difference.same_set, "another set of requirements"),
        (difference.missed_checks, "check", difference.same_suite, "another suite"),
    ):
        gone = _count(rows, f"{what} that passed is gone", f"{what}s that passed are gone")
        yield gone if same or not gone else f"{gone} ({other})"
    if not (difference.regressions or difference.hidden):
        yield _count(difference.fallen, "profile is not conformant any more", "profiles are not conformant any more")


def verdict(judgement: Judgement) -> tuple[str, str]:
    """Return the verdicts on a profile before and now."""
    return _standing(judgement.old), _standing(judgement.new)


def sections(difference: Difference) -> tuple[Section, ...]:
    """Return everything that changed, the worst first; sections without rows are left out."""
    return tuple(one for one in _all(difference) if one.rows)


def _all(difference: Difference) -> Iterator[Section]:
    fair = not any(one.spoils and one.subject in {"engine", "specification"} for one in difference.caveats)
    told = {one.id for one in (*difference.regressions, *difference.fixes)} if fair else set[str]()
    if fair:
        yield Section("Regressions", _moves(_but("withdrawn", difference.regressions)), leading=True)
        yield Section("Claims withdrawn", _moves(difference.withdrawn), leading=True)
        yield Section("Worse below what failed before", _moves(_but("withdrawn", difference.hidden)), leading=True)
        otherwise = difference.judged_otherwise
        told |= {one.id for one in otherwise}
        yield Section("Worse, and not judged by the same", _moves(otherwise), leading=True)
        yield Section("Passes on weaker evidence", _evidence(difference.weaker), leading=True)
        yield from _gone(difference)
        yield Section("Fixes", _moves(_but("taken_up", difference.fixes)), leading=True)
        yield Section("New claims that pass", _moves(one for one in difference.fixes if one.kind == "taken_up"))
    for kind in _LATER:
        rest = [one for one in difference.requirements if one.kind == kind and one.id not in told]
        lost = fair and kind == "lost"
        yield Section(f"Requirements: {WORDS[kind]}", _moves(rest), leading=lost)
    yield Section("Checks that came out otherwise", _moves(difference.checks))
    yield Section(
        "Checks that fail for another reason",
        tuple(Row(one.id, "fails still", (f"before: {one.old}", f"now: {one.new}")) for one in difference.reasons),
    )
    yield Section("New requirements", _present(difference.new_requirements))
    if not fair:
        yield from _gone(difference)
    yield Section("New checks", _present(difference.new_checks))
    yield Section("Evidence", _evidence(one for one in difference.evidence if not (fair and one.weaker)))
    yield Section(
        "Requirements that say something else",
        tuple(Row(one.id, one.what, (f"before: {one.old}", f"now: {one.new}")) for one in difference.redefined),
    )


def _but(kind: Kind, moves: Iterable[Move]) -> Iterator[Move]:
    return (one for one in moves if one.kind != kind)


def _gone(difference: Difference) -> Iterator[Section]:
    """Tell what is gone; what passed, and should be there, before anything can be folded away."""
    vanished = {*difference.vanished}
    for title, rows in (
        ("Requirements that are gone", difference.gone_requirements),
        ("Checks that are gone", difference.gone_checks),
    ):
        yield Section(title, _present(rows), leading=not vanished.isdisjoint(rows))


def _present(rows: Iterable[Present]) -> tuple[Row, ...]:
    return tuple(
        Row(one.id, str(one.outcome), (one.reason,) if one.reason and one.outcome is not Outcome.PASSED else ())
        for one in rows
    )


def _evidence(rows: Iterable[Evidence]) -> tuple[Row, ...]:
    return tuple(Row(one.id, _judged(f"{one.outcome}: {one.old or 'none'} → {one.new or 'none'}", one)) for one in rows)


def _judged(told: str, one: Move | Evidence) -> str:
    return told if one.judged is None else f"{told}, {_JUDGED[one.judged]}"


def _moves(moves: Iterable[Move]) -> tuple[Row, ...]:
    return tuple(Row(one.id, _told(one), tuple(_reasons(one))) for one in moves)


def _told(move: Move) -> str:
    told = _judged(f"{move.old} → {move.new}", move)
    return f"{told}, excused by the baseline" if move.new is Outcome.EXPECTED_FAILURE and move.kind in WORSE else told


def _reasons(move: Move) -> Iterator[str]:
    """Yield why it is now as it is, or was, where it passes now."""
    if move.new is Outcome.PASSED:
        if move.old_reason:
            yield f"before: {move.old_reason}"
        return
    if move.new_reason:
        yield move.new_reason
    if move.broke and move.new not in {Outcome.NOT_RUN, Outcome.ERROR}:
        yield move.broke


def _standing(standing: Standing | None) -> str:
    if standing is None:
        return "no verdict"
    told = f"{standing.result} {standing.numerator}/{standing.denominator}"
    return f"{told}, witnessed" if standing.witnessed else told


def _count(rows: Collection[object], one: str, many: str | None = None) -> str:
    return "" if not rows else f"{len(rows)} {one if len(rows) == 1 else many or f'{one}s'}"


def totals(difference: Difference) -> str:
    """Return how many checks came out how, before and now, where that changed."""
    changed = [f"{outcome} {old} → {new}" for outcome, (old, new) in difference.totals.items() if old != new]
    return ", ".join(changed) or ", ".join(f"{outcome} {new}" for outcome, (_, new) in difference.totals.items())


Quote = Callable[[str], str]


def between(difference: Difference, quote: Quote) -> str:
    """Say in one line which engine was judged by what on the two sides."""
    old, new = difference.old, difference.new

    def pair(before: str, after: str) -> str:
        return quote(after) if before == after else f"{quote(before)} → {quote(after)}"

    engine = pair(f"{old.engine} {old.version}", f"{new.engine} {new.version}")
    return f"{engine} against {pair(old.specification, new.specification)}, kit {pair(old.kit, new.kit)}"

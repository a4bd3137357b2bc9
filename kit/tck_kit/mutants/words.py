"""What every format says of a hunt in the same words."""

from __future__ import annotations

from collections.abc import Iterator

from tck_kit.mutants.matrix import Fate, FaultRow, Matrix, PairRow, RequirementRow
from tck_kit.mutants.plan import Breadth


def counts(matrix: Matrix) -> str:
    """Give the one line that says it all."""
    killed = matrix.of(Fate.KILLED)
    told = f"{len(killed)} of {len(matrix.faults)} faults killed by scenarios of their own requirement"
    if matrix.requirements:
        told += f"; {len(matrix.shown)} of {len(matrix.requirements)} requirements shown able to fail"
    return told


def pair_counts(matrix: Matrix) -> str:
    """Say how many pairs were killed."""
    killed = sum(row.fate is Fate.KILLED for row in matrix.pairs)
    return f"{killed} of {len(matrix.pairs)} pairs of faults killed"


def findings(matrix: Matrix) -> Iterator[tuple[str, str, str]]:
    """Give everything that is wrong: a word for it, what it is about, and the rest."""
    for name, meeting in matrix.errors:
        yield "ERROR", name, f"in {meeting.scenario}: {meeting.reason or meeting.outcome} (not the engine's fault)"
    for row in matrix.of(Fate.SURVIVED):
        yield "SURVIVED", row.fault.name, survivor(matrix, row)
    for one in matrix.vacuous:
        yield "VACUOUS", one.entry.id, "no fault breaks it, so nobody has seen it fail"
    for one in matrix.one_sided:
        yield "ONE-SIDED", one.entry.id, one_sided(one)
    for pair in matrix.masked:
        yield "MASKED", pair.pair.name, masked(pair)


def notes(matrix: Matrix) -> Iterator[tuple[str, str, str]]:
    """Give what is worth a look and decides nothing."""
    for row in matrix.faults:
        if row.crashes:
            yield "crash", row.fault.name, "is found out by nothing but that the engine breaks off"
    for scenario in matrix.idle:
        yield "idle", scenario.id, "kills no fault"


def survivor(matrix: Matrix, row: FaultRow) -> str:
    """Say what a fault does that nobody has noticed who should."""
    fault = row.fault
    told = f"{fault.sin} ({fault.requirement}, {fault.kind.value}); none of {row.own} scenarios noticed"
    if row.elsewhere:
        first, *others = row.elsewhere
        more = f" and {len(others)} others" if others else ""
        return f"{told}, by luck elsewhere: {first.scenario}{more}"
    return f"{told}, nor any other" if matrix.plan.breadth is Breadth.FULL else told


def one_sided(row: RequirementRow) -> str:
    """Say in which way alone a requirement was seen to fail."""
    count = len(row.killed)
    faults = "one fault" if count == 1 else f"{count} faults"
    return f"seen to fail by {faults} of one kind ({', '.join(kind.value for kind in row.kinds)}); two kinds are due"


def masked(row: PairRow) -> str:
    """Say what two faults do that hide each other."""
    one, other = row.pair.one, row.pair.other
    return f"{row.pair.why}, and each is killed alone; one {one.sin}, the other {other.sin}"

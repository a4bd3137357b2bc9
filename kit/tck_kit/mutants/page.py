"""`kill-matrix.md`: for people, what each faulty engine does wrong, and which scenarios notice.

`docs/kill-matrix.md` is this file of `session-tck mutants --matrix`; nothing in it depends on when or where that was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tck_kit.mutants import words
from tck_kit.mutants.matrix import Fate, FaultRow, Matrix, ScenarioRow
from tck_kit.mutants.plan import Breadth, area
from tck_reports.plain import visible

_INTRO = """\
# Kill matrix

A check that cannot fail is worth nothing. Each faulty engine below is the reference simulator with one thing wrong; it
goes through the scenarios of the requirement that it breaks, and one of them has to fail and blame the engine for it.
Only then is it *killed*; what another requirement's scenarios notice does not count. For the profiles of the annex it
is the simulator without mailboxes, which plays courses under the policy of a profile.
"""
_MADE = {
    Breadth.FIRST: """\
Made by `session-tck mutants`: every fault has met the scenarios of its own requirement until one killed it. With
`--matrix` it meets all of them, and with `--full` every scenario that there is.
""",
    Breadth.MATRIX: """\
Made by `session-tck mutants --matrix`: every fault has met all scenarios of its own requirement. *Killed by* says how
many of them noticed, and the *first killer* is the first of those in the order in which they are tried.
""",
    Breadth.FULL: """\
Made by `session-tck mutants --full`: every fault has met every scenario. *Killed by* says how many of its own
requirement's scenarios noticed, *in all* how many of all; the *first killer* is the first of its own in the order in
which they are tried.
""",
}
_ROUNDS = """\
A scenario that had killed none of them then met the faults of all other requirements, up to a kill.
"""
_SHOWN = """\
`session-tck run --engine mutant:NAME` shows in full what a fault does.
"""


def page(matrix: Matrix) -> str:
    """Give the whole document."""
    return "\n".join(_lines(matrix)).rstrip("\n") + "\n"


def _lines(matrix: Matrix) -> Iterator[str]:
    yield _INTRO
    yield _MADE[matrix.plan.breadth]
    if matrix.plan.breadth is Breadth.MATRIX and matrix.knows_idle:
        yield _ROUNDS
    yield _SHOWN
    yield from _summary(matrix)
    for name in dict.fromkeys(area(row.fault.requirement) for row in matrix.faults):
        yield f"## {name}\n"
        yield from _area(matrix, [row for row in matrix.faults if area(row.fault.requirement) == name])
        yield ""
    if matrix.pairs:
        yield from _pairs(matrix)
    if matrix.plan.breadth is not Breadth.FIRST:
        yield from _scenarios(matrix)


def _summary(matrix: Matrix) -> Iterator[str]:
    yield f"- {words.counts(matrix)}"
    if matrix.pairs:
        yield f"- {words.pair_counts(matrix)}"
    kinds = Counter(row.fault.kind.value for row in matrix.faults)
    yield f"- kinds: {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}"
    yield f"- seed {matrix.plan.seed}, {len(matrix.plan.scenarios)} scenarios"
    if matrix.plan.narrowed:
        yield "- narrowed down: not everything was asked for"
    if matrix.cut_short is not None:
        yield f"- incomplete: {matrix.cut_short}"
    yield from (f"- **{word}** {_cell(about)}: {_cell(rest)}" for word, about, rest in words.findings(matrix))
    yield ""


def _area(matrix: Matrix, rows: list[FaultRow]) -> Iterator[str]:
    counts = _COUNTS[matrix.plan.breadth]
    yield f"| requirement | fault | kind | sin |{''.join(f' {name} |' for name in counts)} first killer |"
    yield f"|---|---|---|---|{'---:|' * len(counts)}---|"
    for row in rows:
        fault = row.fault
        cells = [fault.requirement, fault.name, fault.kind.value, fault.sin]
        cells += [f"{len(row.killers)} of {row.own}", str(len(row.killers) + len(row.elsewhere))][: len(counts)]
        yield _line(*cells, _first(row))


#: What the tables count in each breadth.
_COUNTS: dict[Breadth, tuple[str, ...]] = {
    Breadth.FIRST: (),
    Breadth.MATRIX: ("killed by",),
    Breadth.FULL: ("killed by", "in all"),
}


def _first(row: FaultRow) -> str:
    if row.first is None:
        return f"**{row.fate}**"
    return row.first.scenario if row.first.way == "assertion" else f"{row.first.scenario} ({row.first.way})"


def _pairs(matrix: Matrix) -> Iterator[str]:
    yield "## Two at once\n"
    yield "| faults | why | first killer |"
    yield "|---|---|---|"
    for row in matrix.pairs:
        first = row.killers[0].scenario if row.killers else f"**{'masked' if row.fate is Fate.SURVIVED else row.fate}**"
        yield _line(row.pair.name, row.pair.why, first)
    yield ""


def _scenarios(matrix: Matrix) -> Iterator[str]:
    rows = matrix.scenarios
    yield "## Scenarios\n"
    yield "How many of the faults of its own requirements each scenario kills.\n"
    if matrix.knows_idle:
        yield from _barren(matrix, rows)
    counts = ("killed", "in all")[: len(_COUNTS[matrix.plan.breadth])]
    for path in dict.fromkeys(row.scenario.path for row in rows):
        own = [row for row in rows if row.scenario.path == path]
        yield f"<details><summary>{path}: {len(own)} scenarios</summary>\n"
        yield f"| scenario |{''.join(f' {name} |' for name in counts)}"
        yield f"|---|{'---:|' * len(counts)}"
        for row in own:
            told = (f"{row.own_kills} of {row.own}", str(row.kills))[: len(counts)]
            yield _line(row.scenario.id.partition("::")[2], *told)
        yield "\n</details>\n"


def _barren(matrix: Matrix, rows: tuple[ScenarioRow, ...]) -> Iterator[str]:
    """Name the scenarios that kill nothing, and those that kill nothing that they should."""
    idle = matrix.idle
    strays = [(row, row.stray) for row in rows if row.stray is not None]
    if idle:
        yield f"{len(idle)} of {len(rows)} scenarios kill no fault:\n"
        yield from (f"- {_cell(scenario.id)}" for scenario in idle)
        yield ""
    else:
        yield f"Every scenario kills a fault{'' if strays else ' of a requirement of its own'}.\n"
    if strays:
        yield f"{len(strays)} of {len(rows)} scenarios kill only faults of requirements that are not theirs:\n"
        for row, fault in strays:
            yield f"- {_cell(row.scenario.id)}: {_cell(fault.name)} ({fault.requirement})"
        yield ""


def _line(*cells: str) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    """Give the text on one line, with nothing in it that a table or HTML would read."""
    flat = " ".join(visible(text).split()).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"[\\`_|\[\]]|(?<!\*)\*(?!\*)", r"\\\g<0>", flat)

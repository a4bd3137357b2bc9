"""`kill-matrix.md`: for people, what each faulty engine does wrong, and which scenarios notice.

`docs/kill-matrix.md` is this file of a full hunt; nothing in it depends on when or where that was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tck_kit.mutants import words
from tck_kit.mutants.matrix import Fate, FaultRow, Matrix
from tck_reports.plain import visible

_INTRO = """\
# Kill matrix

A check that cannot fail is worth nothing. Each faulty engine below is the reference simulator with one thing wrong; it
goes through the scenarios of the requirement that it breaks, and one of them has to fail and blame the engine for it.
Only then is it *killed*; what another requirement's scenarios notice does not count.
"""
_FULL = """\
Here every fault has met every scenario, which `session-tck mutants --full --report-dir FOLDER` does; it writes this
file. `session-tck mutants` stops at the first kill of each fault. `session-tck run --engine mutant:NAME` shows in full
what a fault does.
"""
_FIRST = """\
Here every fault has met the scenarios of its own requirement until one killed it. With `--full` every fault meets every
scenario.
"""


def page(matrix: Matrix) -> str:
    """Give the whole document."""
    return "\n".join(_lines(matrix)).rstrip("\n") + "\n"


def _lines(matrix: Matrix) -> Iterator[str]:
    yield _INTRO
    yield _FULL if matrix.plan.full else _FIRST
    yield from _summary(matrix)
    areas = dict.fromkeys(row.fault.requirement.rpartition("-")[0] for row in matrix.faults)
    for area in areas:
        yield f"## {area}\n"
        yield from _area(matrix, [row for row in matrix.faults if row.fault.requirement.rpartition("-")[0] == area])
        yield ""
    if matrix.pairs:
        yield from _pairs(matrix)
    if matrix.plan.full:
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
    if matrix.plan.full:
        yield "| requirement | fault | kind | sin | killed by | in all | first killer |"
        yield "|---|---|---|---|---:|---:|---|"
    else:
        yield "| requirement | fault | kind | sin | first killer |"
        yield "|---|---|---|---|---|"
    for row in rows:
        fault = row.fault
        cells = [fault.requirement, fault.name, fault.kind.value, fault.sin]
        if matrix.plan.full:
            cells += [f"{len(row.killers)} of {row.own}", str(len(row.killers) + len(row.elsewhere))]
        yield f"| {' | '.join(map(_cell, (*cells, _first(row))))} |"


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
        yield f"| {' | '.join(map(_cell, (row.pair.name, row.pair.why, first)))} |"
    yield ""


def _scenarios(matrix: Matrix) -> Iterator[str]:
    yield "## Scenarios\n"
    idle = matrix.idle
    if idle:
        yield f"{len(idle)} of {len(matrix.plan.scenarios)} scenarios kill no fault:\n"
        yield from (f"- {_cell(scenario.id)}" for scenario in idle)
        yield ""
    elif not matrix.plan.narrowed and matrix.cut_short is None:
        yield "Every scenario kills a fault.\n"
    kills = matrix.kills
    files = dict.fromkeys(scenario.path for scenario in matrix.plan.scenarios)
    for path in files:
        own = [scenario for scenario in matrix.plan.scenarios if scenario.path == path]
        yield f"<details><summary>{path}: {len(own)} scenarios</summary>\n"
        yield "| scenario | faults killed |"
        yield "|---|---:|"
        for scenario in own:
            yield f"| {_cell(scenario.id.partition('::')[2])} | {kills[scenario.id]} |"
        yield "\n</details>\n"


def _cell(text: str) -> str:
    """Give the text on one line, with nothing in it that a table or HTML would read."""
    flat = " ".join(visible(text).split()).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"[\\`_|\[\]]|(?<!\*)\*(?!\*)", r"\\\g<0>", flat)

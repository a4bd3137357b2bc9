"""A run that is shared out over jobs: `--shard 2/5` is the second of five parts of the selected scenarios.

Which part a scenario is of follows from the seed and its name alone, so that jobs which know nothing of each other
have shares that are disjoint, complete and of the same size, whatever Python or machine each of them has.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tck_kit.catalogue import Selection
from tck_kit.faults import UsageFault
from tck_reports.grading import SHARD
from tck_reports.outcomes import Outcome
from tck_reports.parts import MOST_PARTS
from tck_reports.records import CheckRecord, Shard

_FORM: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)
_EXAMPLE: Final = "give number and count, such as --shard 2/5"


def read_shard(text: str) -> Shard:
    """Read what `--shard` was given. Raises `UsageFault` for anything but a number of a count."""
    where = f"--shard {text}"
    form = _FORM.fullmatch(text)
    if form is None:
        raise UsageFault("this is not one part of several", where, _EXAMPLE)
    number, count = int(form[1]), int(form[2])
    if not 1 <= count <= MOST_PARTS:
        raise UsageFault(f"a run is shared out in 1 to {MOST_PARTS:,} parts", where, _EXAMPLE)
    if not 1 <= number <= count:
        raise UsageFault(f"parts are counted from 1 to {count}", where, _EXAMPLE)
    return Shard(number, count)


def chosen_part(text: str, seed: int | None, *, alone: bool) -> Shard:
    """Give the part that a run is asked for. Raises `UsageFault` where jobs could not know each other's shares."""
    shard = read_shard(text)
    where = f"--shard {text}"
    if not alone:
        raise UsageFault("it is for one run", where, "leave it out, or give one engine and one seed, and no --cluster")
    if seed is None:
        raise UsageFault(
            "the seed decides which scenarios are in which part, and every job would draw one of its own",
            where,
            "give all jobs the same, such as --seed 1",
        )
    return shard


def shared_out(selection: Selection, shard: Shard, seed: int) -> Selection:
    """Give one part of a selection, in the order of the suite. Raises `UsageFault` where some part would be empty."""
    chosen = selection.scenarios
    if shard.count > len(chosen):
        raise UsageFault(
            f"{len(chosen)} scenarios are selected, so some of the parts would have none",
            f"--shard {shown(shard)}",
            f"share them out in {max(1, len(chosen))} at most",
        )
    drawn = sorted(chosen, key=lambda one: hashlib.sha256(f"{seed}\n{one.id}".encode()).digest())
    mine = {one.id for one in drawn[shard.number - 1 :: shard.count]}
    return replace(
        selection,
        scenarios=tuple(one for one in chosen if one.id in mine),
        elsewhere=tuple(one for one in chosen if one.id not in mine),
    )


def elsewhere(selection: Selection) -> Iterator[CheckRecord]:
    """Yield a record for each scenario that another part runs: the report of every part names all of them."""
    for one in selection.elsewhere:
        yield CheckRecord(one.id, one.name, one.place, one.requirements, Outcome.NOT_RUN, reason=SHARD)


def shown(shard: Shard) -> str:
    """Write it as `--shard` has it."""
    return f"{shard.number}/{shard.count}"

"""The pieces of a campaign: what one unit is given, how it ended, and what all of them came to.

A unit is small, so that the work can be balanced, and it depends on nothing but what it is given: wherever and in
whatever company it is executed, it gives the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Never, Protocol, TypeVar

from tck_kit.faults import UsageFault

Order = TypeVar("Order")
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

#: What became of a unit: its function returned, it raised or its process fell, or it did not come to its end.
State = Literal["done", "failed", "not run"]
#: No campaign has more seeds for an engine.
MOST_SEEDS = 100_000
_LARGEST_SEED = 2**32 - 1
#: What the folder of a run is called differs with each.
_OF_THE_PROCESS = re.compile(r"session-tck-\d+-\w+")


# Generic ones have no slots: with them Python 3.11 fails where one is made as `Unit[int](…)`.
@dataclass(frozen=True)
class Unit(Generic[Order]):
    """One piece of work: what people call it, once in a campaign, and what its function is given.

    `order` has to go through pickle, and so has the function, which is one of a module.
    """

    name: str
    order: Order


@dataclass(frozen=True)
class Ended(Generic[Result_co]):
    """How a unit ended. `kind` is the name of what was raised, `text` what it said."""

    name: str
    state: State
    result: Result_co | None = None
    kind: str = ""
    text: str = ""
    #: For people alone: it differs from run to run, and has no place in anything that is compared.
    seconds: float = 0.0


@dataclass(frozen=True)
class Harvest(Generic[Result_co]):
    """What a campaign came to: every unit, in the order in which they were given, whoever was first."""

    ended: tuple[Ended[Result_co], ...]
    #: Why not all units were executed, if so.
    cut_short: str | None = None

    @property
    def results(self) -> tuple[Result_co, ...]:
        """What the units gave that came to their end."""
        return tuple(one.result for one in self.ended if one.state == "done" and one.result is not None)

    @property
    def failed(self) -> tuple[Ended[Result_co], ...]:
        """The units that raised, or whose process fell."""
        return tuple(one for one in self.ended if one.state == "failed")


class Watch(Protocol):
    """Is told what happens on the way."""

    def ended(self, unit: Ended[object], done: int, total: int) -> None:
        """Take in how a unit ended: the units that have, and all of them."""
        ...

    def told(self, text: str) -> None:
        """Take in what a person should know, such as that a worker was lost."""
        ...


class Executor(Protocol):
    """Executes the units of a campaign."""

    def perform(
        self,
        function: Callable[[Order], Result],
        units: Sequence[Unit[Order]],
        *,
        watch: Watch,
        seconds: float | None = None,
    ) -> Harvest[Result]:
        """Call the function with what each unit holds.

        An interrupt, or the end of the seconds, ends the units that are at work; what is finished by then is kept.
        Raises `UsageFault` where nothing can be executed at all.
        """
        ...


def refuse_doubled(units: Sequence[Unit[Order]]) -> None:
    """Raise `ValueError` where two units have one name: nobody could tell what became of which."""
    names = [unit.name for unit in units]
    if len({*names}) < len(names):
        raise ValueError(f"two units are called {next(name for name in names if names.count(name) > 1)!r}")


def collected(names: Sequence[str], ended: Iterable[Ended[Result]], cut_short: str | None) -> Harvest[Result]:
    """Put units that ended, in whatever order, into the order of their names; who is missing was not run."""
    known = {one.name: one for one in ended}
    return Harvest(tuple(known.get(name) or Ended(name, "not run") for name in names), cut_short)


def failure(name: str, kind: str, text: str, seconds: float = 0.0) -> Ended[Never]:
    """Write down a unit that raised, in words that are the same wherever it did."""
    return Ended(name, "failed", None, kind, _OF_THE_PROCESS.sub("session-tck-…", text), seconds)


def read_seeds(text: str) -> tuple[int, ...]:
    """Read what `--seeds` says: `1-20`, `1,2,7`, or both as in `1-3,9`. Raises `UsageFault`."""
    seeds: list[int] = []
    for part in text.split(","):
        said = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part, re.ASCII)
        first, last = (0, -1) if said is None else (int(said[1][:12]), int((said[2] or said[1])[:12]))
        if last < first or last > _LARGEST_SEED:
            raise UsageFault(
                f"{part.strip()!r} is no seed and no range of seeds",
                "--seeds",
                f"give such as 1-20 or 1,2,7, up to {_LARGEST_SEED}",
            )
        if len(seeds) + last - first >= MOST_SEEDS:
            raise UsageFault(f"these are more than {MOST_SEEDS:,} seeds", "--seeds", "give fewer")
        seeds.extend(range(first, last + 1))
    if len({*seeds}) < len(seeds):
        twice = next(seed for at, seed in enumerate(seeds) if seed in seeds[:at])
        raise UsageFault(f"seed {twice} stands there twice", "--seeds", "give each once")
    return tuple(seeds)


def split(seeds: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Split seeds into units of so many at most, for workers to share."""
    return [tuple(seeds[at : at + size]) for at in range(0, len(seeds), size)]


def shown_seeds(seeds: Sequence[int]) -> str:
    """Give seeds as `--seeds` takes them: `1-3,9`."""
    parts: list[list[int]] = []
    for seed in sorted(seeds):
        if parts and seed == parts[-1][1] + 1:
            parts[-1][1] = seed
        else:
            parts.append([seed, seed])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)

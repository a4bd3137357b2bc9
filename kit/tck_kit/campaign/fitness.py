"""Whether a worker would give what this process would: by the same kit, specification, scenarios and Python."""

from __future__ import annotations

import platform
from dataclasses import dataclass, fields
from pathlib import Path

from tck_kit import assets


@dataclass(frozen=True, slots=True)
class Suites:
    """What is graded by; None stands for what the kit brings along. Paths are absolute, and the worker's own."""

    specification: Path | None = None
    features: Path | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a unit's result depends on besides what it is given."""

    kit: str
    python: str
    specification: str
    scenarios: str


_NAMES = {"kit": "session-tck", "python": "Python", "specification": "specification", "scenarios": "scenarios"}
#: Digests are shown so far.
_SHOWN = 12


def facts(suites: Suites) -> Facts:
    """Say it of this process."""
    # Not by the catalogue, which loads every step: each worker says this of itself before it is given anything.
    if suites.features is not None and not suites.features.is_dir():
        raise FileNotFoundError(f"there is no folder {suites.features}")
    from tck_spec import load  # noqa: PLC0415 -- whoever only compares needs none of it

    return Facts(
        kit=assets.version(),
        python=".".join(platform.python_version_tuple()[:2]),
        specification=load(suites.specification or assets.specification_file()).digest,
        scenarios=assets.suite_digest(suites.features or assets.scenario_folder()),
    )


def misfit(here: Facts, there: Facts) -> str | None:
    """Say what a worker has otherwise than this process, in one line; None where nothing is."""
    names = [one.name for one in fields(Facts) if getattr(here, one.name) != getattr(there, one.name)]
    told = [f"{_NAMES[name]} {_short(there, name)}, not {_short(here, name)}" for name in names]
    return f"it has {'; '.join(told)}" if told else None


def _short(held: Facts, name: str) -> str:
    value = str(getattr(held, name))
    return value.removeprefix("sha256:")[:_SHOWN] if name in {"specification", "scenarios"} else value

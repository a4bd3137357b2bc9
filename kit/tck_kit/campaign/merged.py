"""What many runs come to: for each engine and requirement the worst outcome, and the seeds that show it.

Nothing of when, where or by whom the runs were made stands here, so the same runs give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, TypedDict

from tck_kit.campaign.fitness import Facts
from tck_kit.campaign.runs import RunGiven
from tck_reports.outcomes import ExitCode, Outcome, worst
from tck_reports.shape import RequirementPart

SCHEMA_ID: Final = "urn:session-tck:schemas/campaign-1.json"
#: Exit codes of runs and whether they were cut short, the worst first; the order is that of a single run's verdict.
_WORST: Final = (
    (ExitCode.FAULT, False),
    (ExitCode.USAGE, False),
    (ExitCode.INCOMPLETE, True),
    (ExitCode.NONCONFORMANT, False),
    (ExitCode.INCOMPLETE, False),
    (ExitCode.STALE_BASELINE, False),
    (ExitCode.CONFORMANT, False),
)
#: Faults of the user among those that keep a run from its report, and all those whose text is enough.
_USAGE: Final = "UsageFault"
_SPOKEN: Final = frozenset({_USAGE, "DriverFault", "SuiteFault"})


class RunPart(TypedDict):
    """One run. `state`: done, no report where a fault kept it from one, or not run."""

    seed: int
    folder: str
    state: str
    cut_short: bool
    exit_code: int
    exit_reason: str
    verdict: dict[str, str]


class EnginePart(TypedDict):
    """One engine, with all its runs."""

    engine: str
    folder: str
    exit_code: int
    runs: list[RunPart]
    flaky: list[str]


class OutcomePart(TypedDict):
    """What a requirement came to with one engine: its worst outcome, and which seeds gave which."""

    outcome: str
    seeds: list[int]
    outcomes: dict[str, list[int]]
    flaky: bool


class MergedRequirement(TypedDict):
    """One requirement, with what it came to with each engine, by the engine's folder."""

    id: str
    level: str
    status: str
    profile: str
    engines: dict[str, OutcomePart]


class Campaign(TypedDict):
    """The whole of `campaign.json`."""

    schema: str
    kit: dict[str, str]
    spec: dict[str, str]
    seeds: list[int]
    complete: bool
    incomplete_reasons: list[str]
    exit_code: int
    exit_reason: str
    engines: list[EnginePart]
    requirements: list[MergedRequirement]


@dataclass(frozen=True, slots=True)
class Frame:
    """What was asked for: the engines by their folders, with what people call them, and the seeds."""

    engines: Mapping[str, str]
    seeds: Sequence[int]
    facts: Facts


def merge(frame: Frame, given: Iterable[RunGiven], cut_short: str | None = None) -> Campaign:
    """Merge what runs gave, in whatever order they did."""
    by_pair = {(one.engine, one.seed): one for one in given}
    engines = [
        _engine(folder, shown, [by_pair.get((folder, seed)) for seed in frame.seeds], frame.seeds)
        for folder, shown in frame.engines.items()
    ]
    requirements = _requirements(frame, by_pair)
    for engine in engines:
        held = [(one["id"], one["engines"].get(engine["folder"])) for one in requirements]
        engine["flaky"] = [name for name, outcome in held if outcome is not None and outcome["flaky"]]
    code, reason = _exit(engines)
    return {
        "schema": SCHEMA_ID,
        "kit": {"version": frame.facts.kit, "suite_digest": frame.facts.scenarios},
        "spec": {"digest": frame.facts.specification},
        "seeds": list(frame.seeds),
        "complete": cut_short is None,
        "incomplete_reasons": [] if cut_short is None else [cut_short],
        "exit_code": code,
        "exit_reason": reason,
        "engines": engines,
        "requirements": requirements,
    }


def encode(campaign: Campaign) -> bytes:
    """Give the bytes of `campaign.json`."""
    return f"{json.dumps(campaign, indent=2, allow_nan=False)}\n".encode("ascii")


def schema() -> dict[str, Any]:
    """Give the JSON Schema (2020-12) of `campaign.json`."""
    text = (files("tck_kit") / "schemas" / "campaign-1.json").read_text(encoding="utf-8")
    held: dict[str, Any] = json.loads(text)
    return held


def _engine(folder: str, shown: str, given: Sequence[RunGiven | None], seeds: Sequence[int]) -> EnginePart:
    runs = [_run(folder, seed, one) for seed, one in zip(seeds, given, strict=True)]
    return {"engine": shown, "folder": folder, "exit_code": _worst(runs)["exit_code"], "runs": runs, "flaky": []}


def _run(folder: str, seed: int, given: RunGiven | None) -> RunPart:
    where = f"{folder}/seed-{seed}"
    if given is None:
        return _without_report(seed, where, "not run", ExitCode.INCOMPLETE, "it was not run, or not to its end")
    if given.report is None:
        code = ExitCode.USAGE if given.kind == _USAGE else ExitCode.FAULT
        text = given.text if given.kind in _SPOKEN else f"{given.kind}: {given.text}"
        return _without_report(seed, where, "no report", code, text)
    return {
        "seed": seed,
        "folder": where,
        "state": "done",
        "cut_short": given.report["run"]["cut_short"] is not None,
        "exit_code": given.report["exit_code"],
        "exit_reason": given.report["exit_reason"],
        "verdict": {profile: one["result"] for profile, one in given.report["verdict"].items()},
    }


def _without_report(seed: int, folder: str, state: str, code: ExitCode, reason: str) -> RunPart:
    return {
        "seed": seed,
        "folder": folder,
        "state": state,
        "cut_short": state == "not run",
        "exit_code": int(code),
        "exit_reason": reason,
        "verdict": {},
    }


def _requirements(frame: Frame, by_pair: Mapping[tuple[str, int], RunGiven]) -> list[MergedRequirement]:
    """Put the outcomes of each requirement together, in the order of the specification."""
    known: dict[str, RequirementPart] = {}
    found: dict[str, dict[str, dict[Outcome, list[int]]]] = {}
    for folder in frame.engines:
        for seed in frame.seeds:
            given = by_pair.get((folder, seed))
            for one in () if given is None or given.report is None else given.report["requirements"]:
                known.setdefault(one["id"], one)
                outcomes = found.setdefault(one["id"], {}).setdefault(folder, {})
                outcomes.setdefault(Outcome(one["outcome"]), []).append(seed)
    return [
        {
            "id": name,
            "level": one["level"],
            "status": one["status"],
            "profile": one["profile"],
            "engines": {folder: _outcome(outcomes) for folder, outcomes in found[name].items()},
        }
        for name, one in known.items()
    ]


def _outcome(outcomes: Mapping[Outcome, list[int]]) -> OutcomePart:
    decides = worst({*outcomes})
    told = {str(outcome): outcomes[outcome] for outcome in Outcome if outcome in outcomes}
    # What was not run for want of time says nothing of the engine.
    flaky = len(outcomes.keys() - {Outcome.NOT_RUN}) > 1
    return {"outcome": str(decides), "seeds": outcomes[decides], "outcomes": told, "flaky": flaky}


def _rank(run: RunPart) -> int:
    code = ExitCode(run["exit_code"])
    return _WORST.index((code, code is ExitCode.INCOMPLETE and run["cut_short"]))


def _worst(runs: Iterable[RunPart]) -> RunPart:
    return min(runs, key=_rank)


def _exit(engines: Sequence[EnginePart]) -> tuple[int, str]:
    """Give the worst exit code of all runs, and the first run that asks for it."""
    named = [(engine["engine"], run) for engine in engines for run in engine["runs"]]
    engine, run = min(named, key=lambda one: _rank(one[1]))
    if run["exit_code"] == ExitCode.CONFORMANT:
        return run["exit_code"], run["exit_reason"]
    return run["exit_code"], f"{engine}, seed {run['seed']}: {run['exit_reason']}"

"""The parts of a run that was shared out over jobs, and what keeps reports from being the parts of one run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from tck_reports.errors import ReportReadError
from tck_reports.grading import SHARD
from tck_reports.outcomes import Outcome
from tck_reports.shape import CheckPart, Report, ShardPart

#: Nobody has more jobs than this for one run.
MOST_PARTS: Final = 1_000
#: How a run says that only some requirements were asked for.
_FILTER: Final = "filter: "


@dataclass(frozen=True, slots=True)
class Part:
    """The report of one part; `where` is what an error calls it."""

    where: str
    report: Report

    @property
    def shard(self) -> ShardPart:
        """Which part it is."""
        shard = self.report["run"]["shard"]
        assert shard is not None  # noqa: S101 -- whatever is merged has been looked at
        return shard

    @property
    def own(self) -> list[CheckPart]:
        """The checks that this part has run, and not one of the others."""
        return [check for check in self.report["checks"] if not _elsewhere(check)]


def whole(parts: Sequence[Part], *, allow_missing: bool) -> tuple[list[Part], list[int]]:
    """Return the parts in their order, and the numbers of those that are not there.

    ReportReadError where they are not the parts of one run, or where one is missing that must not be.
    """
    if not parts:
        raise ReportReadError("there is nothing to merge", "merge", "name the report.json of each part of a run")
    for part in parts:
        _refuse_what_is_no_part(part)
    ordered = sorted(parts, key=lambda part: part.shard["number"])
    _refuse_differences(ordered)
    absent = _absent(ordered, allow_missing=allow_missing)
    _refuse_foreign_checks(ordered)
    return ordered, absent


def _elsewhere(check: CheckPart) -> bool:
    return check["outcome"] == Outcome.NOT_RUN and check["reason"] == SHARD


def _refuse_what_is_no_part(part: Part) -> None:
    run = part.report["run"]
    if run["parts"]:
        raise ReportReadError("was merged already", part.where, "name the reports that it was merged of")
    if run["regraded"] is not None:
        raise ReportReadError("was judged again", part.where, "merge the reports of the runs, and judge that")
    if run["shard"] is None:
        raise ReportReadError(
            "is of a whole run, not of a part", part.where, "merge takes reports of `run --shard`; leave this one out"
        )
    if not 1 <= run["shard"]["number"] <= run["shard"]["count"] <= MOST_PARTS:
        raise ReportReadError(
            f"says that it is part {run['shard']['number']} of {run['shard']['count']}", part.where, "run it again"
        )


def _refuse_differences(parts: Sequence[Part]) -> None:
    """Raise ReportReadError where two parts are not of one run."""
    for one, two in pairwise(parts):
        for what, held, cure in _SAME:
            if (first := held(one.report)) != (second := held(two.report)):
                shown = (
                    f": {first} and {second}" if isinstance(first, str | int) and isinstance(second, str | int) else ""
                )
                raise ReportReadError(f"has another {what} than {one.where}{shown}"[:400], two.where, cure)


def _count(report: Report) -> int:
    shard = report["run"]["shard"]
    return 0 if shard is None else shard["count"]


def _engine(report: Report) -> tuple[str, str, str, str]:
    """Return how the engine was reached, and what else it says of itself; each job may have an address of its own."""
    told, engine = report["implementation"], report["run"]["engine"]
    if all(word.startswith(("http://", "https://")) for word in engine.split()):
        engine = ""
    return report["run"]["transport"], engine, told["language"], told["homepage"]


def _met(report: Report) -> tuple[str, ...]:
    met = report["run"]["surroundings"]
    return met["containers"], met["clis"], met["database"]


def choice(report: Report) -> str | None:
    """Return how the requirements were narrowed down, in the words of the run."""
    told = (report["run"]["filtered"] or "").split("; ")
    return next((text for text in told if text.startswith(_FILTER)), None)


def _named(report: Report) -> frozenset[str]:
    """Return the ids of all scenarios of the run."""
    return frozenset({*(check["id"] for check in report["checks"]), *report["missing_checks"]})


def _absent(parts: Sequence[Part], *, allow_missing: bool) -> list[int]:
    """Return the numbers of the parts that are not there."""
    for one, two in pairwise(parts):
        if one.shard["number"] == two.shard["number"]:
            raise ReportReadError(
                f"is part {two.shard['number']}, and so is {one.where}", two.where, "give one of them, the later one"
            )
    count = parts[0].shard["count"]
    absent = sorted({*range(1, count + 1)} - {part.shard["number"] for part in parts})
    if absent and not allow_missing:
        numbers = ", ".join(map(str, absent[:20]))
        raise ReportReadError(
            f"of {count} parts there is no report of {numbers}",
            parts[0].where,
            "run and name them as well, or give --allow-missing for a report that is not complete",
        )
    return absent


def _refuse_foreign_checks(parts: Sequence[Part]) -> None:
    """Raise ReportReadError where two parts have run the same scenario: then they are not parts of one run."""
    ran = [(part, {check["id"] for check in part.own}) for part in parts]
    for (one, first), (two, second) in combinations(ran, 2):
        if both := sorted(first & second):
            raise ReportReadError(
                f"has run {both[0]!r}, and so has {one.where}"[:400], two.where, "merge the parts of one run"
            )


#: What has to be the same in all parts: in words, where it stands, and what to do where it differs.
_SAME: Final[Sequence[tuple[str, Callable[[Report], object], str]]] = (
    ("number of parts", _count, "merge the parts of one run"),
    ("kit", lambda one: one["kit"]["version"], "run all parts with one version of session-tck"),
    ("suite of scenarios", lambda one: one["kit"]["suite_digest"], "run all parts with the same scenarios"),
    ("specification", lambda one: tuple(one["spec"].values()), "run all parts by the same specification"),
    ("seed", lambda one: one["run"]["seed"], "give all parts the same --seed"),
    ("engine", lambda one: one["implementation"]["name"], "run all parts with the same engine"),
    ("version of the engine", lambda one: one["implementation"]["version"], "run all parts with the same build"),
    ("engine", _engine, "give all parts the same --engine"),
    ("declared policy", lambda one: one["declared"].get("policy"), "run all parts with the same build"),
    ("declared capability", lambda one: one["declared"]["capabilities"], "run all parts with the same build"),
    ("profile", lambda one: (one["run"]["profiles"], one["run"]["asked"]), "give all parts the same --profile"),
    ("number of retries", lambda one: one["run"]["retries"], "give all parts the same --retries"),
    ("baseline", lambda one: None if one["baseline"] is None else one["baseline"]["digest"], "give all the same file"),
    ("kind of containers, CLIs or database", _met, "run all parts in the same surroundings"),
    ("choice of requirements", choice, "give all parts the same --area and --requirement"),
    ("choice of scenarios", _named, "give all parts the same --thorough and --feature"),
)

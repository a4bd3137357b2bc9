"""What every format says about a report in the same words: verdict lines, tallies by area, and failures explained."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tck_reports.outcomes import PRECEDENCE, Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, ControlPart, ExpectationPart, Json, Report, RequirementPart, VerdictPart
from tck_reports.spared import check_for, outcome_for
from tck_reports.verdict import nothing_else

#: The three columns in which people count outcomes.
PASSED: Final = frozenset({Outcome.PASSED})
FAILED: Final = frozenset(
    {Outcome.ERROR, Outcome.FAILED, Outcome.UNTESTABLE, Outcome.STALE, Outcome.FLAKY, Outcome.EXPECTED_FAILURE}
)

FAULT_WORDS: Final[Mapping[str, str]] = {
    "engine": "the engine's",
    "driver": "the driver's, not the engine's",
    "kit": "the kit's, not the engine's",
}
EXIT_WORDS: Final[Mapping[int, str]] = {
    0: "conformant",
    1: "nonconformant",
    2: "usage",
    3: "incomplete",
    4: "kit or driver error",
    5: "stale baseline",
}
#: What an exit code of 0 means where the baseline alone made it so.
EXCUSED: Final = "excused"
#: Options of `run` that say how it is run and not how much of it: whoever repeats a failure gives them again.
_REPEATED: Final = frozenset(
    {
        "--base",
        "--database",
        "--feature",
        "--features",
        "--observe-db",
        "--profile",
        "--runtime",
        "--scenario-time-limit",
        "--specification",
        "--timeout-scale",
    }
)
#: What the name of somebody else's engine begins with, for which the kit has a driver.
_PEER: Final = "peer:"
_REPEATED_FLAGS: Final = frozenset({"--no-project-file", "--thorough"})
#: No shell and no person takes a longer word; a report that holds one was not written by a run.
_LONGEST_WORD: Final = 4_096
#: A scheme, a host, and nothing that an address has only as a percent sign with two digits.
_ADDRESS: Final = re.compile(
    r"https?://[A-Za-z0-9\[](?:[!#$&-;=?-\[\]_a-z~]|%[0-9A-Fa-f]{2})*", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One requirement that did not pass, with the checks that made it so."""

    requirement: RequirementPart
    checks: tuple[CheckPart, ...]


def findings(report: Report) -> tuple[Finding, ...]:
    """Return every requirement that is counted among the failed, worst outcome first, then in the order of the set."""
    checks = {check["id"]: check for check in report["checks"]}
    found = [
        Finding(requirement, _telling(requirement, checks))
        for requirement in report["requirements"]
        if Outcome(requirement["outcome"]) in FAILED
    ]
    return tuple(sorted(found, key=lambda finding: PRECEDENCE.index(Outcome(finding.requirement["outcome"]))))


def _telling(requirement: RequirementPart, checks: Mapping[str, CheckPart]) -> tuple[CheckPart, ...]:
    """Return those of its checks that did not pass and were not declined, worst first."""
    asked = requirement["id"]
    own = [check_for(checks[name], asked) for name in requirement["checks"] if name in checks]
    telling = [check for check in own if outcome_for(check, asked) not in {*PASSED, Outcome.UNSUPPORTED}]
    return tuple(sorted(telling, key=lambda check: PRECEDENCE.index(Outcome(check["outcome"]))))


def broken(check: CheckPart) -> ExpectationPart | None:
    """Return the first expectation that did not hold."""
    return next((one for one in check["expectations"] if not one["held"]), None)


def fault(check: CheckPart) -> str:
    """Say whose fault it is, and of which kind."""
    whose = FAULT_WORDS.get(check["blame"] or "", "not attributed")
    return f"{whose} ({check['reason']})" if check["reason"] else whose


def short(text: str, most: int) -> str:
    """Return the text, cut where it is longer than that, with a note of how much is left out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"


def value_text(value: Json) -> str:
    """Return a JSON value on one line, as JSON, with control characters spelled out."""
    return visible(json.dumps(value, ensure_ascii=False))


def verdict_line(profile: str, verdict: VerdictPart) -> str:
    """Return the one line that says it all, such as `core: conformant 61/61 (witnessed)`."""
    line = f"{profile}: {verdict['result']} {verdict['numerator']}/{verdict['denominator']}"
    if verdict["result"] != "conformant":
        return f"{line} ({verdict['why']})"
    basis = "witnessed" if verdict["witnessed"] else "partly on the engine's own word"
    aside = set_aside(verdict)
    return f"{line} ({basis}, {aside} not counted)" if aside else f"{line} ({basis})"


def control_name(control: ControlPart) -> str:
    """Return the name of a control with what it does wrong."""
    return f"{control['name']} ({control['sin']})" if control["sin"] else control["name"]


def set_aside(verdict: VerdictPart) -> int:
    """Count the requirements that do not stand in the denominator: declined, of another version, or excluded."""
    return sum(verdict["counts"].values()) - verdict["denominator"]


def exit_line(report: Report) -> str:
    """Return the exit code with its meaning and what decided it."""
    word, reason = exit_words(report)
    return f"exit code {report['exit_code']}, {word}: {reason}"


def exit_words(report: Report) -> tuple[str, str]:
    """Return what the exit code means and what decided it.

    An exit code of 0 lets a job pass; `conformant` is said of it only where that is the verdict.
    """
    code, asked = report["exit_code"], set(report["run"]["asked"])
    verdicts = [verdict for profile, verdict in report["verdict"].items() if profile in asked]
    if code or all(one["result"] == "conformant" for one in verdicts):
        return EXIT_WORDS[code], report["exit_reason"]
    names = {name for one in report["requirements"] if one["profile"] in asked for name in one["checks"]}
    known = sum(one["outcome"] == Outcome.EXPECTED_FAILURE and one["id"] in names for one in report["checks"])
    # An earlier kit wrote here that nothing speaks against the engine.
    return EXCUSED, nothing_else(known) if known else report["exit_reason"]


def surroundings_line(report: Report) -> str:
    """Return what the engine met, in one sentence."""
    met = report["run"]["surroundings"]
    return (
        f"Containers: {met['containers']}, isolation {met['isolation']}; agent CLIs: {met['clis']}; "
        f"database: {met['database']}."
    )


def not_exercised_line(report: Report) -> str:
    """Return which real parts had no share in the run, each with the way to it; empty where all had one."""
    parts = [f"{one['part']} ({one['how']})" for one in report["run"]["surroundings"]["not_exercised"]]
    return f"Not exercised: {'; '.join(parts)}." if parts else ""


def shard_line(report: Report) -> str:
    """Return which part of the scenarios was run, or of how many reports this one was merged; empty for a whole run."""
    run = report["run"]
    if run["shard"] is not None:
        return f"Part {run['shard']['number']} of {run['shard']['count']} of the scenarios."
    return f"Merged of {len(run['parts'])} parts." if run["parts"] else ""


def reproduce(report: Report, *requirements: str) -> str:
    """Return the command that runs what these requirements ask for as this run did, on one line, quoted for a shell."""
    words = ["session-tck", *_command(report)]
    for requirement in requirements:
        words += ["--requirement", requirement]
    words += ["--seed", str(report["run"]["seed"]), *_repeated(report["run"]["argv"])]
    return visible(shlex.join(words)).replace("\n", "\\n")


def _command(report: Report) -> list[str]:
    """Return the command and the engine; one for which the kit has a driver has a command of its own."""
    engine = report["run"]["engine"]
    if engine.startswith(_PEER) and len(engine) <= _LONGEST_WORD:
        return ["peers", "run", engine.removeprefix(_PEER)]
    return ["run", *_engine(report)]


def _engine(report: Report) -> list[str]:
    """Return how the engine is named; what a project file names, with folder and environment, it names again."""
    engine, argv = report["run"]["engine"], report["run"]["argv"]
    named = any(word == "--engine" or word.startswith("--engine=") for word in argv)
    own = engine.startswith(("sim", "mutant:")) and " " not in engine
    return ["--engine", engine] if engine and len(engine) <= _LONGEST_WORD and (named or own) else []


def _repeated(argv: Iterable[str]) -> Iterator[str]:
    """Yield those options of a run that bear on what its scenarios do."""
    words = iter(argv)
    for word in words:
        name, joined, value = word.partition("=")
        if word in _REPEATED_FLAGS:
            yield word
        elif name in _REPEATED:
            value = value if joined else next(words, "")
            if value and len(value) <= _LONGEST_WORD:
                yield from (name, value)


def address(text: str) -> str | None:
    """Return the address of a page if it is one that a browser may be sent to: `http` or `https`, and whole."""
    return text if _ADDRESS.fullmatch(text) and len(text) <= _LONGEST_WORD else None


def profiles(report: Report) -> tuple[str, ...]:
    """Return the profiles that have a verdict, in its order."""
    return tuple(report["verdict"])


def areas(report: Report) -> dict[str, list[RequirementPart]]:
    """Return the requirements of the profiles that have a verdict, by area, both in the order of the set."""
    by_area: dict[str, list[RequirementPart]] = {}
    for requirement in report["requirements"]:
        if requirement["profile"] in report["verdict"]:
            by_area.setdefault(requirement["area"], []).append(requirement)
    return by_area


def tally(requirements: Iterable[RequirementPart]) -> tuple[int, int, int]:
    """Count the passed, the failed and the other ones."""
    outcomes = [Outcome(one["outcome"]) for one in requirements]
    passed, failed = (sum(outcome in group for outcome in outcomes) for group in (PASSED, FAILED))
    return passed, failed, len(outcomes) - passed - failed

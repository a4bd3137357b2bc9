"""The report as Cucumber Messages, one JSON object per line, for whatever renders or collects those.

A report has no feature files, so their text is made of the sentences that were run (`feature_sources`). A step passed,
failed with what was expected and what came, or was not reached; what no step did (a check that passed against the
baseline, one that fell before its first step) is told by a hook after them all.
<https://github.com/cucumber/messages>
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from tck_reports.explain import exit_line, fault, reproduce
from tck_reports.formats.feature_sources import sources
from tck_reports.formats.moments import milliseconds
from tck_reports.formats.story import excuses, looked_at, message, went
from tck_reports.outcomes import MEANINGS, JUnitForm, Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, Report
from tck_reports.spared import broken_for

Message = Mapping[str, Any]

#: The version of the messages that these are.
PROTOCOL: Final = "34.2.1"
#: Pieces of evidence that are attached to one scenario; the report has all.
_MOST_ATTACHED: Final = 20
_STATUSES: Final[Mapping[JUnitForm, str]] = {
    "testcase": "PASSED",
    "failure": "FAILED",
    "error": "FAILED",
    "skipped": "SKIPPED",
    "absent": "SKIPPED",
}
_RUN, _HOOK, _DEFINITION = "run", "hook", "definition"
_GHERKIN: Final = "text/x.cucumber.gherkin+plain"
#: Milliseconds; beyond them lies the year 9999, and nothing that was measured.
_LATEST: Final = 253_402_300_799_999


@dataclass(frozen=True, slots=True)
class Try:
    """One try of a scenario: the status of each of its steps, that of the hook after them, and what is told of it."""

    steps: tuple[str, ...]
    hook: str | None
    told: str
    evidence: Sequence[str] = ()
    milliseconds: float = 0.0

    @property
    def place(self) -> int:
        """Which step, the hook being the last one, tells what came."""
        if self.hook is not None:
            return len(self.steps)
        return next((place for place, status in enumerate(self.steps) if status != "PASSED"), len(self.steps) - 1)


def render(report: Report) -> str:
    """Return all messages, one a line."""
    return b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in messages(report)).decode()


def messages(report: Report) -> Iterator[Message]:
    """Yield what Cucumber would have said of this run."""
    started = _instant(milliseconds(report["run"]["started"]))
    finished = _instant(milliseconds(report["run"]["finished"]))
    yield {"meta": _meta(report)}
    pickles: list[tuple[CheckPart, Message]] = []
    for source in sources(report):
        yield {"source": {"uri": source.uri, "data": source.text, "mediaType": _GHERKIN}}
        yield {"gherkinDocument": source.document}
        yield from ({"pickle": one} for one in source.pickles)
        pickles += zip(source.checks, source.pickles, strict=True)
    here = {"uri": "session-tck"}
    everything = {"source": ".*", "type": "REGULAR_EXPRESSION"}
    yield {"stepDefinition": {"id": _DEFINITION, "pattern": everything, "sourceReference": here}}
    name = "what the kit concludes"
    yield {"hook": {"id": _HOOK, "name": name, "sourceReference": here, "type": "AFTER_TEST_CASE"}}
    yield {"testRunStarted": {"id": _RUN, "timestamp": started}}
    for number, (check, pickle) in enumerate(pickles):
        yield from _case(f"case-{number}", pickle, _tries(check, report), milliseconds(report["run"]["started"]))
    ended = {"testRunStartedId": _RUN, "success": report["exit_code"] == 0, "timestamp": finished}
    yield {"testRunFinished": {**ended, "message": visible(exit_line(report))}}


def _meta(report: Report) -> Message:
    host = {name: visible(value) for name, value in report["run"]["host"].items()}
    return {
        "protocolVersion": PROTOCOL,
        "implementation": {"name": "session-tck", "version": visible(report["kit"]["version"])},
        "runtime": {"name": "Python", "version": host.get("python", "")},
        "os": {"name": host.get("system", "")},
        "cpu": {"name": host.get("machine", "")},
    }


def _tries(check: CheckPart, report: Report) -> list[Try]:
    """Return all tries of a scenario, the one that counts last."""
    earlier = [_tried(check, one["outcome"], None, message(one["outcome"], one["reason"])) for one in check["attempts"]]
    told, evidence = "", check["evidence"][:_MOST_ATTACHED]
    if check["outcome"] != Outcome.PASSED:
        lines = [*(looked_at(check) or [message(check["outcome"], check["reason"])]), *excuses(check)]
        lines += [f"fault: {fault(check)}", f"repeat with: {reproduce(report, *broken_for(check)[:1])}"]
        told = "\n".join(lines)
    return [*earlier, _tried(check, check["outcome"], check["failed_step"], told, evidence, check["duration_ms"])]


def _tried(  # noqa: PLR0917 -- the parts of a try, in its order
    check: CheckPart,
    outcome: str,
    failed_step: str | None,
    told: str,
    evidence: Sequence[str] = (),
    duration: float = 0.0,
) -> Try:
    status, reached = _STATUSES[MEANINGS[Outcome(outcome)].junit], went(check, outcome, failed_step)
    words = {"held": "PASSED", "broke": status, "unreached": "SKIPPED"}
    shown = "broke" in reached or (status == "PASSED" and reached)
    return Try(tuple(words[one] for one in reached), None if shown else status, told, evidence, duration)


def _case(name: str, pickle: Message, tries: Sequence[Try], started: int) -> Iterator[Message]:
    """Yield a test case with its steps, and what each try of it gave."""
    steps: list[dict[str, Any]] = [
        {
            "id": f"{name}-step-{place}",
            "pickleStepId": step["id"],
            "stepDefinitionIds": [_DEFINITION],
            "stepMatchArgumentsLists": [{"stepMatchArguments": []}],
        }
        for place, step in enumerate(pickle["steps"])
    ]
    if any(one.hook is not None for one in tries):
        steps.append({"id": f"{name}-hook", "hookId": _HOOK})
    yield {"testCase": {"id": name, "pickleId": pickle["id"], "testSteps": steps, "testRunStartedId": _RUN}}
    names = [one["id"] for one in steps]
    for place, one in enumerate(tries):
        yield from _try(name, place, one, names, started, again=place + 1 < len(tries))


def _try(case: str, place: int, one: Try, names: Sequence[str], started: int, *, again: bool) -> Iterator[Message]:
    """Yield one try of a test case, step by step."""
    name = f"{case}-try-{place}"
    begun, ended = _instant(started), _instant(started + one.milliseconds)
    yield {"testCaseStarted": {"id": name, "testCaseId": case, "attempt": place, "timestamp": begun}}
    statuses = [*one.steps, one.hook or "SKIPPED"][: len(names)]
    share = _duration(one.milliseconds / max(1, sum(status != "SKIPPED" for status in statuses)))
    nothing, telling = _duration(0), one.place
    for number, (step, status) in enumerate(zip(names, statuses, strict=True)):
        where = {"testCaseStartedId": name, "testStepId": step}
        yield {"testStepStarted": {**where, "timestamp": begun}}
        result: dict[str, Any] = {"status": status, "duration": nothing if status == "SKIPPED" else share}
        if number == telling:
            for body in one.evidence:
                text = {"body": visible(body), "contentEncoding": "IDENTITY", "mediaType": "text/plain"}
                yield {"attachment": {**text, **where, "timestamp": begun}}
            if one.told:
                result["message"] = visible(one.told)
        yield {"testStepFinished": {**where, "testStepResult": result, "timestamp": ended}}
    yield {"testCaseFinished": {"testCaseStartedId": name, "timestamp": ended, "willBeRetried": again}}


def _instant(at: float) -> Message:
    seconds, rest = divmod(min(at, _LATEST), 1000)
    return {"seconds": int(seconds), "nanos": int(rest * 1_000_000)}


#: A duration is written as a point in time is: what has passed since its beginning.
_duration = _instant

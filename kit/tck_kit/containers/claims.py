"""What the proof claims of a story, one claim a line of a table, and the evidence for each.

A claim that rests on what the CLI says of itself would prove nothing, so each rests on the model server's log, on the
rows of the engine, on what the container engine made, or on what was seen from inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tck_driver.vocabulary import FallbackReason, RunOutcome
from tck_fakes.images.inside import CANARY, END, START, TOLD
from tck_kit.containers.story import Issue, Run, Story
from tck_simulator.adapters.base import WORKDIR


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, whether it holds, and by what that is known."""

    name: str
    holds: bool
    evidence: str

    def fields(self) -> dict[str, object]:
        """Give it as JSON."""
        return {"claim": self.name, "holds": self.holds, "evidence": self.evidence}


Judged = tuple[bool, str]
Judge = Callable[[Story], Judged]


def _runs(story: Story) -> Sequence[Run]:
    return (*story.proof.runs, *story.control.runs)


def _verified(story: Story) -> Judged:
    if story.reason is not None:
        return False, story.reason
    return story.version is not None, f"`--version` in the image says {story.version}"


def _succeeded(story: Story) -> Judged:
    for issue in (story.proof, story.control):
        for run in issue.runs:
            if run.row.outcome != RunOutcome.SUCCEEDED:
                said = " ".join((run.kept.stderr or run.kept.stdout).split())[-200:]
                return False, f"run {run.row.run} {run.row.outcome} with exit code {run.kept.exit_code}: {said}"
    runs = _runs(story)
    return _whole(story), f"{len(runs)} runs, each with exit code 0 and an answer"


def _whole(story: Story) -> bool:
    return all(len(issue.runs) == 2 for issue in (story.proof, story.control))  # noqa: PLR2004 -- the two of each issue


def _apart(story: Story) -> Judged:
    first, second = (run.kept for run in story.proof.runs)
    gone = first.gone is not None and first.gone < second.began
    names = f"{first.container[:12]} and {second.container[:12]}"
    when = "the first was removed before the second began" if gone else "the first was still there"
    return first.container != second.container and gone, f"{names}; {when}"


def _history(story: Story) -> Judged:
    """Look for the first run's prompt in the request that carries the second one's, in the second container's log."""
    first, second = story.proof.runs
    asking = [asked for asked in second.asked if holds(asked.prompts, second.prompt)]
    if not asking:
        return False, f"none of {len(second.asked)} requests in the second container holds its own prompt"
    found = [asked for asked in asking if _before(asked.prompts, first.prompt, second.prompt)]
    if not found:
        return False, f"request {asking[0].number} in the second container does not hold the first run's prompt"
    prompts = len(found[0].prompts)
    return (
        True,
        f"request {found[0].number} in the second container holds {prompts} prompts, the first run's before its own",
    )


def _same_id(story: Story) -> Judged:
    first, second = (run.row for run in story.proof.runs)
    same = first.native_session_id is not None and first.native_session_id == second.native_session_id
    told = f"llm_sessions has {first.native_session_id} for both"
    if not same:
        told = f"llm_sessions has {first.native_session_id}, then {second.native_session_id}"
    shown = f"{told}; resumed {str(second.resumed).lower()}, fallback {second.resume_fallback or 'none'}"
    return same and second.resumed and second.resume_fallback is None, shown


def _only_state(story: Story) -> Judged:
    """Compare the mounts of the two containers, as the container engine lists them."""
    first, second = (_mounts(run) for run in story.proof.runs)
    asked = [
        {mount.target: mount.source for mount in run.kept.request.mounts} | {str(TOLD): str(run.kept.told)}
        for run in story.proof.runs
    ]
    shared = sorted(target for target, source in first.items() if source in second.values())
    state = sorted({*first} - {WORKDIR, str(TOLD)})
    right = [first, second] == asked and len(state) == 1 and shared == state
    extra = "" if right else f"; mounted were {sorted(first)} and {sorted(second)}"
    return right, f"of {len(first)} mounts they share {', '.join(shared) or 'none'}{extra}"


def _mounts(run: Run) -> Mapping[str, str]:
    mounts: Sequence[Mapping[str, str]] = run.kept.made.get("Mounts", [])
    return {mount["Destination"]: mount["Source"] for mount in mounts if mount.get("Type", "bind") == "bind"}


def _rest_is_gone(story: Story) -> Judged:
    """Compare the files of HOME: what the first container had at its end, and the second found at its beginning."""
    first, second = (run.kept for run in story.proof.runs)
    home = f"{first.request.home}/"
    inside = [mount.target.removeprefix(home) + "/" for mount in first.request.mounts if mount.target.startswith(home)]
    left: Sequence[str] = first.seen(END).get("home", [])
    found: Sequence[str] = second.seen(START).get("home", [])
    kept = {name for name in left if name.startswith(tuple(inside))}
    rest = {*left} - kept
    right = CANARY in rest and bool(kept) and {*found} == kept
    other = {*found} - kept
    extra = f"; also {', '.join(sorted(other)[:3])}" if other else ""
    return right, f"of {len(left)} files in HOME the second found the {len({*found} & kept)} of the state{extra}"


def _closed(story: Story) -> Judged:
    """Ask inside and outside: what the container engine made, and what the first process could see."""
    for run in _runs(story):
        made: Mapping[str, object] = run.kept.made.get("HostConfig", {})
        seen = run.kept.seen(START)
        status: Mapping[str, str] = seen.get("status", {})
        open_ = {
            "a network": made.get("NetworkMode") != "none" or seen.get("interfaces") != ["lo"],
            "a root file system that can be written": made.get("ReadonlyRootfs") is not True
            or seen.get("root_writable") is not False,
            "root": not seen.get("uid"),
            "capabilities": status.get("CapEff", "").strip("0") != "" or "CapEff" not in status,
            "a way to new privileges": status.get("NoNewPrivs") != "1",
        }
        found = [name for name, there in open_.items() if there]
        if found:
            return False, f"container {run.kept.container[:12]} has {', '.join(found)}"
    return True, "inside: interface lo alone, read-only root, an ordinary user, no capabilities, no new privileges"


def _nothing_else(story: Story) -> Judged:
    """Compare the variables of each container with what the engine asked for and what the image brings."""
    for run in _runs(story):
        config: Mapping[str, Sequence[str]] = run.kept.made.get("Config", {})
        given = {*(f"{name}={value}" for name, value in run.kept.request.environment), *run.kept.image_environment}
        strange = sorted({entry.partition("=")[0] for entry in config.get("Env") or [] if entry not in given})
        if strange:
            return False, f"container {run.kept.container[:12]} was also given {', '.join(strange)}"
    return True, "no variable but those of the request and of the image"


def _forgets(story: Story) -> Judged:
    first, second = story.control.runs
    missing = second.row.resume_fallback == FallbackReason.STATE_MISSING
    other = second.row.native_session_id != first.row.native_session_id
    asking = [asked for asked in second.asked if holds(asked.prompts, second.prompt)]
    remembers = any(holds(asked.prompts, first.prompt) for asked in second.asked)
    told = "holds" if remembers else "does not hold"
    count = len(story.control.state)
    taken = f"{count} file{'' if count == 1 else 's'} taken away"
    shown = f"{taken}; the request {told} the first run's prompt, fallback "
    return (
        count > 0 and missing and other and bool(asking) and not remembers,
        f"{shown}{second.row.resume_fallback or 'none'}",
    )


def _separate(story: Story) -> Judged:
    """Look for either issue's prompts in the other's requests."""
    leaks = [
        (mine.iid, asked.number)
        for mine, others in ((story.proof, story.control), (story.control, story.proof))
        for run in mine.runs
        for asked in run.asked
        if any(holds(asked.prompts, other.prompt) for other in others.runs)
    ]
    total = sum(len(run.asked) for run in _runs(story))
    if leaks:
        return False, f"request {leaks[0][1]} of issue {leaks[0][0]} holds a prompt of the other issue"
    return total > 0, f"none of {total} requests holds a prompt of the other issue"


#: What is claimed, in the order of the table. Those after the second need both runs of both issues.
CLAIMS: Final[tuple[tuple[str, Judge], ...]] = (
    ("the version resumes", _verified),
    ("every run succeeds", _succeeded),
    ("two disposable containers", _apart),
    ("both closed", _closed),
    ("nothing of the caller's", _nothing_else),
    ("only the state is shared", _only_state),
    ("the rest of HOME is gone", _rest_is_gone),
    ("the history is back", _history),
    ("the session is the same", _same_id),
    ("control: without the state it is not", _forgets),
    ("another issue knows nothing", _separate),
)
_ALWAYS: Final = 2


def judged(story: Story) -> tuple[Claim, ...]:
    """Hold a story against every claim; where a run failed, the others cannot be told."""
    whole = _whole(story)
    found: list[Claim] = []
    for number, (name, judge) in enumerate(CLAIMS):
        if number < _ALWAYS or whole:
            holds_, evidence = judge(story)
            found.append(Claim(name, holds_, evidence))
        else:
            found.append(Claim(name, holds=False, evidence="cannot be told, since a run failed"))
    return tuple(found)


_SPACE = re.compile(r"[\s\"\\]+")


def holds(prompts: Sequence[str], prompt: str) -> bool:
    """Tell whether a prompt stands in what the user said, whole and word for word.

    Quotes, backslashes and white space are passed over, since opencode puts some of its own around the words.
    """
    wanted = _SPACE.sub(" ", prompt).strip()
    return any(wanted in _SPACE.sub(" ", said) for said in prompts)


def _before(prompts: Sequence[str], first: str, second: str) -> bool:
    said = _SPACE.sub(" ", "\n".join(prompts))
    places = [said.find(_SPACE.sub(" ", each).strip()) for each in (first, second)]
    return 0 <= places[0] < places[1]


def issues(story: Story) -> list[dict[str, object]]:
    """Give the runs of a story as JSON, for who wants to look for themselves."""
    return [_issue(issue) for issue in (story.proof, story.control)]


def _issue(issue: Issue) -> dict[str, object]:
    return {
        "issue": issue.iid,
        "stateTakenAway": issue.taken,
        "runs": [
            {
                "run": run.row.run,
                "phase": run.row.phase,
                "outcome": run.row.outcome,
                "sessionName": run.row.session_name,
                "nativeSessionId": run.row.native_session_id,
                "resumed": run.row.resumed,
                "resumeFallback": run.row.resume_fallback,
                "container": run.kept.container,
                "argv": list(run.kept.request.argv),
                "exitCode": run.kept.exit_code,
                "mounts": dict(_mounts(run)),
                "requests": [
                    {
                        "number": asked.number,
                        "protocol": asked.protocol,
                        "path": asked.path,
                        "model": asked.model,
                        "prompts": list(asked.prompts),
                    }
                    for asked in run.asked
                ],
            }
            for run in issue.runs
        ],
    }

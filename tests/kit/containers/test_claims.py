"""The claims of the proof: a story in which all hold, and for each a story in which it alone, or it first, does not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tck_driver.views import SessionRow
from tck_driver.vocabulary import MailboxRef
from tck_driver.witness import Mount
from tck_fakes.images.inside import CANARY, END, START, TOLD
from tck_fakes.modelserver.asked import Asked, Turn
from tck_kit.containers.claims import CLAIMS, Claim, holds, issues, judged
from tck_kit.containers.runtime import Kept
from tck_kit.containers.story import Issue, Run, Story
from tck_simulator.ports import ContainerRequest

_STATE = "/home/agent/.claude/projects"
_FILE = ".claude/projects/-workspace/one.jsonl"
_SEEN: Mapping[str, Any] = {
    "uid": 12345,
    "interfaces": ["lo"],
    "root_writable": False,
    "status": {"CapEff": "0000000000000000", "NoNewPrivs": "1"},
    "home": [],
}


def _asked(*prompts: str) -> Asked:
    turns = tuple(Turn("user", prompt) for prompt in prompts)
    return Asked(1, "messages", "/v1/messages", "model", streaming=True, turns=turns, credential="none")


def _kept(folder: Path, number: int, issue: int) -> Kept:
    name, state, worktree = f"container-{number}", f"/base/{issue}", f"/worktrees/{number}"
    # Only the second run of the first issue has something to find.
    home, began = (_FILE,) if number == 2 else (), number * 10.0
    told = folder / name
    told.mkdir()
    (told / START).write_text(json.dumps({**_SEEN, "home": list(home)}), encoding="utf-8")
    (told / END).write_text(json.dumps({**_SEEN, "home": [_FILE, CANARY, ".claude.json"]}), encoding="utf-8")
    mounts = (Mount(worktree, "/workspace"), Mount(state, _STATE))
    request = ContainerRequest("image", ("claude", "-p"), (("HOME", "/home/agent"),), mounts, (), 1000)
    made = {
        "HostConfig": {"NetworkMode": "none", "ReadonlyRootfs": True},
        "Config": {"Env": ["HOME=/home/agent", "PATH=/usr/bin"]},
        "Mounts": [
            *({"Type": "bind", "Source": mount.source, "Destination": mount.target} for mount in mounts),
            {"Type": "bind", "Source": str(told), "Destination": str(TOLD)},
            {"Type": "tmpfs", "Source": "", "Destination": "/run"},
        ],
    }
    id_ = f"{name}-0123456789abcdef"
    return Kept(id_, request, told, made, 0, "out", "", began, began + 1, image_environment=("PATH=/usr/bin",))


def _row(run: int, issue: int, native: str, *, resumed: bool, fallback: str | None) -> SessionRow:
    ref = MailboxRef("acme", "shop", "issue", issue)
    phase = "development" if run % 2 == 0 else "analysis"
    return SessionRow(
        str(run), ref, "claude-code", phase, "p", "m", "agent/one", native, resumed, fallback, "succeeded"
    )


@pytest.fixture
def story(tmp_path: Path) -> Story:
    def run(number: int, issue: int, native: str, asked: tuple[str, ...], **row: Any) -> Run:  # noqa: ANN401 -- a row's
        kept = _kept(tmp_path, number, issue)
        return Run(_row(number, issue, native, **row), kept, (_asked(*asked),), asked[-1])

    fresh = {"resumed": False, "fallback": "no_prior_session"}
    proof = (
        run(1, 1, "id-1", ("prompt of run 1",), **fresh),
        run(2, 1, "id-1", ("prompt of run 1", "prompt of run 2"), resumed=True, fallback=None),
    )
    control = (
        run(3, 2, "id-3", ("prompt of run 3",), **fresh),
        run(4, 2, "id-4", ("prompt of run 4",), resumed=False, fallback="state_missing"),
    )
    return Story(
        "2.1.197",
        None,
        Issue(1, taken=False, state=(_FILE,), runs=proof),
        Issue(2, taken=True, state=(_FILE,), runs=control),
    )


def _failing(story: Story) -> list[str]:
    return [claim.name for claim in judged(story) if not claim.holds]


def test_every_claim_holds_of_a_story_that_went_as_it_must(story: Story) -> None:
    assert _failing(story) == []
    assert [claim.name for claim in judged(story)] == [name for name, _ in CLAIMS]


def _second(story: Story, **changed: Any) -> Story:  # noqa: ANN401 -- any field's
    first, second = story.proof.runs
    return replace(story, proof=replace(story.proof, runs=(first, replace(second, **changed))))


def _row_of_second(story: Story, **changed: Any) -> Story:  # noqa: ANN401 -- any field's
    return _second(story, row=replace(story.proof.runs[1].row, **changed))


def _control(story: Story, **changed: Any) -> Story:  # noqa: ANN401 -- any field's
    first, second = story.control.runs
    return replace(story, control=replace(story.control, runs=(first, replace(second, **changed))))


def _told(story: Story, name: str, **changed: object) -> Story:
    path = story.proof.runs[1].kept.told / name
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changed}), encoding="utf-8")
    return story


def _made(story: Story, **changed: object) -> Story:
    kept = story.proof.runs[1].kept
    kept.made = {**kept.made, "HostConfig": {**kept.made["HostConfig"], **changed}}
    return story


def _given(story: Story, entry: str) -> Story:
    kept = story.proof.runs[1].kept
    kept.made = {**kept.made, "Config": {"Env": [*kept.made["Config"]["Env"], entry]}}
    return story


def _mounted(story: Story, source: str, target: str) -> Story:
    for run in story.proof.runs:
        kept = run.kept
        kept.made = {**kept.made, "Mounts": [*kept.made["Mounts"], {"Source": source, "Destination": target}]}
    return story


def _still_there(story: Story) -> Story:
    story.proof.runs[0].kept.gone = story.proof.runs[1].kept.began + 1
    return story


def _copied(story: Story) -> Story:
    """Let the first container have left nothing in HOME that must be gone, so that its absence shows nothing."""
    path = story.proof.runs[0].kept.told / END
    path.write_text(json.dumps({"home": [_FILE]}), encoding="utf-8")
    return story


_MEMORY, _ID, _CLOSED = "the history is back", "the session is the same", "both closed"
_STATE_ALONE, _GONE = "only the state is shared", "the rest of HOME is gone"
_CONTROL, _OTHER = "control: without the state it is not", "another issue knows nothing"


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        (lambda story: replace(story, reason="version 0.1.0 was not verified to resume"), "the version resumes"),
        (lambda story: replace(story, version=None), "the version resumes"),
        (_still_there, "two disposable containers"),
        (lambda story: _made(story, NetworkMode="bridge"), _CLOSED),
        (lambda story: _made(story, ReadonlyRootfs=False), _CLOSED),
        (lambda story: _told(story, START, interfaces=["eth0", "lo"]), _CLOSED),
        (lambda story: _told(story, START, root_writable=True), _CLOSED),
        (lambda story: _told(story, START, uid=0), _CLOSED),
        (lambda story: _told(story, START, status={"CapEff": "0000000000000400", "NoNewPrivs": "1"}), _CLOSED),
        (lambda story: _told(story, START, status={"CapEff": "0000000000000000", "NoNewPrivs": "0"}), _CLOSED),
        (lambda story: _told(story, START, status={}), _CLOSED),
        (lambda story: _given(story, "HTTPS_PROXY=http://user:secret@proxy"), "nothing of the caller's"),
        (lambda story: _given(story, "HOME=/home/somebody"), "nothing of the caller's"),
        (lambda story: _mounted(story, "/home/somebody/.claude", "/home/agent/.claude"), _STATE_ALONE),
        (lambda story: _told(story, START, home=[_FILE, ".claude.json"]), _GONE),
        (lambda story: _told(story, START, home=[]), _GONE),
        (_copied, _GONE),
        (lambda story: _second(story, asked=(_asked("prompt of run 2"),)), _MEMORY),
        (lambda story: _second(story, asked=(_asked("prompt of run 2", "prompt of run 1"),)), _MEMORY),
        (lambda story: _second(story, asked=(_asked("prompt of run 1"),)), _MEMORY),
        (lambda story: _second(story, asked=()), _MEMORY),
        (lambda story: _row_of_second(story, native_session_id="id-2"), _ID),
        (lambda story: _row_of_second(story, resumed=False), _ID),
        (lambda story: _row_of_second(story, resume_fallback="refused"), _ID),
        (lambda story: _control(story, asked=(_asked("prompt of run 3", "prompt of run 4"),)), _CONTROL),
        (lambda story: _control(story, asked=()), _CONTROL),
        (
            lambda story: _control(story, row=replace(story.control.runs[1].row, resume_fallback="refused")),
            _CONTROL,
        ),
        (lambda story: replace(story, control=replace(story.control, state=())), _CONTROL),
        (lambda story: _control(story, asked=(_asked("prompt of run 1", "prompt of run 4"),)), _OTHER),
        (
            lambda story: _second(story, asked=(_asked("prompt of run 1", "prompt of run 2", "prompt of run 3"),)),
            _OTHER,
        ),
    ],
)
def test_each_claim_fails_where_what_it_says_is_not_so(
    story: Story, change: Callable[[Story], Story], claim: str
) -> None:
    assert _failing(change(story)) == [claim]


def test_where_a_run_failed_nothing_that_needs_it_is_claimed(story: Story) -> None:
    first = story.proof.runs[0]
    first.kept.exit_code, first.kept.stderr = 1, "Error: no trust roots\navailable"
    failed = replace(first, row=replace(first.row, outcome="failed"))
    found = judged(replace(story, proof=replace(story.proof, runs=(failed,))))
    assert found[1] == Claim(
        "every run succeeds", holds=False, evidence="run 1 failed with exit code 1: Error: no trust roots available"
    )
    assert {claim.evidence for claim in found[2:]} == {"cannot be told, since a run failed"}
    assert not any(claim.holds for claim in found[1:])


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (("You work on issue 1.\nPhase: analysis",), True),
        (('"You work on issue 1.\\nPhase: analysis"',), False),
        (('"You work on issue 1.\nPhase: \\"analysis\\""',), True),
        (("Before. You work on issue 1. Phase: analysis After.",), True),
        (("You work on issue 1.", "Phase: analysis"), False),
        (("You work on issue 11.\nPhase: analysis",), False),
        ((), False),
    ],
)
def test_a_prompt_is_found_whole_or_not_at_all(said: tuple[str, ...], *, found: bool) -> None:
    assert holds(said, "You work on issue 1.\nPhase: analysis") is found


def test_the_runs_are_given_for_who_wants_to_look_for_themselves(story: Story) -> None:
    shown = json.loads(json.dumps(issues(story)))
    second = shown[0]["runs"][1]
    assert second["nativeSessionId"] == "id-1"
    assert second["requests"][0]["prompts"] == ["prompt of run 1", "prompt of run 2"]
    assert shown[1]["stateTakenAway"] is True

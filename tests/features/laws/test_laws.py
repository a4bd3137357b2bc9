"""Laws as a whole: a right engine keeps them all, and a breach of one is told by its requirement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.stimuli import RunDue, SettingChanged
from tck_driver.vocabulary import AdapterId, Phase
from tck_driver.witness import CliAnswered, CliStarted, ContainerEnded, ContainerStarted, ForgeWrite, Mount, Record
from tck_features.history.events import Event, Scripted
from tck_features.laws import Laws
from tck_features.world import STATE_PATHS, World

from .stories import ISSUE, OTHER, REVIEW, ChangeRecord, Spoilt, beginning, life, play, sent

CLAUDE, CODEX, OPENCODE, COPILOT = AdapterId.CLAUDE_CODE, AdapterId.CODEX, AdapterId.OPENCODE, AdapterId.COPILOT
FOREIGN = "0badc0de-1111-4222-8333-444455556666"

#: What a long life gives occasion to hold, whatever the engine decides.
HELD = {
    *("NAME-1", "NAME-2", "NAME-3", "NAME-4", "NAME-5", "NAME-6", "NAME-8", "NAME-9", "NAME-10", "NAME-11"),
    *("RESUME-1", "RESUME-4", "RESUME-7", "RESUME-8", "RESUME-10", "RESUME-13", "RESUME-14", "RESUME-16"),
    *("ISOLATE-1", "ISOLATE-2", "ISOLATE-3", "ISOLATE-4", "ISOLATE-5", "ISOLATE-6", "ISOLATE-7", "ISOLATE-9"),
    *("ISOLATE-10", "ISOLATE-11", "ISOLATE-12", "ISOLATE-13", "CLEAN-1", "CLEAN-2", "CLEAN-3", "CLEAN-4", "CLEAN-9"),
    *(
        "CLEAN-5",
        "CLEAN-6",
        "CLEAN-7",
        "CLEAN-8",
        "CLEAN-10",
        "OFF-8",
        "CLEAN-11",
        "FALLBACK-1",
        "FALLBACK-4",
        "FALLBACK-6",
        "FALLBACK-19",
        "OFF-2",
        "OFF-3",
        "OFF-4",
        "OFF-5",
    ),
    *("OFF-6", "OFF-7", "CONTRACT-1", "CONTRACT-2", "RECORD-1", "RECORD-2", "CAPABILITY-7"),
}


@pytest.mark.parametrize("adapter", [CLAUDE, CODEX, OPENCODE, COPILOT])
def test_a_right_engine_keeps_all_laws(adapter: AdapterId, tmp_path: Path) -> None:
    failed, world = play(tmp_path, life(adapter), Laws())
    assert failed is None
    named = {requirement for one in world.checks.expectations for requirement in one.requirements}
    assert HELD - named == set()


def test_laws_that_plant_nothing_leave_the_disk_as_it_is(tmp_path: Path) -> None:
    seen: set[str] = set()

    def look(world: World) -> None:
        seen.update(path.name for path in world.bench.base.parent.rglob("*"))

    failed, _ = play(tmp_path, life(CODEX), Spoilt(Laws(plants=False), disk=look))
    assert failed is None
    assert not {"kept-elsewhere", "stranger-link", ".stranger", "not-the-engine's-own"} & seen


def test_every_expectation_names_a_requirement(tmp_path: Path) -> None:
    _, world = play(tmp_path, life(CLAUDE), Laws())
    assert [one.statement for one in world.checks.expectations if not one.requirements] == []


# --- what is witnessed of a start ------------------------------------------------------------------------------------

TWICE = (*beginning(CLAUDE), *sent(RunDue(ISSUE, Phase.DEVELOPMENT), RunDue(ISSUE, Phase.DEVELOPMENT)))
REFUSED = (
    *beginning(CLAUDE),
    *sent(RunDue(ISSUE, Phase.DEVELOPMENT)),
    Scripted(CLAUDE, (Script("refuse"),)),
    *sent(RunDue(ISSUE, Phase.DEVELOPMENT)),
)
OFF = (
    *beginning(CLAUDE),
    *sent(
        RunDue(OTHER, Phase.DEVELOPMENT),
        SettingChanged("organization", "acme", "", "AGENT_SESSION_RESUME", value=False),
        RunDue(ISSUE, Phase.DEVELOPMENT),
    ),
)
MERGE_REQUEST = (*beginning(CLAUDE), *sent(RunDue(REVIEW, Phase.HUMAN_REVIEW)))


def starts(change: Callable[[CliStarted], CliStarted], *, resumes: bool | None = None) -> ChangeRecord:
    """Change what is witnessed of starts: of all, or of those alone that ask for an id, or that do not."""

    def changed(record: Record) -> Record:
        if isinstance(record, CliStarted) and resumes in (None, record.asked_id is not None):
            return change(record)
        return record

    return changed


def containers(change: Callable[[ContainerStarted], ContainerStarted]) -> ChangeRecord:
    def changed(record: Record) -> Record:
        is_start = isinstance(record, ContainerStarted) and "--version" not in record.argv
        return change(record) if is_start and isinstance(record, ContainerStarted) else record

    return changed


def mounts(change: Callable[[Mount], Mount], target: str = STATE_PATHS[CLAUDE]) -> ChangeRecord:
    def changed(container: ContainerStarted) -> ContainerStarted:
        return replace(
            container, mounts=tuple(change(mount) if mount.target == target else mount for mount in container.mounts)
        )

    return containers(changed)


def with_mount(*more: Mount) -> ChangeRecord:
    return containers(lambda container: replace(container, mounts=(*container.mounts, *more)))


def without(kind: type[Record]) -> ChangeRecord:
    """Let nobody see the ends of containers: what was witnessed instead says nothing of them."""
    return lambda record: ForgeWrite("status", "nothing", "") if isinstance(record, kind) else record


def later(change: Callable[[CliStarted], CliStarted]) -> ChangeRecord:
    """Change fresh starts that come after one that asked for an id."""
    asked: list[str] = []

    def changed(record: Record) -> Record:
        if isinstance(record, CliStarted) and record.asked_id is not None:
            asked.append(record.asked_id)
        elif isinstance(record, CliStarted) and asked:
            return change(record)
        return record

    return changed


def again() -> ChangeRecord:
    """Let a fresh start choose the id that was just asked for."""
    asked: list[str] = []

    def changed(record: Record) -> Record:
        if isinstance(record, CliStarted) and record.asked_id is not None:
            asked.append(record.asked_id)
        elif isinstance(record, CliStarted) and asked:
            return replace(
                record, chosen_id=asked[-1], argv=(*record.argv[:2], "--session-id", asked[-1], *record.argv[4:])
            )
        return record

    return changed


WITNESSED: list[tuple[str, tuple[Event, ...], ChangeRecord, str]] = [
    ("another directory", TWICE, starts(lambda one: replace(one, workdir="/tmp")), "RESUME-8"),  # noqa: S108 -- a path in a container
    ("the most recent one", TWICE, starts(lambda one: replace(one, asked_loosely=True)), "RESUME-10"),
    ("arguments not read", TWICE, starts(lambda one: replace(one, usage_error="error: unknown")), "RESUME-16"),
    ("a prompt in pieces", TWICE, starts(lambda one: replace(one, prompt=f"{one.prompt} more")), "RESUME-16"),
    ("another id", TWICE, starts(lambda one: replace(one, asked_id=FOREIGN), resumes=True), "RESUME-4"),
    ("an option as id", TWICE, starts(lambda one: replace(one, asked_id="--yolo"), resumes=True), "ISOLATE-10"),
    ("no label", TWICE, starts(lambda one: replace(one, label=None)), "NAME-7"),
    ("a label on a resume", TWICE, starts(lambda one: replace(one, label="x"), resumes=True), "NAME-7"),
    ("a prompt without its issue", TWICE, starts(lambda one: replace(one, prompt="Go on."), resumes=True), "RESUME-16"),
    ("an odd new id", TWICE, starts(lambda one: replace(one, chosen_id="x"), resumes=False), "ISOLATE-10"),
    ("read-only sessions", TWICE, mounts(lambda mount: replace(mount, read_only=True)), "ISOLATE-2"),
    ("a link followed", TWICE, mounts(lambda mount: replace(mount, real_source="/etc")), "ISOLATE-9"),
    ("a read-only worktree", TWICE, mounts(lambda one: replace(one, read_only=True), "/workspace"), "ISOLATE-2"),
    (
        "writable credentials",
        TWICE,
        mounts(lambda one: replace(one, read_only=False), "/home/agent/.netrc"),
        "ISOLATE-4",
    ),
    ("the home as well", TWICE, with_mount(Mount("/root", "/home/agent", real_source="/root")), "ISOLATE-4"),
    ("all sessions", TWICE, mounts(lambda one: replace(one, source=one.source.rpartition("/")[0])), "ISOLATE-1"),
    ("another issue's", TWICE, mounts(lambda one: replace(one, source=one.source.replace("-1/", "-12/"))), "ISOLATE-1"),
    ("beside the worktrees", TWICE, mounts(lambda one: replace(one, source="/tmp/state")), "ISOLATE-1"),  # noqa: S108 -- only a path
    ("containers left", TWICE, without(ContainerEnded), "ISOLATE-6"),
    ("no version asked", TWICE, containers(lambda one: replace(one, image="another")), "CAPABILITY-7"),
    ("the refused id again", REFUSED, again(), "FALLBACK-19"),
    (
        "a short second prompt",
        REFUSED,
        later(lambda one: replace(one, prompt="Go on.", argv=("claude", "Go on."))),
        "FALLBACK-19",
    ),
    ("a second start less", REFUSED, later(lambda one: replace(one, argv=one.argv[:1] + one.argv[2:])), "FALLBACK-19"),
    (
        "a mount without a session",
        MERGE_REQUEST,
        with_mount(Mount("/x", STATE_PATHS[CLAUDE], real_source="/x")),
        "OFF-6",
    ),
    (
        "a label without a session",
        OFF,
        containers(lambda one: replace(one, environment=(("OPENCODE_DB", "x"),))),
        "OFF-2",
    ),
]


@pytest.mark.parametrize(
    ("events", "change", "requirement"), [one[1:] for one in WITNESSED], ids=[one[0] for one in WITNESSED]
)
def test_a_start_that_breaks_a_law_is_told_by_its_requirement(
    events: tuple[Event, ...], change: ChangeRecord, requirement: str, tmp_path: Path
) -> None:
    failed, _ = play(tmp_path, events, Spoilt(Laws(), record=change))
    assert failed is not None
    assert requirement in failed.requirements


def test_a_session_that_remembers_another_issue_is_told(tmp_path: Path) -> None:
    def remembers(record: Record) -> Record:
        return replace(record, remembered=("a prompt of nobody",)) if isinstance(record, CliAnswered) else record

    failed, _ = play(tmp_path, TWICE, Spoilt(Laws(), record=remembers))
    assert failed is not None
    assert "ISOLATE-7" in failed.requirements


@pytest.mark.parametrize(
    ("write", "requirement"),
    [
        (ForgeWrite("branch", "acme/shop", "agent/issue-1"), "NAME-6"),
        (ForgeWrite("branch", "acme/shop", "agent/issue-1-add-a-thing"), "NAME-6"),
        (ForgeWrite("merge_request", "acme/shop#1", "agent/issue-1-other\nAdd", 1001), "NAME-6"),
    ],
)
def test_a_branch_that_is_another_or_too_early_is_told(write: ForgeWrite, requirement: str, tmp_path: Path) -> None:
    events = (*beginning(CODEX), *sent(RunDue(ISSUE, Phase.ANALYSIS)))
    failed, _ = play(tmp_path, events, Spoilt(Laws(), record=lambda one: write if isinstance(one, ForgeWrite) else one))
    assert failed is not None
    assert requirement in failed.requirements

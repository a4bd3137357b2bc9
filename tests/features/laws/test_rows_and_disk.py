"""Laws of rows, names and the disk: a breach is told by its requirement, and what is free is let be."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tck_driver.configuration import ProjectConfig
from tck_driver.stimuli import (
    IssueClosed,
    IssueOpened,
    IssueRetitled,
    LeaseExpired,
    PrefixChanged,
    ReconcileDue,
    RunDue,
    SettingChanged,
    Stimulus,
)
from tck_driver.views import InstallationRow, Row, ViewName
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, Phase
from tck_driver.witness import CliStarted, ContainerStarted, Record
from tck_features.history.events import CredentialMounted, Damaged, Event, ProjectThere, RemovalBlocked, TimePassed
from tck_features.laws import Laws
from tck_features.world import World

from .stories import ISSUE, OTHER, REVIEW, Spoilt, beginning, play, sent

CLAUDE, CODEX = AdapterId.CLAUDE_CODE, AdapterId.CODEX
TWICE = (*beginning(CLAUDE), *sent(RunDue(ISSUE, Phase.DEVELOPMENT), RunDue(ISSUE, Phase.DEVELOPMENT)))
MERGE_REQUEST = (*beginning(CLAUDE), *sent(RunDue(REVIEW, Phase.HUMAN_REVIEW)))

# --- what stands in rows ---------------------------------------------------------------------------------------------

#: The case, a history, what each row of it says instead, and what that breaks.
ROWS: list[tuple[str, tuple[Event, ...], dict[str, Any], str]] = [
    ("no name", TWICE, {"session_name": None}, "NAME-11"),
    ("another prefix", TWICE, {"session_name": "x/issue-1-add-a-thing"}, "NAME-1"),
    ("another slug", TWICE, {"session_name": "agent/issue-1-add-a"}, "NAME-8"),
    ("no branch name", TWICE, {"session_name": "agent/issue-1-a..b"}, "NAME-9"),
    ("an odd id", TWICE, {"native_session_id": "../../x"}, "ISOLATE-10"),
    ("a reason of its own", TWICE, {"resume_fallback": "because"}, "RECORD-1"),
    ("a name without a session", MERGE_REQUEST, {"session_name": "x"}, "OFF-7"),
    ("a reason without a session", MERGE_REQUEST, {"resume_fallback": "refused"}, "OFF-6"),
    ("resumed without a session", MERGE_REQUEST, {"resumed": True}, "OFF-7"),
]


@pytest.mark.parametrize(("events", "values", "requirement"), [one[1:] for one in ROWS], ids=[one[0] for one in ROWS])
def test_a_row_that_breaks_a_law_is_told_by_its_requirement(
    events: tuple[Event, ...], values: dict[str, Any], requirement: str, tmp_path: Path
) -> None:
    failed, _ = play(tmp_path, events, Spoilt(Laws(), row=lambda row: replace(row, **values)))
    assert failed is not None
    assert requirement in failed.requirements


@pytest.mark.parametrize(
    ("change", "name", "requirement"),
    [
        (IssueRetitled(ISSUE, "Another title"), "agent/issue-1-another-title", "NAME-4"),
        (PrefixChanged("acme", "shop", "bot-"), "bot-issue-1-add-a-thing", "NAME-5"),
    ],
)
def test_a_name_that_follows_the_title_or_the_prefix_is_told(
    change: Stimulus, name: str, requirement: str, tmp_path: Path
) -> None:
    events = (*TWICE, *sent(change, RunDue(ISSUE, Phase.ANALYSIS)))
    renamed = Spoilt(Laws(), row=lambda row: replace(row, session_name=name), after=len(events) - 1)
    failed, _ = play(tmp_path, events, renamed)
    assert failed is not None
    assert requirement in failed.requirements


# --- what stands on the disk -----------------------------------------------------------------------------------------

STATE = f"acme-shop-issue-1/{CLAUDE}"


def sessions(world: World) -> Path:
    return world.bench.base / ".agent-sessions"


def add(name: str) -> Callable[[World], None]:
    def change(world: World) -> None:
        path = sessions(world) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", encoding="utf-8")

    return change


def remove(name: str) -> Callable[[World], None]:
    return lambda world: shutil.rmtree(sessions(world) / name)


def rewrite(world: World) -> None:
    for path in (sessions(world) / STATE).rglob("*.jsonl"):
        path.write_text("repaired", encoding="utf-8")


def opened(world: World) -> None:
    (sessions(world) / STATE).chmod(0o755)


def restore(world: World) -> None:
    (sessions(world) / STATE).mkdir(parents=True)


def touch_canary(world: World) -> None:
    for path in (world.bench.base.parent / "not-the-engine's-own").iterdir():
        path.write_text("seen by the engine", encoding="utf-8")


def off(*, value: bool) -> SettingChanged:
    return SettingChanged("project", "acme", "shop", "AGENT_SESSION_RESUME", value)


DISK: list[tuple[str, tuple[Event, ...], Callable[[World], None], str]] = [
    ("a note of the engine's", sent(RunDue(ISSUE, Phase.ANALYSIS)), add(f"{STATE}/session-id"), "ISOLATE-13"),
    ("a transcript mended", sent(RunDue(ISSUE, Phase.ANALYSIS)), rewrite, "ISOLATE-13"),
    ("a transcript mended meanwhile", sent(ReconcileDue()), rewrite, "ISOLATE-13"),
    ("an open directory", sent(RunDue(ISSUE, Phase.ANALYSIS)), opened, "ISOLATE-11"),
    ("gone with its run", sent(RunDue(ISSUE, Phase.ANALYSIS)), remove(f"{STATE}/-workspace"), "ISOLATE-6"),
    ("gone with the lease", sent(LeaseExpired(ISSUE)), remove("acme-shop-issue-1"), "CLEAN-6"),
    ("gone with the setting", sent(off(value=False)), remove("acme-shop-issue-1"), "OFF-8"),
    ("gone with its neighbour", sent(IssueClosed(OTHER, Closing.MERGED)), remove("acme-shop-issue-1"), "CLEAN-8"),
    ("gone with the sweep", sent(ReconcileDue()), remove("acme-shop-issue-1"), "CLEAN-4"),
    ("gone with the rows", (TimePassed(40 * 86_400_000),), remove("acme-shop-issue-1"), "CLEAN-7"),
    ("kept when merged", sent(IssueClosed(ISSUE, Closing.MERGED)), restore, "CLEAN-1"),
    ("kept when cancelled", sent(IssueClosed(ISSUE, Closing.UNMERGED)), restore, "CLEAN-2"),
    ("made for a review", sent(RunDue(REVIEW, Phase.HUMAN_REVIEW)), add("acme-shop-mr-1/claude-code/x"), "OFF-6"),
    ("made without a session", sent(off(value=False), RunDue(OTHER, Phase.ANALYSIS)), add("x/y"), "OFF-3"),
    ("a link followed", sent(ReconcileDue()), touch_canary, "CLEAN-9"),
]


@pytest.mark.parametrize(("events", "change", "requirement"), [one[1:] for one in DISK], ids=[one[0] for one in DISK])
def test_a_disk_that_breaks_a_law_is_told_by_its_requirement(
    events: tuple[Event, ...], change: Callable[[World], None], requirement: str, tmp_path: Path
) -> None:
    story = (*TWICE, *events)
    failed, _ = play(tmp_path, story, Spoilt(Laws(), disk=change, after=len(story) - 1))
    assert failed is not None
    assert requirement in failed.requirements


@pytest.mark.parametrize(("how", "requirement"), [("emptied", "ISOLATE-9"), ("removed", "FALLBACK-4")])
def test_a_resume_on_nothing_is_told(how: str, requirement: str, tmp_path: Path) -> None:
    known: list[str] = []

    def resumed(record: Record) -> Record:
        if isinstance(record, CliStarted) and record.chosen_id is not None:
            known.append(record.chosen_id)
            if len(known) > 1:
                return replace(record, asked_id=known[0], chosen_id=None, label=None)
        return record

    damage = Damaged(ISSUE, CLAUDE, "emptied" if how == "emptied" else "removed")
    story = (*beginning(CLAUDE), *sent(RunDue(ISSUE, Phase.ANALYSIS)), damage, *sent(RunDue(ISSUE, Phase.ANALYSIS)))
    failed, _ = play(tmp_path, story, Spoilt(Laws(), record=resumed))
    assert failed is not None
    assert requirement in failed.requirements


def test_a_removal_that_fails_without_a_word_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hide(world: World) -> None:
        monkeypatch.setattr(world, "view", lambda _name, _kind: [])

    story = (*TWICE, RemovalBlocked(ISSUE), *sent(IssueClosed(ISSUE, Closing.MERGED)))
    failed, _ = play(tmp_path, story, Spoilt(Laws(), disk=hide, after=len(story) - 1))
    assert failed is not None
    assert {"CLEAN-11", "CLEAN-1"} <= {*failed.requirements}


# --- what is taken and recorded --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "right"),
    [
        ("/home/agent/.codex/sessions", True),
        ("/home/agent/.codex/x/../sessions/y", True),
        ("/home/agent", True),
        ("/home/agent/.codex/sessions2", False),
        ("/home/agent/.netrc", False),
    ],
)
def test_credentials_that_overlap_sessions_are_refused_and_no_others(
    target: str, tmp_path: Path, *, right: bool
) -> None:
    story: tuple[Event, ...] = (
        ProjectThere(ProjectConfig.of("acme", "shop", CODEX)),
        CredentialMounted(target),
        *sent(ReconcileDue()),
    )
    failed, world = play(tmp_path / "right", story, Laws())
    assert (failed, world.refusal is not None) == (None, right)

    def turned(world: World) -> None:
        world.refusal = "AGENT_CREDENTIAL_MOUNTS" if world.refusal is None else None

    failed, _ = play(tmp_path / "wrong", story, Spoilt(Laws(), disk=turned, after=len(story) - 1))
    assert failed is not None
    assert "ISOLATE-5" in failed.requirements


@pytest.mark.parametrize(
    ("adapter", "values", "requirement"),
    [
        (AdapterId.GROK_BUILD, {"resumable_sessions": True}, "CAPABILITY-3"),
        (CODEX, {"resumable_sessions": False}, "CAPABILITY-2"),
        (CODEX, {"session_state_path": None}, "CAPABILITY-1"),
        (CLAUDE, {"session_state_path": "/home/agent/.claude"}, "CAPABILITY-6"),
        (CLAUDE, {"version": "1.0.0"}, "CAPABILITY-2"),
    ],
)
def test_an_installation_that_is_recorded_wrongly_is_told(
    adapter: AdapterId, values: dict[str, Any], requirement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(world: World) -> None:
        real = world.view

        def view(name: ViewName, kind: type[InstallationRow]) -> list[Row]:
            rows: list[Row] = [*real(name, kind)]
            return [
                replace(row, **values) if isinstance(row, InstallationRow) and row.adapter_id == adapter else row
                for row in rows
            ]

        monkeypatch.setattr(world, "view", view)

    failed, _ = play(tmp_path, beginning(CODEX), Spoilt(Laws(), disk=change))
    assert failed is not None
    assert requirement in failed.requirements


# --- names that are taken --------------------------------------------------------------------------------------------

ALIKE = tuple(MailboxRef(organization, project, "issue", 7) for organization, project in (("a-b", "c"), ("A", "b-c")))
NEIGHBOURS: tuple[Event, ...] = (
    *(ProjectThere(ProjectConfig.of(ref.organization, ref.project, CODEX)) for ref in ALIKE),
    *sent(*(IssueOpened(ref, "One") for ref in ALIKE), *(RunDue(ref, Phase.ANALYSIS) for ref in ALIKE)),
)


def mounted(world: World) -> list[str]:
    """The names of the session directories that were mounted, in order."""
    sources = [Path(mount.source) for start in world.bench.witness.of(ContainerStarted) for mount in start.mounts]
    return [path.parent.name for path in sources if path.name == CODEX]


def test_of_two_names_that_differ_by_case_the_first_is_plain(tmp_path: Path) -> None:
    failed, world = play(tmp_path, NEIGHBOURS, Laws())
    assert failed is None
    assert [name.partition("~")[0] for name in mounted(world)] == ["a-b-c-issue-7", "A-b-c-issue-7"]
    assert [len(name.partition("~")[2]) for name in mounted(world)] == [0, 8]


def test_a_directory_that_another_holds_is_told(tmp_path: Path) -> None:
    def shared(record: Record) -> Record:
        if not isinstance(record, ContainerStarted):
            return record
        return replace(
            record,
            mounts=tuple(
                replace(mount, source=f"{Path(mount.source).parent.parent}/a-b-c-issue-7/codex")
                if "~" in mount.source
                else mount
                for mount in record.mounts
            ),
        )

    failed, _ = play(tmp_path, NEIGHBOURS, Spoilt(Laws(), record=shared))
    assert failed is not None
    assert {"ISOLATE-3", "ISOLATE-8"} <= {*failed.requirements}


def test_an_ended_issue_holds_its_name_until_it_is_removed(tmp_path: Path) -> None:
    story = (
        *NEIGHBOURS[:-1],
        RemovalBlocked(ALIKE[0]),
        *sent(IssueClosed(ALIKE[0], Closing.MERGED), RunDue(ALIKE[1], Phase.ANALYSIS)),
        RemovalBlocked(ALIKE[0], blocked=False),
        *sent(ReconcileDue(), RunDue(ALIKE[1], Phase.ANALYSIS)),
    )
    failed, world = play(tmp_path, story, Laws())
    assert failed is None
    assert [len(name.partition("~")[2]) for name in mounted(world)] == [0, 8, 8]


def test_a_title_that_no_prompt_can_hold_and_an_older_one_in_the_name_are_let_be(tmp_path: Path) -> None:
    odd = IssueRetitled(ISSUE, "half \udfff pair")
    story = (*beginning(CODEX), *sent(RunDue(ISSUE, Phase.CI_FIX), odd, RunDue(ISSUE, Phase.CI_FIX)))
    failed, _ = play(tmp_path, story, Laws())
    assert failed is None

"""A history is played on a world: watchers see each event, and what makes no sense any more does no harm."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tck_driver.bench import Script
from tck_driver.configuration import ProjectConfig
from tck_driver.errors import KitError
from tck_driver.stimuli import IssueClosed, IssueOpened, IssueReopened, ReconcileDue, RunDue
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, Phase
from tck_features.checks import ExpectationFailedError
from tck_features.history.events import (
    CredentialMounted,
    Damaged,
    IdOverwritten,
    ProjectThere,
    Released,
    RemovalBlocked,
    Restarted,
    Scripted,
    Sent,
    SettingStored,
    TimePassed,
)
from tck_features.history.history import Happened
from tck_features.history.play import Player
from tck_features.history.wording import BEGINNING, END
from tck_features.library import LIBRARY
from tck_features.world import World
from tck_kit.laboratory import Laboratory

DAY = 86_400_000
ISSUE = MailboxRef("acme", "shop", "issue", 7)
PROJECT = ProjectThere(ProjectConfig.of("acme", "shop", AdapterId.CODEX))
OPENED = Sent(IssueOpened(ISSUE, "Mend the door"))
RUN = Sent(RunDue(ISSUE, Phase.DEVELOPMENT))
CLOSED = Sent(IssueClosed(ISSUE, Closing.MERGED))


@pytest.fixture
def laboratory(tmp_path: Path) -> Generator[Laboratory]:
    made = Laboratory.in_process(tmp_path / "laboratory", 1, "0")
    yield made
    made.close()


@pytest.fixture
def player(laboratory: Laboratory) -> Generator[Player]:
    made = Player(laboratory.world("history"))
    yield made
    laboratory.end(made.world)


def folders(player: Player) -> list[str]:
    return [path.name for path in player.world.state_paths()]


class Watching:
    """Keeps what it sees; with a number, expects no more runs than that."""

    def __init__(self, most: int = 99) -> None:
        self.seen: list[Happened] = []
        self.most = most

    def saw(self, world: World, happened: Happened) -> None:
        self.seen.append(happened)
        world.checks.expect("few runs", expected=True, actual=len(happened.table) <= self.most, rests_on="witnessed")


def test_a_watcher_sees_each_event_with_what_lay_between(laboratory: Laboratory) -> None:
    watcher = Watching()
    player = Player(laboratory.world("history"), [watcher])
    player.play([PROJECT, OPENED, RUN, TimePassed(DAY)])

    assert [one.event for one in watcher.seen] == [PROJECT, OPENED, RUN, TimePassed(DAY)]
    assert [one.since for one in watcher.seen[1:]] == [one.until for one in watcher.seen[:-1]]
    assert [len(one.table) for one in watcher.seen] == [0, 0, 1, 1]
    assert [None if one.result is None else one.result.outcome for one in watcher.seen] == [
        None,
        None,
        "succeeded",
        None,
    ]
    assert (watcher.seen[3].ended - watcher.seen[3].begun).days == 1
    laboratory.end(player.world)


def test_a_history_ends_where_a_watcher_says_so(laboratory: Laboratory) -> None:
    watcher = Watching(most=1)
    player = Player(laboratory.world("history"), [watcher])

    with pytest.raises(ExpectationFailedError, match="few runs"):
        player.play([PROJECT, OPENED, RUN, RUN, RUN])
    assert len(player.played) == 4
    laboratory.end(player.world)


def test_to_an_engine_that_refused_its_configuration_nothing_happens(player: Player) -> None:
    player.play([PROJECT, CredentialMounted("/home/agent/.codex/sessions"), OPENED, RUN, Restarted(), TimePassed(1)])

    assert all("AGENT_CREDENTIAL_MOUNTS" in (one.refusal or "") for one in player.played[2:])
    assert player.world.table() == ()


def test_a_row_that_was_deleted_is_not_overwritten(player: Player) -> None:
    stored = SettingStored(("instance", "", "", "RETENTION_DAYS", 1))
    player.play([stored, PROJECT, OPENED, RUN, TimePassed(3 * DAY), Sent(ReconcileDue()), RUN])
    player.play([IdOverwritten(ISSUE, 0, "x"), IdOverwritten(ISSUE, 1, "y"), IdOverwritten(ISSUE, 9, "z")])

    assert [row.native_session_id for row in player.world.table()] == ["y"]


@pytest.mark.parametrize("how", ["removed", "emptied", "cut", "zeroed", "linked"])
def test_state_is_damaged_where_the_last_run_had_it(player: Player, how: str) -> None:
    player.play([PROJECT, OPENED, RUN])
    state = player.state_dir(ISSUE, AdapterId.CODEX)
    assert state is not None
    before = sum(len(path.read_bytes()) for path in state.rglob("*") if path.is_file())
    player.play([Damaged(ISSUE, AdapterId.CODEX, how), Damaged(ISSUE, AdapterId.COPILOT, how)])  # type: ignore[arg-type]

    files = [path.read_bytes() for path in state.rglob("*") if path.is_file()]
    match how:
        case "removed":
            assert not state.exists()
        case "emptied":
            assert state.is_dir()
            assert files == []
        case "cut":
            assert {len(one) for one in files} == {7}
        case "zeroed":
            assert sum(map(len, files)) == before
            assert {*b"".join(files)} == {0}
        case _:
            assert state.is_symlink()
            assert (state / "kept.txt").read_text(encoding="utf-8") == "not the engine's"


def test_a_directory_that_is_held_stays_that_one_whatever_comes_after_it(player: Player) -> None:
    player.play([PROJECT, OPENED, RUN, RemovalBlocked(ISSUE), CLOSED, Sent(IssueReopened(ISSUE)), RUN])
    held, other = folders(player)
    assert held == "acme-shop-issue-7"
    assert other.startswith("acme-shop-issue-7~")

    player.play([RemovalBlocked(ISSUE, blocked=False), Sent(ReconcileDue())])
    assert folders(player) == [other]


def test_what_is_held_is_not_damaged(player: Player) -> None:
    player.play([PROJECT, OPENED, RUN, RemovalBlocked(ISSUE), Damaged(ISSUE, AdapterId.CODEX, "removed")])

    state = player.state_dir(ISSUE, AdapterId.CODEX)
    assert state is not None
    assert state.is_dir()


def test_without_a_run_there_is_nothing_to_be_damaged_or_held(player: Player) -> None:
    player.play([PROJECT, OPENED, Damaged(ISSUE, AdapterId.CODEX, "removed"), RemovalBlocked(ISSUE)])
    player.play([RemovalBlocked(ISSUE, blocked=False), IdOverwritten(ISSUE, 0, "x")])

    assert folders(player) == []


def test_what_hangs_goes_on_when_it_is_released(player: Player) -> None:
    player.play([PROJECT, OPENED, Scripted(AdapterId.CODEX, (Script("hang"),)), RUN])
    assert [row.outcome for row in player.world.table()] == ["live"]

    player.one(Released())
    assert [row.outcome for row in player.world.table()] == ["succeeded"]


def test_the_last_sentence_looks_at_something_of_its_own(laboratory: Laboratory) -> None:
    world = laboratory.world("history")
    LIBRARY.find("given", BEGINNING)(world)
    LIBRARY.find("given", 'project "acme/shop" is served by codex')(world)
    LIBRARY.find("when", 'issue "acme/shop#7", titled "x", is assigned to the agent')(world)
    before = len(world.checks.expectations)
    LIBRARY.find("then", END)(world)

    assert [one.actual for one in world.checks.expectations[before:]] == [True, ["acme/shop#7"]]
    laboratory.end(world)


def test_an_engine_that_does_nothing_at_all_fails_the_last_sentence(tmp_path: Path) -> None:
    laboratory = Laboratory.in_process(tmp_path / "silent", 1, "0", faulty="silent")
    world = laboratory.world("history")
    world.history = Player(world)
    world.history.play([PROJECT, OPENED])

    with pytest.raises(ExpectationFailedError, match="have a mailbox"):
        LIBRARY.find("then", END)(world)
    laboratory.end(world)
    laboratory.close()


@pytest.mark.parametrize(
    ("before", "kind", "sentence"),
    [
        ([], "given", 'project "acme/shop" is served by codex'),
        ([], "then", END),
        ([BEGINNING], "given", BEGINNING),
    ],
)
def test_a_history_without_its_beginning_or_with_two_is_a_mistake(
    laboratory: Laboratory, before: list[str], kind: str, sentence: str
) -> None:
    world = laboratory.world("history")
    for one in before:
        LIBRARY.find("given", one)(world)

    with pytest.raises(KitError, match=r"first sentence|be the first"):
        LIBRARY.find(kind, sentence)(world)  # type: ignore[arg-type]
    laboratory.end(world)

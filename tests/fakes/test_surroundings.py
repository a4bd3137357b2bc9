"""Tracker, model provider, removal and the bench over all of them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tck_driver.bench import Bench, TrackerAnswer
from tck_driver.views import SessionRow
from tck_driver.vocabulary import AdapterId, MailboxRef
from tck_driver.witness import ForgeWrite, ModelCalled, WitnessLog
from tck_fakes.bench import FakeBench
from tck_fakes.forge import FIRST_MERGE_REQUEST, FakeForge
from tck_fakes.model import FakeModelProvider
from tck_fakes.remover import ProtectingRemover
from tck_fakes.stage import Stage
from tck_simulator.ports import ContainerRequest, Forge, ForgeError, IssueState, ModelAnswer, ModelProvider

ISSUE = MailboxRef("org", "project", "issue", 7)
OTHER = MailboxRef("org", "project", "issue", 8)


def test_an_issue_is_open_and_assigned_until_said_otherwise() -> None:
    forge = FakeForge(WitnessLog())
    forge.set_issue(ISSUE, open_=False, merged=True)
    forge.set_issue(ISSUE, assigned=False)
    assert forge.issue(ISSUE) == IssueState(open=False, assigned=False, merged=True)
    assert forge.issue(OTHER) == IssueState(open=True, assigned=True, merged=False)


ANSWERS: list[tuple[TrackerAnswer, int | None]] = [
    ("404", 404),
    ("500", 500),
    ("503", 503),
    ("401", 401),
    ("403", 403),
    ("429", 429),
    ("timeout", None),
]


@pytest.mark.parametrize(("answer", "status"), ANSWERS)
def test_the_tracker_answers_as_told_for_one_issue_alone(answer: TrackerAnswer, status: int | None) -> None:
    forge = FakeForge(WitnessLog())
    forge.tracker_answers(ISSUE, answer)
    with pytest.raises(ForgeError) as caught:
        forge.issue(ISSUE)
    assert caught.value.status == status
    assert forge.issue(OTHER).open
    forge.tracker_answers(ISSUE, "normal")
    assert forge.issue(ISSUE).open


def test_every_write_is_witnessed() -> None:
    witness = WitnessLog()
    forge: Forge = FakeForge(witness)
    forge.comment(ISSUE, "text")
    forge.add_label(ISSUE, "a")
    forge.remove_label(ISSUE, "a")
    forge.push_branch("org", "project", "agent/issue-7")
    numbers = [forge.open_merge_request(ISSUE, "agent/issue-7", "title") for _ in range(2)]
    assert numbers == [FIRST_MERGE_REQUEST, FIRST_MERGE_REQUEST + 1]
    assert witness.of(ForgeWrite)[:5] == [
        ForgeWrite("comment", "org/project#7", "text"),
        ForgeWrite("label", "org/project#7", "a"),
        ForgeWrite("unlabel", "org/project#7", "a"),
        ForgeWrite("branch", "org/project", "agent/issue-7"),
        ForgeWrite("merge_request", "org/project#7", "agent/issue-7\ntitle", FIRST_MERGE_REQUEST),
    ]


def test_a_model_provider_answers_as_queued_and_then_well() -> None:
    witness = WitnessLog()
    fake = FakeModelProvider(witness)
    fake.answers(ModelAnswer(ok=False, text="no"))
    provider: ModelProvider = fake
    assert [provider.complete("p", "m", prompt).ok for prompt in ("a", "b")] == [False, True]
    assert witness.of(ModelCalled)[0] == ModelCalled("p", "m", "a", ())


class Rmtree:
    def remove(self, path: Path) -> None:
        shutil.rmtree(path)


def test_protection_holds_for_the_path_and_above_and_below_it(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    remover = ProtectingRemover(Rmtree())
    remover.protect(tmp_path / "a" / "b")
    for path in (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"):
        with pytest.raises(PermissionError, match="Permission denied"):
            remover.remove(path)
    remover.remove(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "c"]
    remover.unprotect(tmp_path / "a" / "b")
    remover.remove(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_protection_holds_for_another_spelling_of_the_path(tmp_path: Path) -> None:
    (tmp_path / "real" / "x").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    remover = ProtectingRemover(Rmtree())
    remover.protect(tmp_path / "link" / "x")
    with pytest.raises(PermissionError):
        remover.remove(tmp_path / "real" / "x")


class Table:
    def __init__(self) -> None:
        self.tampered: list[tuple[str, str]] = []

    def rows(self) -> Sequence[SessionRow] | None:
        return None

    def tamper(self, run: str, value: str) -> None:
        self.tampered.append((run, value))


def test_the_bench_is_one_handle_on_all_fakes(tmp_path: Path) -> None:
    table, stage = Table(), Stage.at(tmp_path, 1, threading.RLock(), {})
    bench: Bench = FakeBench(stage, tmp_path / "base", table)
    assert (bench.now(), bench.sessions_table(), bench.running()) == (stage.clock.now(), None, [])
    assert bench.tamper_native_id("r1", "x")
    assert table.tampered == [("r1", "x")]
    bench.set_version(AdapterId.GROK_BUILD, "3.2.1")
    asked = ContainerRequest("runner-grok", ("grok", "--version"), (), (), (), 1000)
    assert "3.2.1" in stage.runtime.run(asked).stdout
    bench.tracker_answers(ISSUE, "503")
    with pytest.raises(ForgeError):
        stage.forge.issue(ISSUE)
    bench.protect(tmp_path / "x")
    with pytest.raises(PermissionError):
        stage.remover.remove(tmp_path / "x")
    bench.unprotect(tmp_path / "x")
    (tmp_path / "x").mkdir()
    stage.remover.remove(tmp_path / "x")


def test_a_database_out_of_reach_is_neither_read_nor_tampered_with(tmp_path: Path) -> None:
    bench = FakeBench(Stage.at(tmp_path, 1, threading.RLock(), {}), tmp_path / "base", None)
    assert bench.sessions_table() is None
    assert not bench.tamper_native_id("r1", "x")


def test_what_is_protected_cannot_be_removed_by_an_engine_with_hands_of_its_own(tmp_path: Path) -> None:
    stage = Stage.at(tmp_path, 1, threading.RLock(), {})
    stage.guarded_for_real = True
    held = tmp_path / "held"
    (held / "deep").mkdir(parents=True)
    stage.protect(held)
    with pytest.raises(PermissionError):
        shutil.rmtree(held)
    stage.close()
    shutil.rmtree(held)
    assert not held.exists()

"""The surroundings of one scenario: what an engine outside is told of them, and what is put right at their end."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import RLock

import pytest

from tck_driver.bench import Script, VersionShape
from tck_driver.errors import KitError
from tck_driver.stimuli import IssueClosed, IssueDeleted, RunDue
from tck_driver.vocabulary import AdapterId, Closing, MailboxRef, Phase
from tck_driver.witness import WitnessLog
from tck_fakes.clock import EPOCH, VirtualClock
from tck_fakes.programs.call import ProgramCall
from tck_fakes.protection import Protection, free
from tck_fakes.runtime import FakeContainerRuntime
from tck_fakes.stage import Stage
from tck_simulator.ports import ContainerRequest, ForgeError

from .desk import Reply

ISSUE = MailboxRef("acme", "shop", "issue", 17)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    one = Stage.at(tmp_path, 7, RLock(), {"path": "/bin"})
    yield one
    one.close()


def _start(stage: Stage, program: str, *argv: str) -> Reply:
    reply = Reply()
    reply.process = stage.programs.begin(ProgramCall(program, argv, str(stage.place), {}, user="7:7"), reply)
    return reply


def _codex(stage: Stage, script: Script, name: str = "one") -> Reply:
    stage.runtime.script(AdapterId.CODEX, script)
    words = ("run", "--name", name, "image", "codex", "exec", "--json", "--skip-git-repo-check", "--", "hello")
    reply = _start(stage, "docker", *words)
    assert isinstance(stage.runtime, FakeContainerRuntime)
    assert stage.runtime.known(name), reply.stderr
    return reply


def test_another_runtime_takes_the_place_of_the_stand_in(tmp_path: Path) -> None:
    made: list[tuple[object, ...]] = []

    def real(*given: object) -> FakeContainerRuntime:
        made.append(given)
        return FakeContainerRuntime(VirtualClock(), WitnessLog(), tmp_path)

    one = Stage.at(tmp_path, 7, RLock(), {}, real)
    assert made == [(one.clock, one.witness, tmp_path, 7)]
    one.runtime.set_version(AdapterId.CODEX, "1.0.0", "hang")
    container = one.runtime.start(ContainerRequest("image", ("codex", "--version"), (), (), (), 1000))
    assert one.stands_still(container)
    assert one.asked_version()
    one.close()


def test_a_scenario_begins_at_a_fixed_time_with_nothing_in_it(stage: Stage) -> None:
    assert stage.now() == EPOCH
    assert stage.next_end() is None
    assert stage.endpoints() == {"path": "/bin"}
    assert stage.witness.records == []
    assert stage.relayed()
    assert not stage.asked_version()
    stage.raise_faults()


def test_what_a_stand_in_does_not_know_is_raised_once_as_the_kits_fault(stage: Stage) -> None:
    _start(stage, "docker", "swarm", "init")
    stage.faults.append("forge.comment: no room")

    with pytest.raises(KitError, match="no room") as caught:
        stage.raise_faults()

    assert "swarm" in str(caught.value)
    stage.raise_faults()


def test_of_many_faults_the_first_are_told(stage: Stage) -> None:
    stage.faults.extend(f"fault {number}" for number in range(10))

    with pytest.raises(KitError) as caught:
        stage.raise_faults()

    assert str(caught.value) == "fault 0; fault 1; fault 2"


def test_a_container_stands_still_until_its_time_has_come_or_it_is_let_go(stage: Stage) -> None:
    _codex(stage, Script(duration_ms=60_000), "timed")
    _codex(stage, Script("hang"), "hanging")
    _codex(stage, Script(), "quick")

    stands = [stage.stands_still(name) for name in ("timed", "hanging", "quick", "nobody", "")]

    assert stands == [True, True, False, False, False]
    assert stage.next_end() == EPOCH + timedelta(minutes=1)
    stage.set_time(EPOCH + timedelta(minutes=1))
    assert [stage.stands_still(name) for name in ("timed", "hanging")] == [False, True]
    assert stage.next_end() is None
    stage.runtime.release()
    assert not stage.stands_still("hanging")


def test_time_does_not_go_back(stage: Stage) -> None:
    stage.set_time(EPOCH + timedelta(minutes=5))
    stage.set_time(EPOCH)

    assert stage.now() == EPOCH + timedelta(minutes=5)


@pytest.mark.parametrize(("shape", "asked"), [("hang", True), ("plain", False), ("exit_one", False)])
def test_a_version_command_is_waited_for_while_it_hangs(stage: Stage, shape: VersionShape, *, asked: bool) -> None:
    stage.runtime.set_version(AdapterId.CODEX, "1.0.0", shape)
    container = stage.runtime.start(ContainerRequest("image", ("codex", "--version"), (), (), (), 1000))

    assert stage.asked_version() is asked
    stage.runtime.stop(container)
    assert not stage.asked_version()


def test_a_run_that_hangs_is_no_version_command(stage: Stage) -> None:
    _codex(stage, Script("hang"))
    _codex(stage, Script(duration_ms=1000), "other")

    assert not stage.asked_version()


def test_the_tracker_hears_what_it_would(stage: Stage) -> None:
    stage.hear(RunDue(ISSUE, Phase.ANSWER))
    assert stage.forge.issue(ISSUE).open
    stage.hear(IssueClosed(ISSUE, Closing.MERGED))
    assert stage.forge.issue(ISSUE).merged
    stage.hear(IssueDeleted(ISSUE))
    with pytest.raises(ForgeError):
        stage.forge.issue(ISSUE)


def test_at_the_end_what_still_runs_is_ended_and_nothing_of_that_is_on_record(stage: Stage) -> None:
    reply = _codex(stage, Script("hang"))
    before = list(stage.witness.records)
    (layer,) = (stage.place / "containers").iterdir()
    assert any(layer.rglob("*.jsonl"))

    stage.close()

    assert not layer.exists()

    assert reply.code == 137
    assert "the scenario is over" in reply.stderr
    assert stage.witness.records == before


# Protection


def _protects(folder: Path) -> Path:
    """Make a folder with something in it, where this machine can protect one."""
    (folder / "inner").mkdir(parents=True)
    (folder / "file").write_text("keep me", encoding="utf-8")
    protection = Protection()
    try:
        protection.protect(folder)
    except KitError as fault:
        pytest.skip(str(fault))
    finally:
        protection.close()
    return folder


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_protected_folder_cannot_be_removed_by_anybody_until_it_is_let_go(stage: Stage, tmp_path: Path) -> None:
    folder = _protects(tmp_path / "state")
    mode = _mode(folder)
    stage.guarded_for_real = True
    stage.protect(folder)
    stage.protect(folder)

    with pytest.raises(PermissionError):
        (folder / "file").unlink()
    with pytest.raises(PermissionError):
        (folder / "new").write_text("x", encoding="utf-8")
    with pytest.raises(PermissionError):
        stage.remover.remove(folder)
    shutil.rmtree(folder, ignore_errors=True)
    assert (folder / "file").read_text(encoding="utf-8") == "keep me"

    stage.unprotect(folder)
    assert _mode(folder) == mode
    stage.remover.remove(folder)
    assert not folder.exists()


def test_the_end_of_a_scenario_lets_everything_be_removed(stage: Stage, tmp_path: Path) -> None:
    folders = [_protects(tmp_path / name) for name in ("one", "two")]
    stage.guarded_for_real = True
    for folder in folders:
        stage.protect(folder)

    stage.close()

    for folder in folders:
        shutil.rmtree(folder)
        assert not folder.exists()


def test_it_lets_them_be_removed_even_where_the_end_itself_goes_wrong(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _protects(tmp_path / "state")
    stage.guarded_for_real = True
    stage.protect(folder)

    def broken() -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(stage.programs, "close", broken)
        with pytest.raises(ZeroDivisionError):
            stage.close()

    shutil.rmtree(folder)


def test_an_engine_that_asks_is_refused_and_nothing_is_done_to_the_folder(stage: Stage, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    stage.protect(folder)

    with pytest.raises(PermissionError):
        stage.remover.check(folder)
    (folder / "new").write_text("x", encoding="utf-8")
    shutil.rmtree(folder)


def test_a_folder_that_went_while_it_was_protected_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    folder = tmp_path / "state"
    folder.mkdir()
    protection = Protection()
    protection.protect(folder)
    folder.rename(tmp_path / "elsewhere")

    protection.close()
    protection.unprotect(folder)
    (tmp_path / "elsewhere").chmod(0o700)


def test_what_was_left_protected_can_be_freed_by_anybody_else(tmp_path: Path) -> None:
    folder = _protects(tmp_path / "worker" / "scenario" / "state")
    (tmp_path / "outside").mkdir(mode=0o500)
    (tmp_path / "worker" / "link").symlink_to(tmp_path / "outside")
    Protection().protect(folder)
    with pytest.raises(PermissionError):
        shutil.rmtree(tmp_path / "worker")

    free(tmp_path / "worker")

    shutil.rmtree(tmp_path / "worker")
    assert _mode(tmp_path / "outside") == 0o500


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be an ordinary user, who may mark nothing as immutable."""

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(fcntl, "ioctl", refused)


@pytest.mark.usefixtures("ordinary")
def test_where_an_ordinary_user_left_something_protected_it_can_be_freed_too(tmp_path: Path) -> None:
    folder = tmp_path / "worker" / "state"
    folder.mkdir(parents=True)
    (tmp_path / "outside").mkdir(mode=0o500)
    (tmp_path / "worker" / "link").symlink_to(tmp_path / "outside")
    Protection().protect(folder)

    free(tmp_path / "worker")

    assert _mode(folder) & 0o700 == 0o700
    assert _mode(tmp_path / "outside") == 0o500


@pytest.mark.usefixtures("ordinary")
@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777, 0o500])
def test_an_ordinary_user_is_held_off_by_modes_that_come_back_as_they_were(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(mode)
    protection = Protection()

    protection.protect(folder)
    assert _mode(folder) == mode & 0o555
    protection.protect(folder)
    protection.unprotect(folder)
    assert _mode(folder) == mode
    folder.chmod(0o700)


def test_where_root_cannot_be_held_off_the_kit_says_so_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(fcntl, "ioctl", refused)
    folder = tmp_path / "state"
    folder.mkdir()
    protection = Protection()

    with pytest.raises(KitError, match=r"Operation not supported.*ordinary user"):
        protection.protect(folder)

    protection.close()
    (folder / "new").write_text("x", encoding="utf-8")

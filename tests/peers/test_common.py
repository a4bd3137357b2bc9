"""What all drivers of peers share: claims, stage, and the end of whatever a peer leaves running."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import pytest

from tck_driver.courses import Cast, Come, Course, Played, Policy, Restart, Role, Turn
from tck_driver.errors import DriverError, DriverIncompatibleError, UnsupportedError
from tck_driver.vocabulary import AdapterId
from tck_peers.common import Claims, PeerDriver, Stage, peer_folder
from tck_peers.processes import running, start

POLICY = Policy(("agent",), "reported", "success", "reject", "next_turn", "full", "on")
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found where /proc is")


@dataclass
class Sleeper:
    """A peer that leaves a process running, unless it is `tidy`."""

    tidy: bool = False
    there: bool = True
    stage: Stage | None = None
    stopped: bool = False
    child: Popen[bytes] | None = None

    @property
    def claims(self) -> Claims:
        return Claims("sleeper", "1.0.0", "C", "", POLICY, frozenset({"profile.continuity", "act.second_scope"}))

    def check(self) -> None:
        if not self.there:
            raise DriverIncompatibleError("there is no sleeper")

    def cast(self, course: Course, stage: Stage) -> Cast:
        self.stage = stage
        return Cast(tuple(Role(one, AdapterId.CODEX, one, "task", ("Done.",)) for one in course.scopes))

    def play(self) -> Played:
        assert self.stage is not None
        if not self.tidy:
            words = (sys.executable, "-c", "import time; time.sleep(60)")
            self.child = start(words, environment=self.stage.environment(), cwd=self.stage.workdir)
            # For a moment after its start a process has no words and no variables yet.
            until = time.monotonic() + 20
            while not running(self.stage.home) and time.monotonic() < until:
                time.sleep(0.01)
        return Played((Come("done"),))

    def stop(self) -> None:
        self.stopped = True


def driver_of(peer: Sleeper, tmp_path: Path) -> PeerDriver:
    driver = PeerDriver(peer, patience=0.2)
    driver.prepare(str(tmp_path), {"path": str(tmp_path / "bin")})
    return driver


def test_what_is_not_claimed_is_declared_unsupported() -> None:
    declared = PeerDriver(Sleeper()).declare(("profile.continuity", "profile.reuse", "act.restart"))
    assert declared.capabilities == {
        "profile.continuity": "supported",
        "profile.reuse": "unsupported",
        "act.restart": "unsupported",
    }
    assert declared.policy == POLICY


def test_a_peer_that_is_another_one_is_told_before_anything_is_said_of_it() -> None:
    with pytest.raises(DriverIncompatibleError, match="there is no sleeper"):
        PeerDriver(Sleeper(there=False)).declare(())


def test_a_course_with_an_act_that_is_not_claimed_is_not_begun(tmp_path: Path) -> None:
    peer = Sleeper()
    with pytest.raises(UnsupportedError, match=r"act\.restart"):
        driver_of(peer, tmp_path).cast(Course((Turn("ant"), Restart())))
    assert peer.stage is None


def test_a_kit_without_stand_ins_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(DriverError, match="no folder of stand-in CLIs"):
        PeerDriver(Sleeper()).prepare(str(tmp_path), {})


def test_the_stand_ins_come_first_on_the_search_path_and_nothing_else_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/some/bin")
    monkeypatch.setenv("SECRET", "the caller's")
    environment = Stage(tmp_path / "course", tmp_path / "stand-ins").environment(MORE="more")
    assert environment == {
        "HOME": str(tmp_path / "course" / "home"),
        "PATH": f"{tmp_path / 'stand-ins'}:/some/bin",
        "LANG": "C.UTF-8",
        "MORE": "more",
    }
    assert Path(environment["HOME"]).is_dir()


@ON_LINUX
def test_what_a_peer_leaves_running_is_told_and_ended(tmp_path: Path) -> None:
    peer = Sleeper()
    driver = driver_of(peer, tmp_path)
    driver.cast(Course((Turn("ant"),)))
    driver.play()
    (left,) = driver.close().runs
    assert "time.sleep" in left
    assert peer.stopped
    assert running(tmp_path / "home") == ()
    assert peer.child is not None
    peer.child.communicate()
    assert peer.child.returncode < 0


def test_a_tidy_peer_leaves_nothing_and_is_closed_once(tmp_path: Path) -> None:
    peer = Sleeper(tidy=True)
    driver = driver_of(peer, tmp_path)
    assert driver.close().runs == ()
    assert not peer.stopped
    driver.cast(Course((Turn("ant"),)))
    driver.play()
    assert driver.close().runs == ()
    assert peer.stopped


def test_the_folder_of_the_peer_is_named_by_the_environment(tmp_path: Path) -> None:
    assert peer_folder({"TCK_PEER_FOLDER": str(tmp_path)}) == tmp_path
    with pytest.raises(DriverIncompatibleError, match="names no folder"):
        peer_folder({})
    with pytest.raises(DriverIncompatibleError, match="there is no folder"):
        peer_folder({"TCK_PEER_FOLDER": str(tmp_path / "none")})


def test_a_folder_that_may_not_be_looked_into_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_self: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", refused)
    with pytest.raises(DriverIncompatibleError, match="cannot be looked into: Permission denied"):
        peer_folder({"TCK_PEER_FOLDER": str(tmp_path)})

"""The driver of Cyrus: what it does for each act of a course, what it makes of what is shown, and what it looks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tck_driver.courses import (
    Act,
    Course,
    NewSession,
    Played,
    Restart,
    SessionRemoved,
    Switch,
    TakingUp,
    Turn,
    capabilities_of,
)
from tck_driver.errors import DriverError, DriverIncompatibleError, EngineTimeoutError
from tck_peers.cyrus import PINS, POLICIES, Acts, Cyrus, come_of, role_of, whole_task
from tck_peers.cyrus_service import Activity


@dataclass
class Tracker:
    """A service that writes down what it is told; each turn shows what `shows` holds next, a response at its end."""

    shows: list[tuple[tuple[str, str], ...]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    shown: dict[str, list[Activity]] = field(default_factory=dict)
    running: bool = False
    #: Whether the end of an issue is told in its session.
    ends: bool = True

    def start(self, *, taking_up: bool) -> None:
        assert not self.running
        self.running = True
        self.done.append("start, taking up" if taking_up else "start")

    def stop(self) -> None:
        assert self.running
        self.running = False
        self.done.append("stop")

    def kill(self) -> None:
        self.running = False
        self.done.append("kill")

    def rest(self, seconds: float) -> None:
        assert self.running
        assert seconds > 0

    def await_activity(self, session: str, seconds: float, wanted: Callable[[Activity], bool]) -> bool:
        assert seconds > 0
        return any(map(wanted, self.shown[session]))

    def create_issue(self, title: str, description: str) -> str:
        self.done.append(f"issue {title}: {description}")
        return f"issue-{sum(one.startswith('issue ') for one in self.done)}"

    def open_session(self, issue: str) -> str:
        session = f"session-{len(self.shown) + 1}"
        self.shown[session] = []
        self.done.append(f"{session} of {issue}")
        self._turn(session)
        return session

    def prompt(self, session: str, text: str) -> None:
        self.done.append(f"{session}: {text}")
        self._turn(session)

    def complete(self, issue: str) -> None:
        self.done.append(f"end of {issue}")
        if self.ends:
            self._show(list(self.shown)[-1], "response", "Stopped.")

    def activities(self, session: str) -> tuple[Activity, ...]:
        return tuple(self.shown[session])

    def _turn(self, session: str) -> None:
        for kind, text in self.shows.pop(0) if self.shows else (("response", "Done."),):
            self._show(session, kind, text)

    def _show(self, session: str, kind: str, text: str) -> None:
        self.shown[session].append(Activity(str(len(self.shown[session])), kind, text))


def played(tracker: Tracker, *acts: Act) -> Played:
    return Acts(tracker, Course(acts)).play()


def outcomes(told: Played) -> list[str]:
    return [come.outcome for come in told.acts]


def test_the_first_turn_opens_an_issue_and_a_session_and_a_later_one_writes_in_it() -> None:
    tracker = Tracker()
    told = played(tracker, Turn("oak"), Turn("elm"), Turn("oak"))
    assert outcomes(told) == ["done", "done", "done"]
    assert [re.sub(":.*", "", one) for one in tracker.done] == [
        "start",
        "issue Look after oak",
        "session-1 of issue-1",
        "issue Look after elm",
        "session-2 of issue-2",
        "session-1",
    ]


def test_every_prompt_names_its_scope_and_only_the_issue_holds_the_whole_task() -> None:
    tracker = Tracker()
    played(tracker, Turn("oak"), Turn("oak"))
    role, other = role_of("oak"), role_of("oa")
    issue, prompt = tracker.done[1], tracker.done[3]
    assert re.search(role.prompt, issue)
    assert re.search(role.prompt, prompt)
    assert re.search(role.full, issue)
    assert not re.search(role.full, prompt)
    assert not re.search(other.prompt, prompt)


def test_a_further_session_is_opened_on_the_same_issue_by_the_turn_that_needs_it() -> None:
    tracker = Tracker()
    played(tracker, Turn("oak"), NewSession("oak"), Turn("oak"), Turn("oak"))
    assert tracker.done[2:4] == ["session-1 of issue-1", "session-2 of issue-1"]
    assert tracker.done[4].startswith("session-2: ")


def test_a_turn_has_failed_where_its_session_shows_an_error_and_that_is_how_a_user_sees_it() -> None:
    tracker = Tracker([(("thought", "Hm."), ("error", "No conversation found"))])
    told = played(tracker, Turn("oak"), Turn("oak"))
    assert outcomes(told) == ["failed", "done"]
    assert told.acts[0].visible == "the session shows an error: No conversation found"
    assert told.visible == told.acts[0].visible


def test_a_turn_of_which_nothing_but_thoughts_is_shown_has_failed_and_no_user_can_see_it() -> None:
    told = played(Tracker([(("thought", "Getting started"),)]), Turn("oak"))
    assert outcomes(told) == ["failed"]
    assert told.visible == ""


def test_an_error_of_an_earlier_turn_is_not_taken_for_one_of_this() -> None:
    tracker = Tracker([(("error", "lost"),), (("thought", "Hm."),)])
    assert [come.visible != "" for come in played(tracker, Turn("oak"), Turn("oak")).acts] == [True, False]


def test_a_long_error_is_told_by_its_beginning() -> None:
    assert len(come_of([Activity("1", "error", "x" * 10_000)]).visible) < 400


def test_a_turn_in_which_the_engine_dies_is_broken_off_once_the_cli_has_named_a_session() -> None:
    tracker = Tracker([(("thought", "Using model: opus"),)])
    told = played(tracker, Turn("oak", killed=True), Turn("oak"))
    assert tracker.done[2:5] == ["session-1 of issue-1", "kill", "start"]
    assert outcomes(told) == ["failed", "done"]


def test_an_orderly_restart_keeps_issues_and_sessions() -> None:
    tracker = Tracker()
    played(tracker, Turn("oak"), Restart(), Turn("oak"))
    assert tracker.done[3:5] == ["stop", "start"]
    assert tracker.done[5].startswith("session-1: ")


def test_taking_up_is_told_to_the_service_when_it_starts_and_costs_a_restart_only_where_it_runs() -> None:
    tracker = Tracker()
    played(tracker, TakingUp(on=True), Turn("oak"), TakingUp(on=False), Turn("oak"))
    assert [one for one in tracker.done if "sta" in one or one == "stop"] == ["start, taking up", "stop", "start"]


def test_a_session_is_removed_by_the_end_of_its_issue_and_the_next_turn_opens_another() -> None:
    tracker = Tracker()
    told = played(tracker, Turn("oak"), SessionRemoved("oak"), Turn("oak"))
    assert tracker.done[2:] == ["session-1 of issue-1", "end of issue-1", "session-2 of issue-1"]
    assert outcomes(told) == ["done", "done", "done"]


def test_a_session_whose_end_is_never_told_is_the_engines_fault() -> None:
    with pytest.raises(EngineTimeoutError, match="does not end the session"):
        played(Tracker(ends=False), Turn("oak"), SessionRemoved("oak"))


def test_an_act_that_was_not_claimed_is_the_drivers_fault() -> None:
    with pytest.raises(DriverError, match="Switch was not claimed"):
        played(Tracker(), Switch(on=False))


@pytest.mark.parametrize("name", PINS)
def test_what_is_claimed_is_what_is_played(name: str) -> None:
    claims = Cyrus(name).claims
    acts = (Turn("oak"), Turn("elm"), Restart(), Turn("oak", killed=True))
    assert set(capabilities_of(Course(acts))) <= claims.capabilities
    assert claims.policy == POLICIES[name]
    assert re.fullmatch(r"[0-9.]+\+[0-9a-f]{8}", claims.version)


def test_the_pull_request_alone_takes_up_what_an_earlier_session_left() -> None:
    claimed = {name: "profile.redelegation" in Cyrus(name).claims.capabilities for name in PINS}
    assert claimed == {"cyrus-main": False, "cyrus-1286": True}


def test_a_single_session_of_several_cannot_be_removed_and_is_not_claimed() -> None:
    course = Course((Turn("oak"), NewSession("oak"), Turn("oak"), SessionRemoved("oak")))
    assert set(capabilities_of(course)) - Cyrus("cyrus-1286").claims.capabilities == {"act.one_session_removed"}


def test_a_name_that_is_none_of_them_is_said() -> None:
    with pytest.raises(DriverIncompatibleError, match="cyrus-main, cyrus-1286"):
        Cyrus("cyrus")


@dataclass
class Obtained:
    """A folder in which everything lies that the driver looks for, and a search path with what it starts."""

    folder: Path
    programs: Path

    def put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def program(self, name: str, *lines: str) -> None:
        path = self.programs / name
        path.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def obtained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Obtained:
    there = Obtained(tmp_path / "cyrus", tmp_path / "bin")
    there.programs.mkdir()
    there.put("packages/edge-worker/package.json", json.dumps({"version": PINS["cyrus-1286"].version}))
    there.put("packages/edge-worker/dist/index.js", "")
    there.put("packages/edge-worker/dist/EdgeWorker.js", "process.env.CYRUS_RESUME_ACROSS_SESSIONS")
    calls = ("ping", "createIssue", "startSession", "promptSession", "viewSession", "terminateIssue")
    there.put(
        "packages/core/dist/issue-tracker/adapters/CLIRPCServer.js", "".join(f'case "{call}":\n' for call in calls)
    )
    there.program("git")
    there.program("node", "echo 'loaded with a word'", """echo '{"missing": []}'""")
    monkeypatch.setenv("PATH", str(there.programs))
    monkeypatch.setenv("TCK_PEER_FOLDER", str(there.folder))
    return there


def test_where_everything_is_there_the_check_passes(obtained: Obtained) -> None:
    del obtained
    Cyrus("cyrus-1286").check()


def test_another_version_is_incompatible(obtained: Obtained) -> None:
    obtained.put("packages/edge-worker/package.json", '{"version": "0.3.0"}')
    with pytest.raises(DriverIncompatibleError, match=r"holds Cyrus 0\.3\.0.* written for 0\.2\.62"):
        Cyrus("cyrus-1286").check()


def test_what_is_not_built_is_incompatible(obtained: Obtained) -> None:
    (obtained.folder / "packages/edge-worker/dist/index.js").unlink()
    with pytest.raises(DriverIncompatibleError, match="is it built"):
        Cyrus("cyrus-1286").check()


def test_the_build_of_a_state_without_the_switch_is_incompatible(obtained: Obtained) -> None:
    obtained.put("packages/edge-worker/dist/EdgeWorker.js", "")
    with pytest.raises(DriverIncompatibleError, match="built from another state"):
        Cyrus("cyrus-1286").check()


def test_a_call_that_the_tracker_no_longer_has_is_incompatible(obtained: Obtained) -> None:
    obtained.put("packages/core/dist/issue-tracker/adapters/CLIRPCServer.js", 'case "ping":')
    with pytest.raises(DriverIncompatibleError, match=r"createIssue, .*terminateIssue is no longer"):
        Cyrus("cyrus-1286").check()


def test_a_seam_that_has_moved_is_incompatible(obtained: Obtained) -> None:
    obtained.program("node", """echo '{"missing": ["EdgeWorker.createRunnerForType(type, config)"]}'""")
    with pytest.raises(DriverIncompatibleError, match=r"no longer there: EdgeWorker\.createRunnerForType"):
        Cyrus("cyrus-1286").check()


def test_a_build_that_cannot_be_loaded_is_incompatible(obtained: Obtained) -> None:
    obtained.program("node", "echo 'Error: Cannot find package' >&2", "exit 1")
    with pytest.raises(DriverIncompatibleError, match="cannot be loaded by node: Error: Cannot find package"):
        Cyrus("cyrus-1286").check()


def test_without_node_it_is_incompatible(obtained: Obtained) -> None:
    (obtained.programs / "node").unlink()
    with pytest.raises(DriverIncompatibleError, match="there is no node on PATH"):
        Cyrus("cyrus-1286").check()


def test_the_whole_task_names_its_scope() -> None:
    assert "oak" in whole_task("oak")

"""The driver of zeroshot 10, held against a program that says and writes what zeroshot would."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tck_driver.courses import (
    COURSE_FEATURES,
    Act,
    Course,
    Moved,
    OtherProvider,
    Restart,
    Start,
    Switch,
    Turn,
    capabilities_of,
)
from tck_driver.errors import DriverIncompatibleError, EngineError, EngineTimeoutError, UnsupportedError
from tck_driver.vocabulary import AdapterId
from tck_peers import zeroshot_10
from tck_peers.common import PeerDriver, Stage
from tck_peers.zeroshot_10 import ANSWER, CLAUDE, CODEX, POLICIES, TASK, Setting, Zeroshot, runs_of
from tck_peers.zeroshot_graph import NO_ANSWER, turn_of

#: Says what zeroshot says; `told.json` beside it holds the visits of each run, as node and failure, and what is wrong.
PROGRAM = """#!{python}
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
told = json.load(open(os.path.join(here, "told.json")))
argv = sys.argv[1:]
calls = os.path.join(here, "calls.ndjson")
number = sum('"--title", "course' in line for line in open(calls)) if os.path.exists(calls) else 0
with open(calls, "a") as file:
    file.write(json.dumps({{"argv": argv, "environment": dict(os.environ)}}) + "\\n")
if argv[0] == "--version":
    print(told["version"])
elif "--help" in argv:
    print(told["help"])
elif "--validate-only" in argv:
    print(told["invalid"], file=sys.stderr)
    sys.exit(1 if told["invalid"] else 0)
elif argv[0] == "run":
    time.sleep(told["seconds"])
    visits = told["runs"][number] if number < len(told["runs"]) else None
    if visits is None:
        sys.exit("zeroshot: run validation failed: so it is")
    print(json.dumps({{"runId": f"run-{{number}}"}}))
    print("no event at all")
    for place, (node, failure) in enumerate(visits):
        active = [{{"execution": f"{{number}}-{{place}}", "node": node}}]
        print(json.dumps({{"runId": f"run-{{number}}", "status": {{"activeExecutions": active}}}}))
    if visits and visits[-1][1]:
        sys.exit("zeroshot: run finished unsuccessfully: turn_failed")
elif argv[0] == "logs":
    number = int(argv[1].removeprefix("run-"))
    for place, (node, failure) in enumerate(told["runs"][number]):
        record = {{"level": "error", "message": f"Node {{node}} failed: {{failure}}"}}
        print(json.dumps({{"record": {{"level": "error", "message": "a provider failure"}}, "execution": "x"}}))
        if failure:
            print(json.dumps({{"execution": f"{{number}}-{{place}}", "record": record}}))
"""
WELL = ["node1", ""]
LOST = ["node1", "crash after 0.1s: no session"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as `peers fetch` makes it, with the program in zeroshot's place."""
    folder = tmp_path / "peer"
    place = folder / "site" / "zeroshot" / "_bin"
    place.mkdir(parents=True)
    program = place / "zeroshot"
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    tell(folder)
    return folder


def tell(folder: Path, *runs: list[list[str]], **other: object) -> None:
    words = "--graph --input --runtime-config --cwd --validate-only sessionScope"
    told = {"version": ANSWER, "help": words, "invalid": "", "seconds": 0, "runs": runs, **other}
    (folder / "site" / "zeroshot" / "_bin" / "told.json").write_text(json.dumps(told))


def calls(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "site" / "zeroshot" / "_bin" / "calls.ndjson").read_text().splitlines()
    return [json.loads(line) for line in lines]


def option(call: dict[str, Any], name: str) -> str:
    return str(call["argv"][call["argv"].index(name) + 1])


def on_stage(folder: Path, tmp_path: Path, *acts: Act) -> Zeroshot:
    workdir = tmp_path / "course"
    workdir.mkdir()
    peer = Zeroshot(folder)
    peer.cast(Course((Switch(on=True), *acts)), Stage(workdir, tmp_path / "programs"))
    return peer


def test_it_claims_what_its_release_documents_and_no_restart(folder: Path) -> None:
    declared = PeerDriver(Zeroshot(folder)).declare(("adapter.codex", "adapter.opencode", *COURSE_FEATURES))
    assert (declared.name, declared.version) == ("zeroshot-10", "10.19.1.post1")
    assert declared.policy == POLICIES["zeroshot-10"]
    assert declared.capabilities["profile.continuity"] == "supported"
    unclaimed = ("act.restart", "act.killed", "act.unadvertised", "profile.reuse", "adapter.opencode")
    assert {declared.capabilities[one] for one in unclaimed} == {"unsupported"}


@pytest.mark.parametrize(
    ("moved", "said"),
    [
        ({"version": "zeroshot 11.0.0"}, "calls itself 'zeroshot 11.0.0'"),
        ({"help": "--graph --input --cwd"}, "--runtime-config, --validate-only, sessionScope"),
        ({"invalid": "zeroshot: no loops any more"}, "does not take this driver's graph: zeroshot: no loops any more"),
    ],
)
def test_another_release_is_incompatible_and_never_a_failure(folder: Path, moved: dict[str, object], said: str) -> None:
    tell(folder, **moved)
    with pytest.raises(DriverIncompatibleError, match=re.escape(said)):
        Zeroshot(folder).check()


def test_a_folder_without_the_program_is_incompatible(tmp_path: Path) -> None:
    with pytest.raises(DriverIncompatibleError, match="there is no program"):
        Zeroshot(tmp_path).check()


def test_a_program_that_cannot_be_started_is_incompatible(folder: Path) -> None:
    (folder / "site" / "zeroshot" / "_bin" / "zeroshot").write_text("#!/there/is/none\n")
    with pytest.raises(DriverIncompatibleError, match="cannot be started here"):
        Zeroshot(folder).check()


def test_all_turns_are_visits_of_one_run_while_nothing_is_changed() -> None:
    one, two = Turn("ant"), Turn("bee")
    (run,) = runs_of(Course((Switch(on=True), one, two, one)), (CLAUDE, CODEX))
    assert run.turns == ((1, "ant"), (2, "bee"), (3, "ant"))
    assert (run.setting.on, run.setting.lane, run.setting.folder) == (True, CLAUDE, 0)


def test_resuming_is_off_unless_the_switch_is_turned() -> None:
    (run,) = runs_of(Course((Turn("ant"),)), (CLAUDE, CODEX))
    assert not run.setting.on


@pytest.mark.parametrize(
    ("act", "setting"),
    [
        (Switch(on=False), Setting(on=False, lane=CLAUDE, folder=0)),
        (OtherProvider("ant"), Setting(on=True, lane=CODEX, folder=0)),
        (Moved("ant"), Setting(on=True, lane=CLAUDE, folder=1)),
    ],
)
def test_what_changes_a_setting_is_a_further_run(act: Act, setting: Setting) -> None:
    first, second = runs_of(Course((Switch(on=True), Turn("ant"), act, Turn("ant"), Turn("ant"))), (CLAUDE, CODEX))
    assert len(first.turns) == 1
    assert second.turns == ((3, "ant"), (4, "ant"))
    assert second.setting == setting


def test_a_restart_is_not_played(folder: Path, tmp_path: Path) -> None:
    course = Course((Turn("ant"), Restart()))
    with pytest.raises(UnsupportedError):
        runs_of(course, (CLAUDE, CODEX))
    driver = PeerDriver(Zeroshot(folder))
    driver.prepare(str(tmp_path), {"path": str(tmp_path)})
    assert capabilities_of(course) == ("act.restart",)
    with pytest.raises(UnsupportedError, match=r"act\.restart"):
        driver.cast(course)


def test_roles_tell_scopes_apart_and_a_full_prompt_from_a_short_one(folder: Path, tmp_path: Path) -> None:
    course = Course((Turn("ant"), Turn("anteater", (Start(invalid=True),))))
    roles = Zeroshot(folder).cast(course, Stage(tmp_path, tmp_path)).roles
    assert {(role.scope, role.adapter) for role in roles} == {
        (scope, adapter) for scope in course.scopes for adapter in (AdapterId.CLAUDE_CODE, AdapterId.CODEX)
    }
    prompt = f"Do the task. {turn_of('anteater')}\nInput JSON:\n{json.dumps({'task': TASK})}"
    found = [role for role in roles if re.search(role.prompt, prompt)]
    assert {role.scope for role in found} == {"anteater"}
    assert all(re.search(role.full, prompt) and not re.search(role.full, "Continue") for role in found)
    assert {role.invalid for role in roles} == {NO_ANSWER}


def test_turns_in_no_order_of_a_loop_have_a_helper(folder: Path, tmp_path: Path) -> None:
    course = Course((Turn("ant"), Turn("bee"), Turn("bee")))
    helper, *roles = Zeroshot(folder).cast(course, Stage(tmp_path, tmp_path)).roles
    assert helper.scope == ""
    assert [json.loads(one)["response"]["signals"]["next"] for one in helper.answers] == ["node1", "node2", "node2"]
    assert all(role.scope for role in roles)


def test_each_act_is_told_by_what_its_visit_came_to(folder: Path, tmp_path: Path) -> None:
    peer = on_stage(folder, tmp_path, Turn("ant"), Turn("ant"), Turn("ant"))
    tell(folder, [WELL, LOST, WELL])
    played = peer.play()
    assert [come.outcome for come in played.acts] == ["done", "done", "failed", "done"]
    assert played.acts[2].visible == "Node node1 failed: crash after 0.1s: no session"
    assert played.visible == ""


def test_a_run_that_ends_in_failure_shows_it_and_later_turns_are_not_reached(folder: Path, tmp_path: Path) -> None:
    peer = on_stage(folder, tmp_path, Turn("ant"), Turn("ant"), Turn("ant"))
    tell(folder, [WELL, LOST])
    played = peer.play()
    assert [come.outcome for come in played.acts] == ["done", "done", "failed", "not_reached"]
    assert played.visible == "run 1: exit code 1, zeroshot: run finished unsuccessfully: turn_failed"


def test_visits_are_told_apart_by_their_nodes(folder: Path, tmp_path: Path) -> None:
    peer = on_stage(folder, tmp_path, Turn("ant"), Turn("bee"), Turn("bee"), Turn("ant"))
    tell(folder, [["director", ""], WELL, ["director", ""], ["node2", "crash"], ["node2", ""], WELL])
    assert [come.outcome for come in peer.play().acts] == ["done", "done", "failed", "done", "done"]


def test_a_switch_that_is_turned_off_reaches_the_runtime_of_the_next_run(folder: Path, tmp_path: Path) -> None:
    peer = on_stage(folder, tmp_path, Turn("ant"), Switch(on=False), Turn("ant"))
    tell(folder, [WELL], [WELL])
    assert [come.outcome for come in peer.play().acts] == ["done"] * 4
    begun = [call for call in calls(folder) if call["argv"][0] == "run"]
    runtimes = [json.loads(Path(option(call, "--runtime-config")).read_text()) for call in begun]
    assert [one["nodes"]["node1"]["sessionScope"] for one in runtimes] == ["node_instance", "execution"]
    assert option(begun[0], "--cwd") == option(begun[1], "--cwd")


def test_another_folder_and_another_provider_reach_the_next_run(folder: Path, tmp_path: Path) -> None:
    peer = on_stage(folder, tmp_path, Turn("ant"), Moved("ant"), OtherProvider("ant"), Turn("ant"))
    tell(folder, [WELL], [WELL])
    peer.play()
    begun = [call for call in calls(folder) if call["argv"][0] == "run"]
    runtimes = [json.loads(Path(option(call, "--runtime-config")).read_text()) for call in begun]
    assert [one["harness"] for one in runtimes] == ["claude", "codex"]
    assert option(begun[0], "--cwd") != option(begun[1], "--cwd")


def test_the_engine_gets_an_environment_of_its_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a secret of the caller's")
    peer = on_stage(folder, tmp_path, Turn("ant"))
    tell(folder, [WELL])
    peer.play()
    environment = calls(folder)[0]["environment"]
    assert "ANTHROPIC_API_KEY" not in environment
    assert environment["HOME"] == str(tmp_path / "course" / "home")
    assert environment["PATH"].startswith(f"{tmp_path / 'programs'}:")
    assert environment["ZEROSHOT_STATE_DIR"].startswith(str(tmp_path / "course"))


def test_an_engine_that_begins_no_run_has_broken_off(folder: Path, tmp_path: Path) -> None:
    peer = on_stage(folder, tmp_path, Turn("ant"))
    with pytest.raises(EngineError, match="began no run, exit code 1: zeroshot: run validation failed: so it is"):
        peer.play()


def test_an_engine_that_does_not_end_is_ended(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zeroshot_10, "PLAY_SECONDS", 0.0)
    peer = on_stage(folder, tmp_path, Turn("ant"))
    tell(folder, [WELL], seconds=60)
    with pytest.raises(EngineTimeoutError, match="did not end within 1 s"):
        peer.play()

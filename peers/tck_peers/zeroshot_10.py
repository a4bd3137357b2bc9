"""The driver of zeroshot 10, the engine of one binary that is published on PyPI as `the-open-engine-zeroshot`.

A scope is a node of a graph, a turn a visit of it, and the engine is driven by its command line alone: `run` with a
graph and a runtime of our own, `logs` for what its user can see of a visit that failed. Sessions are kept for a node
within a run. `sessionScope` is the switch; it cannot change in a run, nor can the provider and the folder, so what
changes them is a further run. The command `resume` says of itself that it restores no conversations of agents: a
restart is nothing that this engine claims. Specification: §30.6, §30.7.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tck_driver.courses import Cast, Come, Course, Moved, OtherProvider, Played, Policy, Role, Switch, Turn
from tck_driver.errors import DriverIncompatibleError, EngineError, UnsupportedError
from tck_driver.vocabulary import AdapterId
from tck_peers.common import Claims, Stage, peer_folder, serve
from tck_peers.processes import Finished, run
from tck_peers.zeroshot_graph import DIRECTOR, DONE, NO_ANSWER, Json, directions, graph, runtime, turn_of

PEER = "zeroshot-10"
#: What `--version` answers in the release that this was written for, and that release's version on PyPI.
ANSWER = "zeroshot 10.19.1"
VERSION = "10.19.1.post1"
#: Peer → its policy. A session that is lost takes its visit with it; the node's next visit begins afresh.
POLICIES: Mapping[str, Policy] = {
    PEER: Policy(
        scope=("run", "node"),
        identity="reported",
        valid="success",
        fork="reject",
        fallback="next_turn",
        prompt="full",
        default="off",
        switch="sessionScope",
    )
}
#: Everything that the engine claims.
CLAIMS = frozenset(
    {
        "profile.continuity",
        "adapter.claude-code",
        "adapter.codex",
        "act.second_scope",
        "act.invalid",
        "act.switch",
        "act.other_provider",
        "act.moved",
    }
)
#: The switch's value that has a node's session resumed, and the one that has each visit begin afresh.
SCOPES = {True: "node_instance", False: "execution"}
#: The whole task of every node, as it stands in a prompt that holds it.
TASK = "Carry out the whole task of this course."
#: How long the runs of a course may take together; the kit waits 240 s for it.
PLAY_SECONDS = 200.0
_COMMAND_SECONDS = 30.0
_BINARY = Path("site", "zeroshot", "_bin", "zeroshot")
#: What `--cwd` and the words before it are to say in the help of `run`.
_OPTIONS = ("--graph", "--input", "--runtime-config", "--cwd", "--validate-only", "sessionScope")
_FAILED = re.compile(r"Node \S+ failed: ")
#: How much of a failure is shown.
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Lane:
    """A harness with its provider, and the model that is asked for."""

    adapter: AdapterId
    harness: str
    provider: str
    model: str


CLAUDE = Lane(AdapterId.CLAUDE_CODE, "claude", "anthropic", "claude-haiku-4-5")
CODEX = Lane(AdapterId.CODEX, "codex", "openai", "gpt-5.1")


@dataclass(frozen=True, slots=True)
class Setting:
    """What cannot change within a run."""

    on: bool
    lane: Lane
    folder: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its setting, and the turns that it has, each as the place of its act and the scope."""

    setting: Setting
    turns: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class Visit:
    """What came of one visit of a node."""

    execution: str
    node: str
    failure: str = ""


def runs_of(course: Course, lanes: tuple[Lane, Lane]) -> tuple[Run, ...]:
    """Give the runs that make a course: a further one wherever a setting changes from one turn to the next."""
    on = POLICIES[PEER].default == "on"
    lane_of = dict.fromkeys(course.scopes, 0)
    folder_of = dict.fromkeys(course.scopes, 0)
    turns: list[tuple[Setting, tuple[int, str]]] = []
    for number, act in enumerate(course.acts):
        match act:
            case Switch(on=to):
                on = to
            case OtherProvider(scope=scope):
                lane_of[scope] = 1 - lane_of.get(scope, 0)
            case Moved(scope=scope):
                folder_of[scope] = folder_of.get(scope, 0) + 1
            case Turn(scope=scope):
                turns.append((Setting(on, lanes[lane_of[scope]], folder_of[scope]), (number, scope)))
            case _:
                raise UnsupportedError(f"act.{type(act).__name__}")
    return tuple(
        Run(setting, tuple(turn for _, turn in group)) for setting, group in groupby(turns, key=lambda one: one[0])
    )


@dataclass(slots=True)
class Zeroshot:
    """Implements `Peer`."""

    folder: Path
    lanes: tuple[Lane, Lane] = (CLAUDE, CODEX)
    version: str = VERSION
    _course: Course = field(default_factory=lambda: Course(()))
    _stage: Stage | None = None
    _nodes: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def claims(self) -> Claims:
        """Who it is and what it claims."""
        homepage = "https://github.com/the-open-engine/zeroshot"
        return Claims(PEER, self.version, "Rust", homepage, POLICIES[PEER], CLAIMS)

    @property
    def _binary(self) -> Path:
        return self.folder / _BINARY

    def check(self) -> None:
        """Look whether the binary is that of the release, and whether its help has what is used of it."""
        if not os.access(self._binary, os.X_OK):
            raise DriverIncompatibleError(f"there is no program {_BINARY} in {self.folder}")
        said = self._ask(["--version"]).out.strip()
        if said != ANSWER:
            raise DriverIncompatibleError(f"it calls itself {said!r}, and this driver was written for {ANSWER!r}")
        text = self._ask(["run", "--help"]).out
        if missing := [word for word in _OPTIONS if word not in text]:
            raise DriverIncompatibleError(f"the help of its command run says nothing of {', '.join(missing)}")
        for order in (("node1", "node2", "node1"), ("node1", "node1")):
            self._check_documents(order)

    def cast(self, course: Course, stage: Stage) -> Cast:
        """Give a node to each scope, and a helper to the turns whose order is not that of a loop."""
        self._course, self._stage = course, stage
        # Whoever has the CLI has its folder; zeroshot names it to the CLI, which then does not make it by itself.
        stage.folder("home", ".codex")
        self._nodes = {scope: f"node{number}" for number, scope in enumerate(course.scopes, 1)}
        roles: list[Role] = []
        for lane in self.lanes:
            own = [one for one in runs_of(course, self.lanes) if one.setting.lane == lane]
            said = tuple(answer for one in own for answer in directions(self._order(one)))
            if said:
                roles.append(Role("", lane.adapter, re.escape(turn_of(DIRECTOR)), re.escape(TASK), said))
            roles += [
                Role(scope, lane.adapter, re.escape(turn_of(scope)), re.escape(TASK), (DONE,), NO_ANSWER)
                for scope in course.scopes
            ]
        return Cast(tuple(roles))

    def play(self) -> Played:
        """Have one run after the other, and say what came of each act."""
        if self._stage is None:
            raise EngineError("there is no course")
        come = [Come("done") for _ in self._course.acts]
        visible: list[str] = []
        end = time.monotonic() + PLAY_SECONDS
        for number, one in enumerate(runs_of(self._course, self.lanes), 1):
            visits, shown = self._run(one, number, self._stage, end - time.monotonic())
            visible += [shown] if shown else []
            due = {scope: [visit for visit in visits if visit.node == node] for scope, node in self._nodes.items()}
            for place, scope in one.turns:
                come[place] = _come(due[scope].pop(0) if due[scope] else None)
        return Played(tuple(come), "; ".join(visible))

    def stop(self) -> None:
        """Do nothing: every run has ended, or its processes are ended for it."""

    def _order(self, one: Run) -> list[str]:
        return [self._nodes[scope] for _, scope in one.turns]

    def _run(self, one: Run, number: int, stage: Stage, seconds: float) -> tuple[list[Visit], str]:
        """Have a run to its end; give its visits, and what shows that it has failed."""
        documents = _documents(self._order(one), {node: scope for scope, node in self._nodes.items()}, one.setting)
        options = _written(documents, stage.folder("papers", str(number)))
        workspace = stage.folder(f"workspace-{one.setting.folder}")
        argv = ["run", "--title", f"course {number}", *options, "--cwd", str(workspace)]
        ended = self._command(argv, stage, max(seconds, 1.0))
        visits, run_id = _visits(ended)
        if run_id is None:
            raise EngineError(f"zeroshot began no run, exit code {ended.code}: {_first(ended.err)}")
        failures = dict(_failures(self._command(["logs", run_id], stage, _COMMAND_SECONDS)))
        for visit in visits:
            visit.failure = failures.get(visit.execution, "")
        shown = f"run {number}: exit code {ended.code}, {_first(ended.err)}" if ended.code else ""
        return [visit for visit in visits if visit.node != DIRECTOR], shown

    def _check_documents(self, order: Sequence[str]) -> None:
        """Raise `DriverIncompatibleError` where the engine would not take our graph and runtime."""
        documents = _documents(order, dict.fromkeys(order, "it"), Setting(on=True, lane=self.lanes[0], folder=0))
        with TemporaryDirectory() as name:
            home, papers, workspace = (Path(name, one) for one in ("home", "papers", "workspace"))
            for folder in (home, papers, workspace):
                folder.mkdir()
            argv = ["run", "--validate-only", "--title", "check", *_written(documents, papers)]
            ended = self._ask([*argv, "--cwd", str(workspace)], home)
        if ended.code:
            raise DriverIncompatibleError(f"it does not take this driver's graph: {_first(ended.err)}")

    def _command(self, argv: Sequence[str], stage: Stage, seconds: float) -> Finished:
        state, configuration = stage.folder("state"), stage.folder("configuration")
        environment = stage.environment(ZEROSHOT_STATE_DIR=str(state), ZEROSHOT_CONFIG_DIR=str(configuration))
        return run([str(self._binary), *argv], environment=environment, cwd=stage.workdir, seconds=seconds)

    def _ask(self, argv: Sequence[str], home: Path = Path(os.devnull)) -> Finished:
        """Ask the binary something outside of a course, which it needs no home for unless one is given."""
        environment = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath)}
        try:
            return run([str(self._binary), *argv], environment=environment, cwd=self.folder, seconds=_COMMAND_SECONDS)
        except OSError as error:
            raise DriverIncompatibleError(f"{_BINARY} cannot be started here: {error.strerror}") from None


def _documents(order: Sequence[str], scopes: Mapping[str, str], setting: Setting) -> dict[str, Json]:
    """Give what a run is told, by the options of the command `run`."""
    lane = setting.lane
    return {
        "graph": graph(order, scopes),
        "input": {"task": TASK},
        "runtime-config": runtime(order, lane.harness, lane.provider, lane.model, SCOPES[setting.on]),
    }


def _written(documents: Mapping[str, Json], folder: Path) -> Iterator[str]:
    """Write the documents, and give the options that name them."""
    for option, document in documents.items():
        path = folder / f"{option}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        yield from (f"--{option}", str(path))


def _come(visit: Visit | None) -> Come:
    if visit is None:
        return Come("not_reached")
    return Come("failed", visit.failure) if visit.failure else Come("done")


def _events(ended: Finished) -> Iterator[dict[str, Any]]:
    """Give the events of a stream, and nothing for a line that is none."""
    for line in ended.out.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def _visits(ended: Finished) -> tuple[list[Visit], str | None]:
    """Give the visits of all nodes in the order in which they began, and the run's id."""
    seen: dict[str, Visit] = {}
    run_id: str | None = None
    for event in _events(ended):
        run_id = run_id or event.get("runId")
        for active in event.get("status", {}).get("activeExecutions", ()):
            seen.setdefault(active["execution"], Visit(active["execution"], active["node"]))
    return [*seen.values()], run_id


def _failures(logs: Finished) -> Iterator[tuple[str, str]]:
    """Give of each visit that failed what the log of the run shows of it."""
    for event in _events(logs):
        record = event.get("record", {})
        if record.get("level") == "error" and _FAILED.match(record.get("message", "")):
            yield event.get("execution", ""), record["message"][:_SHOWN]


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "and it says nothing")[:_SHOWN]


def main() -> None:
    """Serve; with the argument `codex`, that is the CLI that a course begins with."""
    lanes = (CODEX, CLAUDE) if "codex" in sys.argv[1:] else (CLAUDE, CODEX)
    serve(lambda: Zeroshot(peer_folder(), lanes, os.environ.get("TCK_PEER_VERSION", VERSION)), PEER)


if __name__ == "__main__":
    main()

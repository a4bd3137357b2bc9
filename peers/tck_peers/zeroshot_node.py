"""The driver of zeroshot's Node line, which keeps a provider session for each agent of a cluster.

A scope is an agent and a turn one task of it; the engine is driven by its command line: `run` with a configuration of
our own, `stop` and `resume` for a restart, SIGKILL for a death. A failed attempt is repeated within the turn, as often
as the engine does by default. Where a turn has failed for good the cluster has stopped, and it is told to go on, as
its user would tell it; then it sets the agent that failed to work once more.

The driver leans on what no documentation promises: the ledger's table, the events of an agent's life in it, and that
the scripts of a configuration see the agents of their cluster. `check` looks for each of these. Specification: §30.4,
§30.6, §30.7.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tck_driver.courses import Cast, Come, Course, Played, Policy, Role, Turn
from tck_driver.errors import DriverIncompatibleError, EngineError
from tck_driver.vocabulary import AdapterId
from tck_peers.common import Claims, Stage, peer_folder, serve
from tck_peers.processes import run
from tck_peers.zeroshot_cluster import (
    ANSWER,
    DONE,
    FAILED,
    NO_ANSWER,
    PROVIDERS,
    TASK,
    Site,
    cluster,
    plan_of,
    prompt_of,
    whole,
)
from tck_peers.zeroshot_ledger import COLUMNS
from tck_peers.zeroshot_play import ENTRY, SHOWN, Play, last_line

PEER = "zeroshot-node"
#: The release, and the commit that it is made of.
VERSION = "6.42.0+2b0b35b7"
POLICIES: Mapping[str, Policy] = {
    PEER: Policy(
        scope=("cluster", "agent"),
        identity="reported",
        valid="hook",
        fork="reject",
        fallback="same_turn",
        prompt="delta",
        default="on",
    )
}
#: Everything that the engine claims. It has no switch, and no sessions of a tracker.
CLAIMS = frozenset(
    {
        "profile.continuity",
        "profile.reuse",
        "adapter.claude-code",
        "adapter.codex",
        "act.second_scope",
        "act.hook",
        "act.killed",
        "act.invalid",
        "act.restart",
        "act.other_provider",
        "act.moved",
        "act.unadvertised",
    }
)
#: What its settings are to be for a course; all else is as it comes. The delay between two attempts is shortened.
SETTINGS: Mapping[str, object] = {"autoCheckUpdates": False, "backoffBaseMs": 10}
_CHECK_SECONDS = 60.0
#: Opens a database with the library that the peer's folder has for it, which was built for one version of node.
_NATIVE = "new (require(require.resolve('better-sqlite3', {paths: [process.argv[1]]})))(':memory:')"
#: File of the peer → what has to stand in it; a file that a build makes has to be there.
LEANS_ON: Mapping[str, tuple[str, ...]] = {
    "package.json": ('"@the-open-engine/zeroshot"',),
    "cli/index.js": ("run <input>", "resume <id>", "stop <cluster-id>", "--no-isolation", "--sim"),
    "cli/event-copy.js": (),
    "lib/agent-cli-provider/index.js": (),
    "node_modules/better-sqlite3/build/Release/better_sqlite3.node": (),
    "src/agent/provider-session.js": ("resolveAgentProviderSession",),
    "src/agent/agent-hook-executor.js": ("hook.logic", "ledger"),
    "src/agent/agent-lifecycle.js": (FAILED, "TASK_COMPLETED"),
    "src/agent/agent-task-executor.js": ("PROCESS_SPAWNED",),
    "src/ledger.js": COLUMNS,
    "src/logic-engine.js": ("getAgent", "query"),
    "src/orchestrator.js": (DONE, "update_agent", "CLUSTER_OPERATIONS"),
}


@dataclass(slots=True)
class ZeroshotNode:
    """Implements `Peer`."""

    folder: Path
    adapters: tuple[AdapterId, AdapterId] = (AdapterId.CLAUDE_CODE, AdapterId.CODEX)
    version: str = VERSION
    _course: Course = field(default_factory=lambda: Course(()))
    _play: Play | None = None

    @property
    def claims(self) -> Claims:
        """Who it is and what it claims."""
        homepage = "https://github.com/the-open-engine/zeroshot"
        return Claims(PEER, self.version, "JavaScript", homepage, POLICIES[PEER], CLAIMS)

    def check(self) -> None:
        """Look for every file that is used, for what is leaned on in it, and whether the command can be run."""
        for name, words in LEANS_ON.items():
            if not (self.folder / name).is_file():
                message = f"there is no {name} in {self.folder}; install and build it as its own documentation says"
                raise DriverIncompatibleError(message)
            text = (self.folder / name).read_text(encoding="utf-8") if words else ""
            if missing := [word for word in words if word not in text]:
                raise DriverIncompatibleError(f"{name} no longer has {', '.join(missing)}")
        if shutil.which("node") is None:
            raise DriverIncompatibleError("there is no node on the search path")
        with tempfile.TemporaryDirectory() as home:
            for argv in (["node", "-e", _NATIVE, str(self.folder)], ["node", str(self.folder / ENTRY), "--version"]):
                environment = {"HOME": home, "PATH": os.environ.get("PATH", os.defpath)}
                said = run(argv, environment=environment, cwd=Path(home), seconds=_CHECK_SECONDS)
                if said.code:
                    why = next((line for line in said.err.splitlines() if "Error" in line), last_line(said.err))
                    raise DriverIncompatibleError(f"it cannot be run with the node of the search path: {why}")

    def cast(self, course: Course, stage: Stage) -> Cast:
        """Write the documents of the course, and give each scope's agent its role, under both CLIs."""
        folders = tuple(str(stage.folder(f"checkout-{number}")) for number in range(len(course.acts) + 1))
        self._course = course
        self._play = Play(self.folder, stage, plan_of(course))
        (stage.folder("papers") / "cluster.json").write_text(json.dumps(cluster(course, Site(folders, self.adapters))))
        (stage.folder("papers") / "issue.md").write_text(f"# {TASK}\n\nNothing else is asked for.\n")
        settings = {**SETTINGS, "defaultProvider": PROVIDERS[self.adapters[0]]}
        (stage.folder("papers") / "settings.json").write_text(json.dumps(settings))
        return Cast(
            tuple(
                Role(scope, adapter, prompt_of(scope), whole(scope), (ANSWER,), NO_ANSWER)
                for adapter in self.adapters
                for scope in course.scopes
            )
        )

    def play(self) -> Played:
        """Play the course to its end."""
        if self._play is None:
            raise EngineError("there is no course")
        shown = self._play.to_the_end()
        over = self._play.over(self._play.said())
        come: list[Come] = []
        for act, before in zip(self._course.acts, self._play.plan.before, strict=True):
            if len(over) < before or (isinstance(act, Turn) and len(over) == before):
                come.append(Come("not_reached", shown))
            elif isinstance(act, Turn) and not over[before][0]:
                come.append(Come("failed", over[before][1][:SHOWN]))
            else:
                come.append(Come("done"))
        return Played(tuple(come), shown)

    def stop(self) -> None:
        """End the cluster, if it still runs."""
        if self._play is not None:
            self._play.stop()


def main() -> None:
    """Serve; with the argument `codex`, that is the CLI that a course begins with."""
    first, second = AdapterId.CLAUDE_CODE, AdapterId.CODEX
    adapters = (second, first) if "codex" in sys.argv[1:] else (first, second)
    serve(lambda: ZeroshotNode(peer_folder(), adapters, os.environ.get("TCK_PEER_VERSION", VERSION)), PEER)


if __name__ == "__main__":
    main()

"""An exchange of every method with the simulators behind their drivers, as the protocol's page shows it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tck_driver.configuration import EngineConfig, ProjectConfig
from tck_driver.course_messages import course_fields, read_cast
from tck_driver.courses import Course, Restart, Start, Turn
from tck_driver.messages import PROTOCOL, Json, config_params, instant, stimulus_params
from tck_driver.process import Command
from tck_driver.stdio import StdioTransport
from tck_driver.stimuli import IssueOpened, RunDue
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase
from tck_fakes.bench import FakeBench
from tck_fakes.clock import EPOCH
from tck_fakes.outside import Outside
from tck_fakes.stage import Stage
from tck_kit.engine_choice import SERVED

#: What stands in the page for folders that are other ones in each run.
DIRECTORY, WORKDIR, PATH = "/tmp/tck/driver-1", "/tmp/tck/0001", "/tmp/tck/outside/bin"  # noqa: S108 -- in a page
_DOCKER = "unix:///tmp/tck/outside/docker.sock"
_WEB = "http://127.0.0.1:40001"
_SECONDS = 20.0
#: How the simulator is started that plays courses.
SERVED_TURNS = (sys.executable, "-P", "-m", "tck_fakes.served_turns", "reuse")
COURSE = Course((Turn("a", (Start(), Start("unsaved"))), Restart(), Turn("a")))
_MAILBOX = MailboxRef("acme", "shop", "issue", 17)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer, each one line of JSON as it goes over the wire."""

    method: str
    request: str
    answer: str


def requests(endpoints: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    """Give method and params of each request, in an order that a driver can be asked in."""
    config = EngineConfig(
        base=f"{WORKDIR}/base",
        projects=(ProjectConfig.of("acme", "shop", AdapterId.CODEX),),
        settings=(("project", "acme", "shop", "AGENT_SESSION_RESUME", True),),
    )
    later = EPOCH.replace(minute=EPOCH.minute + 1)
    yield _introduction("sessions", "adapter.codex", "view.sessions", "control.clock", "control.kill")
    opened = {"ref": "0001", "seed": 7, "workdir": WORKDIR, "endpoints": dict(endpoints)}
    yield "scenario/open", opened | {"config": config_params(config, EPOCH)}
    yield "stimulus/send", stimulus_params(IssueOpened(_MAILBOX, "Fix the login page"))
    yield "stimulus/send", stimulus_params(RunDue(_MAILBOX, Phase.DEVELOPMENT))
    yield "clock/advance", {"ms": 60_000, "now": instant(later)}
    yield "barrier/quiesce", {"deadline_ms": 500}
    yield "state/query", {"view": "sessions"}
    yield "state/overwrite", {"run": "1", "native_session_id": "00000000-0000-7000-8000-000000000000"}
    yield "engine/kill", {}
    yield "engine/start", {}
    yield "scenario/close", {}
    yield "no/such-method", {}
    yield "shutdown", {}


def course_requests(endpoints: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    """Give the same of what an engine is asked that plays courses."""
    yield _introduction("adapter.claude-code", "profile.reuse", "act.restart", "act.new_session")
    opened = {"ref": "0001", "workdir": WORKDIR, "endpoints": dict(endpoints)}
    yield "course/cast", opened | {"course": course_fields(COURSE)}
    yield "course/play", {}


def _introduction(*capabilities: str) -> tuple[str, Json]:
    return (
        "initialize",
        {
            "protocol": PROTOCOL,
            "kit": {"name": "session-tck", "version": "0.1.0"},
            "spec": {"id": "session-resume", "version": "1.0.0", "digest": "0" * 64},
            "capabilities": [*capabilities],
            "directory": DIRECTORY,
        },
    )


def exchanges() -> list[Exchange]:
    """Ask the simulators all of it, and give what was said, with the page's folders in place of the real ones."""
    return [*_said(SERVED, requests), *_said(SERVED_TURNS, course_requests)]


def _said(words: tuple[str, ...], asked: Callable[[Mapping[str, str]], Iterator[tuple[str, Json]]]) -> list[Exchange]:
    with tempfile.TemporaryDirectory(prefix="tck-") as name, Outside(Path(name) / "outside") as outside:
        folder = Path(name)
        workdir, directory = folder / "0001", folder / "driver-1"
        workdir.mkdir()
        directory.mkdir()
        stage = Stage.at(workdir, 7, outside.lock, outside.urls)
        outside.stage = stage
        web = outside.urls["forge"].removesuffix("/forge")
        real = {DIRECTORY: str(directory), WORKDIR: str(workdir), PATH: str(outside.path), _WEB: web}
        real[_DOCKER] = outside.urls["docker"]
        shown = {"path": PATH, "docker": _DOCKER, "forge": f"{_WEB}/forge", "model": f"{_WEB}/model"}
        transport = StdioTransport(Command(words, name), outside.path)
        try:
            said: list[Exchange] = []
            for method, params in asked(shown):
                said.append(_exchange(transport, method, params, real))
                if method == "course/cast":
                    roles = read_cast(json.loads(said[-1].answer)["result"]["cast"])
                    FakeBench(stage, workdir / "base", None).cast(roles, COURSE)
            return said
        finally:
            transport.kill()
            stage.close()


def _exchange(transport: StdioTransport, method: str, params: Json, real: Mapping[str, str]) -> Exchange:
    said = json.dumps({"jsonrpc": "2.0", "id": "r1", "method": method, "params": params})
    sent, back = said, b""
    for page, there in real.items():
        sent = sent.replace(page, there)
    back = transport.exchange(sent.encode(), b"{}", _SECONDS)
    heard = json.dumps(json.loads(back))
    for page, there in real.items():
        heard = heard.replace(there, page)
    return Exchange(method, said, heard)

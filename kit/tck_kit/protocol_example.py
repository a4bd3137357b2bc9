"""An exchange of every method with the simulator behind its driver, as the protocol's page shows it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tck_driver.configuration import EngineConfig, ProjectConfig
from tck_driver.messages import PROTOCOL, Json, config_params, instant, stimulus_params
from tck_driver.process import Command
from tck_driver.stdio import StdioTransport
from tck_driver.stimuli import IssueOpened, RunDue
from tck_driver.vocabulary import AdapterId, MailboxRef, Phase
from tck_fakes.clock import EPOCH
from tck_fakes.outside import Outside
from tck_fakes.stage import Stage
from tck_kit.engine_choice import SERVED

#: What stands in the page for folders that are other ones in each run.
DIRECTORY, WORKDIR, PATH = "/tmp/tck/driver-1", "/tmp/tck/0001", "/tmp/tck/outside/bin"  # noqa: S108 -- in a page
_DOCKER = "unix:///tmp/tck/outside/docker.sock"
_WEB = "http://127.0.0.1:40001"
_SECONDS = 20.0
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
    yield (
        "initialize",
        {
            "protocol": PROTOCOL,
            "kit": {"name": "session-tck", "version": "0.1.0"},
            "spec": {"id": "session-resume", "version": "1.0.0", "digest": "0" * 64},
            "capabilities": ["sessions", "adapter.codex", "view.sessions", "control.clock", "control.kill"],
            "directory": DIRECTORY,
        },
    )
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


def exchanges() -> list[Exchange]:
    """Ask the simulator all of it, and give what was said, with the page's folders in place of the real ones."""
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
        transport = StdioTransport(Command(SERVED, name), outside.path)
        try:
            return [_exchange(transport, method, params, real) for method, params in requests(shown)]
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

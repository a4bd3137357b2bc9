"""The same requests and the same clients on a real engine: the stand-in answers alike."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ..outside import PATIENCE  # noqa: TID252 -- the room that this one is in
from .house import House, ask, docker_command, dockerode
from .real_engine import RealEngine, real_engine


@pytest.fixture(scope="module")
def real() -> Iterator[RealEngine]:
    with real_engine() as engine:
        yield engine


#: What is asked before, what is asked then, and the body; {c} is a container that was made, {i} the image, {l} a label.
REQUESTS: list[tuple[tuple[str, ...], str, str, dict[str, Any] | None]] = [
    ((), "GET", "/_ping", None),
    ((), "HEAD", "/_ping", None),
    ((), "GET", "/version", None),
    ((), "GET", "/info", None),
    ((), "GET", "/images/{i}/json", None),
    ((), "GET", '/images/json?filters={{"reference":["{i}"]}}', None),
    ((), "GET", "/networks/none", None),
    ((), "GET", '/networks?filters={{"name":["none"]}}', None),
    ((), "GET", "/networks/nobody", None),
    ((), "DELETE", "/networks/nobody", None),
    ((), "POST", "/networks/create", {"Name": "none"}),
    ((), "GET", "/containers/nobody/json", None),
    ((), "DELETE", "/containers/nobody", None),
    ((), "POST", "/containers/nobody/start", None),
    ((), "POST", "/containers/nobody/stop", None),
    ((), "POST", "/containers/nobody/kill", None),
    ((), "POST", "/containers/nobody/wait", None),
    ((), "GET", "/containers/nobody/logs?stdout=1", None),
    ((), "POST", "/containers/create?name=x", {}),
    ((), "POST", "/containers/create", {"Image": "A B"}),
    ((), "POST", "/containers/create", {"Cmd": None}),
    ((), "POST", "/containers/create", {"WorkingDir": "rel"}),
    ((), "POST", "/containers/create", {"StopSignal": "NONE"}),
    ((), "POST", "/containers/create", {"HostConfig": {"Binds": ["/a:b"]}}),
    ((), "POST", "/containers/create", {"HostConfig": {"Binds": ["./a:/b"]}}),
    ((), "POST", "/containers/create", {"HostConfig": {"Mounts": [{"Type": "bind", "Source": "/no", "Target": "/w"}]}}),
    ((), "POST", "/containers/create", {"HostConfig": {"AutoRemove": True, "RestartPolicy": {"Name": "always"}}}),
    ((), "GET", '/containers/json?filters={{"odd":["x"]}}', None),
    ((), "GET", "/v1.99/containers/json", None),
    (("create",), "GET", "/containers/{c}/json", None),
    (("create",), "GET", '/containers/json?all=1&filters={{"label":["{l}"]}}', None),
    (("create",), "POST", "/containers/{c}/start", None),
    (("create",), "POST", "/containers/{c}/wait", None),
    (("create",), "POST", "/containers/{c}/kill", None),
    (("create",), "POST", "/containers/{c}/stop", None),
    (("create",), "DELETE", "/containers/{c}", None),
    (("create", "start", "wait"), "GET", "/containers/{c}/json", None),
    (("create", "start", "wait"), "GET", '/containers/json?all=1&filters={{"label":["{l}"]}}', None),
    (("create", "start", "wait"), "POST", "/containers/{c}/wait", None),
    (("create", "start", "wait"), "GET", "/containers/{c}/logs?stdout=1&stderr=1", None),
    (("create", "start", "wait"), "GET", "/containers/{c}/logs", None),
    (("create", "start", "wait"), "POST", "/containers/{c}/kill", None),
    (("create", "start", "wait"), "POST", "/containers/{c}/stop", None),
    (("create", "start", "wait"), "POST", "/containers/{c}/kill?signal=NONE", None),
    (("create", "start", "wait"), "POST", '/containers/prune?filters={{"label":["{l}"]}}', None),
    (("create", "start", "wait"), "DELETE", "/containers/{c}?v=1", None),
    (("create", "start-hanging"), "GET", "/containers/{c}/json", None),
    (("create", "start-hanging"), "GET", '/containers/json?filters={{"label":["{l}"]}}', None),
    (("create", "start-hanging"), "POST", "/containers/{c}/start", None),
    (("create", "start-hanging"), "DELETE", "/containers/{c}", None),
    (("create", "start-hanging"), "POST", "/containers/{c}/kill", None),
    (("create", "start-hanging"), "POST", "/containers/{c}/stop?t=0", None),
    (("create", "start-hanging"), "DELETE", "/containers/{c}?force=1", None),
    (("create-unknown",), "POST", "/containers/{c}/start", None),
    (("create-unknown", "start"), "GET", "/containers/{c}/json", None),
    (("create-unknown", "start"), "POST", "/containers/{c}/wait", None),
]  # fmt: skip


def outcome(place: Path, image: str, label: str, row: tuple[tuple[str, ...], str, str, dict[str, Any] | None]) -> Any:  # noqa: ANN401 -- what was answered
    """Ask one of them: status, kind of content, and the answer's keys at every depth."""
    before, method, path, more = row
    container = ""
    waits = "start-hanging" in before
    argv = ["nosuch"] if "create-unknown" in before else ["claude", "-p", "--", "wait" if waits else "hello"]
    # One that waits reads a standard input that nobody writes to.
    body = {
        "Image": image,
        "Cmd": argv,
        "Labels": {label: "1"},
        "OpenStdin": waits,
        "HostConfig": {"NetworkMode": "none"},
    }
    try:
        for step in before:
            if step.startswith("create"):
                container = ask(place, "POST", "/v1.41/containers/create", body).json["Id"]
            else:
                ask(place, "POST", f"/v1.41/containers/{container}/{step.partition('-')[0]}")
        named = quote(path.format(c=container, i=image, l=label), safe="/?&=")
        path = named if method == "HEAD" or named.startswith(("/_ping", "/v1")) else f"/v1.41{named}"
        sent = None
        if more is not None:
            sent = more if "networks" in path else {**body, **more}
        reply = ask(place, method, path, sent)
        if reply.status == 201:
            container = reply.json["Id"]
    finally:
        if container:
            ask(place, "DELETE", f"/v1.41/containers/{container}?force=1")
    kind = reply.headers.get("Content-Type", "").partition(";")[0]
    if kind != "application/json":
        return reply.status, reply.body
    return reply.status, _shape(reply.json)


#: Parts whose keys are names, or differ from engine to engine; what is in them says nothing of the form.
_FREE = ("Labels", "Details", "Components", "Runtimes", "Plugins", "Data", "IndexConfigs", "Networks", "Ports")


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return {key: None if key in _FREE else _shape(one) for key, one in sorted(value.items())}
    if isinstance(value, list):
        return [_shape(value[0])] if value and isinstance(value[0], dict) else []
    return None


def _lacking(real: object, ours: object, at: str = "") -> list[str]:
    """Give the keys that a real engine has and ours has not."""
    if isinstance(real, dict) and isinstance(ours, dict):
        missing = [f"{at}.{key}" for key in real if key not in ours]
        return missing + [one for key in real if key in ours for one in _lacking(real[key], ours[key], f"{at}.{key}")]
    if isinstance(real, list) and isinstance(ours, list) and real and ours:
        return _lacking(real[0], ours[0], f"{at}[]")
    return []


@pytest.mark.parametrize(
    "row", REQUESTS, ids=lambda row: f"{' '.join(row[0])} {row[1]} {row[2]} {row[3] or ''}".strip()
)
def test_a_request_is_answered_as_a_real_engine_answers_it(
    house: House, real: RealEngine, row: tuple[tuple[str, ...], str, str, dict[str, Any] | None]
) -> None:
    status, theirs = outcome(real.socket, real.image, real.label, row)
    our_status, ours = outcome(house.socket, real.image, real.label, row)
    assert our_status == status
    if isinstance(theirs, bytes):
        assert ours == theirs
    else:
        assert _lacking(theirs, ours) == []


#: Commands that leave nothing running; {i} is the image and {l} a label.
ACTIONS = [
    "run --rm --network none -l {l} {i} claude -p -- hello",
    "run --rm -i --network none -l {l} {i} claude -p",
    "run --rm --network none -l {l} --entrypoint claude {i} --version",
    "run --rm --network none -l {l} {i} nosuch",
    "run --rm --network none -l {l} --mount type=bind,src=/no/such,dst=/w {i} claude",
    "run --rm --network none -l {l} -v /tmp:/w -v /tmp:/w {i} claude -p -- hello",
    "run --rm --network none -l {l} -w rel {i} claude",
    "run --network none -l {l} --name x {i} claude",
    "ps -q --filter label={l}",
    "ps -aq --filter label=nobody-has-this",
    "container inspect nobody",
    "logs nobody",
    "wait nobody",
    "stop nobody",
    "rm nobody",
    "rm -f nobody",
    "start nobody",
    "kill nobody",
    "container prune -f --filter label=nobody-has-this",
    "network inspect nobody",
    "network rm nobody",
]


@pytest.mark.parametrize("words", ACTIONS)
def test_the_real_command_says_the_same_of_both(house: House, real: RealEngine, words: str) -> None:
    given = words.format(i=real.image, l=real.label).split()
    said: list[tuple[int, str]] = []
    for url in (f"unix://{real.socket}", house.url):
        done = subprocess.run(
            (docker_command(), *given),
            env=house.environment(DOCKER_HOST=url),
            input="a prompt\n",
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        said.append((done.returncode, done.stdout))
    assert said[1] == said[0]


def test_dockerode_is_told_the_same_by_both(house: House, real: RealEngine) -> None:
    found = dockerode()
    told: list[Any] = []
    for url in (f"unix://{real.socket}", house.url):
        done = subprocess.run(
            ("node", str(Path(__file__).with_name("dockerode.cjs"))),
            env=house.environment(DOCKER_HOST=url, TCK_IMAGE=real.image, TCK_LABEL=real.label, **found),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        told.append(json.loads(done.stdout))
    assert told[1] == told[0]

"""What a container engine must do before anything is believed that rests on it, tried out one by one.

An engine that says `exit 0` for every container would let every run succeed, and one that mounts a folder which is not
there would hide an engine's mistake. So nothing is taken from a version number: each is tried.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from tck_fakes.docker.engine import owner
from tck_fakes.docker.order import OWNER, ordinary
from tck_fakes.images.making import labels

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

_LIFETIME: Final = 300
#: An exit code that no container engine has a reason of its own to give.
_CODE: Final = 3
_KILLED: Final = 137
_PATIENCE: Final = 60
_SOON: Final = 20
_MEMORY: Final = 64 * 1024**2
_PIDS: Final = 16

#: What a process sees of its container, told as one line of JSON. `%PORT%` is one at which the host listens.
_LOOK: Final = """
import json, os, pathlib, socket
def tried(what):
    try:
        what()
    except OSError as fault:
        return type(fault).__name__ if fault.errno is None else os.strerror(fault.errno)
    return ""
def free(place):
    return tried(lambda: pathlib.Path(place, "written").write_text("here"))
status = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
print(json.dumps({
    "uid": os.getuid(), "gid": os.getgid(),
    "capabilities": status["CapEff"].strip(), "privileges": status["NoNewPrivs"].strip(),
    "interfaces": sorted(os.listdir("/sys/class/net")),
    "host": tried(lambda: socket.create_connection(("127.0.0.1", %PORT%), 5)),
    "root": free("/"), "given": free("/given"), "read": pathlib.Path("/lent/host").read_text(),
    "lent": free("/lent"), "home": free("/home/agent"), "below": free("/home/agent/.below"),
}))
"""
_EATER: Final = "held = []\nwhile True: held.append(bytearray(4 * 1024 * 1024))"
_FORKER: Final = (
    "import os, time\nfor _ in range(64):\n    if os.fork() == 0:\n        time.sleep(5)\n        os._exit(0)"
)


@dataclass(frozen=True, slots=True)
class Probe:
    """What was tried, whether it went as it must, what was seen, and whether the kit can do without."""

    name: str
    ok: bool
    seen: str
    needed: bool = True

    def fields(self) -> dict[str, object]:
        """Give it as JSON."""
        return {"probe": self.name, "ok": self.ok, "needed": self.needed, "seen": self.seen}


@dataclass(frozen=True, slots=True)
class About:
    """What an engine says that it is."""

    name: str
    version: str
    api: str
    storage: str
    platform: str

    def __str__(self) -> str:
        """Give it in one line."""
        return f"{self.name} {self.version} (API {self.api}), storage {self.storage}, {self.platform}"

    def fields(self) -> dict[str, object]:
        """Give it as JSON."""
        return {
            "name": self.name,
            "version": self.version,
            "api": self.api,
            "storageDriver": self.storage,
            "platform": self.platform,
        }


def about(client: DockerClient) -> About:
    """Ask an engine what it is."""
    said: Mapping[str, Any] = client.version()
    parts = cast("list[Mapping[str, object]]", said.get("Components") or [])
    podman = any("podman" in str(part.get("Name", "")).lower() for part in parts)
    informed: Mapping[str, Any] = client.info()
    return About(
        "Podman" if podman else "Docker Engine",
        str(said.get("Version", "unknown")),
        str(said.get("ApiVersion", "unknown")),
        str(informed.get("Driver", "unknown")),
        f"{said.get('Os', 'unknown')}/{said.get('Arch', 'unknown')}",
    )


@dataclass(slots=True)
class Trial:
    """An engine under trial, with an image to try it with and a folder of the host to mount parts of."""

    client: DockerClient
    image: str
    folder: Path
    own: str = field(default_factory=lambda: secrets.token_hex(8))

    @contextlib.contextmanager
    def container(self, *command: str, **asked: Any) -> Generator[Container]:  # noqa: ANN401 -- the SDK's own words
        """Make a container, and remove it whatever happens."""
        labelled = {**labels("check", _LIFETIME), OWNER: owner(), "session-tck.check": self.own}
        create = cast("Any", self.client.containers.create)
        made: Container = create(self.image, command=[*command], labels=labelled, network_mode="none", **asked)
        try:
            yield made
        finally:
            with contextlib.suppress(Exception):  # it may be gone, or the engine may not do as it should
                made.remove(force=True, v=True)

    def code(self, *command: str, **asked: Any) -> int:  # noqa: ANN401 -- as above
        """Run a command to its end, and give the exit code that the engine tells."""
        with self.container(*command, **asked) as made:
            made.start()
            return int(made.wait(timeout=_PATIENCE)["StatusCode"])


def _exit(trial: Trial) -> Probe:
    code = trial.code("sh", "-c", f"exit {_CODE}")
    return Probe("exit code", code == _CODE, f"`exit {_CODE}` is told as {code}")


def _exit_removed(trial: Trial) -> Probe:
    """Ask as `docker run --rm` does: whoever waits for the removal is told the exit code."""
    told: list[object] = []
    with trial.container("sh", "-c", f"exit {_CODE}", auto_remove=True) as made:

        def wait() -> None:
            try:
                told.append(trial.client.api.wait(str(made.id), timeout=_PATIENCE, condition="removed")["StatusCode"])
            except Exception as fault:  # noqa: BLE001 -- whatever it is, it is what the engine did
                told.append(str(fault)[:100])

        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        time.sleep(0.2)
        made.start()
        waiting.join(_PATIENCE)
    code = told[0] if told else "nothing"
    return Probe("exit code with --rm", code == _CODE, f"`run --rm … exit {_CODE}` is told as {code}")


def _refused(trial: Trial) -> Probe:
    from docker.errors import APIError  # noqa: PLC0415 -- an optional package
    from docker.types import Mount  # noqa: PLC0415 -- the same

    there, missing = trial.folder / "there", trial.folder / "missing"
    there.mkdir()
    # An engine that refuses every mount would otherwise pass.
    before = trial.code("true", mounts=[Mount("/given", str(there), type="bind")])
    try:
        code = trial.code("true", mounts=[Mount("/given", str(missing), type="bind")])
    except APIError:
        code = None
    made = missing.exists()
    seen = "refused" if code is None else f"started, exit code {code}"
    ok = before == 0 and code is None and not made
    return Probe("missing mount source", ok, f"{seen}{', and made on the host' if made else ''}")


def _removed(trial: Trial) -> Probe:
    from docker.errors import NotFound  # noqa: PLC0415 -- an optional package

    beat = trial.folder / "beat"
    beat.mkdir()
    user = _user()
    _own(beat, user)
    with trial.container(
        "sh", "-c", "while true; do date +%N > /given/beat; done", user=user, volumes={str(beat): {"bind": "/given"}}
    ) as made:
        made.start()
        began = _until((beat / "beat").exists)
        made.remove(force=True, v=True)
        before = _text(beat / "beat")
        time.sleep(0.3)
        still = _text(beat / "beat") != before
        try:
            made.reload()
        except NotFound:
            gone = True
        else:
            gone = False
    seen = "gone, and it writes no more" if gone and not still else "it is still there or still writes"
    return Probe("rm -f", began and gone and not still, seen if began else "it never began to write")


def _killed(trial: Trial) -> Probe:
    with trial.container("sh", "-c", "echo said; exec sleep 60") as made:
        made.start()
        said = _until(lambda: b"said" in made.logs())
        made.kill()
        code = int(made.wait(timeout=_PATIENCE)["StatusCode"])
        kept = b"said" in made.logs()
    return Probe("kill", said and code == _KILLED and kept, f"exit code {code}, output {'kept' if kept else 'lost'}")


def _labelled(trial: Trial) -> Probe:
    with trial.container("true") as made:
        found = trial.client.containers.list(
            all=True, ignore_removed=True, filters={"label": f"session-tck.check={trial.own}"}
        )
        ids = {str(each.id) for each in found}
        right = ids == {str(made.id)}
    return Probe("found by label", right, f"{len(ids)} found")


def _memory(trial: Trial) -> Probe:
    code = trial.code("python3", "-I", "-c", _EATER, mem_limit=_MEMORY, memswap_limit=_MEMORY)
    return Probe("memory limit", code == _KILLED, f"who takes more than it has ends with {code}", needed=False)


def _processes(trial: Trial) -> Probe:
    code = trial.code("python3", "-I", "-c", _FORKER, pids_limit=_PIDS)
    return Probe("process limit", code == 1, f"who starts more than it has ends with {code}", needed=False)


def _looks(trial: Trial) -> tuple[Probe, ...]:
    """Look from inside once, at everything that a container of a run is promised."""
    from docker.types import Mount  # noqa: PLC0415 -- an optional package

    given, lent = trial.folder / "given", trial.folder / "lent"
    given.mkdir()
    lent.mkdir()
    (lent / "host").write_text("of the host", encoding="utf-8")
    user = _user()
    _own(given, user)
    _own(lent, user)
    uid, _, gid = user.partition(":")
    memory = f"uid={uid},gid={gid},mode=0700,size=1m"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        script = _LOOK.replace("%PORT%", str(listening.getsockname()[1]))
        with trial.container(
            *("python3", "-I", "-c", script),
            user=user,
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            mounts=[
                Mount("/given", str(given), type="bind"),
                Mount("/lent", str(lent), type="bind", read_only=True),
            ],
            tmpfs={"/home/agent": memory, "/home/agent/.below": memory},
        ) as made:
            made.start()
            code = int(made.wait(timeout=_PATIENCE)["StatusCode"])
            said = made.logs(stdout=True, stderr=False).decode("utf-8", "replace")
            wrong = made.logs(stdout=False, stderr=True).decode("utf-8", "replace").strip().splitlines()
    if code:
        return (Probe("a container as a run has it", ok=False, seen=wrong[-1] if wrong else f"exit code {code}"),)
    seen: Mapping[str, Any] = json.loads(said)
    written = given / "written"
    owner = written.stat().st_uid if written.exists() else None
    mine = f"{seen['uid']}:{seen['gid']}"
    return (
        Probe("user", mine == user, f"{mine} for {user}"),
        Probe("no capabilities", not seen["capabilities"].strip("0"), f"effective {seen['capabilities']}"),
        Probe("no new privileges", seen["privileges"] == "1", f"NoNewPrivs {seen['privileges']}"),
        Probe("network none", seen["interfaces"] == ["lo"], f"interfaces {', '.join(seen['interfaces'])}"),
        Probe("host's loopback", seen["host"] != "", seen["host"] or "reached"),
        Probe("read-only root", seen["root"] != "", seen["root"] or "written"),
        Probe(
            "mount, written",
            owner == int(uid),
            f"seen on the host, owner {owner}" if owner is not None else seen["given"],
        ),
        Probe("mount, read-only", seen["lent"] != "" and seen["read"] == "of the host", seen["lent"] or "written"),
        Probe(
            "memory of the user's own",
            not seen["home"] and not seen["below"],
            seen["home"] or seen["below"] or "written",
        ),
    )


#: What is tried, in this order. The first two decide whether an engine is believed anything at all.
EXITS: Final[tuple[Callable[[Trial], Probe], ...]] = (_exit, _exit_removed)
REST: Final[tuple[Callable[[Trial], Probe], ...]] = (_refused, _killed, _removed, _labelled, _memory, _processes)


def probes(client: DockerClient, image: str, folder: Path) -> Iterator[Probe]:
    """Try everything, one probe after the other; what an engine answers with an error has failed."""
    folder.chmod(0o755)
    trial = Trial(client, image, folder)
    for one in EXITS:
        yield _tried(one, trial)
    yield from _all_looks(trial)
    for one in REST:
        yield _tried(one, trial)


def distrust(client: DockerClient, image: str) -> str | None:
    """Give why an engine's exit codes cannot be believed, None where they can: what whoever uses one asks first."""
    trial = Trial(client, image, Path())
    for one in EXITS:
        probe = _tried(one, trial)
        if not probe.ok:
            known = about(client)
            return f"{known.name} {known.version}: {probe.name}: {probe.seen}"
    return None


def _tried(one: Callable[[Trial], Probe], trial: Trial) -> Probe:
    from docker.errors import DockerException  # noqa: PLC0415 -- an optional package

    try:
        return one(trial)
    except (DockerException, OSError) as fault:
        return Probe(one.__name__.strip("_").replace("_", " "), ok=False, seen=_line(fault))


def _all_looks(trial: Trial) -> tuple[Probe, ...]:
    from docker.errors import DockerException  # noqa: PLC0415 -- an optional package

    try:
        return _looks(trial)
    except (DockerException, OSError, ValueError) as fault:
        return (Probe("a container as a run has it", ok=False, seen=_line(fault)),)


def _line(fault: Exception) -> str:
    said = str(getattr(fault, "explanation", None) or fault).split("\n")[0]
    return said[:160]


def _user() -> str:
    """Give whom the containers of a run have as user here."""
    return ordinary(f"{os.getuid()}:{os.getgid()}")


def _own(place: Path, user: str) -> None:
    if os.getuid() == 0:
        uid, _, gid = user.partition(":")
        os.chown(place, int(uid), int(gid))


def _until(there: Callable[[], bool]) -> bool:
    end = time.monotonic() + _SOON
    while time.monotonic() < end:
        if there():
            return True
        time.sleep(0.05)
    return False


def _text(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(encoding="ascii")
    return ""


def as_json(known: About, found: list[Probe]) -> dict[str, object]:
    """Give an engine and its probes as JSON."""
    return {
        "engine": known.fields(),
        "usable": usable(found),
        "probes": [probe.fields() for probe in found],
    }


def usable(found: list[Probe]) -> bool:
    """Tell whether an engine does all that the kit cannot do without."""
    return all(probe.ok for probe in found if probe.needed)

"""TEST ONLY: what stands in the place of an agent CLI in the image of the real one, and starts it beside a model.

A container of a run has no network, so the model server runs in it: on its loopback, for as long as the CLI does. This
program writes the CLI's configuration into the container's own HOME, which nobody shares, says what it found there
before and what is there afterwards, and ends as the CLI did. All that it tells goes into a folder that a proof mounts
for it; without that folder it tells nothing. A question for the version reaches the CLI without any of this.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Final

from tck_fakes.modelserver.server import ModelServer

#: Where a proof mounts a folder for what is told, and what is written into it.
TOLD: Final = Path("/run/session-tck/told")
LOG: Final = "model.jsonl"
START: Final = "start.json"
END: Final = "end.json"
#: What stands for the model server's URL in a configuration.
MODEL: Final = "{model}"
#: A file that the first container leaves in its HOME, which no other one may ever see.
CANARY: Final = "session-tck-canary"
_MOST_FILES = 5000


def main(described: Path, arguments: list[str]) -> int:
    """Run the CLI that an image holds; `described` says which, and how it is configured."""
    known: dict[str, Any] = json.loads(described.read_text(encoding="utf-8"))
    words = [*known["words"], *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in ("SHLVL", "PWD", "OLDPWD")}
    home = Path(environment.get("HOME", "/home/agent"))
    if arguments == ["--version"]:
        environment.update(_filled(known["environment"], "http://127.0.0.1:9"))
        os.execve(words[0], words, environment)  # noqa: S606 -- this is what it stands for
    telling = TOLD.is_dir()
    if telling:
        _tell(START, home)
    with ModelServer(log=TOLD / LOG if telling else None) as server:
        environment.update(_filled(known["environment"], server.url))
        for name, text in _filled(known["files"], server.url).items():
            target = home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        if telling:
            (home / CANARY).write_text("left by a container that is gone\n", encoding="utf-8")
        code = _run(words, environment)
    if telling:
        _tell(END, home)
    return code


def _filled(values: Mapping[str, str], url: str) -> dict[str, str]:
    return {name: value.replace(MODEL, url) for name, value in values.items()}


def _run(words: list[str], environment: Mapping[str, str]) -> int:
    """Run the CLI in a process group of its own, and hand on whatever signal would end us."""
    child = subprocess.Popen(words, env=environment, process_group=0)

    def hand_on(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, hand_on)
    code = child.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def _tell(name: str, home: Path) -> None:
    """Write what can be seen from inside: whose process this is, what it can reach, and the files of its HOME."""
    seen = {
        "uid": os.getuid(),
        "gid": os.getgid(),
        "interfaces": sorted(entry.name for entry in Path("/sys/class/net").iterdir()),
        "root_writable": _writable(Path("/")),
        "status": {
            key: value.strip()
            for key, _, value in (
                line.partition(":") for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines()
            )
            if key in ("CapEff", "NoNewPrivs", "Seccomp")
        },
        "mounts": _mounts(),
        "home": sorted(_files(home)),
    }
    (TOLD / name).write_text(json.dumps(seen), encoding="utf-8")


def _writable(folder: Path) -> bool:
    probe = folder / ".session-tck"
    try:
        probe.touch()
    except OSError:
        return False
    probe.unlink()
    return True


def _mounts() -> list[str]:
    """Give the mount points that hold files of a host or of memory, as the kernel lists them."""
    held: list[str] = []
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        before, _, after = line.partition(" - ")
        kind = after.split(" ", 1)[0]
        if kind not in ("proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue"):
            held.append(before.split(" ")[4])
    return sorted(set(held))


def _files(folder: Path) -> Iterator[str]:
    """Give the regular files below a folder, and no more than can be told."""
    count = 0
    for here, _, names in os.walk(folder):
        for name in names:
            count += 1
            if count > _MOST_FILES:
                return
            yield str(Path(here, name).relative_to(folder))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))

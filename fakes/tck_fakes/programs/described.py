"""How containers and images are described: `inspect`'s document, and the rows of `ps`."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from tck_fakes.container import Container
from tck_fakes.programs.values import Free

#: How docker writes an instant that has not come.
_NEVER = "0001-01-01T00:00:00Z"
_SHOWN_COMMAND = 20
_STATUS = {"created": "created", "running": "running", "exited": "exited", "refused": "created"}


def status_of(live: Container) -> str:
    """Give the word for its state."""
    return _STATUS[live.phase]


def _instant(at: datetime | None) -> str:
    return _NEVER if at is None else at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def image_id(image: str) -> str:
    """Give the id of an image; the same name always has the same."""
    return "sha256:" + hashlib.sha256(image.encode()).hexdigest()


def inspected(live: Container) -> dict[str, object]:
    """Give the document of `docker inspect`."""
    request = live.request
    limits = dict(live.limits)
    return {
        "Id": live.long_id,
        "Created": _instant(live.created),
        "Path": request.argv[0],
        "Args": list(request.argv[1:]),
        "State": {
            "Status": status_of(live),
            "Running": live.phase == "running",
            "Paused": False,
            "Restarting": False,
            "OOMKilled": False,
            "Dead": False,
            "Pid": int(live.id[:4], 16) + 1 if live.phase == "running" else 0,
            "ExitCode": live.exit_code or 0,
            "Error": "".join(text for _, text in live.log).strip() if live.phase == "refused" else "",
            "StartedAt": _instant(None if live.phase == "refused" else live.started),
            "FinishedAt": _instant(live.finished),
        },
        "Image": image_id(request.image),
        "Name": f"/{live.name}",
        "RestartCount": 0,
        "Driver": "overlay2",
        "Platform": "linux",
        "HostConfig": {
            "Binds": [_bind(live, index) for index in range(len(request.mounts))] or None,
            "NetworkMode": request.network,
            "AutoRemove": live.auto_removed,
            "ReadonlyRootfs": request.read_only_root,
            "Init": True if "init" in limits else None,
            "Privileged": "privileged" in limits,
            "CapAdd": [value for name, value in live.limits if name == "cap-add"] or None,
            "CapDrop": [value for name, value in live.limits if name == "cap-drop"] or None,
            "SecurityOpt": [value for name, value in live.limits if name == "security-opt"] or None,
            "LogConfig": {"Type": limits.get("log-driver", "json-file"), "Config": {}},
            "RestartPolicy": {"Name": limits.get("restart", "no"), "MaximumRetryCount": 0},
        },
        "Mounts": [
            {
                "Type": "bind",
                "Source": mount.source,
                "Destination": mount.target,
                "Mode": "",
                "RW": not mount.read_only,
                "Propagation": "rprivate",
            }
            for mount in request.mounts
        ],
        "Config": {
            "Hostname": limits.get("hostname", live.id),
            "User": request.user,
            "Tty": False,
            "OpenStdin": bool(request.stdin),
            "Env": [f"{name}={value}" for name, value in request.environment],
            "Cmd": list(request.argv),
            "Image": request.image,
            "WorkingDir": request.workdir,
            "Entrypoint": None,
            "Labels": Free(request.labels),
        },
        "NetworkSettings": {"Networks": {name: {} for name in request.network.split(",")}},
    }


def _bind(live: Container, index: int) -> str:
    mount = live.request.mounts[index]
    return f"{mount.source}:{mount.target}" + (":ro" if mount.read_only else "")


def row(live: Container, now: datetime, *, whole: bool) -> dict[str, object]:
    """Give a line of `docker ps`, by the names that templates use."""
    request = live.request
    labels = dict(request.labels)
    command = " ".join(request.argv)

    def label(name: object) -> str:
        return labels.get(str(name), "")

    if not whole and len(command) > _SHOWN_COMMAND:
        command = command[: _SHOWN_COMMAND - 1] + "…"
    return {
        "ID": live.long_id if whole else live.id,
        "Names": live.name,
        "Image": request.image,
        "Command": f'"{command}"',
        "CreatedAt": live.created.strftime("%Y-%m-%d %H:%M:%S +0000 UTC"),
        "RunningFor": f"{_ago(live.created, now)} ago",
        "Ports": "",
        "State": status_of(live),
        "Status": _status(live, now),
        "Size": "0B",
        "Labels": ",".join(f"{name}={value}" for name, value in labels.items()),
        "Mounts": ",".join(mount.source for mount in request.mounts),
        "Networks": request.network,
        "LocalVolumes": "0",
        "Label": label,
    }


def _status(live: Container, now: datetime) -> str:
    if live.phase == "running":
        return f"Up {_ago(live.started or now, now)}"
    if live.phase == "exited":
        return f"Exited ({live.exit_code}) {_ago(live.finished or now, now)} ago"
    return "Created"


def _ago(then: datetime, now: datetime) -> str:
    seconds = int((now - then).total_seconds())
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {name}" + ("s" if count > 1 else "")
    return "Less than a second"


def image(name: str) -> dict[str, object]:
    """Give the document of `docker image inspect`: any image is there."""
    return {
        "Id": image_id(name),
        "RepoTags": [name if ":" in Path(name).name else f"{name}:latest"],
        "RepoDigests": [],
        "Created": "2026-01-01T00:00:00Z",
        "Architecture": "amd64",
        "Os": "linux",
        "Size": 0,
        "Config": {"User": "", "Env": [], "Cmd": None, "Entrypoint": None, "WorkingDir": "/", "Labels": Free()},
    }


def network(name: str) -> dict[str, object]:
    """Give the document of `docker network inspect`."""
    return {
        "Name": name,
        "Id": hashlib.sha256(f"network {name}".encode()).hexdigest(),
        "Created": "2026-01-01T00:00:00Z",
        "Scope": "local",
        "Driver": {"none": "null"}.get(name, name if name == "host" else "bridge"),
        "Internal": False,
        "Containers": {},
        "Options": Free(),
        "Labels": Free(),
    }

"""How containers, images and networks are described: the documents that the program and the API show."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from tck_fakes.container import Container
from tck_fakes.daemon.defaults import CONFIG, ENDPOINT, GRAPH_DRIVER, HOST_CONFIG, IMAGE, NETWORK, NETWORK_SETTINGS
from tck_fakes.daemon.values import Free

Json = dict[str, Any]
#: How docker writes an instant that has not come.
_NEVER = "0001-01-01T00:00:00Z"
_STATUS = {"created": "created", "running": "running", "exited": "exited", "refused": "created"}


def status_of(live: Container) -> str:
    """Give the word for its state."""
    return _STATUS[live.phase]


def _instant(at: datetime | None) -> str:
    return _NEVER if at is None else at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def image_id(image: str) -> str:
    """Give the id of an image; the same name always has the same."""
    return "sha256:" + hashlib.sha256(image.encode()).hexdigest()


def fault_of(live: Container) -> str:
    """Give why a container could not start, nothing where it could."""
    return "".join(text for _, text in live.log).strip() if live.phase == "refused" else ""


def inspected(live: Container, body: Mapping[str, Any] | None = None) -> Json:
    """Give the document of a container; `body` is what the API was asked for, where it was."""
    request = live.request
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
            "Error": fault_of(live),
            "StartedAt": _instant(None if live.phase == "refused" else live.started),
            "FinishedAt": _instant(None if live.phase == "refused" else live.finished),
        },
        "Image": image_id(request.image),
        "ResolvConfPath": "",
        "HostnamePath": "",
        "HostsPath": "",
        "LogPath": "",
        "Name": f"/{live.name}",
        "RestartCount": 0,
        "Driver": "overlay2",
        "Platform": "linux",
        "MountLabel": "",
        "ProcessLabel": "",
        "AppArmorProfile": "",
        "ExecIDs": None,
        "HostConfig": _host_config(live) if body is None else _asked(HOST_CONFIG, body.get("HostConfig")),
        "GraphDriver": GRAPH_DRIVER,
        "Mounts": mounts_of(live),
        "Config": _config(live, body),
        "NetworkSettings": {**NETWORK_SETTINGS, "Networks": networks_of(live)},
    }


def mounts_of(live: Container) -> list[Json]:
    """Describe what is mounted from the host."""
    return [
        {
            "Type": "bind",
            "Source": mount.source,
            "Destination": mount.target,
            "Mode": "",
            "RW": not mount.read_only,
            "Propagation": "rprivate",
        }
        for mount in live.request.mounts
    ]


def networks_of(live: Container) -> Json:
    """Describe the networks that were asked for."""
    return {name: ENDPOINT | {"NetworkID": network_id(name)} for name in live.request.network.split(",")}


def _asked(defaults: Json, said: object) -> Json:
    """Give all fields, as asked for where something was."""
    given: Mapping[str, Any] = cast("Mapping[str, Any]", said) if isinstance(said, Mapping) else {}
    empty: tuple[object, ...] = (None, "", 0)
    return defaults | {
        name: value
        for name, value in given.items()
        if not any(value is one or (value == one and not isinstance(value, bool)) for one in empty)
        and not (isinstance(value, Mapping) and not any(cast("Mapping[str, Any]", value).values()))
    }


def _config(live: Container, body: Mapping[str, Any] | None) -> Json:
    request = live.request
    limits = dict(live.limits)
    own: Json = {
        "Hostname": limits.get("hostname", live.id),
        "Env": [f"{name}={value}" for name, value in request.environment],
        "Image": request.image,
        "Labels": Free(request.labels),
    }
    if body is not None:
        beside = ("HostConfig", "NetworkingConfig")
        return _asked(CONFIG, {name: value for name, value in body.items() if name not in beside}) | own
    return (
        CONFIG
        | own
        | {
            "User": request.user,
            "OpenStdin": bool(request.stdin),
            "Cmd": list(request.argv),
            "WorkingDir": request.workdir,
        }
    )


def _host_config(live: Container) -> Json:
    request = live.request
    limits = dict(live.limits)
    return HOST_CONFIG | {
        "Binds": [f"{mount.source}:{mount.target}" + (":ro" if mount.read_only else "") for mount in request.mounts]
        or None,
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
    }


def listed(live: Container, now: datetime) -> Json:
    """Give a container's line in the API's listing."""
    return {
        "Id": live.long_id,
        "Names": [f"/{live.name}"],
        "Image": live.request.image,
        "ImageID": image_id(live.request.image),
        "Command": " ".join(live.request.argv),
        "Created": int(live.created.timestamp()),
        "Ports": [],
        "Labels": dict(live.request.labels),
        "State": status_of(live),
        "Status": status_line(live, now),
        "HostConfig": {"NetworkMode": live.request.network},
        "NetworkSettings": {"Networks": networks_of(live)},
        "Mounts": mounts_of(live),
    }


def status_line(live: Container, now: datetime) -> str:
    """Give the state as a person reads it."""
    if live.phase == "running":
        return f"Up {ago(live.started or now, now)}"
    if live.phase == "exited":
        return f"Exited ({live.exit_code}) {ago(live.finished or now, now)} ago"
    return "Created"


def ago(then: datetime, now: datetime) -> str:
    """Give how long ago that was, roughly."""
    seconds = int((now - then).total_seconds())
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {name}" + ("s" if count > 1 else "")
    return "Less than a second"


def image(name: str) -> Json:
    """Give the document of an image: any is there."""
    return {
        "Id": image_id(name),
        "RepoTags": [name if ":" in Path(name).name else f"{name}:latest"],
        **IMAGE,
        "Config": CONFIG | {"WorkingDir": "/", "Labels": Free()},
    }


def network_id(name: str) -> str:
    """Give the id of a network; the same name always has the same."""
    return hashlib.sha256(f"network {name}".encode()).hexdigest()


def network(name: str) -> Json:
    """Give the document of a network."""
    return {
        "Name": name,
        "Id": network_id(name),
        **NETWORK,
        "Driver": {"none": "null"}.get(name, name if name == "host" else "bridge"),
        "Options": Free(),
        "Labels": Free(),
    }

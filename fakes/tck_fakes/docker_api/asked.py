"""The body of `POST /containers/create`, read as an order: the same that `docker run` with the same options makes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from tck_fakes.daemon.errors import DaemonError
from tck_fakes.daemon.mounts import Asked, Asking
from tck_fakes.daemon.order import HOME, WORKDIR, Order, check_image, check_order, command
from tck_simulator.ports import ContainerRequest

Json = Mapping[str, Any]
_INVALID = 400
#: How large a number of bytes has to be for each letter that `docker run` takes.
_UNITS = (("g", 1 << 30), ("m", 1 << 20), ("k", 1 << 10))


def read_order(body: Json, name: str) -> Order:
    """Read a body. Raises `DaemonError` and `UnknownError`."""
    host = _object(body, "HostConfig")
    image, workdir = _text(body, "Image"), _text(body, "WorkingDir")
    check_image(image)
    check_order(name, workdir, _text(body, "StopSignal"))
    removed = host.get("AutoRemove") is True
    if removed and _text(_object(host, "RestartPolicy"), "Name") not in ("", "no"):
        raise DaemonError(_INVALID, "can't create 'AutoRemove' container with restart policy")
    argv = command(_words(body, "Entrypoint"), _words(body, "Cmd"))
    asked = _mounts(body, host)
    environment = _environment(body)
    request = ContainerRequest(
        image=image,
        argv=argv,
        environment=tuple(environment.items()),
        mounts=asked.binds,
        labels=tuple(_texts(body, "Labels").items()),
        time_limit_ms=0,
        workdir=workdir or WORKDIR,
        home=environment.get("HOME") or HOME,
        user=_text(body, "User"),
        network=_network(body, host),
        read_only_root=host.get("ReadonlyRootfs") is True,
    )
    return Order(request, name, (*_limits(body, host), *asked.empty), asked.made, removed)


def _mounts(body: Json, host: Json) -> Asked:
    asking = Asking()
    for value in _list(host, "Binds"):
        asking.volume(_string(value, "HostConfig.Binds"))
    for one in _list(host, "Mounts"):
        if not isinstance(one, Mapping):
            raise _odd("HostConfig.Mounts")
        mount = cast("Json", one)
        kind = _text(mount, "Type") or "volume"
        source, target = _text(mount, "Source"), _text(mount, "Target")
        said = json.dumps(mount)
        asking.mount(kind, source or None, target, read_only=mount.get("ReadOnly") is True, said=said)
    for target, options in _texts(host, "Tmpfs").items():
        asking.tmpfs(f"{target}:{options}" if options else target)
    for target in _object(body, "Volumes"):
        # Clients name a folder here that they have mounted something in as well.
        if not asking.holds(target):
            asking.anonymous(target)
    return asking.asked()


def _environment(body: Json) -> dict[str, str]:
    given: dict[str, str] = {}
    for one in _list(body, "Env"):
        name, equals, value = _string(one, "Env").partition("=")
        if not name:
            raise DaemonError(_INVALID, f"invalid environment variable: {one}")
        if equals:
            given[name] = value
        else:
            given.pop(name, None)
    return given


def _network(body: Json, host: Json) -> str:
    """Give the network's name, or all of them."""
    named = _text(host, "NetworkMode")
    joined = _object(_object(body, "NetworkingConfig"), "EndpointsConfig")
    names = dict.fromkeys(one for one in (named, *joined) if one)
    plain = dict.fromkeys("bridge" if one == "default" else one for one in names)
    return ",".join(plain) or "bridge"


# Limits: by the names of `docker run`'s options, and as `docker run` takes their values.


def _plain(value: object) -> Iterator[str]:
    yield "true" if value is True else str(value)


def _each(value: object) -> Iterator[str]:
    for one in cast("list[object]", value) if isinstance(value, list) else ():
        yield one if isinstance(one, str) else json.dumps(one)


def _capabilities(value: object) -> Iterator[str]:
    for name in _each(value):
        yield name.upper().removeprefix("CAP_")


def _size(value: object) -> Iterator[str]:
    number = value if isinstance(value, int) else 0
    for letter, unit in _UNITS:
        if number > 0 and number % unit == 0:
            yield f"{number // unit}{letter}"
            return
    yield str(value)


def _cpus(value: object) -> Iterator[str]:
    yield f"{value / 1e9:g}" if isinstance(value, int) else str(value)


def _pairs(value: object) -> Iterator[str]:
    for name, one in _mapping(value).items():
        yield f"{name}={one}"


def _keys(value: object) -> Iterator[str]:
    for name in _mapping(value):
        yield name.removesuffix("/tcp")


def _restart(value: object) -> Iterator[str]:
    policy = _mapping(value)
    name, most = policy.get("Name"), policy.get("MaximumRetryCount")
    if name:
        yield f"{name}:{most}" if most else str(name)


def _ulimits(value: object) -> Iterator[str]:
    for one in _objects(value):
        yield f"{one.get('Name')}={one.get('Soft')}:{one.get('Hard')}"


def _devices(value: object) -> Iterator[str]:
    for one in _objects(value):
        yield ":".join(str(one.get(name, "")) for name in ("PathOnHost", "PathInContainer", "CgroupPermissions"))


def _ports(value: object) -> Iterator[str]:
    for port, bindings in _mapping(value).items():
        for one in _objects(bindings):
            before = [str(one[name]) for name in ("HostIp", "HostPort") if one.get(name)]
            yield ":".join((*before, port.removesuffix("/tcp")))


def _gpus(value: object) -> Iterator[str]:
    for one in _objects(value):
        count, ids = one.get("Count"), one.get("DeviceIDs")
        yield "device=" + ",".join(map(str, ids)) if ids else "all" if count == -1 else str(count)


def _weights(value: object) -> Iterator[str]:
    for one in _objects(value):
        yield f"{one.get('Path')}:{one.get('Rate', one.get('Weight'))}"


def _log_driver(value: object) -> Iterator[str]:
    named = _mapping(value).get("Type")
    if named:
        yield str(named)


def _log_options(value: object) -> Iterator[str]:
    yield from _pairs(_mapping(value).get("Config"))


def _health(value: object) -> Iterator[str]:
    test = _mapping(value).get("Test")
    if isinstance(test, list) and test and test != ["NONE"]:
        yield " ".join(str(word) for word in cast("list[object]", test)[1:])


def _no_health(value: object) -> Iterator[str]:
    if _mapping(value).get("Test") == ["NONE"]:
        yield "true"


Shown = Callable[[object], Iterator[str]]

#: Field of the body → the option of `docker run` that says the same, and how it says it.
_CONFIG: dict[str, tuple[tuple[str, Shown], ...]] = {
    "Hostname": (("hostname", _plain),),
    "Domainname": (("domainname", _plain),),
    "ExposedPorts": (("expose", _keys),),
    "MacAddress": (("mac-address", _plain),),
    "Healthcheck": (("health-cmd", _health), ("no-healthcheck", _no_health)),
    "StopSignal": (("stop-signal", _plain),),
    "StopTimeout": (("stop-timeout", _plain),),
}
_HOST_CONFIG: dict[str, tuple[tuple[str, Shown], ...]] = {
    "Memory": (("memory", _size),),
    "MemoryReservation": (("memory-reservation", _size),),
    "MemorySwap": (("memory-swap", _size),),
    "MemorySwappiness": (("memory-swappiness", _plain),),
    "KernelMemory": (("kernel-memory", _size),),
    "NanoCpus": (("cpus", _cpus),),
    "CpuShares": (("cpu-shares", _plain),),
    "CpuPeriod": (("cpu-period", _plain),),
    "CpuQuota": (("cpu-quota", _plain),),
    "CpuRealtimePeriod": (("cpu-rt-period", _plain),),
    "CpuRealtimeRuntime": (("cpu-rt-runtime", _plain),),
    "CpusetCpus": (("cpuset-cpus", _plain),),
    "CpusetMems": (("cpuset-mems", _plain),),
    "CpuCount": (("cpu-count", _plain),),
    "CpuPercent": (("cpu-percent", _plain),),
    "PidsLimit": (("pids-limit", _plain),),
    "OomKillDisable": (("oom-kill-disable", _plain),),
    "OomScoreAdj": (("oom-score-adj", _plain),),
    "ShmSize": (("shm-size", _size),),
    "BlkioWeight": (("blkio-weight", _plain),),
    "BlkioWeightDevice": (("blkio-weight-device", _weights),),
    "BlkioDeviceReadBps": (("device-read-bps", _weights),),
    "BlkioDeviceWriteBps": (("device-write-bps", _weights),),
    "BlkioDeviceReadIOps": (("device-read-iops", _weights),),
    "BlkioDeviceWriteIOps": (("device-write-iops", _weights),),
    "IOMaximumIOps": (("io-maxiops", _plain),),
    "IOMaximumBandwidth": (("io-maxbandwidth", _size),),
    "Init": (("init", _plain),),
    "Privileged": (("privileged", _plain),),
    "PublishAllPorts": (("publish-all", _plain),),
    "PortBindings": (("publish", _ports),),
    "CapAdd": (("cap-add", _capabilities),),
    "CapDrop": (("cap-drop", _capabilities),),
    "SecurityOpt": (("security-opt", _each),),
    "GroupAdd": (("group-add", _each),),
    "Dns": (("dns", _each),),
    "DnsOptions": (("dns-option", _each),),
    "DnsSearch": (("dns-search", _each),),
    "ExtraHosts": (("add-host", _each),),
    "Links": (("link", _each),),
    "VolumesFrom": (("volumes-from", _each),),
    "VolumeDriver": (("volume-driver", _plain),),
    "Ulimits": (("ulimit", _ulimits),),
    "Sysctls": (("sysctl", _pairs),),
    "StorageOpt": (("storage-opt", _pairs),),
    "Annotations": (("annotation", _pairs),),
    "LogConfig": (("log-driver", _log_driver), ("log-opt", _log_options)),
    "RestartPolicy": (("restart", _restart),),
    "Devices": (("device", _devices),),
    "DeviceCgroupRules": (("device-cgroup-rule", _each),),
    "DeviceRequests": (("gpus", _gpus),),
    "IpcMode": (("ipc", _plain),),
    "PidMode": (("pid", _plain),),
    "UTSMode": (("uts", _plain),),
    "UsernsMode": (("userns", _plain),),
    "CgroupnsMode": (("cgroupns", _plain),),
    "CgroupParent": (("cgroup-parent", _plain),),
    "Runtime": (("runtime", _plain),),
    "Isolation": (("isolation", _plain),),
}
#: Values by which clients say that nothing is asked.
_NOTHING: tuple[tuple[str, object], ...] = (
    ("MemorySwappiness", -1),
    ("RestartPolicy", {"Name": "no", "MaximumRetryCount": 0}),
    ("RestartPolicy", {"Name": "no"}),
)


def _limits(body: Json, host: Json) -> Iterator[tuple[str, str]]:
    # What is published is exposed as well, and nobody has asked for that apart.
    published = _mapping(host.get("PortBindings"))
    exposed: dict[str, object] = {name: {} for name in _mapping(body.get("ExposedPorts")) if name not in published}
    body = {**body, "ExposedPorts": exposed}
    for fields, table in ((body, _CONFIG), (host, _HOST_CONFIG)):
        for field, options in table.items():
            value = fields.get(field)
            if not value or (field, value) in _NOTHING:
                continue
            for option, shown in options:
                for text in shown(value):
                    yield option, text


# Reading JSON that anybody may have written.


def _odd(name: str) -> DaemonError:
    return DaemonError(_INVALID, f"the field {name} has a value of the wrong type")


def _object(fields: Json, name: str) -> Json:
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _odd(name)
    return cast("Json", value)


def _mapping(value: object) -> Json:
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _objects(value: object) -> Iterator[Json]:
    for one in cast("list[object]", value) if isinstance(value, list) else ():
        yield _mapping(one)


def _list(fields: Json, name: str) -> list[object]:
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _odd(name)
    return cast("list[object]", value)


def _string(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise _odd(name)
    return value


def _text(fields: Json, name: str) -> str:
    value = fields.get(name)
    return "" if value is None else _string(value, name)


def _texts(fields: Json, name: str) -> dict[str, str]:
    return {key: _string(value, name) for key, value in _object(fields, name).items()}


def _words(fields: Json, name: str) -> tuple[str, ...]:
    """Give words; one text alone is one word."""
    value = fields.get(name)
    if isinstance(value, str):
        return (value,)
    return tuple(_string(word, name) for word in _list(fields, name))

"""What is asked of the API is witnessed as it is when the docker program is asked for the same."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tck_driver.witness import ContainerEnded, ContainerStarted
from tck_fakes.daemon.errors import DaemonError, UnknownError
from tck_fakes.docker_api.asked import read_order
from tck_fakes.programs.call import ProgramCall

from .house import House

BODY: dict[str, Any] = {"Image": "image", "Cmd": ["tool-runner"]}

#: Field of a body → what it is among the limits.
LIMITS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"Memory": 512 << 20}, [("memory", "512m")]),
    ({"Memory": 1 << 30, "MemorySwap": -1}, [("memory", "1g"), ("memory-swap", "-1")]),
    ({"Memory": 6 << 20 | 1}, [("memory", "6291457")]),
    ({"NanoCpus": 1_500_000_000}, [("cpus", "1.5")]),
    ({"PidsLimit": 256, "Init": True}, [("pids-limit", "256"), ("init", "true")]),
    ({"Init": False, "PidsLimit": 0, "Memory": 0, "MemorySwappiness": -1}, []),
    ({"CapDrop": ["ALL"], "CapAdd": ["CHOWN", "CAP_FOWNER"]},
     [("cap-add", "CHOWN"), ("cap-add", "FOWNER"), ("cap-drop", "ALL")]),
    ({"SecurityOpt": ["no-new-privileges"], "Privileged": True},
     [("privileged", "true"), ("security-opt", "no-new-privileges")]),
    ({"Ulimits": [{"Name": "nofile", "Soft": 10, "Hard": 20}]}, [("ulimit", "nofile=10:20")]),
    ({"RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": 3}}, [("restart", "on-failure:3")]),
    ({"RestartPolicy": {"Name": "no", "MaximumRetryCount": 0}, "LogConfig": {"Type": "", "Config": {}}}, []),
    ({"LogConfig": {"Type": "none", "Config": {"a": "b"}}}, [("log-driver", "none"), ("log-opt", "a=b")]),
    ({"PortBindings": {"80/tcp": [{"HostIp": "127.0.0.1", "HostPort": "8080"}]}}, [("publish", "127.0.0.1:8080:80")]),
    ({"DeviceRequests": [{"Count": -1}]}, [("gpus", "all")]),
    ({"Devices": [{"PathOnHost": "/a", "PathInContainer": "/b", "CgroupPermissions": "rwm"}]},
     [("device", "/a:/b:rwm")]),
    ({"Sysctls": {"a": "b"}, "Annotations": {"c": "d"}}, [("sysctl", "a=b"), ("annotation", "c=d")]),
    ({"Tmpfs": {"/t": "size=8m", "/u": ""}}, [("tmpfs", "/t:size=8m"), ("tmpfs", "/u")]),
]  # fmt: skip


@pytest.mark.parametrize(("host", "limits"), LIMITS)
def test_limits_are_read_by_the_names_of_their_options(host: dict[str, Any], limits: list[tuple[str, str]]) -> None:
    assert list(read_order({**BODY, "HostConfig": host}, "").limits) == limits


FIELDS: list[tuple[dict[str, Any], dict[str, object]]] = [
    ({}, {"user": "", "network": "bridge", "workdir": "/", "read_only_root": False, "home": "/home/agent"}),
    ({"User": "1000:1000", "WorkingDir": "/w"}, {"user": "1000:1000", "workdir": "/w"}),
    ({"Env": ["HOME=/root", "A=b=c", "A=d", "B", "C="]},
     {"home": "/root", "environment": (("HOME", "/root"), ("A", "d"), ("C", ""))}),
    ({"Labels": {"a": "", "b": "c"}}, {"labels": (("a", ""), ("b", "c"))}),
    ({"Entrypoint": ["claude"], "Cmd": ["-p"]}, {"argv": ("claude", "-p")}),
    ({"Entrypoint": "claude", "Cmd": None}, {"argv": ("claude",)}),
    ({"Entrypoint": [""], "Cmd": ["claude"]}, {"argv": ("claude",)}),
    ({"HostConfig": {"NetworkMode": "default"}}, {"network": "bridge"}),
    ({"HostConfig": {"NetworkMode": "none", "ReadonlyRootfs": True}}, {"network": "none", "read_only_root": True}),
    ({"HostConfig": {"NetworkMode": "a"}, "NetworkingConfig": {"EndpointsConfig": {"a": {}, "b": {}}}},
     {"network": "a,b"}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "fields"), FIELDS)
def test_everything_else_is_read(body: dict[str, Any], fields: dict[str, object]) -> None:
    request = read_order({**BODY, **body}, "").request
    assert {name: getattr(request, name) for name in fields} == fields


MOUNTS: list[tuple[dict[str, Any], list[tuple[str, str, bool]], list[tuple[str, str]]]] = [
    ({"Binds": ["/a:/b", "/c:/d:ro"]}, [("/a", "/b", False), ("/c", "/d", True)], []),
    ({"Mounts": [{"Type": "bind", "Source": "/a", "Target": "/b", "ReadOnly": True}]}, [("/a", "/b", True)], []),
    ({"Mounts": [{"Type": "tmpfs", "Target": "/t"}, {"Target": "/v"}]}, [], [("tmpfs", "/t"), ("volume", "/v")]),
]


@pytest.mark.parametrize(("host", "binds", "empty"), MOUNTS)
def test_mounts_are_read(
    host: dict[str, Any], binds: list[tuple[str, str, bool]], empty: list[tuple[str, str]]
) -> None:
    order = read_order({**BODY, "HostConfig": host}, "")
    assert [(one.source, one.target, one.read_only) for one in order.request.mounts] == binds
    assert list(order.limits) == empty


def test_a_volume_that_is_mounted_as_well_is_no_second_one() -> None:
    body = {**BODY, "Volumes": {"/b": {}, "/v": {}}, "HostConfig": {"Binds": ["/a:/b"], "Tmpfs": {"/t": ""}}}
    order = read_order(body, "")
    assert (order.made, order.limits) == (("/a",), (("tmpfs", "/t"), ("volume", "/v")))


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"Cmd": None}, 400, "no command specified"),
    ({"Image": "A B"}, 400, "invalid reference format"),
    ({"Image": "Up"}, 400, "invalid reference format: repository name (library/Up) must be lowercase"),
    ({"Image": 1}, 400, "the field Image has a value of the wrong type"),
    ({"Cmd": [1]}, 400, "the field Cmd has a value of the wrong type"),
    ({"Env": {}}, 400, "the field Env has a value of the wrong type"),
    ({"Labels": {"a": 1}}, 400, "the field Labels has a value of the wrong type"),
    ({"HostConfig": []}, 400, "the field HostConfig has a value of the wrong type"),
    ({"WorkingDir": "rel"}, 400, "the working directory 'rel' is invalid, it needs to be an absolute path"),
    ({"StopSignal": "NONE"}, 400, "invalid signal: NONE"),
    ({"HostConfig": {"Binds": ["/a:b"]}}, 500, "invalid mount path: 'b' mount path must be absolute"),
    ({"HostConfig": {"Binds": ["/a:/"]}}, 500, "destination can't be '/'"),
    ({"HostConfig": {"Binds": ["/a:/b:zz"]}}, 500, "invalid mode: zz"),
    ({"HostConfig": {"Binds": ["./a:/b"]}}, 400, '"./a" includes invalid characters for a local volume name'),
    ({"HostConfig": {"Binds": ["/a:/b"], "Tmpfs": {"/b/": ""}}}, 400, "Duplicate mount point: /b/"),
    ({"HostConfig": {"Mounts": [{"Type": "bind", "Target": "/w"}]}}, 400, "field Source must not be empty"),
    ({"HostConfig": {"Mounts": [{"Type": "bind", "Source": "a", "Target": "/w"}]}}, 400, "invalid mount path: 'a'"),
    ({"HostConfig": {"Mounts": [{"Type": "tmpfs", "Source": "/a", "Target": "/w"}]}}, 400, "must not be specified"),
    ({"HostConfig": {"Mounts": [{"Type": "odd", "Target": "/w"}]}}, 400, "mount type unknown"),
    ({"HostConfig": {"Mounts": [1]}}, 400, "the field HostConfig.Mounts has a value of the wrong type"),
    ({"HostConfig": {"AutoRemove": True, "RestartPolicy": {"Name": "always"}}}, 400, "with restart policy"),
]


@pytest.mark.parametrize(("body", "status", "text"), REFUSED)
def test_what_docker_refuses_is_refused(body: dict[str, Any], status: int, text: str) -> None:
    with pytest.raises(DaemonError) as caught:
        read_order({**BODY, **body}, "")
    assert (caught.value.status, text in str(caught.value)) == (status, True), str(caught.value)


@pytest.mark.parametrize(
    "host", [{"Binds": ["named:/w"]}, {"Mounts": [{"Type": "volume", "Source": "named", "Target": "/w"}]}]
)
def test_a_volume_with_a_name_is_the_stand_in_s_lack(host: dict[str, Any]) -> None:
    with pytest.raises(UnknownError, match="named"):
        read_order({**BODY, "HostConfig": host}, "")


#: Options of `docker run`, given to the real command over the API, and to the stand-in command.
COMMANDS = [
    "",
    "--rm -u 5:5 -w /w --read-only --network none -l a=b -l c -e A=b -e B=",
    "-v {root}/one:/w:ro -v {root}/two:/x",
    "--mount type=bind,src={root}/one,dst=/w,readonly --mount type=bind,src={root}/two,dst=/x",
    "--tmpfs /t:size=8m --mount type=tmpfs,dst=/u",
    "-v /anonymous",
    "-m 512m --memory-swap 1g --cpus 1.5 --pids-limit 256 --init",
    "--cap-add CHOWN --cap-drop ALL --security-opt no-new-privileges --privileged",
    "--ulimit nofile=10:20 --shm-size 1g --group-add 5 --userns host --ipc none",
    "--add-host a:1.2.3.4 --dns 1.1.1.1 -h here --log-driver none --restart on-failure:3",
    "--stop-timeout 3 --stop-signal INT --oom-score-adj 5 --cgroupns host --uts host --pid host",
    "--network n1 --network n2 --entrypoint tool-runner",
    "-p 127.0.0.1:8080:80 --expose 99 --device /dev/null:/dev/null:rwm --gpus all --no-healthcheck",
]


@pytest.mark.parametrize("words", COMMANDS)
def test_the_real_command_over_the_api_leaves_the_record_that_the_stand_in_command_leaves(
    house: House, words: str
) -> None:
    given = ["run", *shlex.split(words.format(root=house.box.root)), "image", "tool-runner"]
    code, _, err = house.docker(*given)
    assert (code, house.unknown) == (0, []), err
    (real,) = house.box.witness.of(ContainerStarted)
    mark = house.box.witness.mark()
    with house.lock:
        house.programs.begin(ProgramCall("docker", tuple(given), str(house.box.root), {}), _Nowhere())
    (ours,) = house.box.witness.of(ContainerStarted, mark)
    assert _comparable(real) == _comparable(ours)


class _Nowhere:
    def out(self, text: str) -> None: ...
    def err(self, text: str) -> None: ...
    def exit(self, code: int) -> None: ...


def _comparable(record: ContainerStarted) -> dict[str, object]:
    fields = {name: getattr(record, name) for name in ContainerStarted.__slots__ if name not in ("container", "limits")}
    # The real command hands such things over in an order of its own.
    unordered = {name: sorted(getattr(record, name)) for name in ("labels", "limits", "environment")}
    unordered["mounts"] = sorted(record.mounts, key=lambda mount: mount.target)
    return {**fields, **unordered}


def test_a_missing_source_of_a_bind_is_made_and_the_container_waits_for_its_start(house: House) -> None:
    source = house.box.root / "a" / "b"
    made = house.ask("POST", "/containers/create?name=nn", {**BODY, "HostConfig": {"Binds": [f"{source}:/w"]}})
    assert (made.status, source.is_dir(), house.box.witness.records) == (201, True, [])
    assert house.ask("GET", "/containers/nn/json").json["State"]["Status"] == "created"
    assert (house.ask("POST", "/containers/nn/start").status, house.unknown) == (204, [])


def test_two_missing_sources_in_one_place_are_refused(house: House) -> None:
    binds = [f"{house.box.root}/{name}:/w" for name in ("a", "b")]
    reply = house.ask("POST", "/containers/create", {**BODY, "HostConfig": {"Binds": binds}})
    assert (reply.status, reply.message) == (400, "Duplicate mount point: /w")


#: A text with NUL in each field that a process or a mount is made of → what is invalid.
NULS: list[tuple[dict[str, Any], str]] = [
    ({"Env": ["HOME=/a\0b"], "OpenStdin": True}, "environment variable"),
    ({"Env": ["A\0=b"]}, "environment variable"),
    ({"Cmd": ["tool-runner", "\0"]}, "command"),
    ({"Entrypoint": ["tool\0runner"]}, "command"),
    ({"WorkingDir": "/a\0"}, "working directory"),
    ({"User": "\0"}, "user"),
    ({"HostConfig": {"Binds": ["/no/such\0:/w"]}}, "mount"),
    ({"HostConfig": {"Mounts": [{"Type": "bind", "Source": "/", "Target": "/w\0"}]}}, "mount"),
]


@pytest.mark.parametrize(("body", "what"), NULS)
def test_a_text_with_a_nul_byte_is_refused(house: House, body: dict[str, Any], what: str) -> None:
    reply = house.ask("POST", "/containers/create", {**BODY, **body})
    assert (reply.status, f"invalid {what}: contains nul byte" in reply.message) == (400, True), reply.body
    assert (house.ask("GET", "/containers/json?all=1").json, house.unknown) == ([], [])


def test_a_mount_that_cannot_be_made_is_refused_at_once_and_on_record(house: House) -> None:
    mounts = [{"Type": "bind", "Source": f"{house.box.root}/none", "Target": "/w"}]
    reply = house.ask("POST", "/containers/create?name=nn", {**BODY, "HostConfig": {"Mounts": mounts}})
    text = f'invalid mount config for type "bind": bind source path does not exist: {house.box.root}/none'
    assert (reply.status, reply.message) == (400, text)
    assert [record.how for record in house.box.witness.of(ContainerEnded)] == ["refused", "removed"]
    assert [record.mounts[0].source for record in house.box.witness.of(ContainerStarted)] == [mounts[0]["Source"]]
    assert json.loads(house.ask("GET", "/containers/json?all=1").body) == []
    assert house.unknown == []

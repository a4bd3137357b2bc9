"""What a container looks like from inside, held against what was asked: each difference is named once."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tck_driver.witness import Mount
from tck_fakes.docker.held import Host, faults
from tck_fakes.docker.order import MEMORY, PIDS, Order
from tck_fakes.docker.outposts import forbidden, identity, owns
from tck_fakes.docker.seen import _reached
from tck_simulator.ports import ContainerRequest

REQUEST = ContainerRequest(
    image="i",
    argv=("codex", "exec"),
    environment=(("HOME", "/home/agent"), ("A", "b")),
    mounts=(Mount("/base/w", "/workspace", read_only=True), Mount("/base/s", "/home/agent/s")),
    labels=(),
    time_limit_ms=1,
    user="7:8",
)
ORDER = Order("7:8", ("/home/agent",), {})
SOURCES = {"/workspace": (1, 10), "/home/agent/s": (1, 11)}
HOST = Host("boot", SOURCES, {(1, 99): "/base/other/secret"}, frozenset({"/workspace", "/home/agent/s"}))
NOTHING = "0000000000000000"


def _mount(target: str, inode: int = 1, *, read_only: bool = False) -> dict[str, Any]:
    return {
        "target": target,
        "read_only": read_only,
        "writable": not read_only,
        "device": 1,
        "inode": inode,
        "kind": "ext4",
    }


GOOD: dict[str, Any] = {
    "user": "7:8",
    "groups": [],
    "argv": ["codex", "exec"],
    "environment": {"HOME": "/home/agent", "A": "b", "PATH": "/bin", "HOSTNAME": "x"},
    "workdir": "/workspace",
    "status": {"CapEff": NOTHING, "CapBnd": NOTHING, "NoNewPrivs": "1", "Seccomp": "2"},
    "kernel": "boot",
    "interfaces": ["lo"],
    "limits": {"memory": str(MEMORY), "pids": str(PIDS)},
    "home_writable": True,
    "mounts": [
        _mount("/", read_only=True),
        _mount("/tmp"),  # noqa: S108 -- in a container
        _mount("/home/agent"),
        _mount("/proc/kcore", read_only=True),
        _mount("/run/session-tck/kit", read_only=True),
        _mount("/workspace", 10, read_only=True),
        _mount("/home/agent/s", 11),
    ],
    "reached": [["/workspace", 1, 10], ["/home/agent/s", 1, 11]],
    "answered": [],
    "cut": False,
}


def test_a_container_that_is_as_it_was_asked_has_no_faults() -> None:
    assert list(faults(REQUEST, ORDER, GOOD, HOST)) == []


def _set(*path: str | int, to: object) -> Callable[[dict[str, Any]], None]:
    def change(seen: dict[str, Any]) -> None:
        place: Any = seen
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


def _mounted(seen: dict[str, Any]) -> None:
    seen["mounts"].append(_mount("/secrets"))


def _unmounted(seen: dict[str, Any]) -> None:
    seen["mounts"].pop()


def _reaches(seen: dict[str, Any]) -> None:
    seen["reached"].append(["/home/agent/s/link", 1, 99])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set("user", to="0:0"), "the process runs as 0:0 in place of 7:8"),
        (_set("groups", to=[4]), "the process has further groups: [4]"),
        (_set("argv", to=["codex", "exec", "-x"]), "the arguments are"),
        (_set("workdir", to="/"), "the working directory is / in place of /workspace"),
        (_set("environment", "A", to="c"), "the environment lacks what was asked: A"),
        (_set("environment", "TOKEN", to="c"), "the environment holds what nobody asked for: TOKEN"),
        (_set("home_writable", to=False), "the home directory cannot be written"),
        (_set("status", "CapBnd", to="00000000a80425fb"), "the process holds capabilities: CapBnd"),
        (_set("status", "NoNewPrivs", to="0"), "the process may gain privileges"),
        (_set("interfaces", to=["eth0", "lo"]), "there is a network: eth0, lo"),
        (_set("answered", to=["127.0.0.1:80"]), "127.0.0.1:80 can be reached from inside"),
        (_set("mounts", 0, "read_only", to=False), "the root file system is mounted read-write"),
        (_set("limits", "memory", to="max"), f"the limit of memory is max in place of {MEMORY}"),
        (_set("limits", "memory", to=str(MEMORY + 1)), "the limit of memory is"),
        (_set("limits", "pids", to=""), f"the limit of pids is not to be seen in place of {PIDS}"),
        (_mounted, "/secrets is mounted, and nobody asked for that"),
        (_unmounted, "/home/agent/s is not mounted"),
        (_set("mounts", 6, "read_only", to=True), "/home/agent/s is mounted read-only"),
        (_set("mounts", 5, "read_only", to=False), "/workspace is mounted read-write"),
        (_set("mounts", 5, "writable", to=True), "/workspace can be written, and is mounted read-only"),
        (_set("mounts", 6, "writable", to=False), "/home/agent/s cannot be written by the user to whom it belongs"),
        (_set("mounts", 6, "inode", to=12), "/home/agent/s is not what lies at /base/s"),
        (_set("cut", to=True), "there is more in it than is looked at, which is 2 files"),
        (_reaches, "/base/other/secret of this host can be reached at /home/agent/s/link"),
    ],
)
def test_each_difference_is_named_once(change: Callable[[dict[str, Any]], None], said: str) -> None:
    seen = copy.deepcopy(GOOD)
    change(seen)
    found = list(faults(REQUEST, ORDER, seen, HOST))
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize(
    ("kernel", "said"), [("another", "another"), ("", "one that tells nothing of itself")], ids=["another", "hidden"]
)
def test_of_another_kernel_nothing_can_be_told_but_that(kernel: str, said: str) -> None:
    seen = copy.deepcopy(GOOD)
    _reaches(seen)
    _set("mounts", 6, "inode", to=12)(seen)
    found = list(faults(REQUEST, ORDER, {**seen, "kernel": kernel}, HOST))
    assert found == [f"its kernel is not this machine's, but {said}"]


@pytest.mark.parametrize(("most", "cut"), [(3, True), (4, False)])
def test_it_is_told_where_there_is_more_than_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, *, cut: bool
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).touch()
    monkeypatch.setattr("tck_fakes.docker.seen._MOST", most)
    found, more = _reached([{"target": str(tmp_path)}], [])
    assert (len(found), more) == (most, cut)


def test_what_an_image_puts_into_the_environment_is_nobodys_fault() -> None:
    seen = copy.deepcopy(GOOD)
    _set("environment", "PYTHON_VERSION", to="3.13")(seen)
    assert list(faults(REQUEST, ORDER, seen, replace(HOST, variables=frozenset({"PYTHON_VERSION"})))) == []
    assert len(list(faults(REQUEST, ORDER, seen, HOST))) == 1


def test_a_root_that_an_engine_asks_to_write_may_be_written() -> None:
    asked = replace(REQUEST, read_only_root=False)
    seen = copy.deepcopy(GOOD)
    _set("mounts", 0, "read_only", to=False)(seen)
    assert list(faults(asked, ORDER, seen, HOST)) == []


def test_what_lies_beside_what_was_asked_is_forbidden_and_a_link_is_nothing(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    mine.mkdir()
    other.mkdir()
    (mine / "file").write_text("mine", encoding="utf-8")
    (other / "secret").write_text("other's", encoding="utf-8")
    (other / "link").symlink_to(mine)
    outside = tmp_path.parent
    found = forbidden(tmp_path, [str(mine)], [str(outside), "/no/such/place"])
    expected = {str(path) for path in (tmp_path, other, other / "secret", outside)}
    assert set(found.values()) == expected
    assert {identity(path) for path in expected} == set(found)
    assert identity(str(mine / "file")) not in found


def test_a_folder_is_its_owners_to_write_where_its_mode_says_so(tmp_path: Path) -> None:
    mine = f"{os.getuid()}:1"
    assert owns(mine, str(tmp_path))
    assert not owns(f"{os.getuid() + 1}:1", str(tmp_path))
    assert not owns(mine, "/no/such/place")
    (tmp_path / "file").touch()
    assert not owns(mine, str(tmp_path / "file"))
    tmp_path.chmod(0o500)
    assert not owns(mine, str(tmp_path))
    tmp_path.chmod(0o700)


def test_what_is_asked_for_is_granted_whatever_lies_round_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert forbidden(tmp_path, [str(tmp_path)], [str(tmp_path)]) == {}

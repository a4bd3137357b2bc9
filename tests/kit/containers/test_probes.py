"""The probes of a container engine, against engines that lie; the honest one is tried in `test_for_real`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from tck_fakes.docker.engine import owner
from tck_fakes.docker.order import OWNER
from tck_kit.containers.probes import EXITS, Probe, about, as_json, distrust, probes, usable

pytest.importorskip("docker")


@dataclass
class _Container:
    """A container of an engine that tells `code` for whatever ends."""

    engine: _Engine
    id: str = "0123456789ab"
    started: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        self.started.set()

    def wait(self, timeout: float) -> dict[str, int]:
        del timeout
        return {"StatusCode": self.engine.code}

    def remove(self, **_: object) -> None:
        self.engine.removed += 1


@dataclass
class _Engine:
    """As much of an engine as the first probes need; `removed_code` is what is told when a container is removed."""

    code: int = 3
    removed_code: int = 3
    component: str = "Engine"
    removed: int = 0
    made: _Container | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def containers(self) -> _Engine:
        return self

    @property
    def api(self) -> _Engine:
        return self

    def create(self, *_: object, labels: Mapping[str, str], **__: object) -> _Container:
        self.labels = labels
        self.made = _Container(self)
        return self.made

    def wait(self, _container: str, timeout: float, condition: str) -> dict[str, int]:
        assert condition == "removed"
        assert self.made is not None
        assert self.made.started.wait(timeout)
        return {"StatusCode": self.removed_code}

    def version(self) -> dict[str, Any]:
        return {
            "Version": "4.3.1",
            "ApiVersion": "1.41",
            "Os": "linux",
            "Arch": "amd64",
            "Components": [{"Name": self.component}],
        }

    def info(self) -> dict[str, str]:
        return {"Driver": "overlay"}


def _client(engine: _Engine) -> Any:  # noqa: ANN401 -- it stands in for the SDK's own
    return cast("Any", engine)


def test_an_engine_that_tells_exit_codes_is_trusted_and_nothing_is_left() -> None:
    engine = _Engine()
    assert distrust(_client(engine), "image") is None
    assert engine.removed == len(EXITS)
    # By this a later command knows that nobody is left who would remove one.
    assert engine.labels[OWNER] == owner()


@pytest.mark.parametrize(
    ("engine", "why"),
    [
        (
            _Engine(removed_code=0, component="Podman Engine"),
            "Podman 4.3.1: exit code with --rm: `run --rm … exit 3` is told as 0",
        ),
        (_Engine(code=0), "Docker Engine 4.3.1: exit code: `exit 3` is told as 0"),
    ],
)
def test_an_engine_that_says_zero_for_another_exit_code_is_refused_by_its_name(engine: _Engine, why: str) -> None:
    assert distrust(_client(engine), "image") == why


def test_podman_is_known_by_its_component() -> None:
    assert str(about(_client(_Engine(component="Podman Engine")))) == (
        "Podman 4.3.1 (API 1.41), storage overlay, linux/amd64"
    )
    assert about(_client(_Engine())).name == "Docker Engine"


def test_an_error_of_the_engine_is_a_probe_that_failed(tmp_path: Path) -> None:
    from docker.errors import APIError  # noqa: PLC0415 -- the package may be missing

    class _Broken(_Engine):
        def create(self, *_: object, **__: object) -> _Container:
            raise APIError("no more room\nand more words")

    found = list(probes(_client(_Broken()), "image", tmp_path))
    assert not usable(found)
    assert {probe.seen for probe in found} == {"no more room"}
    assert not any(probe.ok for probe in found)


_OK: Callable[..., Probe] = lambda **known: Probe("one", ok=True, seen="", **known)  # noqa: E731 -- short for the pairs


@pytest.mark.parametrize(
    ("found", "right"),
    [
        ([_OK()], True),
        ([_OK(), Probe("memory limit", ok=False, seen="", needed=False)], True),
        ([_OK(), Probe("exit code", ok=False, seen="")], False),
    ],
)
def test_an_engine_is_usable_without_limits_and_without_nothing_else(found: list[Probe], *, right: bool) -> None:
    assert usable(found) is right
    assert as_json(about(_client(_Engine())), found)["usable"] is right

"""Whose containers are swept, and how the errors of an engine are told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tck_driver.errors import KitError
from tck_fakes.docker import engine as module
from tck_fakes.docker.engine import ContainerEngine, EngineLostError, RefusedError, owner
from tck_fakes.docker.order import Order
from tck_fakes.docker.ward import Ward
from tck_fakes.images.missing import MissingPartError

NOW = time.time()


def _began() -> str:
    return str(module._ticks(os.getpid()))


@pytest.mark.parametrize(
    ("label", "state", "created", "swept"),
    [
        ("{where}/{pid}/{began}", "running", NOW, False),
        ("{where}/{pid}/{began}", "exited", NOW - 1_000_000, False),
        ("{where}/{pid}/1.00", "running", NOW, True),
        ("{where}/99999999/1.00", "running", NOW, True),
        ("{where}/no-number/1.00", "running", NOW, True),
        ("another/{pid}/{began}", "running", NOW - 1_000_000, False),
        ("another/99999999/1.00", "exited", NOW, False),
        ("another/99999999/1.00", "created", NOW, False),
        ("another/99999999/1.00", "exited", NOW - 100_000, True),
    ],
)
def test_what_is_swept_belongs_to_nobody_who_lives(label: str, state: str, created: float, *, swept: bool) -> None:
    said = label.format(where=module._where(), pid=os.getpid(), began=_began())
    assert module._ownerless(said, state, created) is swept


def test_an_owner_is_told_by_machine_space_of_numbers_and_process() -> None:
    where, number, began = owner().rsplit("/", 2)
    assert (where, number, began) == (module._where(), str(os.getpid()), _began())


@pytest.mark.skipif(sys.platform != "linux", reason="no other system counts so")
def test_an_owner_stays_the_same_when_the_clock_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    before = owner()
    monkeypatch.setattr(psutil.Process, "create_time", lambda _: 1.0)
    assert owner() == before
    assert not module._ownerless(before, "running", NOW)


def test_the_begin_of_a_process_is_read_whatever_its_name(tmp_path: Path) -> None:
    program = tmp_path / "a) 1 2 (b"
    shutil.copy("/bin/sleep", program)
    before = module._ticks(os.getpid())
    with subprocess.Popen([program, "60"]) as process:
        began = module._ticks(process.pid)
        process.kill()
    assert before is not None
    assert began is not None
    assert began >= before
    assert module._ticks(process.pid) is None


def test_the_innermost_words_of_an_error_are_told() -> None:
    outer = RuntimeError("HTTPConnectionPool(…): Max retries exceeded")
    outer.__cause__ = FileNotFoundError(2, "No such file or directory")
    assert module._said(outer) == "No such file or directory"
    assert module._said(ValueError("a\n  b")) == "a b"


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("docker", reason="the Python package docker is missing: pip install 'session-tck[containers]'")
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/docker.sock")


@pytest.mark.usefixtures("nobody")
def test_no_engine_is_told_with_the_way_to_get_one() -> None:
    with pytest.raises(MissingPartError, match=r"engine answers at unix:///no/such/docker\.sock \(No such file"):
        ContainerEngine()


def test_a_call_that_an_engine_refuses_is_told_with_its_words(ward: Ward) -> None:
    with pytest.raises(KitError, match=r"(?i)the container engine refuses a call: .*no such container"):
        ward.engine.wait("0123456789ab")
    with pytest.raises(RefusedError, match=r"(?i)no such container"):
        ward.engine.start("0123456789ab")
    ward.engine.kill("0123456789ab")
    ward.engine.remove("0123456789ab")


def test_an_engine_that_is_gone_is_told_once_and_for_all(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ContainerEngine()

    def gone(*_: object, **__: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(engine.client.api, "containers", gone)
    with pytest.raises(EngineLostError, match=r"the container engine is gone \(Connection refused\)"):
        engine.find(["x"])
    assert engine.lost == "the container engine is gone (Connection refused)"
    assert ward.engine.lost is None
    engine.close()


@pytest.mark.parametrize(
    ("status", "words", "refused"),
    [
        (400, 'invalid mount config for type "bind": bind source path does not exist: /x', True),
        (409, "Conflict", True),
        (500, 'error mounting "/a" to rootfs at "/w/x": mkdir /d/merged/w/x: read-only file system: unknown', True),
        (500, 'error mounting "/a" to rootfs at "/proc/x": "/d/proc/x" cannot be mounted because it is inside', True),
        (500, "invalid mount {Destination:/x y}: mount field contains null byte: unknown", True),
        (500, 'error mounting "/a" to rootfs at "/w/x": mkdir /d/merged/w/x: no space left on device: unknown', False),
        (500, 'error mounting "proc" to rootfs at "/proc": read-only file system', False),
        (500, "write /var/lib/docker/tmp: no space left on device", False),
        (503, "", False),
        (0, "", False),
    ],
)
def test_a_container_is_refused_for_what_was_asked_and_not_for_the_engines_own_trouble(
    status: int, words: str, *, refused: bool
) -> None:
    assert module._refused(status, words) is refused


def _answers(ward: Ward, monkeypatch: pytest.MonkeyPatch, name: str, fault: Exception) -> None:
    def fails(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(ward.engine.client.api, name, fails)


def test_an_engine_in_trouble_is_no_fault_of_who_asked(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    from docker.errors import APIError  # noqa: PLC0415 -- an optional package
    from requests import Response  # noqa: PLC0415 -- comes with the SDK

    response = Response()
    response.status_code = 500
    _answers(ward, monkeypatch, "start", APIError("x", response, "no space left on device"))
    with pytest.raises(KitError, match=r"^the container engine fails at a call: no space left on device$"):
        ward.engine.start("0123456789ab")


def test_an_image_that_is_missing_is_fetched_from_nowhere(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    _answers(ward, monkeypatch, "pull", AssertionError("fetched"))
    with pytest.raises(KitError, match="the image of the stand-ins is gone from the container engine"):
        ward.engine.create(Order("1:1", (), {"image": "session-tck/none:0", "labels": {}}))


def test_a_container_has_the_labels_of_testcontainers_and_those_that_were_asked_for(ward: Ward) -> None:
    asked = {"org.testcontainers.lang": "mine", "run": "r1"}
    number = ward.engine.create(Order("1:1", (), {"image": ward.image, "labels": asked}))
    try:
        labels = ward.engine.client.api.inspect_container(number)["Config"]["Labels"]
    finally:
        ward.engine.remove(number)
    assert asked.items() <= labels.items()
    assert labels["org.testcontainers"] == "true"


def test_an_engine_that_is_frozen_did_not_answer(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"image": ward.image, "labels": {}, "command": ["sh", "-c", "while :; do sleep 1; done"], "network": "none"}
    number = ward.engine.create(Order("1:1", (), words))
    ward.engine.start(number)
    engine = ContainerEngine()
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    try:
        with pytest.raises(EngineLostError, match=r"^the container engine did not answer"):
            engine.wait(number)
    finally:
        engine.close()
        ward.engine.remove(number)


def test_what_an_image_puts_into_the_environment_is_told_by_its_names(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "PATH" in ward.engine.variables(ward.image)
    described: list[dict[str, object]] = [{"Env": ["A=b=c", "D="]}, {"Env": None}]
    monkeypatch.setattr(ward.engine.client.api, "inspect_image", lambda _: {"Config": described.pop(0)})
    assert ward.engine.variables("i") == {"A", "D"}
    assert ward.engine.variables("i") == frozenset()


def test_the_engine_listens_where_its_client_has_found_it(ward: Ward) -> None:
    place = ward.engine.place
    assert place is not None
    assert place.is_socket()


def test_the_engine_is_named_with_its_version_and_storage(ward: Ward) -> None:
    name, version, storage = ward.engine.about.shown.split()
    assert (name, bool(version), bool(storage)) == ("docker", True, True)

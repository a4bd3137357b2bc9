"""Cyrus as a process: started, asked, ended in order and without warning, and what it says where it dies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tck_driver.errors import EngineError, EngineTimeoutError
from tck_peers.common import Stage
from tck_peers.cyrus_service import Service, place_on

STUB = (sys.executable, str(Path(__file__).with_name("cyrus_stub.py")))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(place_on(Stage(tmp_path, tmp_path / "bin"), STUB, tmp_path / "nowhere"))
    yield service
    service.kill()


def session_of(service: Service, title: str = "A title") -> str:
    return service.open_session(service.create_issue(title, "A description"))


def test_a_turn_is_done_and_shown(service: Service) -> None:
    service.start(taking_up=False)
    session = session_of(service)
    service.rest(10)
    service.prompt(session, "and fail")
    service.rest(10)
    assert [one.kind for one in service.activities(session)] == ["thought", "response", "thought", "error"]
    assert service.activities(session)[1].text.endswith("taking up: no")


def test_taking_up_is_in_the_environment_of_the_service(service: Service) -> None:
    service.start(taking_up=True)
    assert service.activities(session_of(service))[1].text == "Done in cyrus, taking up: 1"


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_what_the_tracker_knows_outlives_the_service(service: Service, how: str) -> None:
    service.start(taking_up=False)
    session = session_of(service)
    getattr(service, how)()
    assert not service.running
    service.start(taking_up=False)
    service.prompt(session, "go on")
    assert len(service.activities(session)) == 4


def test_a_service_that_dies_is_told_with_the_end_of_its_log(service: Service) -> None:
    service.start(taking_up=False)
    session = session_of(service)
    with pytest.raises(EngineError, match=r"it is dying|exit code 7"):
        service.prompt(session, "die")
    with pytest.raises(EngineError, match=r"(?s)exit code 7.*it is dying"):
        service.rest(10)


def test_a_service_that_never_rests_is_told_as_such(service: Service) -> None:
    service.start(taking_up=False)
    session_of(service, "busy for ever")
    with pytest.raises(EngineTimeoutError, match=r"does not come to rest within 0\.3 s"):
        service.rest(0.3)


def test_a_call_that_is_refused_is_told_with_its_reason(service: Service) -> None:
    service.start(taking_up=False)
    with pytest.raises(EngineError, match="refuses promptSession: there is no 'session-9'"):
        service.prompt("session-9", "go on")


def test_an_activity_is_awaited_and_its_absence_is_no_fault(service: Service) -> None:
    service.start(taking_up=False)
    issue = service.create_issue("quiet", "A description")
    session = service.open_session(issue)
    assert not service.await_activity(session, 0.2, lambda one: one.kind == "response")
    service.complete(issue)
    assert service.await_activity(session, 5, lambda one: one.kind == "response")


def test_a_service_that_does_not_come_up_is_told_with_the_end_of_its_log(tmp_path: Path) -> None:
    words = (sys.executable, "-c", "raise SystemExit('there is nothing to serve')")
    service = Service(place_on(Stage(tmp_path, tmp_path / "bin"), words, tmp_path))
    with pytest.raises(EngineError, match="exit code 1; its log ends: there is nothing to serve"):
        service.start(taking_up=False)
    service.stop()

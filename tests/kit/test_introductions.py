"""What a driver says when it is first asked, where its engine plays courses: it has to stay so, and suit."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.driver.course_engine import POLICY

from tck_driver.connection import About
from tck_driver.errors import DriverCrashedError, DriverError
from tck_kit.driver_keeper import DriverKeeper, Introduction, introduce, introduce_mailboxes
from tck_kit.engine_choice import SERVED, EngineChoice
from tck_kit.faults import DriverFault, UsageFault

ABOUT = About("0.1.0", "small", "0.1.0", "00")
TALKER = Path(__file__).parents[1] / "driver" / "course_engine.py"


def _choice(*words: str) -> EngineChoice:
    return EngineChoice("command", words=(sys.executable, str(TALKER), *words), directory="/")


@pytest.fixture(scope="module")
def introduced(tmp_path_factory: pytest.TempPathFactory) -> Introduction:
    return introduce(_choice(), tmp_path_factory.mktemp("driver"), ABOUT)


def test_an_engine_that_plays_courses_introduces_itself_with_its_policy(introduced: Introduction) -> None:
    assert introduced.declaration.policy == POLICY
    assert introduced.clock == "wall"


def test_a_command_that_is_about_mailboxes_refuses_an_engine_that_has_none(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="it plays courses, and has no mailboxes") as caught:
        introduce_mailboxes(_choice(), tmp_path, ABOUT)
    assert str(TALKER) in str(caught.value)


def test_a_command_that_is_about_mailboxes_takes_an_engine_that_has_some(tmp_path: Path) -> None:
    said = introduce_mailboxes(EngineChoice("command", words=SERVED, directory=str(tmp_path)), tmp_path, ABOUT)
    assert said.declaration.policy is None
    assert said.declaration.capabilities["sessions"] == "supported"


def test_nothing_is_run_with_a_driver_that_was_written_for_another_engine(tmp_path: Path) -> None:
    with pytest.raises(DriverFault, match=r"incompatible: there is no runner\.start in 2\.0\.0"):
        introduce(_choice("moved"), tmp_path, ABOUT)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("switchless",), "its policy was Policy("),
        (("-act.restart",), "act.restart was supported and is undeclared"),
        (("-act.restart", "switchless"), "its policy was Policy("),
    ],
)
def test_a_driver_that_says_something_else_when_it_is_started_again_has_changed_its_mind(
    introduced: Introduction, words: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    keeper = DriverKeeper(_choice(*words), tmp_path, ABOUT, tmp_path, number=0, introduced=introduced)
    with pytest.raises(DriverError) as caught:
        keeper.connection()
    assert str(caught.value).startswith(f"the driver changed its mind at a restart: {told}")


def test_a_driver_that_says_the_same_when_it_is_started_again_is_gone_on_with(
    introduced: Introduction, tmp_path: Path
) -> None:
    keeper = DriverKeeper(_choice(), tmp_path, ABOUT, tmp_path, number=0, introduced=introduced)
    assert keeper.connection().declaration == introduced.declaration
    assert keeper.end() is None


def test_a_driver_that_ends_at_once_is_wrong_itself_where_its_engine_plays_courses(
    introduced: Introduction, tmp_path: Path
) -> None:
    broken = EngineChoice("command", words=(sys.executable, "-c", "raise SystemExit(3)"), directory="/")
    keeper = DriverKeeper(broken, tmp_path, ABOUT, tmp_path, number=0, introduced=introduced)
    with pytest.raises(DriverError) as caught:
        keeper.connection()
    assert type(caught.value) is DriverError

    mailboxes = replace(introduced, declaration=replace(introduced.declaration, policy=None))
    keeper = DriverKeeper(broken, tmp_path / "other", ABOUT, tmp_path, number=0, introduced=mailboxes)
    with pytest.raises(DriverCrashedError):
        keeper.connection()

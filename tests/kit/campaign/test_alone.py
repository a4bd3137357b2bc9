"""Units without a cluster, and the process that each of them has for itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tck_kit.campaign.alone import Alone
from tck_kit.campaign.apart import Apart, packed, unpacked
from tck_kit.campaign.units import Unit

from .conftest import Seen, is_gone, until
from .errands import Errand, begun, blame, double, fall, leave, refuse, swallow, units, unsendable

APART = pytest.mark.parametrize("apart", [True, False], ids=["apart", "here"])


@APART
def test_units_are_executed_in_their_order(seen: Seen, *, apart: bool) -> None:
    harvest = Alone(apart=apart).perform(double, units(2), watch=seen)

    assert harvest.results == (0, 2)
    assert (seen.names, harvest.cut_short, harvest.failed) == (["errand 0", "errand 1"], None, ())


@APART
def test_a_unit_that_raises_is_an_error_of_that_unit_and_the_others_go_on(seen: Seen, *, apart: bool) -> None:
    harvest = Alone(apart=apart).perform(refuse, [Unit("odd", 1), Unit("even", 2)], watch=seen)

    odd, even = harvest.ended
    assert (odd.name, odd.state, odd.kind, odd.text) == ("odd", "failed", "ValueError", "1 is odd")
    assert even.result == 2
    assert harvest.failed == (odd,)


def test_a_unit_whose_process_falls_is_an_error_of_that_unit_with_its_last_words(seen: Seen) -> None:
    fallen, other = Alone().perform(fall, [Unit("odd", 1), Unit("even", 2)], watch=seen).ended

    assert (fallen.state, fallen.kind) == ("failed", "Fallen")
    assert fallen.text == "its process ended with exit code -9. these were my last words"
    assert other.result == 2


def test_a_unit_that_leaves_the_program_or_gives_what_cannot_be_sent_is_an_error(seen: Seen) -> None:
    (left,) = Alone().perform(leave, [Unit("leaves", 1)], watch=seen).ended
    assert (left.state, left.kind, left.text) == ("failed", "SystemExit", "7")

    (unsent,) = Alone().perform(unsendable, [Unit("lambda", 1)], watch=Seen()).ended
    assert unsent.state == "failed"
    assert "pickle" in unsent.text.lower()


def test_what_a_unit_says_is_the_same_whichever_process_it_was(seen: Seen) -> None:
    (one,) = Alone().perform(blame, [Unit("a driver", 1)], watch=seen).ended

    assert (one.kind, one.text) == ("DriverFault", one.text)
    assert one.text.startswith("it is not in /tmp/session-tck-…/worker-0\nThe driver is at fault")


def test_when_the_time_is_up_what_is_finished_is_kept_and_the_rest_not_begun(seen: Seen, tmp_path: Path) -> None:
    orders = [Unit("endless", Errand(1, tmp_path)), Unit("never", Errand(2, tmp_path))]
    harvest = Alone().perform(double, orders, watch=seen, seconds=2)

    assert harvest.cut_short == "the time limit of 2 s was reached"
    assert [one.state for one in harvest.ended] == ["not run", "not run"]
    assert all(is_gone(pid) for _, pid, _ in begun(tmp_path))
    assert {number for number, _, _ in begun(tmp_path)} <= {1}

    here = Alone(apart=False).perform(double, units(2), watch=Seen(), seconds=0)
    assert [one.state for one in here.ended] == ["not run", "not run"]


def test_ctrl_c_ends_the_unit_that_is_at_work_and_keeps_the_others(seen: Seen, tmp_path: Path) -> None:
    def interrupt() -> None:
        until(lambda: begun(tmp_path), "the second unit")
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    harvest = Alone().perform(double, [*units(1), Unit("endless", Errand(7, tmp_path))], watch=seen)
    thread.join()

    assert [(one.state, one.result) for one in harvest.ended] == [("done", 0), ("not run", None)]
    assert harvest.cut_short == "interrupted"
    assert is_gone(begun(tmp_path)[0][1])


def test_a_unit_that_makes_something_of_its_end_has_not_come_to_its_end(tmp_path: Path) -> None:
    one = Apart(packed(swallow, Errand(1, tmp_path)))

    def end() -> None:
        until(lambda: begun(tmp_path), "the unit")
        one.end()

    thread = threading.Thread(target=end)
    thread.start()
    answer = unpacked(one.answer())
    thread.join()

    assert answer.stopped


STARTS_ONE = """\
import sys
from pathlib import Path
from tck_kit.campaign.apart import Apart, packed
from tests.kit.campaign.errands import Errand, double
Apart(packed(double, Errand(1, Path(sys.argv[1])))).answer()
"""


def test_a_process_goes_with_whoever_started_it(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", STARTS_ONE, str(tmp_path)])
    until(lambda: begun(tmp_path), "the unit")
    parent.kill()
    parent.wait()

    until(lambda: is_gone(begun(tmp_path)[0][1]), "its end")

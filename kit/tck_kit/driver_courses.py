"""The check of a driver whose engine plays courses: one of two turns is cast and played, among the kit's fakes.

What the engine makes of it is of no interest here: a turn may fail. But the kit has to see its starts of a CLI, and to
know whose they are.
"""

from __future__ import annotations

from tck_driver.courses import Cast, Course, Turn
from tck_driver.errors import DriverError
from tck_driver.remote import RemoteEngine
from tck_driver.witness import CliStarted
from tck_fakes.bench import FakeBench
from tck_kit.driver_examination import Examination, ProblemError

#: Two turns of one scope, which every engine can play.
COURSE = Course((Turn("a"), Turn("a")))


def plays_a_course(exam: Examination) -> str:
    """See that a course can be cast, played and closed, and that its starts of a CLI are told apart by the roles."""
    with exam.stage() as (engine, stage):
        roles = _cast(engine)
        FakeBench(stage, stage.place / "base", None).cast(roles, COURSE)
        played = engine.play()
        leaks = engine.close()
        starts = [one.scope for one in stage.witness.of(CliStarted)]
    if not starts:
        raise ProblemError(
            "two turns were played, and no start of a CLI was seen",
            "have the engine start what stands first on PATH, or at endpoints.path",
        )
    if "a" not in starts:
        raise ProblemError(
            f"of {len(starts)} starts of a CLI none was told to be for the scope of the turns",
            "give a role of that scope whose prompt is found in what the engine sends",
        )
    if leaks.runs:
        raise ProblemError(f"it left something under way: {', '.join(leaks.runs)}", "end it at scenario/close")
    outcomes = " and ".join(come.outcome for come in played.acts)
    return f"two turns were played ({outcomes}), with {starts.count('a')} starts of a CLI"


def _cast(engine: RemoteEngine) -> Cast:
    try:
        return engine.cast(COURSE)
    except DriverError as fault:
        # A subclass says that the driver broke down, which is told with its last words.
        if type(fault) is not DriverError:
            raise
        raise ProblemError(str(fault), "name a role for each scope; see docs/driver-protocol.md") from fault

"""What a CLI says of a session when the model behind it fails, and what the session is worth afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tck_kit.probe.bench import Bench, Came, Doing, following

if TYPE_CHECKING:
    from tck_fakes.modelserver.faults import Fault

#: What is out by the time that the answer breaks off is a matter of chance.
_BY_CHANCE = {"cut"}


def failing(fault: Fault) -> Doing:
    """Give the case that resumes a session while the model fails so, and once more when it is well again."""

    def does(bench: Bench) -> Came:
        home, session = bench.with_session()
        model = home.arena.model
        model.always(fault)
        try:
            seen = home.resume(session, limit=bench.retrying)
        finally:
            model.always(None)
        other = bench.home()
        other.keep(replace(session, state=home.kept("failed")))
        then = other.resume(following(session, seen, home.state))
        kept = seen.asking.mark in then.remembered
        within = then if kept else replace(then, asking=replace(then.asking, earlier=session.heard))
        unanswered = "not asked" if not then.asked_model else "kept" if kept else "lost"
        facts = {name: fact for name, fact in seen.facts.items() if name != "events" or fault not in _BY_CHANCE}
        facts |= {"then": within.outcome.value, "unanswered": unanswered, "waits": seen.waits(bench.usual)}
        return seen.outcome, facts

    return does

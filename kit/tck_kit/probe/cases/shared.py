"""What a CLI does beside another run of its own, elsewhere, and after one that was killed."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tck_kit.probe.bench import Bench, Came, Home, Session, Unreached, following
from tck_kit.probe.cases.basics import yes
from tck_kit.probe.record import Fact
from tck_kit.probe.words import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from tck_kit.probe.seen import Seen

#: Seconds at least for a second one to come as far as the model, or to say that it will not, and how often a start that
#: goes well would have to fit into them.
_MEETING, _TIMES = 15.0, 4
_SETTLING = 1.0
_GOOD = frozenset({Outcome.RESUMED, Outcome.RENAMED, Outcome.FRESH})


def id_in_use(bench: Bench) -> Came:
    """Start a fresh session under the id of one that is there."""
    home, session = bench.with_session()
    seen = home.fresh(chosen=session.id, earlier=session.heard, limit=bench.patience)
    if seen.id == "own":
        return Outcome.NOT_OFFERED, {}
    return seen.outcome, seen.facts


def two_at_once(bench: Bench) -> Came:
    """Let two resumes of one session wait at the model at the same time; then see which turns the session has.

    The second answer is the slower one, so that it is no matter of luck who writes last.
    """
    if bench.session is None:
        raise Unreached("no session could be made and resumed")
    session = bench.session
    with bench.apart() as home:
        home.keep(session)
        starts = [lambda: home.resume(session, limit=bench.patience)] * 2
        first, second = _both(home, *starts, between=lambda: home.arena.model.script("slow"))
    facts: dict[str, Fact] = {
        "exit": first.ended.exit_code,
        "second": second.outcome.value,
        "said": second.said,
    }
    if Outcome.HUNG in {first.outcome, second.outcome}:
        return Outcome.HUNG, facts
    if not {first.outcome, second.outcome} <= _GOOD and {first.outcome, second.outcome} & _GOOD:
        return Outcome.SECOND_REFUSED, facts
    other = bench.home()
    heard = (*session.heard, first.asking.mark, second.asking.mark)
    other.keep(replace(session, state=home.kept("both")))
    then = other.resume(replace(session, heard=heard), limit=bench.patience)
    kept = {first.asking.mark, second.asking.mark} & set(then.remembered)
    facts["then"] = then.outcome.value
    return (Outcome.NEITHER, Outcome.ONE, Outcome.BOTH)[len(kept)], facts


def beside_another(bench: Bench) -> Came:
    """Resume a session while a fresh one is made in the same home."""
    home, session = bench.with_session()
    seen, other = _both(
        home, lambda: home.resume(session, limit=bench.patience), lambda: home.fresh(limit=bench.patience)
    )
    return seen.outcome, seen.facts | {"second": other.outcome.value}


def _both(
    home: Home, first: Callable[[], Seen], second: Callable[[], Seen], *, between: Callable[[], None] = lambda: None
) -> tuple[Seen, Seen]:
    """Run two at once, so that the answers come only when both wait for one, or one of them has ended.

    Raises `Unreached` where it came to neither: then nothing was seen of two at once.
    """
    model = home.arena.model
    came: dict[int, Seen] = {}
    faults: list[BaseException] = []

    def run(number: int, start: Callable[[], Seen]) -> None:
        try:
            came[number] = start()
        except BaseException as fault:  # noqa: BLE001 -- raised again below
            faults.append(fault)

    starts = enumerate((first, second))
    threads = [threading.Thread(target=run, args=(number, one), daemon=True) for number, one in starts]
    seconds = max(_MEETING, _TIMES * home.bench.usual)
    model.hold()
    try:
        threads[0].start()
        _await(lambda: model.waiting() >= 1 or not threads[0].is_alive(), seconds)
        # What the first one was asked is then on disk: some write it down only after a while.
        time.sleep(_SETTLING)
        between()
        threads[1].start()
        met = _await(lambda: model.waiting() > 1 or not all(one.is_alive() for one in threads), seconds)
    finally:
        model.release()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    if not met:
        raise Unreached("the two were never at the model together")
    return came[0], came[1]


def _await(so: Callable[[], bool], seconds: float) -> bool:
    """Wait for something so long at most; say whether it came about."""
    until = time.monotonic() + seconds
    while not (came := so()) and time.monotonic() < until:
        time.sleep(0.02)
    return came


def elsewhere(bench: Bench) -> Came:
    """Resume a session in another working directory, at which everything is then kept, as an engine would do it."""
    home, session = bench.with_session(elsewhere=True)
    seen = home.resume(session, limit=bench.patience)
    return seen.outcome, seen.facts


def killed_resume(bench: Bench) -> Came:
    """Kill a resume in the middle of its answer, and resume again; see whether session and prompt are still there."""
    home, session = bench.with_session()
    killed = home.resume(session, kill=True)
    if not killed.asked_model:
        raise Unreached("the model was never asked")
    return _after_kill(bench, home, session, killed)


def killed_fresh(bench: Bench) -> Came:
    """Kill a fresh session in the middle of its first answer, and resume it by the id that an engine knows by then."""
    home = bench.home()
    killed = home.fresh(kill=True)
    if not killed.asked_model:
        raise Unreached("the model was never asked")
    known = killed.native_id or _chosen(bench, home)
    if known is None:
        return Outcome.NOT_OFFERED, {"id": "none"}
    return _after_kill(bench, home, Session(known, (), home.state), killed)


def _chosen(bench: Bench, home: Home) -> str | None:
    """Give the id that the caller chose, where the adapter passes one."""
    chosen = bench.chosen_id()
    made = bench.adapter.fresh(home.call("<prompt>", label="x", chosen=chosen))
    return chosen if any(chosen in word for word in made.argv) else None


def _after_kill(bench: Bench, home: Home, session: Session, killed: Seen) -> Came:
    other = bench.home()
    other.keep(Session(session.id, session.heard, home.kept("killed")))
    whole = following(session, killed, home.state)
    then = other.resume(whole, limit=bench.patience)
    lost = killed.asking.mark not in then.remembered
    # What is said of the rest does not depend on the one prompt that nobody answered.
    rest = replace(then, asking=replace(then.asking, earlier=session.heard)) if lost and session.heard else then
    unanswered = "not asked" if not then.asked_model else "lost" if lost else "kept"
    return rest.outcome, rest.facts | {"unanswered": unanswered}


def killed_id_again(bench: Bench) -> Came:
    """Kill a fresh session, and start a fresh one under the same id, as an engine would that repeats a run."""
    home = bench.home()
    if _chosen(bench, home) is None:
        return Outcome.NOT_OFFERED, {}
    killed = home.fresh(kill=True)
    if not killed.asked_model:
        raise Unreached("the model was never asked")
    other = bench.home()
    other.keep(Session(bench.chosen_id(), (), home.kept("killed")))
    again = other.fresh(earlier=(killed.asking.mark,), limit=bench.patience)
    return again.outcome, again.facts


def written(bench: Bench) -> Came:
    """See what stands in the state after a session of two turns."""
    home, _ = bench.with_session()
    return yes(home.names()), {"written": home.names()}

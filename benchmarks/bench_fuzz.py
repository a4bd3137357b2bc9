"""What a search costs: stimuli a second on one core, against a loop of the bare engine, and where the time goes.

The same histories are played three times: drawn and watched, as `session-tck fuzz` does it; by the player alone, with
nobody watching; and as bare calls of the engine. Seconds are of the processor, as other work on the machine is none of
this; they depend on the machine all the same, and the ratios are what to compare.

    python benchmarks/bench_fuzz.py [HISTORIES] [REPETITIONS]
"""

from __future__ import annotations

import cProfile
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis.configuration import set_hypothesis_home_dir

from tck_driver.configuration import EngineConfig
from tck_driver.connection import About
from tck_features.history.events import (
    CredentialMounted,
    Event,
    ProjectThere,
    Released,
    Restarted,
    Scripted,
    Sent,
    SettingStored,
    TimePassed,
    TrackerSet,
    VersionSet,
)
from tck_features.history.history import Happened, Watcher
from tck_features.history.play import Player
from tck_features.history.watchers import watchers
from tck_features.world import World
from tck_kit.engine_choice import EngineChoice
from tck_kit.fuzz.ground import Ground
from tck_kit.fuzz.hunt import Hunt, Limits, Tally
from tck_kit.workers import memory_folder

STEPS, SEED = 40, 1
TARGET = 2_000
#: Which part of the whole a file belongs to, by a piece of its path; the first that fits decides.
PARTS = (
    ("watchers", ("tck_features/model", "tck_features/laws", "tck_features/checks", "tck_features/hygiene")),
    ("player", ("tck_features/", "tck_driver/")),
    ("drawing", ("hypothesis/", "tck_kit/fuzz", "random.py", "sortedcontainers")),
    (
        "database",
        ("sqlalchemy/", "sqlite3", "tck_simulator/store", "tck_simulator/statements", "tck_simulator/prepared"),
    ),
    ("observer", ("tck_fakes/database", "tck_fakes/observed")),
    ("stand-ins", ("tck_fakes/",)),
    ("engine", ("tck_simulator/",)),
)


class Recorder:
    """Keeps the events of every history, and expects nothing."""

    def __init__(self, histories: list[list[Event]]) -> None:
        """Begin another history."""
        self._events: list[Event] = []
        histories.append(self._events)

    def saw(self, world: World, happened: Happened) -> None:  # noqa: ARG002 -- it looks at nothing
        """Keep an event."""
        self._events.append(happened.event)


def drawn(ground: Ground, examples: int, watch: Callable[[], Sequence[Watcher]]) -> Tally:
    """Draw histories and play them; a finding would end that early, and the figure would mean nothing."""
    result = Hunt(ground, watch, Limits(examples, STEPS, None, 600)).search(SEED)
    if result.finding is not None:
        raise SystemExit(f"a history was found that the simulator does not get right: {result.finding.fault}")
    return result.tally


def played(ground: Ground, histories: Sequence[Sequence[Event]]) -> None:
    """Play the same histories, with nobody watching."""
    for events in histories:
        world = ground.world()
        Player(world).play(events)
        ground.end(world)


def bare(ground: Ground, histories: Sequence[Sequence[Event]]) -> None:
    """Call the engine for the same histories; nobody looks at anything."""
    for events in histories:
        world = ground.world()
        opened = False
        for event in events:
            opened = opened or _open(world, event)
            if world.refusal is None:
                _call(world, event)
        world.opened = opened
        ground.end(world)


def _open(world: World, event: Event) -> bool:
    before = world.before
    match event:
        case ProjectThere(project=project):
            before.projects.append(project)
        case SettingStored(setting=setting):
            before.settings.append(setting)
        case CredentialMounted(target=target):
            before.credentials.append((target, str(world.bench.base)))
        case Scripted() | VersionSet() | TrackerSet():
            pass
        case _:
            config = EngineConfig(
                base=str(world.bench.base),
                projects=tuple(before.projects),
                settings=tuple(before.settings),
                database_url=world.database_url,
            )
            world.refusal = world.engine.open(config)
            return True
    return False


def _call(world: World, event: Event) -> None:
    match event:
        case Sent(stimulus=stimulus):
            world.engine.send(stimulus)
        case Scripted(adapter=adapter, scripts=scripts):
            world.bench.script(adapter, *scripts)
        case VersionSet(adapter=adapter, version=version, shape=shape):
            world.bench.set_version(adapter, version, shape)
        case TrackerSet(mailbox=ref, answer=answer):
            world.bench.tracker_answers(ref, answer)
        case TimePassed(milliseconds=milliseconds):
            world.engine.advance(milliseconds)
        case Released():
            world.bench.release()
            world.engine.advance(0)
        case Restarted():
            world.engine.kill()
            world.engine.start()
        case _:
            pass


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """Give the part of the time that each part of the whole has; what is built in belongs to who calls it."""
    spent: Counter[str] = Counter()
    profile.create_stats()
    told: dict[Any, Any] = getattr(profile, "stats")  # noqa: B009 -- the library's stubs do not know it
    for (file, _, _), (_, _, own, _, callers) in told.items():
        if file != "~" or not callers:
            spent[_part(file)] += own
            continue
        for (caller, _, _), counted in callers.items():
            spent[_part(caller)] += counted[2]
    whole = sum(spent.values())
    return {part: one / whole for part, one in spent.most_common()}


def _part(file: str) -> str:
    return next((part for part, pieces in PARTS if any(piece in file for piece in pieces)), "the rest")


def seconds(action: Callable[[], object]) -> float:
    """Give the seconds of the processor that something takes."""
    begun = time.process_time()
    action()
    return time.process_time() - begun


def main() -> None:
    """Measure, and print."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        set_hypothesis_home_dir(Path(folder) / "hypothesis")
        ground = Ground(EngineChoice(), Path(folder) / "ground", About("0", "s", "1", "d"), SEED)
        histories: list[list[Event]] = []
        tally = drawn(ground, examples, lambda: (Recorder(histories),))
        stimuli = tally.stimuli
        print(f"{examples} histories, {tally.events:,} events, {stimuli:,} stimuli; target {TARGET:,} stimuli a second")
        print("repetition  drawn and watched  player alone  bare engine  watched to bare  player to bare")
        rows: list[tuple[float, ...]] = []
        for number in range(repetitions):
            whole = seconds(lambda: drawn(ground, examples, watchers))
            alone = seconds(lambda: played(ground, histories))
            base = seconds(lambda: bare(ground, histories))
            rows.append((stimuli / whole, stimuli / alone, stimuli / base, whole / base, alone / base))
            print(f"{number + 1:10}  {_line(rows[-1])}")
        print(f"    median  {_line(tuple(statistics.median(column) for column in zip(*rows, strict=True)))}")
        profile = cProfile.Profile()
        profile.runcall(drawn, ground, examples, watchers)
        print("share of the time, as the profiler sees it, which weighs small functions too much:")
        for part, share in shares(profile).items():
            print(f"  {part:10} {share:6.1%}")
        ground.close()


def _line(row: tuple[float, ...]) -> str:
    whole, alone, base, watched, player = row
    return f"{whole:15,.0f}/s {alone:11,.0f}/s {base:10,.0f}/s {watched:16.2f} {player:15.2f}"


if __name__ == "__main__":
    main()

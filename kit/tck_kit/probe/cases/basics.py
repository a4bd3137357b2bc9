"""Version, help, a fresh session, a resume, and the id by which one leads to the other."""

from __future__ import annotations

from dataclasses import replace

from tck_driver.vocabulary import AdapterId
from tck_kit.probe import plain
from tck_kit.probe.bench import LABEL, Bench, Came, Home, Unreached, following, holds
from tck_kit.probe.record import Fact
from tck_kit.probe.run_of_cli import Start
from tck_kit.probe.seen import Seen
from tck_kit.probe.words import Outcome
from tck_simulator.adapters.base import read_version

#: Seconds for a command that only prints: more than the 10 of §16.6, for a machine that has much else to do.
PRINTING = 60.0
#: A name like an option that is nowhere by accident.
DASHED = "--help-7-session-tck"
#: Adapter → the command that lists the options of a run, and the option that resumes.
_HELP = {
    AdapterId.CLAUDE_CODE: (("claude", "--help"), "--resume"),
    AdapterId.CODEX: (("codex", "exec", "--help"), "resume"),
    AdapterId.OPENCODE: (("opencode", "run", "--help"), "--session"),
    AdapterId.COPILOT: (("copilot", "--help"), "--resume"),
}


def yes(so: object) -> Outcome:
    """Give the outcome of a plain question."""
    return Outcome.YES if so else Outcome.NO


def version(bench: Bench) -> Came:
    """Run the version command and look for a version in what it prints."""
    ended = bench.home().arena.run(Start(bench.adapter.version_command(), limit=PRINTING))
    if ended.exit_code is None:
        return Outcome.HUNG, {"exit": None}
    where = [name for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)) if read_version(text)]
    stream = "both" if len(where) > 1 else where[0] if where else "none"
    found = ended.exit_code == 0 and read_version(ended.stdout) == bench.version and bench.version is not None
    return yes(found), {"exit": ended.exit_code, "stream": stream}


def help_text(bench: Bench) -> Came:
    """Look for the resume option in what the CLI says of its options."""
    argv, option = _HELP[bench.adapter.id]
    ended = bench.home().arena.run(Start(argv, limit=PRINTING))
    where = [name for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)) if option in text]
    stream = "both" if len(where) > 1 else where[0] if where else "none"
    facts: dict[str, Fact] = {"exit": ended.exit_code, "stream": stream, "option": option}
    return (Outcome.HUNG if ended.exit_code is None else yes(where)), facts


def fresh(bench: Bench) -> Came:
    """Start a session in an empty home."""
    home = bench.home()
    seen = home.fresh()
    facts = seen.facts | {"written": home.names(), "argv": vector(home, seen)}
    if seen.native_id is not None:
        facts["reported"] = plain.place_of(seen.ended.stdout, seen.native_id)
    return seen.outcome, facts


def vector(home: Home, seen: Seen) -> tuple[str, ...]:
    """Give the arguments of a start, with words in place of what is volatile."""
    asking = seen.asking
    prompt = "<prompt>"
    call = home.call(prompt, label=LABEL if asking.resume_id is None else None, chosen=asking.chosen_id)
    adapter = home.bench.adapter
    made = adapter.fresh(call) if asking.resume_id is None else adapter.resume(call, asking.resume_id)
    return tuple(home.plain.text(word) for word in made.argv)


def resume(bench: Bench) -> Came:
    """Resume a session in another home that has nothing but its state."""
    home = bench.home()
    first = home.fresh()
    if first.outcome is not Outcome.FRESH:
        raise Unreached("no session could be made")
    session = home.session(first, "first")
    other = bench.home()
    other.keep(session)
    seen = other.resume(session)
    facts = seen.facts | {"argv": vector(other, seen)}
    if seen.native_id is not None:
        facts["reported"] = plain.place_of(seen.ended.stdout, seen.native_id)
    return seen.outcome, facts


def resume_again(bench: Bench) -> Came:
    """Resume a session that was resumed before: each time in a home of its own."""
    home, session = bench.with_session()
    seen = home.resume(session)
    if seen.native_id is None:
        raise Unreached("the resume named no id")
    then = replace(following(session, seen, home.kept("then")), id=seen.native_id)
    last = bench.home()
    last.keep(then)
    again = last.resume(then)
    return again.outcome, again.facts


def choose_id(bench: Bench) -> Came:
    """Start a session under an id of the caller's, where the adapter passes one."""
    home = bench.home()
    chosen = bench.chosen_id()
    bare = home.bench.adapter.fresh(home.call("<prompt>", label=LABEL))
    with_id = home.bench.adapter.fresh(home.call("<prompt>", label=LABEL, chosen=chosen))
    if bare == with_id:
        return Outcome.NOT_OFFERED, {}
    seen = home.fresh(chosen=chosen)
    return yes(seen.id == "chosen"), seen.facts


def early_id(bench: Bench) -> Came:
    """Kill a fresh session in the middle of its first answer, and look whether it has named its id by then."""
    home = bench.home()
    seen = home.fresh(kill=True)
    if not seen.asked_model:
        raise Unreached("the model was never asked")
    return yes(seen.native_id), {"id": seen.id, "events": plain.kinds(seen.ended.stdout)}


def label(bench: Bench) -> Came:
    """Start a session with a name, where the adapter passes one, and look for the name in its state."""
    return _labelled(bench, LABEL)


def label_with_dash(bench: Bench) -> Came:
    """Give a name that looks like an option."""
    return _labelled(bench, DASHED)


def label_long(bench: Bench) -> Came:
    """Give a name of 244 bytes, the longest that a branch can have here."""
    return _labelled(bench, "issue-7-" + "long-" * 47 + "x")


def _labelled(bench: Bench, name: str) -> Came:
    home = bench.home()
    made = bench.adapter.fresh(home.call("<prompt>", label=name, chosen=bench.chosen_id()))
    if not any(name in word for word in made.argv):
        return Outcome.NOT_OFFERED, {}
    seen = home.fresh(label=name)
    held = holds(home.files(), name)
    facts = seen.facts | {"saved": "yes" if held else "no"}
    return (Outcome.YES if seen.outcome is Outcome.FRESH and held else Outcome.NO), facts

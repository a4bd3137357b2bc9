"""A campaign for people: `campaign.md`, and a short table on the terminal."""

from __future__ import annotations

from collections import Counter
from typing import IO, Final

from tck_kit.campaign.merged import Campaign, EnginePart, OutcomePart
from tck_kit.campaign.units import shown_seeds
from tck_reports.explain import EXCUSED, EXIT_WORDS
from tck_reports.outcomes import ExitCode, Outcome
from tck_reports.plain import visible

#: Outcomes that need no seeds beside them where all seeds gave them.
_FINE: Final = frozenset({Outcome.PASSED, Outcome.UNSUPPORTED, Outcome.NOT_APPLICABLE, Outcome.EXCLUDED})
#: Runs that a terminal lists one by one; the files have all.
_MOST_TOLD: Final = 10


def markdown(campaign: Campaign) -> str:
    """Give the whole of `campaign.md`."""
    engines, seeds = campaign["engines"], campaign["seeds"]
    lines = [
        f"# {len(engines)} engine{_s(len(engines))}, {len(seeds)} seed{_s(len(seeds))}",
        "",
        f"- exit code {campaign['exit_code']}, {_exit_word(campaign)}: {_cell(campaign['exit_reason'])}",
        *(f"- incomplete: {_cell(reason)}" for reason in campaign["incomplete_reasons"]),
        f"- kit {campaign['kit']['version']}, specification {campaign['spec']['digest']}",
        "",
        "| engine | seed | verdict | exit code | why |",
        "|---|---:|---|---:|---|",
    ]
    for engine in engines:
        for run in engine["runs"]:
            verdict = ", ".join(f"{profile} {result}" for profile, result in run["verdict"].items()) or run["state"]
            name = _cell(engine["engine"])
            name = f"[{name}]({run['folder']}/report.html)" if run["state"] == "done" else name
            row = (name, str(run["seed"]), verdict, str(run["exit_code"]), _cell(run["exit_reason"]))
            lines.append(f"| {' | '.join(row)} |")
    flaky = [(engine["engine"], name) for engine in engines for name in engine["flaky"]]
    if flaky:
        lines += ["", "## Not the same with every seed", "", *(f"- {name} of {_cell(who)}" for who, name in flaky)]
    lines += [
        "",
        "## Requirements",
        "",
        "The worst outcome of all seeds, with the seeds that show it where not all do.",
        "",
        f"| requirement | {' | '.join(_cell(engine['engine']) for engine in engines)} |",
        f"|---|{'---|' * len(engines)}",
    ]
    left_out = 0
    for one in campaign["requirements"]:
        if all({*outcome["outcomes"]} == {Outcome.NOT_RUN} for outcome in one["engines"].values()):
            left_out += 1
            continue
        cells = [_shown(one["engines"].get(engine["folder"]), len(seeds)) for engine in engines]
        lines.append(f"| {one['id']} | {' | '.join(cells)} |")
    if left_out:
        lines += ["", f"{left_out} more requirements were not run."]
    return "\n".join(lines) + "\n"


def write(campaign: Campaign, stream: IO[str]) -> None:
    """Write a short table to a stream."""
    from rich.console import Console  # noqa: PLC0415 -- slow to import, and only terminals need it
    from rich.table import Table  # noqa: PLC0415 -- the same

    console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("engine", overflow="fold")
    table.add_column("seeds", overflow="fold")
    for profile in _profiles(campaign):
        table.add_column(profile, overflow="fold")
    table.add_column("exit code", justify="right")
    for engine in campaign["engines"]:
        told = [_verdicts(engine, profile) for profile in _profiles(campaign)]
        seeds = shown_seeds(campaign["seeds"])
        table.add_row(visible(engine["engine"]), seeds, *told, str(engine["exit_code"]))
    console.print(table, soft_wrap=False)
    for engine in campaign["engines"]:
        for name in engine["flaky"]:
            outcomes = next(one["engines"][engine["folder"]] for one in campaign["requirements"] if one["id"] == name)
            told_of = "; ".join(f"{word} with {shown_seeds(seeds)}" for word, seeds in outcomes["outcomes"].items())
            console.print(f"not the same with every seed: {name} of {visible(engine['engine'])}: {told_of}")
    without = [
        (engine["engine"], run)
        for engine in campaign["engines"]
        for run in engine["runs"]
        if run["state"] == "no report"
    ]
    for name, run in without[:_MOST_TOLD]:
        console.print(f"no report: {visible(name)}, seed {run['seed']}: {_line(run['exit_reason'])}")
    if len(without) > _MOST_TOLD:
        console.print(f"and {len(without) - _MOST_TOLD} more without a report")
    for reason in campaign["incomplete_reasons"]:
        console.print(f"incomplete: {visible(reason)}")
    console.print(f"exit code {campaign['exit_code']}, {_exit_word(campaign)}: {_line(campaign['exit_reason'])}")


def _profiles(campaign: Campaign) -> list[str]:
    runs = [run for engine in campaign["engines"] for run in engine["runs"]]
    return list(dict.fromkeys(profile for run in runs for profile in run["verdict"]))


def _verdicts(engine: EnginePart, profile: str) -> str:
    """Say how often which verdict came, such as `9 conformant, 1 not run`."""
    counts = Counter(run["verdict"].get(profile, run["state"]) for run in engine["runs"])
    return ", ".join(f"{times} {word}" for word, times in sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _shown(outcome: OutcomePart | None, seeds: int) -> str:
    if outcome is None:
        return ""
    word = outcome["outcome"].replace("_", " ")
    if outcome["outcome"] in _FINE and not outcome["flaky"]:
        return word
    if seeds == 1:
        return f"**{word}**"
    return f"**{word}** ({'all seeds' if len(outcome['seeds']) == seeds else shown_seeds(outcome['seeds'])})"


def _exit_word(campaign: Campaign) -> str:
    """Give the exit code in a word; what a baseline excuses does not conform."""
    code = ExitCode(campaign["exit_code"])
    runs = [run for engine in campaign["engines"] for run in engine["runs"]]
    verdicts = {result for run in runs for result in run["verdict"].values()}
    return EXIT_WORDS[code] if code is not ExitCode.CONFORMANT or verdicts <= {"conformant"} else EXCUSED


def _line(text: str) -> str:
    """Give the first line, which says what is wrong."""
    return visible(text.partition("\n")[0])


def _cell(text: str) -> str:
    """Give text on one line of a table, with nothing in it that Markdown would read."""
    flat = " ".join(visible(text).split())
    for mark in "\\`*_[]|~<>":
        flat = flat.replace(mark, f"\\{mark}")
    return flat.replace("@", "@<!-- -->")


def _s(number: int) -> str:
    return "" if number == 1 else "s"

"""`session-tck probe`: its options, and the probe that comes of them."""

from __future__ import annotations

import contextlib
import json
import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tck_driver.vocabulary import AdapterId
from tck_kit.faults import SuiteFault, UsageFault
from tck_kit.run_command import FILE
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.probe.difference import Comparison
    from tck_kit.probe.lanes import Probing
    from tck_kit.probe.record import Record
    from tck_kit.probe.sealed import Seal
    from tck_kit.probe.subject import Subject
    from tck_kit.probe.table import Case

#: What users call the CLIs that can be probed.
PROGRAMS: Final = {
    "claude": AdapterId.CLAUDE_CODE,
    "codex": AdapterId.CODEX,
    "opencode": AdapterId.OPENCODE,
    "copilot": AdapterId.COPILOT,
}
#: The order in which they are begun with, when it is all of them: those that take longest first.
_LONGEST_FIRST = ("copilot", "opencode", "claude", "codex")
TIME_LIMIT, SLOW_TIME_LIMIT = 900, 3600
FOLDER = Path("session-tck-clis")
_PINNED, _SHIPPED = "pinned", "shipped"
#: How a closure says that something is open.
_OPEN = "not "


@click.command()
@click.argument("name", metavar="claude|codex|opencode|copilot|all", required=False)
@click.option(
    "--install",
    is_flag=False,
    flag_value=_PINNED,
    metavar="[VERSION|latest]",
    help="Have it installed by npm first.  [without a value: the version of the shipped record]",
)
@click.option(
    "--folder",
    type=FILE,
    default=FOLDER,
    show_default=True,
    metavar="FOLDER",
    help="Install below this folder; what is there already is used.",
)
@click.option("--program", type=FILE, metavar="PATH", help="Probe this program instead of the one on PATH.")
@click.option("--stand-in", is_flag=True, help="Probe the kit's own stand-in instead of the CLI.")
@click.option("--only", "only", multiple=True, metavar="CASE", help="Only this case. May be repeated.")
@click.option("--older", is_flag=True, help="Only the cases that older versions go through.")
@click.option("--unsealed", is_flag=True, help="Go on where the system cannot close the CLI off from what is yours.")
@click.option("--slow", is_flag=True, help="Also the cases in which a CLI retries for minutes.")
@click.option(
    "--diff",
    is_flag=False,
    flag_value=_SHIPPED,
    metavar="[FILE]",
    help="Compare with this record.  [without a value: the one that comes with the kit]",
)
@click.option(
    "--record",
    type=FILE,
    metavar="FILE",
    help="Write the record here; another version is added to one that is there. With several CLIs, a folder.",
)
@click.option(
    "--time-limit",
    type=click.IntRange(1, 604_800),
    help=f"Seconds for all cases.  [default: {TIME_LIMIT}; {SLOW_TIME_LIMIT} with --slow]",
)
@click.option("--publish", type=FILE, metavar="FILE", help="Write the page of the adapters, of the shipped records.")
@click.option("--list", "listed", is_flag=True, help="List the cases, and start nothing.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def probe(  # noqa: PLR0917 -- click passes the options by name
    name: str | None,
    install: str | None,
    folder: Path,
    program: Path | None,
    stand_in: bool,  # noqa: FBT001 -- the same
    only: tuple[str, ...],
    older: bool,  # noqa: FBT001 -- the same
    unsealed: bool,  # noqa: FBT001 -- the same
    slow: bool,  # noqa: FBT001 -- the same
    diff: str | None,
    record: Path | None,
    time_limit: int | None,
    publish: Path | None,
    listed: bool,  # noqa: FBT001 -- the same
    form: str,
) -> int:
    """Find out what an agent's CLI really does when a session is started, resumed, damaged and shared.

    The CLI runs in a place of its own: an empty environment, a home of its own, and the kit's model server on loopback
    as its only network. What it does is read off the requests that reach the model, its files and its exit code.

    Exit code: 0 probed, or nothing that matters is different; 1 something that matters is different; 2 usage; 3 cut
    short, or not all of it could be compared; 4 fault of the kit.
    """
    if listed:
        return _list(form)
    if publish is not None:
        return _publish(publish)
    names = _names(name)
    if sum((install is not None, program is not None, stand_in)) > 1:
        raise UsageFault("they name one CLI each", "--install, --program, --stand-in", "leave all but one of them out")
    if program is not None and len(names) > 1:
        raise UsageFault("it is one CLI", f"--program {program}", "say which one it is instead of `all`")
    if diff not in {None, _SHIPPED} and len(names) > 1:
        raise UsageFault("it is the record of one CLI", f"--diff {diff}", "say which one instead of `all`")
    cases = _chosen(only, older=older, slow=slow)
    before = {one: _before(diff, PROGRAMS[one]) for one in names} if diff is not None else {}
    if record is not None:
        _refuse(record, names)
    short = older and not only
    whole = tuple(one.name for one in _chosen((), older=short, slow=False))
    subjects = {one: _subject(PROGRAMS[one], install, folder, program, stand_in=stand_in) for one in names}
    probings = {one: _probing(subject, cases, whole, unsealed=unsealed) for one, subject in subjects.items()}
    targets = _targets(record, names) if record is not None else {}
    for one, path in targets.items():
        _refuse_loss(path, probings[one])
    cut_short = _run(probings, time.monotonic() + (time_limit or (SLOW_TIME_LIMIT if slow else TIME_LIMIT)))
    records = {one: _record(probing, cut_short, short=short) for one, probing in probings.items()}
    compared = {one: _compare(before[one], records[one], asked=cases) for one in before}
    _show(records, compared, form)
    for one, path in targets.items():
        _write(path, records[one], compared.get(one), diff)
    return _exit(compared.values(), cut_short)


def _names(name: str | None) -> tuple[str, ...]:
    if name == "all":
        return tuple(PROGRAMS)
    if name in PROGRAMS:
        return (name,)
    if name in {"grok", "grok-build"}:
        raise UsageFault(
            "nobody has verified it, and the kit knows no way to point it at a model server", name, "see CAPABILITY-3"
        )
    given = "nothing" if name is None else name
    raise UsageFault("that is none of the CLIs that can be probed", given, f"say one of {', '.join(PROGRAMS)}, or all")


def _chosen(only: tuple[str, ...], *, older: bool, slow: bool) -> tuple[Case, ...]:
    from tck_kit.probe.table import CASES  # noqa: PLC0415 -- the other commands start faster

    for name in only:
        if name not in CASES:
            raise UsageFault("there is no such case", f"--only {name}", "session-tck probe --list shows them all")
    if only:
        return tuple(one for one in CASES.values() if one.name in only)
    return tuple(one for one in CASES.values() if (slow or not one.slow) and (one.older or not older))


def _list(form: str) -> int:
    from tck_kit.probe.table import CASES  # noqa: PLC0415 -- as above

    rows = [
        {"name": one.name, "group": one.group, "asks": one.asks, "matters": one.matters, "slow": one.slow}
        for one in CASES.values()
    ]
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
        return ExitCode.CONFORMANT
    from tck_kit.probe.show import cases  # noqa: PLC0415 -- only this form draws

    cases(CASES.values())
    return ExitCode.CONFORMANT


def _publish(file: Path) -> int:
    from tck_kit.probe.page import page  # noqa: PLC0415 -- as above
    from tck_kit.probe.shipped import all_shipped  # noqa: PLC0415 -- the same
    from tck_reports import files  # noqa: PLC0415 -- the same

    files.write_whole(file, page(all_shipped()).encode())
    click.echo(f"Page: {file}")
    return ExitCode.CONFORMANT


def _before(diff: str, adapter: AdapterId) -> Record:
    from tck_kit.probe.record import read  # noqa: PLC0415 -- as above
    from tck_kit.probe.shipped import shipped  # noqa: PLC0415 -- the same
    from tck_kit.probe.table import FIRST  # noqa: PLC0415 -- the same

    held = shipped(adapter) if diff == _SHIPPED else read(Path(diff))
    if held.adapter is not adapter:
        raise UsageFault(f"it is a record of {held.adapter.value}", f"--diff {diff}", f"give one of {adapter.value}")
    if held.probe is None or not held.probe.complete:
        raise UsageFault("it is not a whole record, so nothing can be compared", f"--diff {diff}", "give a whole one")
    lacking = [name for name in FIRST if held.probe.finding(name) is None]
    if lacking:
        what = f"it calls itself whole and lacks {', '.join(lacking)}"
        raise UsageFault(what, f"--diff {diff}", "make a new one: session-tck probe CLI --record FILE")
    return held


def _targets(record: Path, names: Iterable[str]) -> dict[str, Path]:
    """Give the file of each record: the one that was named, or one for each adapter in a folder."""
    given = tuple(names)
    if len(given) == 1:
        return {given[0]: record}
    return {one: record / f"{PROGRAMS[one].value}.json" for one in given}


def _refuse(record: Path, names: tuple[str, ...]) -> None:
    """Find out before the probe what stands in the way of writing it down."""
    from tck_kit.probe.record import read  # noqa: PLC0415 -- as above
    from tck_kit.probe.writing import try_out  # noqa: PLC0415 -- the same
    from tck_reports import files  # noqa: PLC0415 -- the same

    if len(names) > 1:
        files.prepare(record)
    elif not record.parent.is_dir():
        raise UsageFault("there is no such folder", str(record.parent), "make it, or name another one")
    else:
        try_out(record)
    for name, path in _targets(record, names).items():
        if path.exists() and (held := read(path)).adapter is not PROGRAMS[name]:
            raise UsageFault(f"a record of {held.adapter.value} is there already", str(path), "name another file")


def _refuse_loss(path: Path, probing: Probing) -> None:
    """Find out, once the version is known, whether the file would be spoilt."""
    from tck_kit.probe.writing import refuse_loss  # noqa: PLC0415 -- as above

    refuse_loss(path, probing.subject, {one.name for one in probing.cases})


def _subject(adapter: AdapterId, install: str | None, folder: Path, program: Path | None, *, stand_in: bool) -> Subject:
    from tck_kit.probe import npm, subject  # noqa: PLC0415 -- as above

    if stand_in:
        return subject.stand_in(adapter)
    if install is not None:
        ours = not folder.exists()
        found = npm.install(adapter, npm.PINNED if install == _PINNED else install, folder)
        _ignore(folder, Path(found.words[-1]), ours=ours)
        return found
    return subject.installed(adapter, None if program is None else str(program))


def _ignore(folder: Path, program: Path, *, ours: bool) -> None:
    """Keep git away from a gigabyte that nobody wants to commit, and from nothing that somebody else has put there."""
    # Where this cannot be written, that is nobody's trouble.
    with contextlib.suppress(OSError, ValueError):
        real = folder.resolve()
        place = real if ours else real / program.relative_to(real).parts[0]
        if not (ignoring := place / ".gitignore").exists():
            ignoring.write_text("*\n", encoding="ascii")


def _probing(subject: Subject, cases: tuple[Case, ...], whole: tuple[str, ...], *, unsealed: bool) -> Probing:
    """Start it once, for its version, where it can be closed off."""
    from tck_kit.probe.arena import arena  # noqa: PLC0415 -- as above
    from tck_kit.probe.lanes import Probing  # noqa: PLC0415 -- the same
    from tck_kit.probe.sealed import Seal  # noqa: PLC0415 -- the same

    if subject.origin != "stand-in" and not unsealed:
        # Not even for its version is it started where it would see what is the caller's.
        with Seal((path, False) for path in subject.needed()) as seal:
            _refuse_open(subject, seal)
    with arena(subject) as base:
        if subject.origin != "stand-in" and not unsealed:
            _refuse_open(subject, base.seal)
        hidden = base.seal.closure.hidden
        click.echo(f"{subject.program}: {base.seal.closed}; {hidden}; it runs as {base.seal.runs_as}", err=True)
        network = "; ".join((base.seal.closed, *((hidden,) if hidden.startswith(_OPEN) else ())))
        return Probing(base.subject, cases, whole, network)


def _refuse_open(subject: Subject, seal: Seal) -> None:
    found = [text for text in (seal.closed, seal.closure.hidden) if text.startswith(_OPEN)]
    if found:
        raise UsageFault(
            f"the CLI cannot be sealed off here: {'; '.join(found)}",
            subject.program,
            "run it as root or where users get namespaces of their own, or say --unsealed",
        )


def _run(probings: dict[str, Probing], until: float) -> str | None:
    from rich.console import Console  # noqa: PLC0415 -- only a probe draws

    from tck_kit.probe.lanes import run  # noqa: PLC0415 -- as above
    from tck_kit.probe.show import progress  # noqa: PLC0415 -- the same

    console = Console(stderr=True)
    for name, probing in probings.items():
        told = f"{name} {probing.subject.version}, {len(probing.cases)} cases"
        console.print(told, highlight=False, markup=False)
    order = sorted(probings, key=_LONGEST_FIRST.index)
    with progress(console, {name: len(one.cases) for name, one in probings.items()}) as heard:
        return run([probings[name] for name in order], until, heard)


def _record(probing: Probing, cut_short: str | None, *, short: bool) -> Record:
    from tck_kit import assets  # noqa: PLC0415 -- as above
    from tck_kit.probe.configured import CONFIGURED  # noqa: PLC0415 -- the same
    from tck_kit.probe.npm import PACKAGES  # noqa: PLC0415 -- the same
    from tck_kit.probe.record import Record  # noqa: PLC0415 -- the same
    from tck_simulator.adapters.base import HOME  # noqa: PLC0415 -- the same

    adapter = probing.subject.adapter
    held = probing.probe(assets.version(), f"{platform.system()} {platform.machine()}", cut_short)
    path = f"{HOME}/{CONFIGURED[adapter].state}"
    return Record(adapter, probing.subject.program, PACKAGES[adapter].name, path, replace(held, short=short))


def _write(path: Path, new: Record, compared: Comparison | None, diff: str | None) -> None:
    """Write it down, unless that would take away what the file has to say."""
    from tck_kit.probe.writing import write  # noqa: PLC0415 -- as above

    same = diff is not None and path.exists() and Path(diff).exists() and path.samefile(diff)
    if same and compared is not None and compared.matters:
        click.echo(f"{path} stays as it was: what is different matters", err=True)
    elif not write(path, new):
        click.echo(f"{path} stays as it was: it knows more of this version than a probe that is not whole", err=True)


def _compare(before: Record, after: Record, asked: tuple[Case, ...]) -> Comparison:
    from tck_kit.probe.difference import compare  # noqa: PLC0415 -- as above
    from tck_kit.probe.table import MATTERS  # noqa: PLC0415 -- the same

    return compare(before, after, {one.name for one in asked}, MATTERS)


def _show(records: dict[str, Record], compared: dict[str, Comparison], form: str) -> None:
    if form == "json":
        from tck_kit.probe.record import encode  # noqa: PLC0415 -- as above

        shown = {
            name: {
                "record": json.loads(encode(one)),
                "differences": compared[name].fields() if name in compared else None,
            }
            for name, one in records.items()
        }
        sys.stdout.write(f"{json.dumps(shown, indent=2)}\n")
        return
    from tck_kit.probe import show  # noqa: PLC0415 -- only this form draws

    for name, one in records.items():
        if name in compared:
            show.differences(one, compared[name])
        else:
            show.findings(one)


def _exit(compared: Iterable[Comparison], cut_short: str | None) -> int:
    from tck_kit.probe.lanes import is_fault  # noqa: PLC0415 -- as above

    if cut_short is not None and is_fault(cut_short):
        raise SuiteFault(cut_short)
    held = tuple(compared)
    if any(one.matters for one in held):
        return ExitCode.NONCONFORMANT
    whole = cut_short is None and not any(one.not_compared for one in held)
    return ExitCode.CONFORMANT if whole else ExitCode.INCOMPLETE

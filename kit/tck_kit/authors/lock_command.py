"""`session-tck lock`: what a specification requires, written down with ids that outlive edits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.authors.locking import Desk
    from tck_spec.lock.records import Lock
    from tck_spec.lock.updating import Update

__all__ = ["lock"]

FILE = click.Path(path_type=Path)
LOCK = click.option("--lock", "lock_file", type=FILE, metavar="FILE", help="The lock.  [default: beside the document]")
CONFIG = click.option(
    "--config", type=FILE, metavar="FILE", help="Settings.  [default: the session-tck.toml here or above]"
)
FEATURES = click.option("--features", type=FILE, metavar="FOLDER", help="The scenarios whose tags name requirements.")


@click.command()
@click.argument("files", nargs=-1, type=FILE, metavar="[FILE]...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit code 1 if the lock is out of date.")
@click.option("--update", "only_update", is_flag=True, help="Update a lock that there is; never write a first one.")
@LOCK
@CONFIG
@FEATURES
def lock(  # noqa: PLR0917 -- click passes the options by name
    files: tuple[Path, ...],
    only_check: bool,  # noqa: FBT001 -- click passes the options by name
    only_update: bool,  # noqa: FBT001 -- the same
    lock_file: Path | None,
    config: Path | None,
    features: Path | None,
) -> int:
    """Write or update the lock of a specification: its requirements, their ids, and the scenarios that show them.

    Without --check and --update a lock that is not there yet is written. What is alike but not clearly the same is
    asked: such a requirement stays in the lock as it was until `session-tck accept` answers.

    Exit code: 0 up to date or written, 1 out of date or with open questions, 2 usage, 4 fault of the kit.
    """
    from tck_kit.authors.locking import desk_of  # noqa: PLC0415 -- `--help` starts faster

    if only_check and only_update:
        raise UsageFault("--update is given as well", "--check", "give one of them")
    if lock_file is not None and len(files) > 1:
        raise UsageFault("every document has a lock of its own", f"--lock {lock_file}", "name one document")
    code = ExitCode.CONFORMANT
    for file in files or (None,):
        desk = desk_of(file, lock_file, config, features)
        done = _check(desk) if only_check else _write(desk, first=not only_update and not desk.path.exists())
        code = max(code, done)
    return code


def _check(desk: Desk) -> ExitCode:
    from tck_kit.authors.change_lines import counted, lines_of, questions  # noqa: PLC0415 -- as above
    from tck_spec.lock.file import format_lock  # noqa: PLC0415 -- the same

    before = desk.read()
    found = desk.update(before)
    for line in lines_of(found.changes, str(desk.document)):
        click.echo(line)
    for line in questions(found.open):
        click.echo(f"    {line}")
    written = desk.path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    if not found.open and format_lock(found.lock) == written:
        held = found.lock
        size = f"{len(held.active)} requirements, {len(held.links)} links"
        click.echo(f"{desk.path}: up to date, {size}{_suspect(held)}")
        return ExitCode.CONFORMANT
    what = counted(found.changes, without=("unchanged", "moved")) or _quiet(before.links != found.lock.links)
    click.echo(f"{desk.path}: out of date: {what}; look at it, then `session-tck lock --update`")
    return ExitCode.NONCONFORMANT


def _quiet(links: bool) -> str:  # noqa: FBT001 -- one of two sentences
    return "scenarios have other tags" if links else "sections have other numbers, titles or requirements"


def _suspect(lock: Lock) -> str:
    """Say how many scenarios somebody has to look at, and how many have a tag that names nothing any more."""
    from tck_spec.lock.effects import suspects  # noqa: PLC0415 -- as above

    states = [lock.by_id[one].state for one, _ in suspects(lock) if one in lock.by_id]
    look, retag = states.count("active"), len(states) - states.count("active")
    told = f"; {look} suspect: look at these scenarios, then `session-tck accept`" if look else ""
    return told + (f"; {retag} of a retired id: tag these scenarios anew" if retag else "")


def _write(desk: Desk, *, first: bool) -> ExitCode:
    from tck_kit.authors.change_lines import counted, lines_of, questions  # noqa: PLC0415 -- as above
    from tck_kit.authors.locking import refused  # noqa: PLC0415 -- the same
    from tck_spec.errors import SpecificationError  # noqa: PLC0415 -- the same
    from tck_spec.lock.file import write_lock  # noqa: PLC0415 -- the same

    if desk.installed:
        cure = "name your own specification"
        raise UsageFault("this is the kit's own specification, which came with it", str(desk.document), cure)
    found: Update = desk.update(desk.first() if first else desk.read())
    try:
        written = write_lock(desk.path, found.lock)
    except SpecificationError as error:
        refused(error)
    if not first:
        for line in lines_of(found.changes, str(desk.document)):
            click.echo(line)
    held = found.lock
    told = "" if first else counted(found.changes, without=("unchanged",))
    sections = sum(one.state == "active" for one in held.sections)
    size = f"{len(held.active)} requirements in {sections} sections, {len(held.links)} links"
    state = "written" if written else "unchanged"
    click.echo(f"{desk.path}: {state}, {size}{f'; {told}' if told else ''}{_suspect(held)}")
    if not found.open:
        return ExitCode.CONFORMANT
    click.echo("Open, and left in the lock as it was:")
    for line in questions(found.open):
        click.echo(f"    {line}")
    return ExitCode.NONCONFORMANT

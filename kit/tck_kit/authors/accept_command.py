"""`session-tck accept`: somebody has looked at what changed, and says what it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.authors.lock_command import CONFIG, FEATURES, FILE, LOCK
from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.authors.locking import Desk
    from tck_spec.lock.records import Lock
    from tck_spec.lock.updating import Update

__all__ = ["accept"]


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "every", is_flag=True, help="All scenarios that are suspect.")
@click.option("--editorial", is_flag=True, help="Those of which only capitals or punctuation have changed.")
@click.option("--as", "old", metavar="OLD", help="The one ID named is the requirement OLD, edited.")
@click.option("--new", "is_new", is_flag=True, help="The IDs named are requirements of their own.")
@click.option("--file", type=FILE, metavar="FILE", help="The specification.  [default: as for `lock`]")
@LOCK
@CONFIG
@FEATURES
def accept(  # noqa: PLR0917 -- click passes the options by name
    ids: tuple[str, ...],
    every: bool,  # noqa: FBT001 -- click passes the options by name
    editorial: bool,  # noqa: FBT001 -- the same
    old: str | None,
    is_new: bool,  # noqa: FBT001 -- the same
    file: Path | None,
    lock_file: Path | None,
    config: Path | None,
    features: Path | None,
) -> int:
    """Mark the scenarios of requirements as reviewed with the text as it is now; or answer what `lock` has asked.

    Exit code: 0 done, 2 usage, 4 fault of the kit.
    """
    from tck_kit.authors.locking import desk_of  # noqa: PLC0415 -- `--help` starts faster

    answering = old is not None or is_new
    _one_of(("ID", bool(ids)), ("--all", every), ("--editorial", editorial))
    if answering and not ids:
        raise UsageFault(
            "it answers for an id", "--as" if old else "--new", "name the id that `session-tck lock` shows"
        )
    if old is not None and (is_new or len(ids) != 1):
        raise UsageFault("it answers for one id", f"--as {old}", "name one id, and leave --new out")
    desk = desk_of(file, lock_file, config, features)
    return _answer(desk, ids, old) if answering else _review(desk, ids, editorial=editorial)


def _one_of(*options: tuple[str, bool]) -> None:
    given = [name for name, wanted in options if wanted]
    if len(given) != 1:
        what = "nothing is named" if not given else f"{' and '.join(given)} are given together"
        raise UsageFault(what, "accept", "name ids, or give --all or --editorial")


def _current(desk: Desk) -> tuple[Lock, Update]:
    """Read the lock and refuse one that is out of date: nobody can have looked at what is not in it."""
    before = desk.read()
    found = desk.update(before)
    if found.lock != before:
        raise UsageFault(
            "is out of date", str(desk.path), "run `session-tck lock --update` first, and look at what it shows"
        )
    return before, found


def _review(desk: Desk, ids: Sequence[str], *, editorial: bool) -> int:
    from tck_spec.lock.links import accepted  # noqa: PLC0415 -- as above

    before, _ = _current(desk)
    wanted = {_known(before, one) for one in ids} if ids else None
    after, links = accepted(before, wanted, editorial=editorial)
    _save(desk, after)
    requirements = len({link.requirement for link in links})
    click.echo(
        f"{desk.path}: reviewed {len(links)} scenario{_s(len(links))} of {requirements} requirement{_s(requirements)}"
    )
    return ExitCode.CONFORMANT


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _answer(desk: Desk, ids: Sequence[str], old: str | None) -> int:
    from tck_spec.lock.links import joined  # noqa: PLC0415 -- as above
    from tck_spec.lock.minting import tag_of  # noqa: PLC0415 -- the same

    before, found = _current(desk)
    asked = {tag_of(one.id): one for one in found.open}
    answers: dict[str, str] = {}
    for name in ids:
        change = asked.get(tag_of(name))
        if change is None:
            if old is not None and before.tags.get(tag_of(name)) and before.tags.get(tag_of(old)):
                after = joined(before, _known(before, name), _known(before, old))
                if after is None:
                    raise UsageFault("both are requirements that hold", f"{name} --as {old}", "name one that is gone")
                _save(desk, after)
                click.echo(f"{desk.path}: {old} is {name} now; its scenarios are suspect")
                return ExitCode.CONFORMANT
            known = ", ".join(one.id for one in found.open) or "nothing is asked"
            raise UsageFault("nothing is asked of this id", name, f"open: {known}")
        if change.kind == "reused":
            retired = bool(change.why)
            answers[change.id] = "" if retired else change.id
        else:
            answers[change.id] = _known(before, old) if old is not None else ""
    after_update = desk.update(before, answers)
    _save(desk, after_update.lock)
    for change in after_update.changes:
        if change.id in answers or change.id in answers.values():
            click.echo(f"{change.kind} {change.id}")
    left = len(after_update.open)
    click.echo(f"{desk.path}: answered{f'; {left} still open' if left else ''}")
    return ExitCode.CONFORMANT


def _known(lock: Lock, name: str) -> str:
    """Return the id that somebody means by a name, in whatever case and with or without its prefix."""
    from tck_spec.findings import did_you_mean  # noqa: PLC0415 -- as above
    from tck_spec.lock.minting import tag_of  # noqa: PLC0415 -- the same

    found = lock.tags.get(tag_of(name))
    if found is None:
        near = did_you_mean(tag_of(name), lock.tags)
        raise UsageFault("the lock has no such id", name, near or "`session-tck requirements` lists them")
    return found


def _save(desk: Desk, lock: Lock) -> None:
    from tck_kit.authors.locking import refused  # noqa: PLC0415 -- as above
    from tck_spec.errors import SpecificationError  # noqa: PLC0415 -- the same
    from tck_spec.lock.file import write_lock  # noqa: PLC0415 -- the same

    try:
        write_lock(desk.path, lock)
    except SpecificationError as error:
        refused(error)

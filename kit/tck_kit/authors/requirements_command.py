"""`session-tck requirements`: what a specification requires, with ids or without, as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.faults import UsageFault
from tck_kit.run_command import SPECIFICATION
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_spec import Requirement, Specification
    from tck_spec.settings import Settings
    from tck_spec.statements import Statement

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("files", nargs=-1, type=FILE, metavar="[FILE|FOLDER]...")
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only this area. May be repeated.")
@click.option(
    "--level", "levels", multiple=True, metavar="LEVEL", help="Only this level, such as MUST. May be repeated."
)
@click.option(
    "--status", "statuses", multiple=True, metavar="STATUS", help="Only this status, such as agreed. May be repeated."
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option("--config", type=FILE, metavar="FILE", help="Settings.  [default: the session-tck.toml here or above]")
@SPECIFICATION
def requirements(  # noqa: PLR0917 -- click passes the options by name
    files: tuple[Path, ...],
    areas: tuple[str, ...],
    levels: tuple[str, ...],
    statuses: tuple[str, ...],
    form: str,
    config: Path | None,
    specification: Path | None,
) -> int:
    """List the requirements of the kit's specification, or of any Markdown.

    Of files and folders that are named, every sentence, list item and table cell that requires something is listed,
    with the id that the document or its lock gives it.
    """
    if files:
        for option, given in (("--area", areas), ("--status", statuses), ("--specification", specification)):
            if given:
                raise UsageFault("files are named as well", option, "give one of them")
        return _of_files(files, levels, form, config)
    return _of_the_kit(areas, levels, statuses, form, specification)


def _of_files(files: Sequence[Path], levels: Sequence[str], form: str, config: Path | None) -> int:
    from tck_kit.authors.checked import files_of, settings_for  # noqa: PLC0415 -- `--help` starts faster
    from tck_spec import SpecificationError, load  # noqa: PLC0415 -- as above
    from tck_spec.statements import describe, find_statements, place_of  # noqa: PLC0415 -- as above

    settings = settings_for(config, Path.cwd())
    rows: list[dict[str, object]] = []
    table: list[tuple[str, str, str, str]] = []
    total = 0
    try:
        for path in files_of(files, settings):
            spec = load(path)
            statements = find_statements(spec, settings.form)
            ids = _ids(spec, statements, settings)
            total += len(statements)
            for one in statements:
                if levels and one.level.lower() not in {level.lower() for level in levels}:
                    continue
                identifier = ids.get((one.line, one.column), "") or one.marker
                rows.append({**describe(one, spec), "id": identifier or None})
                where = f"{spec.source}:{one.line}" if len(files) > 1 or files[0].is_dir() else f"line {one.line}"
                context = f"{one.lead_in} … " if one.lead_in else ""
                table.append(
                    (identifier, one.level, f"{place_of(one, spec)}, {where}".lstrip(", "), context + one.text)
                )
    except SpecificationError as error:
        raise UsageFault(error.what, error.where, error.cure) from error
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        _table(("ID", "Level", "Place", "Text"), table, total)
    return ExitCode.CONFORMANT


def _ids(spec: Specification, statements: Sequence[Statement], settings: Settings) -> Mapping[tuple[int, int], str]:
    """Return the ids that the lock of a document gives, by place; what it asks about has none yet."""
    from tck_spec.lock.standing import standing_of  # noqa: PLC0415 -- as above

    standing = standing_of(spec, statements, settings)
    if standing is None or standing.update is None:
        return {}
    known = standing.update.lock.by_id
    return {(one.line, one.column): one.id for one in standing.update.changes if one.line and one.id in known}


def _of_the_kit(
    areas: tuple[str, ...],
    levels: tuple[str, ...],
    statuses: tuple[str, ...],
    form: str,
    specification: Path | None,
) -> int:
    from tck_kit.catalogue import read_specification  # noqa: PLC0415 -- `--help` starts faster

    spec = read_specification(specification)
    chosen = [
        one
        for one in spec.requirements
        if _wanted(one.area, areas, "area", spec.requirements, lambda each: each.area)
        and _wanted(one.level, levels, "level", spec.requirements, lambda each: each.level)
        and _wanted(one.status, statuses, "status", spec.requirements, lambda each: each.status)
    ]
    if form == "json":
        click.echo(json.dumps([_as_fields(one) for one in chosen], indent=2, ensure_ascii=False))
    else:
        rows = [(one.id, one.level, one.status, f"§{one.section}" if one.section else "", one.text) for one in chosen]
        _table(("ID", "Level", "Status", "Section", "Text"), rows, len(spec.requirements))
    return ExitCode.CONFORMANT


def _wanted(
    value: str,
    asked: tuple[str, ...],
    kind: str,
    all_of: tuple[Requirement, ...],
    read: Callable[[Requirement], str],
) -> bool:
    known = {read(one).lower(): read(one) for one in all_of}
    for word in asked:
        if word.lower() not in known:
            raise UsageFault(f"no requirement has this {kind}", word, f"known are {', '.join(sorted(known.values()))}")
    return not asked or value.lower() in {word.lower() for word in asked}


def _as_fields(one: Requirement) -> dict[str, object]:
    return {
        "id": one.id,
        "area": one.area,
        "level": one.level,
        "status": one.status,
        "profile": one.profile,
        "section": one.section,
        "anchor": one.anchor,
        "text": one.text,
        "reason": one.reason,
        "text_digest": one.text_digest,
        "line": one.line,
        "column": one.column,
    }


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], total: int) -> None:
    from rich.console import Console  # noqa: PLC0415 -- only this form draws
    from rich.table import Table  # noqa: PLC0415 -- the same
    from rich.text import Text  # noqa: PLC0415 -- the same

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in head[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(head[-1], overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    console.print(table)
    console.print(f"\n{len(rows)} of {total} requirements")

"""`session-tck drift`: what has changed between two states of a specification."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.authors.lock_command import CONFIG, FEATURES, FILE
from tck_kit.faults import UsageFault
from tck_reports.outcomes import ExitCode

if TYPE_CHECKING:
    from tck_kit.authors.drift import Drift
    from tck_spec.settings import Form

__all__ = ["drift"]

_KINDS = (
    "reused",
    "ask",
    "strength-changed",
    "gone",
    "split",
    "merged",
    "edited",
    "context-changed",
    "new",
    "editorial",
    "renumbered",
    "moved",
)


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--file", "file", metavar="FILE", help="OLD and NEW are git revisions, and this is the specification.")
@click.option(
    "--repository", type=FILE, metavar="FOLDER", help="The repository of these revisions.  [default: the folder here]"
)
@CONFIG
@FEATURES
@click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--all", "every", is_flag=True, help="Show what is unchanged or only moved as well.")
@click.option(
    "--fail-on",
    "failing",
    multiple=True,
    type=click.Choice(_KINDS),
    help="Exit with code 1 if there is a change of this kind. May be repeated.",
)
@click.option("--color/--no-color", default=None, help="[default: on a terminal, unless NO_COLOR is set]")
def drift(  # noqa: PLR0917 -- click passes the options by name
    old: str,
    new: str,
    file: str | None,
    repository: Path | None,
    config: Path | None,
    features: Path | None,
    form: str,
    every: bool,  # noqa: FBT001 -- click passes the options by name
    failing: tuple[str, ...],
    color: bool | None,  # noqa: FBT001 -- the same
) -> int:
    """Say what has become of every requirement between OLD and NEW, and what that does to scenarios.

    OLD and NEW are two Markdown files, or a lock and a file, or with --file two git revisions. A lock beside the old
    file gives the ids; without one they are made for the occasion.

    Exit code: 0, whatever has changed; 1 for a change of a kind given with --fail-on; 2 usage; 4 fault of the kit.
    """
    from tck_kit.authors.checked import settings_for  # noqa: PLC0415 -- `--help` starts faster

    if repository is not None and file is None:
        raise UsageFault("it says nothing without a file", f"--repository {repository}", "give --file as well")
    settings = settings_for(config, Path.cwd())
    tags = None
    folder = features or settings.features
    if folder is not None:
        from tck_kit.authors.tagged import read_tagged  # noqa: PLC0415 -- loads the reader of feature files

        tags = read_tagged(folder, quickly=True).links()
    found = _drift(old, new, file, repository, form=settings.form, tags=tags)
    _show(found, form, every=every, color=color)
    failed = any(one.change.kind in failing for one in found.changes)
    return ExitCode.NONCONFORMANT if failed else ExitCode.CONFORMANT


def _drift(
    old: str,
    new: str,
    file: str | None,
    repository: Path | None,
    *,
    form: Form,
    tags: dict[str, list[str]] | None,
) -> Drift:
    from tck_kit.authors.drift import between_files, between_revisions  # noqa: PLC0415 -- as above

    if file is None:
        for name in (old, new):
            if not Path(name).exists():
                raise UsageFault("there is no such file", name, "name a file, or give --file with two git revisions")
        return between_files(Path(old), Path(new), form=form, tags=tags)
    from tck_kit.authors.revisions import Repository  # noqa: PLC0415 -- as above

    return between_revisions(old, new, file, Repository(repository or Path.cwd()), form=form, tags=tags)


def _show(found: Drift, form: str, *, every: bool, color: bool | None) -> None:
    from tck_kit.authors.drift_forms import as_json, as_markdown, as_table  # noqa: PLC0415 -- as above
    from tck_kit.authors.showing import colours  # noqa: PLC0415 -- the same

    if form == "json":
        click.echo(as_json(found))
        return
    if form == "markdown":
        text = as_markdown(found, every=every)
    else:
        text = as_table(found, every=every, color=colours(color, sys.stdout))
    click.echo(text, nl=False, color=True)

"""`session-tck check`: its options, and which of them go together."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tck_kit.faults import UsageFault
from tck_kit.run_command import FEATURES

if TYPE_CHECKING:
    from tck_kit.authors.asked_check import Asked
    from tck_kit.authors.showing import Shown
    from tck_spec.findings import Severity

FILE = click.Path(path_type=Path)
FORMATS = ("text", "json", "sarif", "junit", "github", "gitlab")


@click.command()
@click.argument("files", nargs=-1, type=FILE, metavar="[FILE|FOLDER]...")
@click.option("--config", type=FILE, metavar="FILE", help="Settings.  [default: the session-tck.toml here or above]")
@click.option(
    "--specification",
    type=FILE,
    metavar="FILE",
    help="Check this specification; with --features, by the kit's rules for scenarios as well.",
)
@FEATURES
@click.option(
    "--anchors", metavar="DIALECT,…", help="Where links have to work: github, gitlab, forgejo, mkdocs, pandoc."
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="CODE=SEVERITY",
    help="Make a rule's findings error, warning or info, or switch it on or off. May be repeated.",
)
@click.option("--all-rules", is_flag=True, help="Switch on the rules that are off unless somebody asks for them.")
@click.option("--no-mermaid", is_flag=True, help="Look at no more of diagrams than their types.")
@click.option("--strict", is_flag=True, help="Let warnings fail the check as errors do.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output", type=FILE, metavar="FILE", help="Write the findings here, whole or not at all.")
@click.option("--color/--no-color", default=None, help="[default: on a terminal, unless NO_COLOR is set]")
@click.option("--context/--no-context", default=None, help="Show the lines that are meant.  [default: on a terminal]")
@click.option("--fix", is_flag=True, help="Mend what can be mended in one way only, and check again.")
@click.option("--dry-run", is_flag=True, help="With --fix: change nothing, print the changes; code 1 if there are any.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
def check(  # noqa: PLR0917 -- click passes the options by name
    files: tuple[Path, ...],
    config: Path | None,
    specification: Path | None,
    features: Path | None,
    anchors: str | None,
    rules: tuple[str, ...],
    all_rules: bool,  # noqa: FBT001 -- click passes the options by name
    no_mermaid: bool,  # noqa: FBT001 -- the same
    strict: bool,  # noqa: FBT001 -- the same
    form: str,
    output: Path | None,
    color: bool | None,  # noqa: FBT001 -- the same
    context: bool | None,  # noqa: FBT001 -- the same
    fix: bool,  # noqa: FBT001 -- the same
    dry_run: bool,  # noqa: FBT001 -- the same
    watch: bool,  # noqa: FBT001 -- the same
) -> int:
    """Check Markdown specifications: references, anchors, numbers, tables, diagrams, requirements, coverage.

    Of a folder, all Markdown below it. Where nothing is named: the `check.files` of session-tck.toml, or else the kit's
    own specification and scenarios. `session-tck rules` lists the rules.

    Exit code: 0 clean, 1 findings of error level (with --strict, of warning level too), 2 usage, 4 fault of the kit.
    """
    from tck_kit.authors.asked_check import Asked  # noqa: PLC0415 -- `--help` starts faster
    from tck_kit.authors.showing import Shown, colours  # noqa: PLC0415 -- the same

    _refuse(
        ("--dry-run", dry_run and not fix, "there is nothing to try without --fix", "add --fix"),
        ("--watch", watch and fix, "--fix is given as well", "give one of them"),
        ("--watch", watch and output is not None, "it shows findings here", "leave --output out"),
        ("--watch", watch and form != "text", f"nobody watches {form}", "leave --format out"),
        ("--dry-run", dry_run and form != "text", f"it prints changes, not {form}", "leave --format out"),
        ("--dry-run", dry_run and output is not None, "it prints changes", "leave --output out"),
    )
    asked = Asked(
        files=files,
        config=config,
        specification=specification,
        features=features,
        anchors=anchors,
        rules=rules,
        all_rules=all_rules,
        mermaid=not no_mermaid,
    )
    on_terminal = output is None and sys.stdout.isatty()
    failing: tuple[Severity, ...] = ("E", "W") if strict else ("E",)
    shown = Shown(
        form,
        output,
        color=bool(color) if output is not None else colours(color, sys.stdout),
        context=on_terminal if context is None else context,
        failing=frozenset(failing),
    )
    with _seldom_collected():
        return _checked(asked, shown, watch=watch, fix=fix, dry_run=dry_run)


@contextmanager
def _seldom_collected() -> Generator[None]:
    """Look for cycles of garbage seldom: a check makes many small values, keeps most, and makes hardly any cycle.

    Otherwise a tenth of the time would go into looking.
    """
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _checked(asked: Asked, shown: Shown, *, watch: bool, fix: bool, dry_run: bool) -> int:
    if watch:
        from tck_kit.authors.watching import watch as watch_files  # noqa: PLC0415 -- seldom needed

        return watch_files(asked, shown)
    if fix:
        from tck_kit.authors.fixing import fix as fix_files  # noqa: PLC0415 -- seldom needed

        return fix_files(asked, shown, dry_run=dry_run)
    return shown.show(asked.check())


def _refuse(*pairs: tuple[str, bool, str, str]) -> None:
    """Raise `UsageFault` for the first option that is given with what it cannot be given with."""
    for option, wrong, what, cure in pairs:
        if wrong:
            raise UsageFault(what, option, cure)

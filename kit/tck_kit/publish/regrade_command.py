"""`session-tck regrade TRACE`: a run judged again by this kit, without its engine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tck_kit.faults import UsageFault
from tck_kit.run_command import FEATURES, SPECIFICATION
from tck_kit.run_settings import MOST_WORKERS, SCENARIO_TIME_LIMIT, TIME_LIMIT

if TYPE_CHECKING:
    from tck_kit.trace.reading import Trace
    from tck_kit.trace.regrading import Again
    from tck_reports.shape import Report

FILE: Final = click.Path(path_type=Path)


@click.command()
@click.argument("trace", type=FILE)
@click.option(
    "--report", type=FILE, metavar="FILE", help="The report.json of that run.  [default: the one beside the trace]"
)
@click.option("-o", "--output", type=FILE, metavar="FOLDER", help="Write the new report here, in every format.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="How to say what has changed.",
)
@click.option("--baseline", type=FILE, metavar="FILE", help="Known failures to hold against it.")
@click.option("--workers", type=click.IntRange(1, 64), help="How many processes share the scenarios.")
@SPECIFICATION
@FEATURES
def regrade(
    trace: Path,
    *,
    report: Path | None,
    output: Path | None,
    form: str,
    baseline: Path | None,
    workers: int | None,
    specification: Path | None,
    features: Path | None,
) -> int:
    """Judge the TRACE of a run again with the scenarios, steps and grading of this kit, and say what changed, and why.

    TRACE is the trace.ndjson of a run, or its report folder. The engine is not needed. A scenario that now asks what
    was not asked then cannot be judged: it is not_run, and says what the trace does not hold.

    Exit code: that of the new verdict, as of `run`.
    """
    from tck_kit.workers import Workers  # noqa: PLC0415 -- `--help` starts faster

    count = workers or min(os.cpu_count() or 1, MOST_WORKERS)
    with Workers(count) as pool:
        from rich.console import Console  # noqa: PLC0415 -- while the workers load

        from tck_kit.known import read_baseline  # noqa: PLC0415 -- the same
        from tck_kit.progress import progress  # noqa: PLC0415 -- the same
        from tck_kit.trace.changes import changes  # noqa: PLC0415 -- the same
        from tck_kit.trace.lines import FILE as NAME  # noqa: PLC0415 -- the same
        from tck_kit.trace.regrading import Again, perform, suite  # noqa: PLC0415 -- the same
        from tck_reports import files  # noqa: PLC0415 -- the same

        held, old = _read(trace, report)
        again = Again(
            held,
            old,
            argv=("session-tck", *sys.argv[1:]),
            time_limit=TIME_LIMIT,
            scenario_limit=SCENARIO_TIME_LIMIT,
            specification=specification,
            features=features,
            baseline=None if baseline is None else read_baseline(baseline),
        )
        catalogue, selection = suite(again)
        _refuse_place(output, held.path, report)
        if output is not None:
            click.get_current_context().with_resource(files.kept(output))
        console = Console(stderr=True)
        console.print(_said(again, len(selection.scenarios)), highlight=False, markup=False)
        with progress(console, len(selection.scenarios)) as watch:
            new = perform(again, catalogue, selection, pool, watch)
    if output is not None:
        files.write_all(new, output, {NAME: None})
    _tell(form, held, old, new, changes(old, new))
    return int(new["exit_code"])


def _read(path: Path, report: Path | None) -> tuple[Trace, Report]:
    """Read the trace and the report that names it. Raises `ReportReadError` or `UsageFault`."""
    from tck_kit.publish.diff_command import report_at  # noqa: PLC0415 -- as above
    from tck_kit.trace.agreeing import differences  # noqa: PLC0415 -- the same
    from tck_kit.trace.lines import FILE as NAME  # noqa: PLC0415 -- the same
    from tck_kit.trace.reading import read  # noqa: PLC0415 -- the same

    file = path / NAME if path.is_dir() else path
    held = read(file)
    beside = file.parent
    if report is None and not (beside / "report.json").is_file():
        raise UsageFault("there is no report.json beside it", str(file), "name that run's report with --report")
    old = report_at(report or beside)
    named = [one["digest"] for one in old["artifacts"] if one["path"] == NAME]
    if not named:
        raise UsageFault("this report was written without a trace", str(report or beside), "name the run's own report")
    if held.complete and held.digest not in named:
        raise UsageFault("it is not the trace that the report names", str(file), "take both from the same run")
    other = None if held.complete else next(differences(held, old), None)
    if other is not None:
        told = " ".join(other.split())[:300]
        raise UsageFault(
            f"it breaks off, and is not of the run that the report is of: {told}",
            str(file),
            "take both from the same run",
        )
    return held, old


def _refuse_place(output: Path | None, trace: Path, report: Path | None) -> None:
    """Raise `UsageFault` where the report of the run would be written over, however its folder is spelled."""
    if output is None or not output.exists():
        return
    named = [trace] if report is None else [trace, report / "report.json" if report.is_dir() else report]
    for file in named:
        for folder in (file.parent, file.resolve().parent):
            if output.samefile(folder):
                told = "the report of the run that was recorded is there"
                raise UsageFault(told, f"-o {output}", "name another folder")


def _said(again: Again, count: int) -> str:
    head = again.trace.head
    return (
        f"{count} scenarios, judged again from the trace of {head.implementation.name} {head.implementation.version} "
        f"({head.engine}), recorded by kit {head.kit.version}, seed {head.seed}"
    )


def _tell(form: str, held: Trace, old: Report, new: Report, changed: object) -> None:
    from tck_kit.trace import telling  # noqa: PLC0415 -- as above
    from tck_kit.trace.changes import Changes  # noqa: PLC0415 -- the same

    if isinstance(changed, Changes):
        render = {"text": telling.text, "markdown": telling.markdown, "json": telling.as_json}[form]
        click.echo(render(held, changed, old, new), nl=False)

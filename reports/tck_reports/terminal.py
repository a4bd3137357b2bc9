"""The report for a terminal: a table by area, every failure explained, and the verdict at the end, where eyes rest."""

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Final

from tck_reports.explain import (
    Finding,
    areas,
    broken,
    control_name,
    exit_line,
    fault,
    findings,
    not_exercised_line,
    profiles,
    surroundings_line,
    tally,
    value_text,
    verdict_line,
)
from tck_reports.outcomes import Outcome
from tck_reports.plain import visible
from tck_reports.shape import CheckPart, Report

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

STYLES: Final = {
    "conformant": "bold green",
    "nonconformant": "bold red",
    "indeterminate": "bold yellow",
}
#: Requirements of a narrowed run that are listed one by one.
_MOST_CHOSEN: Final = 20
#: Requirements with one reason for all of them that are told at once.
_ALIKE: Final = 2
#: Checks shown for one requirement; the report has them all.
CHECKS_SHOWN: Final = 3
#: Characters shown of one value; the report has more.
VALUE_SHOWN: Final = 600


def write(report: Report, stream: IO[str], *, width: int | None = None, color: bool | None = None) -> None:
    """Write the report to a stream; width and colour are those of the terminal unless given."""
    from rich.console import Console  # noqa: PLC0415 - slow to import, and only terminals need it

    console = Console(
        file=stream, width=width, force_terminal=color, no_color=True if color is False else None, highlight=False
    )
    console.print(_heading(report))
    console.print(_table(report))
    _chosen(report, console)
    found = findings(report)
    for part in _at_once(found) or [part for finding in found for part in _finding(finding)]:
        console.print(part)
    _notes(report, console)
    for line in (surroundings_line(report), not_exercised_line(report)):
        if line:
            console.print(_text((line, "dim")))
    _verdicts(report, console)


def _heading(report: Report) -> "RenderableType":
    engine, spec = report["implementation"], report["spec"]
    return _text(
        (f"{engine['name']} {engine['version']}", "bold"),
        (f" against {spec['id']} {spec['version']}, kit {report['kit']['version']}, seed {report['run']['seed']}", ""),
    )


def _table(report: Report) -> "Table":
    from rich import box  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above

    shown = profiles(report)
    table = Table(box=box.SIMPLE_HEAD, show_footer=True, pad_edge=False)
    by_area = areas(report)
    table.add_column("area", footer="all")
    for profile in shown:
        rows = [one for area in by_area.values() for one in area if one["profile"] == profile]
        for name, total, style in zip(
            ("passed", "failed", "other"), tally(rows), ("green", "red", "yellow"), strict=True
        ):
            head = _text((f"{profile}\n{name}" if name == "passed" else f"\n{name}", ""))
            table.add_column(head, footer=_count(total, style), justify="right")
    for area, rows in by_area.items():
        cells = [
            _count(number, style)
            for profile in shown
            for number, style in zip(
                tally(one for one in rows if one["profile"] == profile), ("green", "red", "yellow"), strict=True
            )
        ]
        table.add_row(_text((area, "")), *cells)
    return table


def _count(number: int, style: str) -> str:
    return f"[{style}]{number}[/]" if number else "[dim]·[/]"


def _at_once(found: Sequence[Finding]) -> "list[RenderableType]":
    """Return one finding for all, where the same error kept every scenario from being played; else nothing."""
    checks = {check["id"]: check for finding in found for check in finding.checks}
    told = {(check["outcome"], check["blame"], check["reason"]) for check in checks.values()}
    if len(found) < _ALIKE or len(told) != 1 or not all(finding.checks for finding in found):
        return []
    first = next(iter(checks.values()))
    if first["outcome"] != Outcome.ERROR:
        return []
    names = ", ".join(finding.requirement["id"] for finding in found)
    head = _text(("ERROR ", "bold red"), (f"{len(found)} requirements, {len(checks)} scenarios", "bold"))
    return [head, _indented(((names, "dim"),)), _rows([("fault", fault(first))]), ""]


def _finding(finding: Finding) -> "list[RenderableType]":
    requirement = finding.requirement
    head = _text(
        (f"{requirement['outcome'].upper()} ", "bold red"),
        (requirement["id"], "bold"),
        (f"  {requirement['level']}, {requirement['profile']}, §{requirement['section']}", "dim"),
    )
    parts: list[RenderableType] = [head, _indented(((requirement["text"], "italic"),))]
    if not finding.checks or requirement["reason"] not in {check["reason"] for check in finding.checks}:
        parts.append(_rows([("why", requirement["reason"] or "")]))
    parts.extend(_rows(_check(check)) for check in finding.checks[:CHECKS_SHOWN])
    if len(finding.checks) > CHECKS_SHOWN:
        parts.append(_indented(((f"and {len(finding.checks) - CHECKS_SHOWN} more in the report", "dim"),)))
    return [*parts, ""]


def _check(check: CheckPart) -> list[tuple[str, str]]:
    rows = [("scenario", f"{check['scenario']}  {check['feature']}")]
    if check["failed_step"]:
        rows.append(("step", check["failed_step"]))
    expectation = broken(check)
    if expectation is not None:
        rows.append(("looked at", expectation["statement"]))
        rows.append(("expected", _short(value_text(expectation["expected"]))))
        rows.append(("actual", _short(value_text(expectation["actual"]))))
        rows.extend((expectation["evidence_class"], _short(item)) for item in expectation["evidence"][:CHECKS_SHOWN])
    rows.append(("fault", fault(check)))
    return rows


def _short(text: str) -> str:
    return text if len(text) <= VALUE_SHOWN else f"{text[:VALUE_SHOWN]}… ({len(text) - VALUE_SHOWN} more characters)"


def _rows(rows: list[tuple[str, str]]) -> "Table":
    from rich.table import Table  # noqa: PLC0415 - as above

    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=2)
    grid.add_column(style="dim", width=9, no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row("", name, _text((value, "")))
    return grid


def _chosen(report: Report, console: "Console") -> None:
    """List the requirements of a run that was narrowed down, which the table would lose among the others."""
    if not any(reason.startswith("filter") for reason in report["incomplete_reasons"]):
        return
    rows = [one for one in report["requirements"] if one["outcome"] != Outcome.NOT_RUN]
    for one in rows[:_MOST_CHOSEN]:
        told = [f"{len(one['checks'])} scenarios", one["evidence"], one["reason"]]
        dim = f"  {', '.join(word for word in told if word)}"
        style = "green" if one["outcome"] == Outcome.PASSED else "yellow"
        console.print(_text((f"{one['outcome']} ", style), (one["id"], "bold"), (dim, "dim")))
    if len(rows) > _MOST_CHOSEN:
        console.print(f"and {len(rows) - _MOST_CHOSEN} more")


def _notes(report: Report, console: "Console") -> None:
    for word, items in (
        ("fault", report["faults"]),
        ("incomplete", report["incomplete_reasons"]),
        ("missing", report["missing_checks"][:10]),
        ("baseline", report["stale_entries"]),
    ):
        for item in items:
            console.print(_text((f"{word}: ", "yellow"), (item, "")))
    for control in report["controls"]:
        if control["expected"] != control["observed"]:
            told = f"{control_name(control)} gave {control['observed']}, not {control['expected']}"
            console.print(_text(("control: ", "yellow"), (told, "")))


def _verdicts(report: Report, console: "Console") -> None:
    for profile, verdict in report["verdict"].items():
        console.print(_text((verdict_line(profile, verdict), STYLES[verdict["result"]])))
    console.print(_text((exit_line(report), "dim")))


def _text(*parts: tuple[str, str]) -> "RenderableType":
    """Return styled text; nothing in it is read as markup or as an escape sequence."""
    from rich.text import Text  # noqa: PLC0415 - as above

    return Text.assemble(*((visible(text), style) for text, style in parts))


def _indented(parts: tuple[tuple[str, str], ...]) -> "RenderableType":
    from rich.padding import Padding  # noqa: PLC0415 - as above

    return Padding(_text(*parts), (0, 0, 0, 2))

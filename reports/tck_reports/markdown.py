"""The report as Markdown, for a job summary or a merge request comment: verdicts, a table by area, failures folded."""

import html
import re
from typing import Final

from tck_reports.explain import (
    Finding,
    areas,
    broken,
    control_name,
    exit_line,
    fault,
    findings,
    profiles,
    tally,
    value_text,
    verdict_line,
)
from tck_reports.plain import visible
from tck_reports.shape import Report

#: Failures told in full; GitHub cuts a summary off at 1 MiB, and nobody reads further.
FINDINGS_SHOWN: Final = 50
CHECKS_SHOWN: Final = 3
VALUE_SHOWN: Final = 1_000
_MARKS: Final = {"conformant": "✅", "nonconformant": "❌", "indeterminate": "⚠️"}


def render(report: Report) -> str:
    """Return the whole document."""
    engine, spec, run = report["implementation"], report["spec"], report["run"]
    title = f"{engine['name']} {engine['version']} against {spec['id']} {spec['version']}"
    lines = [
        f"# {_inline(title)}",
        "",
        *(
            f"- {_MARKS[one['result']]} **{_inline(verdict_line(name, one))}**"
            for name, one in report["verdict"].items()
        ),
        f"- {_inline(exit_line(report))}",
        *(f"- fault: {_inline(item)}" for item in report["faults"]),
        *(f"- incomplete: {_inline(item)}" for item in report["incomplete_reasons"]),
        *(
            f"- control {_inline(control_name(one))} gave {_inline(one['observed'])}, not {_inline(one['expected'])}"
            for one in report["controls"]
            if one["expected"] != one["observed"]
        ),
        "",
        *_table(report),
        "",
    ]
    found = findings(report)
    if found:
        lines += ["## What did not pass", ""]
        for finding in found[:FINDINGS_SHOWN]:
            lines += _finding(finding)
        if len(found) > FINDINGS_SHOWN:
            lines += [f"And {len(found) - FINDINGS_SHOWN} more in the full report.", ""]
    lines.append(f"Kit {_inline(report['kit']['version'])}, seed {run['seed']}, {_inline(run['started'])}.")
    return "\n".join(lines) + "\n"


def _table(report: Report) -> list[str]:
    shown = profiles(report)
    columns = [f"{_inline(profile)} {word}" for profile in shown for word in ("passed", "failed", "other")]
    lines = [f"| {' | '.join(['area', *columns])} |", f"|---|{'---:|' * len(columns)}"]
    by_area = areas(report)
    everything = [one for rows in by_area.values() for one in rows]
    for name, rows in [*by_area.items(), ("**all**", everything)]:
        cells = [str(number) for profile in shown for number in tally(one for one in rows if one["profile"] == profile)]
        lines.append(f"| {name if rows is everything else _inline(name)} | {' | '.join(cells)} |")
    return lines


def _finding(finding: Finding) -> list[str]:
    requirement = finding.requirement
    summary = f"<b>{_html(requirement['id'])}</b> {requirement['outcome']}: {_html(requirement['reason'] or '')}"
    lines = [
        f"<details><summary>{summary}</summary>",
        "",
        f"> {_inline(requirement['text'])}",
        "",
    ]
    for check in finding.checks[:CHECKS_SHOWN]:
        told = [("scenario", check["scenario"]), ("at", check["feature"])]
        if check["failed_step"]:
            told.append(("step", check["failed_step"]))
        expectation = broken(check)
        if expectation is not None:
            told += [
                ("looked at", expectation["statement"]),
                ("expected", value_text(expectation["expected"])),
                ("actual", value_text(expectation["actual"])),
                *((expectation["evidence_class"], item) for item in expectation["evidence"][:CHECKS_SHOWN]),
            ]
        told.append(("fault", fault(check)))
        lines += [*_fenced([f"{name + ':':<10} {_short(value)}" for name, value in told]), ""]
    if len(finding.checks) > CHECKS_SHOWN:
        lines += [f"And {len(finding.checks) - CHECKS_SHOWN} more checks.", ""]
    return [*lines, "</details>", ""]


def _short(text: str) -> str:
    shown = visible(text).replace("\n", "\n           ")
    return shown if len(shown) <= VALUE_SHOWN else f"{shown[:VALUE_SHOWN]}… ({len(shown) - VALUE_SHOWN} more)"


def _fenced(lines: list[str]) -> list[str]:
    """Return the lines in a fence that nothing in them can close."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]


def _inline(text: str) -> str:
    """Return the text on one line, with nothing in it that Markdown or HTML would read."""
    return _html(re.sub(r"[\\`*_\[\]|~]", r"\\\g<0>", text))


def _html(text: str) -> str:
    """Return the text on one line as HTML that mentions nobody and starts no formula."""
    flat = html.escape(" ".join(visible(text).split()), quote=False)
    return flat.replace("@", "@<!-- -->").replace("$", "<span>$</span>")

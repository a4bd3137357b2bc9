"""The report as Markdown, for a job summary or a merge request comment: verdicts, a table by area, failures folded.

GitHub refuses a summary above 1 MiB, and GitLab a comment above a million characters: failures are told until there is
no room left, and every list says what it leaves out. What an engine or a baseline says stays text: it makes no link,
calls nobody, and names no issue.
"""

import html
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final, TypeVar

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
    reproduce,
    shard_line,
    short,
    surroundings_line,
    tally,
    value_text,
    verdict_line,
)
from tck_reports.formats.story import entries, excuses, tries
from tck_reports.plain import visible
from tck_reports.shape import BaselineEntryPart, Report

T = TypeVar("T")

#: Bytes; failures beyond them are counted, not told.
ROOM: Final = 900_000
#: Failures told in full; nobody reads further.
FINDINGS_SHOWN: Final = 50
CHECKS_SHOWN: Final = 3
VALUE_SHOWN: Final = 1_000
#: Rows of a table, and items of any other list.
ROWS_SHOWN: Final = 100
ITEMS_SHOWN: Final = 20
PROFILES_SHOWN: Final = 8
_MARKS: Final = {"conformant": "✅", "nonconformant": "❌", "indeterminate": "⚠️"}
#: What GitHub and GitLab make something of in the middle of a text; the comment after it is not shown, and parts it.
#: People, issues and the like after a sign, addresses, and emoji.
_CALLS: Final = re.compile(
    r"@|[#!%&](?=[\w\"])|(?<=GH)-|:(?=//)|(?<=ww)w(?=\.)|:(?=[\w+-]*[a-z][\w+-]*:)", re.IGNORECASE
)
_MARKUP: Final = re.compile(r"[\\`*_\[\]|~]")
#: What would begin a heading, a list or a rule at the start of a line.
_BEGINNING: Final = re.compile(r"^(\d*)([#+=.)-])")


def render(report: Report) -> str:
    """Return the whole document."""
    end = "\n".join(_end(report))
    lines = [*_head(report), "", *_table(report), ""]
    room = ROOM - _size("\n".join(lines)) - _size(end)
    return "\n".join([*lines, *_found(report, room), end]) + "\n"


def _head(report: Report) -> Iterable[str]:
    engine, spec = report["implementation"], report["spec"]
    title = f"{engine['name']} {engine['version']} against {spec['id']} {spec['version']}"
    yield f"# {_inline(title)}"
    yield ""
    yield from _listed(
        report["verdict"].items(), lambda one: f"{_MARKS[one[1]['result']]} **{_inline(verdict_line(*one))}**"
    )
    yield f"- {_inline(exit_line(report))}"
    if shard := shard_line(report):
        yield f"- {_inline(shard)}"
    yield from _listed(report["faults"], lambda one: f"fault: {_inline(one)}")
    yield from _listed(report["incomplete_reasons"], lambda one: f"incomplete: {_inline(one)}")
    yield from _listed(report["stale_entries"], lambda one: f"baseline: {_inline(one)}")
    yield from _listed(
        [one for one in report["controls"] if one["expected"] != one["observed"]],
        lambda one: (
            f"control {_inline(control_name(one))} gave {_inline(one['observed'])}, not {_inline(one['expected'])}"
        ),
    )


def _table(report: Report) -> Iterable[str]:
    shown = profiles(report)[:PROFILES_SHOWN]
    columns = [f"{_inline(profile)} {word}" for profile in shown for word in ("passed", "failed", "other")]
    yield f"| {' | '.join(['area', *columns])} |"
    yield f"|---|{'---:|' * len(columns)}"
    by_area = areas(report)
    everything = [one for rows in by_area.values() for one in rows]
    rows = [(_inline(name), rows) for name, rows in islice(by_area.items(), ROWS_SHOWN)]
    for name, row in [*rows, ("**all**", everything)]:
        cells = [str(number) for profile in shown for number in tally(one for one in row if one["profile"] == profile)]
        yield f"| {' | '.join([name, *cells])} |"
    if len(by_area) > ROWS_SHOWN:
        yield f"\nAnd {len(by_area) - ROWS_SHOWN} more areas."


def _found(report: Report, room: int) -> Iterable[str]:
    """Yield the requirements that did not pass, as far as there is room."""
    found = findings(report)
    if not found:
        return
    yield from ("## What did not pass", "")
    told = 0
    for one in found[:FINDINGS_SHOWN]:
        text = "\n".join(_finding(one, report))
        room -= _size(text) + 1
        if room < 0:
            break
        yield text
        told += 1
    if len(found) > told:
        yield f"And {len(found) - told} more in the full report.\n"


def _finding(finding: Finding, report: Report) -> Iterable[str]:
    requirement = finding.requirement
    reason = _html(requirement["reason"] or "")
    yield f"<details><summary><b>{_html(requirement['id'])}</b> {requirement['outcome']}: {reason}</summary>"
    yield from ("", f"> {_inline(requirement['text'])}", "")
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
        told += [("tried", one) for one in tries(check)[:CHECKS_SHOWN]]
        told += [("known", one) for one in excuses(check)]
        told.append(("fault", fault(check)))
        yield from _fenced([f"{name + ':':<10} {_short(value)}" for name, value in told])
        yield ""
    if len(finding.checks) > CHECKS_SHOWN:
        yield f"And {len(finding.checks) - CHECKS_SHOWN} more checks.\n"
    yield from _fenced([_short(reproduce(report, requirement["id"]))], "sh")
    yield from ("", "</details>", "")


def _end(report: Report) -> Iterable[str]:
    """Yield what was put up with, what the engine met, and who says all this."""
    if known := entries(report):
        yield from _known(known)
    again = [one for one in report["checks"] if one["attempts"]]
    if again:
        yield f"## Tried more than once\n\nOf at most {report['run']['retries'] + 1} tries, the last one counts.\n"
        yield from _listed(
            again, lambda one: f"{_inline(one['id'])}: {_inline(', then '.join([*tries(one)[:8], one['outcome']]))}"
        )
        yield ""
    yield from (f"{_inline(line)}\n" for line in (surroundings_line(report), not_exercised_line(report)) if line)
    run = report["run"]
    yield _inline(f"Kit {report['kit']['version']}, seed {run['seed']}, {run['started']}.")


def _known(known: Sequence[BaselineEntryPart]) -> Iterable[str]:
    """Yield the baseline as a table: what is known to fail, why, and whose it is."""
    yield from ("## Baseline", "", "| known | why | owner | since | until | now |", "|---|---|---|---|---|---|")
    for one in known[:ROWS_SHOWN]:
        flaky = " (flaky)" if one["kind"] == "flaky" else ""
        cells = (one["name"] + flaky, one["reason"], one["owner"], one["since"], one["until"] or "", one["state"])
        yield f"| {' | '.join(map(_inline, cells))} |"
    yield f"\nAnd {len(known) - ROWS_SHOWN} more entries.\n" if len(known) > ROWS_SHOWN else ""


def _listed(items: Iterable[T], line: Callable[[T], str]) -> Iterable[str]:
    """Yield the first of the items, each on a line, and how many were left out."""
    everything = list(items)
    yield from (f"- {line(one)}" for one in everything[:ITEMS_SHOWN])
    if len(everything) > ITEMS_SHOWN:
        yield f"- and {len(everything) - ITEMS_SHOWN} more"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


def _short(text: str) -> str:
    return visible(short(text, VALUE_SHOWN)).replace("\n", "\n           ")


def _fenced(lines: list[str], word: str = "text") -> list[str]:
    """Return the lines in a fence that nothing in them can close."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{word}", *lines, fence]


def _inline(text: str) -> str:
    """Return the text on one line, with nothing in it that Markdown or HTML would read."""
    flat = " ".join(visible(short(text, VALUE_SHOWN)).split())
    return _mute(_BEGINNING.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", flat)))


def _html(text: str) -> str:
    """Return the text on one line as HTML that mentions nobody and starts no formula."""
    return _mute(" ".join(visible(short(text, VALUE_SHOWN)).split()))


def _mute(text: str) -> str:
    """Return the text as HTML, with a comment wherever it would be taken for more than text."""
    parts = _CALLS.sub("\\g<0>\0", text)
    return html.escape(parts, quote=False).replace("\0", "<!-- -->").replace("$", "<span>$</span>")

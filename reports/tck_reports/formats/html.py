"""The report as one HTML file that needs nothing else: no network, no script to read it, no mouse to use it.

The policy in its head forbids every resource but its own two style and script blocks, so that nothing an engine put
into a value could load or run even if it got past the escaping.
"""

import base64
import hashlib
import shlex
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from tck_reports.explain import EXCUSED, control_name, exit_words, fault, profiles, set_aside
from tck_reports.formats.html_parts import LOOKS, MOST, parts
from tck_reports.formats.sides import brief
from tck_reports.outcomes import MEANINGS, Outcome
from tck_reports.plain import visible
from tck_reports.policy import told
from tck_reports.shape import Report
from tck_reports.template_engine import template_engine

if TYPE_CHECKING:
    from jinja2 import Template

#: The order of the columns of the matrix and of the filter: the good one, the bad ones, the rest.
COLUMNS: Final = (
    Outcome.PASSED,
    Outcome.FAILED,
    Outcome.UNTESTABLE,
    Outcome.ERROR,
    Outcome.FLAKY,
    Outcome.EXPECTED_FAILURE,
    Outcome.STALE,
    Outcome.NOT_RUN,
    Outcome.UNSUPPORTED,
    Outcome.NOT_APPLICABLE,
    Outcome.EXCLUDED,
)
RESULT_LOOKS: Final[Mapping[str, str]] = {"conformant": "good", "nonconformant": "bad", "indeterminate": "open"}
#: The look of an exit code; every other one stands for a run that says nothing yet.
EXIT_LOOKS: Final[Mapping[int, str]] = {0: "good", 1: "bad", 4: "bad", 5: "bad"}
#: What became of an entry of the baseline, as a look and in words.
ENTRY_LOOKS: Final[Mapping[str, str]] = {
    "used": "none",
    "unused": "open",
    "stale": "bad",
    "expired": "bad",
    "unknown": "bad",
}
ENTRY_WORDS: Final[Mapping[str, str]] = {
    "used": "it excuses what happened",
    "unused": "nothing that it speaks of was run",
    "stale": "what it excuses does not happen any more: take it out",
    "expired": "its last day is over: mend the engine, or renew it with a reason",
    "unknown": "there is nothing of its name: correct it, or take it out",
}
EVIDENCE: Final = ("witnessed", "reported")
#: A kind of more capabilities that are all declared alike is told by their number.
_SEVERAL: Final = 3
#: Characters of one text; what is longer is a flood, and stands in report.json as far as it was kept.
_LONG: Final = 2_000


def render(report: Report) -> str:
    """Return the whole document."""
    style, script = _asset("base.css") + _asset("report.css"), _asset("report.js")
    shown = parts(report)
    exit_word, exit_reason = exit_words(report)
    present = [one for one in COLUMNS if any(area.counts[one] for area in shown.areas)]
    return _template().render(
        report=report,
        areas=shown.areas,
        causes=shown.causes,
        squeezed=shown.squeezed,
        columns=present,
        totals={one: sum(area.counts[one] for area in shown.areas) for one in present},
        profiles=profiles(report),
        evidence=EVIDENCE,
        known={row.part["id"] for area in shown.areas for row in area.requirements},
        looks=LOOKS,
        result_looks=RESULT_LOOKS,
        exit_look="open" if exit_word == EXCUSED else EXIT_LOOKS.get(report["exit_code"], "open"),
        exit_word=exit_word,
        exit_reason=exit_reason,
        entry_looks=ENTRY_LOOKS,
        entry_words=ENTRY_WORDS,
        meanings={str(outcome): meaning.explanation for outcome, meaning in MEANINGS.items()},
        wrong_controls=[one for one in report["controls"] if one["expected"] != one["observed"]],
        most=MOST,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def _asset(name: str) -> str:
    return (files("tck_reports") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _duration(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"  # noqa: PLR2004 - a second


def _text(value: str, limit: int = _LONG) -> str:
    """Return a text with nothing hidden in it, and no longer than a page can bear."""
    rest = len(value) - limit
    return visible(value) if rest <= 0 else f"{visible(value[:limit])}… ({rest:,} more characters)"


def _bar(counts: Mapping[str, int]) -> list[tuple[str, float, float]]:
    """Return the stretches of a bar, as look, start and width of 100, in the order of the columns."""
    total = sum(counts.values()) or 1
    stretches: list[tuple[str, float, float]] = []
    start = 0.0
    for outcome in COLUMNS:
        if width := 100 * counts.get(outcome, 0) / total:
            stretches.append((LOOKS[outcome], round(start, 2), round(width, 2)))
            start += width
    return stretches


def _capabilities(declared: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the words that an engine declares capabilities with, each with their names, those of a kind together."""
    kinds: dict[str, dict[str, str]] = {}
    for name, word in declared.items():
        kind, _, rest = name.partition(".")
        kinds.setdefault(kind, {})[rest] = word
    words = dict.fromkeys(list(declared.values())[:MOST])
    return [
        (word, "; ".join(_of_kind(kind, own, word) for kind, own in kinds.items() if word in own.values()))
        for word in words
    ]


def _of_kind(kind: str, own: Mapping[str, str], word: str) -> str:
    """Return the names of one kind that are declared with a word; that there is no other word for many is enough."""
    if {*own.values()} == {word} and len(own) > _SEVERAL:
        return f"{kind}: all {len(own)}"
    names = [rest or kind for rest, said in own.items() if said == word]
    return kind if names == [kind] else f"{kind}: {', '.join(names)}"


def _command(words: Iterable[str]) -> str:
    return _text(shlex.join(words))


@cache
def _template() -> "Template":
    filters: dict[str, Callable[..., object]] = {
        "text": _text,
        "told": told,
        "brief": brief,
        "duration": _duration,
        "fault": fault,
        "control": control_name,
        "aside": set_aside,
        "bar": _bar,
        "capabilities": _capabilities,
        "command": _command,
    }
    return template_engine("templates", filters).get_template("report.html.j2")

"""What is said of each rule: its name and severity from the table, one sentence, and its section of the rules' page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from tck_kit import assets
from tck_reports.findings.listing import RuleText
from tck_spec.findings import Severity
from tck_spec.rules import RULES, Rule

__all__ = ["rule_texts", "sections"]

_HEADING: Final = re.compile(r"^#{2,3}[ \t]+(?P<code>[A-Z]{2,5}\d{3})(?:[ \t].*)?$")
_NEXT: Final = re.compile(r"^#{1,3}[ \t]")
_FENCE: Final = re.compile(r"^ {0,3}(```+|~~~+)")
#: With which the page's sections begin.
_SEVERITY: Final = re.compile(r"^(?:Error|Warning|Info)\b[^.]*\.\s+")
_SENTENCE: Final = re.compile(r".*?[.:](?=\s|$)", re.DOTALL)


def rule_texts(levels: Mapping[str, Severity | None], *, pages: bool = True) -> dict[str, RuleText]:
    """Return what is said of every rule, by code; without `pages` no more than the code itself knows."""
    page = sections() if pages else {}
    return {rule.code: _text(rule, levels.get(rule.code), page.get(rule.code, "")) for rule in RULES}


def _text(rule: Rule, level: Severity | None, section: str) -> RuleText:
    return RuleText(
        code=rule.code,
        name=rule.name,
        severity=level or rule.severity,
        summary=_summary(rule, section),
        help=section,
        on=level is not None,
    )


def _summary(rule: Rule, section: str) -> str:
    """Return the first sentence of the function's docstring, or of the section where several rules share a function."""
    told = (rule.find.__doc__ or "").strip()
    code, colon, rest = told.partition(":")
    if not colon or code != rule.code:
        paragraphs = [one for one in section.split("\n\n") if one and not one.startswith(("#", "|", "`", "-", "<"))]
        rest = _SEVERITY.sub("", paragraphs[0]) if paragraphs else rest
    sentence = _SENTENCE.match(rest.strip())
    text = " ".join((sentence.group() if sentence else rest).split()).rstrip(":")
    return text[:1].upper() + text[1:]


@cache
def sections() -> dict[str, str]:
    """Return the sections of the rules' page by code, without their headings; none where the page is missing."""
    try:
        lines = assets.rules_page().read_text(encoding="utf-8").split("\n")
    except OSError:
        return {}
    return {code: "\n".join(body).strip() for code, body in _sections(lines).items()}


def _sections(lines: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        elif not fence and _NEXT.match(line):
            heading = _HEADING.match(line)
            current = found.setdefault(heading["code"], []) if heading else None
            continue
        if current is not None:
            current.append(line)
    return found

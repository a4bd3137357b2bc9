"""The rules: one small function each, in one table.

A rule takes the context and yields findings. A new one is a function and a line here: its code, its name and how severe
its findings are at most. What it is about is its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tck_spec.errors import SpecificationError
from tck_spec.findings import Finding, Severity, did_you_mean
from tck_spec.rules import content, crossreferences, links, numbers, statements
from tck_spec.rules.context import Context, context_of
from tck_spec.rules.excuses import excuse, excuse_without_reason, unused_excuse
from tck_spec.rules.of_the_set import known_elsewhere

if TYPE_CHECKING:
    from tck_spec.library import Library
    from tck_spec.settings import Settings
    from tck_spec.specification import Specification

__all__ = ["RULES", "Rule", "check", "severities"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code and name, how severe its findings are at most, and what finds them."""

    code: str
    name: str
    severity: Severity
    find: Callable[[Context], Iterator[Finding]]
    #: Whether it is asked without a setting that says so.
    on: bool = True


RULES: Final = (
    Rule("XREF001", "unknown-section", "E", crossreferences.unknown_section),
    Rule("XREF002", "label-target-number", "E", crossreferences.label_target_number),
    Rule("XREF004", "placeholder", "E", crossreferences.placeholder),
    Rule("XREF006", "ambiguous-section", "E", crossreferences.ambiguous_section),
    Rule("ANC001", "dead-anchor", "E", links.dead_anchor),
    Rule("ANC003", "anchor-case", "W", links.anchor_case),
    Rule("ANC007", "duplicate-id", "E", links.duplicate_anchor),
    Rule("REF001", "undefined-reference", "E", links.undefined_label),
    Rule("NUM001", "duplicate-number", "E", numbers.duplicate_number),
    Rule("NUM002", "gap", "W", numbers.number_gap),
    Rule("NUM003", "parent-mismatch", "W", numbers.parent_mismatch),
    Rule("TBL001", "cell-count", "E", content.cell_count),
    Rule("TBL002", "not-a-table", "E", content.not_a_table),
    Rule("MMD002", "unknown-diagram", "E", content.diagram_type),
    Rule("MMD003", "diagram-not-checked", "I", content.diagram_unchecked),
    Rule("ID001", "duplicate-requirement", "E", statements.duplicate_id),
    Rule("ID004", "malformed-requirement", "E", statements.malformed_requirement),
    Rule("IDR001", "unknown-requirement", "E", statements.unknown_requirement),
    Rule("REQ003", "compound", "E", statements.compound_requirement),
    Rule("REQ005", "keyword-in-reason", "W", statements.keyword_in_reason),
    Rule("REQ006", "too-short", "E", statements.too_short),
    Rule("DOC001", "byte-order-mark", "W", content.byte_order_mark),
    Rule("DOC002", "mixed-line-ends", "W", content.line_ends),
    Rule("DOC003", "not-text", "E", content.not_text),
    Rule("DOC004", "unclosed-fence", "E", content.unclosed_fence),
    Rule("COV001", "uncovered", "E", known_elsewhere),
    Rule("COV002", "orphan-tag", "E", known_elsewhere),
    Rule("COV003", "suspect-scenario", "E", known_elsewhere),
    Rule("COV004", "bad-waiver", "E", known_elsewhere),
    Rule("COV005", "idle-coverage", "W", known_elsewhere),
    Rule("SUP001", "excuse-without-reason", "E", excuse_without_reason),
    Rule("SUP002", "unused-excuse", "W", unused_excuse),
)


def check(
    spec: Specification,
    settings: Settings | None = None,
    library: Library | None = None,
    more: Sequence[Finding] | None = None,
) -> tuple[Finding, ...]:
    """Return what the rules find that are on, by place, without what the document itself excuses with a reason.

    `more` is what was found of this document by looking at scenarios; None where nobody looked.
    """
    context = context_of(spec, settings, library)
    levels = severities(context.settings)
    found: list[Finding] = []
    for rule in RULES:
        level = levels[rule.code]
        if level is not None:
            found += (_raised(finding, rule, level) for finding in rule.find(context))
    by_code = {rule.code: rule for rule in RULES}
    for finding in more or ():
        level = levels[finding.rule]
        if level is not None:
            found.append(_raised(finding, by_code[finding.rule], level))
    if more is None:
        # Nobody has looked, so nobody knows whether an excuse is needed.
        levels.update({rule.code: None for rule in RULES if rule.find is known_elsewhere})
    found = list(excuse(context.spec, found, by_code, levels))
    return tuple(sorted(found, key=lambda one: (one.line, one.column, one.rule)))


def severities(settings: Settings) -> dict[str, Severity | None]:
    """Return how severe each rule is by the settings, None for off; raises `SpecificationError` for an unknown rule."""
    levels: dict[str, Severity | None] = {rule.code: rule.severity if rule.on else None for rule in RULES}
    own: dict[str, Severity] = {rule.code: rule.severity for rule in RULES}
    codes = {name.lower(): rule.code for rule in RULES for name in (rule.code, rule.name)}
    for name, level in settings.rules.items():
        if name.lower() == "all":
            for rule in RULES:
                levels[rule.code] = rule.severity if level == "on" else level
    for name, level in settings.rules.items():
        code = codes.get(name.lower())
        if code is not None:
            levels[code] = own[code] if level == "on" else level
        elif name.lower() != "all":
            near = did_you_mean(name.upper(), own) or did_you_mean(name, codes)
            where = str(settings.path or "rules")
            raise SpecificationError(f"there is no rule '{name}'", where, near or "`session-tck rules` lists them")
    return levels


def _raised(finding: Finding, rule: Rule, level: Severity) -> Finding:
    """Give a finding the severity that was set: of a rule that is raised all cases are, of a lowered one the severe."""
    order = "IWE"
    raised = order.index(level) > order.index(rule.severity)
    if raised or order.index(finding.severity) > order.index(level):
        return replace(finding, severity=level)
    return finding

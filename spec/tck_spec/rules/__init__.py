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
from tck_spec.rules import (
    content,
    contents,
    crossreferences,
    diagrams,
    files,
    habits,
    labels,
    links,
    locked,
    numbers,
    statements,
    tables,
    unmarked,
    wording,
)
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
    Rule("XREF003", "label-target-title", "W", crossreferences.label_target_title),
    Rule("XREF004", "placeholder", "E", crossreferences.placeholder),
    Rule("XREF005", "plain-section-ref", "I", habits.plain_reference),
    Rule("XREF006", "ambiguous-section", "E", crossreferences.ambiguous_section),
    Rule("XREF007", "foreign-ref-unverifiable", "I", habits.foreign_reference, on=False),
    Rule("XREF008", "self-ref", "I", habits.self_reference),
    Rule("ANC001", "dead-anchor", "E", links.dead_anchor),
    Rule("ANC002", "dialect-anchor", "W", links.dialect_anchor),
    Rule("ANC003", "anchor-case", "W", links.anchor_case),
    Rule("ANC004", "unstable-anchor", "W", links.unstable_anchor),
    Rule("ANC005", "dead-file", "E", files.dead_file),
    Rule("ANC006", "dead-file-anchor", "E", files.dead_file_anchor),
    Rule("ANC007", "duplicate-id", "E", links.duplicate_anchor),
    Rule("REF001", "undefined-reference", "E", labels.undefined_label),
    Rule("REF002", "unused-definition", "I", labels.unused_definition),
    Rule("REF003", "duplicate-definition", "W", labels.duplicate_definition),
    Rule("NUM001", "duplicate-number", "E", numbers.duplicate_number),
    Rule("NUM002", "gap", "W", numbers.number_gap),
    Rule("NUM003", "parent-mismatch", "W", numbers.parent_mismatch),
    Rule("NUM004", "toc-drift", "W", contents.contents_drift),
    Rule("TBL001", "cell-count", "E", tables.cell_count),
    Rule("TBL002", "not-a-table", "E", tables.not_a_table),
    Rule("TBL003", "table-heading", "W", tables.table_heading),
    Rule("TBL004", "duplicate-key", "W", tables.duplicate_key),
    Rule("TBL005", "missing-column", "W", tables.missing_column),
    Rule("MMD001", "diagram-syntax", "E", diagrams.diagram_syntax),
    Rule("MMD002", "unknown-diagram", "E", diagrams.diagram_type),
    Rule("MMD003", "diagram-not-checked", "I", diagrams.diagram_unchecked),
    Rule("MMD004", "alien-name", "I", diagrams.alien_name, on=False),
    Rule("ID001", "duplicate-requirement", "E", statements.duplicate_id),
    Rule("ID004", "malformed-requirement", "E", statements.malformed_requirement),
    Rule("IDR001", "unknown-requirement", "E", statements.unknown_requirement),
    Rule("REQ001", "keyword-in-lower-case", "I", wording.lower_case_keyword),
    Rule("REQ002", "no-boilerplate", "W", wording.undeclared_keywords),
    Rule("REQ003", "compound", "E", wording.compound),
    Rule("REQ004", "invalid-keyword", "W", wording.invalid_keyword),
    Rule("REQ005", "normative-in-note", "W", wording.keyword_where_nothing_binds),
    Rule("REQ006", "too-short", "E", wording.too_short),
    Rule("REQ007", "unmarked-statement", "I", unmarked.unmarked_statement),
    Rule("DOC001", "byte-order-mark", "W", content.byte_order_mark),
    Rule("DOC002", "mixed-line-ends", "W", content.line_ends),
    Rule("DOC003", "not-text", "E", content.not_text),
    Rule("DOC004", "unclosed-fence", "E", content.unclosed_fence),
    Rule("COV001", "uncovered", "E", known_elsewhere),
    Rule("COV002", "orphan-tag", "E", known_elsewhere),
    Rule("COV003", "suspect-scenario", "E", known_elsewhere),
    Rule("COV004", "bad-waiver", "E", known_elsewhere),
    Rule("COV005", "idle-coverage", "W", known_elsewhere),
    Rule("SCN001", "scenario-fault", "E", known_elsewhere),
    Rule("LCK001", "lock-out-of-date", "E", locked.lock_out_of_date),
    Rule("LCK002", "lock-edited-by-hand", "E", locked.lock_edited),
    Rule("LCK003", "retired-id", "E", locked.retired_id),
    Rule("ID002", "id-reused", "E", locked.id_reused),
    Rule("ID003", "id-renumbered", "W", locked.id_renumbered),
    Rule("ID005", "id-gap", "I", locked.id_gap),
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
    if len(finding.message) > _LONGEST or len(finding.hint) > _LONGEST:
        finding = replace(finding, message=_cut(finding.message), hint=_cut(finding.hint))
    order = "IWE"
    raised = order.index(level) > order.index(rule.severity)
    if raised or order.index(finding.severity) > order.index(level):
        return replace(finding, severity=level)
    return finding


#: No message is longer, whatever names the document has.
_LONGEST: Final = 400


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

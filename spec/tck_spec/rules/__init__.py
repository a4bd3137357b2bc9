"""The rules: one small function each, in one table.

A rule takes the context and yields findings. A new one is a function and a line here: its code, its name and how severe
its findings are at most. What it is about is its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tck_spec.rules import content, crossreferences, links, numbers, statements
from tck_spec.rules.context import Context, context_of

if TYPE_CHECKING:
    from tck_spec.findings import Finding, Severity
    from tck_spec.specification import Specification

__all__ = ["RULES", "Rule", "check"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code and name, how severe its findings are at most, and what finds them."""

    code: str
    name: str
    severity: Severity
    find: Callable[[Context], Iterator[Finding]]


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
)


def check(spec: Specification) -> tuple[Finding, ...]:
    """Return what all rules find, by place."""
    context = context_of(spec)
    found = [finding for rule in RULES for finding in rule.find(context)]
    return tuple(sorted(found, key=lambda one: (one.line, one.column, one.rule)))

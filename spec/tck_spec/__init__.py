"""Specifications: Markdown read into sections, requirements and references, and the rules that judge them.

::

    text ──▶ blocks (lines and columns) ──▶ prose (inline content, by mistune) ──▶ sections
                                                                              ├──▶ requirements
                                                                              └──▶ references ──▶ rules ──▶ findings

Parsing never fails on the text; what is wrong with it is a finding. Only what is no text at all raises
`SpecificationError`. Nothing outside `tck_spec.markdown` knows the Markdown library.
"""

from __future__ import annotations

from tck_spec.anchors import Anchor
from tck_spec.coverage import ScenarioTag, coverage
from tck_spec.errors import SpecificationError
from tck_spec.findings import Finding, Severity
from tck_spec.references import Reference, ReferenceKind
from tck_spec.requirements import DEFAULT_ID, STATUSES, Malformed, Requirement
from tck_spec.rules import RULES, Rule, check
from tck_spec.sections import Section
from tck_spec.slugs import Slugger, slug
from tck_spec.specification import MOST_BYTES, Diagram, Specification, Table, load, parse

__all__ = [
    "DEFAULT_ID",
    "MOST_BYTES",
    "RULES",
    "STATUSES",
    "Anchor",
    "Diagram",
    "Finding",
    "Malformed",
    "Reference",
    "ReferenceKind",
    "Requirement",
    "Rule",
    "ScenarioTag",
    "Section",
    "Severity",
    "Slugger",
    "Specification",
    "SpecificationError",
    "Table",
    "check",
    "coverage",
    "load",
    "parse",
    "slug",
]

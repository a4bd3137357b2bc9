"""Diagnostics: what the command line finds in one open text, as a client shows it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from tck_kit.authors.checked import NOT_TEXT
from tck_kit.authors.language_server.explanations import explanation
from tck_kit.authors.language_server.workspace import Unreadable
from tck_spec.coverage import Required, Waivers, coverage, meant
from tck_spec.findings import MOST_SUGGESTIONS, SEVERITY_NAMES, Finding, Severity, did_you_mean
from tck_spec.rules import RULES, check, severities
from tck_spec.rules.context import context_of

if TYPE_CHECKING:
    from tck_kit.authors.language_server.positions import Text
    from tck_kit.authors.language_server.workspace import Project, Workspace
    from tck_spec.library import Library
    from tck_spec.settings import Settings
    from tck_spec.specification import Specification

__all__ = ["MOST_SHOWN", "Found", "diagnostic", "end_of", "find"]

#: Nobody reads more of them, and a client that has to draw them stops being an editor.
MOST_SHOWN: Final = 1_000

_SEVERITIES: Final[Mapping[Severity, types.DiagnosticSeverity]] = {
    "E": types.DiagnosticSeverity.Error,
    "W": types.DiagnosticSeverity.Warning,
    "I": types.DiagnosticSeverity.Information,
}
#: What is meant where a rule tells only where it starts: a link, a tag, or a word with what is glued to it.
_MEANT: Final = re.compile(r"!?\[[^\[\]]*\](?:\([^()\s]*\)|\[[^\[\]]*\])?|<[^<>]*>|[\w§@#][\w.@#/-]*\w|\S+")
_UNUSED: Final = "SUP002"


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one text, and what kept a rule from looking."""

    findings: tuple[Finding, ...] = ()
    #: The rules that failed, and how.
    faults: tuple[str, ...] = ()


def find(workspace: Workspace, key: str) -> Found:
    """Check one open text."""
    held = workspace.desk.open.get(key)
    if held is None:
        return Found()
    project = workspace.project(key)
    if held.kind == "feature":
        return Found(_bounded(_in_feature(workspace, key, project)))
    if held.kind != "markdown":
        return Found()
    spec = workspace.spec(key)
    if isinstance(spec, Unreadable):
        return Found(_bounded(_unread(spec, held.text, project.settings)))
    task = _Task(spec, workspace.library(project, spec), _uncovered(workspace, key, project))
    findings, faults = task.guarded(project.settings)
    return Found(_bounded(one for one in findings if one.source in (None, key)), faults)


def _bounded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the gravest findings, as many as anybody reads."""
    order = tuple(SEVERITY_NAMES)
    found = list(findings)
    if len(found) > MOST_SHOWN:
        found = sorted(found, key=lambda one: order.index(one.severity))[:MOST_SHOWN]
    return tuple(found)


def _unread(why: Unreadable, text: Text, settings: Settings) -> Iterator[Finding]:
    level = severities(settings)[NOT_TEXT]
    if level is not None and not why.empty:
        yield Finding(NOT_TEXT, level, *text.place(why.offset), f"this {why.what}; nothing in it was checked", why.cure)


def _uncovered(workspace: Workspace, key: str, project: Project) -> tuple[Finding, ...] | None:
    """Return what lacks scenarios in a document; None where the settings name none, or there is nothing to name."""
    if not project.together or project.settings.features is None:
        return None
    known = workspace.definitions(project)
    if all(one.key != key for one in known.values()):
        return None
    required = [Required(one.id, one.level, one.line, one.column, one.section, one.key) for one in known.values()]
    scenarios = workspace.scenarios(project)
    links = {one.id.upper(): scenarios.get(tag, ()) for tag, one in known.items()}
    waivers = Waivers(project.settings.waivers, date.today())  # noqa: DTZ011 -- the day where the author is
    return tuple(replace(one, source=None) for one in coverage(required, links, waivers) if one.source == key)


@dataclass(frozen=True, slots=True)
class _Task:
    """One check of a document; a rule that fails is left out, and what the others find is shown."""

    spec: Specification
    library: Library
    more: tuple[Finding, ...] | None

    def guarded(self, settings: Settings) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
        """Return the findings, and what to tell of the rules that failed."""
        try:
            return check(self.spec, settings, self.library, self.more), ()
        except Exception:  # noqa: BLE001 -- whatever a rule raises, the author goes on writing
            failed = f"the check of {self.spec.source} failed; please report it\n{traceback.format_exc()}"
        broken = dict(self._broken(settings))
        try:
            return check(self.spec, _without(settings, broken), self.library, self.more), tuple(broken.values())
        except Exception:  # noqa: BLE001 -- the same
            return (), (failed, *broken.values())

    def _broken(self, settings: Settings) -> Iterator[tuple[str, str]]:
        """Yield the codes of the rules that fail, and what to tell of each."""
        levels = severities(settings)
        context = context_of(self.spec, settings, self.library)
        for rule in RULES:
            if levels[rule.code] is None:
                continue
            try:
                for _ in rule.find(context):
                    pass
            except Exception:  # noqa: BLE001 -- the same
                trace = traceback.format_exc()
                yield rule.code, f"rule {rule.code} failed on {self.spec.source}; please report it\n{trace}"


def _without(settings: Settings, codes: Iterable[str]) -> Settings:
    names = {rule.code: rule.name for rule in RULES}
    off = {code.lower() for code in codes} | {names[code].lower() for code in codes}
    rules = {name: level for name, level in settings.rules.items() if name.lower() not in off}
    return replace(settings, rules=rules | dict.fromkeys(codes))


def _in_feature(workspace: Workspace, key: str, project: Project) -> Iterator[Finding]:
    """Yield COV002 for each tag that was meant as a requirement's id and is none."""
    known = workspace.definitions(project)
    level = severities(project.settings)["COV002"]
    if level is None or not known:
        return
    names = [one.upper() for one in known]
    tags = [tag for tag in workspace.feature(key).tags if tag.folded not in known]
    wanted = meant([tag.name.upper() for tag in tags], names)
    offered = 0
    for tag in tags:
        if tag.name.upper() not in wanted:
            continue
        offered += 1
        near = did_you_mean(tag.name.upper(), names) if offered <= MOST_SUGGESTIONS else ""
        message = f"no requirement has the id {tag.name.upper()}"
        yield Finding(
            "COV002", level, tag.line, tag.column, message, near or "correct the tag", None, len(tag.name) + 1
        )


def diagnostic(finding: Finding, text: Text) -> types.Diagnostic:
    """Return a finding as the client shows it."""
    said = explanation(finding.rule)
    page = types.CodeDescription(said.uri) if said is not None and said.uri else None
    return types.Diagnostic(
        range=text.range(finding.line, finding.column, finding.line, end_of(finding, text)),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=page,
        source="session-tck",
        message=f"{finding.message} ({finding.hint})" if finding.hint else finding.message,
        tags=[types.DiagnosticTag.Unnecessary] if finding.rule == _UNUSED else None,
    )


def end_of(finding: Finding, text: Text) -> int:
    """Return the column after what a finding means: so many characters, or the link or word that starts there."""
    if finding.length:
        return finding.column + finding.length
    line = text.line(finding.line)
    match = _MEANT.match(line, finding.column - 1)
    return match.end() + 1 if match else max(finding.column + 1, len(line) + 1)

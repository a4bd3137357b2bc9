"""Rules on Mermaid diagrams: their grammar, their type, and whether the text around them knows what they name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tck_spec.diagrams import Code, Drawing, code_of, find_drawings
from tck_spec.findings import Finding
from tck_spec.mermaid import MOST_CHARACTERS, Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.findings import Severity
    from tck_spec.rules.context import Context

__all__ = ["alien_name", "diagram_syntax", "diagram_type", "diagram_unchecked"]

#: How Mermaid 11.16 tells its diagrams by their first word.
_KNOWN: Final = re.compile(
    r"architecture|block|C4(?:Context|Container|Component|Dynamic|Deployment)|classDiagram|cynefin-beta|erDiagram"
    r"|eventmodeling|flowchart|gantt|gitGraph|graph|info|(?i:ishikawa)|journey|kanban|mindmap|packet|pie"
    r"|quadrantChart|radar-beta|(?i:railroad)|requirement|sankey|sequenceDiagram|stateDiagram|swimlane-beta|timeline"
    r"|treeView-beta|treemap|venn-beta|(?i:wardley-beta)|xychart"
)
#: Types that sites add to Mermaid; its own grammars have none for them.
_ADDED: Final = frozenset({"zenuml"})

#: A document with more diagrams is checked up to here.
_MOST_DIAGRAMS: Final = 2000

#: A longer diagram is not searched for the line of an error that comes without one.
_MOST_SEARCHED: Final = 300

_OFF: Final = "checking by Mermaid's grammar is switched off"


def diagram_syntax(context: Context) -> Iterator[Finding]:
    """MMD001: the official grammar of Mermaid does not accept a diagram."""
    for drawing, code, verdict in _judged(context):
        if len(drawing.text) > MOST_CHARACTERS:
            message = (
                f"the diagram has {len(drawing.text)} characters; Mermaid draws {MOST_CHARACTERS} at most unless a "
                "site is set up for more, so its grammar was not checked"
            )
            yield Finding("MMD001", "W", drawing.line, drawing.column, message, "split it into several")
        elif verdict.outcome == "wrong":
            line, column, length = _place(drawing, code, verdict)
            # How many edges are too many is a setting of the site.
            severity: Severity = "W" if verdict.message.startswith("Edge limit") else "E"
            kind = code.kind or "diagram"
            yield Finding(
                "MMD001", severity, line, column, f"Mermaid cannot read this {kind}: {verdict.message}", length=length
            )


def diagram_type(context: Context) -> Iterator[Finding]:
    """MMD002: a diagram is empty or of no type that Mermaid knows."""
    for drawing, code, verdict in _judged(context):
        kind = code.kind
        if not kind:
            message, (line, column) = "the diagram is empty", (drawing.line, drawing.column)
        elif kind not in _ADDED and _unknown(kind, verdict):
            message, (line, column) = f"Mermaid knows no diagram type '{kind[:40]}'", _start(drawing, code)
        else:
            continue
        yield Finding("MMD002", "E", line, column, message, "begin it with its type, such as sequenceDiagram")


def diagram_unchecked(context: Context) -> Iterator[Finding]:
    """MMD003: of a diagram at most the type was checked; this is no pass."""
    for drawing, code, verdict in _judged(context):
        kind = code.kind
        if not kind or len(drawing.text) > MOST_CHARACTERS:
            continue
        if kind in _ADDED and verdict.outcome != "right":
            message = f"this {kind} is not checked: Mermaid's own grammars have none for it"
        elif verdict.outcome == "unchecked" and not _unknown(kind, verdict):
            message = f"this {kind} is not checked beyond its type: {verdict.message}"
        else:
            continue
        yield Finding("MMD003", "I", drawing.line, drawing.column, message)


def _judged(context: Context) -> Iterator[tuple[Drawing, Code, Verdict]]:
    for count, drawing in enumerate(find_drawings(context.spec), start=1):
        code = code_of(drawing.text)
        if not code.kind:
            verdict = Verdict("unknown")
        elif not context.settings.mermaid:
            verdict = Verdict("unchecked", _OFF)
        elif count > _MOST_DIAGRAMS:
            verdict = Verdict("unchecked", f"it comes after {_MOST_DIAGRAMS} others")
        else:
            verdict = judge(drawing.text)
        yield drawing, code, verdict


def _unknown(kind: str, verdict: Verdict) -> bool:
    return verdict.outcome == "unknown" or (verdict.outcome == "unchecked" and not _KNOWN.match(kind))


def _start(drawing: Drawing, code: Code) -> tuple[int, int]:
    """Return the place of the first line that the grammar sees."""
    line, column = drawing.places[code.origins[0]]
    text = drawing.text.split("\n")[code.origins[0]]
    return line, column + max(0, text.find(code.kind))


def _place(drawing: Drawing, code: Code, verdict: Verdict) -> tuple[int, int, int]:
    """Return line, column and length of what Mermaid stopped at."""
    lines = drawing.text.split("\n")
    if verdict.front:
        index = min(verdict.line, len(lines) - 1)
    else:
        seen = verdict.line or _first_wrong(drawing.text, code, verdict)
        index = code.origins[_nearest(code, seen)]
    line, start = drawing.places[index]
    text = lines[index]
    column = len(text) - len(text.lstrip())
    if verdict.token and "\n" not in verdict.token and text.count(verdict.token) == 1:
        return line, start + text.index(verdict.token), len(verdict.token)
    if verdict.column and not verdict.front and code.lines[_nearest(code, verdict.line)] == text:
        column = min(verdict.column - 1, len(text))
    return line, start + column, 0


def _nearest(code: Code, line: int) -> int:
    """Return the index of a line as Mermaid counts it, or of the last line before it that is not blank."""
    index = min(max(line, 1), len(code.lines)) - 1
    while index and not code.lines[index].strip():
        index -= 1
    return index


def _first_wrong(text: str, code: Code, verdict: Verdict) -> int:
    """Find the line of an error that comes without one: the first with which the diagram up to there has it."""
    lines = text.split("\n")
    if len(lines) > _MOST_SEARCHED:
        return 1
    right, wrong = 0, len(code.lines)
    while wrong - right > 1:
        middle = (right + wrong) // 2
        if judge("\n".join(lines[: code.origins[middle - 1] + 1])).message == verdict.message:
            wrong = middle
        else:
            right = middle
    return wrong


_PARTICIPANT: Final = re.compile(r"\s*(?:create\s+)?(?:participant|actor)\s+(?P<rest>[^;]*)")
_ALIAS: Final = re.compile(r"(?<!\s)\s+as\s+")
_ARROW: Final = re.compile(r"(?:<<)?--?(?:>>?|x|\))[ \t]*[+-]?")
#: What begins a line that is no message.
_NO_MESSAGE: Final = re.compile(
    r"(?:note|loop|alt|else|opt|par|and|critical|option|break|rect|box|title|create|destroy|links?)\b", re.IGNORECASE
)
_STATE: Final = re.compile(r'\s*state\s+"(?P<label>[^"]+)"\s+as\s+(?P<name>[^\s{:]+)')
_TRANSITION: Final = re.compile(r"\s*(?P<one>[^\s:\[\]*>-]+)\s*-->\s*(?P<two>[^\s:\[\]*>-]+)?")
_STATE_LABEL: Final = re.compile(r"\s*(?P<name>[^\s:\[\]*>-]+)\s*:\s*(?P<label>.+)$")
_ARTICLES: Final = frozenset({"a", "an", "the"})
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def alien_name(context: Context) -> Iterator[Finding]:
    """MMD004: a participant or state of a diagram is not mentioned in the text of its section."""
    texts: dict[int, str] = {}
    for drawing in find_drawings(context.spec):
        names = _names(code_of(drawing.text))
        if names and drawing.section not in texts:
            texts[drawing.section] = _words(_section_text(context, drawing.section))
        for name, (labels, index) in names.items():
            if not any(words and words in texts[drawing.section] for words in map(_words, (name, *labels))):
                line, column = drawing.places[index]
                text = drawing.text.split("\n")[index]
                message = f"the text of this section does not mention '{' '.join((labels or (name,))[0].split())[:60]}'"
                yield Finding(
                    "MMD004",
                    "I",
                    line,
                    column + text.index(name),
                    message,
                    "say what it is, or name it as the text does",
                )


def _names(code: Code) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the participants and states of a diagram: name, other names, line of the diagram (from 0)."""
    found: dict[str, tuple[tuple[str, ...], int]] = {}

    def note(name: str | None, label: str | None = None, *, index: int) -> None:
        if name:
            labels, first = found.get(name, ((), index))
            found[name] = ((*labels, label.strip()) if label else labels, first)

    for line, index in zip(code.lines, code.origins, strict=True):
        if code.kind == "sequenceDiagram":
            match = _PARTICIPANT.match(line)
            if match:
                name, *label = _ALIAS.split(match["rest"].strip(), maxsplit=1)
                note(name.partition("@{")[0], *label, index=index)
            else:
                for name in _ends(line):
                    note(name, index=index)
        elif code.kind.startswith("stateDiagram"):
            match = _STATE.match(line) or _STATE_LABEL.match(line)
            step = _TRANSITION.match(line)
            if step:
                note(step["one"], index=index)
                note(step["two"], index=index)
            elif match:
                note(match["name"], match["label"], index=index)
    return found


def _ends(line: str) -> tuple[str, ...]:
    """Return the two ends of a message; nothing where a line is none."""
    head, colon, _ = line.strip().partition(":")
    arrow = _ARROW.search(head)
    if not colon or arrow is None or _NO_MESSAGE.match(head):
        return ()
    return head[: arrow.start()].rstrip(), head[arrow.end() :].strip()


def _section_text(context: Context, section: int) -> str:
    """Return the prose from a section's heading to the next heading that is no part of it."""
    sections = context.spec.sections
    first, last = section + 1, len(sections)
    if section >= 0:
        level = sections[section].level
        last = next((i for i in range(section + 1, len(sections)) if sections[i].level <= level), last)
    else:
        last = 0
    return "\n".join(piece.inline.plain for piece in context.spec.prose if first <= piece.headings <= last)


def _words(text: str) -> str:
    """Fold a text so that ``RetryQueue``, ``retry-queue`` and `retry queues` are the same words."""
    plain = re.sub(r"<[^<>]*>", " ", text)
    words = (word.lower() for word in _WORD.findall(plain))
    return "".join(f" {word.rstrip('s') or word} " for word in words if word not in _ARTICLES)

"""Requirements: list items that begin with an anchor, an id in bold and a status in parentheses.

::

    - <a id="resume-3"></a>**RESUME-3** (agreed): The engine MUST … *Reason: …*

An item that was meant as one and does not follow the form is kept as malformed, with what is wrong: a requirement that
silently vanishes is a conformance hole that nobody sees.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from tck_spec.anchors import html_lines
from tck_spec.keywords import find_keywords
from tck_spec.marked import is_family
from tck_spec.references import area_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tck_spec.blocks import Block, Document
    from tck_spec.prose import Prose

__all__ = ["DEFAULT_ID", "STATUSES", "Form", "Malformed", "Requirement", "find_requirements"]

#: ``AREA-n``.
DEFAULT_ID: Final = r"[A-Z][A-Z0-9]*-[1-9][0-9]*"

#: The statuses, and the conformance profile each puts a requirement in.
STATUSES: Final[Mapping[str, str]] = {
    "agreed": "core",
    "proposed": "hardened",
    "continuity": "continuity",
    "reuse": "reuse",
    "redelegation": "redelegation",
}

_HEAD: Final = re.compile(
    r"(?P<tag><a\s+(?:id|name)\s*=\s*[\"']?(?P<anchor>[^\s\"'<>]{0,200})[\"']?\s*/?>\s*(?:</a>\s*)?)?"
    r"\*\*(?P<id>[^*\n]{1,80})\*\*(?P<rest>[ \t]*(?:\((?P<status>[^()\n]{0,80})\))?[ \t]*(?P<colon>:)?)",
)
_LIKE_AN_ID: Final = re.compile(r"(?P<area>[A-Za-z][A-Za-z0-9]*)[-_–—. ]?(?P<rest>[A-Za-z0-9.]{0,12})")
#: What an author may have written instead: no bold, colon or status inside it, a task box, other brackets.
_NEAR_MISS: Final = re.compile(
    r"(?P<tag><a\s+(?:id|name)\s*=\s*[\"']?(?P<anchor>[^\s\"'<>]{0,200})[\"']?\s*/?>\s*(?:</a>\s*)?)?"
    r"(?:\[[ xX]\][ \t]+)?[*_`]{0,3}(?P<id>[A-Za-z][A-Za-z0-9]{0,40}[-_–. ]?[A-Za-z0-9]{0,12})[*_`:]{0,4}[ \t]*"
    r"[(\[](?P<status>[a-zA-Z]{1,40})[)\]]",
)
_BULLET: Final = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+")
_REASON: Final = re.compile(r"Reason:\s*", re.IGNORECASE)
_OPEN_REASON: Final = re.compile(r"[*_]Reason:")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One statement an engine is held to."""

    id: str
    #: The part of the id before its number.
    area: str
    #: The RFC 2119 key word, the first if there are several, empty if there is none.
    level: str
    status: str
    #: Number of the section it stands in; None in an unnumbered document.
    section: str | None
    #: What links to it point at, without ``#``; None where the item has no anchor.
    anchor: str | None
    #: The statement without Markdown, white space collapsed, without the reason.
    text: str
    reason: str | None
    line: int
    column: int
    #: All key words of the statement, in order.
    keywords: tuple[str, ...]
    #: The parts of the document's prose that the statement is made of: index, start and end in the plain text.
    parts: tuple[tuple[int, int, int], ...] = field(default=(), repr=False, compare=False)

    @property
    def profile(self) -> str:
        """The conformance profile: ``agreed`` is core, ``proposed`` is hardened, an annex is named by its status."""
        return STATUSES.get(self.status, self.status)

    @property
    def text_digest(self) -> str:
        """SHA-256 of the statement (NFC, UTF-8), in hex: what a reviewer of a scenario has agreed to."""
        return sha256(normalize("NFC", self.text).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something that was meant as a requirement, or a requirement with a flaw that leaves it usable."""

    label: str
    problem: str
    hint: str
    line: int
    column: int
    #: Whether there is no requirement because of it.
    fatal: bool = True


@dataclass(frozen=True, slots=True)
class Form:
    """What ids look like in a document."""

    pattern: str = DEFAULT_ID

    @property
    def whole(self) -> re.Pattern[str]:
        """Matches a text that is an id and nothing else."""
        return re.compile(rf"(?:{self.pattern})\Z")

    @property
    def mention(self) -> re.Pattern[str]:
        """Matches an id in running text."""
        return re.compile(rf"(?<![\w-])(?:{self.pattern})(?![\w-])")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A text that begins as a requirement does."""

    index: int
    prose: Prose
    block: Block
    head: re.Match[str]

    @property
    def label(self) -> str:
        return self.head["id"].strip()

    @property
    def place(self) -> tuple[int, int]:
        return self.prose.place(self.head.start("id"))


def find_requirements(
    document: Document, pieces: Sequence[Prose], numbers: Sequence[str | None], form: Form, *, declared: bool
) -> tuple[tuple[Requirement, ...], tuple[Malformed, ...]]:
    """Return the requirements and what is malformed, each in document order.

    `numbers` holds, for each heading and for the text before the first, the number of its section; `declared` says
    that the document has an ``Identifier:`` line and so follows the form on purpose.
    """
    candidates = list(_candidates(document, pieces))
    whole = form.whole
    declared = declared or form.pattern != DEFAULT_ID
    good = [candidate for candidate in candidates if _is_well_formed(candidate, whole)]
    areas = {area_of(candidate.label) for candidate in good}
    strict = declared or bool(good)
    requirements: list[Requirement] = []
    malformed: list[Malformed] = []
    for candidate in candidates:
        if not _is_meant(candidate, whole, areas, declared=declared, strict=strict):
            continue
        problem = _problem(candidate, whole)
        if problem:
            malformed.append(_malformed(candidate, *problem))
            continue
        requirement, plain = _requirement(candidate, document, pieces, numbers)
        requirements.append(requirement)
        malformed.extend(_flaws(candidate, requirement, plain, form))
    seen = {(one.line, one.column) for one in requirements} | {(one.line, one.column) for one in malformed}
    near = _near_misses(document, pieces, strict=strict)
    malformed.extend(one for one in near if (one.line, one.column) not in seen)
    malformed.extend(_swallowed(document, strict=strict))
    return tuple(requirements), tuple(sorted(malformed, key=lambda one: (one.line, one.column)))


def _candidates(document: Document, pieces: Sequence[Prose]) -> Iterator[_Candidate]:
    for index, prose in enumerate(pieces):
        if prose.kind != "paragraph" or "**" not in prose.source:
            continue
        for start in prose.starts:
            head = _HEAD.match(prose.source, start)
            if head and (start == 0 or head["colon"]):
                yield _Candidate(index, prose, document.blocks[prose.block], head)


def _near_misses(document: Document, pieces: Sequence[Prose], *, strict: bool) -> Iterator[Malformed]:
    for prose in pieces:
        if prose.kind != "paragraph":
            continue
        head = _NEAR_MISS.match(prose.source)
        if not head:
            continue
        block = document.blocks[prose.block]
        anchored = (head["anchor"] or "").casefold() == head["id"].casefold()
        listed = block.leading and head["status"].casefold() in STATUSES and re.search(r"[-_–. ]", head["id"])
        binding = re.search(r"\d", head["id"]) and find_keywords(prose.inline.masked())
        if (strict and anchored) or (listed and (strict or binding)):
            line, column = prose.place(head.start("id"))
            hint = f"write **{head['id']}** ({head['status'].lower()}): and the statement"
            yield Malformed(head["id"], "does not begin as a requirement does", hint, line, column)


def _swallowed(document: Document, *, strict: bool) -> Iterator[Malformed]:
    """Yield requirements that too much indentation, or an HTML block without a blank line after it, has taken.

    In a document without requirements, one in code is an example.
    """
    for block in document.blocks:
        if block.kind != "html" and not (block.kind == "code" and strict):
            continue
        for line in block.segments if block.kind == "code" else html_lines(block):
            bullet = _BULLET.match(line.text)
            head = _HEAD.match(line.text, bullet.end()) if bullet else None
            if head and head["status"] in STATUSES:
                problem = "is shown as code" if block.kind == "code" else "is inside a block of HTML"
                hint = "take its indentation away" if block.kind == "code" else "leave a blank line before the list"
                yield Malformed(head["id"], problem, hint, line.line, line.column + head.start("id"))


def _is_well_formed(candidate: _Candidate, whole: re.Pattern[str]) -> bool:
    return _problem(candidate, whole) is None


def _is_meant(candidate: _Candidate, whole: re.Pattern[str], areas: set[str], *, declared: bool, strict: bool) -> bool:
    """Tell whether a bold label is meant as an id of this form.

    ``**SHA-256** is a hash`` is not, and neither is an id of another form in a document that has none of this one
    (`strict` is false there).
    """
    head, label = candidate.head, candidate.label
    like = _LIKE_AN_ID.fullmatch(label)
    if not like and not whole.match(label):
        return False
    status = (head["status"] or "").strip()
    if status.casefold() in STATUSES and head["colon"]:
        return True
    area = area_of(label) if whole.match(label) else (like["area"].upper() if like else "")
    numbered = whole.match(label) is not None or bool(like and re.search(r"\d", like["rest"]))
    known = area in areas and (numbered or "-" in label)
    anchored = strict and (head["anchor"] or "").casefold() == label.casefold()
    if candidate.prose.source[head.end() :].strip() == "" and not status:
        return anchored
    if known or anchored:
        return bool(status or head["colon"] or anchored) and (candidate.block.leading or bool(head["colon"]))
    binding = bool(find_keywords(candidate.prose.inline.masked())) and not is_family(label)
    if whole.match(label) and head["colon"] and get_close_matches(status.casefold(), STATUSES, n=1):
        return binding
    return declared and numbered and binding and bool(head["colon"] or status)


def _problem(candidate: _Candidate, whole: re.Pattern[str]) -> tuple[str, str] | None:
    """Return what is wrong and what to do, the first of the things that keep it from being a requirement."""
    head, block = candidate.head, candidate.block
    label, status = candidate.label, head["status"]
    known = ", ".join(STATUSES)
    checks = (
        (
            not whole.match(label),
            "is not a requirement id",
            "write an area in capitals, a hyphen and a number: RESUME-3",
        ),
        (label != head["id"], "has white space inside its bold markers", f"write **{label}**"),
        (status is None, "has no status", f"write one of ({known}) after the id"),
        (
            status is not None and status not in STATUSES,
            f"has the unknown status ({status})",
            f"write one of ({known})",
        ),
        (head["colon"] is None, "has no colon after its status", "write the statement after a colon"),
        (head.start() > 0, "starts inside another paragraph", "begin it as a list item of its own"),
        (not block.items or not block.leading, "is not a list item", "begin the line with '- '"),
        (block.quoted, "stands in a block quote", "move it out, or leave the id out of the quote"),
    )
    return next(((problem, hint) for wrong, problem, hint in checks if wrong), None)


def _malformed(candidate: _Candidate, problem: str, hint: str, *, fatal: bool = True) -> Malformed:
    line, column = candidate.place
    return Malformed(candidate.label, problem, hint, line, column, fatal)


def _requirement(
    candidate: _Candidate, document: Document, pieces: Sequence[Prose], numbers: Sequence[str | None]
) -> tuple[Requirement, str]:
    parts: list[tuple[int, int, int]] = []
    reason: str | None = None
    for index, prose in _item(candidate, document, pieces):
        start = _after_head(candidate) if prose is candidate.prose else 0
        span = next((span for span in reversed(prose.inline.emphasised) if _is_reason(prose, span.start)), None)
        plain = prose.inline.plain
        if span:
            reason = " ".join(_REASON.sub("", plain[span.start : span.end], count=1).split())
            parts += [(index, start, span.start), (index, span.end, len(plain))]
        else:
            parts.append((index, start, len(plain)))
    masked = " ".join(pieces[index].inline.masked()[start:end] for index, start, end in parts)
    line, column = candidate.place
    keywords = find_keywords(masked)
    requirement = Requirement(
        id=candidate.label,
        area=area_of(candidate.label),
        level=keywords[0] if keywords else "",
        status=candidate.head["status"],
        section=numbers[candidate.prose.headings],
        anchor=candidate.head["anchor"] or None,
        text=" ".join(" ".join(pieces[index].inline.plain[start:end] for index, start, end in parts).split()),
        reason=reason,
        line=line,
        column=column,
        keywords=keywords,
        parts=tuple(parts),
    )
    return requirement, masked


def _is_reason(prose: Prose, start: int) -> bool:
    return _REASON.match(prose.inline.plain, start) is not None


def _item(candidate: _Candidate, document: Document, pieces: Sequence[Prose]) -> Iterator[tuple[int, Prose]]:
    """Yield all the text of a list item with its index, except of requirements nested in it."""
    item = candidate.block.items[-1]
    for index in range(candidate.index, len(pieces)):
        prose = pieces[index]
        block = document.blocks[prose.block]
        if item not in block.items:
            return
        nested = _HEAD.match(prose.source) if prose is not candidate.prose and block.leading else None
        if not (nested and nested["status"] in STATUSES):
            yield index, prose


def _after_head(candidate: _Candidate) -> int:
    """Return the offset in the plain text at which the statement starts."""
    head = candidate.head
    return len(head["id"]) + len(head["rest"])


def _flaws(candidate: _Candidate, requirement: Requirement, plain: str, form: Form) -> Iterator[Malformed]:
    """Yield what is wrong with a requirement that stands all the same."""
    expected = requirement.id.lower()
    if form.pattern != DEFAULT_ID:
        pass  # other documents have other conventions for anchors
    elif requirement.anchor is None:
        hint = f'write <a id="{expected}"></a> before it'
        yield _malformed(candidate, "has no anchor, so nothing can link to it", hint, fatal=False)
    elif requirement.anchor != expected:
        hint = f'write <a id="{expected}"></a>'
        yield _malformed(candidate, f"has the anchor '{requirement.anchor}' of another id", hint, fatal=False)
    if _OPEN_REASON.search(plain):
        yield _malformed(candidate, "has a reason that is not closed", "end it with '*'", fatal=False)
    elif requirement.status == "proposed" and not requirement.reason:
        yield _malformed(candidate, "is proposed without a reason", "end it with *Reason: …*", fatal=False)

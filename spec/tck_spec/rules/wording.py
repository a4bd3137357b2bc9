"""Rules on key words: that they are declared, used as RFC 2119 means them, one to a statement, and where they bind."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tck_spec.boilerplate import counts_capitals_only, declares_keywords, defines_keywords, is_boilerplate
from tck_spec.findings import Finding, Severity
from tck_spec.keywords import ANY_KEYWORD, find_keywords, keywords_in, strength
from tck_spec.passages import is_example, read_passages
from tck_spec.remembered import Remembered
from tck_spec.statements import defined_markers, find_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tck_spec.blocks import Block
    from tck_spec.passages import Passage
    from tck_spec.rules.context import Context
    from tck_spec.settings import Form
    from tck_spec.specification import Specification
    from tck_spec.statements import Statement

__all__ = [
    "compound",
    "invalid_keyword",
    "keyword_where_nothing_binds",
    "lower_case_keyword",
    "too_short",
    "undeclared_keywords",
]

#: In words: "The kettle MUST boil." of this kit's own form, "It MUST boil." of others, and of rules not even that.
_SHORTEST_STATEMENT: Final = 4
_SHORTEST_ELSEWHERE: Final = 3

_LOWER: Final = re.compile(r"(?<![\w'\u2019-])(?:must|shall|should)(?:\s+not)?(?![\w'\u2019-])")
#: English in which should and must say nothing about what to do.
_IDIOM: Final = re.compile(
    r"(?:\b(?:a|an)\s+must\b|\bshould\s+(?:the|a|an|any|you|it|they|we|this|that|one)\b"
    r"|\b(?:why|whether|how|what|when|which|who|where)\s+(?:[\w'\u2019-]+\s+){0,4}?(?:should|must|shall)\b"
    r"|\b(?:I|we)\s+(?:must|should|shall)\b|\b(?:must|should)\s+be\s+(?:noted|clear|obvious|apparent|mentioned|familiar)\b"
    r"|\b(?:must|should)\s+(?:already\s+)?have\s+(?:been|\w+ed)\b|\bif\s+(?:[\w'\u2019-]+\s+){1,3}?should\b)",
    re.IGNORECASE,
)

_ADVERB: Final = r"(?:always|also|still|ever|then|in\s+turn|therefore|in\s+general|[a-z]{2,15}ly)"
#: Where no key words are declared, this is plain English with some stress.
_HALF_RAISED: Final = re.compile(r"(?<![\w-])(?:must|shall|should|may)\s+NOT(?![\w-])")
_INVALID: Final = (
    (
        re.compile(r"(?<![\w-])MAY\s+(?:NOT|not)(?![\w-])"),
        "may mean that it must not, or that it need not",
        "write MUST NOT, or that it is OPTIONAL; 'might not' says what can happen",
    ),
    (
        re.compile(rf"(?<![\w-])(?:MUST|SHALL|SHOULD)\s+(?:{_ADVERB}\s+){{1,2}}(?:not|NOT)(?![\w-])"),
        "is no key word of RFC 2119",
        "write MUST NOT, SHALL NOT or SHOULD NOT, in one piece",
    ),
    (
        re.compile(r"(?<![\w-])(?:MUST|SHALL|SHOULD)\s+not(?![\w-])"),
        "is half in capitals, and only MUST, SHALL and SHOULD are read as key words",
        "write NOT in capitals as well",
    ),
    (
        _HALF_RAISED,
        "is half in capitals, and no key word",
        "write both words in capitals",
    ),
    (
        re.compile(r"(?<![\w-])(?:MUST|SHALL|SHOULD)\s+(?:NEVER|never)(?![\w-])"),
        "is no key word of RFC 2119",
        "write MUST NOT, SHALL NOT or SHOULD NOT",
    ),
    (
        re.compile(
            r"(?<![\w-])(?:MUST|SHALL|SHOULD|MAY)(?:\s+NOT)?\s+(?:MUST|SHALL|SHOULD|MAY|must|shall|should|may)(?![\w-])"
        ),
        "says two key words for one thing",
        "keep the one that is meant",
    ),
    (
        re.compile(r"(?<![\w-])(?:NOT|not)\s+(?:MUST|SHALL|SHOULD|MAY)(?![\w-])"),
        "is no key word of RFC 2119",
        "put NOT behind the key word",
    ),
    (
        re.compile(r"(?<![\w-])(?:MUST|SHALL|SHOULD|MAY)\s+NOT\s+NOT(?![\w-])"),
        "denies twice",
        "keep one NOT",
    ),
)
#: Each of them has one of these.
_RAISED: Final = ("MUST", "SHALL", "SHOULD", "MAY", "NOT")
#: All of them in one pass: a first look, for most texts have none.
_ANY_INVALID: Final = re.compile("|".join(pattern.pattern for pattern, _, _ in _INVALID))
_QUOTES: Final = "\"'`\u201c\u2018\u00ab"
_VERBS: Final = frozenset({"MUST", "MUST NOT", "SHALL", "SHALL NOT", "SHOULD", "SHOULD NOT", "MAY"})
_SPOKEN: Final = re.compile(r"^\s*(?://+|#+|/?\*+|--|;+|<!--|%)\s?(?P<text>.*)$")


def lower_case_keyword(context: Context) -> Iterator[Finding]:
    """REQ001: must, shall or should in lower case where the document says that its key words are in capitals.

    A document that only mentions RFC 2119 declares nothing. By RFC 8174 such a word is plain English, so this is never
    more than a question, and it is asked also in a document that says so: whether the author meant it cannot be seen.
    Where nothing binds anyway (notes, examples), and in idioms ("should you need one"), nothing is asked.
    """
    if context.settings.form.lower_case or not defines_keywords(context.spec):
        return
    if not any(declares_keywords(passage.prose.inline.plain) for passage in read_passages(context.spec)):
        return
    plain_english = counts_capitals_only(context.spec)
    reasons = _reasons(context)
    for passage in _binding_passages(context):
        if not _LOWER.search(passage.prose.source):
            continue
        for sentence in passage.sentences:
            match = _LOWER.search(passage.masked, sentence.start, sentence.end)
            if match is None or (passage.index, match.start()) in reasons:
                continue
            text = passage.masked[sentence.start : sentence.end]
            if _IDIOM.search(text) or is_boilerplate(text) or is_example(text):
                continue
            line, column = passage.prose.place_of(match.start())
            word = " ".join(match.group().split())
            message = (
                f"'{word}' in lower case requires nothing here"
                if plain_english
                else f"'{word}' is in lower case: whether it requires is unclear"
            )
            hint = f"write {word.upper()} if it is meant as a key word"
            yield Finding("REQ001", "I", line, column, message, hint, length=len(match.group()))


def undeclared_keywords(context: Context) -> Iterator[Finding]:
    """REQ002: key words in capitals, and neither the document nor another of the set says what they mean.

    Reported once in a set, in its first document with key words. Requirements in the form of this kit need no such
    sentence: their form says how they are meant.
    """
    spec, form = context.spec, context.settings.form
    if any(defines_keywords(one) for one in (spec, *context.others)) or not _uses_keywords(spec, form):
        return
    # Those before the first are asked in vain each time, but remember it; those after it are not asked at all.
    user = next((one for one in context.library.documents if _uses_keywords(one, form)), spec)
    if user.source != spec.source:
        return
    first = next(one for one in context.statements if _has_capitals(one))
    word = next(one for one in first.keywords if one in _capitals(first.text))
    message = f"{word} is used, but nothing says that it is meant as in RFC 2119"
    hint = "say near the beginning that the key words are to be interpreted as described in BCP 14 (RFC 2119, RFC 8174)"
    yield Finding("REQ002", "W", first.line, first.column, message, hint)


def _find_uses(spec: Specification, form: Form) -> bool:
    own = bool(spec.requirements or spec.malformed)
    return not own and any(_has_capitals(one) for one in find_statements(spec, form))


#: Whether a document has key words outside of this kit's own form.
_uses_keywords: Final = Remembered(_find_uses)


def _capitals(text: str) -> frozenset[str]:
    return frozenset(find_keywords(text))


def _has_capitals(statement: Statement) -> bool:
    return bool(_capitals(statement.text) & {*statement.keywords})


def compound(context: Context) -> Iterator[Finding]:
    """REQ003: a statement has key words of different strength, so it cannot be tested as one; or it has none at all."""
    for requirement in context.spec.requirements:
        place = requirement.line, requirement.column
        if not requirement.keywords:
            message = f"{requirement.id} has no RFC 2119 key word in capitals"
            yield Finding("REQ003", "E", *place, message, "say MUST, SHOULD or MAY, once")
        elif len(requirement.keywords) > 1:
            message = f"{requirement.id} has {len(requirement.keywords)} key words: {', '.join(requirement.keywords)}"
            yield Finding("REQ003", "W", *place, message, "make one requirement of each")
    own = {(one.line, one.column) for one in context.spec.requirements}
    for statement in context.statements:
        verbs = [word for word in statement.keywords if word in _VERBS]
        if (statement.line, statement.column) in own or len({strength(word) for word in verbs}) < 2:  # noqa: PLR2004 - two
            continue
        named = statement.marker or "this statement"
        message = f"{named} has key words of different strength: {', '.join(dict.fromkeys(verbs))}"
        yield Finding("REQ003", "W", statement.line, statement.column, message, "make one statement of each")


def invalid_keyword(context: Context) -> Iterator[Finding]:
    """REQ004: words in capitals that look like a key word and are none, such as MAY NOT; or SHALL beside MUST."""
    declared = defines_keywords(context.spec)
    invalid = [one for one in _INVALID if declared or one[0] is not _HALF_RAISED]
    for passage in _binding_passages(context):
        if not _may_be_invalid(passage.prose.inline.plain):
            continue
        found = [
            (match.start(), number, match)
            for number, one in enumerate(invalid)
            for match in one[0].finditer(passage.masked)
        ]
        end = 0
        for start, number, match in sorted(found, key=lambda one: one[:2]):
            if start < end or passage.talks_at(start) or (start and passage.masked[start - 1] in _QUOTES):
                continue
            end = match.end()
            _, wrong, hint = invalid[number]
            message = f"'{' '.join(match.group().split())}' {wrong}"
            line, column = passage.prose.place_of(start)
            yield Finding("REQ004", "W", line, column, message, hint, length=end - start)
    yield from _mixed(context)


@lru_cache(8192)
def _may_be_invalid(plain: str) -> bool:
    """Tell whether a text is worth a second look; an editor asks for the same ones with every key."""
    return any(word in plain for word in _RAISED) and _ANY_INVALID.search(plain) is not None


def _mixed(context: Context) -> Iterator[Finding]:
    """Report, once, the rarer of MUST and SHALL where a document uses both: RFC 2119 says they are the same."""
    families: dict[str, list[Statement]] = {"MUST": [], "SHALL": []}
    for statement in context.statements:
        for family in {word.split()[0] for word in statement.keywords} & families.keys():
            families[family].append(statement)
    must, shall = families["MUST"], families["SHALL"]
    if must and shall:
        rarer, other, members = ("SHALL", "MUST", shall) if len(shall) <= len(must) else ("MUST", "SHALL", must)
        message = f"{rarer} ({len(members)}) is used beside {other} ({len(families[other])}), which means the same"
        hint = "use one of the two, so that nobody looks for a difference"
        yield Finding("REQ004", "W", members[0].line, members[0].column, message, hint)


def keyword_where_nothing_binds(context: Context) -> Iterator[Finding]:
    """REQ005: a key word in a reason, an example, a note, a quotation or a code block, where nothing is required.

    Of quotations and of comments in code it is only said that they are not counted: many documents mean what they say
    there. A change log tells what was once changed, so nothing is said of it.
    """
    for requirement in context.spec.requirements:
        keywords = find_keywords(requirement.reason or "")
        if keywords:
            message = f"the reason of {requirement.id} says {keywords[0]}"
            yield Finding("REQ005", "W", requirement.line, requirement.column, message, "write it in lower case")
    taken = _marked_places(context)
    for passage in read_passages(context.spec):
        counted = context.settings.form.quotes and passage.aside in ("block quote", "note")
        if passage.aside in ("", "change log") or counted or passage.heads or passage.prose.block in taken:
            continue
        if ANY_KEYWORD.search(passage.prose.source):
            yield from _in_aside(passage)
    yield from _in_code(context)


def _in_aside(passage: Passage) -> Iterator[Finding]:
    for keyword in keywords_in(passage.masked):
        if keyword.word not in _VERBS or passage.talks_at(keyword.start):
            continue
        line, column = passage.prose.place_of(keyword.start)
        where = "an example" if passage.aside == "example" else f"a {passage.aside}"
        message = f"{keyword.word} stands in {where}, where nothing is required"
        hint = "state the requirement outside, or write it in lower case"
        if passage.aside in ("block quote", "note"):
            hint = "state it outside; where such text binds, set requirements.quotes = true"
        severity: Severity = "I" if passage.aside == "block quote" else "W"
        yield Finding("REQ005", severity, line, column, message, hint)
        return


def _in_code(context: Context) -> Iterator[Finding]:
    for block in context.spec.document.blocks:
        if block.kind == "fence" and ANY_KEYWORD.search(block.text):
            yield from _in_comment(block)


def _in_comment(block: Block) -> Iterator[Finding]:
    for segment in block.segments:
        spoken = _SPOKEN.match(segment.text)
        keyword = next(keywords_in(spoken["text"]), None) if spoken else None
        if spoken and keyword and keyword.word in _VERBS and len(spoken["text"].split()) >= _SHORTEST_STATEMENT:
            message = f"{keyword.word} stands in a code block, where nothing is required"
            column = segment.column + spoken.start("text") + keyword.start
            yield Finding("REQ005", "I", segment.line, column, message, "state it in the text as well")
            return


def too_short(context: Context) -> Iterator[Finding]:
    """REQ006: a requirement with an id says nothing, or too little to be a sentence."""
    hint = "say who is bound, the key word, and to what"
    for requirement in context.spec.requirements:
        words = len(requirement.text.split())
        if words < _SHORTEST_STATEMENT:
            message = (
                f"{requirement.id} has a statement of {words} words" if words else f"{requirement.id} says nothing"
            )
            yield Finding("REQ006", "E", requirement.line, requirement.column, message, hint)
    for marker in defined_markers(context.spec, context.settings.form):
        words = len(marker.text.split())
        if marker.names_section or words >= (_SHORTEST_ELSEWHERE if marker.form.sentence else 1):
            continue
        message = f"{marker.id} has a statement of {words} words" if words else f"{marker.id} says nothing"
        yield Finding("REQ006", "E", marker.line, marker.column, message, hint)


def _binding_passages(context: Context) -> Iterator[Passage]:
    """Yield the passages in which a key word counts."""
    for passage in read_passages(context.spec):
        if not passage.aside and not passage.heads:
            yield passage


def _marked_places(context: Context) -> set[int]:
    """Return the blocks that hold the text of requirements with ids: OpenFeature has them in quotations."""
    markers = defined_markers(context.spec, context.settings.form)
    return {part[0].prose.block for marker in markers for part in marker.parts if not isinstance(part, str)}


def _reasons(context: Context) -> set[tuple[int, int]]:
    """Return the places in the reasons of requirements of this kit's form, as index of the prose and offset."""
    taken: set[tuple[int, int]] = set()
    for requirement in context.spec.requirements:
        for before, after in zip(requirement.parts, requirement.parts[1:], strict=False):
            if before[0] == after[0]:
                taken.update((before[0], offset) for offset in range(before[2], after[1]))
    return taken

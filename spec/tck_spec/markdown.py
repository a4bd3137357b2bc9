"""Inline content, parsed by mistune: text without its markup, links, code, HTML, and where in the source each stands.

This is the only module that knows mistune. Only its token tree is used, which all of its 3.x releases share; it holds
no positions, so they are won back by walking through source and tokens side by side: every character of a text token
stands in the source in the same order, with nothing between but escapes, delimiters and link targets.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any, Final, cast

from mistune.core import InlineState
from mistune.inline_parser import InlineParser
from mistune.util import unikey

from tck_spec.inline import Inline, Link, Span, read_plainly

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from re import Match

    from tck_spec.blocks import Definition

__all__ = ["Inline", "InlineReader", "Link", "Span", "fold_label"]

_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: No label, target or title is looked for farther away than this many characters.
_FARTHEST: Final = 2000
#: Emphasis inside emphasis, so many times over, is none: the library takes time by the square of it.
_DEEPEST: Final = 100
_MARKS: Final = re.compile(r"\*+|_+")
_EMPHASIS: Final = frozenset({"emphasis", "strong", "strikethrough"})


def fold_label(label: str) -> str:
    """Return the form in which labels of link references are compared."""
    return unikey(label)


class _Parser(InlineParser):
    """mistune's parser, for which an ``<a id="…">`` does not end all links in the rest of its block."""

    def parse_inline_html(self, m: Match[str], state: InlineState) -> int | None:
        within = state.in_link
        end = super().parse_inline_html(m, state)
        state.in_link = within
        return end


class _Walk:
    """One pass through the tokens of a text and the text itself."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.cursor = 0
        self.plain: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.sources: list[int] = []
        self.links: list[Link] = []
        self.code: list[Span] = []
        self.emphasised: list[Span] = []
        self.html: list[tuple[int, str]] = []
        self.claimed: list[Span] = []

    def tokens(self, tokens: Sequence[Mapping[str, Any]], depth: int = 0) -> None:
        for token in tokens:
            kind = cast("str", token["type"])
            children = cast("Sequence[Mapping[str, Any]]", token.get("children", ()))
            if kind in ("link", "image"):
                self._link(token, children, depth, image=kind == "image")
            elif kind in _EMPHASIS:
                start = self.length
                self.tokens(children, depth + 1)
                if not depth:
                    self.emphasised.append(Span(start, self.length))
            elif kind == "codespan":
                self._code(cast("str", token["raw"]))
            elif kind == "inline_html":
                self._html(cast("str", token["raw"]))
            elif kind in ("softbreak", "linebreak"):
                self._line_end()
            else:
                self._text(cast("str", token.get("raw", "")))

    def result(self) -> Inline:
        return Inline(
            "".join(self.plain),
            tuple(self.links),
            tuple(self.code),
            tuple(self.emphasised),
            tuple(self.html),
            tuple(self.claimed),
            tuple(self.starts) or (0,),
            tuple(self.sources) or (0,),
        )

    def _emit(self, text: str, source: int) -> None:
        if text:
            self.starts.append(self.length)
            self.sources.append(source)
            self.plain.append(text)
            self.length += len(text)

    def _find(self, text: str) -> int:
        found = self.source.find(text, self.cursor)
        return self.cursor if found < 0 else found

    def _text(self, raw: str) -> None:
        if self.source.startswith(raw, self.cursor):
            self._literal(raw)
            return
        done = 0
        while done < len(raw):
            found = self.source.find(raw[done], self.cursor)
            if found < 0:
                self.cursor = len(self.source)
                break
            self.cursor = found
            run = _common(raw, done, self.source, found)
            self._literal(raw[done : done + run])
            done += run
        self._emit(raw[done:], max(0, len(self.source) - 1))

    def _literal(self, text: str) -> None:
        """Take text that stands here as it is; entities in it become what they name."""
        position = 0
        for entity in _ENTITY.finditer(text):
            self._emit(text[position : entity.start()], self.cursor + position)
            self._emit(unescape(entity.group()), self.cursor + entity.start())
            position = entity.end()
        self._emit(text[position:], self.cursor + position)
        self.cursor += len(text)

    def _code(self, raw: str) -> None:
        opening = self._find("`")
        ticks = 0
        while self.source[opening + ticks : opening + ticks + 1] == "`":
            ticks += 1
        inside = opening + ticks
        lead = int(self.source[inside : inside + len(raw)].replace("\n", " ") != raw)
        start = self.length
        self._emit(raw, inside + lead)
        self.code.append(Span(start, self.length))
        self.cursor = min(len(self.source), inside + lead + len(raw))
        closing = self._find("`" * ticks)
        self.cursor = min(len(self.source), closing + ticks)
        self.claimed.append(Span(opening, self.cursor))

    def _html(self, raw: str) -> None:
        start = self._find(raw)
        self.html.append((start, raw))
        self.cursor = min(len(self.source), start + len(raw))
        self.claimed.append(Span(start, self.cursor))

    def _line_end(self) -> None:
        end = self._find("\n")
        self._emit("\n", end)
        self.cursor = end + 1
        while self.source[self.cursor : self.cursor + 1] in (" ", "\t"):
            self.cursor += 1

    def _link(
        self, token: Mapping[str, Any], children: Sequence[Mapping[str, Any]], depth: int, *, image: bool
    ) -> None:
        attributes = cast("Mapping[str, Any]", token.get("attrs", {}))
        target = str(attributes.get("url", ""))
        start = self._link_start()
        automatic = self.source[start : start + 1] == "<"
        self.cursor = min(len(self.source), start + 1)
        label = self.length
        if image:
            start = max(0, start - 1)
            self._unseen(children, depth)
        else:
            self.tokens(children, depth + 1)
        reference = str(token.get("ref", ""))
        self.cursor = self._past_target(reference, automatic=automatic)
        self.links.append(Link(Span(label, self.length), target, start, image, automatic, reference))
        self.claimed.append(Span(start, self.cursor))

    def _unseen(self, tokens: Sequence[Mapping[str, Any]], depth: int) -> None:
        """Pass over the text that stands for an image: none of it is seen, and links in it lead nowhere."""
        kept: tuple[list[Any], ...] = (
            self.plain,
            self.starts,
            self.sources,
            self.links,
            self.code,
            self.emphasised,
            self.html,
        )
        lengths, length = [len(one) for one in kept], self.length
        self.tokens(tokens, depth + 1)
        for one, count in zip(kept, lengths, strict=True):
            del one[count:]
        self.length = length

    def _link_start(self) -> int:
        place = self.cursor
        while self.source[place : place + 1] in ("*", "_", "~"):
            place += 1
        return place if self.source[place : place + 1] == "<" else self._find("[")

    def _past_target(self, reference: str, *, automatic: bool) -> int:
        end = self._find(">" if automatic else "]") + 1
        following = self.source[end : end + 1]
        if not automatic and not reference and following == "(":
            return _past_parenthesis(self.source, end)
        if reference and following == "[":
            closing = self.source.find("]", end, end + _FARTHEST)
            inside = self.source[end + 1 : closing]
            if closing >= 0 and (not inside or fold_label(inside) == reference):
                return closing + 1
        return min(len(self.source), end)


def _common(first: str, start: int, second: str, begin: int) -> int:
    """Return how many characters two texts have in common from these offsets on."""
    low, high = 0, min(len(first) - start, len(second) - begin) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if second.startswith(first[start + low : start + middle], begin + low):
            low = middle
        else:
            high = middle
    return low


def _past_parenthesis(source: str, start: int) -> int:
    """Return the offset after the parenthesis that opens at `start`, quotes and angle brackets taken as units."""
    depth, position = 0, start
    while position < len(source):
        char = source[position]
        if char == "\\":
            position += 1
        elif char == "<" and depth == 1:
            closing = source.find(">", position, position + _FARTHEST)
            position = closing if closing >= 0 else position
        elif char in "\"'" and depth == 1 and source[position - 1].isspace():
            closing = source.find(char, position + 1, position + _FARTHEST)
            position = closing if closing >= 0 else position
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                return position + 1
        position += 1
    return len(source)


def _is_nested_too_deep(source: str) -> bool:
    """Tell whether more marks of emphasis may open than close, one inside the other, than anybody means."""
    if source.count("*") + source.count("_") <= _DEEPEST:
        return False
    depth = 0
    for match in _MARKS.finditer(source):
        before, after = source[max(0, match.start() - 1) : match.start()], source[match.end() : match.end() + 1]
        length = match.end() - match.start()
        if not before.strip() or (after.isalnum() and not before.isalnum()):
            depth += length
        elif not after.strip() or (before.isalnum() and not after.isalnum()):
            depth = max(0, depth - length)
        if depth > _DEEPEST:
            return True
    return False


class InlineReader:
    """Reads inline content of one document, whose link definitions it knows."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        """Keep the first definition of each label, as CommonMark says."""
        references: dict[str, dict[str, str]] = {}
        for definition in definitions:
            references.setdefault(
                fold_label(definition.label),
                {"url": definition.target, "label": definition.label},
            )
        self._environment: dict[str, Any] = {"ref_links": references}
        self._parser, self._without_emphasis = _Parser(), _Parser()
        self._without_emphasis.rules.remove("emphasis")

    def knows(self, label: str) -> bool:
        """Tell whether a label is defined."""
        return fold_label(label) in self._environment["ref_links"]

    def read(self, source: str) -> Inline:
        """Parse one text; never raises, whatever the text is."""
        return read_plainly(source) or self.parsed(source)

    def parsed(self, source: str) -> Inline:
        """Parse one text with the library, also where that is not needed."""
        walk = _Walk(source)
        parser = self._without_emphasis if _is_nested_too_deep(source) else self._parser
        try:
            tokens = parser(source, self._environment)
        except RecursionError:  # pragma: no cover - mistune caps nesting; older releases cap it higher
            return Inline(source)
        walk.tokens(cast("Sequence[Mapping[str, Any]]", tokens))
        return walk.result()

"""The part of Go's text templates that `--format` is used with: fields, functions, `if`, `range`, `with`, pipes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from tck_fakes.daemon.values import Free
from tck_fakes.programs.values import FUNCTIONS, shown

_ACTION = re.compile(r"(?s)\{\{(- )?(.*?)( -)?\}\}")
_WORD = re.compile(r'\s*("(?:\\.|[^"\\])*"|`[^`]*`|\||\(|\)(?:\.\w+)*|\$?(?:\.\w+)+|\$\w*|-?\d+|\.|\w+)')
_BLOCKS = ("if", "range", "with")


class TemplateError(Exception):
    """The template cannot be carried out. `unknown`: Go may be able to, and the stand-in is not."""

    def __init__(self, text: str, *, unknown: bool = False) -> None:
        super().__init__(text)
        self.unknown = unknown


@dataclass(frozen=True, slots=True)
class _Block:
    """One of `if`, `range`, `with`, with what it holds."""

    kind: str
    words: tuple[str, ...]
    body: tuple[_Node, ...]
    other: tuple[_Node, ...]


_CONSTANTS: dict[str, object] = {"true": True, "false": False, "nil": None}
_Node = str | tuple[str, ...] | _Block


def render(template: str, data: object) -> str:
    """Carry a template out. Raises `TemplateError`."""
    return _text(read_template(template), data, data)


def read_template(template: str) -> tuple[_Node, ...]:
    """Read a template without carrying it out. Raises `TemplateError`."""
    nodes, rest = _parse(_split(template), 0)
    if rest is not None:
        raise TemplateError("template: :1: unexpected {{end}}")
    return nodes


def _split(template: str) -> list[str | tuple[str, ...]]:
    parts: list[str | tuple[str, ...]] = []
    at, trim = 0, False
    for found in _ACTION.finditer(template):
        text = template[at : found.start()]
        text = text.lstrip() if trim else text
        parts.append(text.rstrip() if found[1] else text)
        inside = found[2].strip()
        if not inside.startswith("/*"):
            parts.append(_words(inside))
        at, trim = found.end(), bool(found[3])
    text = template[at:]
    if "{{" in text:
        raise TemplateError("template: :1: unclosed action")
    parts.append(text.lstrip() if trim else text)
    return parts


def _words(inside: str) -> tuple[str, ...]:
    words: list[str] = []
    at = 0
    while at < len(inside):
        found = _WORD.match(inside, at)
        if found is None:
            raise TemplateError(f"template: :1: unexpected {inside[at:]!r} in command", unknown=True)
        words.append(found[1])
        at = found.end()
        while at < len(inside) and inside[at].isspace():
            at += 1
    if not words:
        raise TemplateError("template: :1: missing value for command")
    return tuple(words)


def _parse(parts: Sequence[str | tuple[str, ...]], at: int) -> tuple[tuple[_Node, ...], int | None]:
    """Give the nodes from a position to the block's end, and where that end is; None for the template's end."""
    nodes: list[_Node] = []
    while at < len(parts):
        part = parts[at]
        if isinstance(part, str):
            nodes.append(part)
        elif part[0] in ("end", "else"):
            return tuple(nodes), at
        elif part[0] in _BLOCKS:
            block, at = _block(parts, at, part[0], part[1:])
            nodes.append(block)
        else:
            nodes.append(part)
        at += 1
    return tuple(nodes), None


def _block(parts: Sequence[str | tuple[str, ...]], at: int, kind: str, words: tuple[str, ...]) -> tuple[_Block, int]:
    body, end = _parse(parts, at + 1)
    if end is None:
        raise TemplateError("template: :1: unexpected EOF")
    closing = parts[end]
    if closing == ("end",):
        return _Block(kind, words, body, ()), end
    if len(closing) > 1 and closing[1] in _BLOCKS:
        inner, last = _block(parts, end, closing[1], cast("tuple[str, ...]", closing[2:]))
        return _Block(kind, words, body, (inner,)), last
    other, last_end = _parse(parts, end + 1)
    if last_end is None:
        raise TemplateError("template: :1: unexpected EOF")
    return _Block(kind, words, body, other), last_end


def _text(nodes: Sequence[_Node], dot: object, root: object) -> str:
    said: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            said.append(node)
        elif isinstance(node, _Block):
            said.append(_carried_out(node, dot, root))
        else:
            said.append(shown(_Pipeline(node, dot, root).value()))
    return "".join(said)


def _carried_out(block: _Block, dot: object, root: object) -> str:
    value = _Pipeline(block.words, dot, root).value()
    if not value:
        return _text(block.other, dot, root)
    if block.kind != "range":
        return _text(block.body, value if block.kind == "with" else dot, root)
    inner = (
        [item for _, item in sorted(cast("Mapping[str, object]", value).items())]
        if isinstance(value, Mapping)
        else cast("Sequence[object]", value)
    )
    return "".join(_text(block.body, item, root) for item in inner)


class _Pipeline:
    """One action's commands; the value of each is the last argument of the next."""

    __slots__ = ("at", "dot", "root", "words")

    def __init__(self, words: Sequence[str], dot: object, root: object) -> None:
        self.words, self.dot, self.root = words, dot, root
        self.at = 0

    def value(self) -> object:
        """Give the pipeline's value, up to its end or its closing parenthesis."""
        value = self._command(())
        while self.at < len(self.words) and self.words[self.at] == "|":
            self.at += 1
            value = self._command((value,))
        return value

    def _command(self, piped: tuple[object, ...]) -> object:
        operands: list[object] = []
        while self.at < len(self.words) and self.words[self.at][0] not in "|)":
            operands.append(self._operand(first=not operands))
        if not operands:
            raise TemplateError("template: :1: missing value for command")
        first, arguments = operands[0], (*operands[1:], *piped)
        if callable(first):
            try:
                return first(*arguments)
            except (TypeError, LookupError, ValueError) as fault:
                raise TemplateError(f"template: :1: error calling a function: {fault}", unknown=True) from None
        if arguments:
            raise TemplateError("template: :1: can't give argument to non-function")
        return first

    def _operand(self, *, first: bool) -> object:
        word = self.words[self.at]
        self.at += 1
        if word == "(":
            value = self.value()
            if self.at == len(self.words):
                raise TemplateError("template: :1: unclosed left paren")
            closing = self.words[self.at]
            self.at += 1
            return _field(closing[1:], value)
        if word[0] in '"`':
            return word[1:-1] if word[0] == "`" else json.loads(word)
        if word.lstrip("-").isdecimal():
            return int(word)
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if word[0] in ".$":
            return _field(word, self.root if word[0] == "$" else self.dot)
        if word in FUNCTIONS and first:
            return FUNCTIONS[word]
        raise TemplateError(f'template: :1: function "{word}" not defined', unknown=True)


def _field(path: str, at: object) -> object:
    for name in path.lstrip("$").split("."):
        if not name:
            continue
        if isinstance(at, Free):
            at = at.get(name)
        elif isinstance(at, Mapping) and name in at:
            at = cast("Mapping[str, object]", at)[name]
        else:
            raise TemplateError(
                f'template: :1:2: executing "" at <{path}>: map has no entry for key "{name}"', unknown=True
            )
    return at

"""A specification, read: its sections, requirements, references, tables and diagrams.

Nothing is judged here; :func:`tck_spec.check` does that. Whatever the text is, parsing it succeeds, because a checker
that gives up at the first fault is of no use to the author who wants to see them all.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tck_spec.anchors import Anchor, find_anchors, html_lines
from tck_spec.blocks import scan
from tck_spec.diagrams import code_of
from tck_spec.document import Document
from tck_spec.errors import SpecificationError
from tck_spec.foreign import vocabulary
from tck_spec.markdown import InlineReader, fold_label
from tck_spec.prose import Prose, read_prose
from tck_spec.references import (
    Reference,
    find_links,
    find_requirement_ids,
    find_section_references,
    hrefs,
    link_reference,
)
from tck_spec.requirements import DEFAULT_ID, Form, Malformed, Requirement, find_requirements
from tck_spec.sections import Heading, Section, build_sections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tck_spec.document import Definition
    from tck_spec.inline import Inline
    from tck_spec.memory import Memory
    from tck_spec.rows import Row

__all__ = ["MOST_BYTES", "Diagram", "Specification", "Table", "load", "parse"]

#: A larger file is not read at all.
MOST_BYTES: Final = 32 * 1024 * 1024

_BOM: Final = "\ufeff"
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_SETTING: Final = re.compile(
    r"[*_]{0,2}(?P<name>Version|Identifier)[*_]{0,2}:[*_]{0,2}[ \t]{0,9}`?(?P<value>[^\s`*]{1,100})"
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: cells are Markdown, trimmed, with an escaped pipe read as a pipe."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    #: The header's line.
    line: int
    #: Number of the section it stands in.
    section: str | None


@dataclass(frozen=True, slots=True)
class Diagram:
    """A Mermaid diagram."""

    #: The word that names the type, such as ``sequenceDiagram``; empty for an empty diagram.
    kind: str
    text: str
    #: The line of the opening fence.
    line: int
    section: str | None


@dataclass(frozen=True, slots=True)
class Specification:
    """One parsed specification; all parts are in document order."""

    #: The path or name it was read from.
    source: str
    #: From the line ``Identifier: …``, or else the source's name without its extension.
    identifier: str
    #: From the line ``Version: …``; empty where there is none.
    version: str
    title: str
    #: SHA-256 of the bytes, in hex.
    digest: str
    sections: tuple[Section, ...]
    requirements: tuple[Requirement, ...]
    references: tuple[Reference, ...]
    tables: tuple[Table, ...]
    diagrams: tuple[Diagram, ...]
    #: What was meant as a requirement and is none, and requirements with lesser flaws.
    malformed: tuple[Malformed, ...] = ()
    #: Explicit anchors: ids and names of HTML elements.
    anchors: tuple[Anchor, ...] = ()
    #: The text as read, for the rules that look at it; not compared, `digest` says the same.
    text: str = field(default="", repr=False, compare=False)
    document: Document = field(default=Document((), (), ()), repr=False, compare=False)
    prose: tuple[Prose, ...] = field(default=(), repr=False, compare=False)

    @property
    def set_digest(self) -> str:
        """SHA-256, in hex, over what the requirements demand: ids, statements, levels and statuses, in sorted order.

        Moving a requirement, or editing the text around it, does not change it.
        """
        lines = sorted(f"{one.id}\t{one.text_digest}\t{one.level}\t{one.status}\n" for one in self.requirements)
        return sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

    def requirement(self, identifier: str) -> Requirement:
        """Return the requirement with an id; raises `KeyError` where there is none."""
        for requirement in self.requirements:
            if requirement.id == identifier:
                return requirement
        raise KeyError(identifier)

    def section(self, number: str) -> Section:
        """Return the first section with a number; raises `KeyError` where there is none."""
        for section in self.sections:
            if section.number == number:
                return section
        raise KeyError(number)


def load(path: Path, *, id_pattern: str = DEFAULT_ID) -> Specification:
    """Read and parse a file of at most 32 MiB of UTF-8.

    Raises `SpecificationError` when there is no such text: the file is missing, empty, a folder, binary or too large.
    """
    where = str(path)
    try:
        _refuse_unread(path, where)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise SpecificationError("there is no such file", where, "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SpecificationError(f"cannot be read ({reason})", where, "check the path and its permissions") from error
    return parse(_decode(data, where), where, id_pattern=id_pattern)


def _refuse_unread(path: Path, where: str) -> None:
    """Raise for what is not to be opened: a folder, a pipe (which may never end), a file that is too large."""
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise SpecificationError("is a folder, not a specification", where, "name the Markdown file in it")
    if not stat.S_ISREG(status.st_mode):
        raise SpecificationError("is not a regular file", where, "name a Markdown file")
    if status.st_size > MOST_BYTES:
        raise _too_large(where)


def _too_large(where: str) -> SpecificationError:
    limit = MOST_BYTES // 1024 // 1024
    return SpecificationError(f"is larger than {limit} MiB", where, "a specification of that size has to be split")


def _decode(data: bytes, where: str) -> str:
    if len(data) > MOST_BYTES:
        raise _too_large(where)
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    cure = "save it as UTF-8, not as UTF-16" if wide else "save it as UTF-8"
    nul = data.find(b"\0")
    if nul >= 0:
        what = f"is not a text file: a NUL byte stands in {_place(data, nul)}"
        raise SpecificationError(what, where, cure if wide else "name a Markdown file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8: the byte {data[error.start]:02X} stands in {_place(data, error.start)}"
        raise SpecificationError(what, where, cure) from error
    if not text.removeprefix(_BOM).strip():
        raise SpecificationError("is empty", where, "write the specification first, or check the path")
    return text


def _place(data: bytes, offset: int) -> str:
    """Return line and column of a byte, both from 1; columns are characters, as far as there are any."""
    before = _LINE_END.split(data[:offset].decode("utf-8", "replace").removeprefix(_BOM))
    return f"line {len(before)}, column {len(before[-1]) + 1}"


def parse(text: str, source: str, *, id_pattern: str = DEFAULT_ID, memory: Memory | None = None) -> Specification:
    """Parse a text; `source` names it in what is reported. A byte-order mark at its start is ignored.

    `id_pattern` is a regular expression for requirement ids; the area is what stands before the last hyphen. With the
    `memory` of an earlier state of the same document the result is the same, and comes sooner.
    """
    if memory is None:
        return _parse(text, source, id_pattern, scan, lambda definitions: InlineReader(definitions).read)
    known = memory.recall(text, source, id_pattern)
    if known is not None:
        return known
    return memory.keep(_parse(text, source, id_pattern, memory.document, memory.reading), id_pattern)


def _parse(
    text: str,
    source: str,
    id_pattern: str,
    scan_lines: Callable[[list[str]], Document],
    reading: Callable[[tuple[Definition, ...]], Callable[[str], Inline]],
) -> Specification:
    document = scan_lines(_LINE_END.split(text.removeprefix(_BOM)))
    pieces = read_prose(document, reading(document.definitions))
    headings = [piece for piece in pieces if piece.kind == "heading"]
    sections = build_sections(_heading(document, piece) for piece in headings)
    numbers = _numbers(sections)
    settings = dict(_settings(pieces, sections))
    form = Form(id_pattern)
    requirements, malformed = find_requirements(document, pieces, numbers, form, declared="Identifier" in settings)
    references = _references(document, pieces, sections)
    defined = {(one.line, one.column) for one in requirements} | {(one.line, one.column) for one in malformed}
    references += find_requirement_ids(pieces, form.mention, {one.area for one in requirements}, defined)
    title = next((section.title for section in sections if section.level == 1), "")
    return Specification(
        source=source,
        identifier=settings.get("Identifier", Path(source).stem),
        version=settings.get("Version", ""),
        title=title,
        digest=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        sections=sections,
        requirements=requirements,
        references=tuple(sorted(references, key=lambda one: (one.line, one.column))),
        tables=tuple(_tables(document, numbers)),
        diagrams=tuple(_diagrams(document, numbers)),
        malformed=malformed,
        anchors=tuple(find_anchors(document, pieces)),
        text=text,
        document=document,
        prose=pieces,
    )


def _heading(document: Document, piece: Prose) -> Heading:
    block = document.blocks[piece.block]
    return Heading(piece.inline.plain, block.level, block.line, block.column)


def _numbers(sections: Sequence[Section]) -> list[str | None]:
    """Return, for the text before the first heading and after each, the number of the nearest numbered section."""
    by_slug: dict[str, str | None] = {}
    numbers: list[str | None] = [None]
    for section in sections:
        number = section.number or (by_slug[section.parent] if section.parent is not None else None)
        by_slug[section.slug] = number
        numbers.append(number)
    return numbers


def _settings(pieces: Sequence[Prose], sections: Sequence[Section]) -> Iterator[tuple[str, str]]:
    """Yield the ``Name: value`` lines before the first section below the title."""
    front = next((index for index, section in enumerate(sections, start=1) if section.level > 1), len(sections) + 1)
    for piece in reversed(pieces):
        if piece.headings < front and piece.kind == "paragraph":
            for segment in reversed(piece.segments):
                match = _SETTING.match(segment.text)
                if match:
                    yield match["name"], match["value"]


def _references(document: Document, pieces: Sequence[Prose], sections: Sequence[Section]) -> list[Reference]:
    found = [reference for piece in pieces for reference in find_links(piece)]
    for block in document.blocks:
        if block.kind == "html":
            for line in html_lines(block):
                found += [link_reference("", target, line.line, line.column) for target in hrefs(line.text)]
    used = {link.reference for piece in pieces for link in piece.inline.links}
    for definition in document.definitions:
        if fold_label(definition.label) not in used:
            found.append(link_reference(definition.label, definition.target, definition.line, definition.column))
    words = vocabulary(section.title for section in sections)
    numbered = any(section.number for section in sections)
    found += find_section_references(pieces, words, numbered=numbered)
    return found


def _by_block(document: Document, numbers: Sequence[str | None]) -> Iterator[tuple[int, str | None]]:
    headings = 0
    for index, block in enumerate(document.blocks):
        headings += block.kind == "heading"
        yield index, numbers[headings]


def _texts(row: Row) -> tuple[str, ...]:
    return tuple(cell.text.replace("\\|", "|") for cell in row.cells)


def _tables(document: Document, numbers: Sequence[str | None]) -> Iterator[Table]:
    for index, section in _by_block(document, numbers):
        block = document.blocks[index]
        if block.kind == "table":
            header, *rows = block.rows
            yield Table(_texts(header), tuple(map(_texts, rows)), block.line, section)


def _diagrams(document: Document, numbers: Sequence[str | None]) -> Iterator[Diagram]:
    for index, section in _by_block(document, numbers):
        block = document.blocks[index]
        if block.kind == "fence" and block.info.split(maxsplit=1)[:1] == ["mermaid"]:
            yield Diagram(code_of(block.text).kind, block.text, block.line, section)

"""Whether we read Markdown as markdown-it-py does: blocks, headings, tables, definitions and links, by line.

Prints every difference and a count. What is read differently on purpose is taken out of the comparison: YAML before the
document is skipped, ``[^1]: …`` is a footnote and no link definition, and what is in a row's cells beyond its header,
which is not shown, counts for neither.

    python benchmarks/agree_with_markdown_it.py FILE|FOLDER…
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.reference import reference
from markdown_it.token import Token
from markdown_it.utils import EnvType

from tck_spec import Specification, SpecificationError, load
from tck_spec.blocks import Block
from tck_spec.markdown import fold_label

#: A line, the kind of what starts there, and what there is to say of it.
Fact = tuple[int, str, str]
_KINDS: Final = {
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
}
_SUFFIXES: Final = frozenset({".md", ".markdown"})


def _no_footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 -- the library calls it
    at = state.bMarks[start] + state.tShift[start]
    return not state.src.startswith("[^", at) and reference(state, start, end, silent)


def reference_parser() -> MarkdownIt:
    """Return CommonMark with tables, whose footnotes are no definitions."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.block.ruler.at("reference", _no_footnote)
    return parser


def theirs(text: str, parser: MarkdownIt) -> list[Fact]:
    """Return what markdown-it-py finds in a text."""
    environment: EnvType = {}
    tokens = parser.parse(text, environment)
    found: list[Fact] = []
    for index, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type in _KINDS:
            found.append((line, _KINDS[token.type], token.info.strip() if token.type == "fence" else ""))
        elif token.type == "heading_open":
            found.append((line, "heading", f"{token.tag} {_text(tokens[index + 1])}"))
        elif token.type in ("th_open", "td_open"):
            content = tokens[index + 1]
            found.append((content.map[0] + 1 if content.map else 0, "cell", content.content))
        elif token.type == "inline":
            found += _links(line, token)
    for label, value in environment.get("references", {}).items():
        found.append((value["map"][0] + 1, "definition", f"{fold_label(label)} {unquote(value['href'])}"))
    return found


def _text(inline: Token) -> str:
    texts = {"text", "text_special", "code_inline"}
    breaks = {"softbreak", "hardbreak"}
    parts = [
        child.content if child.type in texts else "\n"
        for child in inline.children or ()
        if child.type in texts | breaks
    ]
    return " ".join("".join(parts).split())


def _links(line: int, inline: Token) -> Iterator[Fact]:
    for child in inline.children or ():
        if child.type == "link_open":
            yield line, "link", unquote(str(child.attrs["href"]))
        elif child.type == "image":
            yield line, "image", unquote(str(child.attrs["src"]))


def ours(spec: Specification) -> list[Fact]:
    """Return what we find in it."""
    found: list[Fact] = []
    lost: set[tuple[int, int]] = set()
    for block in spec.document.blocks:
        if block.kind == "table":
            found += _cells(block)
            width = len(block.rows[0].cells)
            lost.update((row.line, cell.column) for row in block.rows for cell in row.cells[width:])
        elif block.kind != "heading":
            found.append((block.line, block.kind, block.info if block.kind == "fence" else ""))
    for piece in spec.prose:
        block = spec.document.blocks[piece.block]
        line = piece.segments[0].line
        if piece.kind == "cell" and (line, piece.segments[0].column) in lost:
            continue
        if piece.kind == "heading":
            found.append((line, "heading", f"h{block.level} {' '.join(piece.inline.plain.split())}"))
        for link in piece.inline.links:
            found.append((line, "image" if link.image else "link", unquote(link.target)))
    return found + list(_definitions(spec))


def _cells(table: Block) -> Iterator[Fact]:
    width = len(table.rows[0].cells)
    for row in table.rows:
        cells = [cell.text.replace("\\|", "|") for cell in row.cells[:width]]
        for cell in cells + [""] * (width - len(cells)):
            yield row.line, "cell", cell


def _definitions(spec: Specification) -> Iterator[Fact]:
    defined: set[str] = set()
    for definition in spec.document.definitions:
        label = fold_label(definition.label)
        if label not in defined:
            defined.add(label)
            yield definition.line, "definition", f"{label} {unquote(definition.target)}"


def differences(spec: Specification, parser: MarkdownIt) -> list[tuple[Fact, str]]:
    """Return each fact that only one of the two has, and who has it, by line."""
    lines = spec.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines[: spec.document.skipped] = [""] * spec.document.skipped
    mine, other = Counter(ours(spec)), Counter(theirs("\n".join(lines), parser))
    only = [(fact, "ours") for fact in (mine - other).elements()]
    only += [(fact, "theirs") for fact in (other - mine).elements()]
    return sorted(only)


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.suffix in _SUFFIXES and one.is_file())
        else:
            yield path


def main() -> None:
    """Compare, and print."""
    parser = reference_parser()
    files = facts = different = 0
    for path in _files(sys.argv[1:]):
        try:
            spec = load(path)
        except SpecificationError as error:
            print(error)
            continue
        found = differences(spec, parser)
        files, facts, different = files + 1, facts + len(ours(spec)), different + len(found)
        for (line, kind, detail), who in found:
            print(f"{path}:{line}: only {who}: {kind} {detail[:150]!r}")
    print(f"{files} files, {facts:,} facts, {different:,} differences")
    if different:
        sys.exit(1)


if __name__ == "__main__":
    main()

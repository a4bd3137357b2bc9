"""Statements of RDF, and how they are written: as Turtle, and as JSON-LD.

A graph is a list of triples in which every node has a name, so that both texts, and the reports of several runs, come
to the same graph wherever they are read. No RDF library is used: writing is simple, and importing one takes longer than
all other formats together.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import orjson

from tck_reports.plain import visible
from tck_reports.shape import Json

PREFIXES: Final[Mapping[str, str]] = {
    "dct": "http://purl.org/dc/terms/",
    "doap": "http://usefulinc.com/ns/doap#",
    "earl": "http://www.w3.org/ns/earl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "tck": "urn:session-tck:terms#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
#: What neither syntax can hold between `<` and `>`, and what a percent sign begins without two digits after it.
_NOT_IN_IRI: Final = re.compile(r"[\x00-\x20<>\"{}|^`\\]|%(?![0-9A-Fa-f]{2})|[^\x21-\x7e]")
_ESCAPES: Final[Mapping[int, str]] = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})


@dataclass(frozen=True, slots=True)
class Iri:
    """A name: in full, or as `prefix:word` where it is one of a vocabulary of `PREFIXES`."""

    text: str
    short: bool = False

    def __post_init__(self) -> None:
        if _NOT_IN_IRI.search(self.text):
            raise ValueError(f"{self.text!r} is no IRI; quote it")


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, or a text of a datatype such as `xsd:dateTime`."""

    text: str
    datatype: str = ""


@dataclass(frozen=True, slots=True)
class Triple:
    """One statement; its predicate is a word of a vocabulary, `rdf:type` among them."""

    subject: Iri
    predicate: str
    object: Iri | Literal


@cache
def word(text: str) -> Iri:
    """Return a word of one of the vocabularies, such as `earl:passed`."""
    return Iri(text, short=True)


def turtle(triples: Iterable[Triple]) -> str:
    """Return the triples as Turtle; those of one subject that follow each other are written as one sentence."""
    lines = [f"@prefix {name}: <{iri}> ." for name, iri in PREFIXES.items()]
    subject = None
    for one in triples:
        said = f"{'a' if one.predicate == 'rdf:type' else one.predicate} {_object(one.object)}"
        if one.subject == subject:
            lines[-1] += " ;"
            lines.append(f"    {said}")
        else:
            if subject is not None:
                lines[-1] += " ."
            lines += ["", f"{_iri(one.subject)} {said}"]
            subject = one.subject
    if subject is not None:
        lines[-1] += " ."
    return "\n".join(lines) + "\n"


def _iri(one: Iri) -> str:
    return one.text if one.short else f"<{one.text}>"


def _object(one: Iri | Literal) -> str:
    if isinstance(one, Iri):
        return _iri(one)
    quoted = f'"{visible(one.text).translate(_ESCAPES)}"'
    return f"{quoted}^^{one.datatype}" if one.datatype else quoted


def json_ld(triples: Iterable[Triple]) -> str:
    """Return the triples as JSON-LD 1.1 with its own context: nothing is fetched to read it."""
    nodes: dict[str, dict[str, Json]] = {}
    for one in triples:
        node = nodes.setdefault(one.subject.text, {"@id": one.subject.text})
        if one.predicate == "rdf:type" and isinstance(one.object, Iri):
            node.setdefault("@type", []).append(one.object.text)
        else:
            node.setdefault(one.predicate, []).append(_value(one.object))
    graph = b",\n".join(orjson.dumps(_narrow(node)) for node in nodes.values()).decode()
    return f'{{"@context": {orjson.dumps(PREFIXES).decode()},\n"@graph": [\n{graph}\n]}}\n'


def _value(one: Iri | Literal) -> Json:
    if isinstance(one, Iri):
        return {"@id": one.text}
    text = visible(one.text)
    return {"@value": text, "@type": one.datatype} if one.datatype else text


def _narrow(node: Mapping[str, Json]) -> dict[str, Json]:
    """Return the node with a value where there is one of a kind, not a list."""
    return {name: value[0] if name[0] != "@" and len(value) == 1 else value for name, value in node.items()}

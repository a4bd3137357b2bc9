"""EARL is read by RDFLib: both syntaxes are one graph, and what is asked of it is what the report says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from rdflib import Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.namespace import DCTERMS, XSD

from tck_reports.formats import earl
from tck_reports.formats.bounded import bounded
from tck_reports.outcomes import MEANINGS, Outcome
from tck_reports.plain import visible
from tck_reports.shape import Report

from .consumers.standards import graph
from .full import HOSTILE, full_report, hostile_report
from .samples import mixed_report

PREFIXES = "PREFIX earl: <http://www.w3.org/ns/earl#> PREFIX dct: <http://purl.org/dc/terms/> "


def asked(report: Report, query: str) -> list[tuple[Any, ...]]:
    found = graph(earl.render_turtle(report), "turtle").query(PREFIXES + query)
    return [tuple(value.toPython() for value in row) for row in found]  # type: ignore[union-attr]  # rows of a SELECT


def word(outcome: str) -> str:
    return f"http://www.w3.org/ns/earl#{MEANINGS[Outcome(outcome)].earl}"


@pytest.mark.parametrize("which", ["everything", *HOSTILE])
def test_both_syntaxes_are_one_graph(which: str) -> None:
    report = full_report() if which == "everything" else bounded(hostile_report(HOSTILE[which]))
    turtle, json_ld = earl.render_turtle(report), earl.render_json_ld(report)
    assert isomorphic(graph(turtle, "turtle"), graph(json_ld, "json-ld"))
    assert len(graph(turtle, "turtle")) == len(
        {(one.subject, one.predicate, one.object) for one in earl.triples(report)}
    )


@pytest.mark.parametrize(("kind", "part"), [("TestRequirement", "requirements"), ("TestCase", "checks")])
def test_the_outcomes_are_those_of_the_report(kind: str, part: str) -> None:
    for report in (full_report(), mixed_report()):
        query = (
            "SELECT ?outcome (COUNT(?assertion) AS ?times) WHERE { ?assertion a earl:Assertion; earl:test ?test; "
            f"earl:mode earl:automatic; earl:result [ earl:outcome ?outcome ]. ?test a earl:{kind} }} GROUP BY ?outcome"
        )
        parts: Any = report[part]  # type: ignore[literal-required]  # one of two
        assert dict(asked(report, query)) == Counter(word(one["outcome"]) for one in parts)


def test_each_requirement_has_its_own_outcome_text_and_scenarios() -> None:
    report = full_report()
    query = (
        "SELECT ?title ?outcome ?text (COUNT(?part) AS ?parts) WHERE { ?assertion earl:test ?test; "
        "earl:result [ earl:outcome ?outcome ]. ?test a earl:TestRequirement; dct:title ?title; dct:description ?text. "
        "OPTIONAL { ?test dct:hasPart ?part } } GROUP BY ?title ?outcome ?text"
    )
    assert sorted(asked(report, query)) == sorted(
        (one["id"], word(one["outcome"]), one["text"], len(one["checks"])) for one in report["requirements"]
    )


def test_who_asserts_and_what_is_tested_have_a_version() -> None:
    query = (
        "SELECT DISTINCT ?who ?by ?what ?version WHERE { ?a earl:assertedBy ?k; earl:subject ?s. "
        "?k a earl:Assertor; dct:title ?who; dct:hasVersion ?by. ?s a earl:TestSubject; dct:title ?what; "
        "dct:hasVersion ?version }"
    )
    assert asked(full_report(), query) == [("session-tck", "0.1.0", "simulator", "0.1.0")]


def test_a_result_has_its_date_and_says_what_was_put_up_with() -> None:
    report = full_report()
    read = graph(earl.render_turtle(report), "turtle")
    dates = {*read.objects(None, DCTERMS.date)}
    assert dates == {Literal("2026-01-02T03:05:05+00:00", datatype=XSD.dateTime)}
    infos = {str(one) for one in read.objects(None, URIRef("http://www.w3.org/ns/earl#info"))}
    assert "known failure: knows_it: issue 12 (team-a, since 2026-01-02)" in infos
    assert "earlier try: error (the driver ended)" in infos


@pytest.mark.parametrize("which", HOSTILE)
def test_a_hostile_text_comes_back_as_it_is_shown(which: str) -> None:
    report = bounded(hostile_report(HOSTILE[which]))
    read = graph(earl.render_turtle(report), "turtle")
    assert Literal(visible(report["implementation"]["name"])) in {*read.objects(None, DCTERMS.title)}


@pytest.mark.parametrize(
    ("homepage", "node"),
    [
        ("https://engine.example/a?b=c#d", URIRef("https://engine.example/a?b=c#d")),
        ("javascript:alert(1)", Literal("javascript:alert(1)")),
        ("https://a b", Literal("https://a b")),
        ("https://x.example/> <urn:y", Literal("https://x.example/> <urn:y")),
        ("https://x.example/%zz", Literal("https://x.example/%zz")),
    ],
)
def test_only_an_address_of_a_page_is_one(homepage: str, node: object) -> None:
    report = full_report()
    report["implementation"]["homepage"] = homepage
    for text, form in ((earl.render_turtle(report), "turtle"), (earl.render_json_ld(report), "json-ld")):
        read = graph(text, form)
        assert [*read.objects(None, URIRef("http://usefulinc.com/ns/doap#homepage"))] == [node]


def test_a_date_that_is_none_is_a_text() -> None:
    report = full_report()
    report["run"]["finished"] = "yesterday"
    assert {*graph(earl.render_turtle(report), "turtle").objects(None, DCTERMS.date)} == {Literal("yesterday")}


def test_a_long_name_stands_in_an_iri_as_its_digest() -> None:
    report = full_report()
    report["implementation"]["name"] = "n" * 10_000
    assert max(map(len, earl.render_turtle(report).split("<"))) < 11_000
    assert earl.names_of(report).engine != earl.names_of(full_report()).engine

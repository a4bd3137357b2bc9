"""The report in the W3C's Evaluation and Report Language, EARL 1.0: who says what of which engine, by which test.

There is one assertion per requirement, which is what counts, and one per scenario. All names are URNs made of names
and digests, so that reports of many runs can be put into one graph. <https://www.w3.org/TR/EARL10-Schema/>
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from tck_reports.explain import address, surroundings_line, verdict_line
from tck_reports.formats.story import excuses, message, tries
from tck_reports.formats.triples import Iri, Literal, Triple, json_ld, turtle, word
from tck_reports.outcomes import MEANINGS, Outcome
from tck_reports.shape import CheckPart, Report, RequirementPart

#: Longer names stand in an IRI as their digest.
_LONGEST_NAME: Final = 300
_DATE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_TYPE: Final = "rdf:type"


@dataclass(frozen=True, slots=True)
class Names:
    """The names that most statements speak of, made once."""

    kit: Iri
    engine: Iri
    specification: Iri
    #: What the names of its requirements begin with.
    requirement: str
    report: Iri
    date: Literal


def render_turtle(report: Report) -> str:
    """Return the report as Turtle."""
    return turtle(triples(report))


def render_json_ld(report: Report) -> str:
    """Return the report as JSON-LD."""
    return json_ld(triples(report))


def triples(report: Report) -> Iterator[Triple]:
    """Yield everything that the report says, subject by subject."""
    names = names_of(report)
    yield from _parties(report, names)
    for requirement in report["requirements"]:
        yield from _requirement(requirement, names)
    for place, check in enumerate(report["checks"]):
        yield from _check(check, place, names)


def names_of(report: Report) -> Names:
    """Return the names of what a report is about."""
    spec, engine = report["spec"], report["implementation"]
    return Names(
        kit=_urn("kit", report["kit"]["version"]),
        engine=_urn("engine", engine["name"], engine["version"]),
        specification=_urn("specification", spec["id"], spec["version"]),
        requirement=_urn("requirement", spec["id"], spec["version"]).text,
        report=_urn("report", *report["digest"].split(":")),
        date=_date(report["run"]["finished"]),
    )


def scenario(name: str) -> Iri:
    """Return the name of a scenario: a digest, for what the kit calls it is a sentence."""
    return _urn("scenario", hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:32])


def _urn(*names: str) -> Iri:
    return Iri(f"urn:session-tck:{':'.join(map(_quoted, names))}")


def _quoted(name: str) -> str:
    quoted = quote(name, safe="", errors="backslashreplace")
    if len(quoted) <= _LONGEST_NAME:
        return quoted or "-"
    return hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()


def _parties(report: Report, names: Names) -> Iterator[Triple]:
    """Yield what is said of the kit, the engine, the specification, and the run."""
    engine, spec = report["implementation"], report["spec"]
    yield Triple(names.kit, _TYPE, word("earl:Software"))
    yield Triple(names.kit, _TYPE, word("earl:Assertor"))
    yield Triple(names.kit, "dct:title", Literal("session-tck"))
    yield Triple(names.kit, "dct:hasVersion", Literal(report["kit"]["version"]))

    yield Triple(names.engine, _TYPE, word("earl:Software"))
    yield Triple(names.engine, _TYPE, word("earl:TestSubject"))
    yield Triple(names.engine, "dct:title", Literal(engine["name"]))
    yield Triple(names.engine, "dct:hasVersion", Literal(engine["version"]))
    if engine["language"]:
        yield Triple(names.engine, "doap:programming-language", Literal(engine["language"]))
    if engine["homepage"]:
        page = address(engine["homepage"])
        yield Triple(names.engine, "doap:homepage", Iri(page) if page else Literal(engine["homepage"]))

    yield Triple(names.specification, "dct:title", Literal(spec["id"]))
    yield Triple(names.specification, "dct:hasVersion", Literal(spec["version"]))
    yield Triple(names.specification, "dct:identifier", Literal(spec["digest"]))

    yield Triple(names.report, "dct:date", names.date)
    yield Triple(names.report, "dct:creator", names.kit)
    yield Triple(names.report, "dct:conformsTo", names.specification)
    yield Triple(names.report, "dct:subject", names.engine)
    yield Triple(names.report, "dct:description", Literal(surroundings_line(report)))
    for profile, verdict in report["verdict"].items():
        yield Triple(names.report, "tck:verdict", Literal(verdict_line(profile, verdict)))


def _requirement(one: RequirementPart, names: Names) -> Iterator[Triple]:
    quoted = _quoted(one["id"])
    test = Iri(f"{names.requirement}:{quoted}")
    yield Triple(test, _TYPE, word("earl:TestRequirement"))
    yield Triple(test, _TYPE, word("earl:TestCriterion"))
    yield Triple(test, "dct:title", Literal(one["id"]))
    yield Triple(test, "dct:identifier", Literal(one["anchor"]))
    yield Triple(test, "dct:description", Literal(one["text"]))
    yield Triple(test, "dct:isPartOf", names.specification)
    yield Triple(test, "tck:level", Literal(one["level"]))
    yield Triple(test, "tck:profile", Literal(one["profile"]))
    for check in dict.fromkeys(one["checks"]):
        yield Triple(test, "dct:hasPart", scenario(check))
    info = [f"evidence: {one['evidence']}"] if one["evidence"] else []
    result = Result(one["outcome"], message(one["outcome"], one["reason"]), info)
    yield from _assertion(Iri(f"{names.report.text}:requirement:{quoted}"), test, result, names)


def _check(check: CheckPart, place: int, names: Names) -> Iterator[Triple]:
    test = scenario(check["id"])
    yield Triple(test, _TYPE, word("earl:TestCase"))
    yield Triple(test, _TYPE, word("earl:TestCriterion"))
    yield Triple(test, "dct:title", Literal(check["scenario"]))
    yield Triple(test, "dct:identifier", Literal(check["id"]))
    yield Triple(test, "dct:source", Literal(check["feature"]))
    info = [*(f"earlier try: {one}" for one in tries(check)), *(f"known failure: {one}" for one in excuses(check))]
    result = Result(check["outcome"], message(check["outcome"], check["reason"], check), info)
    yield from _assertion(Iri(f"{names.report.text}:scenario:{place}"), test, result, names)


@dataclass(frozen=True, slots=True)
class Result:
    """What a test gave."""

    outcome: str
    told: str
    info: Sequence[str]


def _assertion(assertion: Iri, test: Iri, result: Result, names: Names) -> Iterator[Triple]:
    yield Triple(assertion, _TYPE, word("earl:Assertion"))
    yield Triple(assertion, "earl:assertedBy", names.kit)
    yield Triple(assertion, "earl:subject", names.engine)
    yield Triple(assertion, "earl:test", test)
    yield Triple(assertion, "earl:mode", word("earl:automatic"))
    gave = Iri(f"{assertion.text}:result")
    yield Triple(assertion, "earl:result", gave)
    yield Triple(gave, _TYPE, word("earl:TestResult"))
    yield Triple(gave, "earl:outcome", word(f"earl:{MEANINGS[Outcome(result.outcome)].earl}"))
    yield Triple(gave, "tck:outcome", Literal(result.outcome))
    yield Triple(gave, "dct:date", names.date)
    if result.told != result.outcome:
        yield Triple(gave, "dct:description", Literal(result.told))
    for one in result.info:
        yield Triple(gave, "earl:info", Literal(one))


def _date(text: str) -> Literal:
    return Literal(text, "xsd:dateTime") if _DATE_TIME.fullmatch(text) else Literal(text)

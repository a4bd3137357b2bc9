"""Commands of GitHub's workflows, taken apart as its runner does."""

from __future__ import annotations

import re

from tck_reports.findings import render

from .listings import clean, hostile, ordinary

COMMAND = re.compile(r"::(?P<name>\w+) (?P<properties>.*?)::(?P<data>.*)")
PROPERTY = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
DATA = {"%0D": "\r", "%0A": "\n", "%25": "%"}


def decoded(text: str, table: dict[str, str]) -> str:
    return re.sub("|".join(table), lambda match: table[match.group()], text)


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    read: list[tuple[str, dict[str, str], str]] = []
    for line in text.splitlines():
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        pairs = [one.split("=", 1) for one in match["properties"].split(",")]
        read.append(
            (match["name"], {name: decoded(value, PROPERTY) for name, value in pairs}, decoded(match["data"], DATA))
        )
    return read


def test_a_finding_is_a_command() -> None:
    assert commands(render("github", ordinary()))[1] == (
        "error",
        {
            "file": "docs/tea.md",
            "line": "5",
            "col": "5",
            "endColumn": "7",
            "title": "XREF001 unknown-section",
        },
        "there is no section 9 (did you mean 3?)",
    )


def test_severities_are_those_of_github() -> None:
    assert [name for name, *_ in commands(render("github", ordinary()))] == ["error", "error", "warning", "notice"]


def test_nothing_found_is_no_command() -> None:
    assert render("github", clean()) == ""


def test_a_document_cannot_write_a_command_or_a_property() -> None:
    ((name, properties, message),) = commands(render("github", hostile()))
    assert name == "error"
    assert list(properties) == ["file", "line", "col", "endColumn", "title"]
    assert properties["line"] == "3"
    assert properties["file"].endswith("%,:?#ü.md")
    assert "%0A {0} [l](2)" in message
    assert "\n" not in message

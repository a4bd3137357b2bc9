"""The guides: what they tell a reader to write or to type is what the kit takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tck_kit.command_line import cli
from tck_kit.known import read_baseline
from tck_kit.project_file import NAME, read
from tck_spec.rules import severities
from tck_spec.settings import read_settings

ROOT = Path(__file__).parents[2]
GUIDES = (
    "README.md",
    "docs/implementers.md",
    "docs/spec-authors.md",
    "docs/rules.md",
    "docs/proof.md",
    "docs/ci.md",
    "docs/peers.md",
    "examples/node-engine/README.md",
    "examples/ci/README.md",
)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def blocks(guide: str, language: str) -> list[str]:
    text = (ROOT / guide).read_text(encoding="utf-8")
    return [body for name, body in _BLOCK.findall(text) if name == language]


COMMANDS = [
    (guide, words)
    for guide in GUIDES
    for body in blocks(guide, "console")
    for line in body.splitlines()
    if (words := tuple(shlex.split(line.removeprefix("$ "), comments=True)))[:1] == ("session-tck",) and line[0] == "$"
]


@pytest.mark.parametrize(("guide", "words"), COMMANDS, ids=lambda value: value if isinstance(value, str) else value[1])
def test_every_command_of_a_guide_has_the_options_that_it_is_given(guide: str, words: tuple[str, ...]) -> None:
    command: click.Command = cli
    rest = list(words[1:])
    while isinstance(command, click.Group):
        command = command.commands[rest.pop(0)]
    with command.make_context(guide, rest, resilient_parsing=False) as context:
        assert context.params or not command.params


@pytest.mark.parametrize(
    "body",
    [
        body
        for guide in ("docs/implementers.md", "docs/ci.md")
        for body in blocks(guide, "toml")
        if "[[failure]]" in body
    ],
)
def test_every_baseline_of_a_guide_can_be_read(body: str, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(body, encoding="utf-8")
    assert read_baseline(tmp_path / "known.toml").entries


@pytest.mark.parametrize("body", [body for body in blocks("docs/implementers.md", "toml") if "[[failure]]" not in body])
def test_every_project_file_of_the_guide_can_be_read(body: str, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(body, encoding="utf-8")
    read(tmp_path / NAME)


@pytest.mark.parametrize(
    "body", [body for guide in ("docs/spec-authors.md", "docs/rules.md") for body in blocks(guide, "toml")]
)
def test_every_setting_of_a_check_that_a_guide_shows_can_be_read(body: str, tmp_path: Path) -> None:
    if "language-server" in body:
        return
    (tmp_path / NAME).write_text(body, encoding="utf-8")
    severities(read_settings(tmp_path / NAME))
    read(tmp_path / NAME)


@pytest.mark.parametrize(
    "guide",
    # The links of the rules' examples lead nowhere on purpose; `session-tck check` looks at the others.
    [*(guide for guide in GUIDES if guide != "docs/rules.md"), "docs/driver-protocol.md", "docs/architecture.md"],
)
def test_every_link_of_a_guide_leads_somewhere(guide: str) -> None:
    text = (ROOT / guide).read_text(encoding="utf-8")
    lost = [link for link in _LINK.findall(text) if not ((ROOT / guide).parent / link).exists()]
    assert lost == []

"""What a report shows of a start of a CLI: no words of a prompt, no folders of a machine, and the rest as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_driver.witness import CliStarted
from tck_features.commands import command


def started(*argv: str, prompt: str = "", full: bool | None = True) -> CliStarted:
    return CliStarted("c", "codex", argv, (), "/work", prompt, None, None, None, False, None, "s", full)  # noqa: FBT003 -- the order of its fields


@pytest.mark.parametrize(
    ("start", "line"),
    [
        (
            started("codex", "exec", "resume", "id-1", "Go on.", prompt="Go on."),
            "codex exec resume id-1 <prompt: 6 characters, full>",
        ),
        (started("copilot", "-p=Go on.", prompt="Go on.", full=False), "copilot -p=<prompt: 6 characters, delta>"),
        (started("codex", "Go on.", prompt="Go on.", full=None), "codex <prompt: 6 characters>"),
        (
            started("claude", "--append-system-prompt", "You are\nour own."),
            "claude --append-system-prompt <16 characters>",
        ),
        (started("claude", "--settings", "x" * 121), "claude --settings <121 characters>"),
        (started("claude", "--settings", "x" * 120), f"claude --settings {'x' * 120}"),
        (started("/opt/tools/claude", "--mcp-config=/home/me/a b/mcp.json"), "…/claude --mcp-config=…/a b/mcp.json"),
        (
            started("claude", "--mcp-config", '{"url":"https://a.example/b/mcp"}'),
            'claude --mcp-config {"url":"https://a.example/b/mcp"}',
        ),
        (started("claude", "--allowedTools", "Read(/tmp/run/x/**)"), "claude --allowedTools Read(…/**)"),
        (started("claude", "-p", "--resume=id-1", "a/b"), "claude -p --resume=id-1 a/b"),
    ],
)
def test_a_start_is_shown_on_one_line(start: CliStarted, line: str) -> None:
    assert command(start) == line


@given(st.text(min_size=1), st.lists(st.text(max_size=20), max_size=4))
def test_a_prompt_of_its_own_is_never_shown_and_a_line_stays_one(prompt: str, others: list[str]) -> None:
    shown = command(started("cli", *others, prompt, prompt=f"{prompt} and more words than any option has"))

    assert len(shown.splitlines()) == 1
    assert "and more words than any option has" not in shown

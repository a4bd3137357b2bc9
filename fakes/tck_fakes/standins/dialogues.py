"""Which starts of CLIs are dialogues over standard input, and which of these are no run of an agent at all."""

from __future__ import annotations

from collections.abc import Sequence

from tck_fakes.standins import claude_words, codex_server
from tck_fakes.standins.base import Conversation, Invocation


def converses(program: str, argv: Sequence[str]) -> bool:
    """Tell whether a CLI that is started so reads its standard input line by line, while it runs."""
    return (program == "claude" and claude_words.converses(argv)) or aside(program, argv)


def aside(program: str, argv: Sequence[str]) -> bool:
    """Tell whether what is started is a server, which takes no prompt of its own and no script."""
    return program == "codex" and codex_server.serves(argv)


def serve(call: Invocation) -> Conversation:
    """Be that server."""
    return codex_server.serve(call)
